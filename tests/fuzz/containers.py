"""Made-up programs over lists, dicts, sets and tuples, compiled and in Python.

    python -m fuzz containers 2000                         # from the folder tests

Compared are results and arguments, which of their containers are the same objects, the order of
dicts, exceptions with their words, and the memory that a call leaves.
"""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import cutaway
from cutaway.errors import CompileError, InternalError
from cutaway.runtime import stats
from fuzz.arrays import function_of
from fuzz.batches import FINDING, REFUSED, SAME, Verdict
from fuzz.container_writer import ContainerWriter

CALLS = 4


def arguments(seed: int) -> tuple[Any, ...]:
    """The arguments of one call; some lists have several names."""
    random = Random(seed)

    def some() -> list[int]:
        return [random.randint(-5, 20) for _ in range(random.choice((1, 2, 3, 5, 8)))]

    a = some()
    b = a if random.random() < 0.25 else some()
    rows = [some(), a if random.random() < 0.25 else some(), [1]]
    d = {random.randint(-5, 12): random.randint(-9, 30) for _ in range(random.randint(1, 9))}
    words = random.choices(["a", "b", "long word", ""], k=random.randint(1, 6))
    w = {word: random.randint(0, 9) for word in words}
    return random.randint(0, 6), random.randint(-3, 9), a, b, rows, d, set(some()), w, words


def shape(value: Any, known: dict[int, int]) -> Any:  # Any: values of programs
    """A value with its types and its order; a container stands for its first place."""
    if not isinstance(value, list | dict | set | tuple):
        return type(value).__name__, repr(value)
    if not isinstance(value, tuple):
        if id(value) in known:
            return "the same as", known[id(value)]
        known[id(value)] = len(known)
    if isinstance(value, dict):
        inside = [(shape(k, known), shape(v, known)) for k, v in value.items()]
    elif isinstance(value, set):
        inside = [shape(one, known) for one in sorted(value)]
    else:
        inside = [shape(one, known) for one in value]
    return type(value).__name__, inside


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """The result or the exception, and the arguments after the call."""
    try:
        result = function(*args)
    except CompileError:
        raise
    except Exception as error:  # noqa: BLE001  compared
        result = (type(error).__name__, str(error))
    return shape((args, result), {})


def differences(one: Any, other: Any) -> Iterator[str]:
    """Yield how two shapes differ, the inner parts first."""
    rows = (tuple, list)
    if isinstance(one, rows) and isinstance(other, rows) and len(one) == len(other):
        for inner, another in zip(one, other, strict=True):
            yield from differences(inner, another)
    elif one != other:
        yield f"Python: {one}, compiled: {other}"


def check(seed: int) -> Verdict:
    """Compare some calls of a seed's program with Python, and the memory that they leave."""
    source = ContainerWriter(seed).program()
    name = f"<containers {seed}>"
    plain = function_of(source, name)
    compiled = cutaway.jit(plain)
    for call in range(CALLS):
        args = arguments(seed * CALLS + call)
        expected = outcome(plain, copy.deepcopy(args))
        try:
            found = outcome(compiled, copy.deepcopy(args))
        except InternalError as error:
            return Verdict(FINDING, str(error), source)
        except CompileError as error:
            return Verdict(REFUSED, str(error).splitlines()[0], source)
        if found != expected:
            words = f"{args}\n  {next(differences(expected, found))}"
            return Verdict(FINDING, words, source, call + 1)
        if (left := _left(compiled, args)) != _left(compiled, args):
            return Verdict(FINDING, f"{args}\n  memory is left: {left}", source, call + 1)
    return Verdict(SAME, "", source, CALLS)


def _left(compiled: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """The blocks of memory that a call leaves."""
    gc.collect()
    outcome(compiled, copy.deepcopy(args))
    gc.collect()
    made, released = stats()
    return made - released
