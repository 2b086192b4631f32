"""Calls as Python: of device functions, of words of a kernel, of functions of the library.

A function that is written in Python is translated like the kernel.  One that is written in LLVM IR
has a row here or, if it works on scalars, is called in Python and its result converted to the type
of the call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.cuda.simulator import accesses, arithmetic, helpers, wording
from cutaway.cuda.simulator.threads import Thread
from cutaway.errors import UnsupportedError
from cutaway.foundation.foreign import key_of
from cutaway.gpu import words
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import by_place_and_name
from cutaway.typing import types
from cutaway.typing.inference.resolutions import (
    Bound,
    Chosen,
    CompiledCall,
    Field,
    Held,
    MadeTuple,
    OneOf,
)
from cutaway.typing.types import Array, Boolean, Float, Integer, Omitted, Tuple, Type
from cutaway.typing.values.typeof import typeof

if TYPE_CHECKING:
    from cutaway.cuda.simulator.program import Program
    from cutaway.cuda.simulator.writing import FunctionWriter

# Functions with the same name in `math` and `np`.
_MATH = """
    sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p
    sqrt cbrt erf erfc gamma lgamma fabs atan2 hypot copysign fmod degrees radians ldexp
""".split()


class Calling:
    """Writes the calls of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def callee_of(self, w: FunctionWriter, op: nodes.Call) -> Any:
        """Return the callee of a call, if it is known; None otherwise."""
        if op.func in w.constants:
            return w.constants[op.func]
        maker = w.makers.get(op.func)
        if isinstance(maker, nodes.GetAttr):
            resolved = w.unit.resolutions.get(maker.id)
            if isinstance(resolved, Held):
                return resolved.value
        return getattr(w.types.get(op.func), "value", None)

    def call(self, w: FunctionWriter, op: nodes.Call) -> None:
        """Write a call."""
        resolved = w.unit.resolutions.get(op.id)
        if isinstance(resolved, CompiledCall):
            self.compiled(w, op, resolved)
            return
        callee = self.callee_of(w, op)
        word = wording.WORDING.get(key_of(callee))
        if word is not None and isinstance(resolved, Chosen):
            word(w, op, self.arguments(w, op, resolved))
            return
        if isinstance(resolved, MadeTuple):
            made = self.program.constant(resolved.cls, resolved.cls.__name__)
            _, named = by_place_and_name(list(op.args), op.keywords)
            texts = [w.use(a) for a in op.args[: len(op.args) - len(op.keywords)]]
            texts += [f"{name}={w.use(one)}" for name, one in named.items()]
            w.assign(op.result, f"{made}({', '.join(texts)})", pure=True)
            return
        if isinstance(resolved, OneOf):
            self._one_of(w, op, resolved)
            return
        if not isinstance(resolved, Chosen):
            raise UnsupportedError("the simulator cannot run this call", op.loc)
        self._chosen(w, op, resolved, callee)

    def _chosen(self, w: FunctionWriter, op: nodes.Call, resolved: Chosen, callee: Any) -> None:
        known = w.types.get(op.result)
        if isinstance(known, types.Class):  # Python's `type(x)` may differ
            w.assign(op.result, self.program.constant(known.value, known.value.__name__), pure=True)
        elif resolved.owner is not None:
            self._method(w, op, resolved)
        elif resolved.resolution.implementation is not None:
            self.implementation(w, op, resolved, list(op.args))
        else:
            self._primitive(w, op, resolved, callee)

    def _one_of(self, w: FunctionWriter, op: nodes.Call, resolved: OneOf) -> None:
        """Write a call of one of several functions: a test for each."""
        ty = w.types[op.func]
        assert isinstance(ty, types.Functions)
        func = w.fresh("function")
        w.text.line(f"{func} = {w.use(op.func)}")
        w.folding = False
        for k, (one, kind) in enumerate(zip(resolved.functions, ty.functions, strict=True)):
            held = kind.code.value if isinstance(kind, types.Closure) else kind.value
            named = self.program.constant(held, getattr(held, "__name__", "function"))
            w.text.line(f"{'el' if k else ''}if which({func}) is {named}:")
            with w.text.indented():
                if isinstance(one, CompiledCall):
                    self.compiled(w, op, one, func)
                else:
                    assert isinstance(one, Chosen)
                    self._chosen(w, op, one, held)
        w.folding = True

    # --- arguments ------------------------------------------------------------------------------

    def arguments(self, w: FunctionWriter, op: nodes.Call, resolved: Chosen) -> list[str]:
        """Return the arguments of a signature, as expressions of its types."""
        operands = self._operands(w, op, resolved)
        resolution = resolved.resolution
        texts: list[str] = []
        for ty, place in zip(resolution.signature.args, resolution.layout, strict=True):
            if place is None:
                default = ty.value if isinstance(ty, Omitted) else None
                if not isinstance(ty, Omitted):
                    default = resolution.overload.defaults[len(texts)]
                texts.append(w.literal(default, None))
            else:
                text, source = operands[place]
                texts.append(arithmetic.cast(w, text, source, ty))
        return texts

    def _operands(
        self, w: FunctionWriter, op: nodes.Call, resolved: Chosen
    ) -> list[tuple[str, Type]]:
        found = self._written(w, op)
        if resolved.owner is not None:
            found.insert(0, (self._owner(w, op), resolved.owner))
        return found

    def _written(self, w: FunctionWriter, op: nodes.Call) -> list[tuple[str, Type]]:
        """Return the arguments as the call has them, with the items of a starred tuple."""
        arguments = [(w.use(name), w.types[name]) for name in op.args]
        if op.star is not None:
            star = w.types[op.star]
            items = star.items if isinstance(star, Tuple) else ()
            place = len(arguments) - len(op.keywords)
            arguments[place:place] = [(f"{w.use(op.star)}[{k}]", ty) for k, ty in enumerate(items)]
        return arguments

    def _owner(self, w: FunctionWriter, op: nodes.Call) -> str:
        maker = w.makers.get(op.func)
        return w.use(maker.value) if isinstance(maker, nodes.GetAttr) else w.use(op.func)

    # --- functions ------------------------------------------------------------------------------

    def compiled(
        self, w: FunctionWriter, op: nodes.Call, resolved: CompiledCall, func: str = ""
    ) -> None:
        """Write a call of a device function, or of an inner one that is held by `func`."""
        operands = self._written(w, op)
        if isinstance(resolved.function, types.Closure):  # a tuple: its code, carried values
            held, kinds = func or w.use(op.func), resolved.function.carried
            operands += [(f"{held}[{k + 1}]", kinds[k]) for k in resolved.carried]
        self._call(w, op, resolved.function, resolved.call, operands)

    def implementation(self, w: FunctionWriter, op: Op, resolved: Chosen, args: list[str]) -> None:
        """Write a call of a library function that is written in Python."""
        resolution = resolved.resolution
        if isinstance(op, nodes.Call):
            operands = self._operands(w, op, resolved)
        else:
            operands = [(w.use(name), w.types[name]) for name in args]
        cast = [
            (arithmetic.cast(w, operands[place][0], operands[place][1], ty), ty)
            for ty, place in zip(resolution.signature.args, resolution.layout, strict=True)
            if place is not None
        ]
        self._call(w, op, resolution.implementation, resolution.call, cast)

    def _call(
        self, w: FunctionWriter, op: Op, function: Any, call: Any, operands: list[tuple[str, Type]]
    ) -> None:
        callee = self.program.function(w, function, call, op.loc)
        texts = []
        names, defaults = callee.parameters.names, callee.parameters.defaults
        for k, (ty, place) in enumerate(zip(callee.argtypes, callee.layout(call), strict=True)):
            if isinstance(place, tuple):
                items = [operands[one] for one in place]
                kinds = ty.items if isinstance(ty, Tuple) else ()
                parts = [
                    arithmetic.as_asked(w, text, one, kind, names[k])
                    for (text, one), kind in zip(items, kinds, strict=True)
                ]
                texts.append(f"({', '.join(parts)}{',' if len(parts) == 1 else ''})")
            elif place is None and isinstance(ty, Omitted):
                texts.append(w.literal(ty.value, None))
            elif place is None:  # a signature has a type for it
                given = typeof(defaults[k])
                texts.append(arithmetic.cast(w, w.literal(defaults[k], given), given, ty))
            else:
                text, source = operands[place]
                texts.append(arithmetic.as_asked(w, text, source, ty, names[k]))
        text = f"{callee.name}({', '.join(['t', *texts])})"
        if callee.is_generator:
            w.is_generator = True
            text = f"yield from {text}"
        result = getattr(op, "result", None)
        if result is None or w.types[result] is types.none:
            w.text.line(text)
            return
        if w.types[result] is types.undefined:
            w.text.line(text)
            return
        returned, wanted = callee.returns, w.types[result]
        if returned is wanted:
            w.assign(result, text)
            return
        name = w.fresh("returned")
        w.text.line(f"{name} = {text}")
        w.assign(result, arithmetic.cast(w, name, returned, wanted))

    # --- primitives -----------------------------------------------------------------------------

    def _primitive(self, w: FunctionWriter, op: nodes.Call, resolved: Chosen, callee: Any) -> None:
        signature = resolved.resolution.signature
        row = PRIMITIVES.get(key_of(callee))
        if isinstance(callee, type) and issubclass(callee, np.generic):
            row = _number
        texts = self.arguments(w, op, resolved)
        w.callee = callee
        if row is not None and row(w, op, texts, signature):
            return
        if getattr(callee, "__module__", "") == "cmath":
            callee = helpers.of_complex(callee)
        given, named = self._by_name(op, resolved, texts)
        name = self.program.constant(callee, getattr(callee, "__name__", "f"))
        self.outside_text(w, op, name, [*given, *named], op.result)

    def _by_name(
        self, op: nodes.Call, resolved: Chosen, texts: list[str]
    ) -> tuple[list[str], list[str]]:
        """Return the arguments of a call that are not omitted: positional and by name."""
        first = len(op.args) - len(op.keywords) + (resolved.owner is not None)
        positional, named = [], []
        for text, place in zip(texts, resolved.resolution.layout, strict=True):
            if place is not None and place < first:
                positional.append(text)
            elif place is not None:
                named.append(f"{op.keywords[place - first]}={text}")
        return positional, named

    def _method(self, w: FunctionWriter, op: nodes.Call, resolved: Chosen) -> None:
        if resolved.resolution.implementation is not None:
            self.implementation(w, op, resolved, [])
            return
        maker = w.makers.get(op.func)
        name = maker.attr if isinstance(maker, nodes.GetAttr) else "__call__"
        given, named = self._by_name(op, resolved, self.arguments(w, op, resolved))
        owner, rest = given[0], [*given[1:], *named]
        if isinstance(resolved.owner, Array) and name == "view":
            kind = self.program.constant(w.types[op.result].dtype, "type")
            w.assign(op.result, f"{owner}.viewed({kind})")
            return
        if isinstance(resolved.owner, Array) and name in ("reshape", "transpose", "ravel"):
            if self._reshaped(w, op, name, owner, rest):
                return
        self.outside_text(w, op, f"method({name!r})", [owner, *rest], op.result)

    def _reshaped(
        self, w: FunctionWriter, op: nodes.Call, name: str, owner: str, rest: list[str]
    ) -> bool:
        if name == "transpose" and not rest:
            w.assign(op.result, f"{owner}.turned()")
            return True
        if name == "ravel" and not rest:
            w.assign(op.result, f"{owner}.shaped((-1,))")
            return True
        if name == "reshape":
            shape = rest[0] if len(rest) == 1 else f"({', '.join(rest)})"
            w.assign(op.result, f"{owner}.shaped(t.sides({shape}))")
            return True
        return False

    def update(self, w: FunctionWriter, op: nodes.Inplace, function: Any) -> None:
        """Write `a += b` of an array."""
        name = self.program.constant(function, function.__name__)
        read, log = (self.program.site(op, w, kind, op.lhs) for kind in "rw")
        args = f"{name}, {w.use(op.lhs)}, {w.use(op.rhs)}, w{log}, r{read}"
        w.assign(op.result, f"t.{Thread.update.__name__}({args})")

    # --- Python functions
    # ----------------------------------------------------------------------------

    def outside(
        self, w: FunctionWriter, op: Op, function: Any, args: list[str], result: str
    ) -> None:
        """Write a call of a Python function with variables."""
        name = self.program.constant(function, getattr(function, "__name__", "f"))
        self.outside_text(w, op, name, [w.use(one) for one in args], result)

    def outside_text(
        self, w: FunctionWriter, op: Op, function: str, texts: list[str], result: str
    ) -> None:
        """Write a call of a Python function, and convert its result to its type."""
        ty = w.types[result]
        kind = self.program.constant(ty, "type")
        site = self.program.site(op, w, "r", "")
        text = f"t.outside({', '.join([function, kind, f'r{site}', *texts])})"
        w.assign(result, text)


