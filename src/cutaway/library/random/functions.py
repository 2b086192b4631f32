"""Functions of `numpy.random` that are not methods: seeding, and new sources.

The others are methods of the global RandomState, and typed as such
(`typing/types/opaque.py`).
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.takes import SizesOrNone, numpy
from cutaway.library.arrays.kit.typers import element, is_integral, left_out, said
from cutaway.library.random.by_python import borrowed, do, lent
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import GeneratorSource, StateSource
from cutaway.typing.types.interning import Identity

STATE = StateSource(Identity(np.random.RandomState))
GENERATOR = GeneratorSource(Identity(np.random.Generator))


# The source that the functions of `numpy.random` draw from.
DRAWN_FROM = np.random.mtrand._rand


def _is_seed(seed: Any) -> bool:
    number = seed.inner if isinstance(seed, types.Optional) else element(seed)
    return left_out(seed) or is_integral(number)


Seed = Takes("an int, an array of ints, or None", _is_seed)
SeedOrGenerator = Takes(
    "an int, an array of ints, a Generator, or None",
    lambda seed: _is_seed(seed) or isinstance(seed, GeneratorSource),
)


@numpy(np.random.seed)
def seed(seed: Seed = None):
    do(DRAWN_FROM, "seed", (seed,))


@numpy(np.random.ranf, also=(np.random.sample,))
def sample(*args: SizesOrNone):
    if len(args) > 1:
        refuse("all sizes are one argument", "write a tuple")
    return DRAWN_FROM.random_sample(args[0] if len(args) > 0 else None)


# --- new sources --------------------------------------------------------------------------------


def made(name, seed):
    """A new source with a seed."""
    return getattr(np.random, name)(seed)


def _hand_over(make: Any, place: int, seed: Any) -> None:
    """Store a new object with a reference, as an owner in compiled code."""
    source = make(borrowed(seed))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(source))
    ctypes.c_int64.from_address(place).value = id(source) | 1


def _made_rule(arguments: Arguments) -> Signature | None:
    is_state = said(arguments.types[0]) == "RandomState"
    return Signature(STATE if is_state else GENERATOR, arguments.types)


@primitive(made, _made_rule)
def make_source(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a call of Python that creates the source."""
    make = getattr(np.random, str(said(args[0].ty)))
    place = build.alloca("i64")
    address = Value(types.int64, (build.convert("ptrtoint", "ptr", place, "i64"),))
    build.call_python(partial(_hand_over, make), [address, lent(build, args[1])])
    return Value(sig.returns, (build.load("ptr", place, 8),))


_is_generator = static(lambda seed: isinstance(seed, GeneratorSource))


@numpy(np.random.default_rng)
def default_rng(seed: SeedOrGenerator = None):
    return seed if _is_generator(seed) else made("default_rng", seed)


@numpy(np.random.RandomState)
def random_state(seed: Seed = None):
    return made("RandomState", seed)
