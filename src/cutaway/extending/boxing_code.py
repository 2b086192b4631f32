"""The machine code that unboxes and boxes values of one type, as extensions write it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from cutaway.dispatch_c import _dispatch
from cutaway.errors import ExtensionError
from cutaway.extending import values
from cutaway.extending.boxing_tables import BOX, UNBOX, NativeValue
from cutaway.extending.emission import I32, I64, Emission, checked
from cutaway.extending.python_api import PythonApi
from cutaway.extending.target_context import TargetContext
from cutaway.extending.users import call_code_of, call_extension, extension_error
from cutaway.foundation.options import Flags
from cutaway.foundation.source import Loc, place_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.callee import Callee
from cutaway.lowering.calls import Links
from cutaway.lowering.layout import descriptor, slot_types
from cutaway.lowering.module import bare_text, runtime_symbols
from cutaway.targets.cpu.engine import LIGHT, Library, Module
from cutaway.targets.cpu.target import CPU
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Type

_BOX_VALUE, _UNBOX_VALUE, _BEGIN, _RAISE, _EXC_BYTES = _dispatch.boxing_functions()
_NEXT = ir.FunctionType(I32, [values.POINTER]).as_pointer()
_UNBOXER = ir.FunctionType(I32, [values.POINTER, values.POINTER, _NEXT, values.POINTER])
_BOXER = ir.FunctionType(values.POINTER, [values.POINTER])


def compiled(ty: Type) -> tuple[object, int, int]:
    """An object that keeps the code loaded, and the addresses of the functions that unbox and box;
    0 for one that is not registered.

    Raises ExtensionError where what an extension wrote does not fit.
    """
    writer = _Writer(ty)
    unboxer = writer.unboxer() if UNBOX.find((ty,)) else None
    boxer = writer.boxer() if BOX.find((ty,)) else None
    first, *rest = (callee for callee in (unboxer, boxer) if callee is not None)
    first.callees += rest
    module = Module(bare_text(first))
    module.optimize(LIGHT)
    names = [callee.symbol for callee in (first, *rest)]
    library = Library.load(module.object_code(), names, runtime_symbols(first))
    kept = (library, [member.table for member in first.closure()], writer.kept)
    addresses = [0 if c is None else library.address(c.symbol) for c in (unboxer, boxer)]
    return kept, addresses[0], addresses[1]


def _finished(e: Emission, extension: Any) -> Callee:  # Any: the function of the extension
    code = e.code(extension, exported=True)
    return Callee(e.name, (), None, code, e.table, callees=e.text.links.callees)


class _Writer:
    """Writes the two functions of one type."""

    def __init__(self, ty: Type) -> None:
        self.ty = ty
        self.kept: list[object] = []

    def unboxer(self) -> Callee:
        """`i32 unbox(object, slots, next, context)`: -1 where an exception is set."""
        source = UNBOX.find((self.ty,))
        e = _emission(f"unbox.{self.ty}", I32, _UNBOXER.args, source)
        e.fail = lambda status: _failed(e, ir.Constant(I32, -1))  # type: ignore[method-assign]
        obj, slots, following, context = e.function.args
        obj = values.pointer_to(e.builder, obj, values.BYTES)
        c = Boxer(e, self.kept)
        native = c.unbox(self.ty, obj)
        builder = e.builder
        if native.is_error is not None:
            with builder.if_then(native.is_error, likely=False):
                c.leave()
                builder.ret(ir.Constant(I32, -1))
        values.store_slots(builder, self.ty, native.value, slots)
        status = builder.call(following, [context])
        if native.cleanup is not None:
            with _exception_aside(c, obj):
                call_code_of(source, f"the cleanup of {self.ty}", native.cleanup)
        c.leave()
        builder.ret(status)
        return _finished(e, source)

    def boxer(self) -> Callee:
        """`object box(slots)`: null where an exception is set."""
        source = BOX.find((self.ty,))
        e = _emission(f"box.{self.ty}", values.POINTER, _BOXER.args, source)
        null = ir.Constant(values.POINTER, None)
        e.fail = lambda status: _failed(e, null)  # type: ignore[method-assign]
        c = Boxer(e, self.kept)
        boxed = c.box(self.ty, values.load_slots(e.builder, self.ty, e.function.args[0]))
        if not isinstance(boxed, ir.Value) or not values.is_pointer(boxed.type):
            raise extension_error(
                source,
                f"boxing {self.ty} returned {getattr(boxed, 'type', boxed)}, not an object",
                "return the pointer that a function of c.pyapi returned",
            )
        c.leave()
        e.builder.ret(boxed)
        return _finished(e, source)


@contextmanager
def _exception_aside(c: Boxer, obj: ir.Value) -> Iterator[None]:
    """Runs what is emitted inside without the exception that the call may have raised, and sets
    that again after it.  One that is raised inside goes to `sys.unraisablehook`: the call has its
    result."""
    held = [values.alloca_at_entry(c.builder, values.POINTER, 1) for _ in range(3)]
    c.pyapi.err_fetch(*held)
    yield
    raised = c.builder.icmp_unsigned("!=", c.pyapi.err_occurred(), c.pyapi.get_null_object())
    with c.builder.if_then(raised, likely=False):
        c.pyapi.err_write_unraisable(obj)
    c.pyapi.err_restore(*(c.builder.load(place, typ=values.POINTER) for place in held))


def _emission(role: str, returns: ir.Type, parameters: Any, source: Any) -> Emission:
    # Any: types of llvmlite.ir, the function of the extension
    near = FunctionBuilder(role, role, Flags(), RaiseTable(role, hidden=True))
    near.loc = place_of(source)
    near.links = Links(CPU, _callee, [])
    e = Emission(near, role, returns, parameters)
    e.exc = values.alloca_at_entry(e.builder, ir.IntType(8), _EXC_BYTES)
    _at(e, _BEGIN, ir.VoidType(), e.exc)
    return e


def _failed(e: Emission, value: ir.Value) -> None:
    """Leave a function in which compiled code raised: Python's exception is made."""
    _at(e, _RAISE, ir.VoidType(), e.exc)
    e.builder.ret(value)


