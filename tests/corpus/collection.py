"""The collection: the programs of all tables, what each uses, and the modes that apply to it.

A table is a file, or a folder of files, that is pleasant to write and to read; here all of them are
`Program`.  `executors.py` runs them.

Any in this file: functions, arguments and results of any program.
"""

from __future__ import annotations

import copy
import dis
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import CodeType, FunctionType, ModuleType
from typing import Any

from corpus import races
from corpus.bad.corpus import PROGRAMS as BAD
from corpus.battery import run as battery
from corpus.battery.constructs import CONSTRUCTS
from corpus.control import compiled_cases, fused_cases, yielding_cases
from corpus.control.cases import Case, cases_of
from corpus.library import usual_programs
from corpus.library.rows import all_rows
from corpus.objmode import objmode_cases
from corpus.programs import cases as numbers

Arguments = Callable[[], tuple[Any, ...]]

# The modes of each table, as `executors.py` names them.
_OBJECTS = "objects objects-memory"
_OF_PYTHON = f"python ir {_OBJECTS} lifted failing failing-lifted"
MODES = {
    "numbers": f"passes levels machine parallel simulated on-the-cpu {_OBJECTS}",
    "library": f"written interpreted machine on-the-cpu {_OBJECTS}",
    "usual": f"machine {_OBJECTS}",
    "battery": _OBJECTS,
    "bad": _OBJECTS,
    "races": _OBJECTS,
    "control": f"ssa {_OF_PYTHON}",
    "objects": _OF_PYTHON,
    "compiled": f"machine witness ssa {_OF_PYTHON}",
    "fused": f"machine witness memory ssa {_OF_PYTHON}",
    "yielding": f"machine witness memory ssa {_OF_PYTHON}",
    "objmode": "machine passes witness memory objects",
    "file": f"machine witness memory ssa {_OF_PYTHON}",  # what `python -m corpus run` is given
}

# What does not apply to single programs, with the reasons.
EXCEPT_GROUP = "object mode refuses `except*`"
TOO_LONG = "it takes LLVM a quarter of a minute"
LATER = "ledger: an argument belongs to the caller until the call ends"
OBJECTS_ALONE = "only object mode has the words of CPython's instructions, or annotations"
KEPT_LONGER = "the interpreter keeps temporaries until a function ends"
WRAPS = "ledger: integers wrap in a loop that is lifted"
AN_ARRAY = "it makes arrays, which a GPU does not"
CPU_ALONE = "it raises on a CPU alone"
A_GENERATOR = "the witness compares generators"
OBJECT_MODES = ("objects", "lifted", "objects-memory", "failing", "failing-lifted")
NOT_FOR: dict[str, dict[str, str]] = {
    "battery: except_group": {"objects": EXCEPT_GROUP, "objects-memory": EXCEPT_GROUP},
    "bad: try_star": {"objects": EXCEPT_GROUP, "objects-memory": EXCEPT_GROUP},
    "bad: very_deep_tuple_argument": dict.fromkeys(
        ("objects", "objects-memory"), "what compares it does not get to its end"
    ),
    "bad: two_thousand_lines": {"objects": TOO_LONG, "objects-memory": TOO_LONG},
    "bad: thousand_branches": {"objects": TOO_LONG, "objects-memory": TOO_LONG},
    **{
        f"objects: {name}": dict.fromkeys(OBJECT_MODES, LATER)
        for name in (
            "lifetimes_of_locals_end_with_their_function",
            "lifetimes_of_arguments_and_results",
        )
    },
    **{
        f"objects: {name}": {"ir": OBJECTS_ALONE}
        for name in (
            "stars_before_what_is_no_iterable",
            "keywords_given_twice_while_an_exception_is_handled",
            "inner_functions_with_annotations",
            "comprehensions_that_read_what_is_unbound",
            "comprehensions_that_read_what_an_inner_function_deletes",
        )
    },
    **{
        f"objects: {name}": {"lifted": WRAPS}
        for name in ("arithmetic_horner_sum", "integers_of_factorials", "integers_of_fibonacci")
    },
    "numbers: divisions_of_arrays": {"simulated": AN_ARRAY},
    "numbers: powers_and_outputs": {"simulated": AN_ARRAY},
    "numbers: arrays_without_elements_however_long": {"simulated": AN_ARRAY},
    "numbers: constants_that_small_integers_do_not_hold": {"simulated": "NumPy refuses a constant"},
    "numbers: complex_powers": dict.fromkeys(("simulated", "on-the-cpu"), CPU_ALONE),
    "control: half_operations_of_an_object": (
        dict.fromkeys(("ir", "ssa"), "`tuple(x)`, of which displays are made, asks for no length")
        if sys.version_info >= (3, 14)
        else {}
    ),
    "objmode: a_generator_with_blocks": {"passes": A_GENERATOR},
    "objmode: a_loop_over_such_a_generator": {"passes": A_GENERATOR},
}
_NO_GPU = {"texts", "times", "random"}  # no place on a GPU, and some of it would never end there


