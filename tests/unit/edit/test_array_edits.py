"""Array expressions are edited: their operations and operands, with errors for what is none."""

from __future__ import annotations

import re

import numpy as np
import pytest

import cutaway
from cutaway.errors import EditError

A, B, C = (np.random.default_rng(k).random(6) for k in range(3))


def kernel(a, b, c):
    return a * b + c


@pytest.fixture(scope="module")
def level():
    return cutaway.trace(kernel, A, B, C).at("arrayexpr")


def formula_of(view):
    return re.search(r"expr=(.*?), args", view.text)[1]


@pytest.mark.parametrize(
    ("old", "new", "formula", "result"),
    [
        ("element multiply", "element subtract", "a - b + c", A - B + C),
        ("args=(a, b, c)", "args=(a, b, b)", "a * b + b", A * B + B),
        ("multiply($a.0, $b.1)", "multiply($a.0, $a.0)", "a * a + c", A * A + C),
        ("expr=a * b + c", "expr=something else", "a * b + c", A * B + C),
    ],
)
def test_an_edit_runs_compiles_and_renews_the_formula(level, old, new, formula, result):
    view = level.edit(lambda text: text.replace(old, new))
    assert formula_of(view) == formula
    assert view.verify() == ()
    assert np.array_equal(view.run(A, B, C), result)
    assert np.array_equal(view.resume(unsafe=True)(A, B, C), result)


def test_the_type_is_the_one_behind_the_colons(level):
    view = level.edit(lambda text: text.replace("ty=array(float64", "ty=array(int64"))
    assert not view.changed


def test_elements_of_another_type_need_a_result_of_that_type(level):
    def compared(text):
        return text.replace("add($e.2, $c.4)  :: float64", "greater($e.2, $c.4)  :: bool")

    with pytest.raises(EditError) as raised:
        level.edit(compared).resume()
    assert "of type array(bool, 1d, C), not array(float64, 1d, C)" in str(raised.value)

    def result_too(text):
        return compared(text).replace(
            ":: array(float64, 1d, C) ['$0.2'", ":: array(bool, 1d, C) ['$0.2'"
        )

    g = level.edit(result_too).resume(unsafe=True)
    assert np.array_equal(g(A, B, C), A * B > C)


def without_give(text):
    return re.sub(r"\n *give .*", "", text)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("element multiply", "element multiplly"), "did you mean multiply?"),
        (("multiply($a.0, $b.1)", "multiply($a.0)"), "multiply takes 2 elements, not 1"),
        (("multiply($a.0, $b.1)", "modf.2($a.0)"), "modf.2 is no result of modf: there are 0, 1"),
        (("multiply($a.0, $b.1)", "as.float23($a.0)"), "float23 is not a type of elements"),
        (("$b.1, $c.4):  :: float64 |", "$b.1):  ::"), "has 3 operands, and its body takes 2"),
        (without_give, "ends in a give, which tells the element"),
        (("    return ", "    give c\n    return "), "a give outside of the body"),
        (
            ("    return ", "    $q = element add(c, c)  :: float64\n    return "),
            "an operation on elements outside of the body",
        ),
        (
            ("        give", "        $z = const(1)  :: int64\n        give"),
            "has operations on elements alone, and a give",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(level, change, words):
    changed = change if callable(change) else lambda text: text.replace(*change)
    view = level.edit(changed)
    (problem, *_) = [text for text in view.verify() if words in text]
    line = int(re.match(r"line (\d+): ", problem)[1])
    assert line <= len(view.written.splitlines())
    with pytest.raises(EditError, match=re.escape(words)):
        view.run(A, B, C)
