"""Arguments of library calls: kinds of them, a type of each kind, and values of a type.

A kind is a letter in a template.  For each of its arguments a call is compiled for one `Form`
(a dtype with dimensions and a layout, or a class), and run with many values of that form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Random = np.random.Generator
REAL = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
DTYPES = (*REAL, "f8", "i8", "u1", "c8", "c16")
TIMES = ("M8[s]", "m8[s]")
LAYOUTS = ("C", "C", "F", "strided", "reversed", "read-only")
EXTREMES = (2**63 - 1, -(2**63), 2**63 - 2, -(2**63) + 1, 2**62, -(2**62), 2**40, 2**31, -(2**31))
NEAR = (-4, -3, -2, -1, 0, 0, 1, 1, 2, 2, 3, 4, 5, 9)
AWKWARD = (127, 128, 255, 256, 300, -128, -129, 65535, 65536, 2**31 - 1, 2**32, *EXTREMES)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.0, 1.5, 2.0, 2.5, -3.25, 7.0, 100.0)
ODD_FLOATS = (np.nan, np.inf, -np.inf, 5e-324, -1e-310, 1e300, -1e300, 1e19, 2.0**63, 0.1, 300.5)


@dataclass(frozen=True)
class Form:
    """What the values of an argument have in common, which is what a call is compiled for.

    `what` is "array" or a kind of number; `odd` whether values are drawn from the odd ones too.
    """

    what: str
    dtype: str = ""
    ndim: int = 0
    layout: str = "C"
    odd: bool = False
    sorted: bool = False


def pick(random: Random, choices: Any) -> Any:
    """One of several, as it is."""
    return choices[int(random.integers(len(choices)))]


# --- forms ------------------------------------------------------------------------------------


def _array(dtypes: tuple[str, ...], dims: tuple[int, ...], in_order: bool = False) -> Any:
    def form(random: Random) -> Form:
        layout, odd = pick(random, LAYOUTS), bool(random.random() < 0.4)
        return Form("array", pick(random, dtypes), pick(random, dims), layout, odd, in_order)

    return form


def _number(*what: str) -> Callable[[Random], Form]:
    return lambda random: Form(pick(random, what), odd=bool(random.random() < 0.4))


def _scalar(random: Random) -> Form:
    if random.random() < 0.25:
        return Form("element", pick(random, DTYPES), odd=bool(random.random() < 0.4))
    return _number("int", "int", "float", "float", "bool", "complex")(random)


_ANY_DIMS = (0, 1, 1, 1, 2, 2, 3)
KINDS: dict[str, Callable[[Random], Form]] = {
    "A": _array((*DTYPES * 3, *TIMES), _ANY_DIMS),
    "B": _array(DTYPES, _ANY_DIMS),
    "C": _array(("?", "?", "i8", "f8"), _ANY_DIMS),
    "G": _array(DTYPES, (1, 1, 2, 3)),
    "L": _array(DTYPES, (1,)),
    "M": _array(DTYPES, (1,)),
    "T": _array(DTYPES, (2,)),
    "S": _array(REAL, (1,), in_order=True),
    "V": _array(("f8", "f4", "i4"), (1,), in_order=True),
    "I": _array(("i8", "i8", "i4", "u1", "i1", "?"), (1, 1, 1, 2)),
    "J": _array(("i8", "u1", "i2", "?"), (1,)),
    "X": _scalar,
    "Y": _scalar,
    "R": _number("int", "float", "float", "bool"),
    "F": _number("float"),
    "E": _number("complex", "float"),
    "Z": _number("int"),
    "Q": _number("share"),
    "K": _number("axis"),
    "O": _number("offset"),
    "N": _number("size"),
    "H": lambda random: Form("shape", ndim=pick(random, (1, 2, 2, 3)), odd=random.random() < 0.2),
    "P": lambda random: Form("axes", ndim=pick(random, (1, 2, 2)), odd=random.random() < 0.2),
    "D": lambda random: Form("dtype", pick(random, DTYPES)),
    "W": lambda random: Form(
        "square", pick(random, ("f8", "f8", "f4", "c16", "c8", "i8")), pick(random, (2, 2, 3))
    ),
    "U": lambda random: Form("generator", pick(random, ("PCG64", "MT19937", "Philox", "SFC64"))),
}


# --- values -----------------------------------------------------------------------------------


def value(random: Random, form: Form, shape: tuple[int, ...] | None = None) -> Any:
    """A value of a form; an array has the given shape if that has as many dimensions."""
    if form.what == "square":
        return _square(random, form, shape[-1] if shape else int(random.integers(1, 5)))
    if form.what != "array":
        return _NUMBERS[form.what](random, form)
    if shape is None or len(shape) != form.ndim:
        shape = tuple(int(pick(random, (0, 1, 1, 2, 2, 3, 3, 4, 5))) for _ in range(form.ndim))
    count = int(np.prod(shape, dtype=int))
    items = [_element(random, np.dtype(form.dtype), form.odd) for _ in range(count)]
    array = np.array(items, form.dtype).reshape(shape)
    return laid_out(np.sort(array) if form.sorted else array, form.layout)


def _square(random: Random, form: Form, size: int) -> np.ndarray[Any, Any]:
    """A square matrix, or a stack of them, that is mostly far from singular."""
    shape = (*(2,) * (form.ndim - 2), size, size)
    items = random.integers(-4, 5, shape) + 0.5 * random.random(shape)
    if form.dtype[0] == "c":
        items = items + 1j * random.integers(-4, 5, shape)
    diagonal = 9 * np.eye(size) * (random.random() < 0.8)
    return (items + diagonal).astype(form.dtype)


def laid_out(a: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """The array in a layout."""
    if layout == "read-only":
        a = a.copy()
        a.flags.writeable = False
    if layout in ("C", "read-only") or a.ndim == 0:
        return a
    if layout == "F":
        return np.asfortranarray(a)
    if layout == "strided":
        wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
        wide[..., ::2] = a
        return wide[..., ::2]
    every = (slice(None, None, -1),) * a.ndim
    return np.ascontiguousarray(a[every])[every]


def _element(random: Random, dtype: np.dtype[Any], odd: bool) -> Any:
    match dtype.kind:
        case "b":
            return bool(random.integers(2))
        case "i" | "u":
            info, number = np.iinfo(dtype), int(pick(random, NEAR))
            if odd and random.random() < 0.4:
                number = int(pick(random, (*AWKWARD, int(info.max), int(info.min))))
            return min(max(number, int(info.min)), int(info.max))
        case "f":
            return _float(random, odd)
        case "c":
            return complex(_float(random, odd), _float(random, odd))
        case _:
            if odd and random.random() < 0.2:
                return np.array("NaT", dtype)[()]
            return np.array(int(random.integers(-5, 9)), "i8").astype(dtype)[()]


def _float(random: Random, odd: bool) -> float:
    if odd and random.random() < 0.5:
        return float(pick(random, ODD_FLOATS))
    if random.random() < 0.3:
        return float(random.normal())
    return float(pick(random, FLOATS))


def _int(random: Random, form: Form) -> int:
    awkward = form.odd and random.random() < 0.6
    return int(pick(random, AWKWARD if awkward else NEAR))


def _small(random: Random, form: Form) -> int:
    far = form.odd and random.random() < 0.3
    return int(pick(random, EXTREMES if far else NEAR))


def _size(random: Random, form: Form) -> int:
    far = form.odd and random.random() < 0.2
    return int(pick(random, EXTREMES if far else (0, 1, 2, 3, 4, 5, 6, 8, -1)))


_NUMBERS: dict[str, Callable[[Random, Form], Any]] = {
    "int": _int,
    "float": lambda random, form: _float(random, form.odd),
    "bool": lambda random, form: bool(random.integers(2)),
    "complex": lambda random, form: complex(_float(random, form.odd), _float(random, form.odd)),
    "element": lambda random, form: np.array(
        _element(random, np.dtype(form.dtype), form.odd), form.dtype
    )[()],
    "share": lambda random, form: float(pick(random, (0, 0.25, 0.5, 0.3, 1, 1, 99.5, -0.1))),
    "axis": lambda random, form: _small(random, form) if form.odd else int(random.integers(-2, 2)),
    "offset": _small,
    "size": _size,
    "shape": lambda random, form: tuple(_size(random, form) for _ in range(form.ndim)),
    "axes": lambda random, form: tuple(int(random.integers(-2, 3)) for _ in range(form.ndim)),
    "dtype": lambda random, form: np.dtype(form.dtype),
    "generator": lambda random, form: np.random.Generator(
        getattr(np.random, form.dtype)(int(random.integers(1 << 30)))
    ),
}
