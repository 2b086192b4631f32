"""Made-up programs with objects: machine code of object mode does what Python does.

    python -m fuzz objects 20000                    # from the folder tests
    python -m fuzz object-levels 500                # the interpreter at the levels ir and objects

A module is run twice, as it is and with all of its functions and methods compiled.  The results,
what is printed, the exceptions with all lines that they passed, the instances that are left and the
references of the arguments are the same, and calls again and again leave nothing behind.

Any in this file: functions, arguments and results of any program.
"""

from __future__ import annotations

import gc
import io
import linecache
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from itertools import zip_longest
from random import Random
from types import TracebackType
from typing import Any

import cutaway
from corpus.control.cases import Iterating, shown
from corpus.objects.held import growth
from cutaway.errors import CutawayError, InternalError, UnsupportedError
from fuzz.batches import FINDING, REFUSED, SAME, Verdict
from fuzz.object_writer import ObjectWriter

ROUNDS = 3  # of calls between two looks at the memory
LEAKS = 4  # one program in so many is run again and again
# What two runs need not have in common: addresses, how deep a recursion got, and the class of
# functions.
_VARYING = re.compile(r"0x[0-9a-f]+|(?<=maximum recursion depth exceeded) [ a-z]+")
_CLASS = re.compile(r"(cutaway\.dispatch_c\._dispatch\.)?Dispatcher")
_WRITTEN = re.compile(r"<compiled (function [\w.<>]+)>")  # in Python with an address
_STEPS: tuple[Any, ...] = (
    *("next", ("send", 4), "next", ("throw", KeyError)),
    *("next", "next", "close", "next"),
)

Jit = Callable[[Any], Any]


def plain(function: Any) -> Any:
    """The function as it is."""
    return function


def compiled(function: Any) -> Any:
    """The function in object mode."""
    return cutaway.jit(forceobj=True, looplift=False)(function)


