"""Two ops with a region, which the compiler does not know: of each the class, and a row in each of
the three tables that give ops their meaning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cutaway.ir.effects import NOTHING
from cutaway.ir.interpreter import EXECUTED
from cutaway.ir.nodes import OPS, Body, Def, Op, Use, op
from cutaway.lowering.ops import LOWERED
from cutaway.lowering.regions import counted_loop
from cutaway.typing import types
from cutaway.typing.inference.constraints import TYPED


@op
class Repeat(Op):
    """Run the body `count` times."""

    count: Use
    body: Body
    TEXT = "repeat({count})"
    EFFECT = NOTHING


@op
class Carry(Op):
    """Run the body `count` times, and carry a value from each run to the next."""

    result: Def
    count: Use
    body: Body
    TEXT = "{result} = carry({count})"
    EFFECT = NOTHING


def run_repeat(run, op):
    for k in range(run.value(op.count)):
        run.region(op, op.body, (k,))


def run_carry(run, op):
    held = run.begin(op.body)
    for k in range(run.value(op.count)):
        held = run.region(op, op.body, (k,), held)
    run.set(op, op.result, *held)


def type_carry(inference, op):
    (ty,) = inference.carried(op, op.body)
    return ty, types.int64, ty


def lower_repeat(into, op):
    counted_loop(into, op.body, into.values[op.count].parts[0])


def lower_carry(into, op):
    (into.values[op.result],) = counted_loop(into, op.body, into.values[op.count].parts[0])


ROWS = {
    Repeat: (run_repeat, lambda inference, op: (types.int64,), lower_repeat),
    Carry: (run_carry, type_carry, lower_carry),
}
for made in ROWS:
    del OPS[made.__name__]  # known to the tests of this file alone


@contextmanager
def known() -> Iterator[None]:
    """The ops are known to the compiler."""
    for cls, rows in ROWS.items():
        OPS[cls.__name__] = cls
        for table, row in zip((EXECUTED, TYPED, LOWERED), rows, strict=True):
            table[cls] = row
    yield
    for cls in ROWS:
        del OPS[cls.__name__], EXECUTED[cls], TYPED[cls], LOWERED[cls]
