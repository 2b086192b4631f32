"""Why a loop is parallel and another one is not, and what of the edits that were tried works."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import prange
from cutaway.__main__ import main
from cutaway.errors import NotCompiledError, OptionError, PipelineError
from cutaway.inspection.record.recorded import load

pytestmark = pytest.mark.sampled(test=2, others=12)

A = np.random.default_rng(1).random(40)
POINTS, CENTER = np.random.default_rng(2).random((50, 3)), np.zeros(3)


@cutaway.jit(parallel=True)
def distances(points, center):
    out = np.empty(len(points))
    nearest = np.inf
    for i in prange(len(points)):
        d = 0.0
        for k in range(points.shape[1]):
            d += (points[i, k] - center[k]) ** 2
        out[i] = d
        nearest = min(nearest, d)
    return out, nearest


@cutaway.jit(parallel=True)
def several(a, out):
    for i in range(len(a)):
        out[i] = a[i] * 2.0
    for i in range(1, len(a)):
        out[i] = out[i - 1] + a[i]
    s = 0.0
    for x in a:
        s += x
    while s > 1.0:
        s /= 2.0
    return s


@cutaway.jit(parallel=True)
def chained(a):
    s = 0.0
    for i in prange(len(a)):
        s = s * 2.0 + a[i]
    return s


@cutaway.jit(parallel=True)
def never(a):
    if a is None:
        for i in prange(3):
            a = i
    return a


@cutaway.jit
def off(a, out):
    for i in prange(len(a)):
        out[i] = a[i]
    return out


@cutaway.jit(parallel={"prange": False})
def off_by_name(a, out):
    for i in prange(len(a)):
        out[i] = a[i]
    return out


@cutaway.jit(parallel=True)
def counted(a, out):
    for i in range(len(a)):
        out[int(a[i] * 3)] += 1.0
    return out


def line_of(f, number):
    return f.py_func.__code__.co_firstlineno + number


def loops_of(c):
    return {row["line"]: row for row in c.parallel.loops}


def test_why_parallel_tells_the_nest_the_stores_the_reductions_and_the_schedule():
    c = cutaway.trace(distances, POINTS, CENTER)
    why = c.why_parallel(line_of(distances, 4))
    assert why.parallel
    text = str(why)
    assert "`for i in prange(len(points)):` is parallel" in text
    assert "`i` goes from 0 to below len(points)" in text
    assert "`out[i] = d`: along axis 0 of `out` its place is another for each `i`" in text
    assert "`nearest` is a reduction by `min`" in text
    line = line_of(distances, 6)
    assert f"because the loop of line {line} may make some iterations longer" in text
    assert "is estimated to take" in text
    (loop,) = why.loops
    assert loop["by"] == "prange_to_parfor" and loop["nest"]["schedule"] == "dynamic"


def test_a_line_within_a_parallel_loop_belongs_to_it():
    c = cutaway.trace(distances, POINTS, CENTER)
    assert (
        c.why_parallel(line_of(distances, 8)).loops == c.why_parallel(line_of(distances, 4)).loops
    )
    inner = c.why_not_parallel(line_of(distances, 7))
    assert "is run by one thread at a time" in str(inner)
    assert f"parallel loop of line {line_of(distances, 4)}" in str(inner)
    (tried,) = inner.loops[0]["tried"]
    assert tried["verdict"] == "works" and "prange(points.shape[1])" in tried["text"]


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (2, "it goes over `range`, whose iterations run one after the other"),
        (4, "it goes over `range`"),
        (7, "it goes over the items of something"),
        (9, "how often a `while` loop runs is not known before it ends"),
    ],
)
def test_the_reason_of_each_kind_of_loop(number, reason):
    c = cutaway.trace(several, A, A.copy())
    loop = loops_of(c)[line_of(several, number)]
    assert loop["verdict"] == "serial" and reason in loop["reason"]


def test_prange_is_tried_in_the_place_of_range_before_it_is_told():
    c = cutaway.trace(several, A, A.copy())
    good, bad = (c.why_not_parallel(line_of(several, k)) for k in (2, 4))
    (tried,) = good.loops[0]["tried"]
    assert tried["verdict"] == "works"
    assert "tried: line" in str(good) and "for i in prange(len(a)):" in str(good)
    (tried,) = bad.loops[0]["tried"]
    assert tried["verdict"] == "refused"
    assert "it is refused: an iteration of a parallel loop stores" in str(bad)


def test_of_large_arrays_the_beginning_is_tried():
    large = np.random.default_rng(3).random(200_000)
    c = cutaway.trace(several, large, large.copy())
    good, bad = (c.why_not_parallel(line_of(several, k)).loops[0]["tried"][0] for k in (2, 4))
    assert good["verdict"] == "works"
    assert "with the first 40 elements along each axis" in good["words"]
    assert bad["verdict"] == "refused"


def test_a_race_that_shows_with_the_arguments_is_told():
    c = cutaway.trace(counted, A, np.zeros(3))
    answer = c.why_not_parallel(line_of(counted, 2))
    (tried,) = answer.loops[0]["tried"]
    assert tried["verdict"] in ("warned", "different")
    assert not answer.parallel


def test_a_loop_that_is_refused_has_the_message_and_its_hint():
    c = cutaway.trace(chained, A)
    text = str(c.why_not_parallel(line_of(chained, 3)))
    assert "because the iterations of a parallel loop depend on each other by `s`" in text
    assert "hint: each may only change `s` by +=" in text
    assert "it works, on one thread" in text
    assert not c.why_parallel(line_of(chained, 3)).parallel


def test_a_loop_that_is_turned_off_says_by_which_option():
    out = A.copy()
    plain = cutaway.trace(off, A, out).why_not_parallel()
    named = cutaway.trace(off_by_name, A, out).why_not_parallel()
    assert "without `parallel=True`" in str(plain)
    assert "turns loops over `prange` off" in str(named)
    for answer in (plain, named):
        (tried,) = answer.loops[0]["tried"]
        assert tried["verdict"] == "works" and tried["text"] == "@jit(parallel=True)"


def test_a_loop_that_no_argument_of_these_types_reaches():
    assert "never comes to it" in str(cutaway.trace(never, A).why_not_parallel())


def test_what_is_tried_without_arguments_is_compiled_only():
    c = several.trace(cutaway.types.float64[::1], cutaway.types.float64[::1])
    (tried,) = c.why_not_parallel(line_of(several, 2)).loops[0]["tried"]
    assert tried["verdict"] == "unknown"


def test_a_line_without_a_loop_says_where_loops_are():
    c = cutaway.trace(chained, A)
    with pytest.raises(PipelineError, match="there is no loop in line 1 of chained") as error:
        c.why_parallel(1)
    assert error.value.hint == f"loops are in line {line_of(chained, 3)}"


def test_letters_beyond_ascii_are_no_obstacle():
    @cutaway.jit(parallel=True)
    def größe(a):
        für_alle = 0.0  # ü
        for ä in range(len(a)):
            für_alle += a[ä]
        for i in range(len(a)):
            a[i] = für_alle
        return für_alle

    c = cutaway.trace(größe, A.copy())
    first, second = c.why_not_parallel().loops
    assert first["text"] == "for ä in range(len(a)):" and first["tried"] == []
    assert second["tried"][0]["verdict"] == "works"


def test_a_record_answers_as_the_compilation_does(tmp_path):
    c = cutaway.trace(distances, POINTS, CENTER)
    c.save(tmp_path / "f.cutaway")
    record = load(tmp_path / "f.cutaway")
    line = line_of(distances, 4)
    assert str(record.why_parallel(line)) == str(c.why_parallel(line))
    assert str(record.why_not_parallel()) == str(c.why_not_parallel())
    assert str(record.parallel) == str(c.parallel)
    with pytest.raises(PipelineError, match="nothing is recorded of parallel loops"):
        cutaway.trace(off, A, A.copy()).record.why_parallel()


def test_answers_show_themselves():
    c = cutaway.trace(distances, POINTS, CENTER)
    for shown in (c.why_parallel(), c.why_not_parallel(), c.parallel):
        assert "prange(len(points))" in shown._repr_mimebundle_()["text/html"]
        assert shown.to_dict()["function"].startswith("distances(")


# --- loops over arrays ----------------------------------------------------------------------------


@cutaway.jit(parallel=True)
def arrays(a, b, c):
    t = a * b
    u = c + 1.0
    w = np.sort(a)
    return t, u, w


@cutaway.jit(parallel=True)
def chain(a, b):
    t = a * b
    u = t * 2.0
    return t, u


def test_expressions_that_became_parallel_loops_are_loops_with_their_statements():
    c = cutaway.trace(chain, A, A.copy())
    first, second = (line_of(chain, k) for k in (2, 3))
    rows = loops_of(c)
    assert rows[first]["verdict"] == "fused" and rows[second]["verdict"] == "parallel"
    assert rows[second]["by"] == "numpy_to_parfor"
    assert rows[second]["text"] == "u = t * 2.0"
    text = str(c.why_parallel(first))
    assert f"it is run together with the parallel loop of line {second}" in text
    assert "each iteration has an element of `u` of its own" in text
    assert c.why_parallel().parallel and c.why_not_parallel().parallel


def test_two_parallel_loops_say_why_they_are_one():
    c = cutaway.trace(chain, A, A.copy())
    answer = c.why_not_fused(line_of(chain, 2), line_of(chain, 3))
    assert answer.fused
    assert "are one" in str(answer) and "they go over the same elements" in str(answer)
    assert str(c.record.why_not_fused(*answer.asked)) == str(answer)


def test_two_parallel_loops_say_why_they_stay_two_and_what_was_tried():
    c = cutaway.trace(arrays, A, A.copy(), A.copy())
    answer = c.why_not_fused(line_of(arrays, 2), line_of(arrays, 3))
    assert not answer.fused
    text = str(answer)
    assert "nothing proves that axis 0 of" in text
    assert "[test_why_parallel.py:" in text
    (tried,) = answer.to_dict()["pair"]["tried"]
    assert tried["verdict"] == "works", tried
    assert "assert a.shape == b.shape" in tried["text"]  # one assertion does not suffice
    assert "they are one loop then" in text
    assert "text/html" in answer._repr_mimebundle_()


def test_loops_that_nothing_compared_say_the_one_reason():
    @cutaway.jit(parallel=True)
    def blocks(a, b, n):
        c = a * 2
        for i in cutaway.prange(n):
            if a[i] > 0:
                c[i] = 0
        d = b + 1
        if n > 3:
            d = b * 2
        return c, d

    c = blocks.trace(A, A.copy(), 2)
    array, loop, between, branch = (line_of(blocks, k) for k in (2, 3, 6, 8))
    texts = [
        str(c.why_not_fused(*pair)) for pair in ((array, loop), (array, branch), (between, branch))
    ]
    assert not any(" or " in text for text in texts)
    assert "more than to read and write" in texts[0] or "different basic blocks" in texts[0]
    assert f"the parallel loop of line {between} stands between them" in texts[1]
    assert "they are in different basic blocks" in texts[2]


def test_a_line_without_a_parallel_loop_is_in_no_pair():
    c = cutaway.trace(arrays, A, A.copy(), A.copy())
    with pytest.raises(PipelineError, match="there is no parallel loop in line") as error:
        c.why_not_fused(line_of(arrays, 2), line_of(arrays, 4))
    assert str(line_of(arrays, 2)) in error.value.hint


def test_the_command_line_explains_loops(tmp_path, capsys):
    program = tmp_path / "program.py"
    program.write_text(
        "from cutaway import jit, prange\n"
        "@jit(parallel=True)\n"
        "def f(n):\n"
        "    s = 0\n"
        "    for i in prange(n):\n"
        "        s += i\n"
        "    return s\n"
    )
    assert main(["explain", f"{program}:f", "--args", "10", "--parallel"]) == 0
    assert "1 of 1 loop is parallel" in capsys.readouterr().out
    assert main(["explain", f"{program}:f", "--args", "10", "--parallel", "--line", "5"]) == 0
    assert "`i` goes from 0 to below n" in capsys.readouterr().out
    assert main(["explain", f"{program}:f", "--args", "10", "--iterations"]) == 0
    assert "10 iterations, undivided" in capsys.readouterr().out


# --- f.parallel_diagnostics -----------------------------------------------------------------------


def test_diagnostics_print_each_loop_with_its_line(capsys):
    distances(POINTS, CENTER)
    said = []
    for level in (1, 2, 3, 4):
        distances.parallel_diagnostics(level=level)
        said.append(capsys.readouterr().out)
    first = said[0]
    assert "1 of 2 loops is parallel, 1 run within it" in first
    line = line_of(distances, 4)
    assert f"{line}  for i in prange(len(points)):   # parallel, dynamic" in first
    assert "`nearest` is a reduction by `min`" in first
    assert [len(text) for text in said] == sorted({len(text) for text in said})
    assert "taken from outside: points: array(float64, 2d, C)" in said[3]


def test_diagnostics_of_a_signature_and_of_none(capsys):
    @cutaway.jit(parallel=True)
    def f(a):
        s = 0.0
        for i in prange(len(a)):
            s += a[i]
        return s

    f.parallel_diagnostics()
    assert "f was not compiled yet" in capsys.readouterr().out
    f(A), f(A.astype(np.float32))
    f.parallel_diagnostics("(float32[::1],)")
    said = capsys.readouterr().out
    assert "float32" in said and "float64" not in said
    f.parallel_diagnostics()
    assert capsys.readouterr().out.count("parallel loops of ") == 2
    with pytest.raises(NotCompiledError):
        f.parallel_diagnostics("(int64,)")
    with pytest.raises(OptionError, match="must be 1, 2, 3 or 4"):
        f.parallel_diagnostics(level=0)


def test_diagnostics_of_code_from_the_cache_compile_it_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cutaway.config, "CACHE_DIR", str(tmp_path))

    def made():
        return cutaway.jit(parallel=True, cache=True)(chain_of_products)

    made()(A)
    again = made()
    again(A)
    assert again.stats.compilations == 0
    again.parallel_diagnostics()
    assert "`p` is a reduction by `multiply`" in capsys.readouterr().out


def chain_of_products(a):
    p = 1.0
    for i in prange(len(a)):
        p *= a[i]
    return p


@pytest.mark.parametrize("name", ["CUTAWAY_PARALLEL_DIAGNOSTICS", "NUMBA_PARALLEL_DIAGNOSTICS"])
def test_the_environment_asks_for_diagnostics_of_what_is_compiled(name, monkeypatch, capsys):
    monkeypatch.setenv(name, "2")

    @cutaway.jit(parallel=True)
    def f(a):
        s = 0.0
        for i in prange(len(a)):
            s += a[i]
        return s

    @cutaway.jit
    def g(a):
        for i in range(len(a)):
            a[i] = i
        return a

    f(A), g(A.copy())
    said = capsys.readouterr().out
    assert said.count("PARALLEL LOOPS") == 1
    assert "1 of 1 loop is parallel" in said and "schedule static" in said
