"""Device functions for a GPU, run on this machine: their IR with the host's triple.

    found = run(function, args)      # as `outcome` of programs.compare returns it

The functions of libdevice are in the module as they are for a GPU; the few instructions of
NVIDIA's that they use are written here with LLVM's own.  What is raised comes back by the record
that a GPU's thread leaves.
"""

from __future__ import annotations

import ctypes
import re
import struct
from typing import Any

import numpy as np

from corpus.programs.compare import same
from cutaway import cuda, typeof
from cutaway.compiling import compiler
from cutaway.errors import UnsupportedError
from cutaway.lowering.layout import slot_types
from cutaway.lowering.module import bare_text, entry_name, entry_text
from cutaway.lowering.slots import values_from_slots
from cutaway.runtime import symbols
from cutaway.targets.cpu.engine import Library, Module, Plan
from cutaway.targets.ptx.exceptions import Explanations
from cutaway.typing import types
from cutaway.typing.types import Type

OPTIONS: dict[str, Any] = {
    "device": True,
    "cc": (8, 0),
    "boundscheck": True,
    "error_model": "python",
    "fma": False,
}
_LARGEST = np.finfo(np.float64).max
_FORMATS = {
    "i64": "q",
    "i32": "i",
    "i16": "h",
    "i8": "b",
    "i1": "?",
    "double": "d",
    "float": "f",
    "half": "e",
    "ptr": "q",
}


def run(function: Any, args: tuple[Any, ...], options: dict[str, Any] = OPTIONS) -> tuple[Any, ...]:
    """What a program returns, or raises, compiled as a device function; its arguments afterward.

    Raises CutawayError where it cannot be compiled for a GPU, LookupError for arguments or a
    result that have no place in slots here.
    """
    half = cuda.jit(**options)(function).half
    bound = half.parameters.bind(args)
    argtypes = tuple(map(typeof, bound))
    unit = compiler.lower(half, argtypes)
    callee = unit.callee
    assert callee is not None and callee.target is not None
    record = ctypes.create_string_buffer(64)
    text = for_host(bare_text(callee, entry_text(callee)), ctypes.addressof(record))
    module = Module(text)
    module.optimize(Plan())
    name = entry_name(callee)
    library = Library.load(module.object_code(), (name,), symbols)
    entry = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(library.address(name))
    given = b"".join(
        part for ty, arg in zip(argtypes, bound, strict=True) for part in slots(ty, arg)
    )
    taken = ctypes.create_string_buffer(given, len(given) + 8)
    returned = ctypes.create_string_buffer(8 * max(len(slot_types(unit.return_type)), 1))
    status = entry(ctypes.addressof(returned), ctypes.addressof(taken), None)
    if status:
        tables = [one.table for one in callee.closure() if one.table is not None]
        sites = [site for table in tables for site in table.sites]
        _, number = struct.unpack_from("<2i", record.raw)
        error = Explanations(callee.symbol, sites)(
            number, (0, 0, 0), (0, 0, 0), struct.unpack_from("<4q", record.raw, 32)
        )
        return ("raised", type(error), error.args)
    return ("returned", _result(unit.return_type, returned.raw), args)


def _result(ty: Type, data: bytes) -> Any:
    if isinstance(ty, types.Tuple):
        items, at = [], 0
        for item in ty.items:
            count = len(slot_types(item))
            items.append(_result(item, data[8 * at :]))
            at += count
        return tuple(items)
    if isinstance(ty, types.Array) and isinstance(ty.dtype, _NUMBERS):
        words = struct.unpack_from(f"<{2 + 2 * ty.ndim}q", data)
        return _copied(ty, words[1], words[2 : 2 + ty.ndim], words[2 + ty.ndim :])
    if ty is types.none:
        return None
    if not isinstance(ty, _NUMBERS):
        raise LookupError(f"a result of type {ty}")
    return values_from_slots((ty,), data[: 8 * len(slot_types(ty))])[0]


_NUMBERS = types.Integer | types.Float | types.Boolean | types.Complex


