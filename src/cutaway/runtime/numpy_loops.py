"""NumPy's inner loops and the functions of its dtypes, by the symbols of compiled code.

    numpy.exp.d.d             the first loop of a ufunc with these types: inputs, outputs
    numpy.linalg.inv.d.d      of a module of NumPy
    numpy.dtype.sort.d        a function of a dtype
    numpy.number.exp.d.d      a scalar function that computes the same as a loop
    numpy.numbers8.exp.d.d    and one of vectors of eight

Machine code refers to a symbol, and gets an address when it is loaded: the code is the same in
every process, and for every NumPy.  The address is that of a `cutaway_loop`, which lasts, or of a
scalar function.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutaway import config
from cutaway.foundation.loading import load
from cutaway.foundation.patterns import Pattern
from cutaway.runtime import _numpy_loops, numpy_random  # type: ignore[attr-defined]

# The modules of the ufuncs; each is internal to NumPy, so that users do not replace it by accident.
_PLACES = {
    "": "numpy._core.umath",
    "linalg": "numpy.linalg._umath_linalg",
    "fft": "numpy.fft._pocketfft_umath",
}


def address(name: str) -> int | None:
    """Return the address of a symbol; None if it does not exist.

    If NumPy's structs are not the known ones, the runtime's own loops replace those of the float
    functions that the C library has.
    """
    return _address(name, is_trusted())


def is_trusted() -> bool:
    """True if NumPy's structs are those of its headers, and its loops may be called."""
    return (
        config.value("NUMPY_LOOPS")
        and np.__version__.partition(".")[0] == "2"
        and np.ufunc.__basicsize__ >= _numpy_loops.UFUNC_BYTES
    )


@cache
def _address(name: str, trusted: bool) -> int | None:
    if match := _OF_NUMBERS.fullmatch(name):
        way, lanes, function = match.groups()
        return _number_function(function, int(lanes or 1), way == "masked", trusted)
    found = _of_numpy(name) if trusted else None
    return found or _numpy_loops.own_loop(name)


# A scalar function; of vectors, there is also one with a mask as its last argument.
_OF_NUMBERS = Pattern(r"numpy\.(number|numbers|masked)(\d*)\.(.+)")


def _number_function(function: str, lanes: int, masked: bool, trusted: bool) -> int | None:
    """Return the address of a function of `lanes` numbers at once."""
    loop = _address(f"numpy.{function}", trusted)
    if loop is None or not trusted and lanes > 1:
        return None
    return _numpy_loops.number_function(function, loop, lanes, masked)


def _of_numpy(name: str) -> int | None:
    match name.split("."):
        case ["numpy", "random", place, *words]:
            address: int | None = numpy_random.address(place, ".".join(words))
            return address
        case ["numpy", "dtype", function, kind]:
            return _array_function(function, kind)
        case ["numpy", ufunc, inputs, outputs]:
            return _ufunc_loop("", ufunc, inputs, outputs)
        case ["numpy", place, ufunc, inputs, outputs] if place in _PLACES:
            return _ufunc_loop(place, ufunc, inputs, outputs)
    return None


def _array_function(function: str, kind: str) -> int | None:
    try:
        one = np.zeros(1, kind)
    except TypeError:
        return None
    # A dtype can be written in many ways, but a symbol only in one.
    return _numpy_loops.array_function(function, one) if one.dtype.char == kind else None


def ufunc_of(name: str) -> Any:
    """NumPy's ufunc whose loop has a name; None where there is none."""
    *place, ufunc, _, _ = name.split(".")[1:]
    return _ufunc("".join(place), ufunc)


def _ufunc(place: str, name: str) -> Any:
    try:
        return getattr(load(_PLACES[place]), name, None)
    except ImportError:
        return None


def _ufunc_loop(place: str, name: str, inputs: str, outputs: str) -> int | None:
    ufunc = _ufunc(place, name)
    types = f"{inputs}->{outputs}"
    # Loops over objects run Python, and need the GIL.
    if not isinstance(ufunc, np.ufunc) or types not in ufunc.types or "O" in types:
        return None
    # Of several rows with the same types NumPy uses the first, which has its SIMD loop.
    row = ufunc.types.index(types)
    return _numpy_loops.ufunc_loop(ufunc, row, ufunc.nin, ufunc.nout, ufunc.ntypes)
