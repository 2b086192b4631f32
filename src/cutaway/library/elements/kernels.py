"""Element operations as overloads, the kernels composed of them, and their calls.

    as.float32 modf.1 python.int8 where add ...     each an `ElementFunction` of the context

An operation is a row of the table, or a NumPy loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.extending.registry import CONTEXT
from cutaway.foundation import loading
from cutaway.library.elements import (
    arithmetic,
    by_function,
    comparisons,
    conversions,
    division,
    floats,
    times,
)
from cutaway.library.elements.table import Inline, loop_name, row_of
from cutaway.library.math import bitwise, powers
from cutaway.library.polynomials import table as polynomials
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.elements import fetched
from cutaway.lowering.arrays.kernels import Kernel, KernelStep
from cutaway.lowering.arrays.loops import call_loop, call_number_function, has_number_function
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple
from cutaway.typing import types
from cutaway.typing.inference.questions import ElementFunction
from cutaway.typing.overloads.resolution import (
    MISSING,
    Arguments,
    Call,
    ElementWise,
    Overload,
    Signature,
)
from cutaway.typing.types import Array, Float, Tuple, Type
from cutaway.typing.ufuncs import (
    FETCH,
    Loop,
    element_loop,
    element_of,
    loop_of,
    result_type,
)
from cutaway.typing.ufuncs import (
    conversions as conversions_of,
)

# The modules that have rows of the table for some kinds of numbers, with their operations.
ROWS = (
    (
        bitwise,
        "biu",
        "bitwise_and bitwise_count bitwise_or bitwise_xor invert left_shift right_shift",
    ),
    (powers, "iu", "power"),
    (
        arithmetic,
        "biufcem",
        "absolute add ceil conjugate copysign divide fabs floor fmax fmin gcd lcm maximum minimum"
        " multiply negative positive reciprocal rint sign sqrt square subtract trunc",
    ),
    (
        comparisons,
        "biufce",
        "clip equal fmax fmin greater greater_equal isfinite isinf isnan less less_equal"
        " logical_and logical_not logical_or logical_xor maximum minimum not_equal signbit",
    ),
    (conversions, "biufceMm", "as python where"),
    (division, "iuf", "divmod floor_divide fmod remainder"),
    (
        floats,
        "fe",
        "deg2rad degrees frexp heaviside ldexp modf nextafter rad2deg radians spacing",
    ),
    (
        times,
        "mM",
        "add divide divmod equal floor_divide fmax fmin greater greater_equal isfinite isinf isnan"
        " isnat less less_equal maximum minimum multiply not_equal remainder subtract",
    ),
)


def inline_of(name: str, inputs: Sequence[Type]) -> Inline | None:
    """The instructions for an operation on elements of these types; None where there are none."""
    kinds = {types.to_dtype(ty).kind for ty in inputs}
    for module, known, names in ROWS:
        if not kinds.isdisjoint(known) and name in names.split():
            loading.run(module)
    return row_of(name, inputs)


# --- one element ----------------------------------------------------------------------------------


def register_element(function: str) -> bool:
    """Register an element operation; False if it is registered."""
    if CONTEXT.knows(ElementFunction(function)):
        return False
    stem = function.partition(".")[0]
    CONTEXT.add(
        ElementFunction(function),
        Overload(
            _element_rule(function),
            (),
            _lower_fetch if stem == FETCH else _lower_element(function),
            any_elements=True,
            loop=None if stem in _IN_PLACE else _loop_of_elements(function),
        ),
    )
    return True


_IN_PLACE = ("as", "python", "where", "clip", FETCH)  # instructions for all types


def _lower_fetch(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    return fetched(build, args[0], args[1:])


def _element_rule(function: str) -> Any:
    def rule(arguments: Arguments) -> Signature | None:
        loop = element_loop(function, arguments.types)
        return None if loop is None else Signature(loop.outputs[0], loop.inputs)

    return rule


def _lower_element(function: str) -> Any:
    name, _, rest = function.partition(".")

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        whole = element_loop(name, sig.args) if rest.isdigit() else None
        result = computed(build, name, whole or Loop(sig.args, (sig.returns,)), args)
        return result[int(rest)] if isinstance(result, tuple) else result

    return lower


def computed(
    build: FunctionBuilder, name: str, loop: Loop, args: list[Value], of_array: bool = True
) -> Any:
    """The result of an element operation, by instructions or by NumPy's loop; unless `of_array`,
    the operands are numbers."""
    if build.flags.vector_math and polynomials.row_of(name, loop.inputs) is not None:
        ty = loop.outputs[0]
        assert isinstance(ty, Float)
        parts = [arg.parts[0] for arg in args]
        return Value(ty, (polynomials.computed(build, name, ty, parts, of_array),))
    function = inline_of(name, loop.inputs)
    if function is not None:
        return function(build, loop, args)
    if not build.links.target.hosted:
        return by_function.computed(build, name, loop, args)
    name = loop_name(name, loop)
    if has_number_function(name):
        parts = [part for arg in args for part in arg.parts]
        return Value(loop.outputs[0], tuple(call_number_function(build, name, parts)))
    places = []
    for arg in args:
        place = build.alloca("i64", 2)
        nests.store_element(build, Array(arg.ty, 1, "C"), arg, place)
        places.append(place)
    out = build.alloca("i64", 2)
    steps = ["0"] * (len(places) + 1)
    call_loop(build, name, ("1",), [*places, out], steps)
    return nests.load_element(build, Array(loop.outputs[0], 1, "C"), out)


def _loop_of_elements(function: str) -> Any:
    def named(sig: Signature, vector_math: bool) -> str:
        loop = Loop(sig.args, (sig.returns,))
        stem = function.partition(".")[0]
        if vector_math and polynomials.row_of(stem, sig.args) is not None:
            return ""
        return "" if inline_of(stem, sig.args) else loop_name(function, loop)

    return named


# --- kernels --------------------------------------------------------------------------------------


class KernelMaker:
    """A kernel under construction; its values are numbered as in the kernel."""

    def __init__(self, build: FunctionBuilder, operands: Sequence[Type]) -> None:
        self.build = build
        self.operands = tuple(operands)
        self.steps: list[KernelStep] = []
        self.elements = [element_of(ty) for ty in operands]

    def step(self, function: str, *args: int) -> int:
        """Add an operation on values; returns the number of its result."""
        elements = tuple(self.elements[arg] for arg in args)
        call = Call(Arguments(elements, (MISSING,) * len(args)))
        resolution = CONTEXT.resolve(ElementFunction(function), call)
        assert resolution is not None, (function, elements)
        step = KernelStep(resolution, args, vector_math=self.build.flags.vector_math)
        step.note(self.build)
        self.steps.append(step)
        self.elements.append(self.steps[-1].output)
        return len(self.elements) - 1

    def operation(self, function: str, loop: Loop, count: int, forced: bool = False) -> int:
        """Add an operation on the first operands, converted as its loop requires."""
        operands = self.operands[:count]
        firsts = conversions_of(function.partition(".")[0], operands, loop, forced)
        args = [
            self.step(first, number) if first else number for number, first in enumerate(firsts)
        ]
        return self.step(function, *args)

    def made(self, result: int) -> Kernel:
        """The finished kernel, which computes a value."""
        return Kernel(self.operands, tuple(self.steps), result)


def kernel_of(build: FunctionBuilder, function: str, operands: tuple[Type, ...]) -> Kernel:
    """The kernel of one operation on these operands."""
    loop = loop_of(function, operands)
    assert loop is not None
    maker = KernelMaker(build, operands)
    return maker.made(maker.operation(function, loop, len(operands)))


# --- calls, with numbers and with arrays ----------------------------------------------------------


def rule_of(name: str) -> Any:
    """The typing rule of a ufunc call, with numbers or arrays."""

    def rule(arguments: Arguments) -> Signature | None:
        operands = arguments.types
        loop = loop_of(name, operands)
        if loop is None:
            return None
        if not any(isinstance(ty, Array) for ty in operands):
            return Signature(_together(loop.outputs), loop.inputs)
        return Signature(_together([result_type(ty, operands) for ty in loop.outputs]), operands)

    return rule


def _together(outputs: Any) -> Type:
    return outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))


def lowering_of(name: str) -> Any:
    """The lowering of a ufunc call."""

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        if not any(isinstance(ty, Array) for ty in sig.args):
            outputs = sig.returns.items if isinstance(sig.returns, Tuple) else (sig.returns,)
            result = computed(build, name, Loop(sig.args, outputs), args, of_array=False)
            return make_tuple(list(result)) if isinstance(result, tuple) else result
        if isinstance(sig.returns, Tuple):
            items = enumerate(sig.returns.items)
            return make_tuple([new_array(build, f"{name}.{k}", sig, ty, args) for k, ty in items])
        return new_array(build, name, sig, sig.returns, args)

    lower.__name__ = name
    return lower


def new_array(
    build: FunctionBuilder, function: str, sig: Signature, returns: Type, args: list[Value]
) -> Value:
    """The array, or the number, that an operation computes."""
    return nests.compute(build, kernel_of(build, function, sig.args), args, returns)


def elements_of(name: str, count: int) -> Any:
    """The element-wise description of a call with `count` operands."""

    def elements(sig: Signature) -> ElementWise | None:
        if not isinstance(sig.returns, Array) or not sig.returns.ndim:
            return None
        return ElementWise(name, tuple(range(count)))

    return elements
