"""Dataclasses that are made quickly.

Loading the compiler makes sixty of them, which with `dataclasses` took a third of the time of the
first compilation: each of the methods there is a text that is compiled.  Here `__init__` is the
same code for all classes with as many fields, under their names, and the other methods are
closures.  What is used of the interface is the same, and `dataclasses` itself (`replace`,
`fields`, `is_dataclass`) works on these classes.
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
    """Options of a field, in the place of a plain default."""
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
    """Give a class the methods of a dataclass, as `dataclasses.dataclass` does."""

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
    space.setdefault("__init__", _init(all_fields, frozen, "__post_init__" in space))
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
    # An object's layout is fixed when its class is made, so slots need a second class.  The first
    # one's descriptors of `__dict__` and `__weakref__` would not work on objects of that.
    for name in (*own, "__dict__", "__weakref__"):
        space.pop(name, None)
    space["__slots__"] = (*own, "__weakref__") if weakref_slot else tuple(own)
    if frozen:
        space.setdefault("__getstate__", _state)
        space.setdefault("__setstate__", _set_state)
    return type(cls)(cls.__name__, cls.__bases__, space)


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
    """An `__init__` that sets fields: those of `names`, of which the last may have defaults, and
    the keyword-only ones of `named`, all of which have some.

    It is that of a class with as many fields, under other names: only one for each number of them
    is compiled.
    """
    own = (*names, *named)
    code = _template(len(names), len(named), frozen)
    places = dict(zip(_places(len(own)), own, strict=True))
    renamed = {
        "co_varnames": tuple(places.get(name, name) for name in code.co_varnames),
        "co_consts": tuple(places.get(one, one) for one in code.co_consts),  # of frozen ones
        "co_names": tuple(places.get(name, name) for name in code.co_names),
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
    """The code of an `__init__` for so many fields."""
    own = _places(count + named)
    parameters = ["self", *own[:count], *["*"][:named], *own[count:]]
    sets = (f"_set(self, {n!r}, {n})" if frozen else f"self.{n} = {n}" for n in own)
    body = "; ".join(sets) or "pass"
    space: dict[str, Any] = {}
    exec(f"def __init__({', '.join(parameters)}): {body}", space)  # noqa: S102
    code: CodeType = space["__init__"].__code__
    return code


def _written_init(fields: tuple[Field, ...], frozen: bool, calls_post: bool) -> Callable[..., None]:
    """An `__init__` that makes defaults, or has more to do."""
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
    """A field of a frozen dataclass was to be changed."""


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in type(self).FIELDS_]


def _set_state(self: Any, state: list[Any]) -> None:
    for one, value in zip(type(self).FIELDS_, state, strict=True):
        object.__setattr__(self, one.name, value)


class _Described:
    """The fields as `dataclasses` knows them, made when it asks."""

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        dataclasses = importlib.import_module("dataclasses")  # seldom needed
        described = {}
        for one in owner.FIELDS_:  # type: ignore[attr-defined]
            standard: Any = dataclasses.field(repr=one.repr, compare=one.compare)
            standard.name, standard._field_type = one.name, dataclasses._FIELD
            described[one.name] = standard
        return described


def fields(thing: Any) -> tuple[Field, ...]:
    """The fields of a class."""
    declared: tuple[Field, ...] = thing.FIELDS_
    return declared


def replace(thing: T, /, **changes: Any) -> T:
    """A copy of an object with other values in some fields."""
    for one in type(thing).FIELDS_:  # type: ignore[attr-defined]
        if one.name not in changes:
            changes[one.name] = getattr(thing, one.name)
    return type(thing)(**changes)
