"""Arrays and records in kernels: fields are attributes too, and elements are aligned to their
sizes.

GPU memory is allocated with this alignment, so only fields of packed records may be unaligned.
"""

from __future__ import annotations

import operator

import numpy as np

from cutaway.extending.registry import method
from cutaway.ir import nodes
from cutaway.library.arrays.layout.views import view, viewed_rule
from cutaway.library.data.records import (
    attribute_field,
    column,
    column_rule,
    field,
    field_of,
    field_rule,
)
from cutaway.library.gpu.registry import GPU, word
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Overload, Signature
from cutaway.typing.types import Array, Record, String, Type

# --- elements aligned to their sizes ----------------------------------------------------------


def _aligned(sig: Signature | None) -> Signature | None:
    if sig is None or not isinstance(sig.returns, Array) or sig.returns.aligned:
        return sig
    array = sig.returns
    return Signature(Array(array.dtype, array.ndim, array.layout, array.readonly), sig.args)


def _view_rule(arguments: Arguments) -> Signature | None:
    return _aligned(viewed_rule(arguments))


word(method(Array, "view"), _view_rule, ("a", "dtype"), (REQUIRED, None))(view)


def _column_rule(arguments: Arguments) -> Signature | None:
    sig, array = column_rule(arguments), arguments.types[0]
    if sig is None or not isinstance(array, Array) or not isinstance(array.dtype, Record):
        return None
    return _aligned(sig) if array.dtype.alignment > 1 else sig


word(operator.getitem, _column_rule, any_elements=True)(column)


def _row_rule(arguments: Arguments) -> Signature | None:
    record = arguments.types[0]
    if not isinstance(record, Record) or record.alignment == 1:
        return None
    sig = field_rule(False, arguments)
    return _aligned(sig) if sig is not None and isinstance(sig.returns, Array) else None


@word(operator.getitem, _row_rule)
def row(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r["x"]` of a field that is an array."""
    return Value(sig.returns, field(build, sig, args).parts)


# --- fields as attributes ---------------------------------------------------------------------

_OWN = frozenset(dir(np.record))  # names that every record has as attributes


def _has_field(owner: Type, name: str) -> bool:
    record = owner.dtype if isinstance(owner, Array) else owner
    exists = isinstance(record, Record) and record.field(name) is not None
    return exists and name not in _OWN and not hasattr(np.ndarray, name)


def _field_rule(arguments: Arguments) -> Signature | None:
    owner, name = arguments.types[0], arguments.constants[0]
    if not isinstance(owner, Record) or not _has_field(owner, name):
        return None
    sig = Signature(field_of(owner, name), (owner,))
    return _aligned(sig) if owner.alignment > 1 else sig


def _field_by_name(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r.x`."""
    return Value(sig.returns, attribute_field(build, sig, args).parts)


GPU.add_fields(Record, Overload(_field_rule, (), _field_by_name, any_elements=True))


def _field_of_all_rule(arguments: Arguments) -> Signature | None:
    owner, name = arguments.types[0], arguments.constants[0]
    if not _has_field(owner, name):
        return None
    text = types.constant_type(String, name)
    sig = _column_rule(Arguments((owner, text), (None, name)))
    return None if sig is None else Signature(sig.returns, (owner,))


def _column_by_name(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.x`: a field of all records."""
    assert isinstance(build.op, nodes.GetAttr)
    name = types.constant_type(String, build.op.attr)
    return column(build, sig, [args[0], Value(name, ())])


GPU.add_fields(Array, Overload(_field_of_all_rule, (), _column_by_name, any_elements=True))
