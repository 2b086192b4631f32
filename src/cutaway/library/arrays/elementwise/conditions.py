"""Elements by conditions: `select piecewise`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import promoted
from cutaway.library.arrays.kit.shapes import (
    NO_COMMON_SHAPE,
    is_merged,
    joint_shape,
    merged,
    require,
    spread,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_elements,
    dimensions,
    element,
    is_array,
    is_number,
    numpy,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple, Type

# --- select -----------------------------------------------------------------------------------


@private
def _choose(out, cond, choice):
    """Put a choice in the places where a condition holds."""
    line, n = out.ravel(), 0
    for chosen, x in zip(spread(cond, out.shape).flat, spread(choice, out.shape).flat):  # noqa: B905
        if chosen:
            line[n] = x
        n += 1


@private
def _choose_number(out, cond, choice):
    line, n = out.ravel(), 0
    for chosen in spread(cond, out.shape).flat:
        if chosen:
            line[n] = choice
        n += 1


def choose(out, cond, choice):
    """Put a choice in the places where a condition holds."""
    np.copyto(out, choice, where=cond, casting="unsafe")


@overload(choose, jit_options=OPTIONS)
def _choose_typer(out, cond, choice):
    by_number = private(_choose_number if is_number(choice) else _choose)
    if isinstance(cond, Array):
        return lambda out, cond, choice: by_number(out, cond, choice)
    return lambda out, cond, choice: by_number(out, np.asarray(cond), choice)


def _misfit(error: type[Exception], message: str) -> Any:
    def misfit(condlist, choicelist, default=0):
        raise error(message)

    return misfit


@numpy(np.select)
def _select(condlist, choicelist, default=0):
    if not isinstance(condlist, Tuple) or not isinstance(choicelist, Tuple):
        return None
    if not are_elements(*condlist.items, *choicelist.items):
        return None
    if len(condlist.items) != len(choicelist.items):
        return _misfit(ValueError, "list of cases must be same length as list of conditions")
    if not condlist.items:
        return _misfit(ValueError, "select with an empty condition list is not possible")
    for k, one in enumerate(condlist.items):
        if element(one) is not types.boolean:
            return _misfit(TypeError, f"invalid entry {k} in condlist: should be boolean ndarray")
    rest = default if isinstance(default, Type) and are_elements(default) else types.int64
    kind = promoted(*choicelist.items, rest)

    def select(condlist, choicelist, default=0):
        conditions, choices = joint_shape(condlist), joint_shape((*choicelist, default))
        shape = merged(conditions, choices)
        require(is_merged(shape), NO_COMMON_SHAPE, (0, conditions, 1, choices), True)
        out = np.empty(shape, kind)
        out[...] = default
        choose_each(out, condlist, choicelist)
        return out

    return select


def choose_each(out, conditions, choices):
    """Make the last choice first, so that the first one stays."""
    for cond, choice in list(zip(conditions, choices, strict=True))[::-1]:
        choose(out, cond, choice)


@overload(choose_each, jit_options=OPTIONS)
def _choose_each(out, conditions, choices):
    def several(out, conditions, choices):
        choose_each(out, conditions[1:], choices[1:])
        choose(out, conditions[0], choices[0])

    def last(out, conditions, choices):
        choose(out, conditions[0], choices[0])

    return several if len(conditions.items) > 1 else last


# --- piecewise --------------------------------------------------------------------------------


def filled_where(out, x, cond, piece, more):
    """Give the places where a condition holds what a function makes of the elements there, or a
    number."""
    if callable(piece):
        if np.any(cond):
            out[cond] = piece(x[cond], *more)
    else:
        out[cond] = piece


@overload(filled_where, jit_options=OPTIONS)
def _filled_where(out, x, cond, piece, more):
    def of_function(out, x, cond, piece, more):
        values = np.extract(cond, x)
        if len(values):
            put_where(out, cond, piece(values, *more))

    if is_number(piece):
        return lambda out, x, cond, piece, more: choose(out, cond, piece)
    return of_function


def put_where(out, cond, values):
    """Put values in the places where a condition holds, one after the other."""
    out[cond] = values


@overload(put_where, jit_options=OPTIONS)
def _put_where(out, cond, values):
    def each(out, cond, values):
        count, k, n = np.count_nonzero(cond), 0, 0
        if len(values) != count and len(values) != 1:
            raise ValueError(
                f"NumPy boolean array indexing assignment cannot assign {len(values)} input values"
                f" to the {count} output values where the mask is true"
            )
        line, step = out.ravel(), int(len(values) > 1)
        for chosen in cond.flat:
            if chosen:
                line[n] = values[k]
                k += step
            n += 1

    if is_number(values):
        return lambda out, cond, values: choose(out, cond, values)
    return each if is_array(values) and values.ndim == 1 else None


@private
def _none_of(conditions, shape):
    """Where no condition holds."""
    out = np.ones(shape, np.bool_)
    for one in literal_unroll(conditions):
        out &= ~one
    return out


@private
def _require_place_for_each(sizes, given):
    """Raise IndexError where a condition has another shape than the array."""
    for k in range(len(given)):
        if sizes[k] != given[k]:
            raise IndexError(
                f"boolean index did not match indexed array along axis {k}; size of axis is"
                f" {sizes[k]} but size of corresponding boolean axis is {given[k]}"
            )


@private
def _as_conditions(x, conditions):
    """Conditions as arrays of truths."""
    out = ()
    for one in literal_unroll(conditions):
        cond = np.asarray(one).astype(np.bool_)
        _require_place_for_each(x.shape, cond.shape)
        out = out + (cond,)  # noqa: RUF005  a list cannot be typed
    return out


def _is_single(x: Array, condlist: Any) -> bool:
    """True if there is one condition, which is not in a tuple."""
    if isinstance(condlist, Tuple):
        return False
    return is_number(condlist) or (isinstance(condlist, Array) and condlist.ndim == 1 <= x.ndim)


@numpy(np.piecewise)
def _piecewise(x, condlist, funclist, *args):
    if not is_array(x) or not isinstance(funclist, Tuple):
        return None
    if _is_single(x, condlist):
        return lambda x, condlist, funclist, *args: np.piecewise(x, (condlist,), funclist, *args)
    if not isinstance(condlist, Tuple) or not are_elements(*condlist.items):
        if isinstance(condlist, Array):
            raise TypingError(
                "the number of conditions must be known when compiling", hint="write a tuple"
            )
        return None
    if any(dimensions(one) not in (0, x.ndim) for one in condlist.items):
        return None
    count, pieces = len(condlist.items), len(funclist.items)
    if pieces not in (count, count + 1):
        message = f"with {count} condition(s), either {count} or {count + 1} functions are expected"

        def misfit(x, condlist, funclist, *args):
            raise ValueError(message)

        return misfit

    def exact(x, condlist, funclist, *args):
        out = np.zeros(x.shape, x.dtype)
        piece_by_piece(out, x, _as_conditions(x, condlist), funclist, args)
        return out

    def with_rest(x, condlist, funclist, *args):
        out, conditions = np.zeros(x.shape, x.dtype), _as_conditions(x, condlist)
        rest = _none_of(conditions, x.shape)
        piece_by_piece(out, x, (*conditions, rest), funclist, args)
        return out

    return exact if pieces == count else with_rest


def piece_by_piece(out, x, conditions, pieces, more):
    """Fill the places of each condition."""
    for cond, piece in zip(conditions, pieces, strict=True):
        filled_where(out, x, cond, piece, more)


@overload(piece_by_piece, jit_options=OPTIONS)
def _piece_by_piece(out, x, conditions, pieces, more):
    def several(out, x, conditions, pieces, more):
        filled_where(out, x, conditions[0], pieces[0], more)
        piece_by_piece(out, x, conditions[1:], pieces[1:], more)

    def last(out, x, conditions, pieces, more):
        filled_where(out, x, conditions[0], pieces[0], more)

    return several if len(conditions.items) > 1 else last
