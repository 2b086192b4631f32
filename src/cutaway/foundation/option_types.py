"""The options of the decorators with their types, for type checkers: no program loads this.

`options.py` and the tables of the other decorators check the values; a test compares these names
with theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from cutaway.typing.types import Signature

    Signatures = str | Signature | tuple[Any, ...] | list[Any]  # one, or a list of them
Fastmath = bool | str | Collection[str] | dict[str, bool]
Inline = Literal["never", "always"] | Callable[..., bool]
Variables = Mapping[str, Any]  # types, or text


class OfCode(TypedDict, total=False):
    """The options about code generation that every decorator takes."""

    boundscheck: bool | None
    overflow: Literal["wrap", "raise"]
    error_model: Literal["python", "numpy"]
    fastmath: Fastmath
    inline: Inline
    locals: Variables
    cache: bool
    nopython: bool | None


class OfCpu(OfCode, total=False):
    """The options about code for a CPU that every decorator takes."""

    float_to_int: Literal["raise", "astype"]
    vector_math: bool
    nogil: bool
    debug: bool | None


class JitOptions(OfCpu, total=False):
    """The options of `jit` except `pipeline`; those after `looplift` are Numba's and have no
    effect."""

    forceinline: bool
    parallel: bool | Literal["check"] | Mapping[str, bool | Literal["allowed", "check"]]
    forceobj: bool
    looplift: bool
    no_cpython_wrapper: bool
    no_cfunc_wrapper: bool
    target: Literal["cpu"]
    _target: Literal["cpu"]
    _dbg_extend_lifetimes: bool | None
    _dbg_optnone: bool | None
    no_rewrites: bool
    _nrt: bool
    writable_args: Literal[False]
    pipeline_class: None


class KernelCode(OfCode, total=False):
    """The options about code for a GPU."""

    cc: tuple[int, int] | None
    max_registers: int | None
    lineinfo: bool | None
    opt: int | bool | None
    fma: bool


class UfuncOptions(OfCpu, KernelCode, total=False):
    """The options of `vectorize` and `guvectorize`, for each target."""

    identity: Literal[0, 1, "reorderable"] | None
    parallel: bool
    target: Literal["cpu", "parallel", "cuda"]
    writable_args: tuple[int | str, ...] | list[int | str]
    forceinline: bool
    forceobj: bool
    looplift: bool
    no_cpython_wrapper: bool
    no_cfunc_wrapper: bool


class StencilOptions(OfCpu, total=False):
    """The options of `stencil`."""

    func_or_mode: Any
    mode: Literal["constant"]
    neighborhood: tuple[tuple[int, int], ...] | None
    cval: Any  # a Python or NumPy number
    standard_indexing: str | Collection[str] | None
    parallel: bool | Literal["check"] | Mapping[str, bool | Literal["allowed", "check"]]


class KernelOptions(KernelCode, total=False):
    """The options of `cuda.jit` except `device`; those after `debug` are Numba's."""

    forceinline: bool
    launch_bounds: int | tuple[int, ...] | list[int] | None
    debug: bool | None
    link: Any
    extensions: Any
    lto: Any
    abi_info: Any
    shared: Any
