"""A call of a function of parts of arrays: a thread for each part.

    dot(a, b), layout (n),(n)->()    a: (5, 3), b: (3,)    5 threads: dot(a[i], b[i], result[i])

The function takes arrays of the loop's types, so others are converted before.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.cuda.driver.arrays import DeviceArray
from cutaway.cuda.kernels import Kernel
from cutaway.cuda.ufuncs import axes, texts
from cutaway.cuda.ufuncs.axes import Lane, Numbers
from cutaway.cuda.ufuncs.calls import UfuncCall
from cutaway.cuda.ufuncs.copies import copied, copy
from cutaway.cuda.ufuncs.operands import Host, Operand, finish, overlap, view

if TYPE_CHECKING:
    from cutaway.cuda.ufuncs.generalized import Generalized
    from cutaway.cuda.ufuncs.loops import Row

Staged = Host | DeviceArray | np.generic


class PartCall(UfuncCall):
    """One call of a function of parts of arrays."""

    ufunc: Generalized

    def __init__(self, ufunc: Generalized, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        super().__init__(ufunc, args, options)
        if self.options.where is not True:
            raise TypeError(f"{self.name}() got an unexpected keyword argument 'where'")
        self.row: Row = ufunc.row_with(self.dtypes)
        self.sizes: dict[str, int] = {}
        self.loop = self._loop_shape()

    def _gain_loop(self, outputs: tuple[Any, ...]) -> None:
        ufunc = self.ufunc
        inputs = [one.wanted for one in self.inputs]
        given = self.options.outputs(self.name, outputs[: ufunc.nout], ufunc.nout)
        if ufunc.frozen or ufunc.takes(inputs):
            return
        if any(one is None for one in given):
            raise TypeError(
                f"{self.name}() has no loop for these inputs, and the types of the outputs are not"
                " known: pass arrays for them, as further arguments or as out=, or give"
                " guvectorize a signature"
            )
        ufunc.ensure([*inputs, *(Operand(one).wanted for one in given)])

    # --- shapes -------------------------------------------------------------------------------

    def _loop_shape(self) -> Numbers:
        """Return the shape of the loop; sets `sizes` to those of the core dimensions.

        Raises ValueError if the operands do not fit together.
        """
        outer: dict[int, Numbers] = {}
        cores = self.ufunc.layout.operands
        for place, (operand, core) in enumerate(zip(self._all(), cores, strict=True)):
            if operand is None:
                continue
            count = len(operand.shape) - len(core)
            if count < 0:
                raise ValueError(
                    f"{self.name}: {self._operand(place)} does not have enough dimensions (has"
                    f" {len(operand.shape)}, gufunc core with signature {self.ufunc.layout}"
                    f" requires {len(core)})"
                )
            self._note_sizes(place, core, operand.shape[count:])
            outer[place] = operand.shape[:count]
        shape = axes.broadcast(self.name, list(outer.values()))
        for place, one in enumerate(self.outputs, self.ufunc.nin):
            if one is not None and outer[place] != shape:
                raise ValueError(
                    f"non-broadcastable output operand with shape {one.shape} doesn't match the"
                    f" broadcast shape {shape}"
                )
        return shape

    def _operand(self, place: int) -> str:
        nin = self.ufunc.nin
        return f"Input operand {place}" if place < nin else f"Output operand {place - nin}"

    def _note_sizes(self, place: int, core: tuple[str, ...], sizes: Numbers) -> None:
        for axis, (name, size) in enumerate(zip(core, sizes, strict=True)):
            known = int(name) if name.isdigit() else self.sizes.setdefault(name, size)
            if size != known:
                raise ValueError(
                    f"{self.name}: {self._operand(place)} has a mismatch in its core dimension"
                    f" {axis}, with gufunc signature {self.ufunc.layout} (size {size} is different"
                    f" from {known})"
                )

    def _core(self, core: tuple[str, ...]) -> Numbers:
        return tuple(int(one) if one.isdigit() else self.sizes[one] for one in core)

    # --- the kernel's arguments
    # ---------------------------------------------------------------------

    def _is_number(self, place: int) -> bool:
        return self.row.numbers[place]

    def _staged(self, place: int) -> Staged:
        operand, dtype = self.inputs[place], self.dtypes[place]
        if isinstance(operand.array, DeviceArray):
            return operand.array
        if self._is_number(place) and operand.array.size == 1:
            return operand.number(dtype)
        return operand.staged(dtype)

    def _output_shape(self, place: int) -> Numbers:
        return self.loop + self._core(self.ufunc.layout.outputs[place])

    def _lanes(self, arrays: list[Any]) -> list[Lane]:
        """Return all operands: the loop's axes, as few as possible, and the core dimensions."""
        layout, outer, inner = self.ufunc.layout.operands, [], []
        for place, one in enumerate(arrays):
            if isinstance(one, np.generic):
                continue
            count = len(one.shape) - len(layout[place])
            outer.append(axes.strides_in(self.loop, one.shape[:count], one.strides[:count]))
            core = one.shape[count:], one.strides[count:]
            if not layout[place] and not self._is_number(place):
                core = (1,), (one.dtype.itemsize,)  # a number as an array of one element
            inner.append(core)
        sizes, steps = axes.merged(self.loop, outer)
        made = iter(
            (sizes + shape, outside + inside)
            for outside, (shape, inside) in zip(steps, inner, strict=True)
        )
        return [
            Lane(one.dtype) if isinstance(one, np.generic) else Lane(one.dtype, *next(made))
            for one in arrays
        ]

    def _kernel(self, lanes: list[Lane]) -> Kernel:
        last = len(self.ufunc.layout.operands[-1]) or 1
        ndim = len(lanes[-1].shape or ()) - last
        numbers = tuple(lane.shape is None for lane in lanes)
        code = self.ufunc.py_func.__code__
        names = code.co_varnames[: code.co_argcount]
        return self.ufunc.made_kernel(
            (ndim, numbers), lambda: texts.part_kernel(self.ufunc.kernel, names, ndim, numbers)
        )

    def prepared(self) -> tuple[Kernel, list[Lane]]:
        """Return the kernel of the call and its arguments."""
        arrays: list[Any] = [self._staged(k) for k in range(self.ufunc.nin)]
        for place in range(self.ufunc.nout):
            dtype = self.dtypes[self.ufunc.nin + place]
            arrays.append(np.empty(self._output_shape(place), dtype))
        lanes = self._lanes(arrays)
        return self._kernel(lanes), lanes

    # --- running --------------------------------------------------------------------------------

    def run(self) -> Any:
        """Compute all parts."""
        stream, nin = self.options.stream, self.ufunc.nin
        made = [self._made_output(place) for place in range(self.ufunc.nout)]
        inputs = [self._input(place, made) for place in range(nin)]
        if 0 not in self.loop:
            lanes = self._lanes([*inputs, *made])
            operands = [
                one if isinstance(one, np.generic) else view(one, lane.shape or (), lane.strides)
                for one, lane in zip([*inputs, *made], lanes, strict=True)
            ]
            self.ufunc.launch(self._kernel(lanes), prod(self.loop), stream, operands)
        for place in self.ufunc.writable:
            self._write_back(self.inputs[place], inputs[place])
        for place, one in enumerate(made):
            output = self.outputs[place]
            if output is not None and isinstance(output.array, DeviceArray):
                if output.array is not one:
                    copy(one, output.array, stream)
                made[place] = output.array
        return self.given_back(made)

    def _made_output(self, place: int) -> DeviceArray:
        """Return the array for a result: the user's, if its elements have the type."""
        output, dtype = self.outputs[place], self.dtypes[self.ufunc.nin + place]
        if output is not None and isinstance(output.array, DeviceArray):
            if output.array.dtype == dtype:
                return output.array
        order = self.options.order if self.options.order in "CF" else "C"
        return self.new_output(self._output_shape(place), dtype, order)

    def _input(self, place: int, outputs: list[DeviceArray]) -> Any:
        """Return an input on the GPU, as the function takes it."""
        staged, dtype = self._staged(place), self.dtypes[place]
        if isinstance(staged, np.generic):
            return staged
        array = self.on_gpu(staged)
        is_shared = array is staged and any(overlap(array, one) for one in outputs)
        if is_shared or array.dtype != dtype:
            return copied(array, dtype, self.options.stream)
        return array

    def _write_back(self, operand: Operand, array: Any) -> None:
        """Copy the function's writes back to an input."""
        if isinstance(array, np.generic) or operand.is_readonly:
            return
        if isinstance(operand.array, DeviceArray):
            if operand.array is not array:
                copy(array, operand.array, self.options.stream)
            return
        host = array.copy_to_host(stream=self.options.stream)
        finish(self.options.stream)
        np.copyto(operand.array, host, casting="unsafe")
