"""Iterations of parallel loops draw from streams of their own: those of NumPy's Philox."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway import jit, prange
from random_numbers.streams import OF_BOTH, source

N = 20_000  # so many that the loop is divided


@pytest.fixture(autouse=True)
def threads():
    yield
    cutaway.set_num_threads(cutaway.get_num_threads())
    cutaway.set_parallel_chunksize(0)


def key_of(rng: Any) -> list[int]:
    """The key that a loop draws from a source."""
    draw = getattr(rng, "integers", None) or rng.randint
    return [int(draw(0, 2**64, dtype=np.uint64)) for _ in range(2)]


def stream(rng: Any, key: list[int], *place: int) -> Any:
    """The stream of an iteration."""
    words = [index % 2**64 for index in place] + [0] * (3 - len(place))
    # an array: in a list words below 2**63 would make floats of those above
    counter = np.array([0, *words], np.uint64)
    return type(rng)(np.random.Philox(key=np.array(key, np.uint64), counter=counter))


def run(function: Any, kind: str, make: Any, *, many: bool = True) -> Any:
    """What a function of a source gives with one thread, several, and in pieces of one place: the
    same; and the source is left the same."""
    compiled = jit(parallel=True)(function)
    results = []
    for count, chunk in ((1, 0), (2, 0), (2, 1), (cutaway.get_num_threads(), 7)):
        cutaway.set_num_threads(count)
        cutaway.set_parallel_chunksize(chunk)
        rng = source(kind, "PCG64", 3)
        results.append((make(compiled, rng), rng.standard_normal()))
    first = results[0]
    for other in results[1:]:
        assert np.array_equal(other[0], first[0]) and other[1] == first[1]
    return first[0]


def filled(function: Any, rng: Any, size: int = N) -> np.ndarray:
    out = np.zeros(size)
    function(out, rng)
    return out


@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
def test_an_iteration_draws_what_philox_gives_for_it(kind):
    def drawing(out, rng):
        for i in prange(len(out)):
            out[i] = rng.random() + 2.0 * rng.normal(1.0, 3.0)

    found = run(drawing, kind, filled)
    rng = source(kind, "PCG64", 3)
    key = key_of(rng)
    for i in (0, 1, 2, 777, N - 1):
        own = stream(rng, key, i)
        assert found[i] == own.random() + 2.0 * own.normal(1.0, 3.0)


@pytest.mark.parametrize("kind", ["Generator", "RandomState"])
@pytest.mark.parametrize("name", sorted(OF_BOTH))
def test_all_distributions_draw_from_the_streams(kind, name):
    params = OF_BOTH[name][-1]
    scope: dict[str, Any] = {"prange": prange}
    text = "def drawing(out, rng):\n    for i in prange(len(out)):\n"
    text += f"        out[i] = rng.{name}{params!r}\n        out[i] += rng.{name}{params!r}\n"
    exec(text, scope)
    compiled = jit(parallel=True)(scope["drawing"])
    rng, again = source(kind, "MT19937", 5), source(kind, "MT19937", 5)
    found, key = filled(compiled, rng, 12), key_of(again)
    for i in range(12):
        own = stream(again, key, i)
        expected = float(getattr(own, name)(*params))
        assert found[i] == expected + getattr(own, name)(*params)


def test_integers_arrays_and_orders_are_drawn_from_the_streams():
    def drawing(out, rng):
        for i in prange(len(out)):
            a = rng.normal(size=3)
            order = np.arange(5)
            rng.shuffle(order)
            few = rng.multinomial(4, (0.25, 0.75))
            out[i] = a.sum() + rng.integers(0, 100) + order[0] + few[0]

    found = run(drawing, "Generator", lambda f, rng: filled(f, rng, 300))
    assert len(set(found)) > 250


def test_functions_of_numpy_draw_from_streams_of_its_own_source():
    @jit
    def walk(steps):
        x = 0.0
        for _ in range(steps):
            x += np.random.standard_normal()
        return x

    def simulated(out):  # it draws nowhere itself
        for i in prange(len(out)):
            out[i] = walk(3)

    found = []
    for count in (1, 2):
        cutaway.set_num_threads(count)
        np.random.seed(8)
        out = np.zeros(2000)
        jit(parallel=True)(simulated)(out)
        found.append((out.tolist(), np.random.random()))
    assert found[0] == found[1]
    np.random.seed(8)
    state = np.random.mtrand._rand
    own = stream(state, key_of(state), 7)
    assert found[0][0][7] == sum(own.standard_normal() for _ in range(3))


def test_a_nest_has_streams_by_all_its_variables():
    def drawing(out, rng):
        for i in prange(2, 50):
            for j in prange(-3, 40):
                out[i, j] = rng.random()

    out, rng = np.zeros((60, 60)), np.random.default_rng(1)
    compiled = jit(parallel=True)(drawing)
    compiled(out, rng)
    again = np.random.default_rng(1)
    key = key_of(again)
    by_both = stream(again, key, 7, 8).random()
    by_outer = stream(again, key, 7)
    row = [by_outer.random() for _ in range(-3, 40)]
    assert out[7, 8] in (by_both, row[8 + 3])
    assert len(set(out[2:50, :40].ravel())) == 48 * 40


def test_each_run_of_a_loop_has_other_numbers():
    @jit(parallel=True)
    def drawing(out, rng):
        for _ in range(2):
            for i in prange(len(out)):
                out[i] += rng.random()

    rng, again = np.random.default_rng(4), np.random.default_rng(4)
    out = filled(drawing, rng, 5)
    first, second = key_of(again), key_of(again)
    assert out[3] == stream(again, first, 3).random() + stream(again, second, 3).random()


def test_sources_made_in_an_iteration_are_its_own():
    @jit(parallel=True)
    def drawing(out):
        for i in prange(len(out)):
            out[i] = np.random.default_rng(i).random()

    out = np.zeros(300)
    drawing(out)
    assert out.tolist() == [np.random.default_rng(i).random() for i in range(300)]


def test_a_source_that_is_seeded_in_an_iteration_has_the_stream_of_the_seed():
    @jit(parallel=True)
    def drawing(out):
        for i in prange(len(out)):
            out[i] = np.random.random()
            np.random.seed(i)
            out[i] -= np.random.random()

    np.random.seed(1)
    out = np.zeros(50)
    drawing(out)
    np.random.seed(1)
    state = np.random.mtrand._rand
    key = key_of(state)
    for i in (0, 3, 49):
        seeded = np.random.RandomState(np.random.Philox(i))
        assert out[i] == stream(state, key, i).random() - seeded.random()


def test_sources_in_a_tuple_have_streams_too():
    @jit(parallel=True)
    def drawing(out, sources):
        for i in prange(len(out)):
            out[i] = sources[i % 2].random() + sources[0].random()

    def both():
        return np.random.default_rng(1), np.random.default_rng(2)

    found = []
    for count in (1, 2):
        cutaway.set_num_threads(count)
        found.append(filled(drawing, both(), 3000).tolist())
    assert found[0] == found[1]
    sources = both()
    streams = [stream(one, key_of(one), 8) for one in sources]
    assert found[0][8] == streams[0].random() + streams[0].random()


def test_after_an_iteration_that_raises_the_source_is_drawn_from_again():
    @jit(parallel=True)
    def drawing(out, rng):
        for i in prange(len(out)):
            out[i] = rng.random()
            if i == 700:
                raise ValueError("enough")

    @jit
    def one(rng):
        return rng.random()

    rng, again = np.random.default_rng(6), np.random.default_rng(6)
    for _ in range(3):
        with pytest.raises(ValueError, match="enough"):
            filled(drawing, rng)
        key_of(again)
    assert one(rng) == again.random()


def test_the_interpreter_draws_the_same_numbers_at_the_level_of_parfors():
    def drawing(out, rng):
        for i in prange(len(out)):
            out[i] = rng.random() + np.random.normal()

    out, expected = np.zeros(30), np.zeros(30)
    compiled = jit(parallel=True)(drawing)
    trace = cutaway.trace(compiled, out, np.random.default_rng(1))
    assert "own streams for (i" in trace.at("parfor").text
    np.random.seed(2)
    trace.at("parfor").run(out, np.random.default_rng(1))
    np.random.seed(2)
    jit(parallel=True)(drawing)(expected, np.random.default_rng(1))
    assert out.tolist() == expected.tolist()


def test_a_body_that_begins_with_a_loop_begins_its_iteration_once():
    @jit(parallel=True)
    def tries(out, rng):
        for i in prange(len(out)):
            while True:
                if rng.random() < 0.2:
                    break
                out[i] += 1

    rng, again = np.random.default_rng(2), np.random.default_rng(2)
    out, key = filled(tries, rng, 400), key_of(again)
    for i in range(400):
        own, count = stream(again, key, i), 0
        while own.random() >= 0.2:
            count += 1
        assert out[i] == count


def test_draws_are_no_race():
    def drawing(out):
        for i in prange(len(out)):
            out[i] = np.random.random()

    report = cutaway.check_races(drawing, np.zeros(10))
    assert not report and not report.unchecked
