"""The examples in NumPy's docstrings: a sample of them, and how a statement becomes a function."""

from __future__ import annotations

import numpy as np
import pytest

import corpora
from fuzz import examples
from fuzz.batches import run
from fuzz.examples import Example, program_of

pytestmark = [pytest.mark.sampled(fast=5), pytest.mark.usefixtures("one_processor")]


def test_examples_of_docstrings_give_what_they_give_in_numpy():
    report = run(examples.check, corpora.seeds("EXAMPLES"))
    told = "\n".join(f"{seed}: {found.words}\n{found.source}" for seed, found in report.findings)
    assert not report.findings, told


def test_most_functions_that_are_compiled_have_examples():
    names = {example.name for example in examples.examples()}
    assert len(names) > 300
    assert len(examples.examples()) > 3000


@pytest.fixture
def documented(monkeypatch):
    """Give a docstring to a function that there is not."""

    def give(text):
        function = type("Documented", (), {"__doc__": text})
        monkeypatch.setattr(examples, "documented", lambda: {"f": function})
        examples.statements.cache_clear()

    yield give
    examples.statements.cache_clear()


def source_of(number, by_argument):
    program = program_of(Example("f", number, by_argument))
    return program and (program.source, program.args)


def test_names_and_literals_of_a_statement_are_arguments_or_constants(documented):
    documented(">>> a = np.arange(4)\n>>> np.take(a, [2, 1], axis=0)\n")
    assert source_of(1, False) == ("def f():\n    return np.take(a, [2, 1], axis=0)\n", [])
    source, args = source_of(1, True)
    assert source == "def f(a, given1):\n    return np.take(a, given1, axis=0)\n"
    assert [one.tolist() for one in args] == [[0, 1, 2, 3], [2, 1]]


def test_what_a_statement_stores_into_is_returned(documented):
    documented(">>> a = np.zeros(2)\n>>> a[0] = np.exp(0)\n>>> a += np.exp(1)\n")
    assert source_of(1, False)[0] == "def f(a):\n    a[0] = np.exp(0)\n    return a\n"
    assert source_of(2, False)[0] == "def f(a):\n    a += np.exp(1)\n    return a\n"


def test_arrays_that_are_constants_are_read_only(documented):
    documented(">>> a = np.arange(4)\n>>> np.sum(a)\n")
    program = program_of(Example("f", 1, by_argument=False))
    assert not program.space["a"].flags.writeable


@pytest.mark.parametrize("text", ["import math", "for x in y: print(x)", "a", "print(a, b)"])
def test_what_computes_nothing_is_left_out(text):
    assert examples._parts(text) is None


def test_a_statement_whose_names_nobody_has_made_is_not_compared(documented):
    documented(">>> a = unknown()\n>>> np.sum(a)\n")
    assert source_of(1, False) is None


def test_generators_draw_the_same_numbers_each_time(documented):
    documented(">>> rng = np.random.default_rng()\n>>> rng.random(3)\n")
    first, second = (program_of(Example("f", 1, by_argument=False)) for _ in range(2))
    np.testing.assert_equal(first.args[0].random(3), second.args[0].random(3))
