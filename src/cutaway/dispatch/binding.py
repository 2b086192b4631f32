"""Bind the arguments of a call to the parameters, and teach their types to the C half."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from cutaway.dispatch_c import _dispatch
from cutaway.errors import TypingError
from cutaway.typing.inference import literals
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Literal, Omitted, Opaque, Tuple, Type, omitted, pyobject
from cutaway.typing.types.structure import composites
from cutaway.typing.values.typeof import is_declared, typeof

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half


def bind(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments of a call, one for each parameter; `ABSENT` for an omitted one.

    Raises TypeError, in Python's words, for arguments that do not fit the parameters.
    """
    bound = binder(half)(*args, **kwargs)
    if half.written or half.flags.forceobj:  # their types do not represent omitted arguments
        defaults = half.parameters.defaults
        values = [d if v is _dispatch.ABSENT else v for v, d in zip(bound, defaults, strict=False)]
        bound = (*values, *bound[len(defaults) :])
    return bound


def with_literals(
    half: Half, plain: tuple[Type, ...], arguments: tuple[Any, ...]
) -> tuple[Type, ...]:
    """Return the argument types, with literal ones where values have to be known.

    Raises TypingError for a value that has no literal type.
    """
    places = half.literals.get(plain)
    if not places:
        return plain
    argtypes = list(plain)
    for position in places:
        value = arguments[position]
        if value is not _dispatch.ABSENT and not isinstance(value, Literal):
            argtypes[position] = literals.literal(value)
    return tuple(argtypes)


def specialized_types(
    half: Half, plain: tuple[Type, ...], arguments: tuple[Any, ...]
) -> tuple[Type, ...]:
    """Return the types that a call is compiled for: literal ones where values have to be known,
    and containers that are passed empty with the contents that the function puts into them.

    Raises TypingError for a value that has no literal type.
    """
    argtypes = with_literals(half, plain, arguments)
    return half.filled.get(argtypes, argtypes)


def note_needed(
    half: Half,
    plain: tuple[Type, ...],
    arguments: tuple[Any, ...],
    error: literals.OtherTypesNeeded,
) -> None:
    """Compile for other types from now on: with the values of arguments, or with the contents that
    the function puts into empty containers.

    Raises the error where the values are unknown, as for a written signature.
    """
    if isinstance(error, literals.ItemsNeeded):
        argtypes = with_literals(half, plain, arguments)
        full = tuple(error.needed.get(k, ty) for k, ty in enumerate(argtypes))
        half.filled[argtypes] = full
        return
    assert isinstance(error, literals.LiteralNeeded)
    if any(isinstance(arguments[position], Type) for position in error.places):
        raise error
    for position in literals.require_values(half.literals, plain, error):
        if position < len(half.parameters.single):
            half.dispatcher._set_literal(position)


def teach(half: Half, bound: tuple[Any, ...], argtypes: tuple[Type, ...]) -> None:
    for position, (value, ty) in enumerate(zip(bound, argtypes, strict=True)):
        if value is _dispatch.ABSENT:
            half.dispatcher._learn_omitted(position, ty.typecode)
        elif isinstance(ty, Literal):
            _dispatch.learn_literal(value, ty.typecode)
        else:
            learn(value, ty)


def learn(value: Any, ty: Type) -> None:
    if is_declared(value) or isinstance(ty, Opaque):
        _dispatch.register_class(type(value), ())  # the class alone determines its type
    for cls, attributes in composites(ty):
        _dispatch.register_class(cls, attributes)
    _dispatch.learn(value, ty.typecode)


def binder(half: Half) -> Callable[..., tuple[Any, ...]]:
    """Return a function with the same parameters that returns its arguments, `ABSENT` for omitted
    ones. Calling it raises Python's own error for a call that does not fit."""
    if half.binder is None:
        half.binder = _new_binder(half.py_func)
    return half.binder


def _new_binder(function: FunctionType) -> Callable[..., tuple[Any, ...]]:
    parameters = parameters_of(function, named=True)
    space: dict[str, Any] = {}
    names = parameters.names
    returned = ", ".join(names) + ("," if len(names) == 1 else "")
    # Python itself binds the arguments, and raises its own TypeError.
    exec(f"def binder({', '.join(parameters.written())}): return ({returned})", space)  # noqa: S102
    binder = space["binder"]
    binder.__name__, binder.__qualname__ = function.__name__, function.__qualname__
    # Not the defaults themselves: an omitted argument has a type of its own.
    binder.__defaults__ = tuple(_dispatch.ABSENT for _ in function.__defaults__ or ()) or None
    binder.__kwdefaults__ = dict.fromkeys(function.__kwdefaults__ or {}, _dispatch.ABSENT) or None
    return binder


def argument_types(
    half: Half, arguments: tuple[Any, ...], type_of: Callable[[Any, str], Type] = typeof
) -> tuple[Type, ...]:
    if half.flags.forceobj:
        return (pyobject,) * len(arguments)
    names, defaults = half.parameters.names, half.parameters.defaults
    argtypes: list[Type] = []
    for name, value in zip(names, arguments, strict=True):
        if value is _dispatch.ABSENT:
            argtypes.append(omitted(defaults[len(argtypes)]))
            continue
        try:
            argtypes.append(type_of(value, name))
        except TypingError as error:
            raise TypingError(
                f"argument {name!r} of {half.py_func.__name__}: {error.message}",
                hint=error.hint,
            ) from None
    return tuple(argtypes)


def codes(argtypes: tuple[Type, ...]) -> tuple[int, ...]:
    """Return the type codes of a signature for the C half."""
    return tuple(ty.typecode for ty in argtypes)


def learn_omitted(half: Half, argtypes: tuple[Type, ...]) -> None:
    for position, ty in enumerate(argtypes):
        if isinstance(ty, Omitted):
            half.dispatcher._learn_omitted(position, ty.typecode)


def call_types(half: Half, args: tuple[Any, ...]) -> tuple[Type, ...]:
    return argument_types(half, binder(half)(*args), _given_type)


def _given_type(value: Any, name: str) -> Type:
    """Return the type of an argument; a type stands for any value of it."""
    if type(value) is tuple:
        return Tuple(tuple(_given_type(item, name) for item in value))
    return value if isinstance(value, Type) else typeof(value, name)
