"""Wrong passes of stage 5b: what each does wrong is done behind the real pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cutaway import prange
from cutaway.ir import nodes
from cutaway.ir.nodes import Op, replace
from cutaway.ir.traversal import change_blocks, rename_uses
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.values.typeof import typeof_constant
from witness.faults import fault

A = np.arange(1.0, 9.0)
B = np.array([3.0, 0.5, 4.0, 1.5, 9.0, 2.5, 6.0, 5.0])
T = np.arange(1.0, 13.0).reshape(3, 4)
L = np.array([2.0, 0.5, 4.0, 1.0])


def sums(a):
    s = 1.0
    for i in prange(len(a)):
        s += a[i]
    return s


def scaled(a, b):
    for i in prange(1, len(a), 2):
        b[i] = a[i] * 2.0


def inlined(a):
    def twice(x):
        return x * 2.0

    b = twice(a)
    return b + 1.0


def methods(a, b):
    return a.max() - b.min()


def table(a, b):
    return a - b


def total(a, b):
    return (a * b).sum()


def mean(a):
    return a.mean()


def greatest(a):
    return a.max()


def rows(a):
    return a.sum(axis=1)


def ones(a):
    return np.ones(len(a)) + a


def shifted(a):
    a[1:] = a[:-1] * 2.0
    return a


def assigned(a, b):
    a[2:] = b[2:]
    return a


def used_twice(a, b):
    t = a * b
    return t + 1.0, t - 1.0, t.sum()


def sines(a, b):
    assert len(a) == len(b)
    two, three = 2.0, 3.0
    for i in prange(len(a)):
        b[i] = a[i] * two + three
    return b


WAITING: list[Op] = []  # constants for the entry, which is being gone through

Mutation = Callable[[CompileUnit], None]


def changed(cls: type[Op], number: int = 0, **fields: Any) -> Mutation:
    """Give the op of a class, the one with this number, other fields, in regions too; a field may
    be a function of the op, and of the unit."""

    def change(unit: CompileUnit) -> None:
        seen, wanted = [0], place(unit, cls, number)

        def one(ops: Iterable[Op]) -> list[Op]:
            result = []
            for op in ops:
                if isinstance(op, cls):
                    if seen[0] == wanted:
                        new = {k: v(op, unit) if callable(v) else v for k, v in fields.items()}
                        op = replace(op, **new)
                    seen[0] += 1
                result.append(op)
            return result

        WAITING.clear()
        change_blocks(unit.fn.blocks.values(), one)
        position = sum(isinstance(op, nodes.Arg) for op in unit.fn.entry.ops)
        unit.fn.entry.ops[position:position] = WAITING
        assert seen[0] > wanted, f"no {cls.__name__} {number}\n{unit.fn}"

    return change


def place(unit: CompileUnit, cls: type[Op], number: int) -> int:
    """The number of an op, those from the end on included."""
    ops = [op for block in unit.fn.blocks.values() for op in inner(block.ops)]
    return number if number >= 0 else sum(isinstance(op, cls) for op in ops) + number


def without(cls: type[Op], number: int = 0) -> Mutation:
    """Take out an op."""

    def change(unit: CompileUnit) -> None:
        seen = [0]

        def one(ops: Iterable[Op]) -> list[Op]:
            result = []
            for op in ops:
                if isinstance(op, cls):
                    seen[0] += 1
                    if seen[0] - 1 == number:
                        continue
                result.append(op)
            return result

        change_blocks(unit.fn.blocks.values(), one)
        assert seen[0] > number

    return change


def constant(value: Any, ty: Any = types.int64) -> Callable[[Op, CompileUnit], str]:
    """A new constant at the entry."""

    def name(op: Op, unit: CompileUnit) -> str:
        result = unit.fn.fresh("wrong")
        unit.types[result] = ty
        WAITING.append(nodes.Const(result, value, loc=op.loc, id=unit.fn.new_id()))
        return result

    return name


def each(field: str, value: Callable[[Op, CompileUnit], str]) -> Callable[..., tuple[str, ...]]:
    """One variable for each that a field has."""
    return lambda op, unit: (value(op, unit),) * len(getattr(op, field))


def turned(field: str) -> Callable[..., tuple[str, ...]]:
    """What a field has, in the opposite order."""
    return lambda op, unit: getattr(op, field)[::-1]


def arg(number: int) -> Callable[..., str]:
    """The parameter with a number."""
    return lambda op, unit: unit.fn.params[number]


def with_function(wrong: Any) -> Mutation:
    """Let the first function of NumPy's be another."""

    def change(unit: CompileUnit) -> None:
        for block in unit.fn.blocks.values():
            for position, op in enumerate(block.ops):
                if isinstance(op, nodes.Global) and op.name.startswith("np."):
                    block.ops[position] = replace(op, value=wrong)
                    unit.types[op.result] = typeof_constant(wrong)
                    calls = [one for one in block.ops if isinstance(one, nodes.Call)]
                    unit.resolve(calls)
                    return

    return change


