"""The interpretation of ops on Python's own objects."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from cutaway.foundation.python_words import too_many
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.frames import name_of

# Any, here and below: a run of the interpreter, and objects of the program.


def _build_set(run: Any, op: nodes.BuildSet) -> None:
    items = set()
    for name in op.items:  # in order, as hashing may raise
        items.add(run.value(name))
    run.set(op, op.result, items)


def _build_dict(run: Any, op: nodes.BuildDict) -> None:
    made = {}
    for key, value in zip(op.items[::2], op.items[1::2], strict=True):
        made[run.value(key)] = run.value(value)
    run.set(op, op.result, made)


def _extend(run: Any, op: nodes.Extend) -> None:
    container = run.value(op.container)
    values = [run.value(name) for name in op.items]
    match op.how:
        case "list_extend":
            _require_items(values[0])
            container.extend(*values)
        case "set_add":
            container.add(*values)
        case "set_update":
            container.update(*values)
        case "dict_set":
            key, value = values
            container[key] = value
        case "dict_update":
            _require_mapping(values[0])
            container.update(*values)
        case "dict_merge":
            assert op.function is not None
            _merge(run.value(op.function), container, values[0])
    run.set(op, op.result, container)


def _require_items(value: Any) -> None:
    if not hasattr(type(value), "__iter__") and not hasattr(type(value), "__getitem__"):
        raise TypeError(f"Value after * must be an iterable, not {type(value).__name__}")


def _require_mapping(value: Any) -> None:
    if not hasattr(value, "keys"):
        raise TypeError(f"'{type(value).__name__}' object is not a mapping")


def _merge(function: Any, container: dict[Any, Any], more: Any) -> None:
    """Merge another mapping into the keyword arguments of a call."""
    name = _name_of(function)
    if not hasattr(more, "keys"):
        message = f"{name} argument after ** must be a mapping, not {type(more).__name__}"
        raise TypeError(message)
    plain = isinstance(more, dict) and type(more).__iter__ is dict.__iter__
    for key in dict.keys(more) if plain else more.keys():
        if key in container:
            raise TypeError(f"{name} got multiple values for keyword argument '{key}'")
        container[key] = dict.__getitem__(more, key) if plain else more[key]


def _name_of(function: Any) -> str:
    """Return the name of a function in error messages."""
    name = getattr(function, "__qualname__", None)
    if not isinstance(name, str):
        return str(function)
    module = getattr(function, "__module__", None)
    inside = f"{module}." if isinstance(module, str) and module != "builtins" else ""
    return f"{inside}{name}()"


def _del_item(run: Any, op: nodes.DelItem) -> None:
    del run.value(op.target)[run.value(op.index)]


def _call_spread(run: Any, op: nodes.CallSpread) -> None:
    function = run.called(run.value(op.func))
    run.set(op, op.result, function(*run.value(op.items), **run.value(op.named)))


# --- items ----------------------------------------------------------------------------------------


def _unpack(run: Any, op: nodes.Unpack) -> None:
    value = run.value(op.value)
    source = _items_of(value)
    items = tuple(islice(source, op.count))
    if len(items) < op.count:
        message = f"not enough values to unpack (expected {op.count}, got {len(items)})"
        raise ValueError(message)
    missing = object()
    if next(source, missing) is not missing:
        known = len(value) if type(value) in (tuple, list, dict) else None
        raise ValueError(too_many(op.count, known))
    run.set(op, op.result, items)


def _unpack_star(run: Any, op: nodes.UnpackStar) -> None:
    source = _items_of(run.value(op.value))
    items = list(islice(source, op.before))
    if len(items) == op.before:
        items += source
    least = op.before + op.after
    if len(items) < least:
        message = f"not enough values to unpack (expected at least {least}, got {len(items)})"
        raise ValueError(message)
    last = len(items) - op.after
    # In compiled code the rest of a tuple is a tuple.
    middle: Any = items[op.before : last]
    is_tuple = run.types is not None and type(run.value(op.value)) is tuple
    middle = tuple(middle) if is_tuple else middle
    run.set(op, op.result, (*items[: op.before], middle, *items[last:]))


def _items_of(value: Any) -> Iterator[Any]:
    cls = type(value)
    if not hasattr(cls, "__iter__") and not hasattr(cls, "__getitem__"):
        raise TypeError(f"cannot unpack non-iterable {name_of(cls)} object")
    return iter(value)


# --- patterns -------------------------------------------------------------------------------------


def _is_pattern(run: Any, op: nodes.IsPattern) -> None:
    found = False
    match op.kind, run.value(op.value):
        case "sequence", [*_]:
            found = True
        case "mapping", {}:
            found = True
    run.set(op, op.result, found)


def _match_keys(run: Any, op: nodes.MatchKeys) -> None:
    value, keys = run.value(op.value), run.value(op.keys)
    seen = set()
    missing, values = object(), []
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        values.append(value.get(key, missing))
        if values[-1] is missing:
            run.set(op, op.result, None)
            return
    run.set(op, op.result, tuple(values))


# Classes for which a positional pattern matches the object itself.
_THEMSELVES = (
    *(bool, bytearray, bytes, dict, float, frozenset),
    *(int, list, set, str, tuple),
)


def _no_class() -> str:
    """Return this Python's error message for a class pattern of something that is not a class."""
    nothing: Any = 0
    try:
        match 0:
            case nothing():
                pass
    except TypeError as error:
        return str(error)
    return ""