class Module:
    """A program's module, new, with its functions compiled or not."""

    def __init__(self, source: str, name: str, jit: Jit) -> None:
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        self.names: dict[str, Any] = {"jit": jit, "__name__": "made_up"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(source, name, "exec")
        exec(code, self.names)  # noqa: S102

    def arguments(self) -> list[tuple[Any, ...]]:
        """What the program is called with."""
        cls = self.names["C0"]
        return [(1, "text"), ([5, 6], {"a": 2, "k": 1}, 3), (cls(2), (cls(1), 2.5))]

    def outcomes(self, program: Callable[..., Any], with_lines: bool = True) -> list[Any]:
        """What each call does, and what is left after it."""
        found = []
        for k, args in enumerate(self.arguments()):
            own = [one for one in args if not isinstance(one, int | str)]
            before = [sys.getrefcount(one) for one in own]
            self.names["LEFT"][0] = 250
            found.append(outcome(program, args, () if k else _STEPS, with_lines))
            gc.collect()
            after = [sys.getrefcount(one) for one in own]
            references = [y - x for x, y in zip(before, after, strict=True)]
            live = {name: count for name, count in self.names["LIVE"].items() if count}
            held = shown(args), live, shown(self.names.get("GLOBAL"))
            found.append((held, references if with_lines else None))
        return found


def outcome(program: Callable[..., Any], args: Any, steps: Any, with_lines: bool = True) -> Any:
    """What a call does: its result or its exception, and what it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        try:
            found = program(*args)
            if isinstance(found, Iterating):
                found = _driven(found, steps, with_lines)
            result = ("returned", type(found).__name__, repr(shown(found)))
        except BaseException as error:
            result = ("raised", *chain(error, with_lines))
    return result[0], _in_common(repr(result[1:])), _in_common(printed.getvalue())


def _in_common(text: str) -> str:
    """A text without what two runs need not have in common."""
    return _WRITTEN.sub(r"<\1 at >", _CLASS.sub("function", _VARYING.sub("", text)))


def _driven(generator: Any, steps: Any, with_lines: bool) -> list[Any]:
    """What a generator does at each step; without steps, all that it gives."""
    done: list[Any] = []
    for step in steps or ("next",) * 12:
        what, *value = (step,) if isinstance(step, str) else step
        method = generator.__next__ if what == "next" else getattr(generator, what)
        try:
            done.append(shown(method(*value)))
        except BaseException as error:
            done.append(chain(error, with_lines))
    return done


def chain(error: BaseException | None, with_lines: bool, depth: int = 8) -> tuple[Any, ...]:
    """An exception with its cause and its context, and the lines that each of them passed."""
    if error is None or not depth:
        return ()
    return (
        type(error).__name__,
        shown(error.args),
        str(error) if isinstance(error, (AttributeError, NameError, TypeError)) else "",
        error.__suppress_context__,
        lines(error.__traceback__) if with_lines else (),
        chain(error.__cause__, with_lines, depth - 1),
        chain(error.__context__, with_lines, depth - 1),
    )


def lines(traceback: TracebackType | None) -> list[tuple[str, int]]:
    """The functions of the program and their lines that an exception passed; one that calls itself
    counts once, since how deep it gets is another matter.  (In 3.11 comprehensions are functions.)
    """
    found: list[tuple[str, int]] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        line = code.co_name, traceback.tb_lineno
        own = code.co_filename.startswith("<") and not code.co_name.endswith("comp>")
        if own and line not in found[-1:]:
            found.append(line)
        traceback = traceback.tb_next
    return found


# --- checks ---------------------------------------------------------------------------------------


def written(seed: int) -> str:
    """The text of a program."""
    random = Random(seed)
    return ObjectWriter(random, generator=random.random() < 0.35).whole()


def check(seed: int) -> Verdict:
    """Compare one program in object mode with Python."""
    return compare(written(seed), f"<objects {seed}>", leaks=seed % LEAKS == 0)


def compare(source: str, name: str, leaks: bool = True) -> Verdict:
    """Compare a program in machine code with Python; `leaks` says to run it again and again."""
    held, sys.unraisablehook = sys.unraisablehook, _forget  # pytest's keeps what raised
    try:
        return _compared(source, name, leaks)
    finally:
        sys.unraisablehook = held


def _forget(unraisable: object) -> None:
    """Leave out what cannot be raised, such as that a generator went on when it was closed."""


def _compared(source: str, name: str, leaks: bool) -> Verdict:
    try:
        module = Module(source, name, compiled)
        found = module.outcomes(module.names["program"])
    except UnsupportedError as error:
        return Verdict(REFUSED, str(error).splitlines()[0], source)
    except SyntaxError as error:
        return Verdict(REFUSED, error.msg, source)
    except (InternalError, CutawayError, AssertionError) as error:
        return Verdict(FINDING, f"{type(error).__name__} {error}", source)
    python = Module(source, name, plain)
    expected = python.outcomes(python.names["program"])
    if found != expected:
        return Verdict(FINDING, difference(expected, found), source)
    if leaks:
        said = _growth(module)
        if said and not _growth(python):
            return Verdict(FINDING, f"it grows: {said}", source)
    return Verdict(SAME, "", source)


def _growth(module: Module) -> str:
    """What grows with each round of calls, in words."""
    program, arguments = module.names["program"], module.arguments()

    def run() -> None:
        for k, args in enumerate(arguments * ROUNDS):
            module.names["LEFT"][0] = 250
            outcome(program, args, () if k % 2 else _STEPS)

    return growth(run, [one for args in arguments[1:] for one in args])


def difference(expected: list[Any], found: list[Any]) -> str:
    """The first of two rows of outcomes that differ, in words."""
    for k, (one, other) in enumerate(zip(expected, found, strict=True)):
        for wanted, got in zip(one, other, strict=True):
            if wanted != got:
                return f"at {k}: {_first_line(wanted, got)}"
    return ""


def _first_line(wanted: Any, got: Any) -> str:
    """Where two results differ, the first lines of two texts."""
    if isinstance(wanted, str) and isinstance(got, str):
        pairs = zip_longest(wanted.splitlines(), got.splitlines())
        wanted, got = next((pair for pair in pairs if pair[0] != pair[1]), (wanted, got))
    return f"\n  {wanted}\n  {got}"


def check_levels(seed: int) -> Verdict:
    """Compare one program at the levels ir and objects, interpreted, with Python."""
    source, name = written(seed), f"<objects {seed}>"
    python = Module(source, name, plain)
    expected = python.outcomes(python.names["program"], with_lines=False)
    for level in ("ir", "objects"):
        module = Module(source, name, plain)
        try:
            program = compiled(module.names["program"])
            run = program.trace(*module.arguments()[0]).at(level).run
        except UnsupportedError as error:
            return Verdict(REFUSED, str(error).splitlines()[0], source)
        found = module.outcomes(run, with_lines=False)
        if found != expected:
            return Verdict(FINDING, f"{level} {difference(expected, found)}", source)
    return Verdict(SAME, "", source)
