"""Calls as instructions: of compiled functions, and of any resolution of a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.lowering import arguments as arguments_
from cutaway.lowering.build import raising
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import Value, part_types, slot_types
from cutaway.lowering.slots import load_slots
from cutaway.targets.target import Target
from cutaway.typing import types
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Resolution

CalleeOf = Callable[[Any, Call, Loc, bool], Callee]
Apart = Callable[[Callee], Callee]


@dataclass(frozen=True, slots=True)
class Links:
    """The references that the code of one function may make, and its target: `callees` collects the
    functions that it calls, and `apart` compiles a short loop over arrays separately; without it,
    such loops are inline."""

    target: Target
    callee_of: CalleeOf
    callees: list[Callee]
    apart: Apart | None = None

    def implemented(
        self, build: FunctionBuilder, name: str, args: Sequence[tuple[str, str]]
    ) -> str | None:
        """Return the result of a runtime function that the target has in Python, or None."""
        function = self.target.implementations.get(name)
        if function is None:
            return None
        values = [Value(_WORDS[kind], (part,)) for kind, part in args]
        call = Call(Arguments(tuple(v.ty for v in values), (MISSING,) * len(values)))
        result = call_function(build, function, call, values)
        return result.parts[0] if result.parts else ""


_WORDS: dict[str, types.Type] = {
    "i1": types.boolean,
    "i32": types.int32,
    "i64": types.int64,
    "float": types.float32,
    "double": types.float64,
}


def call_function(
    build: FunctionBuilder, function: Any, call: Call, args: Sequence[Value]
) -> Value:
    """Call a compiled function with the arguments of a call as written."""
    links: Links = build.links
    callee = links.callee_of(function, call, build.loc, build.in_loop)
    return call_callee(build, callee, arguments_.arguments_of(build, callee, call, args))


def call_callee(build: FunctionBuilder, callee: Callee, arguments: Sequence[Value]) -> Value:
    """Call a callee with a value of the type of each of its parameters."""
    build.links.callees.append(callee)
    assert callee.returns is not None
    pairs = [pair for v in arguments for pair in zip(part_types(v.ty), v.parts, strict=True)]
    ret = build.alloca("i64", max(len(slot_types(callee.returns)), 1))
    args = ", ".join([f"ptr {ret}", "ptr %exc", *(f"{kind} {text}" for kind, text in pairs)])
    status = build.result(f"call i32 {symbol(callee.symbol)}({args})")
    failed = build.compare("ne", "i32", status, raising.OK)
    build.propagate_if(failed, status)
    return load_slots(build, callee.returns, ret)


def apply(build: FunctionBuilder, resolution: Resolution, operands: Sequence[Value]) -> Any:
    """Emit the resolution of a call: returns a Value, or a pair of them for `advance`."""
    args: list[Value] = []
    made: dict[str, str] = {}
    for ty, place in zip(resolution.signature.args, resolution.layout, strict=True):
        if place is not None:
            value, fresh = build.converted(operands[place], ty)
            args.append(value)
            made.update(fresh)
        elif isinstance(ty, types.Omitted):
            args.append(Value(ty, ()))
        else:
            args.append(build.constant(ty, resolution.overload.defaults[len(args)]))
    if resolution.implementation is not None:
        result: Any = call_function(build, resolution.implementation, resolution.call, args)
    else:
        assert resolution.overload.lower is not None
        result = resolution.overload.lower(build, resolution.signature, args)
    build.release(made)
    return result
