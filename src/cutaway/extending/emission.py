"""An LLVM function that an extension writes with llvmlite.ir, and its calls to and from others.

The emitted code becomes a function of its own, with our calling convention: it is called with the
parts of its arguments, and LLVM inlines it.  Where it requests our code (a cast, an operator, a
compiled function), that becomes another function, which it calls.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from cutaway.errors import ExtensionError, InternalError
from cutaway.extending import values
from cutaway.extending.cgutils import get_or_insert_function
from cutaway.extending.sizes import size_of
from cutaway.extending.users import call_code_of, extension_error
from cutaway.foundation.addresses import MemoryMap
from cutaway.foundation.source import place_of
from cutaway.lowering.build import raising
from cutaway.lowering.build.builder import CodeLine, FunctionCode, symbol
from cutaway.lowering.build.c_functions import held_object
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.callee import Callee
from cutaway.lowering.calls import Links, call_callee
from cutaway.lowering.layout import Value, part_types, slot_types
from cutaway.lowering.slots import store_slots
from cutaway.targets.cpu import trial
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.optimization import Cpu
from cutaway.typing.types import Signature, Type

I32, I64 = ir.IntType(32), ir.IntType(64)

Emit = Callable[[FunctionBuilder, list[Value]], Value]
_SERIAL = itertools.count(1)
_METADATA = re.compile(r", ![a-z.]+ !\d+")  # whose numbers are those of another module


class Emission:
    """A function under construction: the extension writes it with `builder`."""

    def __init__(
        self,
        near: FunctionBuilder,
        role: str,
        returns: ir.Type,
        parameters: Sequence[ir.Type],
        exc: ir.Value | None = None,
    ) -> None:
        self.text = _builder_of_its_own(role, near)
        self.name, self.table = self.text.code.name, self.text.table
        self.module = ir.Module(self.name)
        kind = ir.FunctionType(returns, parameters)
        self.function = ir.Function(self.module, kind, self.name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.exc = exc

    # --- its callees ----------------------------------------------------------------------------

    def call(
        self, role: str, returns: Type, kinds: Sequence[Type], args: Sequence[ir.Value], emit: Emit
    ) -> ir.Value:
        """Emit a call of a function that `emit` writes; if it fails, so does this function."""
        callee = write_function(self.text, role, returns, tuple(kinds), emit)
        self.text.links.callees.append(callee)
        pairs = zip(kinds, args, strict=True)
        parts = [p for ty, v in pairs for p in values.to_parts(self.builder, ty, v)]
        # The calling convention of compiled functions: the address of the result, the exception
        # record, then the parts of the arguments.
        parameters = [values.POINTER, values.POINTER]
        parameters += [values.part(text) for ty in kinds for text in part_types(ty)]
        function = ir.Function(self.module, ir.FunctionType(I32, parameters), callee.symbol)
        ret = values.alloca_at_entry(self.builder, I64, len(slot_types(returns)))
        status = self.builder.call(function, [ret, self.exc, *parts])
        failed = self.builder.icmp_signed("!=", status, ir.Constant(I32, 0))
        with self.builder.if_then(failed, likely=False):
            self.fail(status)
        found = values.load_parts(self.builder, returns, ret)
        for position, _ in values.ephemeral_places(returns):  # the slot holds the state itself
            cell = values.alloca_at_entry(self.builder, I64, 1)
            self.builder.store(self.builder.ptrtoint(found[position], I64), cell)
            found[position] = values.pointer_to(self.builder, cell, values.BYTES)
        return values.from_parts(self.builder, returns, found)

    def fail(self, status: ir.Value) -> None:
        """Return from the function with a status."""
        self.builder.ret(status)

    def raise_now(self, exception: type[BaseException], args: tuple[Any, ...]) -> None:
        """Emit the raising of an exception (Any: constants); ends the block."""
        site = raising.RaiseSite(exception, args, self.text.loc, self.text.function)
        table = self.global_of(f"{self.name}.table", ir.IntType(8))
        numbers = [self.table.add(site), *[0] * raising.PAYLOAD_SLOTS]
        operands = [self.exc, table, *(ir.Constant(I64, number) for number in numbers)]
        self.builder.call(self.declared("cutaway_describe", ir.VoidType(), operands), operands)
        self.fail(ir.Constant(I32, int(raising.RAISED)))

    def declared(self, name: str, returns: ir.Type, args: Sequence[ir.Value]) -> ir.Function:
        """Declare an external function for arguments like these."""
        kind = ir.FunctionType(returns, kinds_of(args))
        return get_or_insert_function(self.module, kind, name)

    def global_of(self, name: str, kind: ir.Type) -> ir.Value:
        """Declare a global that our own text defines."""
        known = self.module.globals.get(name)
        return ir.GlobalVariable(self.module, kind, name) if known is None else known

    def object_constant(self, value: object) -> ir.Value:
        """Return a Python object of the process, which the code keeps alive."""
        return self.global_of(held_object(self.text.code, value), ir.IntType(8))

    # --- its text -------------------------------------------------------------------------------

    def _own_names(self) -> Callable[[str], str]:
        """Return a renaming of the extension's globals to names of this function's own: another
        extension, or this one for other types, may use the same."""
        own = {
            name
            for name, held in self.module.globals.items()
            if held is not self.function
            and not held.name.startswith(self.name)
            and (getattr(held, "initializer", None) is not None or getattr(held, "blocks", ()))  # type: ignore[arg-type]
        }

        def renamed(match: re.Match[str]) -> str:
            return f'@"{self.name}.own.{match[1]}"' if match[1] in own else match[0]

        return lambda text: _GLOBAL.sub(renamed, text) if own else text

    def code(self, extension: Any, exported: bool = False) -> FunctionCode:
        """Return the finished function, visible from outside if `exported`; the `extension`
        function wrote it.

        Raises ExtensionError where LLVM rejects the extension's code.
        """
        if not self.builder.block.is_terminated:
            raise extension_error(
                extension,
                "a block of the emitted code has no terminator",
                "end each block except the last one with a branch",
            )
        _check(self.module, extension, self.text.links.target.machine)
        code = self.text.code
        own_names = self._own_names()
        header, *lines = own_names(str(self.function)).splitlines()
        own = header.replace("define ", "define internal ", 1) + " alwaysinline"
        code.header = header if exported else own
        plain = (_METADATA.sub("", line).strip() for line in lines)
        code.lines = [CodeLine(text, -1) for text in plain if text not in "{}"]
        for name, held in self.module.globals.items():
            if held is self.function or name in code.globals:
                continue
            if isinstance(held, ir.Function) and held.is_declaration:
                if not held.name.startswith("cutaway_"):
                    code.declarations[name] = str(held).strip()
                else:
                    kinds = [str(arg.type) for arg in held.args]
                    self.text.declare(str(held.return_value.type), name, kinds)
            else:
                code.globals[own_names(f'@"{name}"')] = own_names(str(held))
        for callee in self.text.links.callees:
            code.declarations.pop(callee.symbol, None)
        return code


# A name of a global, or a text that may look like one.
_GLOBAL = re.compile(r'c"[^"]*"|@"([^"]*)"')


def kinds_of(args: Sequence[ir.Value]) -> list[ir.Type]:
    """Return the types of values, with generic pointers: llvmlite.ir would require a second call to
    have the pointee type of the first."""
    return [values.POINTER if isinstance(v.type, ir.PointerType) else v.type for v in args]


def _builder_of_its_own(role: str, near: FunctionBuilder) -> FunctionBuilder:
    """Return a builder of a separate function at the current location."""
    name = f"{role}$x{next(_SERIAL)}"
    build = FunctionBuilder(name, near.function, near.flags, RaiseTable(name, hidden=True))
    build.links = Links(near.links.target, near.links.callee_of, [])
    build.loc, build.op = near.loc, near.op
    build.code.filename = near.loc.filename
    build.code.first_line = near.loc.line
    return build


def _check(module: ir.Module, extension: Any, cpu: Cpu) -> None:
    # Checked by itself: an error in the module of the whole program would not name the extension.
    text = call_code_of(extension, "what it wrote", lambda: str(module))
    try:
        Module(text)
        complaint = trial.complaint(text, cpu) if trial.is_needed(text) else ""
    except InternalError as error:
        complaint = error.message.splitlines()[0]
    if complaint:
        raise extension_error(
            extension,
            f"LLVM rejects the emitted code: {complaint}",
            "print(builder.module) shows the code",
        )


def write_function(
    near: FunctionBuilder, role: str, returns: Type, kinds: tuple[Type, ...], emit: Emit
) -> Callee:
    """Write a function of our own code, for arguments of these types."""
    build = _builder_of_its_own(role, near)
    name = build.code.name
    build.start("entry")
    operands, header = [], ["ptr noalias %ret", "ptr noalias %exc"]
    for k, ty in enumerate(kinds):
        names = tuple(f"%arg.{k}.{n}" for n in range(len(part_types(ty))))
        header += [f"{text} {name}" for text, name in zip(part_types(ty), names, strict=True)]
        operands.append(Value(ty, names))
    result = build.cast(emit(build, operands), returns)
    parts = list(result.parts)
    for position, _ in values.ephemeral_places(returns):  # the memory of this function ends with it
        content = build.load("i64", parts[position], 8)
        parts[position] = build.convert("inttoptr", "i64", content, "ptr")
    store_slots(build, Value(returns, tuple(parts)), "%ret")
    build.ret(raising.OK)
    code = build.finish(f"define internal i32 {symbol(name)}({', '.join(header)}) alwaysinline")
    return Callee(name, kinds, returns, code, build.table, callees=build.links.callees)


def emit_call(
    near: FunctionBuilder,
    role: str,
    extension: Any,
    sig: Signature,
    args: Sequence[Value],
    write: Callable[[Emission, list[ir.Value]], Any],
) -> Value:
    """Emit a call of a function that an extension writes, for values of the signature's types.

    Raises ExtensionError where its result has another LLVM type than its signature's.
    """
    states = _states(extension, sig)
    kinds = [values.part(text) for ty in sig.args for text in part_types(ty)]
    emission = Emission(near, role, I32, [values.POINTER, values.POINTER, *kinds])
    ret, emission.exc, *parts = emission.function.args
    arguments = []
    for ty in sig.args:
        count = len(part_types(ty))
        arguments.append(values.from_parts(emission.builder, ty, parts[:count]))
        parts = parts[count:]
    result = write(emission, arguments)
    if not emission.builder.block.is_terminated:
        checked(extension, sig.returns, result)
        parts = values.to_parts(emission.builder, sig.returns, result)
        if states:
            _take_states(emission.builder, states, parts)
        values.store_parts(emission.builder, sig.returns, parts, ret)
        emission.builder.ret(ir.Constant(I32, 0))
    code = emission.code(extension)
    links = emission.text.links
    callee = Callee(
        emission.name, sig.args, sig.returns, code, emission.table, callees=links.callees
    )
    callee.extension = extension
    callee.unstable = _reason_of_addresses(code, extension)
    called = call_callee(near, callee, args)
    return _with_states(near, states, called) if states else called


def _states(extension: Any, sig: Signature) -> list[tuple[int, Type]]:
    """Return the positions and types of the states in an iterator that an extension begins."""
    places = values.ephemeral_places(sig.returns)
    if places and sig.returns in sig.args:
        raise extension_error(
            extension,
            f"it returns an iterator of type {sig.returns}, whose state belongs to the loop",
            "return the iterator only from the code of getiter",
        )
    wide = next((ty for _, ty in places if size_of(values.data_type(ty)) > 8), None)
    if wide is not None:
        raise extension_error(
            extension,
            f"an EphemeralPointer points to {wide}, which has more than 8 bytes",
            "keep each number behind a pointer of its own",
        )
    return places


def _take_states(
    builder: ir.IRBuilder, states: Sequence[tuple[int, Type]], parts: list[ir.Value]
) -> None:
    """Replace the addresses of states in this function's memory by their content."""
    for position, ty in states:
        kind = values.data_type(ty)
        content = builder.load(builder.bitcast(parts[position], kind.as_pointer()), typ=kind)
        cell = builder.alloca(I64)
        builder.store(ir.Constant(I64, 0), cell)
        builder.store(content, builder.bitcast(cell, kind.as_pointer()))
        parts[position] = builder.inttoptr(builder.load(cell, typ=I64), values.BYTES)


