"""A type is one class: one that is written here does what the built-in ones do."""

from __future__ import annotations

import gc
import pickle
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from pairs import Pair, Two

import warm
from cutaway import jit
from cutaway.dispatch_c import _dispatch
from cutaway.dispatch_c.reference_guards import match
from cutaway.errors import TypingError, UnsupportedError
from cutaway.inspection.witness.copies import arrays_in, fresh
from cutaway.lowering.layout import descriptor, owner_positions, part_types
from cutaway.typing import types
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.types import Optional, Tuple
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.values.typeof import typeof

pytestmark = pytest.mark.sampled(fast=6)

NUMBERS = Pair(types.int64, types.float64)
VECTOR = types.Array(types.float64, 1, "C")


@pytest.fixture
def swap():
    @jit
    def swap(pair):
        return Two(pair.second, pair.first)

    return swap


def test_its_values_have_it_for_a_type():
    assert typeof(Two(1, 2.5)) is NUMBERS
    assert typeof((Two(1, 2.5), 1)) is Tuple((NUMBERS, types.int64))
    assert typeof(Two(Two(1, 2), 2.5)).first is Pair(types.int64, types.int64)


def test_its_structure_derives_from_its_members():
    assert part_types(NUMBERS) == ("i64", "double")
    assert owner_positions(Pair(types.int64, VECTOR)) == (1,)
    assert part_types(Optional(Tuple((NUMBERS, types.boolean)))) == ("i1", "i64", "double", "i1")


def test_it_is_an_argument_and_a_result(swap):
    assert swap(Two(1, 2.5)) == Two(2.5, 1)
    assert swap(Two(Two(1, 2), True)) == Two(True, Two(1, 2))
    assert swap(Two(1, 2.5)) == Two(2.5, 1)
    assert swap.signatures == [(NUMBERS,), (Pair(Pair(types.int64, types.int64), types.boolean),)]


def test_calls_find_it_without_asking_python(swap):
    for number in range(3):
        swap(Two(number, 2.5))
        swap(Two(2.5, number))
    assert swap.stats.hits["resolution"] == 2


def test_it_is_a_member_of_tuples_and_may_be_none():
    @jit
    def first(given, otherwise):
        chosen = given[0] if given[1] else otherwise
        return (chosen, given[1])

    assert first((Two(1, 2), True), Two(3, 4)) == (Two(1, 2), True)
    assert first((Two(1, 2), False), None) == (None, False)


def test_its_memory_is_counted(swap):
    array = np.arange(3.0)
    before = sys.getrefcount(array)
    for _ in range(3):
        result = swap(Two(array, 1))
        assert result.second is array and result.first == 1
    del result
    gc.collect()
    assert sys.getrefcount(array) == before

    @jit
    def ones(count):
        return Two(np.ones(count), count)

    assert ones(3).first.tolist() == [1.0, 1.0, 1.0]


def test_members_are_held_while_a_call_runs():
    @jit(nogil=True)
    def total(pair):
        return pair.first.sum() + len(pair.second)

    assert total(Two(np.ones(10), b"abc")) == 13
    assert total(Two(np.ones(10), bytearray(b"abc"))) == 13
    data = bytearray(b"abc")
    assert total(Two(np.ones(10), data)) == 13
    data.append(1)  # nobody holds it any more


def test_what_does_not_fit_is_refused_or_compiled_anew(swap):
    swap(Two(1, 2.5))
    half = Two(1, 2.5)
    del half.second
    with pytest.raises(AttributeError):
        swap(half)

    class Other(Two):
        pass

    with pytest.raises(TypingError):
        swap(Other(1, 2))


def test_explicit_signatures_convert_its_members():
    @jit([(Pair(types.float64, types.float64),)])
    def total(pair):
        return pair.first + pair.second

    assert total(Two(1, 2)) == 3.0


def test_its_rules_for_pairs_are_those_of_its_class():
    wider = Pair(types.float64, types.float64)
    assert conversion(NUMBERS, Optional(NUMBERS)) is Conversion.PROMOTION
    assert unify(NUMBERS, types.none) is Optional(NUMBERS)
    assert conversion(NUMBERS, wider) is Conversion.SAFE and unify(NUMBERS, wider) is None


