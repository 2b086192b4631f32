"""A call: its loop, its kernel's arguments, and the destination of its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cutaway.cuda.driver.arrays import DeviceArray, device_array, to_device
from cutaway.cuda.ufuncs.axes import Numbers
from cutaway.cuda.ufuncs.copies import copied
from cutaway.cuda.ufuncs.operands import Host, Operand, are_same, finish, overlap
from cutaway.cuda.ufuncs.options import read_call
from cutaway.cuda.ufuncs.ufunc import Ufunc


class UfuncCall:
    """One call of a function, whose arguments were read and match a loop.

    Raises TypeError or ValueError if they match none, or do not fit together.
    """

    def __init__(self, ufunc: Ufunc, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.ufunc, self.name = ufunc, ufunc.__name__
        self.options = read_call(self.name, options)
        if len(args) < ufunc.nin:
            raise TypeError(self._counts(len(args)))
        self.inputs = [Operand(one) for one in args[: ufunc.nin]]
        self._gain_loop(args[ufunc.nin :])
        if len(args) > ufunc.nargs:
            raise TypeError(self._counts(len(args)))
        given = self.options.outputs(self.name, args[ufunc.nin :], ufunc.nout)
        self.outputs = [None if one is None else self._output(one) for one in given]
        self.dtypes = self._resolved()
        self.stays = any(one is not None and one.is_on_gpu for one in self._all())

    def _counts(self, given: int) -> str:
        nin, nargs = self.ufunc.nin, self.ufunc.nargs
        verb = "was" if given == 1 else "were"
        return (
            f"{self.name}() takes from {nin} to {nargs} positional arguments but {given} {verb}"
            " given"
        )

    def _all(self) -> list[Operand | None]:
        return [*self.inputs, *self.outputs]

    def _gain_loop(self, outputs: tuple[Any, ...]) -> None:
        """Compile a loop if none accepts the inputs."""
        raise NotImplementedError

    def _output(self, given: Any) -> Operand:
        operand = Operand(given)
        if not operand.is_on_gpu and not isinstance(given, np.ndarray):
            raise TypeError("return arrays must be of ArrayType")
        if operand.is_readonly:
            raise ValueError("output array is read-only")
        return operand

    def _resolved(self) -> tuple[np.dtype[Any], ...]:
        """Return the dtypes of the loop."""
        outputs = [None if one is None else one.array.dtype for one in self.outputs]
        wanted = (*(one.wanted for one in self.inputs), *outputs)
        chosen = self.options.chosen(self.ufunc.nin, self.ufunc.nout)
        casting = self.options.casting
        found: tuple[np.dtype[Any], ...]
        if chosen:
            found = self.ufunc.resolver.resolve_dtypes(wanted, casting=casting, **chosen)  # type: ignore[arg-type]
        else:
            found = self.ufunc.resolved(wanted, casting)
        for operand in self._all():
            if operand is not None and operand.is_on_gpu:
                self._check_on_gpu(operand)
        return found

    def _check_on_gpu(self, operand: Operand) -> None:
        dtype = operand.array.dtype
        if not dtype.isnative or dtype.kind not in "biufc":
            raise TypeError(f"{self.name}() cannot compute with an array on the GPU of {dtype}")

    # --- results ------------------------------------------------------------------------------

    def new_output(self, shape: Numbers, dtype: np.dtype[Any], order: str) -> DeviceArray:
        """Allocate an uninitialized array on the GPU."""
        return device_array(shape, dtype, order=order, stream=self.options.stream)

    def on_gpu(self, array: Host | DeviceArray) -> DeviceArray:
        """Return the array, copied to the GPU if it is on the host."""
        if isinstance(array, DeviceArray):
            return array
        return to_device(array, self.options.stream)

    def apart(self, array: DeviceArray, outputs: Sequence[DeviceArray]) -> DeviceArray:
        """Return an input, copied if an output would overwrite elements before they are read."""
        if any(not are_same(array, one) and overlap(array, one) for one in outputs):
            return copied(array, array.dtype, self.options.stream)
        return array

    def given_back(self, made: Sequence[DeviceArray], mask: Any = None) -> Any:
        """Return the results of the call, copied from the GPU to their destinations."""
        results: list[Any] = []
        for output, array in zip(self.outputs, made, strict=True):
            if output is None and self.stays:
                results.append(array)
            elif output is None:
                host = self._to_host(array)
                results.append(host[()] if host.ndim == 0 else host)
            else:
                results.append(output.value)
                if not output.is_on_gpu:
                    where = True if mask is None else mask
                    np.copyto(output.array, self._to_host(array), casting="unsafe", where=where)
        return results[0] if len(results) == 1 else tuple(results)

    def _to_host(self, array: DeviceArray) -> Host:
        host = array.copy_to_host(stream=self.options.stream)
        finish(self.options.stream)
        return host
