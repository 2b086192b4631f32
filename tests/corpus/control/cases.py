"""What a corpus is made of: functions with the arguments that they are called with."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FunctionType, GeneratorType
from typing import Any

from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.runtime import _runtime

# Any in this folder: objects of the programs that are compared.


@dataclass(frozen=True)
class Case:
    """A function, the arguments of each call, and what is done with each generator that it gives.

    A step of `steps` is `"next"`, `("send", value)`, `("throw", exception)` or `"close"`.  Without
    steps all items are taken.  `plain`: the levels from SSA form on do not have it.
    """

    function: FunctionType
    calls: tuple[tuple[Any, ...], ...]
    steps: tuple[Any, ...] = ()
    only_ir: str = ""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__


class Cases(list[Case]):
    """The cases of a file: `@CASES.case((1,), (0,))` above a function adds one."""

    def case(
        self, *calls: tuple[Any, ...], steps: tuple[Any, ...] = (), only_ir: str = ""
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Add a function that is called with each of these tuples of arguments.

        `only_ir` says why it is not run in SSA form, where that is so.
        """

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            assert isinstance(function, FunctionType)
            self.append(Case(function, calls or ((),), steps, only_ir))
            return function

        return add


def cases_of(package: str) -> list[Case]:
    """The cases of all files of a package, `corpus.control` or another."""
    folder = Path(*import_module(package).__path__)
    files = sorted(path.stem for path in folder.glob("*_cases*.py"))
    return [case for name in files for case in import_module(f"{package}.{name}").CASES]


Iterating = GeneratorType | _runtime.generator | _runtime.object_generator


# --- what a call does, as something that can be compared ------------------------------------------


def outcome(function: Callable[..., Any], case: Case, args: tuple[Any, ...]) -> Any:
    """What a call does: its result, or its exception with all that led to it, and its arguments
    afterward."""
    given = deepcopy(args)
    try:
        found: Any = function(*given)
        if isinstance(found, Iterating):
            found = driven(found, case.steps)
        result = ("returned", shown(found))
    except BaseException as error:
        result = ("raised", chain(error))
    return result, shown(given)


def driven(generator: Any, steps: tuple[Any, ...]) -> list[Any]:
    """What a generator does at each step."""
    done: list[Any] = []
    if not steps:
        while True:
            try:
                done.append(next(generator))
            except BaseException as error:
                return [*done, chain(error)]
    for step in steps:
        what, *value = (step,) if isinstance(step, str) else step
        try:
            match what:
                case "next":
                    done.append(shown(next(generator)))
                case "send":
                    done.append(shown(generator.send(*value)))
                case "throw":
                    done.append(shown(generator.throw(*deepcopy(value))))
                case "close":
                    done.append(shown(generator.close()))
        except BaseException as error:
            done.append(chain(error))
    return done


def chain(error: BaseException | None, depth: int = 12) -> Any:
    """An exception with its cause and its context."""
    if error is None or not depth:
        return None
    return (
        type(error).__name__,
        shown(error.args),
        error.__suppress_context__,
        chain(error.__cause__, depth - 1),
        chain(error.__context__, depth - 1),
    )


def shown(value: Any) -> Any:
    """A value as something that two runs have in common: no addresses."""
    match value:
        case BaseException():
            return chain(value)
        case list() | tuple():
            return (type(value).__name__, *map(shown, value))
        case set() | frozenset():
            return (type(value).__name__, *sorted(map(repr, value)))
        case dict():
            return ("dict", *((shown(k), shown(v)) for k, v in value.items()))
        case GeneratorType() | _runtime.object_generator():
            return ("generator", value.__name__)
        case FunctionType() | Dispatcher():
            return ("function", value.__name__)
    if type(value).__repr__ is object.__repr__:
        return (type(value).__name__, shown(vars(value)) if hasattr(value, "__dict__") else "")
    try:
        return repr(value)
    except Exception as error:  # of the program's own `__repr__`
        return f"{type(value).__name__} without repr: {type(error).__name__}"
