"""Every permitted difference exists: Python does this, compiled code that."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway.ledger import ENTRIES, Entry

pytestmark = pytest.mark.sampled(fast=8)

DOCUMENT = Path(__file__).parents[2] / "docs" / "ledger.md"
SHOWN = [entry for entry in ENTRIES.values() if entry.program]


def as_now(words: str) -> str:
    """What an entry says of Python, in the words of the Python that runs."""
    shorter = sys.version_info >= (3, 14)
    return words.replace("float division by zero", "division by zero") if shorter else words


def outcome(entry: Entry, options: tuple[tuple[str, Any], ...] | None) -> str:
    """The outcome of the entry's call in Python, or compiled with options."""
    space: dict[str, Any] = {}
    exec(compile(entry.program, f"<{entry.id}>", "exec"), space)  # noqa: S102
    if options is not None:
        passed = dict(options)
        signature = passed.pop("signature", None)
        space["f"] = cutaway.jit(signature, **passed)(space["f"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return repr(eval(entry.call, space))  # noqa: S307
    except Exception as error:  # noqa: BLE001  whatever is raised
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("entry", SHOWN, ids=lambda entry: entry.id)
def test_the_entry_shows_the_difference(entry):
    assert outcome(entry, None) == as_now(entry.python)
    assert outcome(entry, entry.options) == entry.compiled
    assert entry.python != entry.compiled


@pytest.mark.parametrize("entry", [e for e in SHOWN if e.off is not None], ids=lambda e: e.id)
def test_the_switch_turns_it_off(entry):
    assert outcome(entry, entry.off) == as_now(entry.without or entry.python)


def test_what_no_program_shows_is_tested_here():
    without = {entry.id for entry in ENTRIES.values() if not entry.program}
    assert without == {
        "container-copies",
        "reduction-order",
        "undefined-cast",
        "open-order",
        "late-signals",
        "loop-strides",
        "fastmath",
        "vector-math",
        "complex-eigenvalues",
        "parallel-exception",
        "parallel-races",
        *("gpu-functions", "gpu-fma", "gpu-exceptions", "gpu-checks"),  # tests/unit/cuda/target
    }


def test_parallel_races():
    def moved(a, places):
        for i in cutaway.prange(len(places)):
            a[places[i]] = i

    a, places = np.zeros(2), np.array([1, 1, 0, 1])
    with pytest.raises(cutaway.errors.RaceError):
        cutaway.jit(moved, parallel="check")(a, places)
    cutaway.jit(moved, parallel={"races": "allowed"})(a, places)
    assert a[0] == 2
    assert a[1] in (0, 1, 3)
    record = cutaway.trace(cutaway.jit(moved, parallel={"races": "allowed"}), a, places)
    report = record.witness(a, np.array([1] * 9))
    assert report.ok
    assert "parallel-races" in str(report)


def test_complex_eigenvalues():
    compiled = cutaway.jit(lambda a: np.linalg.eigvals(a))
    assert compiled(np.eye(2)).dtype == np.complex128
    expected = np.linalg.eigvals(np.eye(2))
    assert np.array_equal(compiled(np.eye(2)), expected)
    if np.lib.NumpyVersion(np.__version__) < "2.5.0":
        assert expected.dtype == np.float64


def test_reduction_order():
    a = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    compiled = cutaway.jit(lambda a: a.sum(axis=1))
    assert np.array_equal(compiled(a), a.sum(axis=1))
    assert compiled(a).flags.c_contiguous


def test_undefined_cast():
    a = np.array([1e300, np.nan, -1.0, 7.9])
    found = cutaway.jit(lambda a: a.astype(np.uint32))(a)
    assert found.dtype == np.uint32
    assert found[3] == 7


def test_open_order():
    a = np.random.default_rng(1).integers(0, 20, 40)
    parted = cutaway.jit(lambda a: np.partition(a, 20))(a)
    assert parted[20] == np.sort(a)[20]
    assert parted[:20].max() <= parted[20] <= parted[20:].min()
    places = cutaway.jit(lambda a: np.argsort(a))(a)
    assert np.array_equal(a[places], np.sort(a))
    distinct = cutaway.jit(lambda a: np.unique(a, sorted=False))(a)
    assert np.array_equal(distinct, np.unique(a))


def test_fastmath():
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

    a = np.arange(1000.0) / 10
    assert cutaway.jit(total)(a) == total(a)
    free = cutaway.jit(fastmath=True)(total)
    assert np.isclose(free(a), total(a), rtol=1e-12)
    assert "fadd" in free.inspect_llvm(free.signatures[0])
    assert "reassoc" in free.inspect_llvm(free.signatures[0])


def test_vector_math():
    a = np.random.default_rng(3).uniform(-20, 20, 5000)
    found = cutaway.jit(vector_math=True)(lambda a: np.tanh(a))(a)
    assert not np.array_equal(found, np.tanh(a))
    assert np.allclose(found, np.tanh(a), rtol=1e-15)
    exact = cutaway.jit(fastmath=True, vector_math=False)(lambda a: np.tanh(a))(a)
    assert np.array_equal(exact, np.tanh(a))


def test_loop_strides():
    a = np.random.default_rng(2).random((30, 64))[:, ::-1]
    compiled = cutaway.jit(lambda a: np.expm1(a))
    assert np.allclose(compiled(a), np.expm1(a), rtol=1e-15)
    assert np.array_equal(compiled(a.copy()), np.expm1(a.copy()))


def test_late_signals():
    class Interrupted(Exception):
        pass

    def interrupt(*_):
        raise Interrupted

    @cutaway.jit
    def count(a, n):
        for i in range(n):
            a[0] += (a[0] + i) % 3 >= 0

    a, n = np.zeros(1, dtype=np.int64), 100_000_000
    count(a, 1)
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            count(a, n)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert a[0] == n + 1  # the loop went on to its end


def test_the_document_is_up_to_date():
    text = document()
    if os.environ.get("CUTAWAY_BLESS"):
        DOCUMENT.parent.mkdir(exist_ok=True)
        DOCUMENT.write_text(text)
    assert DOCUMENT.read_text() == text, "run with CUTAWAY_BLESS=1"


def document() -> str:
    parts = [
        "# The ledger of permitted differences\n",
        "Compiled code does what Python does, down to the last bit of a number and the words of"
        " an exception, except for the differences below. Any other difference is a bug."
        " `cutaway.ledger.ENTRIES` holds the entries. `tests/unit/test_ledger.py` writes this page"
        " and runs every program in it.\n",
    ]
    for entry in ENTRIES.values():
        parts.append(f"## {entry.id}\n\n{entry.what}. Why: {entry.why}.\n")
        if entry.switch:
            parts.append(f"To avoid it: {entry.switch}.\n")
        if entry.program:
            shown = "".join(f", {name}={value!r}" for name, value in entry.options)
            parts.append(f"```python\n{entry.program}\n```\n")
            parts.append(
                f"`{entry.call}`\n\n| Python | compiled{shown} |\n|---|---|\n"
                f"| `{entry.python}` | `{entry.compiled}` |\n"
            )
    return "\n".join(parts)
