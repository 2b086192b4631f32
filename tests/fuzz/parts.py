"""Checks of made-up programs in parts, which may run side by side."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, seed, settings

import corpora
from fuzz.generate import Program, programs


def each_program(check: Callable[[Program], None], part: int, parts: int, corpus: str) -> None:
    """Check the programs of one part of a corpus, as many as the run takes in all parts."""

    @seed(corpora.seed(corpus, part))
    @settings(
        max_examples=max(corpora.count(corpus) // parts, 1),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def run(program: Program) -> None:
        check(program)

    run()
