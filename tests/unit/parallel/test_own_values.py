"""Variables that an iteration sets on some paths, and those without a value before a loop."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import cutaway
from corpus.parallel_results import alike
from cutaway import prange
from cutaway.errors import UnsupportedError
from cutaway.stages.parallel.own_values import OWN

pytestmark = pytest.mark.sampled(test=2, others=8)

# What stands before the loop over i, what is in it, and what is returned.
BODIES = {
    "counter": ("c = 5", "c += i", "c, i"),
    "counter_if": ("c = 5", "c += i", "c, (i if n else -1)"),
    "flag": ("", "if flag:\n    c = y[i] * 2\nout[i] = 1\nif flag:\n    out[i] += c", "0"),
    "flag_after": (
        "",
        "if flag:\n    c = y[i] * 2\nif flag:\n    out[i] += c",
        "c if flag and n else 0.0",
    ),
    "mask": ("", "m = y[i] > 2\nif m:\n    c = y[i]\nif m:\n    out[i] = c", "0"),
    "read_twice": (
        "",
        "if y[i] > 2:\n    c = y[i]\nif y[i] > 2:\n    out[i] = c",
        "c if n > 5 else 0.0",
    ),
    "inner": (
        "",
        "for j in range(3):\n    d = y[i] * j\nout[i] = d + j",
        "(d, j) if n else (0., 0)",
    ),
    "inner_set": ("", "for j in range(i % 3 + 1):\n    if j >= 0:\n        d = j\nout[i] = d", "0"),
    "inner_both": (
        "",
        "for j in range(3):\n    if flag:\n        d = j\n    if flag:\n        out[i] += d",
        "0",
    ),
    "while": ("", "k = 0\nwhile k < 3:\n    v = y[i] + k\n    k += 1\nout[i] = v", "0"),
    "and": ("", "if flag and n > 2:\n    c = y[i]\nif flag and n > 2:\n    out[i] = c", "0"),
    "or": (
        "",
        "if flag == 1:\n    c = y[i]\nelif flag == 2:\n    c = 3.0\n"
        "if flag == 1 or flag == 2:\n    out[i] = c",
        "0",
    ),
    "begun": ("c = 0.5", "if flag:\n    c = y[i]\nout[i] = 1\nif flag:\n    out[i] += c", "c"),
    "begun_else": (
        "c = 0.5",
        "if flag:\n    c = y[i]\nif not flag:\n    out[i] += 1\nelse:\n    out[i] += c",
        "c",
    ),
    "begun_is_not": (
        "c = 0.5",
        "if flag == 1:\n    c = y[i]\nif not flag != 1:\n    out[i] = c",
        "c",
    ),
    "two": ("", "if flag:\n    c = y[i]\n    d = c\nif flag:\n    out[i] = c + d\n    e = d", "0"),
    "array": ("", "if flag:\n    row = y[:i]\nif flag:\n    out[i] = row.sum()", "0"),
    "begun_array": (
        "row = y[:1]",
        "if flag:\n    row = y[:i]\nif flag:\n    out[i] = row.sum()",
        "0",
    ),
    "chosen": ("", "if y[i] > 2:\n    k = i", "k if n > 5 else -1"),
    "any": ("s = False", "s = s or y[i] > 5", "s"),
    "all": ("s = True", "s = s and y[i] < 5", "s"),
    "if_not": ("s = False", "if not s:\n    s = y[i] > 5", "s"),
}
TWICE = ("counter", "counter_if", "flag", "inner", "chosen")  # in a second loop after the first


def function_of(name: str, loops: int = 1):
    before, body, returned = BODIES[name]
    lines = [before or "pass"]
    for _ in range(loops):
        lines += ["for i in prange(n):", *(f"    {line}" for line in body.split("\n"))]
    source = "def f(y, out, flag, n):\n" + "".join(
        f"    {line}\n" for line in (*lines, f"return {returned}")
    )
    file = f"<own values: {name} {loops}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    names = {"prange": prange}
    exec(compile(source, file, "exec"), names)
    return names["f"]


def outcome(function, flag: int, n: int):
    out = np.zeros(9)
    try:
        return function(np.arange(9.0), out, flag, n), out
    except UnboundLocalError as error:
        return type(error), str(error).removesuffix(OWN)


PROGRAMS = [(name, 1) for name in BODIES] + [(name, 2) for name in TWICE]


@pytest.mark.parametrize(("name", "loops"), PROGRAMS)
def test_a_variable_that_is_set_on_some_paths_is_what_it_is_in_python(name, loops):
    function = function_of(name, loops)
    compiled = cutaway.jit(parallel=True)(function)
    with cutaway.parallel_chunksize(1):
        for flag, n in ((1, 0), (1, 1), (1, 9), (0, 9), (2, 4)):
            assert alike(outcome(function, flag, n), outcome(compiled, flag, n)), (flag, n)
    assert "parfor " in compiled.trace(np.ones(9), np.ones(9), 1, 9).at("parfor").text


@pytest.mark.parametrize("name", ["counter", "flag_after", "inner", "begun_else", "two", "any"])
def test_each_level_does_what_python_does(name):
    args = np.arange(9.0), np.zeros(9), 1, 9
    record = cutaway.jit(parallel=True)(function_of(name)).trace(*args)
    assert record.witness(*args).ok
    assert not record.at("parfor").verify()


def filled_forward(y, out, flag, n):
    for i in prange(n):
        if y[i] % 3 == 0:
            last = y[i]
        out[i] = last


def test_an_iteration_that_reads_what_another_one_left_raises():
    compiled = cutaway.jit(parallel=True)(filled_forward)
    with pytest.raises(UnboundLocalError, match="'last' .* each iteration of a parallel loop"):
        compiled(np.arange(9.0), np.zeros(9), 0, 9)
    witness = compiled.trace(np.arange(9.0), np.zeros(9), 0, 9).witness(
        np.arange(9.0), np.zeros(9), 0, 9
    )
    assert witness.ok
    assert "parallel-own" in str(witness)


REFUSED = {
    "begun": ("c = 0.5", "if y[i] > 3:\n    c = y[i]\nout[i] = c", "`c`", "assign to `c` in each"),
    "before": ("", "if i > 0:\n    out[i] = c\nc = y[i]", "`c`", "assign to `c` on every path"),
    "maybe": ("if flag:\n        c = 0.0", "c += y[i]", "`c`", "assign to `c` on every path"),
    "or": ("s = 7", "s = s or int(y[i])", "`s`", "where it is True or False"),
    "and": ("s = 7", "s = s and y[i] > 0", "`s`", "where it is True or False"),
    **{
        symbol: ("s = 3", f"s {symbol} 2", "`s`", f"`{symbol}` depends on the order")
        for symbol in ("%=", "//=", "**=", "<<=", ">>=")
    },
    "not": ("s = True", "s = not s", "`s`", "`not` depends on the order"),
    "chained": ("s = 3.0", "s = y[i] if s < y[i] < 10 else s", "`s`", "if x < s: s = x"),
    "looked_at": ("s = 0", "out[i] = s\ns += 1", "`s`", "each may only change `s`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_the_order_is_refused_by_its_name_with_a_remedy(name, monkeypatch):
    before, body, shown, hint = REFUSED[name]
    monkeypatch.setitem(BODIES, name, (before, body, "0"))
    with pytest.raises(UnsupportedError) as caught:
        cutaway.jit(parallel=True)(function_of(name))(np.arange(9.0), np.zeros(9), 1, 9)
    assert caught.value.message.endswith(shown)
    assert hint in caught.value.hint
    assert "write range in the place of prange" in caught.value.hint
