"""C's math functions on a GPU: those of libdevice.

    define internal double @sin(double %x)    ->    a call of libdevice's @__nv_sin

Each has an error of a few units in the last place, documented by NVIDIA for CUDA. With fastmath the
float32 functions are the ones that the hardware has fast instructions for.
"""

from __future__ import annotations

from cutaway.targets.target import Definition

# C's name, libdevice's without `__nv_`; float has an `f` suffix in both.
_UNARY = {
    name: name
    for name in (
        "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2"
        " log10 log1p cbrt erf erfc lgamma tgamma sinpi cospi"
    ).split()
}
_BINARY = {name: name for name in ("atan2", "nextafter", "pow", "hypot", "fmod", "remainder")}

# The runtime's own, which have no variant for float32.
_OWN_UNARY = {"cutaway_math_lgamma": "lgamma", "cutaway_math_gamma": "tgamma"}
_OWN_BINARY = {
    "cutaway_math_pow": "pow",
    "cutaway_math_hypot": "hypot",
    "cutaway_math_fmod": "fmod",
    "cutaway_math_remainder": "remainder",
}

# Functions that need more than a call.
_WRITTEN = {
    "cutaway_math_ldexp": Definition(
        "define internal double @cutaway_math_ldexp(double %x, i64 %n) alwaysinline {\n"
        "  %most = call i64 @llvm.smin.i64(i64 %n, i64 4400)\n"
        "  %kept = call i64 @llvm.smax.i64(i64 %most, i64 -4400)\n"
        "  %short = trunc i64 %kept to i32\n"
        "  %r = call double @__nv_ldexp(double %x, i32 %short)\n"
        "  ret double %r\n}\n",
        {
            "llvm.smin.i64": "declare i64 @llvm.smin.i64(i64, i64)",
            "llvm.smax.i64": "declare i64 @llvm.smax.i64(i64, i64)",
            "__nv_ldexp": "declare double @__nv_ldexp(double, i32)",
        },
    ),
}

# Of float32, with fastmath: one or two instructions each.
_FAST = frozenset("sin cos tan exp exp10 log log2 log10 pow".split())


def definition(name: str, fast: bool = False) -> Definition | None:
    """Return a math function by C's name, or the runtime's; None for any other."""
    for known, count in ((_UNARY, 1), (_BINARY, 2)):
        if name in known:
            return _calling(name, f"__nv_{known[name]}", "double", count)
        if name.endswith("f") and name[:-1] in known:
            stem = known[name[:-1]]
            prefix = "__nv_fast_" if fast and stem in _FAST else "__nv_"
            return _calling(name, f"{prefix}{stem}f", "float", count)
    for known, count in ((_OWN_UNARY, 1), (_OWN_BINARY, 2)):
        if name in known:
            return _calling(name, f"__nv_{known[name]}", "double", count)
    return _WRITTEN.get(name)


def _calling(name: str, called: str, kind: str, count: int) -> Definition:
    names = ("%x", "%y")[:count]
    operands = ", ".join(f"{kind} {one}" for one in names)
    text = (
        f"define internal {kind} @{name}({operands}) alwaysinline nounwind {{\n"
        f"  %r = call {kind} @{called}({operands})\n"
        f"  ret {kind} %r\n}}\n"
    )
    declaration = f"declare {kind} @{called}({', '.join([kind] * count)})"
    return Definition(text, {called: declaration})
