"""`print` by Python, to the current `sys.stdout`; `str` and `repr` of printable values."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.registry import CONTEXT, primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.calls import apply
from cutaway.lowering.layout import Value, owner_positions
from cutaway.typing import types
from cutaway.typing.inference.questions import snapshot
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Overload, Signature
from cutaway.typing.types import Type
from cutaway.typing.types.texts import may_change


def _rule(arguments: Arguments) -> Signature | None:
    fits = all(ty.can_be_printed for ty in arguments.types)
    return Signature(types.none, arguments.types) if fits else None


def _print(*values: object) -> None:
    *items, sep, end, flush = values
    print(*items, sep=sep, end=end, flush=flush)


def printed(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`print(...)`."""
    build.call_python(_print, args)
    return Value(types.none, ())


_NAMED = (("sep", " "), ("end", "\n"), ("flush", False))
CONTEXT.add(print, Overload(_rule, (), printed, named=_NAMED, any_elements=True))


# --- texts that are formatted when printed ------------------------------------------------------


def _written_as(function: Any, conversion: str, kind: type[Type] = Type) -> None:
    """Register a function that returns the text of its argument."""

    def rule(arguments: Arguments) -> Signature | None:
        ty = arguments.types[0] if len(arguments) == 1 else None
        if ty is None or not isinstance(ty, kind) or not ty.can_be_printed:
            return None
        is_text = isinstance(ty, types.Text) or types.text_classes(ty)
        return None if is_text else Signature(types.Text(((conversion, ""),), (ty,)), (ty,))

    @primitive(function, rule, any_elements=True)
    def written(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        if may_change(args[0].ty):
            kept = CONTEXT.resolve(snapshot, Call(Arguments((args[0].ty,), (MISSING,))))
            assert kept is not None, "it can be printed"
            made = build.cast(apply(build, kept, args), args[0].ty)
            return Value(sig.returns, made.parts)
        for place in owner_positions(sig.returns):
            build.call("void", "cutaway_incref", [("ptr", args[0].parts[place])])
        return Value(sig.returns, args[0].parts)


_written_as(str, "s")
_written_as(repr, "r")
_written_as(np.array_str, "s", types.Array)
_written_as(np.array2string, "s", types.Array)
_written_as(np.array_repr, "r", types.Array)
