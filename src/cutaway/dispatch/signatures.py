"""Signatures as users write them: as text, as types, or taken from `f.signatures`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cutaway.errors import SignatureError
from cutaway.typing import types
from cutaway.typing.overloads.notation import WrittenSignature, parse_signature, passable
from cutaway.typing.types import Signature, Type, none

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half


def read_signature(signature: Any) -> WrittenSignature:  # Any: text, or a tuple of types
    written = _written(signature)
    returns = written.returns or none
    for ty in (*written.args, returns.inner if isinstance(returns, types.Optional) else returns):
        if not passable(ty):
            raise SignatureError(
                f"a value of type {ty} cannot be passed to or from Python",
                hint="numbers, texts, times, records, None, tuples, ranges, arrays and buffers can",
            )
    return written


def _written(signature: Any) -> WrittenSignature:  # Any: text, or a tuple of types
    if isinstance(signature, str):
        return parse_signature(signature)
    if isinstance(signature, Signature):
        return WrittenSignature(signature.returns, signature.args)
    args = signature if isinstance(signature, tuple) else (signature,)
    if not all(isinstance(ty, Type) for ty in args):
        raise SignatureError(
            f"{signature!r} is not a signature", hint="write for instance 'float64(float64)'"
        )
    return WrittenSignature(None, args)


def wanted_types(half: Half, signature: Any) -> tuple[Type, ...]:  # Any: text, or a tuple of types
    """The argument types that a signature names; those of `signatures` may leave some out."""
    if isinstance(signature, tuple) and signature in half.overloads:
        return signature
    return read_signature(signature).args
