"""The examples in the docstrings of NumPy's functions, compiled and beside NumPy.

    cd tests; python -m fuzz examples 5000 --seed 0        # all of them

Each statement of an example becomes two functions.  In the first one, arrays and numbers that were
named before are arguments, and so are the numbers and lists that are written in calls; in the
second one all of them are constants.  The docstrings are those of the installed NumPy.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import doctest
import io
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

import cutaway
from cutaway.errors import CompileError, InternalError
from cutaway.library import areas
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict
from fuzz.comparing_calls import LARGEST, Outcome, allowed, difference, outcome

Space = dict[str, Any]  # Any: what an example has named

SIMPLE = (bool, int, float, complex, np.generic, np.ndarray)
SOURCES = (np.random.Generator, np.random.RandomState)
LEFT_OUT = ("print", "help", "open", "exec", "plt")


# --- all examples -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """A statement of a docstring, by its number, and whether literals are arguments."""

    name: str
    number: int
    by_argument: bool


@cache
def documented() -> dict[str, Any]:  # Any: functions
    """The functions, methods and ufuncs of NumPy that the library compiles, by their names."""
    found: dict[str, Any] = {}
    for name in areas.names():
        prefix, _, last = name.rpartition(".")
        place = areas.PLACES.get(f"{prefix}." if prefix else "")
        owner = np.ndarray if name[0] == "." else import_module(str(place))
        found[name] = getattr(owner, last, None)
    for name in dir(np):
        if isinstance(getattr(np, name), np.ufunc):
            found[name] = getattr(np, name)
    for source in SOURCES:
        for name in dir(source):
            if name[0] != "_":
                found[f"{source.__name__}.{name}"] = getattr(source, name)
    return found


@cache
def statements(name: str) -> tuple[str, ...]:
    """The statements of a function's examples."""
    text = getattr(documented()[name], "__doc__", None) or ""
    try:
        sources = [one.source for one in doctest.DocTestParser().get_examples(text)]
    except ValueError:
        return ()
    # What the examples draw, they draw again.
    return tuple(one.replace("default_rng()", "default_rng(5)") for one in sources)


@cache
def examples() -> tuple[Example, ...]:
    """All examples that can be functions, each in both forms."""
    seen: set[tuple[str, str]] = set()
    found = []
    for name in sorted(documented()):
        for number, source in enumerate(statements(name)):
            if (name.lstrip("."), source) not in seen and _parts(source) is not None:
                seen.add((name.lstrip("."), source))
                found += [Example(name, number, by_argument) for by_argument in (False, True)]
    return tuple(found)


# --- a statement as a function ----------------------------------------------------------------


@dataclass
class _Parts:
    """A statement: what is done first, and what is returned."""

    before: list[ast.stmt]
    returned: ast.expr


def _parts(source: str) -> _Parts | None:
    """The parts of a statement; None where it is none that computes something."""
    try:
        (statement,) = ast.parse(source).body
    except (SyntaxError, ValueError):
        return None
    names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}
    match statement:
        case ast.Expr(ast.Call(ast.Name("print"), [value], [])):
            statement = ast.Expr(value)
            names.discard("print")
    computing = ast.Call | ast.BinOp | ast.Subscript
    computes = any(isinstance(one, computing) for one in ast.walk(statement))
    if not computes or names & set(LEFT_OUT):
        return None
    match statement:
        case ast.Expr(value) | ast.Assign(_, value) if not _stores(statement):
            return _Parts([], value)
        case ast.Assign([ast.Subscript(ast.Name(name)) | ast.Attribute(ast.Name(name))]):
            return _Parts([statement], ast.Name(name, ast.Load()))
        case ast.AugAssign(ast.Name(name) | ast.Subscript(ast.Name(name))):
            return _Parts([statement], ast.Name(name, ast.Load()))
        case _:
            return None