def _at(e: Emission, address: int, returns: ir.Type, *args: ir.Value) -> Any:  # Any: an ir.Value
    """A call of a C function by its address."""
    kind = ir.FunctionType(returns, [arg.type for arg in args])
    function = e.builder.inttoptr(ir.Constant(I64, address), kind.as_pointer())
    return e.builder.call(function, args)


def _callee(function: Any, call: Call, loc: Loc, in_loop: bool) -> Callee:
    # Any: a Python function
    raise ExtensionError(
        "compiled functions cannot be called during boxing or unboxing",
        loc,
        "call them from the compiled function itself",
    )


class Boxer:
    """The argument `c` of `box` and `unbox` functions."""

    def __init__(self, emission: Emission, kept: list[object]) -> None:
        self._emission = emission
        self._kept = kept
        self._held: list[ir.Value] = []
        self.context = TargetContext(emission)
        self.builder = emission.builder
        self.pyapi = PythonApi(emission, kept)

    def unbox(self, ty: Type, obj: ir.Value) -> NativeValue:
        """The value of a type that an object is; the object is kept until the call is over."""
        code = UNBOX.find((ty,))
        if code is not None:
            return self._checked(
                ty, code, call_extension(code, f"the unboxing of {ty}", ty, obj, self)
            )
        slots = self._slots(ty)
        self.pyapi.incref(obj)
        self._held.append(self._kept_place())
        self.builder.store(obj, self._held[-1])
        spec = self._boxer_of(ty)
        status = _at(self._emission, _UNBOX_VALUE, I32, spec, obj, slots)
        failed = self.builder.icmp_signed("<", status, ir.Constant(I32, 0))
        return NativeValue(values.load_slots(self.builder, ty, slots), failed)

    def box(self, ty: Type, value: ir.Value) -> ir.Value:
        """A new object of a value, whose references it takes over."""
        code = BOX.find((ty,))
        if code is not None:
            checked(code, ty, value)
            boxed = call_extension(code, f"the boxing of {ty}", ty, value, self)
            return boxed
        slots = self._slots(ty)
        values.store_slots(self.builder, ty, value, slots)
        return _at(self._emission, _BOX_VALUE, values.BYTES, self._boxer_of(ty), slots)

    def leave(self) -> None:
        """Let go of what was kept until the call is over."""
        for place in self._held:
            self.pyapi.decref(self.builder.load(place, typ=values.BYTES))

    def _kept_place(self) -> ir.Value:
        """Room for an object, which is null on the ways that do not come by here."""
        place = values.alloca_at_entry(self.builder, values.BYTES, 1)
        with self.builder.goto_entry_block():
            self.builder.store(ir.Constant(values.BYTES, None), place)
        return place

    def _checked(self, ty: Type, code: Callable[..., Any], native: Any) -> NativeValue:
        # Any: values of llvmlite.ir, what the extension gave
        if not isinstance(native, NativeValue):
            raise extension_error(
                code, f"the unboxing of {ty} returned {native!r}", "return NativeValue(...)"
            )
        checked(code, ty, native.value)
        return native

    def _slots(self, ty: Type) -> ir.Value:
        return values.alloca_at_entry(self.builder, I64, len(slot_types(ty)))

    def _boxer_of(self, ty: Type) -> ir.Value:
        """The function that boxes or unboxes values of a built-in type."""
        constants: list[object] = []
        text = descriptor(ty, constants)
        spec = _dispatch.Specialization(0, (text,), text, tuple(constants), str(ty))
        return self.pyapi.object_constant(spec)
