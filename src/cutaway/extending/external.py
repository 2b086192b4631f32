"""C functions as extensions declare them: by a symbol of the process, or by an address.

    ExternalFunction("erf", types.float64(types.float64))
    ExternalFunctionPointer(types.float64(types.float64), get_pointer)

Both are types, and functions that compiled code and `context.get_function` can call.  An object
that has an address of its own (`WrapperAddressProtocol`) is called by that.  `make_function_type`
returns the type of a ctypes function.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cutaway.errors import ExtensionError
from cutaway.extending.registry import CONTEXT
from cutaway.extending.users import call_extension, extension_error
from cutaway.foundation import registrations
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.c_functions import c_function
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Overload
from cutaway.typing.types import Signature, Type
from cutaway.typing.types.base import CallableType
from cutaway.typing.types.kinds import CPointer, voidptr

# Returns the operand of a call, from the LLVM types of its result and its parameters.
Named = Callable[[FunctionBuilder, tuple[str, Sequence[str]]], str]


class ExternalFunction(CallableType):
    """A C function of the process by its symbol."""

    def __init__(self, symbol: str, sig: Signature, requires_gil: bool = False) -> None:
        self.symbol, self.sig, self.requires_gil = symbol, sig, requires_gil
        super().__init__(f"ExternalFunction({symbol}: {sig})")
        _callable(self, sig, lambda build, kinds: _declared(build, symbol, kinds))

    @property
    def key(self) -> tuple[str, Signature]:
        return self.symbol, self.sig


class ExternalFunctionPointer(CallableType):
    """A C function by the address that `get_pointer` returns, for this type or for the function of
    `make_function_type`."""

    def __init__(
        self, sig: Signature, get_pointer: Callable[[Any], int], cconv: str | None = None
    ) -> None:
        if cconv not in (None, "ccc"):
            raise ExtensionError(f"a C function cannot be called in the manner {cconv!r}")
        self.sig, self.get_pointer, self.cconv = sig, get_pointer, cconv
        super().__init__(f"ExternalFunctionPointer({sig})")
        _callable(self, sig, lambda build, kinds: _held(build, self, get_pointer(self), kinds))

    @property
    def key(self) -> tuple[Signature, Callable[[Any], int]]:
        return self.sig, self.get_pointer


def make_function_type(function: Any) -> ExternalFunctionPointer:
    """Return the type of a ctypes function, by its `argtypes` and `restype`.

    Raises ExtensionError where these are not set to known types.
    """
    if getattr(function, "argtypes", None) is None:
        raise ExtensionError(f"{types.describe(function)} does not say what it takes: argtypes")
    sig = Signature(_from_c(function.restype), tuple(map(_from_c, function.argtypes)))
    return ExternalFunctionPointer(sig, _address_of)


def by_address(function: Any) -> None:
    """Let compiled code call an object that has the methods `signature` and `__wrapper_address__`.

    Raises ExtensionError where these do not return a signature and an address.
    """
    if CONTEXT.knows(function):
        return
    sig = call_extension(function.signature, f"the signature of {types.describe(function)}")
    if not isinstance(sig, Signature):
        raise extension_error(
            type(function).signature,
            f"the signature of {types.describe(function)} is {sig!r}",
            "return types.float64(types.float64), or the like",
        )
    _callable(function, sig, lambda build, kinds: _wrapped(build, function, kinds))


def _wrapped(build: FunctionBuilder, function: Any, kinds: tuple[str, Sequence[str]]) -> str:
    role = f"the address of {types.describe(function)}"
    return _held(build, function, call_extension(function.__wrapper_address__, role), kinds)


def _callable(function: Any, sig: Signature, named: Named) -> None:
    for ty in (sig.returns, *sig.args):
        if len(part_types(ty)) > 1 or (ty is sig.returns and ty is not types.none and _is_void(ty)):
            raise ExtensionError(
                f"a C function cannot take or give a value of type {ty}",
                hint="pass a number, or a pointer",
            )

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        passed = [_passed(build, arg) for arg in args if arg.parts]
        returns = _in_c(sig.returns)
        called = named(build, (returns, [kind for kind, _ in passed]))
        text = f"call {returns} {called}({', '.join(' '.join(pair) for pair in passed)})"
        if returns == "void":
            build.emit(text)
            return Value(sig.returns, ())
        result = build.result(text)
        if sig.returns is types.boolean:
            result = build.compare("ne", "i8", result, "0")
        return Value(sig.returns, (result,))

    registrations.register("external", function, sig)
    CONTEXT.add(function, Overload(None, (sig,), lower, any_elements=True))


def _is_void(ty: Type) -> bool:
    return not part_types(ty)


def _in_c(ty: Type) -> str:
    """Return the LLVM type of a number or pointer in C, where a bool is a byte."""
    if _is_void(ty):
        return "void"
    return "i8" if ty is types.boolean else part_types(ty)[0]


def _passed(build: FunctionBuilder, value: Value) -> tuple[str, str]:
    """Return the LLVM type and value of an argument: the caller extends integers narrower than an
    int."""
    kind, (part,) = part_types(value.ty)[0], value.parts
    if kind.startswith("i") and int(kind[1:]) < 32:
        opcode = "sext" if getattr(value.ty, "signed", False) else "zext"
        return "i32", build.convert(opcode, kind, part, "i32")
    return kind, part


def _declared(build: FunctionBuilder, name: str, kinds: tuple[str, Sequence[str]]) -> str:
    text = f"declare {kinds[0]} {symbol(name)}({', '.join(kinds[1])}) nounwind"
    build.code.globals.setdefault(name, text)
    return symbol(name)


def _held(
    build: FunctionBuilder, function: Any, address: int, kinds: tuple[str, Sequence[str]]
) -> str:
    if not isinstance(address, int) or address <= 0:
        raise ExtensionError(f"{types.describe(function)} has no address: {address!r}")
    return c_function(build, function, address, "by_address", kinds)


def _address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _from_c(cls: Any) -> Type:
    """Return the type of a ctypes class."""
    if cls is None:
        return types.none
    if cls in (ctypes.c_void_p, ctypes.c_char_p):
        return voidptr
    if isinstance(cls, type) and issubclass(cls, ctypes._Pointer):
        return CPointer(_from_c(cls._type_))
    try:
        ty = types.from_dtype(np.dtype(cls))
    except TypeError:
        ty = None
    if ty is None:
        raise ExtensionError(f"{cls!r} is no class of numbers or pointers")
    return ty
