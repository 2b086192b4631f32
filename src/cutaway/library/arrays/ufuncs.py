"""Ufuncs of NumPy, on numbers and on arrays, and Python's operators on arrays.

Which loop computes is asked of NumPy (`typing/ufuncs.py`), what it does with an element is a row
of `library/elements`, and `lowering/arrays/nests.py` is the loop over arrays.  Pass
`array_expressions` makes ops of these calls; one that it does not see is a loop of its own.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.extending.registry import CONTEXT
from cutaway.library.elements import arithmetic, conversions  # noqa: F401  rows of the table
from cutaway.library.elements.table import inline_of, loop_name
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.kernels import Kernel, Step
from cutaway.lowering.arrays.loops import call_loop
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple
from cutaway.typing.inference.questions import ElementFunction
from cutaway.typing.overloads.resolution import (
    MISSING,
    Arguments,
    Call,
    ElementWise,
    Overload,
    Signature,
)
from cutaway.typing.types import Array, Tuple, Type
from cutaway.typing.ufuncs import (
    Loop,
    element_loop,
    element_of,
    loop_of,
    result_type,
)
from cutaway.typing.ufuncs import (
    conversions as conversions_of,
)

# --- one element ------------------------------------------------------------------------------


def _element_rule(function: str) -> Any:  # Any: a rule
    def rule(arguments: Arguments) -> Signature | None:
        loop = element_loop(function, arguments.types)
        return None if loop is None else Signature(loop.outputs[0], loop.inputs)

    return rule


def _lower_element(function: str) -> Any:  # Any: a lowering
    name, _, rest = function.partition(".")

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        loop = Loop(sig.args, (sig.returns,))
        result = _computed(build, name, loop, args)
        return result[int(rest)] if isinstance(result, tuple) else result

    return lower


def _computed(
    build: FunctionBuilder, name: str, loop: Loop, args: list[Value]
) -> Any:  # Any: a Value, or a tuple of them
    """The result of an operation on elements, by instructions or by NumPy's loop."""
    function = inline_of(name, loop.inputs)
    if function is not None:
        return function(build, loop, args)
    places = []
    for arg in args:
        place = build.alloca("i64", 2)
        nests.store_element(build, Array(arg.ty, 1, "C"), arg, place)
        places.append(place)
    out = build.alloca("i64", 2)
    steps = ["0"] * (len(places) + 1)
    call_loop(build, loop_name(name, loop), ("1",), [*places, out], steps)
    return nests.load_element(build, Array(loop.outputs[0], 1, "C"), out)


def _loop_of_elements(function: str) -> Any:  # Any: what names NumPy's loop for a signature
    def named(sig: Signature) -> str:
        loop = Loop(sig.args, (sig.returns,))
        return "" if inline_of(function, sig.args) else loop_name(function, loop)

    return named


def register_element(function: str) -> bool:
    """Register an operation on elements; False where it is registered."""
    if CONTEXT.knows(ElementFunction(function)):
        return False
    stem = function.partition(".")[0]
    CONTEXT.add(
        ElementFunction(function),
        Overload(
            _element_rule(function),
            (),
            _lower_element(function),
            any_elements=True,
            loop=None if stem in ("as", "python", "where") else _loop_of_elements(function),
        ),
    )
    return True


# --- numbers and arrays -----------------------------------------------------------------------


def _rule(name: str) -> Any:  # Any: a rule
    def rule(arguments: Arguments) -> Signature | None:
        operands = arguments.types
        loop = loop_of(name, operands)
        if loop is None:
            return None
        if not any(isinstance(ty, Array) for ty in operands):
            return Signature(_together(loop.outputs), loop.inputs)
        return Signature(_together([result_type(ty, operands) for ty in loop.outputs]), operands)

    return rule


def _together(outputs: Any) -> Type:  # Any: a sequence of types
    return outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))


