"""Elements by conditions: `select piecewise`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.dtypes import promoted
from cutaway.library.arrays.kit.places import require_mask
from cutaway.library.arrays.kit.shapes import (
    NO_COMMON_SHAPE,
    is_merged,
    joint_shape,
    merged,
    require,
    spread,
)
from cutaway.library.arrays.kit.takes import Lines, Numbers, Operands, numpy
from cutaway.library.arrays.kit.typers import (
    are_elements,
    dimensions,
    element,
    is_array,
    is_number,
    private,
)
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple


@private
def choose(out, cond, choice):
    """Store a choice wherever a condition holds."""
    given = cond if isinstance(cond, np.ndarray) else np.asarray(cond)
    line, conditions, n = out.ravel(), spread(given, out.shape), 0
    if isinstance(choice, np.ndarray):
        for chosen, x in zip(conditions.flat, spread(choice, out.shape).flat):  # noqa: B905
            if chosen:
                line[n] = x
            n += 1
    else:
        for chosen in conditions.flat:
            if chosen:
                line[n] = choice
            n += 1


# --- select -----------------------------------------------------------------------------------


@static
def _misfit(conditions: Tuple) -> int:
    """The position of the first condition that is not boolean; -1 if there is none."""
    kinds = [element(one) is types.boolean for one in conditions.items]
    return -1 if all(kinds) else kinds.index(False)


@static
def _joint_dtype(choices: Tuple, rest: Any) -> np.dtype[Any]:
    return promoted(*choices.items, types.int64 if isinstance(rest, types.Omitted) else rest)


@private
def _choose_each(out, conditions, choices):
    """Store the last choice first, so that earlier conditions win."""
    if len(conditions) > 1:
        _choose_each(out, conditions[1:], choices[1:])
    choose(out, conditions[0], choices[0])


def _are_operands(ty: Any) -> bool:
    return isinstance(ty, Tuple) and are_elements(*ty.items)


Several = Takes("arrays and numbers in a list", _are_operands)


@numpy(np.select)
def select(condlist: Several, choicelist: Several, default: Operands = 0):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    misfit = _misfit(condlist)
    if misfit >= 0:
        raise TypeError(f"invalid entry {misfit} in condlist: should be boolean ndarray")
    conditions, choices = joint_shape(condlist), joint_shape((*choicelist, default))
    shape = merged(conditions, choices)
    require(is_merged(shape), NO_COMMON_SHAPE, (0, conditions, 1, choices), True)
    out = np.empty(shape, _joint_dtype(choicelist, default))
    out[...] = default
    _choose_each(out, condlist, choicelist)
    return out


# --- piecewise --------------------------------------------------------------------------------

_is_number = static(is_number)


@private
def _fill_pieces(out, x, conditions, pieces, more):
    """Fill the elements of each condition with a number, or with the results of a function."""
    if _is_number(pieces[0]):
        choose(out, conditions[0], pieces[0])
    else:
        given = np.extract(conditions[0], x)
        if len(given):
            _put_where(out, conditions[0], pieces[0](given, *more))
    if len(pieces) > 1:
        _fill_pieces(out, x, conditions[1:], pieces[1:], more)


@private
def _put_where(out, cond, values):
    """Store a number, or consecutive values, wherever a condition holds."""
    if _is_number(values):
        choose(out, cond, values)
    else:
        if not _is_line(values):
            refuse("a function of np.piecewise gives a number, or an array of one axis")
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


@static
def _is_line(values: Any) -> bool:
    return is_array(values) and values.ndim == 1


@private
def _none_of(conditions, shape):
    """A mask of the elements for which no condition holds."""
    out = np.ones(shape, np.bool_)
    for one in literal_unroll(conditions):
        out &= ~one
    return out


@private
def _as_conditions(x, conditions):
    """The conditions as boolean arrays."""
    out = ()
    for one in literal_unroll(conditions):
        cond = np.asarray(one).astype(np.bool_)
        require_mask(x.shape, cond.shape)
        out = (*out, cond)
    return out


@static
def _have_places(x: Array, conditions: Tuple) -> bool:
    """True if each condition has as many axes as the array, or none."""
    return all(dimensions(one) in (0, x.ndim) for one in conditions.items)


Pieces = Takes("functions and numbers in a list", lambda pieces: isinstance(pieces, Tuple))


@numpy(np.piecewise)
def piecewise(x: Numbers, condlist: Several, funclist: Pieces, *args):
    if not _have_places(x, condlist):
        refuse("a condition has as many axes as the array, or none")
    has_rest = len(funclist) == len(condlist) + 1
    if not has_rest and len(funclist) != len(condlist):
        raise ValueError(
            f"with {len(condlist)} condition(s), either {len(condlist)} or {len(condlist) + 1}"
            " functions are expected"
        )
    out, conditions = np.zeros(x.shape, x.dtype), _as_conditions(x, condlist)
    if has_rest:
        _fill_pieces(out, x, (*conditions, _none_of(conditions, x.shape)), funclist, args)
    elif len(funclist) > 0:
        _fill_pieces(out, x, conditions, funclist, args)
    return out


@numpy(np.piecewise)
def piecewise_of_one(x: Lines, condlist: Operands, funclist: Pieces, *args):
    if dimensions(condlist) > 1:
        refuse("the number of conditions must be known when compiling", "write a tuple")
    return np.piecewise(x, (condlist,), funclist, *args)
