"""Memory: on the stack, of constants, at pointers, and of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending.cgutils.basics import (
    bool_t,
    int8_t,
    int32_t,
    intp_t,
    unpack_tuple,
    voidptr_t,
)
from cutaway.extending.cgutils.control import if_unlikely
from cutaway.extending.sizes import pointee, size_of
from cutaway.extending.values import POINTER, pointer_to
from cutaway.typing.types import Array

if TYPE_CHECKING:
    from cutaway.extending.struct_proxies import ArrayProxy
    from cutaway.extending.target_context import TargetContext


def get_or_insert_function(module: ir.Module, fnty: ir.FunctionType, name: str) -> ir.Function:
    """Declare a C function of the process, once."""
    known = module.globals.get(name)
    return ir.Function(module, fnty, name) if known is None else known


# --- of the stack -----------------------------------------------------------------------------


def alloca_once(
    builder: ir.IRBuilder, ty: ir.Type, size: Any = None, name: str = "", zfill: bool = False
) -> ir.Value:
    """Allocate stack memory once, even inside a loop.

    It starts as zeros; with `zfill` it becomes zeros again each time this point is reached.
    """
    count = ir.Constant(intp_t, size) if isinstance(size, int) else size
    with builder.goto_entry_block():
        memory = builder.alloca(ty, size=count, name=name)
        if count is None:  # a computed size would need a loop
            builder.store(ir.Constant(ty, None), memory)
    if zfill:
        bytes_ = ir.Constant(intp_t, size_of(ty))
        many = bytes_ if count is None else builder.mul(bytes_, _as_intp(builder, count))
        memset(builder, memory, many, 0)
    return memory


def alloca_once_value(
    builder: ir.IRBuilder, value: ir.Value, name: str = "", zfill: bool = False
) -> ir.Value:
    """Allocate stack memory once, with a value stored at this point."""
    pointer = alloca_once(builder, value.type, name=name, zfill=zfill)
    builder.store(value, pointer)
    return pointer


# --- of constants -----------------------------------------------------------------------------


def add_global_variable(
    module: ir.Module, ty: ir.Type, name: str, addrspace: int = 0
) -> ir.GlobalVariable:
    """Add a variable to the module, with a unique name based on this one."""
    return ir.GlobalVariable(module, ty, module.get_unique_name(name), addrspace)


def global_constant(
    builder_or_module: Any, name: str, value: ir.Constant, linkage: str = "internal"
) -> ir.GlobalVariable:
    """Add a constant to the module, with a unique name based on this one; return its address."""
    holder = builder_or_module
    module = holder if isinstance(holder, ir.Module) else holder.module
    held = add_global_variable(module, value.type, name)
    held.linkage, held.global_constant, held.initializer = linkage, True, value
    return held


# --- pointers ---------------------------------------------------------------------------------


def gep(
    builder: ir.IRBuilder, ptr: ir.Value, *inds: Any, inbounds: bool = False, name: str = ""
) -> ir.Value:
    """Compute the address of a part of the object that a pointer points to, by indices: integers or
    LLVM values (Any).

    The first index counts whole objects, each further one members or items of the object.
    """
    pointee(ptr)
    places = [ir.Constant(int32_t, k) if isinstance(k, int) else k for k in inds]
    return builder.gep(ptr, places, inbounds=inbounds, name=name)


def gep_inbounds(builder: ir.IRBuilder, ptr: ir.Value, *inds: Any, name: str = "") -> ir.Value:
    """Compute such an address with indices certain to be within the object (Any: see gep)."""
    return gep(builder, ptr, *inds, inbounds=True, name=name)


def pointer_add(
    builder: ir.IRBuilder, ptr: ir.Value, offset: Any, return_type: ir.Type | None = None
) -> ir.Value:
    """Advance a pointer by some bytes, an integer or an LLVM value (Any); return the same pointer
    type, or another one."""
    _check_pointer(ptr)
    count = ir.Constant(intp_t, offset) if isinstance(offset, int) else offset
    moved = builder.gep(pointer_to(builder, ptr, voidptr_t), [count])
    return pointer_to(builder, moved, return_type or ptr.type)


def sizeof(builder: ir.IRBuilder, ptr_type: Any) -> ir.Constant:
    """Return the size in bytes of the objects that pointers of a type point to."""
    return ir.Constant(intp_t, size_of(pointee(ptr_type)))


def get_record_member(
    builder: ir.IRBuilder, record: ir.Value, offset: int, typ: ir.Type
) -> ir.Value:
    """Return the address of a member of LLVM type `typ` at a byte offset in a record."""
    return pointer_add(builder, record, offset, typ.as_pointer())


def memset(builder: ir.IRBuilder, ptr: ir.Value, size: Any, value: Any) -> None:
    """Set a number of bytes to a value from 0 to 255 (Any: integers or LLVM values)."""
    _check_pointer(ptr)
    byte = ir.Constant(int8_t, value) if isinstance(value, int) else value
    operands = [ptr, byte, _as_intp(builder, size), ir.Constant(bool_t, 0)]
    kinds = [POINTER, int8_t, intp_t, bool_t]
    _intrinsic(builder, "llvm.memset.p0.i64", kinds, operands)


def memset_padding(builder: ir.IRBuilder, ptr: ir.Value) -> None:
    """Set the bytes between the members of a struct to zero."""
    value = builder.load(ptr)
    memset(builder, ptr, sizeof(builder, ptr), 0)
    builder.store(value, ptr)


def memcpy(builder: ir.IRBuilder, dst: ir.Value, src: ir.Value, count: Any) -> None:
    """Copy a number of objects of the type that both pointers point to (Any: see memset)."""
    if pointee(dst) != pointee(src):
        raise ExtensionError(
            f"objects of type {pointee(src)} do not match the pointer type {dst.type}"
        )
    raw_memcpy(builder, dst, src, count, size_of(pointee(dst)))


def raw_memcpy(
    builder: ir.IRBuilder, dst: ir.Value, src: ir.Value, count: Any, itemsize: Any, align: int = 1
) -> None:
    """Copy `count` times `itemsize` bytes between separate memory regions (Any: see memset)."""
    _copied(builder, "llvm.memcpy.p0.p0.i64", dst, src, count, itemsize)


def raw_memmove(
    builder: ir.IRBuilder, dst: ir.Value, src: ir.Value, count: Any, itemsize: Any, align: int = 1
) -> None:
    """Copy as `raw_memcpy` does, between memory regions that may overlap (Any: see memset)."""
    _copied(builder, "llvm.memmove.p0.p0.i64", dst, src, count, itemsize)


def _copied(
    builder: ir.IRBuilder, name: str, dst: ir.Value, src: ir.Value, count: Any, itemsize: Any
) -> None:
    _check_pointer(dst)
    _check_pointer(src)
    size = builder.mul(_as_intp(builder, count), _as_intp(builder, itemsize))
    kinds = [POINTER, POINTER, intp_t, bool_t]
    _intrinsic(builder, name, kinds, [dst, src, size, ir.Constant(bool_t, 0)])


def _intrinsic(
    builder: ir.IRBuilder, name: str, kinds: list[ir.Type], operands: list[ir.Value]
) -> None:
    function = get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), kinds), name)
    builder.call(function, operands)


def _check_pointer(value: Any) -> None:
    if not isinstance(getattr(value, "type", None), ir.PointerType):
        raise ExtensionError(f"expected a pointer, not {getattr(value, 'type', repr(value))}")


def _as_intp(builder: ir.IRBuilder, count: Any) -> ir.Value:
    if isinstance(count, int):
        return ir.Constant(intp_t, count)
    if not isinstance(getattr(count, "type", None), ir.IntType):
        raise ExtensionError(
            f"a count must be an integer, not {getattr(count, 'type', repr(count))}"
        )
    return builder.zext(count, intp_t) if count.type.width < 64 else count


# --- of arrays --------------------------------------------------------------------------------


def get_item_pointer(
    context: TargetContext,
    builder: ir.IRBuilder,
    aryty: Array,
    ary: ArrayProxy,
    inds: Sequence[ir.Value],
    wraparound: bool = False,
    boundscheck: bool = False,
) -> ir.Value:
    """Compute the address of an element of an array, by one index per axis.

    With `wraparound` negative indices count from the end; with `boundscheck` invalid ones raise
    IndexError.
    """
    shape, strides = unpack_tuple(builder, ary.shape), unpack_tuple(builder, ary.strides)
    operands = (ary.data, shape, strides, aryty.layout, inds)
    return get_item_pointer2(context, builder, *operands, wraparound, boundscheck)


def get_item_pointer2(
    context: TargetContext,
    builder: ir.IRBuilder,
    data: ir.Value,
    shape: Sequence[ir.Value],
    strides: Sequence[ir.Value],
    layout: str,
    inds: Sequence[ir.Value],
    wraparound: bool = False,
    boundscheck: bool = False,
) -> ir.Value:
    """Compute the address of an element as `get_item_pointer` does, from the parts of an array."""
    if len(inds) != len(shape):
        raise ExtensionError(f"{len(inds)} indices for an array of {len(shape)} dimensions")
    moved = data
    for axis, (index, size, stride) in enumerate(zip(inds, shape, strides, strict=True)):
        if wraparound:
            negative = builder.icmp_signed("<", index, ir.Constant(index.type, 0))
            index = builder.select(negative, builder.add(index, size), index)
        if boundscheck:
            do_boundscheck(context, builder, index, size, axis)
        moved = pointer_add(builder, moved, builder.mul(index, stride))
    return moved


def do_boundscheck(
    context: TargetContext,
    builder: ir.IRBuilder,
    ind: ir.Value,
    dimlen: ir.Value,
    axis: int | None = None,
) -> None:
    """Raise IndexError for an index that is negative or not below the length."""
    where = "" if axis is None else f" for axis {axis}"
    # One comparison for both ends: as unsigned a negative index is larger than any length.
    with if_unlikely(builder, builder.icmp_unsigned(">=", ind, dimlen)):
        message = f"index is out of bounds{where}"
        context.call_conv.return_user_exc(builder, IndexError, (message,))