def _match_class(run: Any, op: nodes.MatchClass) -> None:
    value, cls = run.value(op.value), run.value(op.cls)
    if not isinstance(cls, type):
        raise TypeError(_no_class())
    found = _attributes(value, cls, op.count, op.names) if isinstance(value, cls) else None
    run.set(op, op.result, found)


def _attributes(value: Any, cls: type, count: int, names: tuple[str, ...]) -> Any:
    seen: list[str] = []
    values: list[Any] = []
    if count:
        missing = object()
        by_place: Any = getattr(cls, "__match_args__", missing)
        if by_place is missing and issubclass(cls, _THEMSELVES):
            _require_few(cls, 1, count)
            values.append(value)
        else:
            by_place = () if by_place is missing else by_place
            if type(by_place) is not tuple:
                kind = type(by_place).__name__
                message = f"{name_of(cls)}.__match_args__ must be a tuple (got {kind})"
                raise TypeError(message)
            _require_few(cls, len(by_place), count)
            names = (*by_place[:count], *names)
    for name in names:
        if not isinstance(name, str):
            kind = type(name).__name__
            raise TypeError(f"__match_args__ elements must be strings (got {kind})")
        if name in seen:
            message = f"{name_of(cls)}() got multiple sub-patterns for attribute {name!r}"
            raise TypeError(message)
        seen.append(name)
        try:
            values.append(getattr(value, name))
        except AttributeError:
            return None
    return tuple(values)


def _require_few(cls: type, most: int, count: int) -> None:
    if count > most:
        plural = "" if most == 1 else "s"
        message = f"{name_of(cls)}() accepts {most} positional sub-pattern{plural} ({count} given)"
        raise TypeError(message)


# --- shared variables -----------------------------------------------------------------------------


def _import(run: Any, op: nodes.Import) -> None:
    namespace = run.fn.namespace
    load = namespace.get("__builtins__", builtins)
    load = load["__import__"] if isinstance(load, dict) else load.__import__
    module = load(op.name, namespace, None, op.names, run.value(op.level))
    run.set(op, op.result, module)


def _import_from(run: Any, op: nodes.ImportFrom) -> None:
    module, missing = run.value(op.module), object()
    found = getattr(module, op.name, missing)
    run.set(op, op.result, _submodule(module, op.name) if found is missing else found)


def _submodule(module: Any, name: str) -> Any:
    package = getattr(module, "__name__", "<unknown module name>")
    full = f"{package}.{name}"
    if full in sys.modules:
        return sys.modules[full]
    place = getattr(module, "__file__", None)
    where = "unknown location" if place is None else place
    message = f"cannot import name {name!r} from {package!r} ({where})"
    since_3_12 = {"name_from": name} if hasattr(ImportError, "name_from") else {}
    raise ImportError(message, name=package, path=place, **since_3_12)


