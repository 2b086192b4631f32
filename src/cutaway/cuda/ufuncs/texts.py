"""The Python text of the kernels around a function: one thread for each element of a loop.

    @vectorize                        def add_kernel(a, b, result):
    def add(a, b):                        i = np.uint64(cuda.grid(1))
        return a + b           ->         if i < result.size:
                                              result[i] = add(a[i], b[i])

Along several axes the number of a thread is split into indices.  They are unsigned, so that
negative ones need no code.
"""

from __future__ import annotations

import itertools
import keyword
import linecache
import re
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.cuda.kernels import jit
from cutaway.foundation.dataclass import dataclass
from cutaway.gpu import words


@jit(device=True)
def split(place, size):
    """Split a number into the number along the axes before, and the index along the last axis."""
    size = np.uint64(size)
    return place // size, place % size


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of a loop of elements: its dtype, the function's dtype, and whether it is one
    number for all elements."""

    given: np.dtype[Any]
    wanted: np.dtype[Any]
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    """The parameters of a kernel's text, besides the function."""

    ndim: int
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    where: str = ""  # "number" or "array", if some elements are skipped


class Names:
    """Unique names for a text, as close to the wanted ones as possible."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def __call__(self, wanted: str) -> str:
        name = re.sub(r"\W", "_", wanted.replace("<lambda>", "function"), flags=re.ASCII)
        name = name if name.isidentifier() else f"function_{name}"
        while name in self._taken or keyword.iskeyword(name):
            name += "_"
        self._taken.add(name)
        return name


class _Text:
    """A text with the values of its names."""

    def __init__(self, function: Any, inputs: Sequence[str]) -> None:
        self.names = Names()
        self.space: dict[str, Any] = {}
        self.call = self.named(function.__name__, function)
        self.inputs = [self.names(name) for name in inputs]
        self.numpy = self.named("np", np)
        self.lines: list[str] = []

    def named(self, name: str, value: Any) -> str:
        """Return a name bound to a value."""
        name = self.names(name)
        self.space[name] = value
        return name

    def outputs(self, count: int) -> list[str]:
        """Return names for results."""
        if count == 1:
            return [self.names("result")]
        return [self.names(f"result{k}") for k in range(count)]

    def index(self, ndim: int, size: str, of: str) -> str:
        """Begin the part for one element; returns its index."""
        cuda = self.named("cuda", words)
        indices = [self.names("i" if ndim == 1 else f"i{k}") for k in range(ndim)]
        place = indices[0]
        self.lines.append(f"    {place} = {self.numpy}.uint64({cuda}.grid(1))")
        self.lines.append(f"    if {place} < {size}:")
        if ndim > 1:
            divide = self.named("split", split)
            for k in range(ndim - 1, 0, -1):
                pair = f"{place}, {indices[k]}"
                self.lines.append(f"        {pair} = {divide}({place}, {of}.shape[{k}])")
        return ", ".join(indices)

    def converted(self, text: str, source: np.dtype[Any], wanted: np.dtype[Any]) -> str:
        """Convert a value to another type, as NumPy does."""
        if source == wanted:
            return text
        if source.kind == "c" and wanted.kind not in "cb":
            text += ".real"
        return f"{self.numpy}.{_NUMPY_NAMES.get(wanted.name, wanted.name)}({text})"

    def function(self, name: str, parameters: Sequence[str]) -> FunctionType:
        """Compile the function of this text."""
        name = self.names(name)
        return function_of(name, [f"def {name}({', '.join(parameters)}):", *self.lines], self.space)


_NUMPY_NAMES = {"bool": "bool_"}


def function_of(name: str, lines: Sequence[str], space: dict[str, Any]) -> FunctionType:
    """Compile the function of a text, whose lines are readable as those of a file."""
    text = "\n".join(lines) + "\n"
    filename = _filename(name, text.splitlines(True))
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    names = {"__name__": __name__, **space}
    exec(compile(text, filename, "exec"), names)  # noqa: S102  the text of this module
    function: FunctionType = names[name]
    return function


def _filename(name: str, lines: list[str]) -> str:
    """Return a name for a text, the same in each process as far as possible: a cache identifies
    functions by it."""
    for k in itertools.count(1):
        filename = f"<kernel {name}>" if k == 1 else f"<kernel {name} {k}>"
        if linecache.getlines(filename) in ([], lines):
            return filename
    raise AssertionError("there is no end of numbers")


def element_kernel(function: Any, parameters: Sequence[str], loop: Loop) -> FunctionType:
    """Make the kernel around an elementwise function."""
    text = _Text(function, parameters)
    results = text.outputs(len(loop.outputs))
    mask = text.names("where") if loop.where else ""
    index = text.index(loop.ndim, f"{results[0]}.size", results[0])
    indent = " " * 8
    if mask:
        text.lines.append(f"{indent}if {mask if loop.where == 'number' else f'{mask}[{index}]'}:")
        indent += " " * 4
    arguments = [
        text.converted(name if one.is_number else f"{name}[{index}]", one.given, one.wanted)
        for name, one in zip(text.inputs, loop.inputs, strict=True)
    ]
    call = f"{text.call}({', '.join(arguments)})"
    if len(results) == 1:
        values = [call]
    else:
        values = [text.names(f"value{k}") for k in range(len(results))]
        text.lines.append(f"{indent}{', '.join(values)} = {call}")
    for name, value, one in zip(results, values, loop.outputs, strict=True):
        stored = text.converted(value, one.wanted, one.given)
        text.lines.append(f"{indent}{name}[{index}] = {stored}")
    masks = [mask] if mask else []
    return text.function(f"{function.__name__}_kernel", [*text.inputs, *masks, *results])


def part_kernel(
    function: Any, parameters: Sequence[str], ndim: int, numbers: Sequence[bool]
) -> FunctionType:
    """Make the kernel around a function of parts of arrays: those along the axes behind `ndim`
    ones.

    `numbers` says of each parameter whether it is one number for all parts.
    """
    text = _Text(function, parameters)
    last = text.inputs[-1]
    sizes = " * ".join(f"{last}.shape[{k}]" for k in range(ndim))
    index = text.index(ndim, sizes, last)
    arguments = [
        name if is_number else f"{name}[{index}]"
        for name, is_number in zip(text.inputs, numbers, strict=True)
    ]
    text.lines.append(f"        {text.call}({', '.join(arguments)})")
    return text.function(f"{function.__name__}_kernel", text.inputs)
