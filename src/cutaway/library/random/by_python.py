"""Calls of NumPy itself, which draws from the same source into a given array.

They compute all but numbers of a single distribution: multivariate distributions, permutations of
each line, sampling without replacement, checks of probabilities. An array is lent to Python as a
tuple: its address, the letter of its dtype, its shape and its strides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from cutaway.extending.bodies import Takes, body
from cutaway.extending.registry import method, primitive
from cutaway.library.arrays.kit.dtypes import dtype_of
from cutaway.library.arrays.kit.takes import Integer, Lines, SizesOrNone, Target, Text
from cutaway.library.arrays.kit.typers import OPTIONS, dimensions, is_array, left_out, said
from cutaway.lowering.arrays.elements import load_element
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, make_tuple, tuple_items
from cutaway.lowering.random_streams import own_source, seed_own
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, GeneratorSource, RandomSource, StateSource, Tuple, Type

F = TypeVar("F", bound=Callable[..., Any])

BOTH = (GeneratorSource, StateSource)
GENERATOR = (GeneratorSource,)
STATE = (StateSource,)


def methods(owners: tuple[type[RandomSource], ...], name: str) -> Callable[[F], F]:
    """Register a body for a method of random number sources."""
    return body(*(method(owner, name) for owner in owners), **OPTIONS)


# --- arrays as Python sees them -----------------------------------------------------------------


def lent(build: FunctionBuilder, value: Value) -> Value:
    """An array as the tuple that Python borrows; the value of a default; other values unchanged."""
    if isinstance(value.ty, types.Omitted):
        default = value.ty.value
        if default is None:
            return Value(types.none, ())
        return build.constant(types.from_dtype(np.asarray(default).dtype), default)
    if not isinstance(value.ty, Array):
        return value
    parts = array_parts(value)
    letter = ord(types.to_dtype(value.ty.dtype).char)
    address = build.convert("ptrtoint", "ptr", parts.data, "i64")
    numbers = [Value(types.int64, (text,)) for text in (address, str(letter))]
    return make_tuple([*numbers, _sizes(parts.shape), _sizes(parts.strides)])


def _sizes(texts: tuple[str, ...]) -> Value:
    return Value(Tuple((types.int64,) * len(texts)), texts)


class _Memory:
    """Borrowed memory with NumPy's array interface."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


def borrowed(given: Any) -> Any:
    """An array over lent memory; other arguments unchanged."""
    if not isinstance(given, tuple) or len(given) != 4 or not isinstance(given[2], tuple):
        return given
    address, letter, shape, strides = given
    typestr = np.dtype(chr(letter)).str
    interface = {"data": (address, False), "shape": shape, "strides": strides, "typestr": typestr}
    return np.asarray(_Memory({**interface, "version": 3}))


# --- calls --------------------------------------------------------------------------------------


def do(rng, name, params):
    """Call a method. Its name is followed by the keywords of the last parameters, each after a
    dot."""
    if name == "seed" and rng is np.random.mtrand._rand:
        return np.random.seed(*params)  # seeds any kind of bit generator
    stem, *keywords = name.split(".")
    place = len(params) - len(keywords)
    named = dict(zip(keywords, params[place:], strict=True))
    return getattr(rng, stem)(*params[:place], **named)


def made(rng, name, params, size, each, dtype=None):
    """The result of a method: an array of a size, whose items are arrays of some sizes and a dtype,
    or numbers or rows of a population."""
    return do(rng, name, params)


def _call(name: str, rng: Any, params: Any, out: Any) -> None:
    given = tuple(map(borrowed, params))
    if name == "seed" and seed_own(rng, *given):
        return
    result = do(own_source(rng), name, given)
    if out is not None:
        borrowed(out)[...] = result


def _lower(build: FunctionBuilder, args: Sequence[Value], out: Value) -> None:
    source, name, params = args
    given = make_tuple([lent(build, one) for one in tuple_items(params)])
    called = partial(_call, str(said(name.ty)))
    build.call_python(called, [source, given, lent(build, out)])