# --- rows ---------------------------------------------------------------------------------------

# Whether the call was written.  (Any: a Signature.)
Row = Callable[["FunctionWriter", nodes.Call, list[str], Any], bool]
PRIMITIVES: dict[Any, Row] = {}


def _row(*callees: Any) -> Callable[[Row], Row]:
    def register(function: Row) -> Row:
        for callee in callees:
            PRIMITIVES[callee] = function
        return function

    return register


@_row(range)
def _range(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    w.assign(op.result, f"range({', '.join(texts)})", pure=True)
    return True


@_row(enumerate, zip, reversed)
def _walk(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    name = w.callee.__name__
    walked = []
    for variable, text, ty in zip(op.args, texts, signature.args, strict=False):
        is_array = isinstance(ty, Array)
        if is_array and name == "reversed":
            text = f"{text}.part((slice(None, None, -1),), t)"
        walked.append(accesses.elements(w, op, text, variable) if is_array else text)
    if name == "reversed" and isinstance(signature.args[0], Array):
        w.assign(op.result, walked[0])
        return True
    w.assign(op.result, f"{name}({', '.join(walked)})")
    return True


@_row(len)
def _len(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    if isinstance(signature.args[0], Array):
        w.assign(op.result, f"{texts[0]}.shape[0]", pure=True)
        return True
    if isinstance(signature.args[0], Tuple):
        w.assign(op.result, str(len(signature.args[0].items)), pure=True)
        return True
    return False


@_row(int, float, bool, complex)
def _number(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    if not texts or not all(map(arithmetic.is_number, signature.args)):
        return False
    if len(texts) == 2:
        arithmetic.give(w, op.result, f"complex({texts[0]}, {texts[1]})", signature.returns)
        return True
    text = arithmetic.cast(w, texts[0], signature.args[0], signature.returns)
    w.assign(op.result, text, pure=True)
    return True


@_row(abs, np.abs, np.absolute)
def _abs(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    if not arithmetic.is_number(signature.args[0]):
        return False
    returns = signature.returns
    if isinstance(returns, Integer) and returns.signed:
        known = w.interval(op.args[0])
        exact = arithmetic.Interval(0, max(abs(known.low), abs(known.high)))
        arithmetic.give(w, op.result, f"abs({texts[0]})", returns, exact)
    elif isinstance(returns, Float) and not isinstance(signature.args[0], types.Complex):
        w.assign(op.result, f"abs({texts[0]})", pure=True)
    else:
        arithmetic.give(w, op.result, f"abs({texts[0]})", returns)
    return True


@_row(min, max)
def _extreme(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    name = w.callee.__name__
    if len(texts) < 2 or not all(map(arithmetic.is_number, signature.args)):
        return False
    if len(texts) == 2 and all(text.isidentifier() for text in texts):
        a, b = texts
        sign = "<" if name == "min" else ">"
        w.assign(op.result, f"({b} if {b} {sign} {a} else {a})", pure=True)
        return True
    w.assign(op.result, f"{name}({', '.join(texts)})", pure=True)
    return True


def _quiet(name: str) -> Row:
    def row(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
        plain = all(isinstance(ty, Float | Integer | Boolean) for ty in signature.args)
        if not plain or not isinstance(signature.returns, Float):
            return False
        is_python = getattr(w.callee, "__module__", "") == "math"
        may_raise = is_python and w.unit.flags.error_model == "python"
        called = f"python_{name}" if may_raise else f"math_{name}"
        w.program.helper(called, arithmetic.function_of(name, may_raise))
        text = f"{called}({', '.join(texts)})"
        if may_raise and isinstance(signature.returns, Float) and signature.returns.bits == 64:
            w.assign(op.result, text)
        else:
            arithmetic.give(w, op.result, text, signature.returns)
        return True

    return row


def _register_math() -> None:
    import_names = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh"}
    import_names |= {"acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2"}
    for name in _MATH:
        row = _quiet(name)
        if hasattr(math, name):
            PRIMITIVES[getattr(math, name)] = row
        found = getattr(arithmetic.numpy, import_names.get(name, name), None)
        if found is not None:
            PRIMITIVES[found] = row


_register_math()


@_row(math.floor, math.ceil, math.trunc)
def _whole(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    kind, returns = signature.args[0], signature.returns
    if not isinstance(kind, Float) or not isinstance(returns, Integer):
        return False
    name = w.program.constant(w.callee, w.callee.__name__)
    value = w.fresh("x")
    w.text.line(f"{value} = {texts[0]}")
    text = f"truncated({value}, {returns.low}, {returns.high})"
    if name != "trunc":
        text = f"{name}({value}) if abs({value}) < {2.0**63!r} else {text}"
    w.assign(op.result, f"({text})")
    return True


@_row(math.isnan, np.isnan)
def _isnan(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    if not isinstance(signature.args[0], Float) or not texts[0].isidentifier():
        return False
    w.assign(op.result, f"({texts[0]} != {texts[0]})", pure=True)
    return True


@_row(math.isinf, math.isfinite, np.isinf, np.isfinite)
def _asks(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    if not isinstance(signature.args[0], Float | Integer | Boolean):
        return False
    name = f"math_{w.callee.__name__}"
    w.program.helper(name, getattr(math, name.removeprefix("math_")))
    w.assign(op.result, f"{name}({texts[0]})", pure=True)
    return True


@_row(pow)
def _pow(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    if len(texts) != 2 or not all(map(arithmetic.is_number, signature.args)):
        return False
    arithmetic.raised(w, op.result, *texts, signature.returns)  # type: ignore[call-arg]
    return True


@_row(print)
def _print(w: FunctionWriter, op: nodes.Call, texts: list[str], signature: Any) -> bool:
    *values, sep, end, _ = texts
    kinds = w.program.constant(tuple(signature.args[:-3]), "types")
    w.text.line(f"t.print({kinds}, ({''.join(f'{one}, ' for one in values)}), {sep}, {end})")
    return True


def attribute(w: FunctionWriter, op: nodes.GetAttr) -> None:
    """Write `value.attr`."""
    resolved = w.unit.resolutions.get(op.id)
    ty = w.types[op.value]
    if isinstance(resolved, Held | Bound):
        if isinstance(resolved, Held) and isinstance(w.types[op.result], Array):
            w.exprs[op.result] = w.program.value(resolved.value, w.types[op.result])
            w.define(op.result)
        elif isinstance(resolved, Held):
            w.exprs[op.result] = w.literal(resolved.value, w.types[op.result])
        return
    if isinstance(resolved, Field):
        w.assign(op.result, f"{w.use(op.value)}[{resolved.position}]", pure=True)
        w.define(op.result)
        return
    held = w.constants.get(op.value)
    if isinstance(held, words.Index3):
        owner = "t." if held.name in ("threadIdx", "blockIdx") else ""
        w.assign(op.result, f"{owner}{held.name}_{op.attr}", pure=True)
        return
    if isinstance(ty, Array):
        _array_attribute(w, op, ty)
        return
    if isinstance(ty, types.Record):
        accesses.read_field(w, op, op.value, op.attr, op.result)
        return
    if isinstance(resolved, Chosen) and resolved.resolution.implementation is not None:
        w.program.calling.implementation(w, op, resolved, [op.value])
        return
    if arithmetic.is_number(ty) and op.attr in ("real", "imag"):
        text = f"{w.use(op.value)}.{op.attr}"
        w.assign(op.result, f"(+{text})" if isinstance(ty, Boolean) else text, pure=True)
        return
    w.program.calling.outside_text(w, op, f"attribute({op.attr!r})", [w.use(op.value)], op.result)


def _array_attribute(w: FunctionWriter, op: nodes.GetAttr, ty: Array) -> None:
    owner = w.use(op.value)
    if op.attr == "flat":
        raise UnsupportedError("the simulator has no `flat` of an array", op.loc, "use ravel()")
    if isinstance(ty.dtype, types.Record) and ty.dtype.field(op.attr) is not None:
        w.assign(op.result, f"column({owner}, {op.attr!r})")
    elif op.attr == "T":
        w.assign(op.result, f"{owner}.turned()")
    elif op.attr == "size" and ty.ndim == 1 and w.has_elements(op.value):
        w.assign(op.result, w.part_name(op.value, "n0"), pure=True)
    elif op.attr in ("shape", "size", "ndim"):
        w.assign(op.result, f"{owner}.{op.attr}", pure=True)
    elif op.attr == "itemsize":
        w.assign(op.result, f"{owner}.storage.itemsize", pure=True)
    elif op.attr == "nbytes":
        w.assign(op.result, f"({owner}.size * {owner}.storage.itemsize)", pure=True)
    elif op.attr == "strides":
        w.assign(op.result, f"byte_strides({owner})", pure=True)
    elif op.attr == "flags":
        w.assign(op.result, f"flags({owner}, {ty.aligned}, {not ty.readonly})", pure=True)
    else:
        w.program.calling.outside_text(w, op, f"attribute({op.attr!r})", [owner], op.result)
