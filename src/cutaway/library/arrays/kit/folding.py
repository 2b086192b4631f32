"""Lines of elements folded, or accumulated, by a binary ufunc.

Floats take NumPy's own loop, with a stride of zero for the total: it adds, and chooses among zeros
and NaNs, as NumPy's reductions do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import static
from cutaway.extending.registry import primitive
from cutaway.foundation.element_functions import name_of
from cutaway.library.arrays.kit.typers import private
from cutaway.library.elements.kernels import KernelMaker, computed, inline_of, kernel_of
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.loops import call_loop, has_loop
from cutaway.lowering.arrays.reductions import fold_line as fold_by_loop
from cutaway.lowering.arrays.reductions import reduce
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Reducing, Signature
from cutaway.typing.types import Array, Complex, Float, Type
from cutaway.typing.ufuncs import Loop


def loop_of(function: np.ufunc, ty: Type) -> str:
    """The name of the NumPy loop for operands of a type."""
    char = types.to_dtype(ty).char
    return f"numpy.{name_of(function)}.{char}{char}.{char}"


def ufunc_of(argument: Value) -> np.ufunc:
    """The ufunc that an argument's type names."""
    assert isinstance(argument.ty, types.Function)
    function: np.ufunc = argument.ty.value
    return function


def _is_line(ty: Type, dtype: Type) -> bool:
    return isinstance(ty, Array) and ty.ndim == 1 and ty.dtype is dtype


# --- folds ------------------------------------------------------------------------------------


def fold(function, total, line):
    """Fold the elements of a line into a total, in the total's type."""
    return function.reduce(line, initial=total, dtype=type(total))


def _fold_rule(arguments: Arguments) -> Signature | None:
    function, total, line = arguments.types
    is_line = isinstance(line, Array) and line.ndim == 1
    fits = isinstance(function, types.Function) and is_line
    return Signature(total, arguments.types) if fits else None


