"""Calls of stencils in compiled code: the loops around a kernel.

    k(a)                                    out = np.empty(a.shape, ...)
                                            border of out = 0
                                            for i in range(1, n - 1):
                                                for j in range(1, m - 1):
                                                    out[i, j] = kernel(window of a at i, j)

The Python text of these loops is generated for the types of a call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT
from cutaway.foundation import loading
from cutaway.foundation.loops import prange
from cutaway.foundation.options import PARALLEL_BY
from cutaway.foundation.stencil_functions import Neighborhood, StencilFunction
from cutaway.library import rest
from cutaway.library.arrays.kit.shapes import require
from cutaway.library.arrays.kit.typers import left_out
from cutaway.library.stencils.windows import put, window
from cutaway.typing import types
from cutaway.typing.types import Array, Type, Window

loading.run(rest)  # keeps the order in which overloads are registered

_OUTERMOST = "__prange"  # the range function of the outermost loop
_SMALLER = (
    "{name}: the array {other} of shape {{}} is smaller than {first} of shape {{}}, along which"
    " the kernel moves"
)
_OUT = "{name}: out has the shape {{}}, and {first} the shape {{}}"


def register_user(stencil: StencilFunction) -> bool:
    """Register the calls of a stencil; False if they are registered."""
    if CONTEXT.knows(stencil):
        return False
    given = ", ".join(stencil.parameters)
    space: dict[str, Any] = {"__name__": __name__}  # the library's own, no extension
    space["typed"] = lambda *types: _implementation(stencil, types)
    exec(f"def typer({given}, out=None):\n    return typed({given}, out)", space)  # noqa: S102
    overload(stencil)(space["typer"])
    return True


def _implementation(stencil: StencilFunction, given: tuple[Type, ...]) -> Callable[..., Any]:
    """The loops for a call with arguments of these types.

    Raises TypingError for types that the stencil does not accept.
    """
    *arguments, out = given
    names = stencil.parameters
    standard = stencil.options.standard_indexing
    relative = [
        name
        for name, ty in zip(names, arguments, strict=True)
        if isinstance(ty, Array) and name not in standard
    ]
    by_name = dict(zip(names, arguments, strict=True))
    if not relative:
        raise TypingError(
            f"{stencil.__name__} gets no array that it could move along",
            hint="a stencil needs an array that is not named in standard_indexing=",
        )
    ndim = by_name[relative[0]].ndim
    for name in relative:
        _check_array(stencil, name, by_name[name], relative[0], ndim)
    neighborhood = stencil.reach(tuple(relative), ndim)
    windows = tuple(
        Window(ty, neighborhood) if name in relative else ty for name, ty in by_name.items()
    )
    result = stencil.result_type(windows)
    if result is None or result is types.undefined:
        raise TypingError(
            f"the kernel of {stencil.__name__} returns nothing on any path that is known here",
            hint="return one number, on a path that does not lead to the stencil again",
        )
    if not types.is_number(result):
        raise TypingError(
            f"the kernel of {stencil.__name__} returns {result}, which is no element of an array",
            hint="return one number, the new value of the element",
        )
    is_new = left_out(out)
    if not is_new:
        _check_out(stencil, out, by_name[relative[0]])
    cval = _border(stencil, result)
    text = _StencilText(stencil, names, tuple(relative), neighborhood, ndim, is_new).whole()
    return _made(text, stencil.kernel, neighborhood, types.to_dtype(result), cval)


def _check_array(stencil: StencilFunction, name: str, ty: Any, first: str, ndim: int) -> None:
    if not types.is_number(ty.dtype):
        raise TypingError(
            f"{stencil.__name__} gets an array of {ty.dtype} for {name}",
            hint="stencils take arrays of numbers",
        )
    if ty.ndim == ndim and ndim:
        return
    if not ndim:
        raise TypingError(
            f"{stencil.__name__} gets an array without dimensions for {name}",
            hint="pass an array with one dimension or more",
        )
    raise TypingError(
        f"{stencil.__name__} moves along {ndim} dimension{'' if ndim == 1 else 's'} of {first}, and"
        f" {name} has {ty.ndim}",
        hint=f'standard_indexing=("{name}",) lets the kernel index {name} as usual',
    )


def _check_out(stencil: StencilFunction, out: Type, first: Any) -> None:
    if isinstance(out, Array) and not out.readonly and types.is_number(out.dtype):
        if out.ndim == first.ndim:
            return
    raise TypingError(
        f"{stencil.__name__} cannot store its results in {out}",
        hint=f"pass a writable array of numbers whose number of dimensions is {first.ndim}",
    )


def _border(stencil: StencilFunction, result: Type) -> Any:
    """The number for the border, or None by default.

    Raises TypingError for one that the results cannot hold.
    """
    cval = stencil.options.cval
    if cval is None:
        return None
    dtype = types.to_dtype(result)
    if not _fits(cval, dtype):
        raise TypingError(
            f"cval={cval!r} of {stencil.__name__} is no {result}, which the kernel returns",
            hint=f"write a cval of type {result}, or convert what the kernel returns",
        )
    return bool(cval) if result is types.boolean else dtype.type(cval)


def _fits(cval: Any, dtype: np.dtype[Any]) -> bool:
    """True if elements can hold a number: an integer exactly, a float rounded."""
    given = np.asarray(cval)
    if not np.can_cast(given.dtype, dtype, "same_kind") and dtype.kind not in "biu":
        return False
    if dtype.kind not in "biu":
        return True
    if given.dtype.kind not in "biuf" or not np.isfinite(given):
        return False
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return given.item() == int(given) and low <= int(given) <= high


@cache
def _made(
    text: str, kernel: Any, neighborhood: Neighborhood, dtype: np.dtype[Any], cval: Any
) -> Callable[..., Any]:
    """The function of this text, which closes over the kernel and its constants."""
    used = (np.empty, require, window, put, min, max, range, prange)
    # No kernel parameter has such a name.
    space: dict[str, Any] = {f"__{one.__name__}": one for one in used}
    space["__name__"] = __name__
    exec(compile(text, __file__, "exec"), space)  # noqa: S102
    made: Callable[..., Any] = space["make"](kernel, neighborhood, dtype, cval)
    made.__dict__[PARALLEL_BY] = "stencil"
    return made


class _StencilText:
    """The text of the loops for a call, line by line."""

    def __init__(
        self,
        stencil: StencilFunction,
        names: tuple[str, ...],
        relative: tuple[str, ...],
        neighborhood: Neighborhood,
        ndim: int,
        is_new: bool,
    ) -> None:
        self.name, self.has_cval = stencil.__name__, stencil.options.cval is not None
        self.names, self.relative = names, relative
        self.neighborhood, self.ndim, self.is_new = neighborhood, ndim, is_new
        self.lines: list[str] = []

    def add(self, line: str, indent: int = 2) -> None:
        """Add a line."""
        self.lines.append("    " * indent + line)

    def whole(self) -> str:
        """The text of the whole function."""
        self.add("def make(__kernel, __around, __dtype, __cval):", 0)
        self.add(f"def stencil({', '.join(self.names)}, out=None):", 1)
        self._check()
        first = self.relative[0]
        if self.is_new:
            self.add(f"__out = __empty({first}.shape, __dtype)")
        else:
            self.add("__out = out")
        self._bounds()
        if self.is_new or self.has_cval:
            self._fill()
        self._loops()
        self.add("return __out")
        self.add("return stencil", 1)
        return "\n".join(self.lines) + "\n"

    def _check(self) -> None:
        first, words = self.relative[0], {"name": self.name, "first": self.relative[0]}
        for other in self.relative[1:]:
            fits = " and ".join(
                f"{other}.shape[{k}] >= {first}.shape[{k}]" for k in range(self.ndim)
            )
            message = _SMALLER.format(**words, other=other)
            self.add(f"__require({fits}, {message!r}, ({other}.shape, {first}.shape))")
        if not self.is_new:
            message = _OUT.format(**words)
            self.add(
                f"__require(out.shape == {first}.shape, {message!r}, (out.shape, {first}.shape))"
            )

    def _bounds(self) -> None:
        """Add the bounds of the elements with all neighbors: per axis the first and the one after
        the last."""
        for k, (low, high) in enumerate(self.neighborhood):
            self.add(f"__n{k} = {self.relative[0]}.shape[{k}]")
            self.add(f"__b{k} = __min({max(-low, 0)}, __n{k})")
            self.add(f"__e{k} = __max(__n{k} - {max(high, 0)}, __b{k})")

    def _fill(self) -> None:
        """Add the loops that fill the border before and after these elements along each axis."""
        value = "__cval" if self.has_cval else "0"
        for k in range(self.ndim):
            whole = ":, " * k
            self.add(f"__out[{whole}:__b{k}] = {value}")
            self.add(f"__out[{whole}__e{k}:] = {value}")

    def _loops(self) -> None:
        for k in range(self.ndim):
            through = _OUTERMOST if k == 0 else "__range"
            self.add(f"for __i{k} in {through}(__b{k}, __e{k}):", 2 + k)
        place = ", ".join(f"__i{k}" for k in range(self.ndim))
        given = [
            f"__window({name}, __around, {place})" if name in self.relative else name
            for name in self.names
        ]
        self.add(f"__put(__out, __kernel({', '.join(given)}), {place})", 2 + self.ndim)
