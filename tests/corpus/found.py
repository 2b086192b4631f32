"""Programs that were wrong once: a row for each bug that nobody made a test for.

    @case((3,), (np.arange(4.0),))
    def short_name_of_what_went_wrong(x): ...

Each tuple is a call; every mode of the table `numbers` runs it.  Rows that need objects, or a
generator that Python drives, go into `objects/found_cases.py`.
"""

from __future__ import annotations

import numpy as np

from corpus.programs.cases import Case

CASES: list[Case] = []


def case(*calls):
    """Add a function that is called with each of these tuples of arguments."""

    def add(function):
        CASES.append(Case(function, tuple(_fresh(call) for call in calls)))
        return function

    return add


def _fresh(call):
    return lambda: tuple(one.copy() if isinstance(one, np.ndarray) else one for one in call)