def _with_states(near: FunctionBuilder, states: Sequence[tuple[int, Type]], value: Value) -> Value:
    """Return an iterator whose states lie in memory of the function that iterates."""
    parts = list(value.parts)
    for position, _ in states:
        content = near.convert("ptrtoint", "ptr", parts[position], "i64")
        parts[position - 1], parts[position] = near.new_cell(1)
        near.store("i64", content, parts[position], 8)
    return Value(value.ty, tuple(parts))


def _reason_of_addresses(code: FunctionCode, extension: Any) -> str:
    """Return why code is invalid in other processes: a number may be an address of this one."""
    memory = MemoryMap()
    for text in (*(line.text for line in code.lines), *code.globals.values()):
        for number in map(int, _NUMBER.findall(text)):
            if memory.may_hold(number):
                place = place_of(extension)
                return (
                    f"it has {number}, which may be an address of this process, in code of an"
                    f" extension, written in {place.filename}:{place.line}"
                )
    return ""


_NUMBER = re.compile(r"(?<![\w.%$])\d{5,15}(?![\w.])")


def checked(extension: Any, ty: Type, value: Any) -> None:
    """Check that an extension's result is an LLVM value of a type."""
    wanted = values.value_type(ty)
    if value is None and not part_types(ty):
        return
    if not isinstance(value, ir.Value):
        raise extension_error(
            extension,
            f"it returned {value!r} instead of an LLVM value of type {wanted}",
            "return a value that a method of builder or context returned",
        )
    if value.type != wanted and not (values.is_pointer(value.type) and values.is_pointer(wanted)):
        raise _other_type(extension, ty, value)


def _other_type(extension: Any, ty: Type, value: ir.Value) -> ExtensionError:
    return extension_error(
        extension,
        f"it returned an LLVM {value.type} for {ty}, which is {values.value_type(ty)}",
        "convert it, or change the registered signature",
    )