@primitive(fold, _fold_rule, any_elements=True)
def fold_line(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a call of the NumPy loop, or a loop of instructions; sums of floats are pairwise."""
    function, total, line = ufunc_of(args[0]), args[1], args[2]
    ty, parts = total.ty, array_parts(line)
    assert isinstance(line.ty, Array)
    name, is_own = name_of(function), line.ty.dtype is ty
    if is_own and _is_by_loop(function, ty) and line.ty.aligned and has_loop(loop_of(function, ty)):
        own = parts.data, parts.strides[0]
        return fold_by_loop(build, loop_of(function, ty), total, parts.shape[0], own)
    wide = types.float32 if ty is types.float16 and name in ("add", "multiply") else ty
    held = _Held(build, build.cast(total, wide))
    loop = Loop((wide, wide), (wide,))

    def combine(element: Value) -> None:
        held.store(computed(build, name, loop, [held.value, build.cast(element, wide)]))

    if name == "add" and isinstance(wide, Float | Complex):
        maker = KernelMaker(build, (line.ty,))
        kernel = maker.made(0 if line.ty.dtype is wide else maker.step(f"as.{wide}", 0))
        combine(reduce(build, Reducing("sum", None, False), kernel, [line], wide))
    else:
        build.loop(
            parts.shape[0], lambda k: combine(load_element(build, line.ty, _place(build, line, k)))
        )
    return build.cast(held.value, ty)


# With AVX-512 these loops of NumPy 2.4 and 2.5 load several floats at once even if the result has a
# stride of zero, and lose the total: `np.power.reduce(v)` is `v[0] ** v[-1]` there.
LOSES_THE_TOTAL = frozenset({np.arctan2, np.power})
# The ufuncs whose integer loops in NumPy are vectorized.
_VECTORS = frozenset("add multiply bitwise_and bitwise_or bitwise_xor minimum maximum".split())


def _is_by_loop(function: np.ufunc, ty: Type) -> bool:
    """True if NumPy's loop, if it exists, is called: it is faster, or rounds in its own way."""
    name = name_of(function)
    if function in LOSES_THE_TOTAL:
        return False
    if isinstance(ty, types.Integer) and name in _VECTORS:
        return True
    return not types.is_integral(ty) or inline_of(name, (ty, ty)) is None


def _place(build: FunctionBuilder, line: Value, k: str) -> str:
    parts = array_parts(line)
    return build.offset(parts.data, build.binary("mul", "i64", k, parts.strides[0]), inbounds=False)


class _Held:
    """A number in stack memory that changes from element to element."""

    def __init__(self, build: FunctionBuilder, value: Value) -> None:
        self.build = build
        self.ty = value.ty
        self.kinds = part_types(value.ty)
        self.places = [build.alloca(kind) for kind in self.kinds]
        self.store(value)

    def store(self, value: Value) -> None:
        """Replace the number."""
        for kind, part, place in zip(self.kinds, value.parts, self.places, strict=True):
            self.build.store(kind, part, place, 8)

    @property
    def value(self) -> Value:
        """The current number."""
        pairs = zip(self.kinds, self.places, strict=True)
        return Value(self.ty, tuple(self.build.load(kind, place, 8) for kind, place in pairs))


# --- accumulation -----------------------------------------------------------------------------


def accumulate_line(function, out, line):
    """Store in `out` the partial folds of a line."""
    out[...] = function.accumulate(line, dtype=out.dtype)


@static
def takes_elements(function: Any, a: Array, dtype: Any) -> bool:
    """True if a line need not be converted to a dtype first."""
    own, ty = types.to_dtype(a.dtype), types.from_dtype(dtype.value)
    if own == dtype.value:
        return True
    return (
        np.can_cast(own, dtype.value) and inline_of(name_of(function.value), (ty, ty)) is not None
    )


def accumulate_numbers(function, out, line):
    """Store in `out` the partial folds of a line, taking each NaN as the identity of `function`."""
    accumulate_line(function, out, np.where(np.isnan(line), function.identity, line))


def _accumulate_rule(arguments: Arguments) -> Signature | None:
    function, out, line = arguments.types
    fits = isinstance(function, types.Function) and isinstance(out, Array)
    if not fits or not _is_line(out, out.dtype) or not _is_line(line, line.dtype):
        return None
    return Signature(types.none, arguments.types)


@primitive(accumulate_line, _accumulate_rule, any_elements=True)
def lower_accumulate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a loop of instructions, or NumPy's loop reading its own results."""
    return _accumulate(build, args, skips=False)


@primitive(accumulate_numbers, _accumulate_rule)
def lower_accumulate_numbers(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a loop of instructions."""
    return _accumulate(build, args, skips=True)


def _accumulate(build: FunctionBuilder, args: list[Value], skips: bool) -> Value:
    function, out, line = ufunc_of(args[0]), args[1], args[2]
    assert isinstance(line.ty, Array) and isinstance(out.ty, Array)
    ty, (count,) = out.ty.dtype, array_parts(line).shape
    own = line.ty

    def element(k: str) -> Value:
        value = build.cast(load_element(build, own, _place(build, line, k)), ty)
        if not skips or not isinstance(ty, Float | Complex):
            return value
        kinds, other = part_types(ty), build.constant(ty, function.identity)
        tests = [build.fcompare("uno", k, x, x) for k, x in zip(kinds, value.parts, strict=True)]
        gap = tests[0] if len(tests) == 1 else build.binary("or", "i1", *tests)
        rows = zip(kinds, other.parts, value.parts, strict=True)
        return Value(ty, tuple(build.select(gap, *row) for row in rows))

    some, done = build.new_label("some"), build.new_label("done")
    build.branch(build.compare("eq", "i64", count, "0"), done, some)
    build.start(some)
    first = element("0")
    store_element(build, out.ty, first, array_parts(out).data)
    rest = build.binary("sub", "i64", count, "1")
    if inline_of(name_of(function), (ty, ty)) is None:
        factors, step = _place(build, line, "1"), array_parts(line).strides[0]
        after, by = _place(build, out, "1"), array_parts(out).strides[0]
        if skips or own.dtype is not ty or not own.aligned:  # NumPy's loop does not take these

            def store(k: str) -> None:
                following = build.binary("add", "i64", k, "1")
                store_element(build, out.ty, element(following), _place(build, out, following))

            build.loop(rest, store, plain=True)
            factors, step = after, by
        places = (array_parts(out).data, factors, after)
        call_loop(build, loop_of(function, ty), (rest,), places, (by, step, by))
    else:
        held = _Held(build, first)

        def add(k: str) -> None:
            following = build.binary("add", "i64", k, "1")
            values = [held.value, element(following)]
            held.store(computed(build, name_of(function), Loop((ty, ty), (ty,)), values))
            store_element(build, out.ty, held.value, _place(build, out, following))

        build.loop(rest, add, plain=True)
    build.jump(done)
    build.start(done)
    return Value(types.none, ())


# --- layer by layer ---------------------------------------------------------------------------


def combine_into(function, out, a, b):
    """Store `function(a, b)` in `out`, which may alias an operand only element by element; all have
    one shape and dtype."""
    function(a, b, out)


def _combine_rule(arguments: Arguments) -> Signature | None:
    function, *arrays = arguments.types
    fits = isinstance(function, types.Function) and all(isinstance(ty, Array) for ty in arrays)
    return Signature(types.none, arguments.types) if fits else None


@primitive(combine_into, _combine_rule, any_elements=True)
def lower_combine(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit the ufunc's loop without a check for shared memory."""
    kernel = kernel_of(build, name_of(ufunc_of(args[0])), (args[2].ty, args[3].ty))
    nests.store_into(build, kernel, args[2:], args[1], tested=())
    return Value(types.none, ())


# --- with a mask ------------------------------------------------------------------------------


def end_of_run(mask, k, wanted):
    """The first position from `k` on where a line of bools differs from `wanted`, or its end."""
    while k < len(mask) and mask[k] == wanted:
        k += 1
    return k


def _run_rule(arguments: Arguments) -> Signature | None:
    mask, _, wanted = arguments.types
    fits = _is_line(mask, types.boolean) and wanted is types.boolean
    return Signature(types.int64, (mask, types.int64, wanted)) if fits else None


@primitive(end_of_run, _run_rule)
def find_end_of_run(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit the search, eight bools at a time if they are contiguous, then one at a time."""
    mask, wanted = args[0], args[2].parts[0]
    (count,), (step,) = array_parts(mask).shape, array_parts(mask).strides
    held = _Held(build, args[1])
    wide, same, single, look, after, done = map(
        build.new_label, ("wide", "same", "single", "look", "after", "done")
    )
    pattern = build.select(wanted, "i64", str(0x0101010101010101), "0")
    build.branch(build.compare("eq", "i64", step, "1"), wide, single)
    build.start(wide)
    k = held.value.parts[0]
    beyond = build.binary("add", "i64", k, "8")
    build.branch(build.compare("sle", "i64", beyond, count), same, single)
    build.start(same)
    held_word = build.load("i64", build.offset(array_parts(mask).data, k), 1)
    following = build.new_label("following")
    build.branch(build.compare("eq", "i64", held_word, pattern), following, single)
    build.start(following)
    held.store(Value(types.int64, (beyond,)))
    build.jump(wide)
    build.start(single)
    k = held.value.parts[0]
    build.branch(build.compare("slt", "i64", k, count), look, done)
    build.start(look)
    assert isinstance(mask.ty, Array)
    element = load_element(build, mask.ty, _place(build, mask, k)).parts[0]
    build.branch(build.compare("eq", "i1", element, wanted), after, done)
    build.start(after)
    held.store(Value(types.int64, (build.binary("add", "i64", k, "1"),)))
    build.jump(single)
    build.start(done)
    return held.value


_SHORT = 8  # elements that NumPy adds one by one


@static
def _adds_floats(function: Any, line: Array) -> bool:
    """True for sums of floats except float16, whose sum is rounded after each run."""
    return function.value is np.add and line.dtype in _FLOATS


_FLOATS = (types.float32, types.float64, types.complex64, types.complex128)


@private
def fold_where(function, total, line, mask):
    """Fold the selected elements of a line into a total as NumPy does: run by run, the short ones
    without a call."""
    k, count = end_of_run(mask, 0, False), len(line)
    while k < count:
        stop = end_of_run(mask, k, True)
        if _adds_floats(function, line) and stop - k < _SHORT:
            part = -line.dtype.type(0)
            for n in range(k, stop):
                part += line[n]
            total += part
        else:
            total = fold(function, total, line[k:stop])
        k = end_of_run(mask, stop, False)
    return total
