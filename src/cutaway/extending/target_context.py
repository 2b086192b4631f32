"""The `context` argument of extensions that write LLVM IR: types, constants, casts, calls.

A context belongs to the function under construction, as `builder` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending import cgutils, values
from cutaway.extending.emission import I64, Emission
from cutaway.extending.models import DataModelManager, default_manager
from cutaway.extending.python_api import PythonApi
from cutaway.extending.sizes import alignment_of, size_of
from cutaway.extending.struct_proxies import ArrayProxy, StructProxy, proxy_of
from cutaway.lowering import calls
from cutaway.lowering.build.casts import cast
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import META_BYTES, Value, owner_positions, part_types
from cutaway.typing import types
from cutaway.typing.analysis.ownership import answer_is_new
from cutaway.typing.inference.questions import advance
from cutaway.typing.overloads.context import AttributeSetter
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Resolution
from cutaway.typing.types import Signature, Type

if TYPE_CHECKING:
    from cutaway.extending.external import ExternalFunctionPointer


class TargetContext:
    """Types and operations of the target, for one function that an extension writes."""

    enable_nrt, strict_alignment, address_size = True, False, 64

    def __init__(self, emission: Emission) -> None:
        self.emission = emission
        self.typing_context = emission.text.links.target.registry
        self.nrt = Memory(self)
        self.call_conv = CallConvention(emission)

    # --- types and constants --------------------------------------------------------------------

    def get_value_type(self, ty: Type) -> ir.Type:
        """The LLVM type of values of a type, in registers."""
        return values.value_type(ty)

    get_argument_type = get_return_type = get_value_type

    def get_data_type(self, ty: Type) -> ir.Type:
        """The LLVM type of values of a type in memory: a bool takes a byte."""
        return values.data_type(ty)

    def get_function_pointer_type(self, ty: ExternalFunctionPointer) -> ir.Type:
        """The LLVM type of pointers to a C function."""
        return self.get_external_function_type(ty).as_pointer()

    def get_external_function_type(self, ty: ExternalFunctionPointer) -> ir.FunctionType:
        """Return the LLVM type of a C function, with the types of values in memory."""
        sig = ty.sig
        kinds = [values.data_type(one) for one in sig.args]
        returns = ir.VoidType() if sig.returns is types.none else values.data_type(sig.returns)
        return ir.FunctionType(returns, kinds)

    def get_constant(self, ty: Type, value: Any) -> ir.Value:
        """Return a number, None, or a tuple of such as an LLVM constant."""
        match ty:
            case types.Boolean() | types.Integer() | types.Float():
                return ir.Constant(values.value_type(ty), value)
            case types.Complex(part=part):
                number = complex(value)
                parts = [self.get_constant(part, x) for x in (number.real, number.imag)]
                return ir.Constant.literal_struct(parts)
            case types.Tuple(items=items):
                parts = [self.get_constant(t, v) for t, v in zip(items, value, strict=True)]
                return ir.Constant(values.value_type(ty), parts)
        if not part_types(ty):
            return self.get_dummy_value()
        raise ExtensionError(f"get_constant has no constants of type {ty}")

    def get_constant_generic(self, builder: ir.IRBuilder, ty: Type, value: Any) -> ir.Value:
        """Return any constant that compiled code can have (Any: it)."""
        return self._ours("constant", ty, (), (), lambda b, _: b.constant(ty, value))

    def get_constant_null(self, ty: Type) -> ir.Value:
        """The value all of whose parts are zero."""
        return ir.Constant(values.value_type(ty), None)

    def get_constant_undef(self, ty: Type) -> ir.Value:
        """An undefined value."""
        return ir.Constant(values.value_type(ty), ir.Undefined)

    def get_dummy_value(self) -> ir.Value:
        """The value of a type without data: None, a function, a module."""
        return ir.Constant(values.BYTES, None)

    def get_dummy_type(self) -> ir.Type:
        """The LLVM type of such values."""
        return values.BYTES

    def get_abi_sizeof(self, kind: ir.Type) -> int:
        """The size in bytes of an LLVM type on the machine at hand."""
        return size_of(kind)

    def get_abi_alignment(self, kind: ir.Type) -> int:
        """The alignment in bytes of an LLVM type on the machine at hand."""
        return alignment_of(kind)

    def insert_const_string(self, module: ir.Module, text: str) -> ir.Value:
        """The address of a constant C string."""
        return values.text_constant(module, text)

    def insert_unique_const(self, module: ir.Module, name: str, value: ir.Constant) -> ir.Value:
        """The address of a constant."""
        return cgutils.global_constant(module, name, value)

    def add_dynamic_addr(
        self, builder: ir.IRBuilder, address: int, info: str | None = None
    ) -> ir.Value:
        """An address of this process, as a pointer."""
        return ir.Constant(I64, address).inttoptr(values.BYTES)

    def make_constant_array(
        self, builder: ir.IRBuilder, ty: Type, array: np.ndarray[Any, Any]
    ) -> ir.Value:
        """An array of the program as a constant."""
        return self.get_constant_generic(builder, ty, array)

    def get_python_api(self, builder: ir.IRBuilder) -> PythonApi:
        """Python's C API, for code that holds Python's lock by `gil_ensure`."""
        return PythonApi(self.emission, [])

    # --- values ---------------------------------------------------------------------------------

    def cast(self, builder: ir.IRBuilder, value: ir.Value, source: Type, wanted: Type) -> ir.Value:
        """Convert a value to another type.  Raises InternalError if that is not possible."""
        if source is wanted:
            return value
        return self._ours("cast", wanted, (source,), (value,), lambda b, v: cast(b, v[0], wanted))

    def is_true(self, builder: ir.IRBuilder, ty: Type, value: ir.Value) -> ir.Value:
        """Convert a value to a bool, an i1."""
        return self.get_function(bool, Signature(types.boolean, (ty,)))(builder, (value,))

    def make_tuple(self, builder: ir.IRBuilder, ty: Type, items: Sequence[ir.Value]) -> ir.Value:
        """Make a tuple of these items."""
        return values.aggregate(builder, values.value_type(ty), items)

    def make_helper(
        self,
        builder: ir.IRBuilder,
        ty: Type,
        value: ir.Value | None = None,
        ref: ir.Value | None = None,
    ) -> Any:
        """A value's members by name: see `cgutils.create_struct_proxy`."""
        return proxy_of(ty)(self, builder, ty, value, ref)  # type: ignore[arg-type]

    make_data_helper = make_helper

    def make_complex(
        self, builder: ir.IRBuilder, ty: Type, value: ir.Value | None = None
    ) -> StructProxy:
        """A complex number by `real` and `imag`."""
        return StructProxy(self, builder, ty, value)

    def make_array(self, ty: Type) -> Callable[..., ArrayProxy]:
        """A factory of array proxies, `(context, builder, value=None, ref=None)`."""
        return lambda context, builder, value=None, ref=None: ArrayProxy(
            self,
            builder,
            ty,  # type: ignore[arg-type]
            value,
            ref,
        )

    def populate_array(self, array: ArrayProxy, **members: Any) -> ArrayProxy:
        """Set the members of an array: `data shape strides itemsize meminfo parent`."""
        return array.populate(**members)

    @property
    def data_model_manager(self) -> DataModelManager:
        """The factory of data models."""
        return default_manager

    def get_value_as_data(self, builder: ir.IRBuilder, ty: Type, value: ir.Value) -> ir.Value:
        """Convert a value to its type in memory: a bool is a byte."""
        kind = values.data_type(ty)
        return builder.zext(value, kind) if isinstance(ty, types.Boolean) else value

    def get_data_as_value(self, builder: ir.IRBuilder, ty: Type, data: ir.Value) -> ir.Value:
        """Convert data in memory to a value."""
        expected = values.value_type(ty)
        return builder.trunc(data, expected) if isinstance(ty, types.Boolean) else data

    def get_value_as_argument(self, builder: ir.IRBuilder, ty: Type, value: ir.Value) -> ir.Value:
        """Return a value as it is: arguments are passed so."""
        return value

    get_argument_value = get_return_value = get_returned_value = get_value_as_argument

    def pack_value(
        self,
        builder: ir.IRBuilder,
        ty: Type,
        value: ir.Value,
        ptr: ir.Value,
        align: int | None = None,
    ) -> None:
        """Store a value in memory of its type."""
        stored = self.get_value_as_data(builder, ty, value)
        pointer = values.pointer_to(builder, ptr, values.data_type(ty).as_pointer())
        builder.store(stored, pointer, align=align)

    def unpack_value(
        self, builder: ir.IRBuilder, ty: Type, ptr: ir.Value, align: int | None = None
    ) -> ir.Value:
        """Read a value from memory."""
        kind = values.data_type(ty)
        pointer = values.pointer_to(builder, ptr, kind.as_pointer())
        loaded = builder.load(pointer, align=align, typ=kind)
        return self.get_data_as_value(builder, ty, loaded)

    def printf(self, builder: ir.IRBuilder, format_string: str, *args: ir.Value) -> ir.Value:
        """See `cgutils.printf`."""
        return cgutils.printf(builder, format_string, *args)

    def debug_print(self, builder: ir.IRBuilder, text: str) -> None:
        """Print a text, by C's standard output."""
        cgutils.printf(builder, "%s\n", values.text_constant(self.emission.module, text))

    # --- calls ----------------------------------------------------------------------------------

    def get_function(self, function: Any, sig: Signature) -> Callable[..., ir.Value]:
        """A function `(builder, args)` that emits a call of a function that compiled code knows.

        Raises ExtensionError if no overload matches.
        """
        known = (MISSING,) * len(sig.args)
        resolution = self.typing_context.resolve(function, Call(Arguments(sig.args, known)))
        if resolution is None:
            raise ExtensionError(f"{types.describe(function)} does not accept {sig.args}")
        return lambda builder, args: self._apply(function, resolution, sig, args)

    def get_getattr(self, ty: Type, attr: str) -> Callable[..., ir.Value]:
        """Return a function that emits the reading of an attribute: `(context, builder, ty, value,
        name)`."""
        resolution = self.typing_context.resolve_attribute(ty, attr)
        if resolution is None:
            raise ExtensionError(f"a value of type {ty} has no attribute {attr!r}")
        sig = resolution.signature
        return lambda context, builder, typ, value, name: self._apply(
            attr, resolution, sig, (value,)
        )

    get_generic_getattr = get_getattr

    def get_setattr(self, attr: str, sig: Signature) -> Callable[..., ir.Value]:
        """Return a function `(builder, args)` that emits the setting of an attribute."""
        return self.get_function(AttributeSetter(attr), sig)

    def compile_internal(
        self,
        builder: ir.IRBuilder,
        implementation: FunctionType,
        sig: Signature,
        args: Sequence[ir.Value],
        locals: object = None,  # noqa: A002  as the reference has it
    ) -> ir.Value:
        """Compile a Python function, and emit a call of it."""
        call = Call(Arguments(sig.args, (MISSING,) * len(sig.args)))
        return self._ours(
            implementation.__name__,
            sig.returns,
            sig.args,
            args,
            lambda b, v: calls.call_function(b, implementation, call, v),
        )

    def compile_subroutine(
        self,
        builder: ir.IRBuilder,
        implementation: FunctionType,
        sig: Signature,
        locals: object = None,  # noqa: A002  as the reference has it
    ) -> Subroutine:
        """Return a Python function, to be compiled where it is called by `call_internal`."""
        return Subroutine(implementation, sig)

    def call_internal(
        self,
        builder: ir.IRBuilder,
        fndesc: Subroutine,
        sig: Signature,
        args: Sequence[ir.Value],
    ) -> ir.Value:
        """Emit a call of a subroutine of `compile_subroutine`."""
        return self.compile_internal(builder, fndesc.implementation, sig, args)  # type: ignore[arg-type]

    def call_function_pointer(
        self,
        builder: ir.IRBuilder,
        funcptr: ir.Value,
        args: Sequence[ir.Value],
        cconv: str | None = None,
    ) -> ir.Value:
        """Emit a call of a C function by a pointer to it.

        Raises ExtensionError where the arguments do not have its parameter types.
        """
        kind = getattr(funcptr.type, "pointee", None)
        if not isinstance(kind, ir.FunctionType):
            raise ExtensionError(
                f"a pointer of type {funcptr.type} does not say what function it points to",
                hint="builder.bitcast(pointer, context.get_function_pointer_type(type))",
            )
        if len(kind.args) != len(args):
            raise ExtensionError(f"a C function of {len(kind.args)} arguments is given {len(args)}")
        operands = [_as(builder, arg, one) for arg, one in zip(args, kind.args, strict=True)]
        return builder.call(funcptr, operands, cconv=cconv)

    def declare_external_function(
        self, module: ir.Module, kind: ir.FunctionType, name: str
    ) -> ir.Function:
        """Declare a C function of the process by its name."""
        return cgutils.get_or_insert_function(module, kind, name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ExtensionError(f"context has no {name!r}", hint=_INSTEAD.get(name, ""))

    def _apply(
        self, function: Any, resolution: Resolution, sig: Signature, args: Sequence[ir.Value]
    ) -> ir.Value:
        is_new = answer_is_new(function, resolution)

        def emit(build: FunctionBuilder, operands: list[Value]) -> Value:
            return _with_reference(build, calls.apply(build, resolution, operands), is_new)

        return self._ours("call", sig.returns, sig.args, args, emit)

    def advanced(
        self, builder: ir.IRBuilder, iterator: Type, item: Type, value: ir.Value
    ) -> tuple[ir.Value, ir.Value]:
        """Advance an iterator: return the next item, and an i1 that is true if there is one."""
        pair = types.Tuple((item, types.boolean))
        call = Call(Arguments((iterator,), (MISSING,)))
        resolution = self.typing_context.resolve(advance, call)
        if resolution is None:
            raise ExtensionError(f"a value of type {iterator} is no iterator")
        is_new = answer_is_new(advance, resolution)

        def emit(build: FunctionBuilder, operands: list[Value]) -> Value:
            taken, there = calls.apply(build, resolution, operands)
            taken = build.cast(_with_reference(build, taken, is_new), item)
            return Value(pair, (*taken.parts, there))

        both = self._ours("iternext", pair, (iterator,), (value,), emit)
        return builder.extract_value(both, 0), builder.extract_value(both, 1)

    def _ours(
        self, role: str, returns: Type, kinds: Sequence[Type], args: Sequence[ir.Value], emit: Any
    ) -> ir.Value:
        return self.emission.call(role, returns, kinds, args, emit)


def _with_reference(build: FunctionBuilder, value: Value, is_new: bool) -> Value:
    """Return a result with a reference of its own, which most already have."""
    for position in () if is_new else owner_positions(value.ty):
        build.call("void", "cutaway_incref", [("ptr", value.parts[position])])
    return value


class Subroutine(NamedTuple):
    """A Python function that an extension has compiled."""

    implementation: FunctionType
    signature: Signature


def _as(builder: ir.IRBuilder, value: ir.Value, kind: ir.Type) -> ir.Value:
    """Convert an argument of a C function: a pointer is passed as one of any type.

    Raises ExtensionError for one of another type.
    """
    if values.is_pointer(kind) and values.is_pointer(value.type):
        return values.pointer_to(builder, value, kind)
    if value.type != kind:
        raise ExtensionError(
            f"a C function that takes {kind} is given {value.type}",
            hint="convert it with a method of builder",
        )
    return value


# Alternatives to those parts of the reference's contexts that depend on how it works.
_INSTEAD = {
    "insert_func_defn": "register the code: @lower_builtin(function, ...)",
    "insert_user_function": "register a Python function: @register_jitable",
    "add_user_function": "register a Python function: @register_jitable",
    "codegen": "functions are compiled when they are called",
    "active_code_library": "functions are linked by themselves where they are called",
    "fndesc": "the function being compiled is builder.function",
    "get_ufunc_info": "call the ufunc: context.get_function(ufunc, signature)",
    "call_unresolved": "call a compiled function: context.get_function(function, signature)",
}


class CallConvention:
    """The ways for a function that an extension writes to return early."""

    def __init__(self, emission: Emission) -> None:
        self._emission = emission

    def return_user_exc(
        self,
        builder: ir.IRBuilder,
        exception: type[BaseException],
        args: tuple[Any, ...] | None = None,
        loc: object = None,
        func_name: str | None = None,
    ) -> None:
        """Raise an exception with constant arguments, at the line being compiled."""
        self._emission.raise_now(exception, args or ())

    def return_status_propagate(self, builder: ir.IRBuilder, status: Status) -> None:
        """Return with the status of a callee, which has raised."""
        self._emission.fail(status.code)

    def return_value(self, builder: ir.IRBuilder, value: ir.Value) -> None:
        """Refuse: the code of a function returns its result.

        Raises ExtensionError.
        """
        raise ExtensionError(
            "the result of an extension's code is what its Python function returns",
            hint="branch to the end, and return the value there",
        )


class Status(NamedTuple):
    """The outcome of a call."""

    code: ir.Value


class Memory:
    """Memory with counted references."""

    def __init__(self, context: TargetContext) -> None:
        self._emission = context.emission

    def incref(self, builder: ir.IRBuilder, ty: Type, value: ir.Value) -> None:
        """Increment the references of all memory that a value owns."""
        self._count(builder, True, ty, value)

    def decref(self, builder: ir.IRBuilder, ty: Type, value: ir.Value) -> None:
        """Decrement the references of all memory that a value owns."""
        self._count(builder, False, ty, value)

    def _count(self, builder: ir.IRBuilder, more: bool, ty: Type, value: ir.Value) -> None:
        parts = values.to_parts(builder, ty, value)
        for position in owner_positions(ty):
            self.count_one(builder, more, parts[position])

    def count_one(self, builder: ir.IRBuilder, more: bool, owner: ir.Value) -> None:
        """Increment or decrement the references of an owner."""
        name = "cutaway_incref" if more else "cutaway_decref"
        builder.call(self._emission.declared(name, ir.VoidType(), [owner]), [owner])

    def made(self, owner: ir.Value) -> ir.Value:
        """Return a new owner, whose reference belongs to the extension."""
        return owner

    def meminfo_alloc_unchecked(self, builder: ir.IRBuilder, size: ir.Value) -> ir.Value:
        """Allocate memory of a size in bytes (an i64), as a value of type MemInfoPointer: one
        reference; null if memory is exhausted."""
        function = self._emission.declared("cutaway_alloc", values.BYTES, [size])
        return self.made(builder.call(function, [size]))

    def meminfo_alloc(self, builder: ir.IRBuilder, size: ir.Value) -> ir.Value:
        """Allocate memory of a size in bytes; raise MemoryError if memory is exhausted."""
        memory = self.meminfo_alloc_unchecked(builder, size)
        with builder.if_then(cgutils.is_null(builder, memory), likely=False):
            self._emission.raise_now(MemoryError, ())
        return memory

    def meminfo_alloc_aligned(
        self, builder: ir.IRBuilder, size: ir.Value, align: int | ir.Value
    ) -> ir.Value:
        """Allocate memory at an address that 64 divides.

        Raises ExtensionError for a larger alignment.
        """
        wanted = getattr(align, "constant", align)
        if not (isinstance(wanted, int) and 0 < wanted <= META_BYTES):
            raise ExtensionError(f"memory is aligned to {META_BYTES} bytes, not to {wanted}")
        return self.meminfo_alloc(builder, size)

    def meminfo_data(self, builder: ir.IRBuilder, meminfo: ir.Value) -> ir.Value:
        """Return the address of its bytes."""
        offset = ir.Constant(I64, META_BYTES)
        return builder.gep(meminfo, [offset], inbounds=True, source_etype=ir.IntType(8))
