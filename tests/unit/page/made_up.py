"""Records for the page: a real compilation, and one to which everything that a record may hold was
added by hand, small enough to be known by heart."""

from __future__ import annotations

import numpy as np

import cutaway
from cutaway.inspection.record.encoding import from_json, to_json
from cutaway.inspection.record.model import RecordData


@cutaway.jit
def scale(v, f):
    return v * f + 1


@cutaway.jit
def total(a, k):
    s = 0
    for i in range(len(a)):
        if a[i] > 0:
            s += scale(a[i], k)
    return s


@cutaway.jit
def wrong(a):
    s = 0
    for i in range(len(a)):
        s += a[i] + "x"
    return s


def real():
    """The compilation of a loop that calls another function."""
    return total.trace(np.array([1.0, 2.5, -3.0, np.nan, 7.25]), 2)


def failed():
    """A compilation that ends in an error of types."""
    return wrong.trace(np.array([1.0, 2.5]))


def full() -> RecordData:
    """The loop with rewrites, decisions and memory."""
    found = to_json(real().record.data)
    main = found["functions"][0]
    _add_rewrites(main)
    first = main["source"]["first_line"]
    decision = {
        "by": "LoopVectorize",
        "subject": "the loop",
        "verdict": "missed",
        "reason": "the order of the sum matters",
        "span": [first + 3, 4, first + 5, 31],
        "hint": "`fastmath=True` allows another order",
    }
    main["passes"][13]["decisions"].append(decision)
    for k, row in enumerate(main["passes"]):
        row["bytes"], row["peak"] = 20_000 * (k + 1), 30_000 * (k + 1)
    return from_json(found)


def _add_rewrites(main):
    """Two rewrites inside of `simplify`: the first drops a copy, the second gives what it gave."""
    row = next(p for p in main["passes"] if p["name"] == "simplify")
    before, after = row["before"], row["after"]
    middle = dict(main["states"][after], whole=False, title="forward_copy")
    edits = middle["edits"]
    main["states"][after]["edits"] = edits[1:]
    middle["edits"] = edits[:1]
    shift = sum(len(added) - removed for _, removed, added in edits[:1])
    main["states"][after]["edits"] = [[start + shift, gone, new] for start, gone, new in edits[1:]]
    main["states"].insert(after, middle)
    for step in main["passes"]:
        for end in ("before", "after"):
            step[end] += step[end] >= after and not (step is row and end == "before")
    for step in main["llvm"]:
        step["state"] += 1
    first = main["source"]["first_line"]
    row["rewrites"] = [
        _rewrite("forward_copy", "`s` takes the place of `$0.1`", first + 2, after),
        _rewrite("forward_copies", "the other copies go the same way", first + 5, after + 1),
    ]
    assert before == after - 1


def _rewrite(rule, note, line, state):
    span = [line, 4, line, 9]
    return {
        "rule": rule,
        "note": note,
        "span": span,
        "origin": "simplify.py:52",
        "state": state,
        "whole": True,
    }
