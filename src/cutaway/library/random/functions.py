"""Functions of `numpy.random` that are no methods: seeding, and new sources.

The other ones are methods of NumPy's own RandomState, and typed as such
(`typing/types/random_sources.py`).
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, refuse, static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.takes import numpy
from cutaway.library.arrays.kit.typers import is_array, is_integral, left_out
from cutaway.library.random.by_python import do
from cutaway.library.random.kit import drawn, is_size
from cutaway.library.random.lending import borrowed, lent
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Signature
from cutaway.typing.types import GeneratorSource, StateSource
from cutaway.typing.types.interning import Identity

STATE = StateSource(Identity(np.random.RandomState))
GENERATOR = GeneratorSource(Identity(np.random.Generator))


def global_state():
    """The RandomState that the functions of `numpy.random` draw from."""
    return np.random.mtrand._rand


@primitive(global_state, lambda arguments: None if arguments.types else Signature(STATE, ()))
def find_state(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """It is there for good."""
    state = build.constant(STATE, global_state())
    build.call("void", "cutaway_incref", [("ptr", state.parts[0])])
    return state


def _is_seed(seed: Any) -> bool:
    return left_out(seed) or is_integral(seed) or (is_array(seed) and types.is_integral(seed.dtype))


def _is_maybe_int(seed: Any) -> bool:
    return isinstance(seed, types.Optional) and is_integral(seed.inner)


Seed = Takes("an int, an array of ints, or None", _is_seed)
MaybeSeed = Takes(Seed.words, lambda seed: _is_seed(seed) or _is_maybe_int(seed))
SeedOrGenerator = Takes(
    "an int, an array of ints, a Generator, or None",
    lambda seed: _is_seed(seed) or isinstance(seed, GeneratorSource),
)
Size = Takes("an int, a tuple of ints, or None", is_size)


@numpy(np.random.seed)
def seed(seed: MaybeSeed = None):
    if seed is None:
        do(global_state(), "seed", (None,))
    elif isinstance(seed, np.ndarray):
        do(global_state(), "seed", (seed,))
    else:
        do(global_state(), "seed", (int(seed),))


@numpy(np.random.ranf, also=(np.random.sample,))
def sample(*args: Size):
    if len(args) > 1:
        refuse("all sizes are one argument", "write a tuple")
    return drawn(global_state(), "random", (), args[0] if len(args) > 0 else None)


# --- new sources --------------------------------------------------------------------------------


def made_generator(seed):
    """A Generator of its own, seeded."""
    return np.random.default_rng(seed)


def made_state(seed):
    """A RandomState of its own, seeded."""
    return np.random.RandomState(seed)


def _hand_over(make: Any, place: int, seed: Any) -> None:
    """Store a new object, with a reference to it, as the owner that it is for compiled code."""
    source = make(borrowed(seed))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(source))
    ctypes.c_int64.from_address(place).value = id(source) | 1


def _made(build: FunctionBuilder, make: Any, ty: types.Type, seed: Value) -> Value:
    """What a function gives for a seed."""
    place = build.alloca("i64")
    address = Value(types.int64, (build.convert("ptrtoint", "ptr", place, "i64"),))
    build.call_python(partial(_hand_over, make), [address, lent(build, seed)])
    return Value(ty, (build.load("ptr", place, 8),))


@primitive(made_generator, lambda arguments: Signature(GENERATOR, arguments.types))
def make_generator(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Python makes it."""
    return _made(build, made_generator, GENERATOR, args[0])


@primitive(made_state, lambda arguments: Signature(STATE, arguments.types))
def make_state(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Python makes it."""
    return _made(build, made_state, STATE, args[0])


_is_generator = static(lambda seed: isinstance(seed, GeneratorSource))


@numpy(np.random.default_rng)
def default_rng(seed: SeedOrGenerator = None):
    return seed if _is_generator(seed) else made_generator(seed)


@numpy(np.random.RandomState)
def random_state(seed: Seed = None):
    return made_state(seed)
