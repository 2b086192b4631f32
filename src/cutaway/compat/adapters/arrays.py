"""Arrays and tuples in code that extensions write with llvmlite.ir."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from cutaway.extending.struct_proxies import ArrayProxy
from cutaway.extending.target_context import TargetContext
from cutaway.typing.types import Array


def make_array(ty: Array) -> Callable[..., ArrayProxy]:
    """What makes proxies of arrays of a type: `(context, builder, value=None, ref=None)`."""

    def make(
        context: TargetContext,
        builder: ir.IRBuilder,
        value: ir.Value | None = None,
        ref: ir.Value | None = None,
    ) -> ArrayProxy:
        return context.make_array(ty)(context, builder, value, ref)

    return make


def populate_array(array: ArrayProxy, **members: Any) -> ArrayProxy:  # Any: see `populate`
    """Set the members of an array: `data shape strides itemsize meminfo parent`."""
    return array.populate(**members)