def _copied(ty: Any, data: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """An array's elements, from where they are (Any: the type of an array)."""
    dtype = np.dtype(str(ty.dtype))
    found = np.empty(shape, dtype)
    for place in np.ndindex(*shape):
        offset = sum(k * stride for k, stride in zip(place, strides, strict=True))
        found[place] = np.frombuffer(ctypes.string_at(data + offset, dtype.itemsize), dtype)[0]
    return found


def slots(ty: Type, value: Any) -> list[bytes]:
    """The slots of an argument: a number each; of an array its data, sizes and strides."""
    if isinstance(value, np.ndarray):
        words = (0, value.ctypes.data, *value.shape, *value.strides)
        if value.dtype.hasobject or len(words) != len(slot_types(ty)):
            raise LookupError(f"an argument of type {ty}")
        return [struct.pack("<q", word) for word in words]
    if isinstance(value, tuple) and type(value) is tuple:
        return [part for of, item in zip(ty.items, value, strict=True) for part in slots(of, item)]
    if type(value) is complex or isinstance(value, np.complexfloating):
        parts = [value.real, value.imag]
    elif type(value) in (bool, int, float) or isinstance(value, np.number | np.bool):
        parts = [value]
    else:
        raise LookupError(f"an argument of type {ty}")
    kinds = [kind for kind, _ in slot_types(ty)]
    return [_packed(kind, part) for kind, part in zip(kinds, parts, strict=True)]


def _packed(kind: str, value: Any) -> bytes:
    letter = _FORMATS[kind]
    if letter in "qihb":
        bits = 8 * struct.calcsize(letter)
        value = (int(value) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    return struct.pack(f"<{letter}", value).ljust(8, b"\0")


# --- the module ---------------------------------------------------------------------------------


def for_host(text: str, record: int) -> str:
    """A module for a GPU as one for this machine: NVIDIA's instructions become functions, and the
    record of exceptions is at an address of ours."""
    text = text.replace(
        "@cutaway_error = addrspace(1) externally_initialized global i64 0",
        f"@cutaway_error = internal addrspace(1) global i64 {record}",
    )
    text = _without_assembly(text)
    names = sorted(set(re.findall(r"@llvm\.nvvm\.([\w.]+)\(", text)))
    text = re.sub(r"^declare .*@llvm\.nvvm\..*$", "", text, flags=re.MULTILINE)
    text = text.replace("@llvm.nvvm.", "@host.nvvm.")
    declared, bodies = set(re.findall(r"^declare [^@]*@([\w.]+)\(", text, re.MULTILINE)), []
    if "@host_rsqrt" in text and "llvm.sqrt.f64" not in declared:
        declared.add("llvm.sqrt.f64")
        bodies.append("declare double @llvm.sqrt.f64(double)")
    for name in names:
        body, needed = _meaning(name)
        bodies.append(body)
        for one in needed:
            if (found := re.search(r"@([\w.]+)\(", one)) and found[1] not in declared:
                declared.add(found[1])
                bodies.append(one)
    return text + "\n" + "\n".join(bodies) + "\n"


def _without_assembly(text: str) -> str:
    """Inline assembly of libdevice as calls of functions, which are added."""
    used: dict[str, str] = {}

    def call(found: re.Match[str]) -> str:
        for part, (name, body) in _ASSEMBLY.items():
            if part in found[2]:
                used[name] = body
                return f"{found[1]} @{name}("
        raise UnsupportedError(f"assembly that is not written for this machine: {found[2][:60]}")

    text = re.sub(r'(call [^@"\n]*?) asm (?:sideeffect )?("[^"]*"), "[^"]*"\(', call, text)
    return "\n".join([text, *used.values(), ""])


def _of_products(name: str, count: int, lines: str, bits: int = 64) -> str:
    """A function of numbers of `bits`, which computes %t in twice as many."""
    kind, wide = f"i{bits}", f"i{2 * bits}"
    operands = ", ".join(f"{kind} %{letter}" for letter in "abcd"[:count])
    extended = [f"  %{c}w = zext {kind} %{c} to {wide}" for c in "abcd"[:count]]
    return "\n".join(
        [
            f"define internal {{ {kind}, {kind} }} @{name}({operands}) {{",
            *extended,
            *(f"  {line}" for line in lines.replace("WIDE", wide).splitlines()),
            f"  %lo = trunc {wide} %t to {kind}",
            f"  %up = lshr {wide} %t, {bits}",
            f"  %hi = trunc {wide} %up to {kind}",
            f"  %x = insertvalue {{ {kind}, {kind} }} undef, {kind} %lo, 0",
            f"  %y = insertvalue {{ {kind}, {kind} }} %x, {kind} %hi, 1",
            f"  ret {{ {kind}, {kind} }} %y\n}}",
        ]
    )


_BOTH = """\
%bu = shl WIDE %bw, 64
%l = or WIDE %bu, %aw
%du = shl WIDE %dw, 64
%r = or WIDE %du, %cw
%t = """
_INVERSE = """\
define internal float @host_rcp(float %a) {
  %r = fdiv float 1.0, %a
  ret float %r
}"""
_ROOT = """\
define internal double @host_rsqrt(double %a) {
  %s = call double @llvm.sqrt.f64(double %a)
  %r = fdiv double 1.0, %s
  ret double %r
}"""
_SELECTED = """\
define internal double @host_select(double %a, double %b, double %c, double %d) {
  %p = fcmp ueq double %a, %b
  %r = select i1 %p, double %c, double %d
  ret double %r
}"""
# By a part of the text, in this order: a name, and the function.
_ASSEMBLY = {
    "rcp.approx.ftz.f32": ("host_rcp", _INVERSE),
    "rsqrt.approx.ftz.f64": ("host_rsqrt", _ROOT),
    "setp.equ.f64": ("host_select", _SELECTED),
    "mad.lo.cc.u32   $0": (
        "host_mad32",
        _of_products("host_mad32", 3, "%p = mul WIDE %aw, %bw\n%t = add WIDE %p, %cw", 32),
    ),
    "{clo,chi}": (
        "host_mad",
        _of_products("host_mad", 3, "%p = mul WIDE %aw, %bw\n%t = add WIDE %p, %cw"),
    ),
    "mul.lo.u32      r0": ("host_mul", _of_products("host_mul", 2, "%t = mul WIDE %aw, %bw")),
    "add.cc.u32      r0": ("host_add", _of_products("host_add", 4, f"{_BOTH}add WIDE %l, %r")),
    "sub.cc.u32      r0": ("host_sub", _of_products("host_sub", 4, f"{_BOTH}sub WIDE %l, %r")),
}

_ENDS = {"f32": "float", "f64": "double"}
_KINDS = {"f": "float", "d": "double", "i": "i32", "ui": "i32", "ll": "i64", "ull": "i64"}


def _meaning(name: str) -> tuple[str, list[str]]:
    """A function for one of NVIDIA's instructions, and the declarations that it needs."""
    if name in ("membar.sys", "membar.gl", "membar.cta"):
        return f"define internal void @host.nvvm.{name}() {{\n  ret void\n}}", []
    if name.startswith("read.ptx.sreg."):
        return _function(name, "i32", [], ["ret i32 0"]), []
    for pattern, make in _FAMILIES:
        found = re.fullmatch(pattern, name)
        if found is not None:
            return make(name, *found.groups())
    raise UnsupportedError(f"llvm.nvvm.{name} is not written for this machine")


def _function(name: str, result: str, kinds: list[str], lines: list[str]) -> str:
    operands = ", ".join(f"{kind} %{letter}" for kind, letter in zip(kinds, "abc", strict=False))
    body = "\n".join(f"  {line}" for line in lines)
    return f"define internal {result} @host.nvvm.{name}({operands}) alwaysinline {{\n{body}\n}}"


def _calling(name: str, stem: str, kind: str, count: int) -> tuple[str, list[str]]:
    end = "f32" if kind == "float" else "f64"
    operands = ", ".join(f"{kind} %{letter}" for letter in "abc"[:count])
    lines = [f"%r = call {kind} @llvm.{stem}.{end}({operands})", f"ret {kind} %r"]
    kinds = ", ".join([kind] * count)
    return _function(name, kind, [kind] * count, lines), [
        f"declare {kind} @llvm.{stem}.{end}({kinds})"
    ]


def _arithmetic(name: str, stem: str, letter: str) -> tuple[str, list[str]]:
    kind = _KINDS[letter]
    lines = [f"%r = f{stem} {kind} %a, %b", f"ret {kind} %r"]
    return _function(name, kind, [kind, kind], lines), []


def _reciprocal(name: str, letter: str) -> tuple[str, list[str]]:
    kind = _KINDS[letter]
    return _function(name, kind, [kind], [f"%r = fdiv {kind} 1.0, %a", f"ret {kind} %r"]), []


def _of_root(name: str, letter: str) -> tuple[str, list[str]]:
    kind, end = _KINDS[letter], "f32" if letter == "f" else "f64"
    lines = [f"%s = call {kind} @llvm.sqrt.{end}({kind} %a)", f"%r = fdiv {kind} 1.0, %s"]
    return _function(name, kind, [kind], [*lines, f"ret {kind} %r"]), [
        f"declare {kind} @llvm.sqrt.{end}({kind})"
    ]


_ROUNDING = {"rn": "roundeven", "rz": "trunc", "rm": "floor", "rp": "ceil"}


def _converted(name: str, source: str, target: str, way: str) -> tuple[str, list[str]]:
    kind, other = _KINDS[source], _KINDS[target]
    if source in ("f", "d") and target in ("f", "d"):
        opcode = "fptrunc" if source == "d" else "fpext"
        return _function(
            name, other, [kind], [f"%r = {opcode} {kind} %a to {other}", f"ret {other} %r"]
        ), []
    if source in ("f", "d"):
        end, sign = "f32" if source == "f" else "f64", "u" if target[0] == "u" else "s"
        rounded = f"llvm.{_ROUNDING[way]}.{end}"
        limited = f"llvm.fpto{sign}i.sat.{other}.{end}"
        lines = [
            f"%s = call {kind} @{rounded}({kind} %a)",
            f"%r = call {other} @{limited}({kind} %s)",
        ]
        return _function(name, other, [kind], [*lines, f"ret {other} %r"]), [
            f"declare {kind} @{rounded}({kind})",
            f"declare {other} @{limited}({kind})",
        ]
    opcode = "uitofp" if source[0] == "u" else "sitofp"
    return _function(
        name, other, [kind], [f"%r = {opcode} {kind} %a to {other}", f"ret {other} %r"]
    ), []


def _half_of_double(name: str, part: str) -> tuple[str, list[str]]:
    lines = ["%w = bitcast double %a to i64"]
    lines += ["%s = lshr i64 %w, 32"] if part == "hi" else ["%s = add i64 %w, 0"]
    return _function(
        name, "i32", ["double"], [*lines, "%r = trunc i64 %s to i32", "ret i32 %r"]
    ), []


def _double_of_halves(name: str) -> tuple[str, list[str]]:
    lines = [
        "%l = zext i32 %a to i64",
        "%h = zext i32 %b to i64",
        "%u = shl i64 %h, 32",
        "%w = or i64 %u, %l",
        "%r = bitcast i64 %w to double",
        "ret double %r",
    ]
    return _function(name, "double", ["i32", "i32"], lines), []


def _upper_product(name: str, letter: str) -> tuple[str, list[str]]:
    kind = _KINDS[letter]
    wide, bits, way = ("i64", 32, "i32") if kind == "i32" else ("i128", 64, "i64")
    extend = "zext" if letter[0] == "u" else "sext"
    lines = [
        f"%x = {extend} {way} %a to {wide}",
        f"%y = {extend} {way} %b to {wide}",
        f"%p = mul {wide} %x, %y",
        f"%s = lshr {wide} %p, {bits}",
        f"%r = trunc {wide} %s to {way}",
        f"ret {way} %r",
    ]
    return _function(name, kind, [kind, kind], lines), []


_FAMILIES: tuple[tuple[str, Any], ...] = (  # Any: functions of the parts of a name
    (r"(add|mul|div)\.r[nz](?:\.ftz)?\.([fd])", _arithmetic),
    (r"fma\.rn(?:\.ftz)?\.([fd])", lambda n, k: _calling(n, "fma", _KINDS[k], 3)),
    (r"sqrt\.(?:rn|approx)(?:\.ftz)?\.([fd])", lambda n, k: _calling(n, "sqrt", _KINDS[k], 1)),
    (r"f(min|max)(?:\.ftz)?\.([fd])", lambda n, w, k: _calling(n, f"{w}num", _KINDS[k], 2)),
    (r"fabs(?:\.ftz)?\.(f32|f64)", lambda n, e: _calling(n, "fabs", _ENDS[e], 1)),
    (r"(floor|ceil|trunc)(?:\.ftz)?\.([fd])", lambda n, w, k: _calling(n, w, _KINDS[k], 1)),
    (r"round(?:\.ftz)?\.([fd])", lambda n, k: _calling(n, "roundeven", _KINDS[k], 1)),
    (r"ex2\.approx(?:\.ftz)?\.(?:f32|f)", lambda n: _calling(n, "exp2", "float", 1)),
    (r"lg2\.approx(?:\.ftz)?\.(?:f32|f)", lambda n: _calling(n, "log2", "float", 1)),
    (r"sin\.approx(?:\.ftz)?\.f", lambda n: _calling(n, "sin", "float", 1)),
    (r"cos\.approx(?:\.ftz)?\.f", lambda n: _calling(n, "cos", "float", 1)),
    (r"rcp\.(?:rn|approx)(?:\.ftz)?\.([fd])", _reciprocal),
    (r"rsqrt\.approx(?:\.ftz)?\.([fd])", _of_root),
    (r"div\.(?:approx|full)(?:\.ftz)?\.(f)", lambda n, k: _arithmetic(n, "div", k)),
    (r"(f|d|i|ui|ll|ull)2(f|d|i|ui|ll|ull)\.(rn|rz|rm|rp)(?:\.ftz)?", _converted),
    (r"d2i\.(hi|lo)", _half_of_double),
    (r"lohi\.i2d", _double_of_halves),
    (r"mulhi\.(i|ui|ll|ull)", _upper_product),
)


def alike(found: Any, wanted: Any) -> bool:
    """Whether values are the same but for the last digits of libdevice's functions."""
    if isinstance(wanted, tuple):
        pairs = isinstance(found, tuple) and len(found) == len(wanted)
        return pairs and all(map(alike, found, wanted))
    if same(found, wanted):
        return True
    try:
        narrow = getattr(wanted, "dtype", None) in (np.float32, np.complex64, np.float16)
        # The last digit of the largest number is one more step to infinity.
        found, wanted = (np.clip(one, -_LARGEST, _LARGEST) for one in (found, wanted))
        return bool(np.allclose(found, wanted, 1e-5 if narrow else 1e-12, 1e-300, equal_nan=True))
    except TypeError:
        return False
