"""A program that is interrupted at random moments, again and again, and must not notice later.

`python interrupted.py ROUNDS SEED fresh|warm`: there are more rounds where none of these came in
time, which the machine decides.  With `fresh` the first interrupts come while the compiler is
loaded.
"""

from __future__ import annotations

import random
import signal
import sys
import threading
import time

import numpy as np

import cutaway


class Alarm(Exception):
    """What the handler of SIGALRM raises; an Exception, which passes might take for a bug."""


def ring(number, frame):
    raise Alarm


def source(n: int) -> str:
    return f"""
def helper{n}(x):
    return x * {n} + 1

def work{n}(a, k):
    s = 0.0
    for i in range(len(a)):
        if a[i] > k:
            s += h(a[i]) + math.sqrt(a[i])
        else:
            s -= min(a[i], k)
    return s, (k, s)
"""


def functions(n: int):
    """A function that calls another one, made anew; and the same in Python."""
    import math

    space, plain = {"math": math}, {"math": math}
    exec(source(n), space)
    exec(source(n), plain)
    space["h"] = cutaway.jit(space[f"helper{n}"])
    plain["h"] = plain[f"helper{n}"]
    return cutaway.jit(space[f"work{n}"]), plain[f"work{n}"]


def interrupt_later(kind: int, seconds: float) -> None:
    if kind == signal.SIGALRM:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
    else:
        main = threading.main_thread().ident
        threading.Timer(seconds, signal.pthread_kill, (main, kind)).start()


def one_round(dice: random.Random, n: int, longest: float, seen: dict[str, int]) -> None:
    """Call a new function while a signal comes; then all must be as if none had."""
    compiled, plain = functions(n)
    array = np.arange(1.0, 20.0)
    other = None
    if dice.random() < 0.3:  # another thread may compile it first, or wait for this one
        other = threading.Thread(target=compiled, args=(array, 3.0))
        other.start()
    kind, when = dice.choice((signal.SIGINT, signal.SIGALRM)), "interrupted"
    try:
        interrupt_later(kind, dice.uniform(0, longest))
        compiled(array, 3.0)
        when = "too late"
        time.sleep(longest + 5)  # until it comes
        raise AssertionError("the signal did not come")
    except (KeyboardInterrupt, Alarm) as error:
        assert isinstance(error, Alarm) == (kind == signal.SIGALRM)
    seen[when] += 1
    if other is not None:
        other.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGALRM) is ring
    assert compiled(array, 3.0) == plain(array, 3.0)
    assert compiled(array, 3) == plain(array, 3)


def main(rounds: int, seed: int, fresh: bool) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, ring)
    dice = random.Random(seed)
    seen = {"interrupted": 0, "too late": 0}
    if not fresh:
        compiled, plain = functions(0)
        assert compiled(np.ones(3), 1.0) == plain(np.ones(3), 1.0)
    for n in range(1, 20 * rounds + 1):
        first = fresh and n == 1
        one_round(dice, n, 0.3 if first else 0.06, seen)
        if n >= rounds and seen["interrupted"]:
            break
    print(seen["interrupted"], seen["too late"])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "fresh")
