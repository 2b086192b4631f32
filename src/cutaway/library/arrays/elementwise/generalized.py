"""Calls of users' generalized ufuncs in compiled code, as loops around the kernel.

    g(a, b)     (n),(n)->()         sizes are compared, the other axes broadcast
                                    out = np.empty(shape)
                                    for i in range(shape[0]):
                                        kernel(a[i], b[i], out[i:i + 1])

The Python text of these loops is generated for the operands' numbers of dimensions. It closes over
the kernel and the dtypes of the loop that NumPy chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.element_functions import UfuncHalf
from cutaway.library.arrays.kit.constants import ConstantArgument, numpy_of_constants
from cutaway.library.arrays.kit.core_axes import CoreAxes, core_axes
from cutaway.library.arrays.kit.filling import apart
from cutaway.library.arrays.kit.shapes import expanded, is_merged, merged, require, spread
from cutaway.library.arrays.kit.typers import left_out
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple, Type
from cutaway.typing.ufuncs import as_given, element_of

_MISMATCH = (
    "{name}: Input operand {k} has a mismatch in its core dimension {d}, with gufunc signature"
    " {layout} (size {{}} is different from {{}})"
)
_FIXED = _MISMATCH.replace("is different from {{}}", "is different from {size}")


def register_user(half: Any) -> bool:
    """Register the calls of a `guvectorize` function; False if they are registered."""
    if CONTEXT.knows(half.public):
        return False
    names = [f"x{k}" for k in range(half.nin)]
    outputs = [f"y{k}=None" for k in range(half.nout)]
    parameters = ", ".join([*names, *outputs, "out=None"])
    space: dict[str, Any] = {"__name__": __name__}  # the library's own, no extension
    space["typed"] = lambda *given: _implementation(half, given)
    given = ", ".join(one.partition("=")[0] for one in parameters.split(", "))
    exec(f"def typer({parameters}):\n    return typed({given})", space)  # noqa: S102
    overload(half.public)(space["typer"])
    _register_told(half, names)
    return True


def _register_told(half: Any, names: list[str]) -> None:
    """Register the calls that name axes: they transpose operands and call the loops."""
    outputs = {f"y{k}": None for k in range(half.nout)}

    @numpy_of_constants(
        half.public, *names, **outputs, out=None, axes=None, axis=None, keepdims=False
    )
    def typer(*given):
        *operands, axes, axis, keepdims = given
        operands = [one.ty if isinstance(one, ConstantArgument) else one for one in operands]
        inputs, rest = operands[: half.nin], operands[half.nin :]
        constant = all(isinstance(one, ConstantArgument) for one in (axes, axis, keepdims))
        if half.nout != 1 or not constant or not all(map(_is_operand, inputs)):
            return None
        plain = axes.value is None and axis.value is None and not keepdims.value
        if plain and all(map(left_out, rest)):
            _implementation(half, tuple(operands))  # reports mismatched operands
        ranks = tuple(ty.ndim if isinstance(ty, Array) else 0 for ty in inputs)
        layout = half.layout
        cores = tuple(map(len, (*layout.inputs, *layout.outputs)))
        outer = [rank - core for rank, core in zip(ranks, cores, strict=False)]
        if min(outer) < 0:
            return None
        result = max(outer) + cores[-1]
        name = half.public.__name__
        orders = core_axes(name, ranks, cores, result, axes.value, axis.value, bool(keepdims.value))
        return _turned(half.public, names, orders, [left_out(one) for one in rest])


def _turned(function: Any, names: list[str], found: CoreAxes, is_missing: list[bool]) -> Any:
    """A call with the axes of its inputs and of its result transposed."""
    parts = [
        f"np.transpose({name}, {order})" for name, order in zip(names, found.inputs, strict=True)
    ]
    ones, count = (1,) * found.added, len(found.output)
    lines = [
        f"def told({', '.join(names)}, y0=None, out=None, axes=None, axis=None, keepdims=False):",
        f"    result = np.asarray(function({', '.join(parts)}))",
        f"    turned = np.transpose(result.reshape(result.shape + {ones}), {found.output})",
    ]
    if all(is_missing):
        lines.append("    return turned" + ("" if count else "[()]"))
    else:
        target = "y0" if is_missing[-1] else "out"
        lines += [f"    np.copyto({target}, turned, casting='same_kind')", f"    return {target}"]
    space: dict[str, Any] = {"np": np, "function": function}
    exec("\n".join(lines) + "\n", space)  # noqa: S102
    return space["told"]


def _implementation(half: Any, given: tuple[Type, ...]) -> Callable[..., Any] | None:
    """The loops for a call with arguments of these types; None for types that are not operands."""
    inputs, rest = given[: half.nin], given[half.nin :]
    outputs = _outputs(half, rest[:-1], rest[-1])
    if not all(map(_is_operand, inputs)) or outputs is None:
        return None
    elements = [None if ty is None else types.to_dtype(element_of(ty)) for ty in outputs]
    try:
        dtypes = half.loop_for([*map(as_given, inputs), *elements], "same_kind", None)
    except TypeError as error:
        raise TypingError(str(error)) from None
    for ty, dtype in zip(elements, dtypes[half.nin :], strict=True):
        if ty is not None and ty != dtype:
            raise TypingError(
                f"{half.public.__name__} computes {dtype}, which cannot be stored in an output"
                f" of {ty} in compiled code",
                hint=f"pass an array of {dtype}",
            )
    ranks = tuple(ty.ndim if isinstance(ty, Array) else 0 for ty in inputs)
    for rank, core in zip(ranks, half.layout.inputs, strict=True):
        if rank < len(core):
            return None
    given_ranks = tuple(ty.ndim if isinstance(ty, Array) else None for ty in outputs)
    casts = tuple(
        types.to_dtype(element_of(ty)) != dtype for ty, dtype in zip(inputs, dtypes, strict=False)
    )
    as_arrays = half.arrays_for(dtypes)
    lent = _lent(half, inputs, as_arrays)
    text = _GufuncText(half, ranks, given_ranks, casts, as_arrays, lent, left_out(rest[-1])).whole()
    return _made(text, half, tuple(dtypes))


def _lent(half: Any, inputs: tuple[Type, ...], as_arrays: tuple[bool, ...]) -> frozenset[int]:
    """The positions of the input arrays that the kernel writes to.

    Raises TypingError for one that is read-only.
    """
    lent = set()
    for k, ty in enumerate(inputs):
        if k in half.writable and isinstance(ty, Array) and (half.layout.inputs[k] or as_arrays[k]):
            if ty.readonly:
                raise TypingError(
                    f"{half.public.__name__} writes to argument {k + 1}, which is read-only",
                    hint="pass a writeable array",
                )
            lent.add(k)
    return frozenset(lent)


def _is_operand(ty: Type) -> bool:
    return types.is_number(element_of(ty))


def _outputs(
    half: UfuncHalf, positional: tuple[Type, ...], out: Type
) -> tuple[Type | None, ...] | None:
    """The arrays passed as outputs; None if an argument is not an array."""
    outputs = [None if left_out(ty) else ty for ty in positional]
    if not left_out(out):
        items = out.items if isinstance(out, Tuple) else (out,)
        if len(items) != half.nout or any(outputs):
            return None
        outputs = [None if left_out(ty) else ty for ty in items]
    if not all(ty is None or (isinstance(ty, Array) and not ty.readonly) for ty in outputs):
        return None
    return tuple(outputs)


@cache
def _made(text: str, half: Any, dtypes: tuple[np.dtype[Any], ...]) -> Callable[..., Any]:
    """The function compiled from this text, cached per kernel, since it closes over the kernel."""
    space: dict[str, Any] = {
        "np": np,
        **{one.__name__: one for one in (apart, expanded, is_merged, merged, require, spread)},
    }
    exec(compile(text, __file__, "exec"), space)  # noqa: S102
    made: Callable[..., Any] = space["make"](half.kernel, *dtypes)
    return made


class _GufuncText:
    """The text of the loops for a call, line by line."""

    def __init__(
        self,
        half: Any,
        ranks: tuple[int, ...],
        given_ranks: tuple[int | None, ...],  # of arrays passed as outputs
        casts: tuple[bool, ...],
        as_arrays: tuple[bool, ...],
        lent: frozenset[int],  # positions of the inputs that are written to
        positional: bool,
    ) -> None:
        self.name, self.layout = half.public.__name__, half.layout
        self.nin, self.nout, self.lent = half.nin, half.nout, lent
        self.ranks, self.casts = ranks, casts
        self.is_given = tuple(rank is not None for rank in given_ranks)
        self.as_arrays, self.positional = as_arrays, positional
        self.lines: list[str] = []
        self.outer = tuple(
            0 if rank is None else rank - len(core)
            for rank, core in zip(
                (*ranks, *given_ranks), (*half.layout.inputs, *half.layout.outputs), strict=True
            )
        )
        self.depth = max(self.outer)

    def add(self, line: str, indent: int = 2) -> None:
        """Add a line."""
        self.lines.append("    " * indent + line)

    def whole(self) -> str:
        """The text of the whole function."""
        dtypes = ", ".join(f"d{k}" for k in range(self.nin + self.nout))
        inputs = [f"x{k}" for k in range(self.nin)]
        outputs = [f"y{k}=None" for k in range(self.nout)]
        self.add(f"def make(kernel, {dtypes}):", 0)
        self.add(f"def loops({', '.join([*inputs, *outputs, 'out=None'])}):", 1)
        self._convert()
        self._sizes()
        self._name_outputs()
        self._shape()
        self._make_outputs()
        self._part()
        self._loops()
        self._write_back()
        results = [self._result(k) for k in range(self.nout)]
        self.add(f"return {results[0] if len(results) == 1 else ', '.join(results) or '()'}")
        self.add("return loops", 1)
        return "\n".join(self.lines) + "\n"

    def _convert(self) -> None:
        for k, cast in enumerate(self.casts):
            if k in self.lent:
                self._lend(k, cast)
            elif cast and self.ranks[k]:
                self.add(f"x{k} = x{k}.astype(d{k})")
            elif cast:
                self.add(f"x{k} = np.full(1, x{k}).astype(d{k})[0]")

    def _lend(self, k: int, cast: bool) -> None:
        """Add the lines for an input that the kernel writes to: numbers too become arrays."""
        if not self.layout.inputs[k]:
            self.add(f"x{k} = expanded(x{k}, -1)")
        if cast:
            self.add(f"w{k} = x{k}")
            self.add(f"x{k} = w{k}.astype(d{k})")

    def _write_back(self) -> None:
        for k in sorted(self.lent):
            if self.casts[k] and self.layout.names:  # else NumPy treats it as element-wise
                self.add(f"np.copyto(w{k}, x{k}, casting='unsafe')")

    def _sizes(self) -> None:
        """Add the checks that all inputs agree on the size of each core dimension."""
        seen: dict[str, str] = {}
        for k, core in enumerate(self.layout.inputs):
            for d, name in enumerate(core):
                size = f"x{k}.shape[{self.ranks[k] - len(core) + d}]"
                words = {"name": self.name, "k": k, "d": d, "layout": self.layout}
                if name.isdigit():
                    message = _FIXED.format(**words, size=name)
                    self.add(f"require({size} == {name}, {message!r}, ({size},))")
                elif name in seen:
                    message = _MISMATCH.format(**words)
                    other = seen[name]
                    self.add(f"require({size} == {other}, {message!r}, ({size}, {other}))")
                else:
                    seen[name] = f"n_{name}"
                    self.add(f"n_{name} = {size}")

    def _name_outputs(self) -> None:
        for k, is_given in enumerate(self.is_given):
            if is_given and not self.positional:
                self.add(f"y{k} = out" if self.nout == 1 else f"y{k} = out[{k}]")

    def _shape(self) -> None:
        """Add the lines that broadcast the loop dimensions of the operands. Passed outputs take
        part, and must have the resulting shape themselves."""
        names = [f"x{k}" for k in range(self.nin)] + [f"y{k}" for k in range(self.nout)]
        looped = [(name, outer) for name, outer in zip(names, self.outer, strict=True) if outer > 0]
        if not looped:
            return
        (first, outer), *others = looped
        self.add(f"shape = {first}.shape[:{outer}]")
        for name, outer in others:
            self.add(f"wider = merged(shape, {name}.shape[:{outer}])")
            message = "operands could not be broadcast together with shapes {} {} "
            self.add(f"require(is_merged(wider), {message!r}, (shape, {name}.shape))")
            self.add("shape = wider")
        for k, core in enumerate(self.layout.inputs):
            if k in self.lent:
                fits = f"x{k}.shape[:{self.outer[k]}] == shape"
                message = f"{self.name}: operand {k} is written to: shapes {{}} and {{}} differ"
                fits = fits if self.outer[k] == self.depth else "False"
                self.add(f"require({fits}, {message!r}, (x{k}.shape[:{self.outer[k]}], shape))")
            elif self.outer[k]:
                kept = f" + x{k}.shape[{self.outer[k]}:]" if core else ""
                self.add(f"x{k} = spread(x{k}, shape{kept})")

    def _core(self, k: int) -> str:
        sizes = [n if n.isdigit() else f"n_{n}" for n in self.layout.outputs[k]] or ["1"]
        return f"({', '.join(sizes)},)"

    def _make_outputs(self) -> None:
        shape = "shape + " if self.depth else ""
        for k, is_given in enumerate(self.is_given):
            if not is_given:
                self.add(f"r{k} = np.empty({shape}{self._core(k)}, d{self.nin + k})")
                continue
            self.add(f"r{k} = y{k}" if self.layout.outputs[k] else f"r{k} = expanded(y{k}, -1)")
            message = f"{self.name}: an output of shape {{}} is needed, not {{}}"
            self.add(
                f"require(r{k}.shape == {shape}{self._core(k)}, {message!r},"
                f" ({shape}{self._core(k)}, r{k}.shape))"
            )

    def _part(self) -> None:
        """Copy inputs that overlap written memory, since a kernel may read them at any time."""
        written = [f"y{k}" for k, is_given in enumerate(self.is_given) if is_given]
        for k, cast in enumerate(self.casts):
            if written and self.ranks[k] and not cast and k not in self.lent:
                self.add(f"x{k} = apart(x{k}, {', '.join(written)})")

    def _loops(self) -> None:
        for level in range(self.depth):
            self.add(f"for i{level} in range(shape[{level}]):", 2 + level)
        index = ", ".join(f"i{level}" for level in range(self.depth))
        arguments = []
        for k in range(self.nin):
            places = index if self.outer[k] == self.depth else ", ".join("0" * self.outer[k])
            part = f"x{k}[{places if k in self.lent else index}]" if self.outer[k] else f"x{k}"
            is_number = self.as_arrays[k] and k not in self.lent
            arguments.append(f"np.full(1, {part})" if is_number else part)
        arguments += [f"r{k}[{index}]" if index else f"r{k}" for k in range(self.nout)]
        self.add(f"kernel({', '.join(arguments)})", 2 + self.depth)

    def _result(self, k: int) -> str:
        if self.is_given[k]:
            return f"y{k}"
        if self.layout.outputs[k]:
            return f"r{k}"
        return f"r{k}.reshape(shape)" if self.depth else f"r{k}[0]"
