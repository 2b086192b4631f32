"""The text form, both ways, for ops of every class."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cutaway.errors import ParseError
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import OPS, Block, Codec, FieldSpec, Op, Role, op
from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.ir.parser import parse
from cutaway.ir.printer import known_objects, to_text
from cutaway.ir.regions import Region
from unhurried import unhurried

variables = st.sampled_from(
    ["a", "x.1", "$0.3", "$phi12.1", "$bound.x", "x@inner", "größe", "undef"]
)
constants = st.recursive(
    st.sampled_from(
        [0, -5, 2**70, True, None, 1.5, -0.0, math.inf, math.nan, 1 - 2j, "a  :: b", "it's", b"\0"]
        + [..., slice(1, None, -2), math, ValueError, len, math.sin]
    ),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)


def values_of(cls: type[Op], spec: FieldSpec) -> st.SearchStrategy:
    match spec.role:
        case Role.DEF | Role.USE:
            return variables
        case Role.OPTIONAL_USE:
            return st.none() | variables
        case Role.DEFS | Role.USES:
            return st.lists(variables, max_size=3).map(tuple)
        case Role.REGION:
            return st.just(Region.of([Block(7, [nodes.Give("x", id=500)])], ("x",)))
        case Role.LABEL:
            return st.integers(0, 99)
        case Role.LABELS:
            return st.lists(st.integers(0, 99), max_size=3).map(tuple)
    operators = {nodes.Unary: UNARY, nodes.Binary: BINARY, nodes.Inplace: INPLACE}.get(cls, {"": 0})
    return {
        Codec.INT: st.integers(-9, 99),
        Codec.NAME: st.sampled_from(["a", "np.zeros", "<lambda>"]),
        Codec.NAMES: st.lists(st.sampled_from(["a", "key"]), max_size=2).map(tuple),
        Codec.TAGS: st.lists(st.sampled_from(["check", "proved"]), max_size=2).map(tuple),
        Codec.OPERATOR: st.sampled_from(list(operators.values())),
        Codec.CONSTANT: constants,
        Codec.WORDS: st.sampled_from(["a + b", "array(float64, 1d, C)", "sqrt(x) * 2"]),
        Codec.STRING: st.sampled_from(["", "r", "it's", 'say "x"  :: y', "two\nlines", "a, or b"]),
    }[spec.codec]


@st.composite
def ops(draw) -> Op:
    cls = draw(st.sampled_from(sorted(OPS.values(), key=lambda c: c.__name__)))
    fields = {spec.name: draw(values_of(cls, spec)) for spec in cls.FIELDS}
    if any(spec.name == "exception" and spec.codec is Codec.CONSTANT for spec in cls.FIELDS):
        fields["exception"] = ValueError
    if cls is nodes.StaticRaise:
        fields["args"] = draw(st.tuples(constants))
    if cls is nodes.MakeFunction:
        fields["code"] = values_of.__code__
    loc = Loc(*draw(st.tuples(*[st.integers(1, 99)] * 4)), "f.py")
    return cls(**fields, loc=loc, id=draw(st.integers(1, 999)))


@unhurried
@given(st.lists(ops(), min_size=1, max_size=5))
@example([nodes.Import("x", "a, or b", 0, "y", loc=Loc(1, 2, 3, 4, "f.py"), id=5)])
def test_any_ops_can_be_printed_and_parsed(many):
    fn = Function("f", ("a", "b"), {0: Block(0, many)}, "f.py", 3)
    names = known_objects(fn)
    for spans in (False, True):
        text = to_text(fn, spans=spans)
        parsed = parse(text, names=names).fn
        assert parsed == fn, text
        assert to_text(parsed, spans=spans) == text
    assert [(o.id, o.loc) for o in parsed.blocks[0].ops] == [(o.id, o.loc) for o in many]


def test_constants_are_told_apart_by_kind():
    for left, right in [(1, True), (1, 1.0), (0.0, -0.0)]:
        assert nodes.Const("a", left) != nodes.Const("a", right)
    assert nodes.Const("a", math.nan) == nodes.Const("a", math.nan)


def test_a_field_without_a_role_is_refused_when_the_class_is_made():
    with pytest.raises(TypeError, match="needs a role"):

        @op
        class Wrong(Op):
            field: int


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a function begins with"),
        ("func f():\n", "at least one block"),
        ("func f():\nlabel 0:\n    spam spam\n", "this is not an op"),
        ("func f():\nlabel 0:\n    a = const(spam)\n", "not a constant"),
        ("func f():\nlabel 0:\n    return a\nnonsense\n", "expected a block"),
        ("func f():\nlabel 0:\n    jump 0\nlabel 0:\n    jump 0\n", "the same label"),
    ],
)
def test_what_is_no_ir_is_refused_with_its_line(text, words):
    with pytest.raises(ParseError, match=words):
        parse(text)
