"""Helpers of the methods of generators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from cutaway.extending.overloads import overload, overload_method
from cutaway.library.arrays.kit.typers import OPTIONS, left_out
from cutaway.library.random.drawing import draw, fill, is_parameter, known, shape_for
from cutaway.typing import types
from cutaway.typing.types import Array, GeneratorSource, RandomSource, StateSource, Tuple, Type

T = TypeVar("T", bound=Callable[..., Any])

BOTH = (GeneratorSource, StateSource)
GENERATOR = (GeneratorSource,)
STATE = (StateSource,)


def methods(owners: tuple[type[RandomSource], ...], *names: str) -> Callable[[T], T]:
    """Register a typer for methods of sources of random numbers."""

    def register(typer: T) -> T:
        for owner in owners:
            for name in names:
                overload_method(owner, name, jit_options=OPTIONS)(typer)
        return typer

    return register


def drawn(rng, name, params, size):
    """A number of a distribution, or an array of `size`, or of what parameters are broadcast to."""
    shape = shape_for(rng, name, params, size)
    if size is None and not shape:
        return draw(rng, name, params)
    out = np.empty(shape, np.asarray(draw(rng, name, params)).dtype)
    fill(rng, name, out, params)
    return out


@overload(drawn, jit_options=OPTIONS)
def _drawn(rng, name, params, size):
    found = known(rng, name)
    if found is None or not fit(params, found.parameters) or not is_size(size):
        return None
    if left_out(size) and not any(isinstance(one, Array) and one.ndim for one in params.items):
        return lambda rng, name, params, size: draw(rng, name, params)
    dtype = np.dtype(np.float32 if found.single else np.float64 if found.result == "d" else "i8")

    def drawn(rng, name, params, size):
        out = np.empty(shape_for(rng, name, params, size), dtype)
        fill(rng, name, out, params)
        return out

    return drawn


def is_size(size: Any) -> bool:
    """True if an argument says a shape, or none."""
    if left_out(size):
        return True
    items = size.items if isinstance(size, Tuple) else (size,)
    return all(isinstance(one, Type) and types.is_integral(one) for one in items)


def are_given(params: tuple[Any, ...], size: Any) -> bool:
    """True if a method was given what can be parameters of a distribution, and a size."""
    return is_size(size) and all(isinstance(one, float) or is_parameter(one, "d") for one in params)


def fit(params: Any, kinds: str) -> bool:
    """True if a tuple has what can be parameters of these kinds."""
    if not isinstance(params, Tuple) or len(params.items) != len(kinds):
        return False
    return all(is_parameter(one, kind) for one, kind in zip(params.items, kinds, strict=True))


def counted(x):
    """A number, or the element of an array without dimensions, without what follows its point;
    other arrays as they are."""
    return int(x) if np.ndim(x) == 0 else x


@overload(counted, jit_options=OPTIONS)
def _counted(x):
    if isinstance(x, Array):
        return (lambda x: x) if x.ndim else (lambda x: int(x[()]))
    if isinstance(x, Type) and types.is_real(x) and not types.is_integral(x):
        return lambda x: int(x)
    return lambda x: x
