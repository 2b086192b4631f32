"""Compile blocks of `with objmode` as functions of objects, with their conversions.

The dispatcher's C code boxes the inputs and unboxes the outputs: it learns each type from a
specialization that is never called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from cutaway.compiling.sessions import Compilable
from cutaway.dispatch_c import _dispatch
from cutaway.errors import TypingError, UnsupportedError
from cutaway.foundation.options import Flags
from cutaway.ir.object_blocks import BlockCode, ObjectBlock
from cutaway.lowering.layout import descriptor
from cutaway.stages import pipelines
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.literals import Places
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Tuple, Type, pyobject
from cutaway.typing.types.primitives import Owner
from cutaway.typing.types.structure import leaves
from cutaway.typing.values.typeof import typeof

Compile = Callable[[Compilable, tuple[Type, ...]], _dispatch.Specialization]


def _nothing() -> None:
    pass


class BlockFunction:
    """The function of a block (`sessions.Compilable`): only the block's own code calls it, with all
    its inputs by position."""

    def __init__(self, block: ObjectBlock) -> None:
        self.py_func = block.function
        self.body = block.body
        self.flags = Flags(forceobj=True)
        self.parameters = parameters_of(_nothing)
        self.pipeline = pipelines.object_block
        self.units: dict[tuple[Type, ...], CompileUnit] = {}
        self.literals: Places = {}
        self.returns: dict[tuple[Type, ...], Type] = {}
        self.itself = None
        self.is_loop = False
        self.target = None
        self.generation = 0


def prepare(block: ObjectBlock, compiled: Compile) -> None:
    """Compile a block.

    Raises CompileError for a construct that object mode does not support, and UnsupportedError
    where a value of a declared type cannot leave the block.
    """
    for name, ty in zip(block.outputs, block.types, strict=True):
        if _dispatch.is_held(_crossing(ty)):
            raise UnsupportedError(
                f"`{name}` is declared as {ty}, and such a value cannot come out of a block",
                block.loc,
                "let a NumPy array come out of it",
            )
    code = compiled(BlockFunction(block), (pyobject,) * len(block.inputs))

    def make(argtypes: tuple[Type, ...], failed: Callable[..., BaseException]) -> _dispatch.Block:
        constants: list[object] = []
        text = descriptor(Tuple(argtypes), constants, result=True)
        inputs = _dispatch.Specialization(0, (), text, tuple(constants))
        outputs = tuple(map(_crossing, block.types))
        owners = _owners(Tuple(block.types))
        return _dispatch.Block(code, inputs, outputs, block.flagged, owners, failed)

    block.code = BlockCode(make, _converted, _described)


@lru_cache(maxsize=256)
def _crossing(ty: Type) -> _dispatch.Specialization:
    """Return the specialization whose descriptors box and unbox values of a type."""
    constants: list[object] = []
    text = descriptor(ty, constants)
    result = descriptor(ty, constants, result=True)
    return _dispatch.Specialization(0, (text,), result, tuple(constants))


def _owners(ty: Type) -> tuple[int, ...]:
    """Return the slots of a value that own memory."""
    return tuple(k for k, leaf in enumerate(leaves(ty)) if isinstance(leaf, Owner))


def _converted(ty: Type, value: Any) -> Any:
    return _dispatch.converted(_crossing(ty), value, _owners(ty))


def _described(value: Any) -> str:
    try:
        return str(typeof(value))
    except TypingError:
        return f"of class {type(value).__name__}"
