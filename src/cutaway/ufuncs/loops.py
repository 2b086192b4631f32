"""From a kernel and the types of its arguments to a row of a ufunc: the code, and how NumPy calls
it.

Loaded with the first loop that is compiled, and with it the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutaway.compiling import compiler
from cutaway.compiling.lost_parameters import lost_parameters
from cutaway.dispatch.resolution import compile_for
from cutaway.dispatch.signatures import read_signature
from cutaway.dispatch_c._dispatch import Specialization, returned_numbers
from cutaway.errors import CompileError, SignatureError, TypingError
from cutaway.typing import types
from cutaway.typing.overloads.notation import WrittenSignature
from cutaway.typing.types import Array, Tuple, Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.ufuncs.layout import Layout


class UfuncLoop(NamedTuple):
    """One loop: the types of its operands, the outputs last, and the code that NumPy calls."""

    types: tuple[Type, ...]
    specialization: Specialization
    contiguous: Specialization | None = None
    dimensions: bytes = b""  # of each argument of a kernel over parts; 255 for a number
    cores: bytes = b""
    places: bytes = b""
    compiled: tuple[Type, ...] = ()  # the types of the kernel's arguments

    @property
    def packed(self) -> tuple[bytes, Specialization, Specialization | None, bytes, bytes, bytes]:
        """Return the fields that the C half needs."""
        numbers = bytes(_dtype(ty).num for ty in self.types)
        code = (self.specialization, self.contiguous)
        return numbers, *code, self.dimensions, self.cores, self.places


def _dtype(ty: Type) -> np.dtype[Any]:
    dtype: np.dtype[Any] = types.to_dtype(ty)
    return dtype


def element_types(dtypes: Sequence[np.dtype[Any]]) -> tuple[Type, ...] | None:
    """Return the types of elements of these dtypes; None if one of them is not a compiled
    number."""
    found = tuple(types.from_dtype(dtype) if dtype.isnative else None for dtype in dtypes)
    return None if None in found else found  # type: ignore[return-value]


# --- kernels of elements ------------------------------------------------------------------------


def element_signature(name: str, count: int, written: Any) -> WrittenSignature:
    """Read a signature of numbers for a kernel of elements.

    Raises SignatureError for another one.
    """
    signature = read_signature(written)
    returns = signature.returns
    outputs = returns.items if isinstance(returns, Tuple) else () if returns is None else (returns,)
    for ty in (*signature.args, *outputs):
        if not types.is_number(ty):
            raise SignatureError(
                f"{name}: {ty} is not a type of elements that a loop can compute with",
                hint="write the type of one element, a number: float64, not float64[:]",
            )
    _check_count(name, count, len(signature.args))
    return signature


def _check_count(name: str, wanted: int, given: int) -> None:
    if wanted != given:
        plural = "" if wanted == 1 else "s"
        raise SignatureError(f"{name} has {wanted} parameter{plural}, the signature {given}")


def element_row(half: Half, argtypes: tuple[Type, ...], returns: Type | None) -> UfuncLoop:
    """Compile the loop of a kernel of elements.

    Raises CompileError where the kernel cannot be compiled, or does not return numbers.
    """
    if returns is not None:
        half.returns[argtypes] = returns
    try:
        specialization = compile_for(half, argtypes)
    except CompileError:
        half.returns.pop(argtypes, None)
        raise
    outputs = element_types(list(map(np.dtype, returned_numbers(specialization))))
    assert outputs is not None
    return UfuncLoop((*argtypes, *outputs), specialization)


# --- kernels of parts of arrays -----------------------------------------------------------------


def core_signature(name: str, layout: Layout, written: Any) -> tuple[Type, ...]:
    """Read the argument types of a kernel over parts.

    Raises SignatureError where they do not fit the layout.
    """
    signature = read_signature(written)
    if signature.returns not in (None, types.none):
        raise SignatureError(
            f"{name}: a kernel of guvectorize returns nothing, and the signature says"
            f" {signature.returns}",
            hint="store results in the last arguments: `void(float64[:], float64[:])`",
        )
    _check_operands(name, layout, len(signature.args))
    for index, (ty, core) in enumerate(zip(signature.args, layout.operands, strict=True)):
        element = ty.dtype if isinstance(ty, Array) else ty
        if not types.is_number(element):
            raise SignatureError(f"{name}: a loop cannot compute with {ty}")
        _check_dimensions(name, layout, index, ty, core)
    return signature.args


def _check_operands(name: str, layout: Layout, given: int) -> None:
    wanted = len(layout.operands)
    if given != wanted:
        raise SignatureError(
            f"{name}: the layout {layout} has {wanted} operands, the signature {given}",
            hint="inputs and outputs are all arguments of the kernel",
        )


def _check_dimensions(
    name: str, layout: Layout, place: int, ty: Type, core: tuple[str, ...]
) -> None:
    given = ty.ndim if isinstance(ty, Array) else 0
    is_output = place >= len(layout.inputs)
    allowed = {len(core)} if core else {1} if is_output else {0, 1}
    if given not in allowed:
        wanted = " or ".join(f"{count}" for count in sorted(allowed))
        raise SignatureError(
            f"{name}: argument {place} is {ty}, and its operand ({','.join(core)}) in the layout"
            f" {layout} takes {wanted} dimension{'' if wanted == '1' else 's'}",
            hint="a number that is an output is an array of one element: `float64[:]`"
            if is_output and not core
            else "the kernel gets the core dimensions of each operand",
        )


def core_types(layout: Layout, elements: Sequence[Type]) -> tuple[Type, ...]:
    """Return the types of a kernel's arguments for elements of these types, without a signature."""
    found: list[Type] = []
    for index, (ty, core) in enumerate(zip(elements, layout.operands, strict=True)):
        is_number = not core and index < len(layout.inputs)
        found.append(ty if is_number else Array(ty, max(len(core), 1), "A"))
    return tuple(found)


