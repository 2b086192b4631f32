"""Record the reads and writes of calls: NumPy functions, methods, and compiled functions, which are
interpreted as well."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from cutaway.errors import CutawayError
from cutaway.foundation.source import is_ours
from cutaway.inspection.races.accesses import AFTER, BEFORE, Accesses, Watch
from cutaway.inspection.races.shadow import root_of
from cutaway.inspection.views import run_interpreted
from cutaway.inspection.witness.execution import plain_python
from cutaway.ir import nodes
from cutaway.ir.constants import is_compiled
from cutaway.ir.levels import Level
from cutaway.ir.nodes import replace
from cutaway.ir.region_views import places
from cutaway.ir.traversal import by_place_and_name
from cutaway.stages.unit import CompileUnit
from cutaway.typing.values.typeof import typeof

# Functions and methods that write into their first argument, or into their owner.
_WRITING = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
_WRITING_METHODS = frozenset("fill itemset partition put resize sort".split())
# Methods of lists, dicts, sets and buffers that modify them.
_CHANGING = frozenset(
    (
        "append extend insert pop remove clear sort reverse update setdefault popitem add discard"
        " difference_update intersection_update symmetric_difference_update frombytes fromlist"
    ).split()
)
# Functions that read only the shape of their arguments.
_OF_SHAPE = frozenset(
    (
        "len shape size ndim empty_like zeros_like ones_like full_like isinstance type range id"
        " shares_memory may_share_memory"
    ).split()
)
_RANDOM = (np.random.Generator, np.random.RandomState)

Racing = Callable[[Any], Any]


class InterpretedCallee:
    """A compiled function whose calls are interpreted."""

    def __init__(self, dispatcher: Any, runner: RaceRunner) -> None:
        self.dispatcher, self.runner = dispatcher, runner
        self.__name__ = dispatcher.py_func.__name__

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Interpret the function."""
        if named:
            bound = inspect.signature(self.dispatcher.py_func).bind(*args, **named)
            args = bound.args
        unit = self.runner.unit_of(self.dispatcher, args)
        if unit is None:
            self.runner.watch.skip(f"calls of {self.__name__}")
            return plain_python(self.dispatcher.py_func, {})(*args, **named)
        return self.runner.run(unit, args)


class RaceRunner:
    """An interpreter of a function and its compiled callees, which records all accesses."""

    def __init__(self, watch: Watch, racing: Racing) -> None:
        self.watch, self.racing = watch, racing
        self._units: dict[object, CompileUnit | None] = {}
        self._followed: dict[int, InterpretedCallee] = {}

    def run(self, unit: CompileUnit, args: tuple[Any, ...]) -> Any:
        """Interpret a unit."""
        accesses = Accesses(unit, self.watch)
        hooks = {"before": accesses.before, "observe": accesses.observe}
        try:
            return run_interpreted(unit, tuple(map(self.followed, args)), **hooks)
        finally:
            accesses.end()

    def followed(self, value: Any) -> Any:
        """Replace a compiled function by an interpreted one; return other values unchanged."""
        if not is_compiled(value) or not isinstance(value.py_func, FunctionType):
            return value
        if id(value) not in self._followed:
            self._followed[id(value)] = InterpretedCallee(value, self)
        return self._followed[id(value)]

    def with_callees(self, unit: CompileUnit) -> CompileUnit:
        """Replace the compiled functions that a unit calls by interpreted ones."""
        twin = unit.copy()
        for place in places(twin.fn):
            op = place.op
            if isinstance(op, nodes.Global | nodes.FreeVar):
                value = self.followed(op.value)
                if value is not op.value:
                    place.put(replace(op, value=value))
        return twin

    def unit_of(self, dispatcher: Any, args: tuple[Any, ...]) -> CompileUnit | None:
        """The unit of a compiled function for arguments; None if it does not compile for them."""
        plain = tuple(one.dispatcher if isinstance(one, InterpretedCallee) else one for one in args)
        try:
            key = (id(dispatcher), *map(typeof, plain))
            if key not in self._units:
                unit = compiled(dispatcher, plain, self.racing)
                self._units[key] = self.with_callees(unit)
        except (CutawayError, TypeError):
            return None
        return self._units[key]


def compiled(dispatcher: Any, args: tuple[Any, ...], racing: Racing) -> CompileUnit:
    """Compile a function up to the last level of our own IR.

    Raises CompileError if it does not compile.
    """
    trace = racing(dispatcher).trace(*args)
    if trace.error is not None:
        raise trace.error
    level = Level.parfor if "parfor" in trace.levels else Level.typed
    return trace.at(level).unit


