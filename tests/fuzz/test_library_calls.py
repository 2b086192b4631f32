"""The fuzzer of library calls finds nothing in a small sample, and finds what it is there for."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

import corpora
from cutaway.library import areas
from fuzz import library_calls
from fuzz.call_templates import TEMPLATES
from fuzz.call_values import KINDS, value
from fuzz.comparing_calls import Outcome, allowed, difference

pytestmark = pytest.mark.sampled(fast=20)

MANY = 20  # seeds, of which most are not refused


@pytest.mark.slow
def test_a_sample_of_calls_gives_what_python_gives():
    seeds = list(corpora.seeds("TEMPLATES"))
    results = list(library_calls.run(seeds))
    assert sorted(result.seed for result in results) == seeds
    assert [finding for result in results for finding in result.findings] == []
    for result in results:
        assert result.refused or result.calls + result.left_out == library_calls.CALLS
    if len(seeds) >= MANY:
        assert sum(result.calls for result in results) > 10 * len(seeds)


def test_every_function_and_method_of_the_library_is_called_by_a_template():
    words = set(re.findall(r"[.\w]+", " ".join(TEMPLATES)))
    missing = [
        name
        for name in areas.names()
        if (f"np.{name}" if name[0] != "." else f"A{name}") not in words
        and (name[0] != "." or not any(word.endswith(name) for word in words))
        and hasattr(np, name.lstrip("."))
    ]
    assert missing == ["ndenumerate", "ndindex", "nditer"]  # which give iterators


def test_a_seed_stands_for_the_same_calls_each_time():
    first, second = (library_calls.call_of(7) for _ in range(2))
    assert first == second
    assert repr(first.arguments(7, 3)) == repr(second.arguments(7, 3))


@pytest.mark.parametrize("letter", KINDS)
def test_values_of_a_kind_can_be_made(letter):
    random = np.random.default_rng(1)
    for _ in range(20):
        form = KINDS[letter](random)
        made = value(random, form)
        if form.what == "array":
            assert made.dtype == form.dtype
            assert made.ndim == form.ndim


@pytest.mark.parametrize(
    ("expected", "found", "kind"),
    [
        (np.float64(1.5), 1.5, ""),
        (np.int64(3), 3.0, "kind"),
        (np.array([1]), np.array([1.0]), "dtype"),
        (np.zeros((1, 2)), np.zeros((2, 1)), "shape"),
        (np.array([0.0]), np.array([-0.0]), "sign of zero"),
        (np.array([np.nan]), np.array([np.nan]), ""),
        ((1, np.array([2])), (1, np.array([3])), "value"),
    ],
)
def test_what_differs_is_told(expected, found, kind):
    assert difference(Outcome(expected), Outcome(found), "") == kind


def test_exceptions_are_compared_by_class_and_words():
    expected = Outcome(error=ValueError("a"))
    assert difference(expected, Outcome(error=ValueError("a")), "") == ""
    assert difference(expected, Outcome(error=ValueError("b")), "") == "words"
    assert (
        difference(expected, Outcome(error=KeyError("a")), "")
        == "KeyError in the place of ValueError"
    )
    assert difference(expected, Outcome(1), "") == "no ValueError"
    assert not allowed("np.sort(A)", [np.ones(2)], expected, Outcome(1), "no ValueError")


def test_a_call_that_ends_its_process_is_a_finding_and_the_rest_goes_on(monkeypatch):
    def ending(seed, numbers=range(1), report=None):
        report(0, "compiled")
        if seed == 2:
            os._exit(7)
        return library_calls.Result(seed, "", 1)

    monkeypatch.setattr(library_calls, "check", ending)
    results = {result.seed: result for result in library_calls.run([1, 2, 3])}
    assert results[1].findings == results[3].findings == []
    assert results[2].findings[0][0] == "ended its process with 7"


def test_a_call_that_hangs_is_a_finding(monkeypatch):
    def hanging(seed, numbers=range(1), report=None):
        report(0, "compiled")
        while True:
            pass

    monkeypatch.setattr(library_calls, "check", hanging)
    monkeypatch.setattr(library_calls, "SECONDS", 0.3)
    assert [result.findings[0][0] for result in library_calls.run([1])] == ["hung"]


def test_a_finding_is_made_smaller(monkeypatch):
    seed, number = next(
        (seed, number)
        for seed in range(10_000)
        if (call := library_calls.call_of(seed)).template == "np.argwhere(A)"
        for number in range(40)
        if call.arguments(seed, number)[0].size > 2
    )

    def differ(expected, found, template):
        return "value" if found.arguments[0].size else ""

    monkeypatch.setattr(library_calls, "difference", differ)
    ndim = library_calls.call_of(seed).forms[0].ndim
    told = library_calls.smaller(seed, number)
    assert told.startswith("value")
    plain = told.replace("False", "0").replace("0.0", "0").replace("0j", "0")
    assert ("[" * ndim) + "0" + ("]" * ndim) in plain
