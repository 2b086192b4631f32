"""`cutaway.types`: the names of the reference, what the types answer, and types of users."""

from __future__ import annotations

import copy
import pickle
from collections import namedtuple

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.errors import CutawayError, SignatureError, TypingError
from cutaway.typing.overloads.notation import parse_signature, parse_type

Point = namedtuple("Point", "x y")

INSTANCES = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp intc uintc ssize_t size_t"
    " boolean float32 float64 complex64 complex128 bool_ byte char uchar short ushort int_ uint"
    " long_ ulong longlong ulonglong double void none b1 i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16"
).split()


@pytest.mark.parametrize("name", INSTANCES)
def test_a_name_of_the_reference_is_a_type_at_the_top_too(name):
    assert isinstance(getattr(types, name), types.Type)
    assert getattr(cutaway, name) is getattr(types, name) is parse_type(name)


@pytest.mark.parametrize(
    ("ty", "cls"),
    [
        (types.int8, types.Integer),
        (types.float32, types.Number),
        (types.boolean, types.Boolean),
        (types.float64[:], types.Array),
        (types.float64[:], types.Buffer),
        (types.bytes_type, types.Buffer),
        (types.Tuple(()), types.Tuple),
        (types.UniTuple(types.int64, 2), types.BaseTuple),
        (types.UniTuple(types.int64, 2), types.BaseAnonymousTuple),
        (types.NamedTuple((types.int64, types.float64), Point), types.BaseNamedTuple),
        (types.NamedUniTuple(types.int64, 2, Point), types.BaseTuple),
        (types.unicode_type, types.UnicodeType),
        (types.Omitted(3), types.Omitted),
        (types.literal(3), types.Integer),
        (types.literal(3), types.IntegerLiteral),
        (types.literal(True), types.BooleanLiteral),
        (types.literal("a"), types.StringLiteral),
        (types.literal("a"), types.Literal),
        (cutaway.typeof(len), types.Callable),
        (cutaway.typeof(range(3)), types.RangeType),
    ],
    ids=str,
)
def test_isinstance_asks_what_kind_a_type_is(ty, cls):
    assert isinstance(ty, cls)
    assert pickle.loads(pickle.dumps(ty)) is ty
    assert copy.deepcopy(ty) is ty


@pytest.mark.parametrize(
    ("ty", "cls"),
    [
        (types.boolean, types.Number),
        (types.UniTuple(types.int64, 2), types.Tuple),
        (types.NamedUniTuple(types.int64, 2, Point), types.BaseAnonymousTuple),
        (types.int64, types.Literal),
    ],
    ids=str,
)
def test_isinstance_tells_kinds_apart(ty, cls):
    assert not isinstance(ty, cls)


def test_a_tuple_type_says_what_is_in_it():
    ty = types.UniTuple(types.int64, 3)
    assert (ty.dtype, ty.count, len(ty), list(ty)) == (types.int64, 3, 3, [types.int64] * 3)
    mixed = types.Tuple([types.int64, types.float64])
    assert mixed.types == (types.int64, types.float64)
    assert mixed[1] is types.float64
    assert types.Tuple(()) and len(types.Tuple(())) == 0
    assert types.Tuple((types.int64,) * 3) is ty is types.UniTuple(dtype=types.int64, count=3)
    named = types.NamedUniTuple(types.int64, 2, Point)
    assert (named.fields, named.instance_class, named.dtype) == (("x", "y"), Point, types.int64)


def test_numbers_say_their_size_and_parts():
    assert (types.int16.bitwidth, types.uint8.signed, types.float32.bitwidth) == (16, False, 32)
    assert types.complex64.underlying_float is types.float32
    assert types.float32(3) == np.float32(3) and type(types.float32(3)) is np.float32


