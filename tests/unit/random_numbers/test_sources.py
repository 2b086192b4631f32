"""A source of random numbers is one stream, whoever draws from it: Python, or compiled code."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import cutaway
import warm
from random_numbers.streams import BIT_GENERATORS, GENERATOR, STATE, source

pytestmark = pytest.mark.sampled(fast=5)


@pytest.fixture(autouse=True)
def kept_state() -> Iterator[None]:
    """What a test does to NumPy's own source is undone."""
    state, bits = np.random.get_state(), np.random.get_bit_generator()
    yield
    np.random.set_bit_generator(bits)
    np.random.set_state(state)


@cutaway.jit
def several(rng, n):
    total = 0.0
    for _ in range(n):
        total += rng.normal() * rng.standard_exponential() + rng.uniform(1.0, 3.0)
    return total, rng.poisson(4.0, 3), rng.random(2)


@cutaway.jit
def shared(n):
    total = 0.0
    for _ in range(n):
        total += np.random.normal(1.0, 2.0) + np.random.rand()
    return total, np.random.randint(0, 9, 4), np.random.standard_gamma(0.5)


def equal(left, right):
    return repr(left) == repr(right)


@pytest.mark.parametrize("kind", [GENERATOR, STATE])
@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_calls_of_python_and_of_compiled_code_go_on_in_one_stream(kind, bits):
    ours, numpys = source(kind, bits, 5), source(kind, bits, 5)
    for n in (3, 0, 2):
        assert equal(several(ours, n), several.py_func(numpys, n))
        assert ours.normal() == numpys.normal()
        assert ours.random() == numpys.random()


@pytest.mark.parametrize("bits", BIT_GENERATORS)
def test_functions_of_numpy_draw_from_its_own_source(bits):
    np.random.set_bit_generator(getattr(np.random, bits)(11))
    results = []
    for function in (shared, shared.py_func):
        np.random.get_bit_generator().state = getattr(np.random, bits)(12).state
        np.random.mtrand._rand.standard_normal(2)  # a pair: none is left over
        results.append((function(3), np.random.normal(), function(4), np.random.random()))
    assert equal(*results)


def test_seeding_in_compiled_code_seeds_numpys_own_source():
    @cutaway.jit
    def seeded(n):
        np.random.seed(n)
        return np.random.normal()

    first = seeded(8), np.random.normal()
    np.random.seed(8)
    assert first == (np.random.normal(), np.random.normal())
    with pytest.raises(ValueError, match=r"Seed must be between 0 and 2\*\*32 - 1"):
        seeded(-1)


RNG, STATE_OF_MODULE = np.random.default_rng(77), np.random.RandomState(77)
method = STATE_OF_MODULE.normal


def test_globals_are_the_objects_themselves():
    @cutaway.jit
    def drawn():
        return RNG.normal(), STATE_OF_MODULE.normal(), method(3.0)

    rng, state = np.random.default_rng(77), np.random.RandomState(77)
    for _ in range(2):
        assert drawn() == (rng.normal(), state.normal(), state.normal(3.0))
        assert RNG.random() == rng.random()


def test_a_source_lives_as_long_as_somebody_has_it():
    @cutaway.jit
    def passed_on(rng, other):
        rng.normal()
        made = np.random.default_rng(3)
        made.normal()
        return made, rng, other

    rng, state = np.random.default_rng(1), np.random.RandomState(1)
    for function, given in ((passed_on, (rng, state)), (several, (rng, 2)), (shared, (2,))):
        function(*given)  # what compilation keeps is not what calls lose
    gc.collect()  # nor is what other tests have left
    counts = [sys.getrefcount(one) for one in (rng, state, np.random.mtrand._rand)]
    for _ in range(50):
        made = passed_on(rng, state)
        several(rng, 2)
        shared(2)
    assert made[1] is rng and made[2] is state
    references = sys.getrefcount(made[0])
    assert references == 2  # the tuple's, and that of the question
    del made
    gc.collect()
    assert counts == [sys.getrefcount(one) for one in (rng, state, np.random.mtrand._rand)]


def test_the_state_is_not_torn_by_threads():
    @cutaway.jit(nogil=True)
    def many(rng, n):
        total = 0.0
        for _ in range(n):
            total += rng.random() + rng.random(3).sum()
        return total

    rng, other = source(GENERATOR, "MT19937", 3), source(GENERATOR, "MT19937", 3)
    many(rng, 0)
    work = [lambda: many(rng, 3000), lambda: rng.random(12000), lambda: many(rng, 3000)]
    threads = [threading.Thread(target=one) for one in work]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    other.random(36000)
    assert rng.random() == other.random()


def test_who_has_the_lock_can_draw():
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    with rng.bit_generator.lock:
        assert equal(several(rng, 3), several.py_func(other, 3))


def test_every_level_draws_the_same_numbers():
    def program(rng, n):
        np.random.seed(n)
        total = 0.0
        for _ in range(n):
            total += rng.normal() + np.random.normal()
        return total, rng.integers(0, 9, 3), rng.permutation(n)

    witness = cutaway.trace(program, np.random.default_rng(2), 3).witness()
    assert witness.ok and {row.mark.value for row in witness.rows} == {"equal"}


def test_a_call_that_hits_runs_no_python():
    @cutaway.jit
    def one(rng):
        return rng.random()

    rng = np.random.default_rng(2)
    one(rng)
    explained = str(one.explain_dispatch(rng))
    assert "Generator" in explained and "compile" not in explained


def test_code_that_draws_is_kept_on_disk(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text("""
import numpy as np, cutaway
from numpy.random import exponential

@cutaway.jit(cache=True)
def drawn(rng, n):
    return rng.normal(size=n).sum() + np.random.normal() + exponential(2.0)

np.random.seed(3)
found = drawn(np.random.default_rng(1), 4)
np.random.seed(3)
assert found == drawn.py_func(np.random.default_rng(1), 4)
print(sum(drawn.stats.cache_hits.values()))
""")
    home = Path(cutaway.__file__).parent.parent
    env = {"PYTHONPATH": str(home), "CUTAWAY_CACHE_DIR": str(tmp_path / "cache")}
    runs = [
        warm.run(
            [sys.executable, program], env=env, capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert runs == ["0", "1"]


REFUSED = (
    (lambda rng: rng.bytes(3), "a value of type Generator has no attribute 'bytes'"),
    (lambda rng: rng.normal("x"), "method 'normal' of Generator does not accept"),
    (lambda rng: rng.integers(3, dtype="x"), "'x' is not a dtype"),
    (lambda rng: np.random.get_state(), "method 'get_state' of RandomState does not accept"),
)


@pytest.mark.parametrize(("program", "words"), REFUSED)
def test_what_cannot_be_compiled_is_refused(program, words):
    with pytest.raises(cutaway.errors.TypingError, match=words):
        cutaway.jit(program)(np.random.default_rng(1))


def test_a_subclass_cannot_be_passed():
    class Mine(np.random.Generator):
        pass

    with pytest.raises(cutaway.errors.TypingError, match="a value of type Mine cannot be passed"):
        several(Mine(np.random.PCG64(1)), 1)