def _lower(name: str) -> Any:  # Any: a lowering
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        if not any(isinstance(ty, Array) for ty in sig.args):
            outputs = sig.returns.items if isinstance(sig.returns, Tuple) else (sig.returns,)
            result = _computed(build, name, Loop(sig.args, outputs), args)
            return make_tuple(list(result)) if isinstance(result, tuple) else result
        if isinstance(sig.returns, Tuple):
            items = enumerate(sig.returns.items)
            return make_tuple([_array(build, f"{name}.{k}", sig, ty, args) for k, ty in items])
        return _array(build, name, sig, sig.returns, args)

    return lower


def _array(
    build: FunctionBuilder, function: str, sig: Signature, returns: Type, args: list[Value]
) -> Value:
    return nests.compute(build, kernel_of(function, sig.args), args, returns)


def kernel_of(function: str, operands: tuple[Type, ...]) -> Kernel:
    """The kernel of one operation on these operands."""
    name = function.partition(".")[0]
    loop = loop_of(name, operands)
    assert loop is not None
    steps: list[Step] = []
    numbers: list[int] = []
    elements: list[Type] = []
    for number, (ty, first) in enumerate(zip(operands, conversions_of(name, operands, loop))):
        element = element_of(ty)
        if first:
            steps.append(_step(first, (element,), (number,)))
            element, number = steps[-1].output, len(operands) + len(steps) - 1
        elements.append(element)
        numbers.append(number)
    steps.append(_step(function, tuple(elements), tuple(numbers)))
    return Kernel(operands, tuple(steps), len(operands) + len(steps) - 1)


def _step(function: str, elements: tuple[Type, ...], numbers: tuple[int, ...]) -> Step:
    key = ElementFunction(function)
    call = Call(Arguments(elements, (MISSING,) * len(elements)))
    resolution = CONTEXT.resolve(key, call)
    assert resolution is not None, (function, elements)
    return Step(resolution, numbers)


def _elements(name: str, count: int) -> Any:  # Any: see Overload
    def elements(sig: Signature) -> ElementWise | None:
        if not isinstance(sig.returns, Array):
            return None
        return ElementWise(name, tuple(range(count)))

    return elements


def _only_arrays(rule: Any) -> Any:  # Any: rules
    """The rule for a call with an array: what an operator does with numbers alone is Python's."""

    def with_array(arguments: Arguments) -> Signature | None:
        return rule(arguments) if any(isinstance(ty, Array) for ty in arguments.types) else None

    return with_array


def _register(function: np.ufunc, *operators: Any) -> None:  # Any: functions of operators
    name, rule, lower = function.__name__, _rule(function.__name__), _lower(function.__name__)
    elements = _elements(name, function.nin)
    CONTEXT.add(function, Overload(rule, (), lower, any_elements=True, elements=elements))
    for one in operators:
        CONTEXT.add(
            one, Overload(_only_arrays(rule), (), lower, any_elements=True, elements=elements)
        )


_OPERATORS: dict[str, tuple[Any, ...]] = {
    "add": (operator.add,),
    "subtract": (operator.sub,),
    "multiply": (operator.mul,),
    "divide": (operator.truediv,),
    "floor_divide": (operator.floordiv,),
    "remainder": (operator.mod,),
    "power": (operator.pow,),
    "negative": (operator.neg,),
    "positive": (operator.pos,),
    "invert": (operator.invert,),
    "absolute": (abs,),
    "bitwise_and": (operator.and_,),
    "bitwise_or": (operator.or_,),
    "bitwise_xor": (operator.xor,),
    "left_shift": (operator.lshift,),
    "right_shift": (operator.rshift,),
    "equal": (operator.eq,),
    "not_equal": (operator.ne,),
    "less": (operator.lt,),
    "less_equal": (operator.le,),
    "greater": (operator.gt,),
    "greater_equal": (operator.ge,),
    "divmod": (divmod,),
}

# Products of whole arrays, and of texts, are no operations on elements.
UFUNCS = {
    function.__name__: function
    for function in vars(np).values()
    if isinstance(function, np.ufunc) and function.signature is None
}
for _name, _ufunc in UFUNCS.items():
    _register(_ufunc, *_OPERATORS.get(_name, ()))
