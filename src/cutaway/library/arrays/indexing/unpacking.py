"""`x, y = a`: an array unpacked along its first axis."""

from __future__ import annotations

from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing.basic import row_at
from cutaway.lowering.arrays.elements import element_pointer, load_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing.inference.questions import unpack
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple


def _unpack_rule(arguments: Arguments) -> Signature | None:
    array, count = arguments.types[0], arguments.constants[1]
    result = array.iterator() if isinstance(array, Array) else None
    if result is None or array.items_are_new:
        return None
    return Signature(Tuple((result.item,) * count), (array, arguments.types[1]))


@primitive(unpack, _unpack_rule, any_elements=True)
def unpack_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x, y = a`: as many items as there are targets."""
    assert isinstance(args[0].ty, Array) and isinstance(sig.returns, Tuple)
    parts, wanted = array_parts(args[0]), len(sig.returns.items)
    more = build.compare("sgt", "i64", parts.shape[0], str(wanted))
    build.raise_if(more, ValueError, f"too many values to unpack (expected {wanted})")
    fewer = build.compare("slt", "i64", parts.shape[0], str(wanted))
    message = f"not enough values to unpack (expected {wanted}, got {{}})"
    build.raise_if(fewer, ValueError, message, payload=(parts.shape[0],))
    items: list[str] = []
    for k, ty in enumerate(sig.returns.items):
        if isinstance(ty, Array):
            items += row_at(build, ty, args[0], str(k)).parts
        else:
            pointer = element_pointer(build, parts.data, parts.strides, (str(k),))
            items += load_element(build, args[0].ty, pointer, parts.owner).parts
    return Value(sig.returns, tuple(items))