# --- calls ----------------------------------------------------------------------------------------


def _call(run: Accesses, op: nodes.Call) -> None:
    """Record the writes of a call, and its changes of containers; its result shows the reads."""
    function = run.now.get(op.func)
    args, named = _given(run, op)
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(function, InterpretedCallee):
        return
    if isinstance(owner, _RANDOM):
        if name == "shuffle" and isinstance(args[0], np.ndarray | list):
            run.write(op, op.args[0], args[0])
        return  # each iteration draws from its own stream
    out = named.get("out")
    for target in out if isinstance(out, tuple) else (out,):
        if isinstance(target, np.ndarray):
            run.write(op, _name_of(run, op, target), target)
    if isinstance(owner, np.ndarray):
        if name in _WRITING_METHODS:
            new = args[0] if name == "fill" and args else None
            run.write(op, _owner_name(run, op), owner, ..., new)
        if name in ("sort", "partition", "resize"):
            run.read(op, _owner_name(run, op), owner)
        _outputs(run, op, function, args)
    elif isinstance(owner, list | dict | set):
        run.contents(op, _owner_name(run, op), owner, ..., name in _CHANGING)
    elif isinstance(owner, np.ufunc) and name == "at":
        run.read(op, op.args[0], args[0], args[1])
        run.write(op, op.args[0], args[0], args[1])
    elif any(function is one for one in _WRITING):
        run.write(op, op.args[0], args[0])
    elif isinstance(function, np.ufunc):
        for target, variable in zip(args[function.nin :], op.args[function.nin :], strict=False):
            if isinstance(target, np.ndarray):
                run.write(op, variable, target)
    else:
        _outputs(run, op, function, args)
        _unknown(run, op, function, [*args, *named.values()])


def _given(run: Accesses, op: nodes.Call) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call."""
    args, named = by_place_and_name([run.now.get(name) for name in op.args], op.keywords)
    star = () if op.star is None else run.now.get(op.star, ())
    return [*args, *star], named


def _outputs(run: Accesses, op: nodes.Call, function: Any, args: list[Any]) -> None:
    """Record writes to outputs that are passed by position."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return
    if "out" in names and names.index("out") < len(args):
        target = args[names.index("out")]
        if isinstance(target, np.ndarray):
            run.write(op, _name_of(run, op, target), target)


def _unknown(run: Accesses, op: nodes.Call, function: Any, args: list[Any]) -> None:
    """Note a function whose writes are not known."""
    module = (getattr(function, "__module__", "") or "").partition(".")[0]
    if module in ("numpy", "builtins", "math", "cmath", "operator") or is_ours(function):
        return
    if isinstance(function, type | BuiltinFunctionType) and not run.arrays(args):
        return
    if isinstance(function, FunctionType | MethodType) or run.arrays(args):
        name = getattr(function, "__name__", type(function).__name__)
        run.watch.skip(f"calls of {name} in line {op.loc.line}")


def _result(run: Accesses, op: nodes.Call, result: Any) -> None:
    """Record the reads of a call: its arrays, unless it returns views of them."""
    function = run.now.get(op.func)
    name = getattr(function, "__name__", "")
    if isinstance(function, InterpretedCallee) or name in _OF_SHAPE:
        return
    args, named = _given(run, op)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ndarray):
        if name == "item" and args:
            run.read(op, _owner_name(run, op), owner, tuple(args) if len(args) > 1 else args[0])
            return
        if name not in ("fill", "itemset", "put"):
            args.insert(0, owner)
    views = {id(root_of(one)) for one in run.arrays([result])}
    out = named.pop("out", None)
    if any(function is one for one in _WRITING):
        del args[:1]
    for one in run.arrays([*args, *named.values()]):
        if id(root_of(one)) not in views or one is out:
            run.read(op, _name_of(run, op, one), one)


def _owner_name(run: Accesses, op: nodes.Call) -> str:
    maker = run.makers.get(op.func)
    return maker.value if isinstance(maker, nodes.GetAttr) else op.func


def _name_of(run: Accesses, op: nodes.Call, value: Any) -> str:
    """Return the variable that a call passes a value by."""
    found = next((name for name in op.args if run.now.get(name) is value), None)
    return found if found is not None else _owner_name(run, op)


BEFORE[nodes.Call] = _call
AFTER[nodes.Call] = _result
