"""Reductions on a GPU: `cuda.reduce`, and the `reduce` method of `vectorize`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.exceptions import AxisError

from cutaway.cuda.driver.arrays import DeviceArray, device_array, to_device
from cutaway.cuda.kernels import Kernel, make_kernel
from cutaway.cuda.options import KernelOptions
from cutaway.cuda.ufuncs import trees
from cutaway.cuda.ufuncs.copies import copied, copy
from cutaway.cuda.ufuncs.generalized import Generalized
from cutaway.cuda.ufuncs.operands import Host, Operand, finish
from cutaway.foundation.options import Flags
from cutaway.ir.reductions import nothing_to_reduce
from cutaway.ufuncs.layout import parse_layout

if TYPE_CHECKING:
    from cutaway.cuda.ufuncs.vectorized import Vectorized


class Trees:
    """The kernels that combine elements by one function of two."""

    def __init__(self, combine: Any, name: str, flags: Flags, options: KernelOptions) -> None:
        self.combine, self.name, self.flags, self.options = combine, name, flags, options
        self.kernels: dict[tuple[np.dtype[Any], bool], Kernel] = {}

    def kernel(self, dtype: np.dtype[Any], has_initial: bool) -> Kernel:
        """Return the kernel for elements of a dtype, which may start with an initial number."""
        known = self.kernels.get((dtype, has_initial))
        if known is None:
            function = trees.tree_kernel(self.combine, self.name, dtype, has_initial)
            made = make_kernel(function, self.options, self.flags)
            known = self.kernels.setdefault((dtype, has_initial), made)
        return known

    def run(self, values: DeviceArray, result: DeviceArray, initial: Any, stream: Any) -> None:
        """Combine the elements of an array, at least one, into the first one of another."""
        blocks, threads = trees.blocks_for(values.size), trees.THREADS
        if blocks > 1:
            partial = device_array(blocks, values.dtype, stream=stream)
            self.kernel(values.dtype, False)[blocks, threads, stream](values, partial)
            values = partial
        rest = () if initial is None else (initial,)
        self.kernel(values.dtype, initial is not None)[1, threads, stream](values, result, *rest)


def reduce_all(found: Trees, values: DeviceArray, res: Any, initial: Any, stream: Any) -> Any:
    """Combine all elements of an array: to a number on the host, or None if the result goes into
    the first element of `res`."""
    target = None if res is None else Operand(res)
    if target is not None and isinstance(target.array, DeviceArray):
        first = target.array[:1]
        result = first if first.dtype == values.dtype else device_array(1, values.dtype)
        found.run(values, result, initial, stream)
        if result is not first:
            copy(result, first, stream)
        return None
    result = device_array(1, values.dtype, stream=stream)
    found.run(values, result, initial, stream)
    host = result.copy_to_host(stream=stream)
    finish(stream)
    if target is None:
        return host[0]
    target.array[:1] = host
    return None


# --- cuda.reduce ------------------------------------------------------------------------------


def call(found: Trees, arr: Any, size: Any, res: Any, init: Any, stream: Any) -> Any:
    """Run a reduction of `cuda.reduce`."""
    operand = Operand(arr)
    array = _checked(found.name, operand, size)
    dtype: np.dtype[Any] = array.dtype
    initial = None if init is None else dtype.type(init)
    _check_result(found.name, res)
    if not array.shape[0]:
        return _nothing(dtype.type(0) if initial is None else initial, res, stream)
    values = array if isinstance(array, DeviceArray) else to_device(_dense(array), stream)
    return reduce_all(found, values, res, initial, stream)


def _dense(array: Host) -> Host:
    native = array.dtype.newbyteorder("=")
    return np.ascontiguousarray(array, native)


def _checked(name: str, operand: Operand, size: Any) -> Any:
    """Return the elements to combine, on the host or on the GPU.

    Raises TypeError or ValueError unless they are numbers in one dimension.
    """
    array, dtype = operand.array, operand.array.dtype
    if array.ndim != 1:
        raise TypeError(
            f"the reduction {name} takes an array of 1 dimension, and this one has {array.ndim}:"
            " pass a.ravel(), which has all elements in one"
        )
    is_strange = operand.is_on_gpu and not dtype.isnative
    if dtype.kind not in "biufc" or dtype.itemsize > 16 or is_strange:
        raise TypeError(f"the reduction {name} cannot combine elements of {dtype}")
    if size is None:
        return array
    count = operator.index(size)
    if not 0 <= count <= array.shape[0]:
        raise ValueError(f"size {count} is not within the {array.shape[0]} elements of the array")
    return array[:count]


def _check_result(name: str, res: Any) -> None:
    if res is None:
        return
    target = Operand(res)
    if not (target.is_on_gpu or isinstance(res, np.ndarray)) or not target.shape:
        raise TypeError(f"the reduction {name}: res must be an array with an element at least")
    if target.is_readonly or len(target.shape) != 1 or not target.shape[0]:
        raise ValueError(f"the reduction {name} cannot write its result to res[0]")


def _nothing(value: Any, res: Any, stream: Any) -> Any:
    """Return the result for no elements."""
    if res is None:
        return value
    target = Operand(res)
    if isinstance(target.array, DeviceArray):
        dtype = target.array.dtype
        target.array[:1].copy_to_device(np.array([value]).astype(dtype), stream)
    else:
        target.array[:1] = value
    return None


# --- the method of functions of elements ------------------------------------------------------


def reduce(ufunc: Vectorized, array: Any, axis: Any, initial: Any, stream: Any) -> Any:
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("reduce only supported for binary functions")
    operand = Operand(array)
    ufunc.ensure([operand.wanted, operand.wanted])
    dtype = _accumulated(ufunc, operand)
    start = None if initial is None else dtype.type(initial)
    ndim = len(operand.shape)
    axes = tuple(range(ndim)) if axis is None else _axes(axis, ndim)
    if any(operand.shape[k] == 0 for k in axes) and start is None:
        start = _identity(ufunc, dtype)
    values = operand.array if operand.is_on_gpu else to_device(operand.staged(dtype), stream)
    if values.dtype != dtype:
        values = copied(values, dtype, stream)  # type: ignore[arg-type]
    return _along(ufunc, values, axes, start, stream, operand.is_on_gpu)  # type: ignore[arg-type]


def _accumulated(ufunc: Vectorized, operand: Operand) -> np.dtype[Any]:
    """Return the dtype of the accumulator."""
    dtype = operand.array.dtype
    left, right, result = ufunc.resolver.resolve_dtypes((dtype, dtype, None))
    if not left == right == result:
        raise TypeError(
            f"{ufunc.__name__} makes {result} of {left} and {right}, and a reduction needs a loop"
            " whose result it can go on with"
        )
    found: np.dtype[Any] = result
    return found


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    written = axis if isinstance(axis, tuple) else (axis,)
    found = []
    for one in map(operator.index, written):
        if not -ndim <= one < ndim:
            raise AxisError(one, ndim)
        found.append(one % ndim)
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return tuple(sorted(found))


def _identity(ufunc: Vectorized, dtype: np.dtype[Any]) -> Any:
    """Return the result of the reduction of no elements.

    Raises ValueError if there is none.
    """
    if ufunc.identity is None:
        raise ValueError(nothing_to_reduce(ufunc.__name__))
    return dtype.type(ufunc.identity)


def _along(
    ufunc: Vectorized,
    values: DeviceArray,
    axes: tuple[int, ...],
    start: Any,
    stream: Any,
    stays: bool,
) -> Any:
    """Combine along some axes: all of them by a tree, fewer by a thread for each result."""
    dtype = values.dtype
    if len(axes) == values.ndim:
        if 0 in values.shape:
            return start
        flat = values if values.ndim == 1 else _flat(values, stream)
        return reduce_all(trees_of(ufunc), flat, None, start, stream)
    kept = [k for k in range(values.ndim) if k not in axes]
    shape = tuple(values.shape[k] for k in kept)
    moved = values.transpose((*kept, *axes))
    if len(axes) != 1:
        moved = copied(moved, dtype, stream).reshape((*shape, -1))
    result = device_array(shape, dtype, stream=stream)
    if 0 not in shape:
        fold = fold_of(ufunc, dtype, start is not None)
        fold(*(() if start is None else (start,)), moved, result, stream=stream)
    if stays:
        return result
    host = result.copy_to_host(stream=stream)
    finish(stream)
    return host


def _flat(values: DeviceArray, stream: Any) -> DeviceArray:
    whole = values if values.is_c_contiguous() else copied(values, values.dtype, stream)
    return whole.reshape(-1)


def trees_of(ufunc: Vectorized) -> Trees:
    """Return the kernels that combine all elements by an elementwise function."""
    options = ufunc.options
    return ufunc.made_once(
        "trees", lambda: Trees(ufunc.kernel, ufunc.__name__, options.flags, options.kernel)
    )


def fold_of(ufunc: Vectorized, dtype: np.dtype[Any], has_initial: bool) -> Generalized:
    """Return the function that combines the elements of the last axis in sequence."""

    def make() -> Generalized:
        function = trees.fold(ufunc.kernel, ufunc.__name__, dtype, has_initial)
        layout = parse_layout("(),(n)->()" if has_initial else "(n)->()")
        made = Generalized(function, ufunc.options, layout)
        return made

    return ufunc.made_once(("fold", dtype, has_initial), make)