def test_the_guards_in_python_say_what_those_in_c_say():
    constants: list[object] = []
    text = descriptor(NUMBERS, constants)
    assert match((text,), tuple(constants), [Two(7, 0.0)]) == [7, 0]
    for wrong in ((7, 0.0), Two(7, 1), 7, None):
        assert match((text,), tuple(constants), [wrong]) is None


def test_it_is_written_in_signatures_and_read_back_from_the_text_of_the_ir(swap):
    assert parse_type(str(NUMBERS)) is NUMBERS
    assert parse_type("Pair(Pair(int8, bool), float64[:])").first is Pair(types.int8, types.boolean)
    typed = swap.trace(Two(1, 2.5)).at("typed")
    assert str(NUMBERS) in str(typed)


def test_copies_of_arguments_share_memory_as_the_arguments_do():
    array = np.arange(6.0)
    (pair, other) = fresh((Two(array, 1), array[2:]))
    other[0] = 7.0
    assert pair.first[2] == 7.0 and array[2] == 2.0
    assert [found is array for found in arrays_in(Two((array, 1), 2))] == [True]


def test_it_is_pickled(swap):
    assert pickle.loads(pickle.dumps(NUMBERS)) is NUMBERS
    assert pickle.loads(pickle.dumps(Optional(Tuple((NUMBERS,))))) is Optional(Tuple((NUMBERS,)))


def test_it_is_witnessed_and_explained(swap):
    traced = swap.trace(Two(1, 2.5))
    report = traced.witness()
    assert "Python returns Two(2.5, 1)" in str(report)
    assert report.ok, str(report)
    assert "Pair(float64, int64)" in str(traced.why("return"))
    swap(Two(1, 2.5))
    told = swap.explain_dispatch(Two(1, 2.5))
    assert told.outcome == "hit" and "Two" in told.arguments[0].fingerprint


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from pairs import Two
from cutaway import jit

@jit(cache=True)
def swap(pair):
    return Two(pair.second, pair.first)

print(swap(Two(1, 2.5)), swap((Two(1, 2.5), 3)[0]))
print(sum(swap.stats.cache_hits.values()))
"""


def test_it_is_cached_for_the_next_process(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(folder=str(Path(__file__).parent)))
    told = [
        warm.run(
            [sys.executable, str(path)], capture_output=True, text=True, check=True
        ).stdout.split("\n")
        for _ in range(2)
    ]
    assert told[0] == ["Two(2.5, 1) Two(2.5, 1)", "0", ""]
    assert told[1] == ["Two(2.5, 1) Two(2.5, 1)", "1", ""]


@pytest.mark.parametrize(
    "constants",
    [
        (),
        (Two,),
        (Two, ("first",)),
        (Two, ("first", 2)),
        (Two, ["first", "second"]),
        (1, ("a", "b")),
    ],
)
def test_a_descriptor_of_a_composite_needs_its_class_and_names(constants):
    with pytest.raises(ValueError, match="refers to a constant"):
        _dispatch.Specialization(0, (b"P\0\1i8f8)",), b"N", constants)


def test_nothing_that_an_extension_unboxes_is_in_a_composite():
    how = struct.pack("<qqq", 1, 1, 1)
    with pytest.raises(ValueError, match="cannot be read"):
        _dispatch.Specialization(0, (b"P\0\1i8(Z\2\1\0))",), b"N", (Two, ("first", "second"), how))


def test_it_is_an_argument_of_an_exception():
    @jit
    def refuse(pair):
        raise ValueError(pair)

    with pytest.raises(ValueError) as caught:
        refuse(Two(Two(1, True), 2.5))
    assert caught.value.args == (Two(Two(1, True), 2.5),)


def test_an_iterator_in_it_does_not_leave_a_function():
    @jit
    def through(items):
        return Two(1, enumerate(items))

    with pytest.raises(UnsupportedError, match="cannot be returned"):
        through((1, 2))
