"""What a type checker refuses in a user's program: each line that ends in `# refused`."""

from __future__ import annotations

import numpy as np

import cutaway
from cutaway import njit, types
from cutaway.extending import register_jitable


@cutaway.jit
def halved(x: float) -> float:
    return x / 2


@njit(cache=True)
def counted(n: int) -> int:
    return n


@njit(fastmth=True)  # refused
def misspelled(n: int) -> int:
    return n


@njit(error_model="c")  # refused
def unknown_model(n: int) -> int:
    return n


@cutaway.vectorize(["float64(float64)"], identity="none")  # refused
def doubled(x: float) -> float:
    return x


@register_jitable(inlin="always")  # refused
def helper(n: int) -> int:
    return n


halved("text")  # refused
halved(1.0, 2.0)  # refused
counted()  # refused
counted(m=1)  # refused
text: str = halved(1.0)  # refused
number: int = halved.signatures  # refused
halved.tracee(1.0)  # refused
shown = halved.trace(1.0).at("ssa").txt  # refused
cutaway.jitt(counted)  # refused
total = "two" + cutaway.config.NUM_THREADS  # refused
cutaway.set_num_threads("two")  # refused
missing = types.int65  # refused
types.Array(types.int64)  # refused
wrong: np.ufunc = counted  # refused