@dataclass(frozen=True)
class Program:
    """A function with what makes the arguments of each call.

    `steps`: what is done with each generator that it returns, as `control.cases` says; none, all
    items are taken.  `helpers`: functions that it calls and that are compiled with it, by name.
    `close`: the calls whose floats may differ from NumPy's in the last bits.
    """

    table: str
    title: str
    function: FunctionType
    calls: tuple[Arguments, ...]
    keywords: dict[str, Any] = field(default_factory=dict)
    steps: tuple[Any, ...] = ()
    helpers: dict[str, FunctionType] = field(default_factory=dict)
    close: frozenset[int] = frozenset()
    without: dict[str, str] = field(default_factory=dict)  # modes that do not apply, with reasons

    @property
    def name(self) -> str:
        """Its table and title: a name that no other program has."""
        return f"{self.table}: {self.title}"

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that apply to it."""
        return tuple(mode for mode in MODES[self.table].split() if mode not in self.without)

    @property
    def subjects(self) -> tuple[str, str]:
        """Its table, and the area of the library that it is about."""
        return self.table, self.title.partition(" ")[0]

    @cached_property
    def tags(self) -> frozenset[str]:
        """What it uses, read off its code: its table, parts of the language, modules."""
        return frozenset({self.table, *_uses(self.function.__code__)})

    def compiled(self, jit: Callable[[Any], Any]) -> Any:
        """The function and its helpers, compiled, with a namespace of their own if it has any."""
        function = self.function
        if not self.helpers:
            return jit(function)
        space = dict(function.__globals__)
        for name, one in self.helpers.items():
            space[name] = jit(_moved(one, space))
        return jit(_moved(function, space))


def _moved(function: FunctionType, space: dict[str, Any]) -> FunctionType:
    new = FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )
    new.__kwdefaults__ = function.__kwdefaults__
    return new


_SIGNS = {
    "generator": ("YIELD_VALUE",),
    "loop": ("FOR_ITER", "JUMP_BACKWARD"),
    "exception": ("PUSH_EXC_INFO", "RAISE_VARARGS", "RERAISE"),
    "with": ("BEFORE_WITH", "LOAD_SPECIAL"),
    "closure": ("MAKE_FUNCTION", "MAKE_CELL", "LOAD_DEREF"),
    "text": ("FORMAT_VALUE", "FORMAT_SIMPLE", "BUILD_STRING"),
    "container": ("BUILD_LIST", "BUILD_SET", "BUILD_MAP"),
    "class": ("LOAD_BUILD_CLASS",),
    "match": ("MATCH_CLASS", "MATCH_MAPPING", "MATCH_SEQUENCE"),
}


def _uses(code: CodeType) -> Iterator[str]:
    names = {one.opname for one in dis.get_instructions(code)}
    yield from (tag for tag, signs in _SIGNS.items() if names.intersection(signs))
    yield from {"np", "math", "prange", "objmode", "cmath"}.intersection(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _uses(inner)


# --- the tables -----------------------------------------------------------------------------------


@cache
def programs() -> tuple[Program, ...]:
    """All programs."""
    made = [program for table in TABLES.values() for program in table()]
    names = {program.name for program in made}
    assert len(names) == len(made), "two programs have a name in common"
    assert names >= NOT_FOR.keys(), NOT_FOR.keys() - names
    return tuple(made)


def program(name: str) -> Program:
    """The program of a name, or of a title that is in one table alone.

    Raises LookupError, with the names that are like it.
    """
    fitting = [one for one in programs() if name in (one.name, one.title)]
    if len(fitting) == 1:
        return fitting[0]
    like = [one.name for one in fitting or programs() if name.lower() in one.name.lower()]
    hint = f"did you mean {', '.join(like[:5])}?" if like else "`list` shows all names"
    raise LookupError(f"{'several programs' if fitting else 'no program'} called {name!r}: {hint}")


def _made(
    table: str, title: str, function: Any, calls: Iterable[Arguments], **more: Any
) -> Program:
    assert isinstance(function, FunctionType)
    without = {**more.pop("without", {}), **NOT_FOR.get(f"{table}: {title}", {})}
    return Program(table, title, function, tuple(calls), without=without, **more)


def _copies(arguments: tuple[Any, ...]) -> Arguments:
    """What makes the same arguments again; what cannot be copied is handed on."""
    return lambda: tuple(map(_copied, arguments))


def _copied(value: Any) -> Any:
    if isinstance(value, memoryview | ModuleType):
        return value
    try:
        return copy.deepcopy(value)
    except RecursionError:
        return value


class _Names:
    """Names within a table: one that is there already gets a number."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def one(self, name: str) -> str:
        """The name, or with a number."""
        self.counts[name] += 1
        return name if self.counts[name] == 1 else f"{name} {self.counts[name]}"


