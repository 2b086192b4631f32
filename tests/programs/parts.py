"""Checks of made-up programs in parts, which may run side by side."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

from hypothesis import HealthCheck, given, seed, settings

from programs.generate import Program, programs


def each_program(
    check: Callable[[Program], None], part: int, parts: int, setting: str, count: int
) -> None:
    """Check the programs of one part: always the same ones, as many as `count` says for all parts;
    other ones each time, and as many as it says, where the environment has the setting."""
    given_by_user = os.environ.get(setting)

    @seed(part if given_by_user is None else random.getrandbits(64))
    @settings(
        max_examples=max(int(given_by_user or count) // parts, 1),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def run(program: Program) -> None:
        check(program)

    run()
