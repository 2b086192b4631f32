"""Made-up calls of functions of elements and of parts: arrays of all dtypes and strides, options,
and where arrays are.  The answer is that of the same function on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway import cuda, guvectorize, vectorize

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 >f8 >i2".split()
NUMBERS = [3, 2.5, True, 1 + 2j, np.float32(2), np.int8(3), np.float64(1.5)]


def mixed(a, b):
    return a * b + a


def doubled(a):
    return a + a


def both(a, b):
    return a + b, a * b


def dot(a, b, out):
    total = a[0] * 0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    out[0] = total


def product(a, b, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


FUNCTIONS: dict[Callable[..., Any], tuple[str, tuple[Any, ...]]] = {
    mixed: ("(),()->()", (["i2(i2,i2)", "i8(i8,i8)", "f4(f4,f4)", "f8(f8,f8)", "c16(c16,c16)"],)),
    doubled: ("()->()", (["i4(i4)", "f8(f8)", "c8(c8)"],)),
    both: ("(),()->(),()", (["Tuple((float64,float32))(float64,float64)"],)),
    dot: ("(n),(n)->()", (["(f8[:],f8[:],f8[:])", "(c16[:],c16[:],c16[:])"], "(n),(n)->()")),
    product: (
        "(m,k),(k,n)->(m,n)",
        (["(f4[:,:],f4[:,:],f4[:,:])", "(f8[:,:],f8[:,:],f8[:,:])"], "(m,k),(k,n)->(m,n)"),
    ),
}


def made(function: Callable[..., Any], target: str) -> Any:
    _, written = FUNCTIONS[function]
    decorate = guvectorize if len(written) == 2 else vectorize
    return decorate(*written, target=target)(function)


class Call:
    """A made-up call."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.function = list(FUNCTIONS)[self.rng.integers(len(FUNCTIONS))]
        layout, _ = FUNCTIONS[self.function]
        inputs, outputs = (self._cores(side) for side in layout.split("->"))
        sizes = dict(zip("mnk", map(int, self.rng.integers(1, 5, 3)), strict=True))
        loop = tuple(
            map(int, self.rng.integers(0 if self._often(0.1) else 1, 4, self.rng.integers(4)))
        )
        self.args = [self._input(loop, core, sizes) for core in inputs]
        self.options: dict[str, Any] = {}
        if self._often(0.3):
            self.options["casting"] = ["unsafe", "same_kind", "safe"][self.rng.integers(3)]
        if self._often(0.1):
            self.options["dtype"] = ["f8", "f4", "c16", "i8"][self.rng.integers(4)]
        self.outs = None
        if self._often(0.4):
            ends = [tuple(sizes[name] for name in core) for core in outputs]
            self.outs = [np.array(self._array(loop + end), order="K") for end in ends]
            if self._often(0.3) and not any(inputs):
                self.options["where"] = self._array(loop) != 0
        self.on_gpu = self.rng.random(len(self.args) + 1) < self.rng.random() ** 2

    def _often(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def _cores(self, side: str) -> list[str]:
        return [core.replace(",", "") for core in side.strip("()").split("),(")]

    def _input(self, loop: tuple[int, ...], core: str, sizes: dict[str, int]) -> Any:
        if not core and self._often(0.12):
            return NUMBERS[self.rng.integers(len(NUMBERS))]
        outer = loop[self.rng.integers(len(loop) + 1) :] if self._often(0.4) else loop
        outer = tuple(1 if self._often(0.2) else size for size in outer)
        return self._array(outer + tuple(sizes[name] + self._often(0.02) for name in core))

    def _array(self, shape: tuple[int, ...]) -> Any:
        dtype = np.dtype(DTYPES[self.rng.integers(len(DTYPES))])
        whole = self.rng.integers(0, 5, [2 * size + 1 for size in shape]).astype(dtype)
        steps = [self.rng.choice([1, 1, 2, -1]) for _ in shape]
        ends = zip(shape, steps, strict=True)
        cut = whole[tuple(slice(0, 2 * n, 2) if k == 2 else slice(None, n) for n, k in ends)]
        order = self.rng.permutation(len(shape))
        packed = np.ascontiguousarray(cut.transpose(order)).reshape([shape[k] for k in order])
        found = packed.transpose(np.argsort(order)) if self._often(0.3) else cut
        return found[tuple(slice(None, None, -1 if k == -1 else 1) for k in steps)]

    def __repr__(self) -> str:
        shown = [(np.shape(one), getattr(one, "dtype", one)) for one in self.args]
        return f"{self.function.__name__}{shown} {self.options} on the GPU: {self.on_gpu}"

    def run(self, function: Any, may_move: bool) -> list[Any]:
        """The results of a call, on the host."""
        moved = self.on_gpu if may_move else np.zeros_like(self.on_gpu)
        args = [self._placed(one, flag) for one, flag in zip(self.args, moved, strict=False)]
        options = dict(self.options)
        if self.outs is not None:
            copies = [self._placed(one.copy(order="K"), moved[-1]) for one in self.outs]
            options["out"] = tuple(copies)
        found = function(*args, **options)
        found = found if isinstance(found, tuple) else (found,)
        return [one.copy_to_host() if isinstance(one, cuda.DeviceArray) else one for one in found]

    def _placed(self, one: Any, on_gpu: Any) -> Any:
        if not on_gpu or not isinstance(one, np.ndarray):
            return one
        return cuda.to_device(one.astype(one.dtype.newbyteorder("="), copy=False))


def outcome(call: Call, function: Any, may_move: bool) -> Any:
    """The results of a call as they compare, or the class of what it raises."""
    try:
        found = call.run(function, may_move)
    except (TypeError, ValueError) as error:
        return type(error)
    return [(np.shape(one), np.asarray(one).dtype.newbyteorder("=").str, np.asarray(one).tolist())
            for one in found]  # fmt: skip
