"""Dataclasses whose classes are built quickly.

Loading the compiler builds sixty of them, which with `dataclasses` took a third of the time of the
first compilation: it generates and compiles the source of each method.  Here all classes with the
same number of fields share the code of `__init__`, with the names replaced, and the other methods
are closures.  The part of the interface that is used is the same, and `dataclasses` itself
(`replace`, `fields`, `is_dataclass`) works on these classes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType, MappingProxyType
from typing import Any, TypeVar, dataclass_transform, overload

C = TypeVar("C", bound=type)
T = TypeVar("T")

MISSING: Any = object()


class Field:
    """One field of a class; see `field`."""

    __slots__ = ("name", "default", "default_factory", "compare", "repr")

    def __init__(self, default: Any, default_factory: Any, compare: bool, repr: bool) -> None:
        self.name = ""
        self.default = default
        self.default_factory = default_factory
        self.compare = compare
        self.repr = repr


def field(
    *,
    default: Any = MISSING,
    default_factory: Callable[[], Any] = MISSING,
    compare: bool = True,
    repr: bool = True,
) -> Any:
    """Declare the options of a field; written where a plain default would stand."""
    return Field(default, default_factory, compare, repr)


@overload
def dataclass(cls: C, /) -> C: ...


@overload
def dataclass(
    *,
    frozen: bool = ...,
    eq: bool = ...,
    slots: bool = ...,
    repr: bool = ...,
    weakref_slot: bool = ...,
) -> Callable[[C], C]: ...


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    cls: Any = None,
    /,
    *,
    frozen: bool = False,
    eq: bool = True,
    slots: bool = False,
    repr: bool = True,
    weakref_slot: bool = False,
) -> Any:
    """Add the methods of a dataclass to a class, as `dataclasses.dataclass` does."""

    def decorate(plain: type) -> type:
        return _build(plain, frozen, eq, slots, repr, weakref_slot)

    return decorate if cls is None else decorate(cls)


def _build(cls: type, frozen: bool, eq: bool, slots: bool, repr: bool, weakref_slot: bool) -> type:
    own = _own_fields(cls)
    inherited = {f.name: f for base in cls.__mro__[:0:-1] for f in getattr(base, "FIELDS_", ())}
    all_fields = tuple({**inherited, **own}.values())
    names = tuple(f.name for f in all_fields)
    space = dict(cls.__dict__)
    for name, one in own.items():
        if one.default is MISSING:
            space.pop(name, None)
        else:
            space[name] = one.default
    space["FIELDS_"] = all_fields
    space["__match_args__"] = names
    space["__dataclass_fields__"] = _Described()
    calls_post = "__post_init__" in space
    space.setdefault("__init__", Later(lambda: _init(all_fields, frozen, calls_post)))
    if repr:
        space.setdefault("__repr__", _repr(all_fields))
    if eq:
        _add_equality(space, tuple(f.name for f in all_fields if f.compare), frozen)
    if frozen:
        space.setdefault("__setattr__", _refuse)
        space.setdefault("__delattr__", _refuse)
    if not slots:
        for name, value in space.items():
            if cls.__dict__.get(name, MISSING) is not value:
                setattr(cls, name, value)
        for name in own:
            if name in cls.__dict__ and name not in space:
                delattr(cls, name)
        return cls
    # An object's layout is fixed when its class is created, so slots need a second class.  The
    # descriptors `__dict__` and `__weakref__` of the first class would not work on its objects.
    for name in (*own, "__dict__", "__weakref__"):
        space.pop(name, None)
    space["__slots__"] = (*own, "__weakref__") if weakref_slot else tuple(own)
    if frozen:
        space.setdefault("__getstate__", _state)
        space.setdefault("__setstate__", _set_state)
    return type(cls)(cls.__name__, cls.__bases__, space)


class Later:
    """An `__init__` that is made when the class is first called: most classes never are."""

    def __init__(self, make: Callable[[], Callable[..., None]]) -> None:
        self.make = make

    def __get__(self, instance: object, owner: type) -> Any:
        init = self.make()
        for cls in owner.__mro__:
            if cls.__dict__.get("__init__") is self:
                cls.__init__ = init  # type: ignore[misc]
        return init if instance is None else init.__get__(instance)


def _own_fields(cls: type) -> dict[str, Field]:
    own = {}
    for name, hint in cls.__annotations__.items():
        text = hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint))
        if text.startswith(("ClassVar", "typing.ClassVar")):
            continue
        default = cls.__dict__.get(name, MISSING)
        one = default if isinstance(default, Field) else Field(default, MISSING, True, True)
        one.name = name
        own[name] = one
    return own


def _init(fields: tuple[Field, ...], frozen: bool, calls_post: bool) -> Callable[..., None]:
    if any(one.default_factory is not MISSING for one in fields) or calls_post:
        return _written_init(fields, frozen, calls_post)
    defaults = {one.name: one.default for one in fields if one.default is not MISSING}
    return initializer(tuple(one.name for one in fields), defaults, frozen)


def initializer(
    names: tuple[str, ...],
    defaults: Mapping[str, Any],
    frozen: bool,
    named: Mapping[str, Any] = MappingProxyType({}),
) -> Callable[..., None]:
    """Return an `__init__` that sets the fields `names`, of which the last may have defaults, and
    the keyword-only fields `named`, which all have defaults.

    Its code is compiled once for each number of fields; the names are then replaced.
    """
    own = (*names, *named)
    code = _template(len(names), len(named), frozen)
    fields_by_placeholder = dict(zip(_places(len(own)), own, strict=True))
    renamed = {
        "co_varnames": tuple(fields_by_placeholder.get(name, name) for name in code.co_varnames),
        # The `__init__` of a frozen class passes the names to `_set` as constants.
        "co_consts": tuple(fields_by_placeholder.get(one, one) for one in code.co_consts),
        "co_names": tuple(fields_by_placeholder.get(name, name) for name in code.co_names),
    }
    bound = tuple(defaults[name] for name in names if name in defaults)
    init = FunctionType(code.replace(**renamed), _SPACE, "__init__", bound)  # type: ignore[arg-type]
    init.__kwdefaults__ = dict(named) or None
    return init


_SPACE = {"_set": object.__setattr__}


def _places(count: int) -> list[str]:
    return [f"_field_{k}" for k in range(count)]


@cache
def _template(count: int, named: int, frozen: bool) -> CodeType:
    """Compile the `__init__` of `count` fields and `named` keyword-only fields."""
    own = _places(count + named)
    parameters = ["self", *own[:count], *["*"][:named], *own[count:]]
    sets = (f"_set(self, {n!r}, {n})" if frozen else f"self.{n} = {n}" for n in own)
    body = "; ".join(sets) or "pass"
    space: dict[str, Any] = {}
    exec(f"def __init__({', '.join(parameters)}): {body}", space)  # noqa: S102
    code: CodeType = space["__init__"].__code__
    return code


def _written_init(fields: tuple[Field, ...], frozen: bool, calls_post: bool) -> Callable[..., None]:
    """Compile an `__init__` that calls default factories or `__post_init__`."""
    space: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    parameters, lines = ["self"], []
    for one in fields:
        name = one.name
        if one.default_factory is not MISSING:
            space[f"_new_{name}"] = one.default_factory
            parameters.append(f"{name}=_missing")
            value = f"_new_{name}() if {name} is _missing else {name}"
        else:
            space[f"_default_{name}"] = one.default
            parameters.append(name if one.default is MISSING else f"{name}=_default_{name}")
            value = name
        lines.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    lines += [" self.__post_init__()"] * calls_post or [" pass"]
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), space)  # noqa: S102
    init: Callable[..., None] = space["__init__"]
    return init


def _repr(fields: tuple[Field, ...]) -> Callable[[Any], str]:
    shown = [one.name for one in fields if one.repr]

    def __repr__(self: Any) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({inside})"

    return __repr__


def _add_equality(space: dict[str, Any], names: tuple[str, ...], frozen: bool) -> None:
    values: Callable[[Any], Any] = attrgetter(*names) if names else lambda self: ()

    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(values(self) == values(other))

    def __hash__(self: Any) -> int:
        return hash(values(self))

    # Python puts `__hash__ = None` into a class whose body has `__eq__` and no hash.
    has_hash = space.get("__hash__") is not None
    space.setdefault("__eq__", __eq__)
    if not has_hash:
        space["__hash__"] = __hash__ if frozen else None


def _refuse(self: Any, name: str, *value: object) -> None:
    raise FrozenError(f"cannot change field {name!r} of a {type(self).__name__}")


class FrozenError(AttributeError):
    """Raised by an assignment to a field of a frozen dataclass, and by its deletion."""


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in type(self).FIELDS_]


def _set_state(self: Any, state: list[Any]) -> None:
    for one, value in zip(type(self).FIELDS_, state, strict=True):
        object.__setattr__(self, one.name, value)


class _Described:
    """A descriptor that builds the `dataclasses.Field` of each field when they are first read."""

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        dataclasses = importlib.import_module("dataclasses")  # seldom needed
        described = {}
        for one in owner.FIELDS_:  # type: ignore[attr-defined]
            standard: Any = dataclasses.field(repr=one.repr, compare=one.compare)
            standard.name, standard._field_type = one.name, dataclasses._FIELD
            described[one.name] = standard
        return described


def fields(thing: Any) -> tuple[Field, ...]:
    """Return the fields of a class or of an object's class."""
    declared: tuple[Field, ...] = thing.FIELDS_
    return declared


def replace(thing: T, /, **changes: Any) -> T:
    """Return a copy of an object with some fields replaced."""
    for one in type(thing).FIELDS_:  # type: ignore[attr-defined]
        if one.name not in changes:
            changes[one.name] = getattr(thing, one.name)
    return type(thing)(**changes)