@primitive(do, lambda arguments: Signature(types.none, arguments.types), any_elements=True)
def do_by_python(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a call of Python."""
    nothing = Value(types.none, ())
    _lower(build, args, nothing)
    return nothing


def _made_rule(arguments: Arguments) -> Signature | None:
    *_, size, each, dtype = arguments.types
    item = each.dtype if isinstance(each, Array) else dtype_of(dtype, types.int64)
    ndim = len(each.items) if isinstance(each, Tuple) else max(dimensions(each) - 1, 0)
    ahead = one_or_several(types.int64, size)
    if item is None or ahead is None:
        return None
    if ndim or not left_out(size):
        return Signature(Array(item, dimensions(ahead) + ndim, "C"), arguments.types)
    return Signature(item, arguments.types)


@primitive(
    *(made, _made_rule, ("rng", "name", "params", "size", "each", "dtype")),
    *((*[REQUIRED] * 5, None), True),
)
def make_by_python(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a call of Python that fills a new array."""
    *called, size, each, _ = args
    shape = asked_sizes(build, size)
    if isinstance(each.ty, Array):
        shape += array_parts(each).shape[1:]
    elif isinstance(each.ty, Tuple):
        shape += asked_sizes(build, each)
    ty = sig.returns if isinstance(sig.returns, Array) else Array(sig.returns, 0, "C")
    out = filled(build, ty, shape, lambda out: _lower(build, called, out))
    if ty is sig.returns:
        return out
    item = load_element(build, ty, array_parts(out).data)
    build.call("void", "cutaway_decref", [("ptr", array_parts(out).owner)])
    return item


# --- sizes ------------------------------------------------------------------------------------


def one_or_several(number: Type, size: Type, ndim: int = 0) -> Type | None:
    """The type of a number, or of an array of a size, by default of `ndim` axes; None for an
    invalid size."""
    if left_out(size):
        return Array(number, ndim, "C") if ndim else number
    items = size.items if isinstance(size, Tuple) else (size,)
    return Array(number, len(items), "C") if all(map(types.is_integral, items)) else None


def asked_sizes(build: FunctionBuilder, size: Value) -> list[str]:
    """The requested sizes of the axes."""
    if left_out(size.ty):
        return []
    items = tuple_items(size) if isinstance(size.ty, Tuple) else [size]
    return [build.cast(item, types.int64).parts[0] for item in items]


def filled(
    build: FunctionBuilder, ty: Array, shape: Sequence[str], fill: Callable[[Value], None]
) -> Value:
    """A new array, filled by `fill` and freed if that raises."""
    out = allocate(build, ty, tuple(shape), zeroed=False)
    slot = build.keep(array_parts(out).owner)
    fill(out)
    build.let_go(slot)
    return out


# --- multivariate distributions -----------------------------------------------------------------


def _is_line(ty: Any) -> bool:
    if isinstance(ty, Tuple):
        return all(isinstance(one, Type) and types.is_real(one) for one in ty.items)
    return is_array(ty) and ty.ndim == 1


Several = Takes("an array with one axis, or a tuple of numbers", _is_line)
Matrix = Takes("an array with two axes", lambda ty: is_array(ty) and ty.ndim == 2)


@methods(BOTH, "dirichlet")
def dirichlet(rng, alpha: Several, size: SizesOrNone = None):
    return made(rng, "dirichlet", (alpha, size), size, (len(alpha),), np.float64)


@methods(BOTH, "multinomial")
def multinomial(rng, n: Integer, pvals: Several, size: SizesOrNone = None):
    return made(rng, "multinomial", (n, pvals, size), size, (len(pvals),), np.int64)


@methods(GENERATOR, "multivariate_hypergeometric")
def multivariate_hypergeometric(
    rng, colors: Several, nsample: Integer, size: SizesOrNone = None, method: Text = "marginals"
):
    return made(
        rng,
        "multivariate_hypergeometric",
        (colors, nsample, size, method),
        size,
        (len(colors),),
        np.int64,
    )


@methods(STATE, "multivariate_normal")
def normal_of_state(
    rng, mean: Several, cov: Matrix, size: SizesOrNone = None, check_valid: Text = "warn", tol=1e-8
):
    return made(
        rng,
        "multivariate_normal",
        (mean, cov, size, check_valid, tol),
        size,
        (len(mean),),
        np.float64,
    )


@methods(GENERATOR, "multivariate_normal")
def multivariate_normal(
    rng,
    mean: Several,
    cov: Matrix,
    size: SizesOrNone = None,
    check_valid: Text = "warn",
    tol=1e-8,
    *,
    method: Text = "svd",
):
    params = (mean, cov, size, check_valid, tol, method)
    return made(rng, "multivariate_normal.method", params, size, (len(mean),), np.float64)


@methods(GENERATOR, "permuted")
def permuted(rng, x: Lines, *, axis=None, out: Target = None):
    if out is not None:
        do(rng, "permuted.axis.out", (x, axis, out))
        return out
    return made(rng, "permuted.axis", (x, axis), x.shape, (), x.dtype)


@methods(STATE, "seed")
def seed(rng, seed=None):
    do(rng, "seed", (seed,))
