"""Many threads call, compile, forget and drop functions at once; every answer is checked.

`python hammer.py SECONDS SEED` prints what it did.  It fails on a wrong answer, on an exception
that Python does not raise, and when references or memory are left over.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import pickle
import random
import sys
import threading
import time
from collections import Counter, namedtuple

import numpy as np

import cutaway
from cutaway.runtime import stats

THREADS = int(os.environ.get("CUTAWAY_HAMMER_THREADS", "8"))
Point = namedtuple("Point", "x y")


def add(a, b=1):
    return a + b


def swap(a, b=None):
    return b, a


def total(a, b=0):
    result = 0.0
    for i in range(len(a)):
        result += a[i]
    return result + b


def filled(a, b=2):
    made = np.empty(len(a))
    for i in range(len(a)):
        made[i] = a[i] * b
    return made[1:]


def same(a, b=0):
    return a


def past(a, b=0):
    return a[len(a) + b]


def depth(a, b=3):
    return len(a) if b == 0 else inner(a, b - 1) + 1


@cutaway.jit
def inner(a, b):
    return len(a) if b == 0 else inner(a, b - 1) + 1


def refuses(a, b=0):
    if len(a) > 1:
        raise ValueError("too long", b)
    return b


@cutaway.jit
def counted(n, b=2):
    s = 0
    for i in range(n):
        s += i * b
    return s


@cutaway.jit
def squares(n):
    for k in range(n):
        yield k * k


@cutaway.jit(forceobj=True, looplift=False)
def described(items, named):
    found = {}
    for key, value in enumerate(items):
        found[key] = [value, str(value), LATEST]
    found.update(named)
    return found


LATEST = FIRST = (0, "of", "some thread")

FUNCTIONS = (add, swap, total, filled, same, past, depth, refuses)


def arguments() -> list:
    array = np.arange(6.0)
    return [
        1,
        2.5,
        True,
        3j,
        np.int32(7),
        np.float32(1.5),
        (1, 2.0),
        Point(1.0, 2),
        array,
        np.arange(6)[::2],
        np.arange(4, dtype=np.float32),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.frombuffer(bytes(16)),
        (array, 1),
        range(4),
    ]


TAKES = {
    add: lambda v: not isinstance(v, tuple | range | np.ndarray),
    swap: lambda v: True,
    total: lambda v: isinstance(v, np.ndarray) and v.ndim == 1,
    filled: lambda v: isinstance(v, np.ndarray) and v.ndim == 1,
    same: lambda v: True,
    past: lambda v: isinstance(v, np.ndarray) and v.ndim == 1,
    depth: lambda v: isinstance(v, np.ndarray | range),
    refuses: lambda v: isinstance(v, np.ndarray | range),
}


def outcome(function, values):
    try:
        return function(*values)
    except (IndexError, ValueError) as error:
        return type(error).__name__, str(error)


def agrees(got, expected) -> bool:
    if type(expected) is tuple or isinstance(expected, Point):
        pairs = zip(got, expected, strict=True)
        return type(got) is type(expected) and all(agrees(g, e) for g, e in pairs)
    if isinstance(expected, np.ndarray):
        return isinstance(got, np.ndarray) and np.array_equal(got, expected)
    return bool(got == expected)


class Hammer:
    """The threads, and what they share."""

    def __init__(self, seconds: float, seed: int) -> None:
        self.values = arguments()
        self.shared = {
            (function, nogil): cutaway.jit(nogil=nogil)(function)
            for function in FUNCTIONS
            for nogil in (False, True)
        }
        edited = counted.trace(3, 4).at("typed").edit(lambda text: text.replace("i * b", "i + b"))
        self.edited = edited.resume(unsafe=True)
        self.generator, self.taken = squares(10**7), Counter[int]()
        self.items = [1, 2.5, "text"]
        self.until = time.monotonic() + seconds
        self.seed = seed
        self.done: Counter[str] = Counter()
        self.errors: list[BaseException] = []

    def run(self) -> None:
        threads = [threading.Thread(target=self.work, args=(k,)) for k in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for compiled in (*self.shared.values(), inner):
            compiled.forget()
        if self.errors:
            raise self.errors[0]

    def work(self, number: int) -> None:
        dice = random.Random(f"{self.seed} {number}")
        done: Counter[str] = Counter()
        try:
            for kind in self.kinds(dice):
                getattr(self, kind)(dice)
                done[kind] += 1
        except BaseException as error:  # noqa: BLE001  raised by the main thread
            self.errors.append(error)
        self.done.update(done)

    def kinds(self, dice):
        """What to do next, again and again: first each kind once, in whatever order."""
        names = list(KINDS)
        yield from dice.sample(names, len(names))
        while time.monotonic() < self.until and not self.errors:
            yield dice.choices(names, tuple(KINDS.values()))[0]

    def shared_function(self, dice):
        return dice.choice(list(self.shared.items()))

    def check(self, dice, function, compiled) -> None:
        value = dice.choice([v for v in self.values if TAKES[function](v)])
        rest = dice.choice(((), (2,), (0.5,))) if function in (add, swap, total, filled) else ()
        expected = outcome(function, (value, *rest))
        got = outcome(compiled, (value, *rest))
        assert agrees(got, expected), (function.__name__, value, rest, got, expected)

    def share(self, dice) -> None:
        """A function that other threads call, compile and forget meanwhile."""
        (function, _), compiled = self.shared_function(dice)
        self.check(dice, function, compiled)

    def own(self, dice) -> None:
        """A function that nobody else has, and that is gone behind this call."""
        function = dice.choice(FUNCTIONS)
        compiled = cutaway.jit(nogil=dice.random() < 0.5)(function)
        for _ in range(3):
            self.check(dice, function, compiled)

    def refuse(self, dice) -> None:
        """What cannot be compiled; each thread gets an error that is its own."""
        compiled = self.shared[add, dice.random() < 0.5]
        try:
            compiled(range(3), dice.choice((1, 2.0)))
        except cutaway.errors.TypingError as error:
            assert "range" in error.message
        else:
            raise AssertionError("compiled")

    def forget(self, dice) -> None:
        _, compiled = self.shared_function(dice)
        signatures = compiled.signatures
        if signatures and dice.random() < 0.8:
            compiled.forget(dice.choice(signatures))
        else:
            compiled.forget()

    def install(self, dice) -> None:
        """An edited program comes and goes; a call runs one of both."""
        if dice.random() < 0.5:
            counted.install(self.edited)
        else:
            try:
                counted.uninstall()
            except cutaway.errors.InstallError:
                pass  # another thread was quicker
        assert counted(3, 4) in (12, 15) and counted(b=4, n=3) in (12, 15)

    def carry(self, dice) -> None:
        """A function through a pickle."""
        (function, _), compiled = self.shared_function(dice)
        self.check(dice, function, pickle.loads(pickle.dumps(compiled)))
        assert pickle.loads(pickle.dumps(inner)) is inner

    def trace(self, dice) -> None:
        """What is recorded, and what a profiler of this thread sees."""
        if dice.random() < 0.1:
            assert counted.trace(3, dice.choice((4, 4.5))).levels
        seen = []
        sys.setprofile(lambda frame, event, value: seen.append(frame.f_code.co_name))
        try:
            assert inner(range(3), 2) == 5
        finally:
            sys.setprofile(None)
        assert "inner" in seen

    def iterate(self, dice) -> None:
        """Each item of a generator goes to one thread."""
        for _ in range(20):
            try:
                item = next(self.generator)
            except ValueError as error:
                assert str(error) == "generator already executing"
            else:
                self.taken[item] += 1

    def describe(self, dice) -> None:
        """Object mode, with a list, a dictionary and a global that change meanwhile."""
        global LATEST
        number = dice.random()
        LATEST = (number, "of", str(number))
        named = {"name": number}
        found = described(self.items, named)
        assert found["name"] == number
        for key, value in enumerate(self.items[:3]):
            assert found[key][:2] == [value, str(value)]
            assert found[key][2] == FIRST or found[key][2][2] == str(found[key][2][0])
        self.items.append(number)
        if len(self.items) > 50:
            del self.items[3:]

    def collect(self, dice) -> None:
        gc.collect(dice.choice((0, 0, 1, 2)))


# What threads do, and how often.
KINDS = {"share": 2000, "own": 3, "refuse": 2, "forget": 3, "collect": 1}
KINDS |= {"install": 3, "carry": 5, "trace": 20, "iterate": 100, "describe": 200}


def references(values: list) -> list[int]:
    """The counts of the values that nothing else in the process refers to."""
    return [sys.getrefcount(v) for v in values if not isinstance(v, int | float | complex)]


def end_where_all_wait() -> None:
    """End the process, with what each thread is at, when none has run for a hundred seconds: on a
    machine with much else to do they may hardly get to run, which is no deadlock."""
    ran, rounds = 0.0, 0
    while rounds < 20:
        time.sleep(5)
        now = time.process_time()
        ran, rounds = now, rounds + 1 if now - ran < 0.005 else 0
    faulthandler.dump_traceback(all_threads=True)
    os._exit(1)


def main(seconds: float, seed: int) -> None:
    threading.Thread(target=end_where_all_wait, daemon=True).start()
    sys.setswitchinterval(1e-5)
    hammer = Hammer(seconds, seed)
    gc.collect()
    before = references(hammer.values), np.subtract(*stats())
    hammer.run()
    assert set(hammer.taken.values()) <= {1}, "an item was given twice"
    gc.collect()
    after = references(hammer.values), np.subtract(*stats())
    assert before == after, (before, after)
    print(dict(hammer.done))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
