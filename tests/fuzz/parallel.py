"""Made-up programs of whole arrays, compiled with `parallel=True` and without, side by side.

    python -m fuzz parallel 20000                   # from the folder tests

Loops are divided into pieces of one place, as far as they can be, on two or four threads.  Sums of
floats may differ in the last bits, and after an error in both nothing else is compared: other
iterations may have stored something.
"""

from __future__ import annotations

from random import Random

import numpy as np

import cutaway
from corpus.parallel_results import alike
from cutaway.errors import CutawayError, InternalError, VerifyError
from fuzz.array_writer import ArrayWriter
from fuzz.arrays import CALLS, Outcome, _taken, function_of, shown
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict

MOST_THREADS = 4


def check(seed: int) -> Verdict:
    """Compare the calls of a seed's program."""
    written = ArrayWriter(seed).written()
    function = function_of(written.source, f"<program {seed}>")
    plain, compiled = cutaway.jit(function), cutaway.jit(parallel=True)(function)
    cutaway.config.NUM_THREADS = MOST_THREADS
    cutaway.set_num_threads(2 + 2 * (seed % 2))
    allowed = ""
    for call in range(CALLS):
        fresh = lambda: written.arguments(Random(f"{seed} {call}"))  # noqa: B023, E731
        wanted = Outcome(plain, fresh())
        before = _taken()
        with cutaway.parallel_chunksize(1):
            found = Outcome(compiled, fresh())
        kind, words = _compared(wanted, found)
        if kind in (FINDING, REFUSED):
            return Verdict(kind, words, shown(written, fresh), call + 1)
        allowed = allowed or (words if kind == ALLOWED else "")
        del found
        if _taken() != before:
            words = f"{_taken() - before} pieces of memory are left"
            return Verdict(FINDING, words, shown(written, fresh), call + 1)
    return Verdict(ALLOWED if allowed else SAME, allowed, calls=CALLS)


def _compared(wanted: Outcome, found: Outcome) -> tuple[str, str]:
    if isinstance(wanted.error, CutawayError):
        return REFUSED, str(wanted.error).partition("\n")[0][:60]
    if isinstance(found.error, InternalError | VerifyError | CutawayError):
        return FINDING, f"{type(found.error).__name__}: {found.error}"
    if wanted.error is not None and found.error is not None:
        is_same = type(wanted.error) is type(found.error)
        return (SAME, "") if is_same else (ALLOWED, "which-fault")
    if (wanted.error is None) != (found.error is None):
        return FINDING, f"raised {found.error!r} and not {wanted.error!r}"
    rows = [("argument", wanted.args, found.args), ("result", wanted.parts(), found.parts())]
    for what, ones, others in rows:
        for k, (a, b) in enumerate(zip(ones, others, strict=True)):
            if not alike(a, b):
                with np.printoptions(threshold=40):
                    return FINDING, f"{what} {k}: {b!r} and not {a!r}"
    return SAME, ""
