"""Calls that are explained, and counted: what is said is what happens."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import cutaway
from cutaway.errors import AmbiguousCallError, TypingError
from cutaway.typing import types
from cutaway.typing.types.conversions import Conversion


def second(a, b=3):
    return b


CALLS: list[tuple[Any, ...]] = [
    (1, 2),
    (1,),
    (1.0, 2),
    (np.zeros(3), 1),
    (np.zeros((2, 3)), 1),
    (np.zeros((2, 3)).T, 1),
    ((1, 2.0), 1),
    (np.float32(1), 1),
    (None, 1),
    ([1, 2], 1),
    ([], 1),
    ({(1, 2.5)}, 1),
    ({"a": [1], "b": []}, 1),
]


@pytest.mark.parametrize("args", CALLS, ids=repr)
def test_what_is_said_of_an_open_function_happens(args):
    f = cutaway.jit(second)
    f(1, 2), f(np.zeros((2, 2)), 5)
    said = f.explain_dispatch(*args)
    assert len(f.specializations) == 2, "nothing is compiled for an explanation"
    f(*args)
    assert (said.outcome == "compile") == (len(f.specializations) == 3)
    again = f.explain_dispatch(*args)
    assert again.outcome == "hit" and again.way in ("guards", "codes")
    before = f.stats.hits[again.way]
    f(*args)
    assert f.stats.hits[again.way] == before + 1
    assert again.chosen == tuple(a.type for a in again.arguments)


def test_fingerprints_of_containers_have_the_kinds_of_their_items():
    f = cutaway.jit(second)
    said = f.explain_dispatch({1: "a", 2: "b"}, [[1.5], [2.5, 3.5]])
    assert [a.fingerprint for a in said.arguments] == [
        "dict(int: str)",
        "list(list(float))",
    ]


def test_an_empty_list_that_is_filled_is_explained_as_it_is_compiled():
    @cutaway.jit
    def filled(a):
        a.append(1)
        return a

    filled([])
    said = filled.explain_dispatch([])
    assert said.outcome == "hit" and said.arguments[0].type == types.List(types.int64)


def test_the_nearest_signature_and_what_differs():
    f = cutaway.jit(second)
    f(1, 2), f(np.zeros((2, 2)), 5)
    said = f.explain_dispatch(np.zeros((2, 2)).T, 5)
    assert said.nearest == (types.Array(types.float64, 2, "C"), types.int64)
    assert said.differences == ("a: layout is F here, C there",)
    read_only = np.zeros((2, 2), "f4")
    read_only.flags.writeable = False
    assert f.explain_dispatch(read_only, 5).differences == (
        "a: dtype is float32 here, float64 there",
        "a: readonly is True here, False there",
    )
    assert f.explain_dispatch(1.5, 5).differences == ("a: type is float64 here, int64 there",)
    f((1, (2, 3.0)), 1)
    said = f.explain_dispatch((1, (2, 3)), 1)
    assert said.differences == ("a[1][1]: type is int64 here, float64 there",)
    assert f.explain_dispatch(1, 2).nearest is None


def test_a_default_is_said_to_be_one():
    f = cutaway.jit(second)
    f(1)
    said = f.explain_dispatch(1)
    assert said.way == "guards" and said.arguments[1].found_by == "default"
    assert f.explain_dispatch(b=2, a=1).outcome == "compile"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        f.explain_dispatch()
    with pytest.raises(TypingError, match="argument 'a'"):
        f.explain_dispatch(object())


def test_candidates_say_what_they_cost_and_why_they_lost():
    f = cutaway.jit(["(int64, float64)", "(float64, float64)", "(complex128, int32)"])(second)
    said = f.explain_dispatch(np.int8(1), 2)
    kinds = {c.argtypes: c.kinds for c in said.candidates}
    assert kinds[(types.int64, types.float64)] == (Conversion.PROMOTION, Conversion.SAFE)
    assert said.chosen == (types.int64, types.float64) and said.outcome == "hit"
    assert f(np.int8(1), 2) == 2.0
    assert f.explain_dispatch(np.int8(1), 2).way == "conversion"
    refused = f.explain_dispatch(1, np.zeros(3))
    assert refused.outcome == "refused" and refused.chosen is None
    assert refused.candidates[0].reason == (
        "argument 2: array(float64, 1d, C) does not convert to float64"
    )
    with pytest.raises(TypingError, match="no signature"):
        f(1, np.zeros(3))


def test_an_ambiguous_call_lists_its_candidates_with_their_costs():
    f = cutaway.jit(["(float64, int64)", "(int64, float64)", "(float64, float64)"])(second)
    said = f.explain_dispatch(1, 1)
    assert said.outcome == "ambiguous" and sum(c.is_best for c in said.candidates) == 2
    with pytest.raises(AmbiguousCallError) as caught:
        f(1, 1)
    assert caught.value.notes == (
        "candidate: (float64, int64): 1 safe, 1 exact",
        "candidate: (int64, float64): 1 safe, 1 exact",
    )
    assert f(1, 1.0) == 1.0 and f(1.0, 1) == 1


def test_a_function_that_was_closed_converts_what_loses_nothing():
    f = cutaway.jit(second)
    f(1.5, 2), f(np.zeros(4)[::2], 1)
    f.disable_compile()
    assert f(np.float32(1), True) == 1 and f(1) == 3  # the default is converted as well
    assert f(np.zeros(3), 7) == 7, "a C array where one of any layout is wanted"
    with pytest.raises(TypingError, match="no specialization") as caught:
        f(1j, 2)
    assert "disable_compile(False)" in caught.value.hint
    with pytest.raises(TypingError, match="no specialization"):
        f(1.5, 2.5)  # float to int is unsafe
    assert f.explain_dispatch(1.5, 2.5).candidates[0].reason == (
        "argument 2: float64 converts only unsafely to int64"
    )
    assert len(f.specializations) == 2
    f.disable_compile(False)
    assert f(1.5, 2.5) == 2.5 and len(f.specializations) == 3


def test_an_open_function_takes_only_exact_types():
    def same(a):
        return a

    f = cutaway.jit(same)
    assert f(1.0) == 1.0 and type(f(1)) is int and f(True) is True
    said = cutaway.jit(same)
    said(1.0)
    assert "needs exact types" in said.explain_dispatch(1).candidates[0].reason


def test_specializations_are_counted_by_the_road_that_calls_took():
    f = cutaway.jit(second)
    for _ in range(3):
        f(1, 2)
    for k in range(12):
        f((1, 1.0, 1j, True, None, np.int8(1))[k % 6], 2)
    records = f.specializations
    assert [r.signature[0] for r in records][:2] == [types.int64, types.float64]
    assert sum(r.calls for r in records) == 15 == f.stats.calls
    assert records[0].calls == 5 and records[0].hits["guards"] + records[0].hits["codes"] == 4
    assert all(r.hits["resolution"] == 1 for r in records)
    assert f.stats.hits["codes"] > 0 and f.stats.compilations == 6
    assert all(r.compile_seconds > 0 for r in records)
    assert f.stats.cache_path is None and len(f.stats.cache_misses) == 6


def test_it_shows_itself():
    f = cutaway.jit(second)
    f(1, 2), f((1, 2.0), 1), f(np.zeros((2, 2)), 1)
    for shown in (f.explain_dispatch(np.zeros((2, 2)).T, 1), f.specializations):
        console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
        console.print(shown)
        text = console.export_text()
        bundle = shown._repr_mimebundle_()
        assert "second" in text and "second" in bundle["text/plain"]
        assert "<pre" in bundle["text/html"] and "int64" in bundle["text/html"]
    data = json.loads(json.dumps(f.explain_dispatch((1, 2.0), 1).to_dict()))
    assert data["outcome"] == "hit" and data["arguments"][0]["fingerprint"] == "tuple(int, float)"
    assert data["chosen"] == ["Tuple(int64, float64)", "int64"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1, "int"),
        (np.float32(1), "NumPy number np.float32"),
        ((), "tuple()"),
        (((1, 2j), None), "tuple(tuple(int, complex), None)"),
        (np.zeros((2, 2), "i4").T, "array int32 2d F"),
        (np.zeros(3, ">i4"), None),
        (range(3), "range"),
        (slice(1, None), "slice(int, None, None)"),
        (np.float64, "the object np.float64"),
        (np.zeros(3, "M8[s]"), "array datetime64 in 1 of unit 7 1d C"),
        (np.array(["ab"]), "array str of 8 bytes 1d C"),
        (
            np.zeros(2, [("x", "f8"), ("t", "M8[s]")]),
            "array of np.void{x at 0: float64, t at 8: datetime64 in 1 of unit 7} 1d C",
        ),
        (
            np.zeros(2, [("p", [("x", "i4")])])[0],
            "np.void of np.void{p at 0: np.void{x at 0: int32}}",
        ),
        (np.dtype("f8"), "the dtype float64"),
    ],
    ids=repr,
)
def test_fingerprints_are_readable(value, words):
    @cutaway.jit
    def one(a):
        return 1

    if words is None:
        with pytest.raises(TypingError):
            one.explain_dispatch(value)
    else:
        assert one.explain_dispatch(value).arguments[0].fingerprint == words
