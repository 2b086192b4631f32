"""Module-level constructs: variables with their names, values and memory, and function headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.foundation.dataclass import replace
from cutaway.foundation.patterns import Pattern
from cutaway.targets.ptx import selectable
from cutaway.targets.ptx.refusals import NAME, QUOTED, Refusal, size_of, unknown

_GLOBAL = Pattern(rf"\n(@({NAME}) = (.*))")
_VARIABLE = Pattern(
    r"(?:(private|internal|external|common|weak|weak_odr|linkonce|linkonce_odr|appending"
    r"|extern_weak|available_externally) )?(?:dso_local )?(?:hidden |protected )?(.*?)"
    r"(?:addrspace\((\d+)\) )?(?:externally_initialized )?(global|constant) (.*)"
)
_MARKS = frozenset(("", "unnamed_addr ", "local_unnamed_addr "))
_FINE_NAME = Pattern(r"(?!WARP_SZ$)(?:[A-Za-z][\w$]*|[_$][\w$]+)", re.ASCII)
_OWN_NAME = Pattern(r"(?!WARP_SZ$)(?:[A-Za-z]|[_$][^_$]|[._$]{2}).*", re.ASCII | re.DOTALL)
_HIDDEN = ("private", "internal")
_VALUES = Pattern(r"^(?:half|bfloat) (?!zeroinitializer)")
_ODD_INTEGER = Pattern(r"i(\d+) ")


def variables(text: str) -> Iterator[Refusal]:
    """Yield the refusals of the variables of a module."""
    taken = dict.fromkeys(_ROOM, 0)
    for found in _GLOBAL.finditer(text):
        line, name, words = found.groups()
        refusal = _variable(name.strip('"'), words)
        if refusal is not None:
            yield replace(refusal, line=line)
        parts = _VARIABLE.match(words)
        space = int(parts[3] or 0) if parts else 0
        if space in taken:
            taken[space] += size_of(_TYPE.match(parts[5])[0])
            refusal = _room(space, taken[space])
            if refusal is not None:
                yield replace(refusal, line=line)


_TYPE = Pattern(r"(?:\[\d+ x )*\w*\]*")


def _room(space: int, nbytes: int) -> Refusal | None:
    """Check the size of shared or constant memory."""
    what, most, hint = _ROOM[space]
    if nbytes <= most:
        return None
    return Refusal(f"the {what} arrays take {nbytes} bytes, and there are {most}", hint)


_ROOM = {
    selectable.SHARED: (
        "shared",
        selectable.MOST_SHARED,
        "take shape 0, and say the size at the launch: kernel[blocks, threads, stream, bytes]",
    ),
    selectable.CONSTANT: (
        "constant",
        selectable.MOST_CONSTANT,
        "pass a large array as an argument",
    ),
}


def _variable(name: str, text: str) -> Refusal | None:
    if text.startswith(("alias ", "ifunc ")) or " alias " in text.partition("@")[0]:
        return Refusal(
            f"another name for a function, {name}, cannot be in code for a GPU",
            "call the function by its own name",
        )
    found = _VARIABLE.match(text)
    if found is None or name.startswith("llvm."):
        return unknown(name)
    linkage, marks, space, _, rest = found.groups()
    if "thread_local" in marks:
        return Refusal(
            f"{name} is a variable of one thread, which a GPU does not have", "use cuda.local.array"
        )
    if marks not in _MARKS or (linkage or "external") not in (*_HIDDEN, "external"):
        return unknown(name)
    pattern = _OWN_NAME if linkage in _HIDDEN else _FINE_NAME
    if linkage == "external" and f"@{name}" not in rest and space is None:
        return None  # nothing is emitted if nothing refers to it
    if not pattern.fullmatch(name):
        return _misnamed(name)
    return _initial(name, int(space or 0), rest)


def _misnamed(name: str) -> Refusal:
    return Refusal(
        f"PTX has no name {name!r}", "names begin with a letter, and have letters, digits, _ and $"
    )


def _initial(name: str, space: int, rest: str) -> Refusal | None:
    """Check the initial value of a variable: `rest` is its type and value in LLVM."""
    integer = _ODD_INTEGER.match(rest)
    odd = integer is not None and int(integer[1]) not in (1, 8, 16, 32, 64, 128)
    if odd or _VALUES.match(rest):
        return Refusal(
            f"{name} is a variable of LLVM's type {rest.partition(' ')[0]}",
            "make it an array of one element",
        )
    if space == selectable.LOCAL:
        return Refusal(f"{name} is a variable in the memory of one thread", "use cuda.local.array")
    if space == selectable.SHARED and " undef" not in rest and "poison" not in rest:
        if not rest.startswith("[0 x "):
            return Refusal(
                f"{name} is shared memory with a value at the beginning",
                "write the values in the kernel, and wait with cuda.syncthreads()",
            )
    if "@" in rest or ("<{" in rest and "ptr" in rest):
        return unknown(name)
    return None


# --- headers of functions -----------------------------------------------------------------------

DEFINED = Pattern(rf"\n(define [^@\n]*@({NAME})\(.*)")


def headers(text: str) -> Iterator[Refusal]:
    """Yield the refusals of function headers."""
    for line, name in DEFINED.findall(text):
        refusal = _header(name.strip('"'), line)
        if refusal is None and " ptx_kernel " in line and text.count(f"@{name}(") > 1:
            refusal = _called_kernel(name, text)
        if refusal is not None:
            yield refusal if refusal.line else replace(refusal, line=line)


_KINDS = Pattern(
    r"define (?:(?:internal|private|dso_local|noundef|hidden|protected|linkonce_odr|weak_odr|weak"
    r"|linkonce|available_externally) )*(ptx_kernel |ptx_device |fastcc |coldcc )?"
    r"(.*?)@"
)
_ODD_HEADER = Pattern(r"\) .*\b(?:naked|gc|prefix|prologue|personality|presplitcoroutine|comdat)\b")


def _called_kernel(name: str, text: str) -> Refusal:
    found = re.search(rf"^  .*call .*@{re.escape(name)}\(.*$", text, re.MULTILINE)
    plain = name.strip('"')
    return Refusal(
        f"{plain} is a kernel, which code for a GPU cannot call",
        "make it a device function: @cuda.jit(device=True)",
        found[0] if found else "",
    )


def _header(name: str, text: str) -> Refusal | None:
    """Check the first line of a function."""
    plain = QUOTED.sub('""', text)
    kind = _KINDS.match(plain)
    if kind is None or _ODD_HEADER.search(plain) or "{}" in plain:
        return unknown(text)
    wide = [int(width) for width in _INTEGER.findall(plain) if int(width) > 64]
    if any(width != 128 for width in wide):
        return Refusal(f"an integer of {wide[0]} bits cannot be passed on a GPU", "pass two")
    hidden = plain.startswith(("define internal", "define private"))
    if not (_OWN_NAME if hidden else _FINE_NAME).fullmatch(name):
        return _misnamed(name)
    if kind[1] == "ptx_kernel ":
        if kind[2] != "void ":
            return Refusal("a kernel returns nothing", "write results into an array")
        return _parameters(name, text)
    return None


_INTEGER = Pattern(r"\bi(\d+)\b")
_PARAMETER = Pattern(r"(?:^|, )(ptr|i\d+|double|float|half|bfloat)\b")


def _parameters(name: str, text: str) -> Refusal | None:
    """Check that the parameters of a kernel fit in a launch."""
    inner = QUOTED.sub("", text).partition("(")[2]
    nbytes = 0
    for found in _PARAMETER.finditer(inner):
        size = size_of(found[1])
        nbytes = -(-nbytes // size) * size + size
    if nbytes <= selectable.MOST_PARAMETERS:
        return None
    return Refusal(
        f"the arguments of {name} take {nbytes} bytes, and a launch passes at most"
        f" {selectable.MOST_PARAMETERS}",
        "pass fewer of them, or an array with their values",
    )