def exchanged(one: int, other: int, cls: type[Op]) -> Mutation:
    """Let the users of the results of two ops use that of the other."""

    def change(unit: CompileUnit) -> None:
        found = [op for block in unit.fn.blocks.values() for op in inner(block.ops)]
        names = [op.result for op in found if isinstance(op, cls)]
        table = {names[one]: names[other], names[other]: names[one]}
        for block in unit.fn.blocks.values():  # in regions too, each of which is seen once
            block.ops[:] = [rename_uses(op, lambda name: table.get(name, name)) for op in block.ops]

    return change


def inner(ops: Iterable[Op]) -> Iterable[Op]:
    for op in ops:
        yield op
        for name in op.REGIONS:
            for block in getattr(op, name).blocks:
                yield from inner(block.ops)


ZERO, ONE, TWO = (constant(value) for value in range(3))
ELEMENT, LOAD, STORE, PARFOR = nodes.Element, nodes.Load, nodes.Store, nodes.Parfor

# The pass, what is wrong, the function with its arguments, and the change.
ROWS: tuple[tuple[str, str, Callable[..., Any], tuple[Any, ...], Mutation], ...] = (
    ("simplify_cfg", "loses_an_op", inlined, (A,), changed(nodes.Const, 0, value=3.0)),
    ("simplify_cfg", "adds_what_it_merged_twice", inlined, (A,), changed(nodes.Const, 1, value=2)),
    ("simplify_cfg", "takes_another_operand", inlined, (A,), changed(nodes.Binary, 1, lhs=arg(0))),
    ("canonicalize_methods", "takes_the_least", methods, (A, B), with_function(np.min)),
    (
        *("canonicalize_methods", "takes_the_other_array", methods, (A, B)),
        changed(nodes.Call, 0, args=lambda op, unit: (unit.fn.params[1],)),
    ),
    (
        *("canonicalize_methods", "takes_one_array_for_both", methods, (A, B)),
        changed(nodes.Call, 1, args=lambda op, unit: (unit.fn.params[0],)),
    ),
    ("prange_to_parfor", "multiplies", sums, (A,), changed(PARFOR, operators=("multiply",))),
    ("prange_to_parfor", "begins_at_one", sums, (A,), changed(PARFOR, starts=each("starts", ONE))),
    ("prange_to_parfor", "goes_in_twos", sums, (A,), changed(PARFOR, steps=each("steps", TWO))),
    ("prange_to_parfor", "goes_in_ones", scaled, (A, B), changed(PARFOR, steps=each("steps", ONE))),
    (
        *("prange_to_parfor", "begins_anew", scaled, (A, B)),
        changed(PARFOR, starts=each("starts", ZERO)),
    ),
    ("prange_to_parfor", "stores_nothing", scaled, (A, B), without(nodes.SetItem)),
    ("numpy_to_parfor", "adds", table, (T, L), changed(ELEMENT, function="add")),
    ("numpy_to_parfor", "turns_the_sides", table, (T, L), changed(ELEMENT, args=turned("args"))),
    (
        "numpy_to_parfor",
        "turns_the_table",
        table,
        (T, T),
        changed(LOAD, 0, indices=turned("indices")),
    ),
    (
        "numpy_to_parfor",
        "reads_one_array_twice",
        table,
        (T, T + 1.0),
        changed(LOAD, 1, array=arg(0)),
    ),
    (
        "numpy_to_parfor",
        "leaves_out_the_first",
        table,
        (T, L),
        changed(PARFOR, starts=each("starts", ONE)),
    ),
    (
        "numpy_to_parfor",
        "leaves_out_every_second",
        table,
        (T, L),
        changed(PARFOR, steps=each("steps", TWO)),
    ),
    ("numpy_to_parfor", "stores_nothing", table, (T, L), without(STORE)),
    (
        "numpy_to_parfor",
        "makes_whole_numbers",
        table,
        (T, L),
        changed(nodes.NewArray, dtype="int64"),
    ),
    (
        "numpy_to_parfor",
        "multiplies_the_parts",
        total,
        (A, B),
        changed(PARFOR, operators=("multiply",)),
    ),
    (
        *("numpy_to_parfor", "begins_with_one", total, (A, B)),
        changed(nodes.Const, value=lambda op, unit: 1.0 if op.value == 0.0 else op.value),
    ),
    (
        "numpy_to_parfor",
        "subtracts_the_parts",
        total,
        (A, B),
        changed(ELEMENT, 1, function="subtract"),
    ),
    (
        "numpy_to_parfor",
        "multiplies_by_the_count",
        mean,
        (A,),
        changed(ELEMENT, 2, function="multiply"),
    ),
    (
        "numpy_to_parfor",
        "takes_the_least_of_all",
        greatest,
        (A,),
        changed(ELEMENT, function="minimum"),
    ),
    (
        *("numpy_to_parfor", "does_not_ask_for_an_element", greatest, (A[:0],)),
        without(nodes.RequireElements),
    ),
    (
        "numpy_to_parfor",
        "reduces_by_another_function",
        rows,
        (T,),
        changed(nodes.ArrayReduce, function="max"),
    ),
    (
        "numpy_to_parfor",
        "reduces_columns",
        rows,
        (np.ones((3, 3)) * A[:3],),
        changed(nodes.Line, axis=0),
    ),
    (
        "numpy_to_parfor",
        "fills_with_another_number",
        ones,
        (A,),
        changed(STORE, value=constant(0.5, types.float64)),
    ),
    (
        "setitem_to_parfor",
        "reads_what_it_writes",
        shifted,
        (A,),
        changed(LOAD, array=lambda op, unit: apart_of(unit)),
    ),
    (
        "setitem_to_parfor",
        "stores_in_another_array",
        assigned,
        (A, B),
        changed(STORE, target=arg(0)),
    ),
    ("setitem_to_parfor", "stores_nothing", assigned, (A, B), without(STORE)),
    ("setitem_to_parfor", "takes_the_whole", assigned, (A, B), changed(LOAD, array=arg(1))),
    (
        "setitem_to_parfor",
        "multiplies_by_itself",
        shifted,
        (A,),
        changed(ELEMENT, args=lambda op, unit: (op.args[0],) * 2),
    ),
    (
        *("array_analysis", "does_not_compare", table, (A, B[:7])),
        changed(nodes.SizesOf, args=lambda op, unit: op.args[:1], texts=("a",)),
    ),
    (
        *("array_analysis", "forgets_an_axis", table, (T[:1], T)),
        changed(nodes.SizesOf, args=lambda op, unit: op.args[:1], texts=("a",)),
    ),
    (
        "array_analysis",
        "takes_the_other_sizes",
        table,
        (L, T),
        changed(nodes.SizesOf, results=turned("results")),
    ),
    (
        "fuse_parfors",
        "hands_on_the_operand",
        used_twice,
        (A, B),
        changed(ELEMENT, 1, args=lambda op, unit: ("$a.0", op.args[1])),
    ),
    (
        "fuse_parfors",
        "exchanges_results",
        used_twice,
        (A, B),
        changed(nodes.BuildTuple, items=lambda op, unit: (op.items[1], op.items[0], op.items[2])),
    ),
    ("fuse_parfors", "loses_a_store", used_twice, (A, B), without(STORE, 1)),
    (
        "fuse_parfors",
        "multiplies_the_parts",
        used_twice,
        (A, B),
        changed(PARFOR, operators=("multiply",)),
    ),
    (
        "fuse_parfors",
        "leaves_out_the_first",
        used_twice,
        (A, B),
        changed(PARFOR, starts=each("starts", ONE)),
    ),
    ("simplify_parfors", "takes_out_a_store", used_twice, (A, B), without(STORE)),
    (
        "simplify_parfors",
        "shares_another_constant",
        used_twice,
        (A, B),
        changed(nodes.Const, 2, value=7.0),
    ),
    (
        "simplify_parfors",
        "goes_in_twos",
        used_twice,
        (A, B),
        changed(PARFOR, steps=each("steps", TWO)),
    ),
    ("push_constants", "exchanges_constants", sines, (A, B), exchanged(-1, -2, nodes.Const)),
    ("push_constants", "rounds_a_constant", sines, (A, B), changed(nodes.Const, -1, value=2.5)),
)


def apart_of(unit: CompileUnit) -> str:
    """What the first op that keeps arrays apart reads."""
    ops = (op for block in unit.fn.blocks.values() for op in block.ops)
    name: str = next(op.value for op in ops if isinstance(op, nodes.Apart))
    return name


for _pass, _name, _function, _arguments, _change in ROWS:

    def _sabotage(unit: CompileUnit, change: Mutation = _change) -> None:
        change(unit)

    _sabotage.__name__ = f"it_{_name}"
    fault(_pass, _function, *_arguments, parallel=True)(_sabotage)
