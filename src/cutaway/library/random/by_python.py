"""What NumPy itself is called for: it draws from the same source, into an array that is ready.

That is whatever needs more of NumPy than numbers of one distribution: linear algebra, sampling
without replacement, checks of probabilities.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.random.lending import borrowed, lent
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple, tuple_items
from cutaway.lowering.random_streams import own_source, seed_own
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, RandomSource, String, Tuple


def assign(rng, name, out, params):
    """Assign what a method gives to an array."""
    out[...] = do(rng, name, params)


def do(rng, name, params):
    """Call a method.  Behind its name stand the keywords by which the last ones are passed, each
    after a point."""
    if name == "seed" and rng is np.random.mtrand._rand:
        return np.random.seed(*params)  # which knows all bit generators
    stem, *keywords = name.split(".")
    place = len(params) - len(keywords)
    named = dict(zip(keywords, params[place:], strict=True))
    return getattr(rng, stem)(*params[:place], **named)


def _assign(name: str, rng: Any, out: Any, params: Any) -> None:
    assign(own_source(rng), name, borrowed(out), tuple(map(borrowed, params)))


def _do(name: str, rng: Any, params: Any) -> None:
    given = tuple(map(borrowed, params))
    if name != "seed" or not seed_own(rng, *given):
        do(own_source(rng), name, given)


def _assign_rule(arguments: Arguments) -> Signature | None:
    source, name, out, params = arguments.types
    if not isinstance(source, RandomSource) or not isinstance(name, String):
        return None
    fits = isinstance(out, Array) and isinstance(params, Tuple)
    return Signature(types.none, arguments.types) if fits else None


def _lent_all(build: FunctionBuilder, params: Value) -> Value:
    return make_tuple([lent(build, one) for one in tuple_items(params)])


@primitive(assign, _assign_rule, any_elements=True)
def assign_by_python(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of Python."""
    source, name, out, params = args
    assert isinstance(name.ty, String)
    called = partial(_assign, str(name.ty.value))
    build.call_python(called, [source, lent(build, out), _lent_all(build, params)])
    return Value(types.none, ())


def _do_rule(arguments: Arguments) -> Signature | None:
    source, name, params = arguments.types
    if not isinstance(source, RandomSource) or not isinstance(name, String):
        return None
    return Signature(types.none, arguments.types) if isinstance(params, Tuple) else None


@primitive(do, _do_rule, any_elements=True)
def do_by_python(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of Python."""
    source, name, params = args
    assert isinstance(name.ty, String)
    build.call_python(partial(_do, str(name.ty.value)), [source, _lent_all(build, params)])
    return Value(types.none, ())
