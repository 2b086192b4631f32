"""What is known of each type, and of each pair of them, as tables of text in `tables/`.

`CUTAWAY_BLESS=1` writes them anew; then the diff is read.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from typing_samples import TYPES, value_of

import cutaway.lowering.ops
from cutaway.errors import CutawayError
from cutaway.foundation import loading
from cutaway.foundation.options import Flags
from cutaway.inspection.witness.execution import sample_arguments
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.layout import descriptor, owner_positions, part_types, slot_parts, slot_types
from cutaway.typing import types
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.inference.literals import BooleanLiteral, IntegerLiteral
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.types.primitives import Unknown
from cutaway.typing.types.structure import leaves, passable
from cutaway.typing.values.coercion import coerce

TABLES = Path(__file__).parent / "tables"
loading.run(cutaway.lowering.ops)  # it registers casts
# A variable is never of the type of one number: inference asks for the plain one.
UNITED = [ty for ty in TYPES if not isinstance(ty, IntegerLiteral | BooleanLiteral)]


def answer(asked, *args) -> str:
    """What a function says, an error among it: of Python's the class, as its words change."""
    try:
        return str(asked(*args))
    except CutawayError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    except Exception as error:  # of whatever class: it is what the table shows
        return type(error).__name__


def structure() -> list[str]:
    lines = []
    for ty in TYPES:
        lines.append(str(ty))
        lines.append(f"    parts {answer(lambda ty=ty: ' '.join(part_types(ty)))}")
        lines.append(f"    slots {answer(lambda ty=ty: slots_of(ty))}")
        lines.append(f"    owners {owner_positions(ty)}, holds memory {holds_memory(ty)}")
    return lines


def slots_of(ty) -> str:
    value = value_of(ty, len(part_types(ty)))
    pairs = zip(slot_types(ty), slot_parts(value), strict=True)
    narrow = [f"{kind}{' signed' * (s and kind != 'i64')}={part}" for (kind, s), part in pairs]
    return " ".join(narrow)


def crossing() -> list[str]:
    lines = []
    for ty in TYPES:
        constants: list[object] = []
        text = answer(lambda ty=ty, held=constants: descriptor(ty, held).decode("latin-1"))
        lines.append(f"{ty}: {text!r} {[type(one).__name__ for one in constants]}")
    return lines


def facts() -> list[str]:
    lines = []
    for ty in TYPES:
        lines.append(str(ty))
        lines.append(f"    class {ty.value_class}, passable {passable(ty)}, none {ty.is_none}")
        lines.append(
            f"    leaves {ty.can_leave} as {ty.returned()}, written {ty.can_be_written},"
            f" optional {ty.may_be_none}"
        )
        lines.append(f"    sample {answer(described, type(ty).sample, ty)}")
        lines.append(f"    arguments {answer(sample_arguments, (ty,))}")
        lines.append(f"    coerced {answer(coerced, ty)}")
        lines.append(f"    iterator {ty.iterator()}")
    return lines


def described(asked, ty) -> str:
    value = asked(ty)
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    return type(value).__name__ if "0x" in repr(value) else repr(value)


def coerced(ty) -> list[str]:
    given = (True, 300, -1, 2.7, 1e300 * 1j, (1, 2), (300, 2), None, "a")
    return [answer(described, lambda ty, value=value: coerce(ty, value), ty) for value in given]


def conversions() -> list[str]:
    lines = []
    for source in TYPES:
        for wanted in TYPES:
            kind = conversion(source, wanted)
            if kind is not Conversion.NONE and source is not wanted:
                lines.append(f"{source} -> {wanted}: {kind.name.lower()}")
    return lines


def unions() -> list[str]:
    return [
        f"{first} | {second}: {unify(first, second)}"
        for first in UNITED
        for second in UNITED
        if first is not second and unify(first, second) is not None
    ]


def casts() -> list[str]:
    lines = []
    for source in TYPES:
        for wanted in TYPES:
            if source is not wanted and is_cast(source, wanted):
                lines.append(f"{source} -> {wanted}: {answer(cast, source, wanted)}")
    return lines


def is_cast(source, wanted) -> bool:
    """Whether values are converted so: where they can, or by a cast that is asked for by name."""
    dated = types.DateTime | types.TimeDelta
    counted = (source, wanted) if isinstance(source, dated) else (wanted, source)
    if isinstance(counted[0], dated) and counted[1] is types.int64:
        return True
    if isinstance(source, types.Omitted | IntegerLiteral | BooleanLiteral):
        return False  # a constant of the wanted type takes the place of such a value
    return conversion(source, wanted) is not Conversion.NONE


def cast(source, wanted) -> str:
    """What a cast emits, as a digest, and the parts of its result."""
    build = FunctionBuilder("cast", "cast", Flags(), RaiseTable("cast"))
    exceptions = SimpleNamespace(raise_site=lambda build, site, payload: None)
    target = SimpleNamespace(hosted=True, exceptions=exceptions)
    build.links = SimpleNamespace(implemented=lambda build, name, args: None, target=target)
    build.start("entry")
    found = build.cast(value_of(source, len(part_types(source))), wanted)
    lines = "\n".join([*(line.text for line in build.code.lines), *build.code.globals.values()])
    return f"{hashlib.sha256(lines.encode()).hexdigest()[:8]} ({', '.join(found.parts)})"


MADE = {f.__name__: f for f in (structure, crossing, facts, conversions, unions, casts)}


@pytest.mark.parametrize("name", MADE)
def test_a_table_of_types_says_what_it_said(name):
    path, text = TABLES / f"{name}.txt", "\n".join([*MADE[name](), ""])
    if os.environ.get("CUTAWAY_BLESS"):
        path.write_text(text)
    assert path.read_text().splitlines() == text.splitlines(), "CUTAWAY_BLESS=1 writes it anew"


def test_unions_do_not_depend_on_the_order():
    for first in UNITED:
        for second in UNITED:
            assert unify(first, second) is unify(second, first), (first, second)


def test_a_union_takes_both_types_or_says_that_there_is_none():
    for first in UNITED:
        for second in UNITED:
            union = unify(first, second)
            if union is not None:
                assert unify(first, union) is union, (first, second)
                assert unify(second, union) is union, (first, second)


def test_a_type_of_a_user_may_have_attributes_of_any_name():
    class Mine(types.Type):
        def __init__(self):
            super().__init__(name="Mine")
            self.members = ("a", "b")

        value_class = dict

    ty = Mine()
    assert leaves(ty) == (Unknown(ty),) and ty.can_leave and not ty.inner_types
    assert coerce(ty, {}) == {}
