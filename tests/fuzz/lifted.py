"""Made-up functions in object mode whose loops run with types, beside Python.

    python -m fuzz lifted 2000                      # from the folder tests

Inner functions share variables that loops assign and read; loops read attributes of classes and of
a module, which change between calls; and what a loop passes on is the object that it was given.  An
int that is a float elsewhere may be one here (`one-type` in the ledger).
"""

from __future__ import annotations

from random import Random
from types import ModuleType
from typing import Any

import numpy as np

import cutaway
from fuzz.arrays import function_of
from fuzz.batches import FINDING, SAME, Verdict

CALLS = 4
_BODIES = (
    *("{v} += {x}", "{v} = {x}", "if k > 1:\n    {v} = {x}", "if k == n - 2:\n    break"),
    *("{w} = {v}", "q = t", "q, t = t, q", "if k > 9:\n    t = (k, {x})", "{v} -= {x}"),
    "for j in range(2):\n    {v} += j * {x}",
)
_VALUES = ("T.K", "U.K", "m.v", "m.T.K", "m.f(k)", "k", "a[k]", "1.5", "G", "T.half(k)", "{w}")


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random

    def text(self) -> str:
        """One program."""
        pick = self.random.choice
        shared = pick(("s", "r", "k", "s"))
        inner = [f"def get():\n    return {shared}"]
        if self.random.random() < 0.3:
            inner.append("kept.append(get)")
        lines = ["s = r = 0.0", "q = None"]
        if self.random.random() < 0.5:
            lines.append("k = -1")
        early = self.random.random() < 0.7
        lines += inner if early else []
        for _ in range(self.random.randint(1, 2)):
            lines.append(f"for k in range({pick(('n', 'n', '3', 'len(a) + 1'))}):")
            for body in self.random.sample(_BODIES, self.random.randint(1, 4)):
                v, w = self.random.sample(("s", "r"), 2)
                text = body.format(v=v, w=w, x=pick(_VALUES).format(w=w))
                lines += [f"    {line}" for line in text.split("\n")]
            if early and self.random.random() < 0.5:
                lines.append("kept.append(get())")
        lines += [] if early else inner
        lines.append("return s, r, q is given, t is given, get(), len(kept)")
        body = "".join(f"    {line}\n" for text in lines for line in text.split("\n"))
        return f"def program(a, n, t, kept):\n    given = t\n{body}"


def _world() -> dict[str, Any]:  # Any: what the program reads
    class T:
        K = 2

        @staticmethod
        def half(x):
            return x / 2

    class U(T):
        pass

    module = ModuleType("m")
    module.T, module.v, module.f = T, 0.5, abs  # type: ignore[attr-defined]
    return {"T": T, "U": U, "m": module, "G": 3, "range": range, "len": len}


def _change(world: dict[str, Any], random: Random) -> None:  # Any: what the program reads
    kind = random.randrange(7)
    if kind == 0:
        world["T"].K += 1
    elif kind == 1:
        world["U"].K = random.randrange(9)
    elif kind == 2:
        world["m"].v *= 2
    elif kind == 3:
        world["m"].f = random.choice((abs, float, bool))
    elif kind == 4:
        world["G"] += 1
    elif kind == 5:
        world["T"].half = staticmethod(random.choice((abs, float)))
    elif "K" in vars(world["U"]):
        del world["U"].K


def _outcome(function: Any, random: Random) -> Any:  # Any: a function, what it gives
    size, kept = random.choice((0, 1, 4, 7)), []
    args = np.arange(size) / 2, random.choice((0, 1, size)), (1, 2.5), kept
    try:
        given: Any = function(*args)
    except Exception as error:  # noqa: BLE001  whatever it is
        given = type(error), str(error)
    return given, [_called(one) if callable(one) else one for one in kept]


def _called(function: Any) -> Any:  # Any: an inner function, what it gives
    try:
        return function()
    except NameError as error:
        return str(error)


def check(seed: int) -> Verdict:
    """Compare the calls of a seed's program with Python's."""
    source = _Writer(Random(seed)).text()
    function = function_of(source, f"<lifted {seed}>")
    function.__globals__.update(world := _world())
    compiled = cutaway.jit(forceobj=True)(function)
    for call in range(CALLS):
        for _ in range(2):
            wanted, found = (
                _outcome(one, Random(f"{seed} {call}")) for one in (function, compiled)
            )
            if wanted != found:
                return Verdict(FINDING, f"{found} and not {wanted}", source, call + 1)
        _change(world, Random(f"{seed} {call} change"))
        function.__globals__.update(world)
    return Verdict(SAME, calls=2 * CALLS)