def core_row(half: Half, layout: Layout, argtypes: tuple[Type, ...]) -> UfuncLoop:
    """Compile the loop of a kernel over parts of arrays: the kernel for arrays with any strides,
    and one for those without gaps.

    Raises CompileError where the kernel cannot be compiled, returns something, or assigns the name
    of an output that it never stores in.
    """
    check_outputs(half.py_func, layout)
    strided = tuple(_with_layout(ty, core, "A") for ty, core in zip(argtypes, layout.operands))
    dense = tuple(_with_layout(ty, core, "C") for ty, core in zip(argtypes, layout.operands))
    specialization = _returning_nothing(half, strided)
    contiguous = None
    if dense != strided:
        contiguous = _returning_nothing(half, dense)
    names = layout.names
    return UfuncLoop(
        elements_of(argtypes),
        specialization,
        contiguous,
        bytes(ty.ndim if isinstance(ty, Array) else 255 for ty in argtypes),
        bytes(map(len, layout.operands)),
        bytes(names.index(name) for core in layout.operands for name in core),
        strided,
    )


def check_outputs(function: FunctionType, layout: Layout) -> None:
    """Raise TypingError for `out = x`, which rebinds the variable and leaves the array
    unchanged."""
    names = function.__code__.co_varnames[len(layout.inputs) : len(layout.operands)]
    lost = lost_parameters(function)
    for name, core in zip(names, layout.outputs, strict=True):
        if name in lost:
            raise TypingError(
                f"nothing is stored in the output `{name}`: an assignment to its name changes the"
                " variable, not the array",
                lost[name],
                f"write {name}[{'...' if core else '0'}] = ...",
            )


def elements_of(argtypes: Sequence[Type]) -> tuple[Type, ...]:
    """Return the types of the elements of a kernel's arguments."""
    return tuple(ty.dtype if isinstance(ty, Array) else ty for ty in argtypes)


def _with_layout(ty: Type, core: tuple[str, ...], layout: str) -> Type:
    if not isinstance(ty, Array):
        return ty
    # A number as an array of one element is contiguous whatever NumPy's strides are.
    return Array(ty.dtype, ty.ndim, layout if core else "C")


def _returning_nothing(half: Half, argtypes: tuple[Type, ...]) -> Specialization:
    half.returns[argtypes] = types.none
    try:
        return compile_for(half, argtypes)
    except CompileError:
        half.returns.pop(argtypes, None)
        raise


# --- inspection ---------------------------------------------------------------------------------


def llvm_of(half: Half, argtypes: tuple[Type, ...]) -> str:
    """Return the LLVM IR of a loop, before optimization."""
    text: str = compiler.machine_code_unit(half, argtypes).llvm
    return text


def asm_of(half: Half, argtypes: tuple[Type, ...]) -> str:
    """Return the assembly of a loop."""
    text: str = compiler.machine_code_unit(half, argtypes).asm
    return text
