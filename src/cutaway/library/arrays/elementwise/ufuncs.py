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
    """The rule for a call with an array: what an operator does with numbers alone is Python's."""

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
    """`a ** 2` and its like, which NumPy does by other ufuncs: only there the exponent counts."""
    for name in updates.BY_POWER:

        def rule(arguments: Arguments, name: str = name) -> Signature | None:
            if updates.power_function(arguments) != name:
                return None
            found = rule_of(name)(Arguments(arguments.types[:1], arguments.constants[:1]))
            return None if found is None else Signature(found.returns, arguments.types)

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

# Products of whole arrays, and of texts, are no operations on elements.
UFUNCS = {
    function.__name__: function
    for function in vars(np).values()
    if isinstance(function, np.ufunc) and function.signature is None
}
for _name, _ufunc in UFUNCS.items():
    _register(_ufunc, *filter(None, (_OPERATORS.get(_name),)))


# --- those of users -------------------------------------------------------------------------------


def register_user(half: UfuncHalf) -> bool:
    """Register the calls of a function that `vectorize` has made; False where they are."""
    if CONTEXT.knows(half.public):
        return False
    INLINE[half.element_name] = [("biufce", _by_kernel(half))]
    _register(half.public)
    return True


def _by_kernel(half: UfuncHalf) -> Any:
    """An element as the user's kernel computes it, which is inlined."""

    def compute(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Any:
        call = Call(Arguments(loop.inputs, (MISSING,) * len(args)))
        result = call_function(build, half.kernel, call, args)
        if len(loop.outputs) == 1:
            return build.cast(result, loop.outputs[0])
        pairs = zip(tuple_items(result), loop.outputs, strict=True)
        return tuple(build.cast(one, ty) for one, ty in pairs)

    return compute
