"""The runtime functions on a GPU: LLVM text, from which a module takes the functions it needs.

References are not counted, as nothing is allocated.  C's math functions are those of libdevice,
which come with the toolkit and are linked when the module is optimized.
"""

from __future__ import annotations

from cutaway.targets.ptx import libdevice, mathematics
from cutaway.targets.target import Definition


def _uncounted(name: str) -> Definition:
    return Definition(f"define internal void @{name}(ptr %owner) alwaysinline {{\n  ret void\n}}\n")


# The record of an exception: cutaway_error is its address, which the host sets (driver_c).
_RAISE = """\
@cutaway_error = addrspace(1) externally_initialized global i64 0, align 8
define internal void @cutaway_raise(i32 %site, i64 %a, i64 %b, i64 %c, i64 %d) noinline cold {
  %address = load i64, ptr addrspace(1) @cutaway_error, align 8
  %unheard = icmp eq i64 %address, 0
  br i1 %unheard, label %done, label %try
try:
  %record = inttoptr i64 %address to ptr
  %pair = cmpxchg ptr %record, i32 0, i32 1 monotonic monotonic
  %first = extractvalue { i32, i1 } %pair, 1
  br i1 %first, label %write, label %done
write:
{stores}
  call void @llvm.nvvm.membar.sys()
  br label %done
done:
  ret void
}
"""
_PLACES = [f"{of}.{axis}" for of in ("ctaid", "tid") for axis in "xyz"]


def _raising() -> Definition:
    """Define the function that writes an exception's record: taken, site, block, thread (i32), four
    integers (i64)."""
    lines: list[str] = []

    def store(kind: str, value: str, offset: int) -> None:
        place = f"%place.{offset}"
        lines.append(f"  {place} = getelementptr i8, ptr %record, i64 {offset}")
        lines.append(f"  store {kind} {value}, ptr {place}, align {int(kind[1:]) // 8}")

    store("i32", "%site", 4)
    declarations = {"llvm.nvvm.membar.sys": "declare void @llvm.nvvm.membar.sys()"}
    for number, place in enumerate(_PLACES):
        register = f"llvm.nvvm.read.ptx.sreg.{place}"
        declarations[register] = f"declare i32 @{register}()"
        lines.append(f"  %{place} = call i32 @{register}()")
        store("i32", f"%{place}", 8 + 4 * number)
    for number, word in enumerate("abcd"):
        store("i64", f"%{word}", 32 + 8 * number)
    return Definition(_RAISE.replace("{stores}", "\n".join(lines)), declarations)


_DEFINED = {
    "cutaway_incref": _uncounted("cutaway_incref"),
    "cutaway_decref": _uncounted("cutaway_decref"),
    "cutaway_raise": _raising(),
}


def definition(name: str, machine: str, fast: bool = False) -> Definition | None:
    """Return a runtime function, one of C's or of libdevice; None for one that a GPU does not have.

    `machine` is the kind of GPU, `sm_80`.  `fast` ones are less exact.
    """
    known = _DEFINED.get(name) or mathematics.definition(name, fast)
    return known or libdevice.definition(name, libdevice.answers(machine, fast))
