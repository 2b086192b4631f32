"""Which thread ran which iterations, as it was measured."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from rich.console import Console

import cutaway
from cutaway import config, prange
from cutaway.errors import PipelineError
from cutaway.inspection.parallel.iterations import Iterations, duration
from cutaway.runtime import _runtime


@pytest.fixture
def four_threads(monkeypatch):
    most, count = _runtime.most_threads(), _runtime.thread_count()
    monkeypatch.setattr(config, "NUM_THREADS", 4)
    cutaway.set_num_threads(4)
    yield
    _runtime.set_most_threads(most)
    _runtime.set_thread_count(count)


@cutaway.jit(parallel=True)
def roots(a, out):
    s = 0.0
    for i in prange(len(a)):
        out[i] = np.sqrt(a[i])
        s += a[i]
    return s


@cutaway.jit(parallel=True)
def triangle(a, out):
    for i in prange(len(a)):
        s = 0.0
        for k in range(i):
            s += a[k]
        out[i] = s
    for k in range(3):
        for i in prange(2):
            out[i] += k


@cutaway.jit(parallel=True)
def raises(a, out):
    for i in prange(len(a)):
        out[i] = 1.0 / a[i]


@cutaway.jit(parallel=True)
def calls(a, out):
    return roots(a, out)


A = np.random.default_rng(1).random(20_000)


def run(f, a=A, **options):
    return cutaway.trace(f, a, np.zeros_like(a)).iterations(**options)


def test_the_pieces_are_all_iterations_each_once(four_threads):
    seen = run(roots)
    (region,) = seen.regions
    assert region["line"] == roots.py_func.__code__.co_firstlineno + 3
    assert region["schedule"] == "static" and region["parts"] == len(region["pieces"]) == 4
    covered = [piece["bounds"][0] for piece in region["pieces"]]
    assert covered[0][0] == 0 and covered[-1][1] == region["sizes"][0] == len(A)
    assert all(one[1] == other[0] for one, other in zip(covered, covered[1:], strict=False))
    for piece in region["pieces"]:
        assert 0 <= piece["thread"] < seen.threads == 4
        assert region["begin"] <= piece["begin"] <= piece["end"] <= region["end"]


def test_loops_of_several_runs_and_those_that_are_not_divided(four_threads):
    a = A[:500]
    seen = run(triangle, a)
    first, *others = seen.regions
    assert first["schedule"] == "dynamic" and first["parts"] == 32
    assert [one["parts"] for one in others] == [1, 1, 1]
    divided, undivided = seen.shown
    assert undivided["runs"] == 3
    text = str(seen)
    assert "for i in prange(len(a)): 500 iterations, dynamic, 32 pieces on" in text
    assert "for i in prange(2): 2 iterations, 3 times, undivided: estimated to take" in text
    assert "0..500 " in text and "at work" in text


def test_a_run_that_raises_says_so_and_shows_what_was_left_out(four_threads):
    a = A.copy()
    a[0] = 0.0
    seen = run(raises, a)
    assert "which ended with ZeroDivisionError" in seen.head
    (region,) = seen.regions
    assert 1 <= len(region["pieces"]) <= region["parts"]


def test_loops_of_functions_that_are_called_are_named(four_threads):
    seen = run(calls)
    (region,) = seen.regions
    assert region["function"] == "roots"


def test_a_function_that_calls_a_stencil_can_be_watched(four_threads):
    @cutaway.stencil
    def blur(a):
        return (a[-1] + a[1]) / 2

    @cutaway.jit(parallel=True)
    def blurred(a, out):
        return blur(a) + 1.0

    regions = run(blurred).regions
    assert any(region["parts"] > 1 for region in regions)
    assert any("a loop of" in region["text"] for region in regions if not region["line"])


def test_nothing_is_parallel_on_one_thread():
    before = _runtime.thread_count()
    cutaway.set_num_threads(1)
    try:
        text = str(run(roots))
    finally:
        _runtime.set_thread_count(before)
    assert "undivided: there is one thread" in text


def test_a_function_without_parallel_loops_says_so():
    @cutaway.jit(parallel=True)
    def plain(a, out):
        return a[0]

    assert "no parallel loop was run" in str(run(plain))
    assert "no parallel loop was run" in run(plain).svg()


def test_what_takes_too_long_or_does_not_fit_is_refused(four_threads):
    @cutaway.jit(parallel=True)
    def endless(a, out):
        for i in prange(len(a)):
            while a[i] >= 0.0:
                out[i] += 1.0

    with pytest.raises(PipelineError, match="had not ended after"):
        run(endless, seconds=0.3)
    with pytest.raises(PipelineError, match="is not of type"):
        cutaway.trace(roots, A, A.copy()).iterations(1, 2)


def test_nobody_watches_once_it_is_over(four_threads):
    run(roots)
    roots(A, A.copy())
    assert _runtime.loops_seen()[0] == b""


def test_a_watch_in_this_process_sees_loops_and_begins_anew(four_threads):
    roots(A, A.copy())
    sizes = []
    for _ in range(2):
        _runtime.watch_loops()
        roots(A, A.copy())
        seen, lost = _runtime.loops_seen()
        sizes.append(len(seen))
        assert not lost
    assert sizes[0] == sizes[1] > 0


# --- what is shown --------------------------------------------------------------------------------


def made_up(sizes, pieces):
    region = {
        "line": 3,
        "text": "a + b",
        "function": "f",
        "sizes": sizes,
        "dimensions": len(sizes),
        "schedule": "static",
        "parts": len(pieces),
        "cost": 0.0,
        "begin": 0.0,
        "end": 100.0,
        "pieces": [
            {"part": k, "thread": thread, "begin": 10.0 * k, "end": 90.0, "bounds": bounds}
            for k, (thread, bounds) in enumerate(pieces)
        ],
    }
    facts = {"function": "f()", "threads": 2, "seconds": 1e-4, "error": "", "sampled": False}
    return Iterations({**facts, "lost": 0, "regions": [region]})


TWO = made_up([6, 8], [(0, [[0, 3], [0, 8]]), (1, [[3, 6], [0, 4]]), (0, [[3, 6], [4, 8]])])
THREE = made_up([2, 4, 2], [(0, [[0, 2], [0, 2], [0, 2]]), (1, [[0, 2], [2, 4], [0, 2]])])


def test_two_dimensions_are_drawn_as_a_table_of_threads():
    text = str(TWO)
    assert "6 x 8 iterations, static, 3 pieces on 2 threads, 100 µs" in text
    assert [line.split()[1] for line in text.splitlines()[2:8]] == ["0" * 8] * 3 + ["11110000"] * 3


@pytest.mark.parametrize("seen", [TWO, THREE])
def test_the_drawing_is_svg_with_each_piece_in_places_and_in_time(seen, tmp_path):
    tree = ElementTree.fromstring(seen.save_svg(tmp_path / "seen.svg").read_text())
    pieces = [one for one in tree.iter() if one.get("class") == "piece"]
    assert len(pieces) == 2 * len(seen.regions[0]["pieces"])
    assert {one.get("data-thread") for one in pieces} == {"0", "1"}
    assert seen._repr_mimebundle_()["image/svg+xml"] == seen.svg()


def test_what_was_left_out_is_a_dot():
    assert "0000...." in str(made_up([8], [(0, [[0, 4]])] + [(1, [[4, 4]])]))


def test_it_shows_itself_in_a_terminal():
    console = Console(file=io.StringIO(), width=100)
    console.print(TWO)
    assert "thread 1" in console.file.getvalue()


@pytest.mark.parametrize(
    ("microseconds", "text"), [(0.5, "0.5 µs"), (1500.0, "1.5 ms"), (2.5e6, "2.5 s")]
)
def test_durations_have_the_unit_that_fits(microseconds, text):
    assert duration(microseconds) == text