def test_arrays_say_their_layout():
    ty = types.float64[:, ::1]
    assert (ty.dtype, ty.ndim, ty.layout, ty.mutable) == (types.float64, 2, "C", True)
    assert ty.is_c_contig and not ty.is_f_contig and ty.is_contig
    assert ty.copy(ndim=1, readonly=True) is types.Array(types.float64, 1, "C", readonly=True)
    assert types.Array(dtype=types.f8, ndim=2, layout="F") is types.f8[::1, :]
    assert types.Array(types.f8, 1, "A", aligned=False).aligned is False
    assert not types.Array(types.f8, 1, "A", True).mutable


def test_other_types_say_what_they_are_made_of():
    assert types.Optional(types.int64).type is types.int64
    assert cutaway.optional(types.int64) is types.Optional(types.int64)
    assert types.Omitted(3).value == 3
    assert types.literal(3).literal_value == 3
    assert types.literal(3).literal_type is types.unliteral(types.literal(3)) is types.int64
    assert types.unliteral(types.Tuple((types.literal("a"), types.f8))) is types.Tuple(
        (types.unicode_type, types.f8)
    )
    assert types.SimpleIteratorType("it", types.int64).yield_type is types.int64
    assert types.NPDatetime("ns") is cutaway.typeof(np.datetime64(1, "ns"))
    assert types.RangeType(types.int64) is types.range_state64_type


def test_the_domains_are_sets_of_types():
    assert types.int8 in types.signed_domain
    assert types.number_domain == types.integer_domain | types.real_domain | types.complex_domain
    assert types.signed_domain.isdisjoint(types.unsigned_domain)


def test_a_call_of_a_type_is_a_signature():
    sig = types.float64(types.int64, types.float64[:])
    assert sig.return_type is sig.returns is types.float64
    assert sig.args == (types.int64, types.float64[:])
    assert types.void().args == ()
    with pytest.raises(TypeError, match="consist of types"):
        types.float64(1, 2)


@pytest.mark.parametrize(
    "signature",
    [
        types.float64(types.float64[:, ::1], types.UniTuple(types.intp, 2)),
        "float64(float64[:, ::1], UniTuple(intp, 2))",
        "types.float64(types.float64[:, ::1], types.UniTuple(types.intp, 2))",
        "double(Array(float64, 2, 'C'), Tuple((int_, i8)))",
        (types.float64[:, ::1], types.UniTuple(types.intp, 2)),
        [cutaway.float64(cutaway.float64[:, ::1], types.Tuple([cutaway.intp] * 2))],
    ],
    ids=str,
)
def test_one_signature_in_every_notation(signature):
    @cutaway.jit(signature)
    def f(a, at):
        return a[at]

    assert f.signatures == [(types.float64[:, ::1], types.UniTuple(types.intp, 2))]
    assert f(np.array([[1.0, 2.0]]), (0, 1)) == 2.0


@pytest.mark.parametrize(
    ("text", "ty"),
    [
        ("Array(float64, 1, 'C', readonly=True)", types.Array(types.f8, 1, "C", readonly=True)),
        (
            "Array(dtype=f8, ndim=1, layout='A', aligned=False)",
            types.Array(types.f8, 1, "A", False, False),
        ),
        ("Tuple([int64, f4])", types.Tuple((types.int64, types.f4))),
        ("NPTimedelta('s')", types.NPTimedelta("s")),
        ("types.optional(types.int8)", types.Optional(types.int8)),
        ("unicode_type", types.unicode_type),
    ],
)
def test_type_classes_are_read_in_text(text, ty):
    assert parse_type(text) is ty


