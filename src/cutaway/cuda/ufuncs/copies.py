"""Copies between arrays on a GPU, made there."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.cuda.driver.arrays import DeviceArray, device_array
from cutaway.cuda.ufuncs.options import read_options
from cutaway.cuda.ufuncs.vectorized import Vectorized


def _copy(x):
    return x


_COPY = Vectorized(_copy, read_options("vectorize", {}))  # type: ignore[arg-type]


def copy(source: DeviceArray, target: DeviceArray, stream: Any) -> None:
    """Copy elements into an array of the same shape, converted to its dtype."""
    _COPY(source, target, casting="unsafe", stream=stream)


def copied(array: DeviceArray, dtype: np.dtype[Any], stream: Any) -> DeviceArray:
    """Copy the elements into a new contiguous array of another dtype."""
    target = device_array(array.shape, dtype, stream=stream)
    copy(array, target, stream)
    return target
