"""Lists, tuples and numbers where NumPy takes arrays: `np.sum([a, b])`, `a + [1, 2]`, `np.sum(x)`.

A call without a matching overload is resolved again with arrays for its sequences, and then with an
array of no axes for a number that is its first argument. The compiled code then makes these arrays,
as NumPy does, and passes them.
"""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.dataclass import replace
from cutaway.foundation.foreign import attribute, is_a, key_of, text_attribute
from cutaway.ir.operators import BINARY, INPLACE
from cutaway.library.math.number_methods import METHODS_OF_NUMPY
from cutaway.typing import types
from cutaway.typing.overloads.resolution import (
    MISSING,
    Arguments,
    Call,
    Overload,
    Resolution,
    resolve,
)
from cutaway.typing.types import (
    Array,
    Boolean,
    Dated,
    List,
    ListDisplay,
    Number,
    Tuple,
    Type,
)
from cutaway.typing.types.interning import Identity
from cutaway.typing.types.sequences import array_type

_MOST = 4  # sequences in a call that are tried one by one
_ITEMS = (operator.getitem, operator.setitem)
_OPERATORS = {row.function for row in (*BINARY.values(), *INPLACE.values())}
_SPELLED = (bool, int, str, type(None))
_STORES = (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
_REDUCTIONS = frozenset(
    "sum prod mean min max amin amax any all std var median ptp count_nonzero nansum nanprod"
    " nanmean nanmin nanmax nanstd nanvar nanmedian".split()
)
_MAKERS = (np.array, np.asarray)
_ELEMENTS = (Number, Boolean, Dated)


def resolution_of(function: Any, call: Call) -> Resolution | None:
    """The resolution of a call with sequences in the place of arrays, or None."""
    if function in _ITEMS:
        return _item_resolution(function, call)
    if type(function) is tuple and issubclass(function[0], Number | Boolean):
        return _method_of_number(function[1], call)
    if not _takes_arrays(function, call):
        return None
    for turned in (_as_array, _items_as_arrays):
        each = {k: turned(ty, f"a{k}") for k, ty in enumerate(call.arguments.types)}
        known = {k: found for k, found in each.items() if found is not None}
        choices = [known, *({k: one} for k, one in known.items() if 1 < len(known) <= _MOST)]
        for chosen in choices:
            if chosen and _fits(function, call, {k: ty for k, (ty, _) in chosen.items()}):
                return _made(function, call, {k: text for k, (_, text) in chosen.items()})
    return _number_resolution(function, call) or _resolution_of_no_axes(function, call)


def _resolution_of_no_axes(function: Any, call: Call) -> Resolution | None:
    """The resolution of a reduction along no axes, `axis=()`: along an added axis of length one."""
    name = function[1] if isinstance(function, tuple) else text_attribute(function, "__name__")
    given, first = call.arguments.types, call.positional
    named = {one: first + k for k, one in enumerate(call.keywords)}
    place = named.get("axis", 1 if first == 2 else None)
    if name not in _REDUCTIONS or first not in (1, 2) or "where" in named or place is None:
        return None
    whole, axis = given[0], given[place]
    if not isinstance(whole, Array) or not isinstance(axis, Tuple) or axis.items:
        return None
    constants: dict[int, object] = {place: -1}
    if "keepdims" in named:  # no axis is removed
        constants[named["keepdims"]] = False
    replaced = {k: types.boolean if v is False else types.int64 for k, v in constants.items()}
    if isinstance(axis, ListDisplay) or not _fits(
        function, call, {0: whole.viewed(whole.ndim + 1, "A"), **replaced}, constants
    ):
        return None
    texts = {k: repr(value) for k, value in constants.items()}
    if whole.layout == "F" and not named.keys() & {"out"}:  # the result has the layout of the array
        return _made(function, call, {0: "a0.T[..., None]", **texts}, ".T")
    return _made(function, call, {0: "a0[..., None]", **texts})


def _number_resolution(function: Any, call: Call) -> Resolution | None:
    """The resolution of an array function whose first argument is a number or time, or None."""
    first = call.arguments.types[0] if call.positional else None
    if not isinstance(first, _ELEMENTS) or isinstance(function, tuple):
        return None
    # With `keepdims=True` NumPy returns an array without axes, but for a number a number.
    if key_of(function) in _OPERATORS or "keepdims" in call.keywords:
        return None
    if not _fits(function, call, {0: Array(first, 0, "C")}):
        return None
    is_time = isinstance(first, Dated)
    return _made(function, call, {0: "full((), a0)" if is_time else "array(a0)"})


def _method_of_number(name: str, call: Call) -> Resolution | None:
    """The resolution of a NumPy scalar's method as that of an array without axes; a result without
    axes becomes a number by `[()]`."""
    number = call.arguments.types[0]
    if not isinstance(number, Number | Boolean) or "keepdims" in call.keywords:
        return None
    method = (Array, name)
    if not _fits(method, call, {0: Array(number, 0, "C")}):
        return None
    return _made(method, call, {0: "array(a0)"}, METHODS_OF_NUMPY[name])


Turned = tuple[Type, str]  # the type of a converted argument, and the text that converts it


def _as_array(ty: Type, text: str) -> Turned | None:
    array = array_type(ty)
    return None if array is None else (array, f"array({text})")


def _items_as_arrays(ty: Type, text: str) -> Turned | None:
    """Nested sequences as a sequence of arrays: `np.concatenate([a, [0.0]])`."""
    if not isinstance(ty, Tuple) or not any(isinstance(item, Tuple | List) for item in ty.items):
        return None
    items: list[Turned] = []
    for k, item in enumerate(ty.items):
        is_sequence = isinstance(item, Tuple | List)
        turned = _as_array(item, f"{text}[{k}]") if is_sequence else (item, f"{text}[{k}]")
        if turned is None:
            return None
        items.append(turned)
    types_of, texts = zip(*items, strict=True)
    return Tuple(types_of), f"({', '.join(texts)},)"


def _takes_arrays(function: Any, call: Call) -> bool:
    """True if NumPy converts the sequences among a function's arguments to arrays."""
    given = call.arguments.types
    if key_of(function) in _OPERATORS:
        return any(isinstance(ty, Array) for ty in given)
    if type(function) is tuple:  # a method
        return function[0] is Array and isinstance(given[0], Array)
    if is_a(function, type) or key_of(function) in (*_MAKERS, *_STORES):
        return False
    if is_a(attribute(function, "__self__", function), np.ufunc):
        return True
    return (text_attribute(function, "__module__") or "").partition(".")[0] == "numpy"


def _fits(
    function: Any, call: Call, replaced: dict[int, Type], values: dict[int, object] | None = None
) -> bool:
    """True if a call resolves with other types, or constants, at some positions."""
    given, constants = list(call.arguments.types), list(call.arguments.constants)
    for place, ty in replaced.items():
        given[place], constants[place] = ty, (values or {}).get(place, MISSING)
    arguments = Arguments(tuple(given), tuple(constants))
    literal = call.literal - set(replaced)
    try:
        resolution = CONTEXT.resolve(function, replace(call, arguments=arguments, literal=literal))
    except TypingError:
        return False
    return resolution is not None


def _item_resolution(function: Any, call: Call) -> Resolution | None:
    """The resolution of indexing with lists, or of assigning nested sequences."""
    owner, index, *value = call.arguments.types
    if not isinstance(owner, Array):
        return None
    arrays: dict[int, Type] = {}
    texts = {}
    selected, text = _as_index(index, "a1")
    if selected is None:
        return None
    if selected is not index:
        arrays[1], texts[1] = selected, text
    for ty in map(array_type, value):
        if ty is not None:
            arrays[2], texts[2] = ty, "array(a2)"
    return _made(function, call, texts) if arrays and _fits(function, call, arrays) else None


def _as_index(index: Type, text: str) -> tuple[Type | None, str]:
    """The type and the text of an index whose lists are made arrays."""
    if not isinstance(index, Tuple) or isinstance(index, ListDisplay):
        return _as_index_part(index, text)
    parts = [_as_index_part(item, f"{text}[{k}]") for k, item in enumerate(index.items)]
    kinds = [ty for ty, _ in parts if ty is not None]
    if len(kinds) < len(parts):
        return None, text
    if kinds == list(index.items):
        return index, text
    return Tuple(tuple(kinds)), f"({', '.join(part for _, part in parts)},)"


def _as_index_part(part: Type, text: str) -> tuple[Type | None, str]:
    if not isinstance(part, Tuple | List):
        return part, text
    is_empty = part.item is types.undefined if isinstance(part, List) else not part.items
    if is_empty:
        return Array(types.int64, 1, "C"), "empty(0, intp)"
    return array_type(part), f"array({text})"


_FUNCTIONS: dict[Any, FunctionType] = {}


def _made(function: Any, call: Call, texts: dict[int, str], ending: str = "") -> Resolution | None:
    """The resolution by a function that converts the arguments first; `ending` follows the call."""
    names = [f"a{k}" for k in range(call.positional)] + list(call.keywords)
    given = {f"a{k}": text for k, text in (_constants(call) | texts).items()}
    values = [given.get(f"a{k}", name) for k, name in enumerate(names)]
    values = [
        value.replace(f"a{k}", name) if k >= call.positional else value
        for k, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    statement = _statement(function, call, values) + ending
    source = f"def arranged({', '.join(names)}):\n    {statement}\n"
    key = (Identity(function), source)
    if key not in _FUNCTIONS:
        space = {"array": np.array, "empty": np.empty, "full": np.full, "intp": np.intp}
        space["function"] = function
        exec(source, space)  # noqa: S102
        _FUNCTIONS[key] = space["arranged"]
    made = _FUNCTIONS[key]
    return resolve([Overload(None, (), None, any_elements=True, template=lambda _: made)], call)


def _constants(call: Call) -> dict[int, str]:
    """The texts of constant arguments: some functions take only constants."""
    values = enumerate(call.arguments.constants)
    return {k: repr(value) for k, value in values if type(value) in _SPELLED}


def _statement(function: Any, call: Call, values: list[str]) -> str:
    if function is operator.getitem:
        return f"return {values[0]}[{values[1]}]"
    if function is operator.setitem:
        return f"{values[0]}[{values[1]}] = {values[2]}"
    plain, named = values[: call.positional], values[call.positional :]
    given = [*plain, *(f"{k}={v}" for k, v in zip(call.keywords, named, strict=True))]
    if isinstance(function, tuple):
        return f"return {given[0]}.{function[1]}({', '.join(given[1:])})"
    return f"return function({', '.join(given)})"