def _stores(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and any(
        isinstance(one, ast.Subscript | ast.Attribute) for one in statement.targets
    )


@dataclass
class Program:
    """A function of a statement, and its arguments."""

    source: str
    space: Space
    args: list[Any] = field(default_factory=list)

    def function(self) -> Callable[..., Any]:
        """The Python function."""
        space = dict(self.space)
        exec(compile(self.source, "<example>", "exec"), space)  # noqa: S102
        made: Callable[..., Any] = space["f"]
        return made


class _Literals(ast.NodeTransformer):
    """Numbers and lists that are written in calls become arguments."""

    def __init__(self, names: list[str], args: list[Any]) -> None:
        self.names, self.args = names, args

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802  as ast calls it
        self.generic_visit(node)
        node.args = [self._argument(one) for one in node.args]
        return node

    def _argument(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Constant | ast.List | ast.UnaryOp | ast.Tuple):
            return node
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return node
        if isinstance(node, ast.List):
            try:
                value = np.array(value)
            except ValueError:
                return node
        plain = isinstance(value, tuple) and all(isinstance(one, int | float) for one in value)
        number = isinstance(value, SIMPLE) and np.asarray(value).dtype.kind in "biufc"
        if not plain and not number:
            return node
        self.names.append(f"given{len(self.names)}")
        self.args.append(value)
        return ast.Name(self.names[-1], ast.Load())


def program_of(example: Example) -> Program | None:
    """The function of an example; None where what it needs has not been computed."""
    space: Space = {"np": np}
    sources = statements(example.name)
    np.random.seed(1)
    for source in sources[: example.number]:
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<before>", "single"), space)  # noqa: S102
    parts = _parts(sources[example.number])
    assert parts is not None
    names: list[str] = []
    args: list[Any] = []
    tree = [*parts.before, ast.Return(parts.returned)]
    passes = example.by_argument or bool(parts.before)
    for name in _names_in(tree, space):
        if name not in space:
            if not hasattr(builtins, name):
                return None
        elif isinstance(space[name], SOURCES) or (passes and _is_passed(space[name])):
            names.append(name)
            args.append(space[name])
    arrays = [one for one in space.values() if isinstance(one, np.ndarray)]
    if any(one.size > LARGEST for one in arrays):
        return None
    for name, value in space.items():  # constants of compiled code are read-only
        if isinstance(value, np.ndarray):
            space[name] = value.copy(order="K")
            space[name].flags.writeable = False
    if example.by_argument:
        tree = [_Literals(names, args).visit(top) for top in tree]
        if not names:
            return None
    lines = [line for top in tree for line in _text_of(top).splitlines()]
    body = "".join(f"    {line}\n" for line in lines)
    return Program(f"def f({', '.join(names)}):\n{body}", space, args)


def _names_in(tree: list[ast.stmt], space: Space) -> list[str]:
    """The names that statements ask for, but for those that they bind themselves."""
    nodes = [one for top in tree for one in ast.walk(top)]
    names = [one for one in nodes if isinstance(one, ast.Name)]
    bound = {one.id for one in names if isinstance(one.ctx, ast.Store) and one.id not in space}
    bound |= {one.arg for one in nodes if isinstance(one, ast.arg)}
    return sorted({one.id for one in names} - bound)


def _text_of(tree: ast.stmt) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


_CODE = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, list, np.dtype)


def _is_passed(value: Any) -> bool:
    return not isinstance(value, _CODE) and not callable(value)


# --- one of them ------------------------------------------------------------------------------


def check(seed: int) -> Verdict:
    """Compare an example."""
    example = examples()[seed % len(examples())]
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    program = program_of(example)
    if program is None:
        return Verdict(SAME, "nothing to compare", calls=0)
    function = program.function()
    shown = f"# {example.name}, statement {example.number}\n{program.source}f{tuple(program.args)}"
    np.random.seed(1)
    try:
        first, second = copy.deepcopy(program.args), copy.deepcopy(program.args)
    except TypeError:  # a generator
        return Verdict(SAME, "nothing to compare", calls=0)
    expected = outcome(function, first)
    np.random.seed(1)
    found = outcome(_Compiled(function), second)
    if isinstance(found.error, InternalError):
        return Verdict(FINDING, str(found.error), shown)
    if isinstance(found.error, CompileError):
        words = str(found.error).splitlines()[0].partition(": ")[2] or str(found.error)
        return Verdict(REFUSED, words[:150], shown)
    kind = difference(expected, found, program.source)
    if isinstance(expected.returned, types.GeneratorType):
        return Verdict(SAME, "nothing to compare", calls=0)
    if not kind or "np.empty" in program.source and kind == "value":
        return Verdict(SAME)
    template = f"~{program.source}" if "space(" in program.source else program.source
    if not difference(expected, found, template) or _is_allowed(program, expected, found, kind):
        return Verdict(ALLOWED, kind, shown)
    return Verdict(FINDING, kind, f"{shown}\n    NumPy:    {expected}\n    compiled: {found}")


# numpy-scalars, parts-in-tuples, weak-numbers, open-order
_OF_OTHER_KINDS = ("type(", "iinfo(", "finfo(", "trim_zeros([", "np.int64(", "unique_values(")


def _is_allowed(program: Program, expected: Outcome, found: Outcome, kind: str) -> bool:
    """Whether an entry of the ledger permits a difference: of arguments, or of arrays that are
    constants."""
    source = program.source
    if "overwrite_input" in source and kind in ("arguments", "no ValueError"):  # open-order
        return True
    if "memory(" in source and not program.args:  # frozen-globals
        return True
    if kind in ("kind", "value") and any(one in source for one in _OF_OTHER_KINDS):
        return True
    constants = [one for one in program.space.values() if isinstance(one, np.ndarray)]
    for args in (program.args, [*program.args, *constants]):
        with contextlib.suppress(IndexError, ValueError):
            if allowed(program.source, args, expected, found, kind):
                return True
    return False


class _Compiled:
    """A compiled function, made when it is called: what making it raises counts as raised."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        return cutaway.jit(self.function)(*args)
