"""A thread's position: `threadIdx`, `grid(1)`, `laneid`."""

from __future__ import annotations

from typing import Any

from cutaway.errors import TypingError
from cutaway.extending.typeof_values import typeof_impl
from cutaway.gpu import words
from cutaway.library.gpu.registry import constant_of, register, word, word_attribute
from cutaway.lowering.build.constants import EMITTED
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Tuple, Type
from cutaway.typing.types.kinds import Dummy


class GridIndex(Dummy):
    """The type of `threadIdx` and the like: three numbers in registers."""

    __slots__ = ()

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        """Return nothing: compiled code needs no part of the value."""
        return ()


REGISTERS = {"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}


@typeof_impl.register(words.Index3)
def _typeof_index(value: words.Index3, context: object) -> Type:
    return GridIndex(value.name)


@typeof_impl.register(words.LaneId)
def _typeof_lane(value: words.LaneId, context: object) -> Type:
    return types.int32


def _lane(build: FunctionBuilder) -> str:
    return register(build, "laneid")


EMITTED[words.LaneId] = _lane


def _register_axis(axis: str) -> None:
    @word_attribute(GridIndex, axis, lambda owner: types.int32)
    def read(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        name = REGISTERS[args[0].ty.name]
        return Value(types.int32, (register(build, f"{name}.{axis}"),))


for _axis in "xyz":
    _register_axis(_axis)


def _dimensions_rule(arguments: Arguments) -> Signature | None:
    count = constant_of(arguments, 0)
    if len(arguments) != 1:
        return None
    if type(count) is not int or count not in (1, 2, 3):
        raise TypingError("the number of dimensions must be 1, 2 or 3, written in the program")
    result = types.int64 if count == 1 else Tuple((types.int64,) * count)
    return Signature(result, arguments.types)


def _wide(build: FunctionBuilder, name: str) -> str:
    return build.convert("zext", "i32", register(build, name), "i64")


@word(words.grid, _dimensions_rule, ("ndim",), (REQUIRED,))
def grid(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`grid(n)`: the block's index times its size, plus the index within the block."""
    places = []
    for axis in "xyz"[: _count(sig.returns)]:
        before = build.binary(
            "mul nuw nsw", "i64", _wide(build, f"ctaid.{axis}"), _wide(build, f"ntid.{axis}")
        )
        places.append(build.binary("add nuw nsw", "i64", before, _wide(build, f"tid.{axis}")))
    return Value(sig.returns, tuple(places))


@word(words.gridsize, _dimensions_rule, ("ndim",), (REQUIRED,))
def gridsize(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`gridsize(n)`."""
    sizes = [
        build.binary(
            "mul nuw nsw", "i64", _wide(build, f"nctaid.{axis}"), _wide(build, f"ntid.{axis}")
        )
        for axis in "xyz"[: _count(sig.returns)]
    ]
    return Value(sig.returns, tuple(sizes))


def _count(ty: Type) -> int:
    return len(ty.items) if isinstance(ty, Tuple) else 1
