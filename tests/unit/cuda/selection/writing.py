"""Modules of one kernel each, by which LLVM is asked what it selects: by name, the text in LLVM."""

from __future__ import annotations

from collections.abc import Sequence

MODULES: dict[str, str] = {}

_HEADER = "define ptx_kernel void @f(ptr %p, ptr %q, i64 %n) {\n"
_BITS = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
_WIDE = {"fp128": "f128", "x86_fp80": "f80", "ppc_fp128": "ppcf128"}


def kernel(name: str, body: str, outside: str = "") -> None:
    """A kernel with this body, which may read from %p, write to %q and use %n."""
    MODULES[name] = f"{outside}\n{_HEADER}{body}\n  ret void\n}}\n"


def operation(name: str, text: str, kind: str, result: str = "", count: int = 2) -> None:
    """A kernel that reads operands %a, %b, %c and writes the result."""
    lines = []
    for number, operand in enumerate("abc"[:count]):
        lines.append(f"  %p{operand} = getelementptr i8, ptr %p, i64 {64 * number}")
        lines.append(f"  %{operand} = load {kind}, ptr %p{operand}")
    lines += [f"  %r = {text}", f"  store {result or kind} %r, ptr %q"]
    kernel(name, "\n".join(lines))


Operand = str | tuple[str, str]  # a type, or a type and a constant


def intrinsic(name: str, result: str, operands: Sequence[Operand]) -> None:
    """A kernel that calls an intrinsic with values from memory, and constants."""
    kinds = [one if isinstance(one, str) else one[0] for one in operands]
    lines, given = [], []
    for number, one in enumerate(operands):
        if not isinstance(one, str):
            given.append(" ".join(one))
        elif one == "ptr":
            given.append("ptr %p")
        else:
            lines.append(f"  %g{number} = getelementptr i8, ptr %p, i64 {64 * number}")
            lines.append(f"  %a{number} = load {one}, ptr %g{number}")
            given.append(f"{one} %a{number}")
    call = f"call {result} @{name}({', '.join(given)})"
    lines += (
        [f"  {call}"] if result == "void" else [f"  %r = {call}", f"  store {result} %r, ptr %q"]
    )
    constants = "".join(f" {one[1]}" for one in operands if not isinstance(one, str))
    declaration = f"declare {result} @{name}({', '.join(kinds)})"
    kernel(f"intrinsic {name}{constants}", "\n".join(lines), declaration)


def suffix(kind: str) -> str:
    """A type as names of intrinsics have it: `v2f16`."""
    if kind.startswith("<"):
        return f"v{lanes(kind)}{suffix(element(kind))}"
    return {**_BITS, **_WIDE}.get(kind, kind)


def lanes(kind: str) -> int:
    """The number of elements of a vector."""
    return int(kind[1:].split(" x ")[0])


def element(kind: str) -> str:
    """The type of the elements of a vector."""
    return kind.split(" x ")[-1].rstrip(">")


def of_bits(kind: str) -> str:
    """The type of a comparison's result."""
    return "i1" if "<" not in kind else kind.replace(element(kind), "i1")
