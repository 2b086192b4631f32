"""A call of an elementwise function: a thread for each element of the loop.

    add(a, b)      a: (3, 1), b: (4,)        loop (3, 4), strides of a (8, 0), of b (0, 8)

Elements of other types than the loop's are converted by the thread that reads or writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.cuda.driver.arrays import DeviceArray
from cutaway.cuda.kernels import Kernel
from cutaway.cuda.ufuncs import axes, texts
from cutaway.cuda.ufuncs.axes import Lane, Numbers
from cutaway.cuda.ufuncs.calls import UfuncCall
from cutaway.cuda.ufuncs.operands import Host, Operand, order_of, view

if TYPE_CHECKING:
    from cutaway.cuda.ufuncs.vectorized import Vectorized

Staged = Host | DeviceArray | np.generic

_TRUTH = np.dtype(bool)


class ElementCall(UfuncCall):
    """One call of an elementwise function."""

    ufunc: Vectorized

    def __init__(self, ufunc: Vectorized, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        super().__init__(ufunc, args, options)
        where = self.options.where
        self.mask = None if where is True else Operand(where)
        if self.mask is not None and self.mask.array.dtype != _TRUTH:
            raise TypeError(f"{self.name}: where must be an array of bool")
        self.shape = self._loop_shape()
        self.order = order_of(self.inputs, len(self.shape), self.options.order)

    def _gain_loop(self, outputs: tuple[Any, ...]) -> None:
        self.ufunc.ensure([one.wanted for one in self.inputs])

    def _loop_shape(self) -> Numbers:
        known = [one for one in (*self.inputs, self.mask, *self.outputs) if one is not None]
        shape = axes.broadcast(self.name, [one.shape for one in known])
        for one in self.outputs:
            if one is not None and one.shape != shape:
                raise ValueError(
                    f"non-broadcastable output operand with shape {one.shape} doesn't match the"
                    f" broadcast shape {shape}"
                )
        return shape

    # --- the kernel's arguments
    # ---------------------------------------------------------------------

    def _staged(self, operand: Operand, wanted: np.dtype[Any]) -> Staged:
        """Return an input as it goes to the GPU: elements of fewer bytes are converted there."""
        if isinstance(operand.array, DeviceArray):
            return operand.array
        if operand.array.size == 1:
            return operand.number(wanted)
        given = operand.array.dtype
        narrow = given.isnative and given.kind in "biufc" and given.itemsize <= wanted.itemsize
        return operand.staged(given if narrow else wanted)

    def _staged_inputs(self) -> list[Staged]:
        pairs = zip(self.inputs, self.dtypes, strict=False)
        found = [self._staged(operand, wanted) for operand, wanted in pairs]
        if self.mask is not None:
            found.append(self._staged(self.mask, _TRUTH))
        return found

    def _output_lane(self, place: int) -> tuple[np.dtype[Any], Numbers]:
        """Return the dtype and the strides of an output on the GPU."""
        output, dtype = self.outputs[place], self.dtypes[self.ufunc.nin + place]
        if output is not None and isinstance(output.array, DeviceArray):
            return output.array.dtype, output.array.strides
        return dtype, axes.contiguous(self.shape, dtype.itemsize, self.order)

    def _plan(self, staged: list[Staged]) -> tuple[Kernel, list[Lane]]:
        """Return the kernel and its arguments."""
        arrays = tuple(
            None if isinstance(one, np.generic) else (one.dtype, one.shape, one.strides)
            for one in staged
        )
        outputs = tuple(self._output_lane(k) for k in range(self.ufunc.nout))
        key = self.dtypes, self.shape, self.mask is None, arrays, outputs

        def make() -> tuple[Kernel, list[Lane]]:
            lanes = self._lanes(arrays, outputs)
            return self._kernel(lanes), lanes

        planned: tuple[Kernel, list[Lane]] = self.ufunc.plan(key, make)
        return planned

    def _lanes(
        self,
        arrays: Sequence[tuple[np.dtype[Any], Numbers, Numbers] | None],
        outputs: Sequence[tuple[np.dtype[Any], Numbers]],
    ) -> list[Lane]:
        """Return all operands along the axes of the loop, with as few axes as possible."""
        strided = [
            (dtype, axes.strides_in(self.shape, shape, strides))
            for dtype, shape, strides in filter(None, arrays)
        ]
        strided += outputs
        sizes, steps = axes.merged(self.shape, [strides for _, strides in strided])
        made = iter(
            Lane(dtype, sizes, strides) for (dtype, _), strides in zip(strided, steps, strict=True)
        )
        wanted = (*self.dtypes[: self.ufunc.nin], _TRUTH)
        lanes = [
            Lane(dtype) if one is None else next(made)
            for one, dtype in zip(arrays, wanted, strict=False)
        ]
        return [*lanes, *made]

    def _kernel(self, lanes: list[Lane]) -> Kernel:
        nin, nout = self.ufunc.nin, self.ufunc.nout
        given, wanted = lanes[:nin] + lanes[-nout:], self.dtypes
        operands = [
            texts.Operand(lane.dtype, dtype, lane.shape is None)
            for lane, dtype in zip(given, wanted, strict=True)
        ]
        where = ""
        if self.mask is not None:
            where = "number" if lanes[nin].shape is None else "array"
        ndim = len(lanes[-1].shape or ())
        loop = texts.Loop(ndim, tuple(operands[:nin]), tuple(operands[nin:]), where)
        code = self.ufunc.py_func.__code__
        names = code.co_varnames[: code.co_argcount]
        return self.ufunc.made_kernel(
            loop, lambda: texts.element_kernel(self.ufunc.kernel, names, loop)
        )

    def prepared(self) -> tuple[Kernel, list[Lane]]:
        """Return the kernel of the call and its arguments."""
        return self._plan(self._staged_inputs())

    # --- running --------------------------------------------------------------------------------

    def run(self) -> Any:
        """Compute all elements."""
        made = [self._made_output(k) for k in range(self.ufunc.nout)]
        staged = [
            self.apart(one, made) if isinstance(one, DeviceArray) else one
            for one in self._staged_inputs()
        ]
        if 0 not in self.shape:
            self._launch(staged, made)
        return self.given_back(made, self._host_mask())

    def _launch(self, staged: list[Staged], made: list[DeviceArray]) -> None:
        kernel, lanes = self._plan(staged)
        operands: list[Any] = []
        for one, lane in zip([*staged, *made], lanes, strict=True):
            if isinstance(one, np.generic):
                operands.append(one)
            else:
                operands.append(view(self.on_gpu(one), lane.shape or (), lane.strides))
        self.ufunc.launch(kernel, prod(self.shape), self.options.stream, operands)

    def _made_output(self, place: int) -> DeviceArray:
        output = self.outputs[place]
        if output is not None and isinstance(output.array, DeviceArray):
            return output.array
        return self.new_output(self.shape, self.dtypes[self.ufunc.nin + place], self.order)

    def _host_mask(self) -> Host | None:
        """Return the mask, if results are copied into host arrays."""
        into_host = any(one is not None and not one.is_on_gpu for one in self.outputs)
        if self.mask is None or not into_host:
            return None
        array = self.mask.array
        return array if isinstance(array, np.ndarray) else array.copy_to_host()
