"""The programs of the case table with `parallel=True`, on one, two and four threads, divided into
pieces of one place as far as they can be."""

from __future__ import annotations

import pytest

import corpora
import cutaway
from corpus.parallel_results import alike
from corpus.programs.cases import CASES, Case
from corpus.programs.compare import outcome
from cutaway.errors import CutawayError

pytestmark = pytest.mark.sampled(test=4, others=12)

LARGEST = 4


@pytest.fixture(autouse=True)
def own_threads():
    before, most = cutaway.get_num_threads(), cutaway.config.NUM_THREADS
    cutaway.config.NUM_THREADS = LARGEST
    yield
    cutaway.config.NUM_THREADS = most
    cutaway.set_num_threads(before)


def checked(case: Case) -> None:
    plain = cutaway.jit(case.function)
    compiled = cutaway.jit(parallel=True)(case.function)
    for make in case.arguments:
        expected = outcome(plain, make())
        for threads in (1, 2, LARGEST):
            cutaway.set_num_threads(threads)
            with cutaway.parallel_chunksize(1):
                found = outcome(compiled, make())
            assert alike(expected, found), (case.name, threads, expected, found)


@pytest.mark.slow
@pytest.mark.part
@pytest.mark.parametrize("case", corpora.sample(4, CASES), ids=lambda case: case.name)
def test_a_program_does_the_same_in_parallel(case):
    try:
        checked(case)
    except CutawayError as error:
        pytest.fail(f"{case.name}: {error}")