def _numbers() -> Iterator[Program]:
    names = _Names()
    for case in numbers.CASES:
        yield _made("numbers", names.one(case.name), case.function, case.arguments)


def _library() -> Iterator[Program]:
    for area, rows in all_rows().items():
        calls: dict[FunctionType, list[Any]] = defaultdict(list)
        for row in rows:
            calls[row.program].append(row)
        without = {"on-the-cpu": "it has no place on a GPU"} if area in _NO_GPU else {}
        for k, (function, made) in enumerate(calls.items()):
            yield _made(
                "library",
                f"{area} {function.__name__} {k}",
                function,
                (row.arguments for row in made),
                close=frozenset(i for i, row in enumerate(made) if row.close),
                without=without,
            )


def _usual() -> Iterator[Program]:
    helpers = {"dict_free": usual_programs.dict_free}
    for function, arguments in usual_programs.PROGRAMS:
        yield _made("usual", function.__name__, function, [_copies(arguments)], helpers=helpers)


def _battery() -> Iterator[Program]:
    for one in CONSTRUCTS:
        function, arguments = battery.prepared(one)
        yield _made("battery", one.name, function, [_copies(arguments)])


def _bad() -> Iterator[Program]:
    for one in BAD:
        if one.python and not one.as_it_is:  # others never end, or use the compiler themselves
            yield _made("bad", one.name, one.function, [_copies(one.args)], keywords=one.keywords)


def _races() -> Iterator[Program]:
    for name, case in races.CASES.items():
        yield _made("races", name, case.function, [_copies(case.args)])


def of_cases(table: str, cases: Iterable[Case], **more: Any) -> Iterator[Program]:
    """The programs of a list of cases."""
    names = _Names()
    for case in cases:  # some have a row for each course of steps
        without = {"ssa": case.only_ir} if case.only_ir else {}
        if case.function.__module__.endswith("lifetimes_cases"):
            without["ir"] = KEPT_LONGER
        yield _made(
            table,
            names.one(case.name),
            case.function,
            map(_copies, case.calls),
            steps=case.steps,
            without=without,
            **more,
        )


def _control() -> Iterator[Program]:
    lists = (compiled_cases.CASES, fused_cases.CASES, yielding_cases.CASES)
    of_their_own = {case.function for cases in lists for case in cases}
    cases = [case for case in cases_of("corpus.control") if case.function not in of_their_own]
    return of_cases("control", cases)


def _with_helpers(table: str, module: ModuleType) -> Iterator[Program]:
    return of_cases(table, module.CASES, helpers=module.GENERATORS)


TABLES: dict[str, Callable[[], Iterator[Program]]] = {
    "numbers": _numbers,
    "library": _library,
    "usual": _usual,
    "battery": _battery,
    "bad": _bad,
    "races": _races,
    "control": _control,
    "objects": lambda: of_cases("objects", cases_of("corpus.objects")),
    "compiled": lambda: of_cases("compiled", compiled_cases.CASES),
    "fused": lambda: _with_helpers("fused", fused_cases),
    "yielding": lambda: _with_helpers("yielding", yielding_cases),
    "objmode": lambda: of_cases("objmode", objmode_cases.CASES),
}
