"""The processor that code is compiled for: the known names, and whether its code runs here.

LLVM ends the process for a processor that it does not know, and only prints a line for a feature.
So names are checked before it sees them: the usual ones are listed, any other processor is tried in
a process of its own.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from functools import cache

from cutaway.errors import SettingError, did_you_mean
from cutaway.foundation.patterns import Pattern
from cutaway.targets.cpu import trial
from cutaway.targets.cpu.engine import Module, host
from cutaway.targets.cpu.optimization import HOST, Cpu, Plan

HOST_NAME = "host"
_LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
_IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
USUAL = ("generic", *_LEVELS) if _IS_X86 else ("generic",)
# Required for 64-bit code, and for floating-point arguments.
_NEEDED = frozenset({"64bit", "sse", "sse2", "neon", "fp-armv8"})
# The preferred vector width is not a feature of a processor, but LLVM treats it as one.
_WIDTHS = ("prefer-128-bit", "prefer-256-bit")
# Features that LLVM uses only for explicit instructions, which generated code never contains.
_ASKED_FOR = frozenset(
    "aes amx-avx512 amx-bf16 amx-complex amx-fp16 amx-fp8 amx-int8 amx-movrs amx-tf32 amx-tile"
    " avx512vp2intersect cldemote clflushopt clwb clzero cmpccxadd enqcmd fsgsbase fxsr hreset"
    " invpcid kl lwp movdir64b movdiri movrs mwaitx pclmul pconfig pku prefetchi prfchw ptwrite"
    " raoint rdpid rdpru rdrnd rdseed rtm serialize sgx sha sha512 shstk sm3 sm4 tsxldtrk uintr"
    " usermsr vaes vpclmulqdq waitpkg wbnoinvd widekl xsave xsavec xsaveopt xsaves".split()
)


@cache
def checked(name: str, features: str) -> Cpu:
    """Check a processor that a user names, with features as LLVM writes them.

    Raises SettingError for a processor or a feature that LLVM does not know here.
    """
    name = "" if name.lower() == HOST_NAME else name
    changes = [word.strip() for word in features.split(",") if word.strip()]
    for feature in changes:
        _check_feature(feature)
    if name and name not in (*USUAL, host()[1].name):
        trial.check_processor(name, USUAL)
    return Cpu(name, ",".join(changes))


def _check_feature(feature: str) -> None:
    of_host = _features_of_host()
    known = [*of_host, *(_WIDTHS if _IS_X86 else ())]
    sign, name = feature[:1], feature[1:]
    if sign not in ("+", "-"):
        raise SettingError(
            f"CUTAWAY_CPU_FEATURES: {feature!r} begins with neither + nor -",
            hint="features are written as LLVM does, with commas between: +avx2,-fma",
        )
    if of_host and name not in known:  # if LLVM lists none, any is accepted
        raise SettingError(
            f"CUTAWAY_CPU_FEATURES: LLVM knows no feature {name!r} of such processors",
            hint=did_you_mean(name, known, f"this one has {_listed(_useful_here())}"),
        )
    if sign == "-" and name in _NEEDED:
        raise SettingError(
            f"CUTAWAY_CPU_FEATURES: code cannot be made without {name}", hint=f"leave {feature} out"
        )


def _features_of_host() -> dict[str, bool]:
    """Return the features that LLVM detects on such machines, and whether this one has them."""
    words = filter(None, host()[1].features.split(","))
    return {word[1:]: word.startswith("+") for word in words}


def _useful_here() -> list[str]:
    features = _features_of_host().items()
    return sorted(name for name, has in features if has and name not in _ASKED_FOR | _NEEDED)


# --- compatibility with this machine ------------------------------------------------------------


@cache
def missing(cpu: Cpu) -> tuple[str, ...]:
    """Return the features that code for a processor may use and that this machine lacks."""
    if cpu == HOST:
        return ()
    lacking = [name for name, has in _features_of_host().items() if not has]
    return tuple(sorted(_uses(cpu, [name for name in lacking if name not in _ASKED_FOR])))


def _uses(cpu: Cpu, features: list[str]) -> list[str]:
    """Return those of these features that a processor has.

    LLVM has no query for that; but it inlines a function that requires a feature only into one that
    has it.
    """
    whole = cpu.whole(host()[1])
    text = [_attributes(0, whole.name, whole.features)]
    for k, name in enumerate(features, 1):
        text += [_attributes(k, "generic", f"+{name}"), _PAIR.format(k=k)]
    module = Module("\n".join(text))
    module.optimize(Plan(cpu=cpu))
    calling = {int(k) for k in _CALLING.findall(module.text)}
    return [name for k, name in enumerate(features, 1) if k not in calling]


_PAIR = """
define i32 @wanting{k}(i32 %x) #{k} {{
  %y = add i32 %x, 7
  ret i32 %y
}}
define i32 @having{k}(i32 %x) #0 {{
  %y = call i32 @wanting{k}(i32 %x)
  ret i32 %y
}}"""
_CALLING = Pattern(r"call i32 @wanting(\d+)\(")


def _attributes(number: int, name: str, features: str) -> str:
    return f'attributes #{number} = {{ "target-cpu"="{name}" "target-features"="{features}" }}'


def check_runs_here(cpu: Cpu) -> None:
    """Raise SettingError if code for a processor could crash on this machine."""
    lacking = missing(cpu)
    if lacking:
        raise SettingError(
            f"code for {cpu} cannot run on this machine, which has no {_listed(lacking)}",
            hint="it can be compiled and looked at; to run it, choose another CUTAWAY_CPU",
        )


def _listed(names: Iterable[str], most: int = 6) -> str:
    first, rest = list(names)[:most], list(names)[most:]
    return ", ".join(first) + (f" and {len(rest)} more" if rest else "")
