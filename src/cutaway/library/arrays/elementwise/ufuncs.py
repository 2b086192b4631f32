"""NumPy's ufuncs on numbers and arrays, and Python's operators on arrays.

NumPy is asked which loop applies (`typing/ufuncs.py`), a row of `library/elements` computes one
element, and `lowering/arrays/nests.py` emits the loop over arrays. Pass `array_expressions` turns
these calls into ops; a call that it does not see is emitted as a loop of its own.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.extending.registry import CONTEXT
from cutaway.foundation.element_functions import UfuncHalf, name_of
from cutaway.ir.operators import BINARY, UNARY
from cutaway.library.arrays.elementwise import outputs
from cutaway.library.arrays.indexing import updates
from cutaway.library.elements.kernels import elements_of, lowering_of, new_array, rule_of
from cutaway.library.elements.kernels import register_element as register_element
from cutaway.library.elements.table import INLINE
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.calls import call_function
from cutaway.lowering.layout import Value, tuple_items
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Overload, Signature
from cutaway.typing.types import Array
from cutaway.typing.ufuncs import Loop


def _only_arrays(rule: Any) -> Any:
    """The rule, for calls with at least one array: operators on numbers alone follow Python."""

    def with_array(arguments: Arguments) -> Signature | None:
        return rule(arguments) if any(isinstance(ty, Array) for ty in arguments.types) else None

    return with_array


def _register(function: np.ufunc, *operators: Any) -> None:
    name = name_of(function)
    rule, lower = rule_of(name), lowering_of(name)
    elements = elements_of(name, function.nin)
    CONTEXT.add(function, Overload(rule, (), lower, any_elements=True, elements=elements))
    outputs.register(function)
    for one in operators:
        if one is operator.pow:
            _register_powers()
        CONTEXT.add(one, _of_operator(_only_arrays(rule), lower, elements))


def _of_operator(rule: Any, lower: Any, elements: Any) -> Overload:
    return Overload(rule, (), lower, any_elements=True, elements=elements, gives_new_reference=True)


def _register_powers() -> None:
    """Register `a ** 2` and the like: for some constant exponents NumPy uses other ufuncs."""
    for name in updates.BY_POWER:

        def rule(arguments: Arguments, name: str = name) -> Signature | None:
            if updates.power_function(arguments) != name:
                return None
            signature = rule_of(name)(Arguments(arguments.types[:1], arguments.constants[:1]))
            return None if signature is None else Signature(signature.returns, arguments.types)

        def lower(
            build: FunctionBuilder, sig: Signature, args: list[Value], name: str = name
        ) -> Value:
            short = Signature(sig.returns, sig.args[:1])
            return new_array(build, name, short, sig.returns, args[:1])

        lower.__name__ = name
        CONTEXT.add(operator.pow, _of_operator(rule, lower, elements_of(name, 1)))


_OPERATORS: dict[str, Any] = {"absolute": abs, "divmod": divmod} | {
    row.ufunc: row.function for row in (*BINARY.values(), *UNARY.values()) if row.ufunc
}

# Matrix products and functions of texts are not element-wise.
UFUNCS = {
    function.__name__: function
    for function in vars(np).values()
    if isinstance(function, np.ufunc) and function.signature is None
}
for _name, _ufunc in UFUNCS.items():
    _register(_ufunc, *filter(None, (_OPERATORS.get(_name),)))


# --- users' ufuncs --------------------------------------------------------------------------------


def register_user(half: UfuncHalf) -> bool:
    """Register the calls of a `vectorize` function; False if they are registered."""
    if CONTEXT.knows(half.public):
        return False
    INLINE[half.element_name] = [("biufce", _by_kernel(half))]
    _register(half.public)
    return True


def _by_kernel(half: UfuncHalf) -> Any:
    """The emitter of an element by the user's kernel, which is inlined."""

    def compute(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Any:
        call = Call(Arguments(loop.inputs, (MISSING,) * len(args)))
        result = call_function(build, half.kernel, call, args)
        if len(loop.outputs) == 1:
            return build.cast(result, loop.outputs[0])
        pairs = zip(tuple_items(result), loop.outputs, strict=True)
        return tuple(build.cast(one, ty) for one, ty in pairs)

    return compute