@pytest.mark.parametrize(
    "text",
    [
        "Array(float64, 1, 'X')",
        "Array(float64)",
        "Array(float64, x, 'C')",
        "Array(float64, 1, 'C', color=3)",
        "UniTuple(int64, 10000000000)",
        "UniTuple(int64, -1)()",
        "float64[1:]",
        "float64[::1, :, ::1]",
    ],
)
def test_text_that_is_no_type_is_refused(text):
    with pytest.raises(SignatureError):
        parse_type(text) if "()" not in text else parse_signature(text)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: types.Array(types.f8, -1, "C"),
        lambda: types.Array(types.f8, 1, "X"),
        lambda: types.Array("f8", 1, "C"),
        lambda: types.UniTuple(types.f8, 10**12),
        lambda: types.UniTuple(types.f8, "2"),
        lambda: types.UniTuple(3, 2),
        lambda: types.Tuple((1, 2)),
        lambda: types.Tuple(3),
        lambda: types.NamedTuple((types.f8,), Point),
        lambda: types.NamedTuple((types.f8,), tuple),
        lambda: types.literal(1.5),
        lambda: types.literal(1 << 70),
        lambda: types.f8[1],
        lambda: types.f8[::2],
        lambda: types.f8[()],
        lambda: types.unicode_type[:],
        lambda: types.Array(types.f8, 1, "C", color=3),
        lambda: types.Array(types.f8, 1),
        lambda: types.Integer(),
        lambda: types.IntegerLiteral("3"),
        lambda: list(types.f8),
    ],
)
def test_a_wrong_use_of_a_type_class_is_an_error_of_python_or_ours(wrong):
    with pytest.raises((TypeError, CutawayError)):
        wrong()


def test_types_of_numbers_convert_in_compiled_code():
    @cutaway.jit
    def f(x):
        return types.float32(x) + np.zeros(1, dtype=cutaway.float32)[0], cutaway.boolean(x)

    assert f(0.1) == (np.float32(0.1), True)


class Interval(types.Type):
    def __init__(self):
        super().__init__(name="Interval")


class Table(types.Type):
    def __init__(self, columns, *, title=None):
        self.columns, self.title = columns, title
        super().__init__(name=f"Table({columns})")

    @property
    def key(self):
        return tuple(self.columns), self.title


class Nameless(types.Type):
    def __init__(self):
        pass


class Unhashable(types.Type):
    key = []

    def __init__(self):
        super().__init__(name="Unhashable")


def test_a_type_of_a_user_is_one_object():
    assert Interval() is Interval()
    assert Interval() == Interval() and hash(Interval()) == hash(Interval())
    assert str(Interval()) == "Interval"


def test_a_type_of_a_user_is_known_by_its_key():
    table = Table(["a", "b"], title="t")
    assert Table(["a", "b"], title="t") is table
    assert Table(["a", "b"]) is not table
    assert Table(["a"], title="t") is not table
    assert pickle.loads(pickle.dumps(table)) is table
    assert copy.copy(table) is table


def test_a_type_of_a_user_has_a_code_of_its_own():
    assert len({Interval().typecode, Table([]).typecode, types.int64.typecode}) == 3


def test_a_type_of_a_user_is_part_of_others():
    ty = types.Tuple((Interval(), types.int64))
    assert ty is types.Tuple((Interval(), types.int64))
    assert str(types.Optional(Interval())) == "optional(Interval)"


@pytest.mark.parametrize("wrong", [Nameless, Unhashable], ids=lambda cls: cls.__name__)
def test_a_type_that_cannot_be_known_is_refused(wrong):
    with pytest.raises(TypeError, match=wrong.__name__):
        wrong()


def test_a_type_of_a_user_in_a_signature_is_refused_where_nothing_crosses():
    with pytest.raises((SignatureError, TypingError)):
        cutaway.jit((Interval(),))(lambda x: x)


def test_texts_of_fixed_length_have_the_names_of_the_reference():
    ty = cutaway.typeof(np.array(["abc", "d"])).dtype
    assert ty is types.UnicodeCharSeq(3) is types.UnicodeCharSeq(count=3)
    assert isinstance(ty, types.UnicodeCharSeq) and ty.count == 3
    assert cutaway.typeof(np.array([b"abc"])).dtype is types.CharSeq(3)
    assert pickle.loads(pickle.dumps(ty)) is ty
