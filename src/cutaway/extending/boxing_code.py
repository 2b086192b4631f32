"""The machine code that unboxes and boxes values of one type, as extensions write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from cutaway.dispatch_c import _dispatch
from cutaway.errors import ExtensionError
from cutaway.extending import values
from cutaway.extending.boxing_tables import BOX, UNBOX, NativeValue
from cutaway.extending.emission import I32, I64, Emission, Emit, checked
from cutaway.extending.python_api import PythonApi
from cutaway.extending.target_context import Memory, TargetContext
from cutaway.extending.users import call_code_of, call_extension, extension_error
from cutaway.foundation.options import Flags
from cutaway.foundation.source import Loc, place_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.callee import Callee
from cutaway.lowering.calls import Links
from cutaway.lowering.layout import descriptor, owner_positions, part_types, slot_types
from cutaway.lowering.module import bare_text, runtime_symbols
from cutaway.targets.cpu.engine import LIGHT, Library, Module
from cutaway.targets.cpu.target import CPU
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Type
from cutaway.typing.types.kinds import MemInfoPointer, PyObject, voidptr

_BOX_VALUE, _UNBOX_VALUE, _BEGIN, _RAISE, _EXC_BYTES = _dispatch.boxing_functions()
(
    *(_BEGIN_POOL, _POOL_TAKES, _POOL_INCREF, _POOL_DECREF, _POOL_HANDS_OUT, _END_POOL),
    _POOL_BYTES,
) = _dispatch.pool_functions()
_NEXT = ir.FunctionType(I32, [values.POINTER]).as_pointer()
_UNBOXER = ir.FunctionType(I32, [values.POINTER, values.POINTER, _NEXT, values.POINTER])
_BOXER = ir.FunctionType(values.POINTER, [values.POINTER])


def compiled(ty: Type) -> tuple[object, int, int]:
    """Return an object that keeps the code loaded, and the addresses of the functions that unbox
    and box; 0 for an unregistered one.

    Raises ExtensionError where an extension's code does not fit.
    """
    writer = _BoxingWriter(ty)
    unboxer = writer.unboxer() if UNBOX.find((ty,)) else None
    boxer = writer.boxer() if BOX.find((ty,)) else None
    first, *rest = (callee for callee in (unboxer, boxer) if callee is not None)
    first.callees += rest
    module = Module(bare_text(first))
    module.optimize(LIGHT)
    names = [callee.symbol for callee in (first, *rest)]
    library = Library.load(module.object_code(), names, runtime_symbols(first))
    alive = (library, [member.table for member in first.closure()], writer.kept)
    addresses = [0 if c is None else library.address(c.symbol) for c in (unboxer, boxer)]
    return alive, addresses[0], addresses[1]


def _finished(e: Emission, extension: Any) -> Callee:
    code = e.code(extension, exported=True)
    return Callee(e.name, (), None, code, e.table, callees=e.text.links.callees)


class _BoxingWriter:
    """The writer of the two functions of one type."""

    def __init__(self, ty: Type) -> None:
        self.ty = ty
        self.kept: list[object] = []

    def unboxer(self) -> Callee:
        """`i32 unbox(object, slots, next, context)`: -1 where an exception is set."""
        source = UNBOX.find((self.ty,))
        e = _emission(f"unbox.{self.ty}", I32, _UNBOXER.args, source)
        obj, slots, following, context = e.function.args
        obj = values.pointer_to(e.builder, obj, values.BYTES)
        c = Boxer(e, self.kept, ir.Constant(I32, -1))
        native = c.unbox(self.ty, obj)
        builder = e.builder
        if native.is_error is not None:
            with builder.if_then(native.is_error, likely=False):
                c.pool.end()
                builder.ret(ir.Constant(I32, -1))
        values.store_slots(builder, self.ty, native.value, slots)
        status = builder.call(following, [context])
        if native.cleanup is not None:
            with _exception_aside(c, obj):
                call_code_of(source, f"the cleanup of {self.ty}", native.cleanup)
        c.pool.end()
        builder.ret(status)
        return _finished(e, source)

    def boxer(self) -> Callee:
        """`object box(slots)`: null where an exception is set."""
        source = BOX.find((self.ty,))
        e = _emission(f"box.{self.ty}", values.POINTER, _BOXER.args, source)
        c = Boxer(e, self.kept, ir.Constant(values.POINTER, None))
        value = values.load_slots(e.builder, self.ty, e.function.args[0])
        c.pool.take(self.ty, value)  # boxing consumes the references
        boxed = c.box(self.ty, value)
        if not isinstance(boxed, ir.Value) or not values.is_pointer(boxed.type):
            raise extension_error(
                source,
                f"boxing {self.ty} returned {getattr(boxed, 'type', boxed)}, not an object",
                "return the pointer that a function of c.pyapi returned",
            )
        c.pool.end()
        e.builder.ret(values.pointer_to(e.builder, boxed, values.POINTER))
        return _finished(e, source)


@contextmanager
def _exception_aside(c: Boxer, obj: ir.Value) -> Iterator[None]:
    """Clear the exception that the call may have raised for the code emitted inside, and set it
    again after that.  An exception raised inside goes to `sys.unraisablehook`: the call has its
    result."""
    held = [values.alloca_at_entry(c.builder, values.POINTER, 1) for _ in range(3)]
    c.pyapi.err_fetch(*held)
    yield
    raised = c.builder.icmp_unsigned("!=", c.pyapi.err_occurred(), c.pyapi.get_null_object())
    with c.builder.if_then(raised, likely=False):
        c.pyapi.err_write_unraisable(obj)
    c.pyapi.err_restore(*(c.builder.load(slot, typ=values.POINTER) for slot in held))


def _emission(role: str, returns: ir.Type, parameters: Any, source: Any) -> Emission:
    near = FunctionBuilder(role, role, Flags(), RaiseTable(role, hidden=True))
    near.loc = place_of(source)
    near.links = Links(CPU, _callee, [])
    e = Emission(near, role, returns, parameters)
    e.exc = values.alloca_at_entry(e.builder, ir.IntType(8), _EXC_BYTES)
    _at(e, _BEGIN, ir.VoidType(), e.exc)
    return e


def _at(e: Emission, address: int, returns: ir.Type, *args: ir.Value) -> Any:
    """Emit a call of a C function by its address."""
    kind = ir.FunctionType(returns, [arg.type for arg in args])
    function = e.builder.inttoptr(ir.Constant(I64, address), kind.as_pointer())
    return e.builder.call(function, args)


def _callee(function: Any, call: Call, loc: Loc, in_loop: bool) -> Callee:
    raise ExtensionError(
        "compiled functions cannot be called during boxing or unboxing",
        loc,
        "call them from the compiled function itself",
    )


class Pool:
    """The references that a boxing or unboxing function owns (dispatch_c/extensions.c)."""

    def __init__(self, emission: Emission) -> None:
        self._emission = emission
        self._place = values.alloca_at_entry(emission.builder, ir.IntType(8), _POOL_BYTES)
        self._call(_BEGIN_POOL)

    def _call(self, address: int, *owners: ir.Value) -> None:
        wide = [self._emission.builder.ptrtoint(one, I64) for one in owners]
        _at(self._emission, address, ir.VoidType(), self._place, *wide)

    def _each(self, address: int, ty: Type, value: ir.Value) -> None:
        parts = values.to_parts(self._emission.builder, ty, value)
        for position in owner_positions(ty):
            self._call(address, parts[position])

    def take(self, ty: Type, value: ir.Value) -> None:
        """Release the references of a value at the end."""
        self._each(_POOL_TAKES, ty, value)

    def hold(self, obj: ir.Value) -> None:
        """Keep an object until the call is over."""
        build = self._emission.builder
        # Tagged like an array's owner that is an object: see runtime/_runtime.c.
        tagged = build.or_(build.ptrtoint(obj, I64), ir.Constant(I64, 1))
        self._call(_POOL_INCREF, build.inttoptr(tagged, values.BYTES))

    def hand_out(self, ty: Type, value: ir.Value) -> None:
        """Transfer the references of a value to their consumer."""
        self._each(_POOL_HANDS_OUT, ty, value)

    def count(self, more: bool, owner: ir.Value) -> None:
        """Increment or decrement the references of an owner."""
        self._call(_POOL_INCREF if more else _POOL_DECREF, owner)

    def end(self) -> None:
        """Release all references that are left."""
        self._call(_END_POOL)


class _PooledMemory(Memory):
    """Memory whose references belong to a pool."""

    def __init__(self, context: TargetContext, pool: Pool) -> None:
        super().__init__(context)
        self._pool = pool

    def count_one(self, builder: ir.IRBuilder, more: bool, owner: ir.Value) -> None:
        self._pool.count(more, owner)

    def made(self, owner: ir.Value) -> ir.Value:
        self._pool.take(_MEMORY, owner)
        return owner


_MEMORY = MemInfoPointer(voidptr)


class _BoxingContext(TargetContext):
    """The context of functions that box and unbox, which release their intermediate values."""

    def __init__(self, emission: Emission, pool: Pool) -> None:
        super().__init__(emission)
        self._pool = pool
        self.nrt = _PooledMemory(self, pool)

    def _ours(
        self,
        role: str,
        returns: Type,
        kinds: Sequence[Type],
        args: Sequence[ir.Value],
        emit: Emit,
    ) -> ir.Value:
        value = super()._ours(role, returns, kinds, args, emit)
        self._pool.take(returns, value)
        return value


class Boxer:
    """The argument `c` of `box` and `unbox` functions; on failure the function returns
    `failure`."""

    def __init__(self, emission: Emission, kept: list[object], failure: ir.Value) -> None:
        self._emission = emission
        self.pool = Pool(emission)
        self.context = _BoxingContext(emission, self.pool)
        self.builder = emission.builder
        self.pyapi = PythonApi(emission, kept, self)
        self.env_manager = EnvironmentManager(self.pyapi)

        def fail(status: ir.Value) -> None:
            _at(emission, _RAISE, ir.VoidType(), emission.exc)
            self.pool.end()
            emission.builder.ret(failure)

        emission.fail = fail  # type: ignore[method-assign]

    def unbox(self, ty: Type, obj: ir.Value) -> NativeValue:
        """Unbox an object to a value of a type; the object is kept until the call is over."""
        code = UNBOX.find((ty,))
        if code is not None:
            return self._checked(
                ty, code, call_extension(code, f"the unboxing of {ty}", ty, obj, self)
            )
        if isinstance(ty, PyObject):
            return NativeValue(obj, _false())
        slots = self._slots(ty)
        for k in range(len(slot_types(ty))):  # a failure must leave nothing there
            self.builder.store(ir.Constant(I64, 0), values.slot(self.builder, slots, k), align=8)
        spec = self._boxer_of(ty)
        status = _at(self._emission, _UNBOX_VALUE, I32, spec, obj, slots)
        failed = self.builder.icmp_signed("<", status, ir.Constant(I32, 0))
        if "ptr" in part_types(ty):
            with self.builder.if_then(self.builder.not_(failed), likely=True):
                self.pool.hold(obj)
        return NativeValue(values.load_slots(self.builder, ty, slots), failed)

    def box(self, ty: Type, value: ir.Value) -> ir.Value:
        """Box a value to a new object, consuming its references."""
        code = BOX.find((ty,))
        if code is not None:
            checked(code, ty, value)
            boxed = call_extension(code, f"the boxing of {ty}", ty, value, self)
            return boxed
        if isinstance(ty, PyObject):
            return value
        slots = self._slots(ty)
        self.pool.hand_out(ty, value)
        values.store_slots(self.builder, ty, value, slots)
        return _at(self._emission, _BOX_VALUE, values.BYTES, self._boxer_of(ty), slots)

    def _checked(self, ty: Type, code: Callable[..., Any], native: Any) -> NativeValue:
        if not isinstance(native, NativeValue):
            raise extension_error(
                code, f"the unboxing of {ty} returned {native!r}", "return NativeValue(...)"
            )
        checked(code, ty, native.value)
        # An extension may read it whether or not the other one has set it.
        return native if native.is_error is not None else native._replace(is_error=_false())

    def _slots(self, ty: Type) -> ir.Value:
        return values.alloca_at_entry(self.builder, I64, len(slot_types(ty)))

    def _boxer_of(self, ty: Type) -> ir.Value:
        """Return the function that boxes or unboxes values of a built-in type."""
        constants: list[object] = []
        text = descriptor(ty, constants)
        spec = _dispatch.Specialization(0, (text,), text, tuple(constants), str(ty))
        return self.pyapi.object_constant(spec)


def _false() -> ir.Constant:
    return ir.Constant(ir.IntType(1), 0)


class EnvironmentManager:
    """Python objects that a function refers to, by number: `c.env_manager`."""

    def __init__(self, pyapi: PythonApi) -> None:
        self._pyapi = pyapi
        self._objects: list[object] = []

    def add_const(self, const: object) -> int:
        """Return the number of an object."""
        for number, known in enumerate(self._objects):
            if known is const:
                return number
        self._objects.append(const)
        return len(self._objects) - 1

    def read_const(self, index: int) -> ir.Value:
        """Return the object of a number; borrowed.

        Raises ExtensionError for an unknown number.
        """
        if not (isinstance(index, int) and 0 <= index < len(self._objects)):
            raise ExtensionError(
                f"no object has number {index!r}", hint="env_manager.add_const gives numbers"
            )
        return self._pyapi.object_constant(self._objects[index])
