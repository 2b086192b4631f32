"""Functions of `numpy.random` that are no methods: seeding, and new sources.

The other ones are methods of NumPy's own RandomState, and typed as such
(`typing/types/random_sources.py`).
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.typers import is_array, is_integral, left_out, numpy
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


@numpy(np.random.seed)
def _seed(seed=None):
    if isinstance(seed, types.Optional) and is_integral(seed.inner):

        def known_later(seed=None):
            if seed is None:
                do(global_state(), "seed", (None,))
            else:
                do(global_state(), "seed", (int(seed),))

        return known_later
    return (lambda seed=None: do(global_state(), "seed", (seed,))) if _is_seed(seed) else None


@numpy(np.random.ranf)
def _ranf(*args):
    return _sample_of(args)


@numpy(np.random.sample)
def _sample(*args):
    return _sample_of(args)


def _sample_of(sizes: tuple[Any, ...]) -> Any:
    if not sizes:
        return lambda *args: drawn(global_state(), "random", (), None)
    if len(sizes) > 1 or not is_size(sizes[0]):
        return None
    return lambda *args: drawn(global_state(), "random", (), args[0])


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


@numpy(np.random.default_rng)
def _default_rng(seed=None):
    if isinstance(seed, GeneratorSource):
        return lambda seed=None: seed
    return (lambda seed=None: made_generator(seed)) if _is_seed(seed) else None


@numpy(np.random.RandomState)
def _random_state(seed=None):
    return (lambda seed=None: made_state(seed)) if _is_seed(seed) else None
