"""Types and signatures as text."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.errors import NoMatchError, SignatureError
from cutaway.typing import types
from cutaway.typing.overloads.notation import parse_signature, parse_type
from cutaway.typing.types import Array, Range, Slice, Tuple
from cutaway.typing.types.buffers import array_type, bytearray_type, bytes_type, memoryview_type
from cutaway.typing.types.structure import passable

PRINTED = [
    *types.SCALARS.values(),
    types.none,
    types.ellipsis,
    types.undefined,
    Array(types.float64, 1, "C"),
    Array(types.int32, 3, "F", True),
    Array(types.complex64, 2, "A", False, False),
    Tuple(()),
    Tuple((types.int64, types.float64)),
    Tuple((types.int64,) * 3),
    Tuple((Tuple((types.boolean,)), Array(types.uint8, 1, "A"))),
    Range(types.int64, None),
    Range(types.int64, -2),
    Slice(types.int64, types.none, types.none),
    types.str_type,
    bytes_type,
    bytearray_type,
    array_type("d"),
    memoryview_type("?", 1, "C", True),
    memoryview_type("d", 3, "A", False),
    bytes_type.iterator(),
    types.Optional(types.str_type),
    Range(types.int64, 1).iterator(),
    Array(types.float64, 2, "C").iterator(),
]


@pytest.mark.parametrize("ty", PRINTED, ids=str)
def test_a_type_reads_back_from_its_name(ty):
    assert parse_type(str(ty)) is ty


@pytest.mark.parametrize(
    ("text", "returns", "args"),
    [
        ("float64(int64, f4)", types.float64, (types.int64, types.float32)),
        ("(int64, float64[:])", None, (types.int64, Array(types.float64, 1, "A"))),
        ("int32", None, (types.int32,)),
        ("void(float64[:, ::1])", types.none, (Array(types.float64, 2, "C"),)),
        ("f8(f8[::1, :])", types.float64, (Array(types.float64, 2, "F"),)),
        ("UniTuple(int64, 2)()", Tuple((types.int64,) * 2), ()),
        ("Tuple((int64, float64))(b1)", Tuple((types.int64, types.float64)), (types.boolean,)),
    ],
)
def test_signatures_are_read(text, returns, args):
    written = parse_signature(text)
    assert (written.returns, written.args) == (returns, args)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a signature"),
        ("int64(", "is not a signature"),
        ("\0", "is not a signature"),
        ("(" * 5000 + ")" * 5000, "is not a signature"),
        ("spam", "'spam' in 'spam' is not a type"),
        ("int64(spam)", "is not a type"),
        ("int64(flaot64)", "did you mean float64"),
        ("float64[1]", "must be written as"),
        ("float64[::2]", "must be written as"),
        ("float64[1:]", "must be written as"),
        ("float64[::1, :, ::1]", "can be ::1"),
        ("float64[:][:]", "the items of an array must be numbers or bool, not array"),
        ("int64(array(float64, 1d, Z))", "must be C, F or A, not Z"),
        ("int64(range(float64))", "the items of a range are integers, not float64"),
        ("int64(range(int64, step=x))", "only step="),
        ("int64(range(int64, stop=1))", "only step="),
        ("int64(iter(float64))", "is not a type"),
        ("1 + 2", "is not a type"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_signature_is_refused_in_the_users_words(text, words):
    with pytest.raises(SignatureError) as caught:
        parse_signature(text)
    assert words in str(caught.value)


def test_what_does_not_cross_to_python_is_in_no_signature():
    assert all(passable(ty) for ty in [types.none, types.ellipsis, Tuple((Range(types.int64, 1),))])
    for ty in [types.undefined, Tuple((Slice(*(types.int64,) * 3),))]:
        assert not passable(ty)


# --- what may be None ---------------------------------------------------------------------------


def is_given(x):
    return 0 if x is None else 1


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *(("float64", 2.5), ("float64", 3), ("int8", 7), ("complex128", 1j), ("boolean", True)),
        *(("str", "ab"), ("bytes", b"ab"), ("UniTuple(float64, 2)", (1, 2.0))),
        *(("float64[:]", np.ones(4)[::2]), ("int64[:, ::1]", np.ones((2, 2), int))),
    ],
    ids=str,
)
def test_a_signature_may_say_that_an_argument_may_be_none(written, value):
    f = cutaway.jit(f"int64(optional({written}))")(is_given)
    assert [f(None), f(value), f(None)] == [0, 1, 0]
    assert len(f.signatures) == 1
    with pytest.raises(NoMatchError):
        f(1j if written == "str" else "x" if written != "bytes" else 3)


def test_an_argument_that_may_be_none_has_its_type():
    @cutaway.jit("float64(optional(float64), optional(float64[:]))")
    def total(x, a=None):
        s = 0.0
        if x is not None:
            s += x
        if a is not None:
            s += a.sum()
        return s

    assert total(2) == 2.0 and total(None) == 0.0
    assert total(None, np.ones(3)) == 3.0 and total(1, a=np.ones(3)) == 4.0
    with pytest.raises(OverflowError):
        cutaway.jit("int64(optional(int8))")(is_given)(300)


def test_types_alone_say_it_too():
    f = cutaway.jit(types.int64(types.Optional(types.float64)))(is_given)
    assert f(None) == 0 and f(1.0) == 1


@pytest.mark.parametrize("inner", ["none", "optional(float64)"])
def test_what_cannot_be_missing_is_refused(inner):
    with pytest.raises(SignatureError, match="cannot be passed to or from Python"):
        cutaway.jit(f"int64(optional({inner}))")(is_given)
