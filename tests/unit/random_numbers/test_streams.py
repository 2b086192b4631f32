"""The numbers of each distribution are NumPy's, bit for bit, one by one and as arrays."""

from __future__ import annotations

import numpy as np
import pytest

import corpora
import cutaway
from random_numbers.streams import BIT_GENERATORS, GENERATOR, OF_BOTH, STATE, source

CASES = [(kind, name) for name in OF_BOTH for kind in (GENERATOR, STATE)]
# The whole corpus has a million for each of the parameters.
DRAWS = 1_000_000 if corpora.shard() is not None else 400


def drawing(name: str, count: int):  # type: ignore[no-untyped-def]
    """A function that draws numbers of a distribution one by one, and then as many at once."""
    params = "".join(f", p{k}" for k in range(count))
    given = params.removeprefix(", ")
    space: dict[str, object] = {"np": np}
    text = f"""
def draw(rng, out{params}):
    for k in range(len(out)):
        out[k] = rng.{name}({given})
    return rng.{name}({given}{", " * bool(given)}size=len(out))
"""
    exec(text, space)  # noqa: S102
    return cutaway.jit(space["draw"])


@pytest.mark.parametrize("case", corpora.seeds("STREAMS"))
def test_a_stream_of_numbers_is_numpys(case):
    kind, name = CASES[case % len(CASES)]
    draw = drawing(name, len(OF_BOTH[name][0]))
    for seed, params in enumerate(OF_BOTH[name]):
        for bits in BIT_GENERATORS:
            ours, numpys = source(kind, bits, seed), source(kind, bits, seed)
            expected = getattr(numpys, name)(*params, size=2 * DRAWS)
            first = np.empty(DRAWS, expected.dtype)
            second = draw(ours, first, *params)
            assert first.tobytes() == expected[:DRAWS].tobytes(), (bits, params)
            assert second.tobytes() == expected[DRAWS:].tobytes(), (bits, params)
            assert ours.standard_normal() == numpys.standard_normal(), (bits, params)


def test_the_corpus_has_each_distribution_of_both_sources():
    assert corpora.CORPORA["STREAMS"].whole == len(CASES)
