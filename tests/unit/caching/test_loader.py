"""The runtime's loader of objects takes what is right, and survives everything else."""

from __future__ import annotations

import ctypes
import random
import struct

import pytest

from cutaway.runtime import load_object, made_up, symbols
from cutaway.targets.cpu.engine import Module, Plan
from engine.kernels import AXPY, LOOP, TOTAL

CALLER = """
@text = private unnamed_addr constant [3 x i8] c"ab\\00"
@far = external constant i8
@rows = private unnamed_addr constant [2 x ptr] [ptr @one, ptr @two]
declare double @sin(double)
define internal i64 @one() {
  ret i64 1
}
define internal i64 @two() {
  ret i64 2
}
define ptr @where(i64 %i) {
  %x = sitofp i64 %i to double
  %y = call double @sin(double %x)
  %big = fcmp ogt double %y, 2.0
  %p = select i1 %big, ptr @text, ptr @far
  ret ptr %p
}
define i64 @row(i64 %i) {
  %p = getelementptr ptr, ptr @rows, i64 %i
  %f = load ptr, ptr %p
  %r = call i64 %f()
  ret i64 %r
}
"""
KNOWN = {**symbols, **made_up}


def built(text: str) -> bytes:
    module = Module(text)
    module.optimize(Plan(speed=1, vectorize=False, slp=False))
    return module.object_code()


def test_code_constants_tables_and_addresses_from_outside_are_found():
    far = 0x123456789ABC
    memory, (where, row) = load_object(built(CALLER), ("where", "row"), {**KNOWN, "far": far})
    assert ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(where)(1) == far
    rows = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(row)
    assert [rows(0), rows(1)] == [1, 2]
    assert memory is not None


def test_memory_of_code_is_not_writable_and_goes_with_its_object():
    memory, (entry,) = load_object(built(LOOP), ("loop",), KNOWN)

    def mapped() -> list[str]:
        with open("/proc/self/maps") as file:
            return [line for line in file if _holds(line, entry)]

    assert mapped()[0].split()[1] == "r-xp"
    del memory
    assert not [line for line in mapped() if line.split()[1] == "r-xp"]


def _holds(line: str, address: int) -> bool:
    first, last = (int(text, 16) for text in line.split()[0].split("-"))
    return first <= address < last


def test_variables_are_refused():
    text = "@n = global i64 5\ndefine i64 @f() {\n  %x = load i64, ptr @n\n  ret i64 %x\n}\n"
    with pytest.raises(ValueError, match="variables"):
        load_object(built(text), ("f",), {})


def test_what_nobody_gave_is_named():
    with pytest.raises(ValueError, match="address of far"):
        load_object(built(CALLER), ("row",), KNOWN)


def test_arguments_of_other_types_are_refused():
    for arguments in ((b"", [], {}), (1, (), {}), (b"", (), []), (b"", ())):
        with pytest.raises(TypeError):
            load_object(*arguments)
    with pytest.raises((TypeError, ValueError, AttributeError)):
        load_object(built(LOOP), (1,), KNOWN)
    with pytest.raises(TypeError):
        load_object(built(CALLER), ("row",), {**KNOWN, "far": "here"})


@pytest.mark.parametrize("text", [LOOP, TOTAL, AXPY, CALLER], ids=["loop", "total", "axpy", "call"])
def test_an_object_cut_anywhere_is_refused_or_loads(text):
    good = built(text)
    for end in range(0, len(good), 3):
        try_to_load(good[:end])


@pytest.mark.parametrize("seed", range(4))
def test_damage_anywhere_is_refused_or_loads(seed):
    chance = random.Random(seed)  # noqa: S311  not for secrets
    objects = [built(text) for text in (LOOP, TOTAL, AXPY, CALLER)]
    for _ in range(1500):
        data = bytearray(chance.choice(objects))
        for _ in range(chance.randint(1, 8)):
            damage(data, chance)
        try_to_load(bytes(data))


def damage(data: bytearray, chance: random.Random) -> None:
    """Another byte, or a number where tables have theirs."""
    start = chance.choice((0, struct.unpack_from("<Q", data, 40)[0]))
    place = chance.randrange(len(data)) if chance.random() < 0.5 else start + chance.randrange(700)
    if place + 8 > len(data):
        return
    if chance.random() < 0.5:
        data[place] = chance.randrange(256)
    else:
        number = chance.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 8, len(data)))
        struct.pack_into("<Q", data, place // 8 * 8, number)


def try_to_load(data: bytes) -> None:
    """Load, and run nothing of it."""
    try:
        load_object(data, (), {**KNOWN, "far": 1})
    except (ValueError, MemoryError):
        pass
