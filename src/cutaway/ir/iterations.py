"""Run the iterations of a parfor in another order than that of the program."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from cutaway.errors import InterpreterError
from cutaway.ir import nodes


def run_parfor(run: Any, op: nodes.Parfor) -> None:  # Any: a run of the interpreter
    """Take the iterations in an order that is always the same, and not the program's.

    Of those that raise the first in the order of the program counts: what comes after it is left
    out, as far as it has not been executed.
    """
    bounds = zip(op.starts, op.stops, op.steps, strict=True)
    ranges = [range(*map(run.value, row)) for row in bounds]
    places = list(product(*ranges))
    held = run.begin(op.body)
    left, failed, raised = held, len(places), None
    for number in _shuffled(len(places)):
        if number > failed:
            continue
        try:
            held = run.region(op, op.body, places[number], held)
        except InterpreterError:
            raise
        except Exception as error:
            failed, raised = number, error
        left = held if number == len(places) - 1 else left
    if raised is not None:
        raise raised
    for name, how, carried, last in zip(op.results, op.operators, held, left, strict=True):
        run.set(op, name, last if how == "last" else carried)


def _shuffled(count: int) -> list[int]:
    order = list(range(count))
    Random(count).shuffle(order)
    return order