def _read_outer(run: Any, op: nodes.ReadOuter) -> None:
    if op.scope == "nonlocal":
        _require_value(op)
        run.set(op, op.result, op.cell.cell_contents)
        return
    scope = run.fn.namespace if op.name in run.fn.namespace else vars(builtins)
    if op.name not in scope:
        raise NameError(f"name '{op.name}' is not defined", name=op.name)
    run.set(op, op.result, scope[op.name])


def _require_value(op: nodes.ReadOuter | nodes.DeleteOuter) -> None:
    try:
        op.cell.cell_contents  # noqa: B018  raises if it is empty
        return
    except ValueError:
        pass
    raise NameError(NO_VALUE.format(op.name), name=op.name)


NO_VALUE = (
    "cannot access free variable '{}' where it is not associated with a value in enclosing scope"
)


def _write_outer(run: Any, op: nodes.WriteOuter) -> None:
    if op.scope == "nonlocal":
        op.cell.cell_contents = run.value(op.value)
    else:
        run.fn.namespace[op.name] = run.value(op.value)


def _delete_outer(run: Any, op: nodes.DeleteOuter) -> None:
    if op.scope == "nonlocal":
        _require_value(op)
        del op.cell.cell_contents
    elif op.name in run.fn.namespace:
        del run.fn.namespace[op.name]
    else:
        raise NameError(f"name '{op.name}' is not defined", name=op.name)


def _run_loop(run: Any, op: nodes.RunLoop) -> None:
    """Run a lifted loop as Python would: its results are the same, and its integers do not wrap."""
    outline = op.loop.outline
    given = dict(zip(outline.inputs, op.args, strict=True))
    unbound = frozenset(name for name, arg in given.items() if not run.has_value(arg))
    values = tuple(run.value(arg) for name, arg in given.items() if name not in unbound)
    body = outline.function(unbound)
    inner = type(run)(body, values, None, None, None, run.steps_left, None, None)
    run.set(op, op.result, inner.run())
    run.steps_left = inner.steps_left


def _run_objects(run: Any, op: nodes.RunObjects) -> None:
    values = tuple(map(run.value, op.args))
    place = _Place()
    inner = type(run)(op.block.body, values, None, None, None, run.steps_left, None, place.before)
    try:
        given = inner.run()
    except BaseException as error:
        op.block.raised = id(error), place.of(error)
        raise
    run.steps_left = inner.steps_left
    run.set(op, op.result, op.block.checked(given))


class _Place:
    """The position in a run of a block, and the origins of the exceptions that it handles."""

    def __init__(self) -> None:
        self.op: nodes.Op | None = None
        self.handled: dict[int, Loc] = {}  # by the identity of an exception

    def before(self, op: nodes.Op) -> None:
        """Record the op that is about to run."""
        if isinstance(op, nodes.Caught) and self.op is not None:
            self.handled[id(sys.exc_info()[1])] = self.op.loc
        self.op = op

    def of(self, error: BaseException) -> Loc | None:
        """Return the origin of an exception; None for one that was raised outside the block."""
        if isinstance(self.op, nodes.Reraise):
            return self.handled.get(id(error))
        return None if self.op is None else self.op.loc


EXECUTED: dict[type[nodes.Op], Callable[[Any, Any], None]] = {
    nodes.BuildSet: _build_set,
    nodes.BuildDict: _build_dict,
    nodes.Extend: _extend,
    nodes.DelItem: _del_item,
    nodes.CallSpread: _call_spread,
    nodes.Unpack: _unpack,
    nodes.UnpackStar: _unpack_star,
    nodes.IsPattern: _is_pattern,
    nodes.MatchKeys: _match_keys,
    nodes.MatchClass: _match_class,
    nodes.Import: _import,
    nodes.ImportFrom: _import_from,
    nodes.ReadOuter: _read_outer,
    nodes.WriteOuter: _write_outer,
    nodes.DeleteOuter: _delete_outer,
    nodes.RunLoop: _run_loop,
    nodes.RunObjects: _run_objects,
}
