"""Read signatures as users write them, and compile for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cutaway.dispatch.resolution import compile_for, forget, returned_type
from cutaway.errors import CompileError, SignatureError
from cutaway.foundation.options import warn_once
from cutaway.typing import types
from cutaway.typing.overloads.notation import WrittenSignature, written_signature
from cutaway.typing.types import Type, none
from cutaway.typing.types.asked import Absent
from cutaway.typing.types.conversions import unify
from cutaway.typing.types.structure import passable

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half


def read_signature(signature: Any) -> WrittenSignature:
    written = written_signature(signature)
    for ty in (*written.args, written.returns or none):
        if not _crosses(ty):
            raise SignatureError(
                f"a value of type {ty} cannot be passed to or from Python",
                hint="pass numbers, strings, times, records, None, tuples, ranges, arrays, buffers",
            )
    return written


def _crosses(ty: Type) -> bool:
    """True if a value can be passed, or None in its place where the type allows it."""
    if not isinstance(ty, types.Optional):
        return passable(ty)
    return passable(ty.inner) and unify(ty.inner, none) is ty


def wanted_types(half: Half, signature: Any) -> tuple[Type, ...]:
    """Return the argument types of a signature; those of `signatures` may omit some."""
    if isinstance(signature, tuple) and signature in half.by_types:
        return signature
    return read_signature(signature).args


def compile_all(half: Half, signatures: tuple[Any, ...]) -> None:
    """Compile for the written signatures; recursive calls convert to the best of all of them.

    Raises the errors of `compile_signature`.
    """
    if half.flags.forceobj:
        for signature in signatures:
            compile_signature(half, signature)
        return
    written = [
        fitting_signature(half, signature)
        for signature in signatures
        if not _is_left_out(half, signature)
    ]
    half.declared = tuple(one.args for one in written)
    half.returns.update({one.args: one.returns for one in written if one.returns is not None})
    for argtypes in half.declared:
        compile_for(half, argtypes)


def _is_left_out(half: Half, signature: Any) -> bool:
    """True for a signature with a type that has no values, which no call can fit: it is skipped
    with a warning, since packages declare functions for lists among others."""
    written = written_signature(signature)
    absent = next(filter(None, map(_without_values, (*written.args, written.returns))), None)
    if absent is not None:
        message = f"{half.py_func.__name__} is not compiled for {absent}, of which are no values"
        warn_once("signatures", message)
    return absent is not None


def _without_values(ty: Type | None) -> Type | None:
    """Return the first component of a type that has no values; None where each has some."""
    if ty is None or isinstance(ty, Absent):
        return ty
    return next(filter(None, map(_without_values, ty.inner_types)), None)


def compile_signature(half: Half, signature: Any) -> None:
    """Compile for a written signature; in object mode only its number of types counts.

    Raises SignatureError where it cannot be read or does not fit the function, TypingError where
    the function's result does not convert to the declared type.
    """
    if half.flags.forceobj:
        _require_count(half, written_signature(signature))
        compile_for(half, _objects(half))
        return
    written = fitting_signature(half, signature)
    before = half.returns.get(written.args)
    if written.returns is not None and written.returns is not before:
        _declare_return(half, written.args, written.returns)
    try:
        compile_for(half, written.args)
    except CompileError:
        half.returns.pop(written.args, None)
        if before is not None:
            half.returns[written.args] = before
        raise


def _objects(half: Half) -> tuple[Type, ...]:
    return (types.pyobject,) * len(half.parameters.names)


def fitting_signature(half: Half, signature: Any) -> WrittenSignature:
    """Read a signature.

    Raises SignatureError where it does not have one type for each parameter.
    """
    written = read_signature(signature)
    _require_count(half, written)
    return written


def _require_count(half: Half, written: WrittenSignature) -> None:
    """Raise SignatureError where there is not one type for each parameter; object mode also accepts
    none at all."""
    wanted = len(half.parameters.names)
    if len(written.args) != wanted and not (half.flags.forceobj and not written.args):
        plural = "" if wanted == 1 else "s"
        raise SignatureError(
            f"{half.py_func.__name__} has {wanted} parameter{plural},"
            f" the signature {len(written.args)}"
        )


def _declare_return(half: Half, argtypes: tuple[Type, ...], returns: Type) -> None:
    """Declare the return type of a specialization; drop one that returns another type."""
    if argtypes in half.by_types:
        if returned_type(half, argtypes) is returns:
            return
        forget(half, argtypes)
    half.returns[argtypes] = returns
