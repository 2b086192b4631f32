"""Operations on whole arrays that run on all cores."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from corpus.parallel_results import alike
from corpus.programs.compare import outcome
from cutaway import runtime

pytestmark = pytest.mark.sampled(test=8, others=24, fast=0)

THREADS = (1, 2, 4)


@pytest.fixture(autouse=True)
def own_threads():
    before, most = cutaway.get_num_threads(), cutaway.config.NUM_THREADS
    cutaway.config.NUM_THREADS = max(THREADS)
    yield
    cutaway.config.NUM_THREADS = most
    cutaway.set_num_threads(before)


def vectors(n, dtype=np.float64):
    a = ((np.arange(n) * 7) % 11 + 1).astype(dtype)
    return a, a[::-1].copy()


def layouts(array):
    """The same elements, as they may lie in memory."""
    yield array.copy()
    yield np.array(array, order="F")
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    yield wide[..., ::2]


def check(function, *arguments):
    """The same as without threads, for all layouts and numbers of threads."""
    plain, compiled = cutaway.jit(function), cutaway.jit(parallel=True)(function)
    before = runtime.stats()
    for rows in zip(*(layouts(one) for one in arguments), strict=True):
        wanted = outcome(plain, tuple(one.copy(order="K") for one in rows))
        for threads in THREADS:
            cutaway.set_num_threads(threads)
            with cutaway.parallel_chunksize(1):
                found = outcome(compiled, tuple(one.copy(order="K") for one in rows))
            assert alike(wanted, found), (threads, wanted, found)
    del wanted, found
    taken, given = runtime.stats()
    assert taken - given == before[0] - before[1]


def expressions(a, b):
    t = a * b
    return t + 1, np.exp(a / 9) - t, t.sum(), t.max(), (a > b).any(), a.mean()


def stores(a, b):
    a += b
    a[1:] = b[:-1] * 2
    a[a > 5] = 1
    a[::2] = 3
    return a


def overlapping(a, b):
    a[1:] += a[:-1]
    b[:-1] = b[1:]
    return a, b


def lines(a, b):
    c = a.sum(axis=0) + b[0]
    return c, a.max(axis=1), (a * b).mean(axis=1, keepdims=True), a - c


def constructors(a, b):
    c = np.ones(a.shape)
    d = np.full_like(b, 7)
    c[1:] = a[:-1]
    return c, d + c, np.array([x * 2 for x in a.ravel()])


@pytest.mark.parametrize("size", [0, 1, 2, 1000, 5000])
@pytest.mark.parametrize("function", [expressions, stores, overlapping])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_vectors(function, size, dtype):
    check(function, *vectors(size, dtype))


@pytest.mark.parametrize("shape", [(1, 1), (3, 4), (4, 3000), (3000, 4), (70, 80)])
@pytest.mark.parametrize("function", [expressions, lines, constructors])
def test_tables(function, shape):
    a, b = (one.reshape(shape) for one in vectors(shape[0] * shape[1]))
    check(function, a, b)


def test_sizes_that_do_not_fit_are_told_with_the_names_of_the_arrays():
    @cutaway.jit(parallel=True)
    def f(first, second):
        return first + second

    with pytest.raises(ValueError, match=r"shapes \(3,\) \(4,\) \(first, second\)"):
        f(np.ones(3), np.ones(4))
    assert f(np.ones(1), np.ones(4)).shape == (4,)  # one element for all


def test_an_expression_that_two_others_use_is_computed_in_their_loop():
    def f(a):
        t = np.exp(a)
        return t * 2, t.sum()

    text = cutaway.trace(cutaway.jit(parallel=True)(f), np.ones(3)).at("parfor").text
    assert text.count("parfor static") == 1 and text.count("new_array") == 1


@pytest.mark.parametrize(
    ("option", "count"),
    [
        (True, 2),
        ({"fusion": False}, 3),
        ({"reduction": False}, 2),
        ({"numpy": False, "fusion": False}, 2),
        ({"setitem": False, "fusion": False}, 2),
        ({"numpy": False, "reduction": False, "setitem": False}, 0),
    ],
)
def test_the_option_says_what_becomes_parallel(option, count):
    def f(a, b):
        a += b
        return a.sum(), a * b

    trace = cutaway.trace(cutaway.jit(parallel=option)(f), np.ones(3), np.ones(3))
    assert trace.at("parfor").text.count("parfor static") == count


def test_what_reduces_along_an_axis_raises_for_nothing():
    @cutaway.jit(parallel=True)
    def f(a):
        return a.max(axis=0)

    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        f(np.ones((0, 3)))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0, 0)])
def test_it_raises_where_nobody_asks_for_the_result_and_no_line_is_gone_through(shape):
    @cutaway.jit(parallel=True)
    def f(a):
        a.max(axis=-2)
        return a.ndim

    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        f(np.ones(shape))
    assert f(np.ones((*shape[:-2], 1, 0))) == len(shape)


def test_a_comprehension_is_parallel_and_one_that_chooses_is_not():
    def f(a):
        return np.array([x * 2.0 for x in a]), np.array([x for x in a if x > 2])

    trace = cutaway.trace(cutaway.jit(parallel=True)(f), np.arange(5.0))
    assert trace.at("parfor").text.count("parfor static") == 1
    both = cutaway.jit(parallel=True)(f)(np.arange(5.0))
    assert [list(one) for one in both] == [[0, 2, 4, 6, 8], [3, 4]]


def test_code_of_parallel_loops_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))
    space = {"np": np, "cutaway": cutaway}
    (tmp_path / "kept.py").write_text(
        "import cutaway\n@cutaway.jit(parallel=True, cache=True)\n"
        "def f(a):\n    return (a * 2.0).sum()\n"
    )
    for hits in (0, 1):
        text = (tmp_path / "kept.py").read_text()
        exec(compile(text, str(tmp_path / "kept.py"), "exec"), space)  # noqa: S102
        assert space["f"](np.ones(5000)) == 10_000
        assert space["f"].cache_info().hits == hits
