"""`einsum` with constant subscripts: by NumPy's matrix loops if these apply, else by one loop
nest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import CONTEXT
from cutaway.library.arrays.kit.dtypes import dtype_of, joint
from cutaway.library.arrays.kit.stacks import converted, free
from cutaway.library.arrays.kit.typers import is_array, said
from cutaway.library.arrays.products.subscripts import (
    Letters,
    Subscripts,
    in_letters,
    parse_subscripts,
)
from cutaway.library.elements.kernels import computed
from cutaway.lowering.arrays.copying import assign
from cutaway.lowering.arrays.elements import element_pointer, load_element, store_element
from cutaway.lowering.arrays.loops import has_loop, ufunc_of
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.messages import raise_text, shape_format
from cutaway.lowering.arrays.shapes import broadcast_into, common_size, either, element_count
from cutaway.lowering.arrays.stacks import call_stack, stack_call
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value, item_size
from cutaway.typing import types
from cutaway.typing.overloads.resolution import (
    MISSING,
    Arguments,
    Call,
    Overload,
    Signature,
    Typed,
    lay_out,
)
from cutaway.typing.types import Array, Boolean, Float, Type
from cutaway.typing.ufuncs import Loop

_NAMED = (("out", None), ("dtype", None), ("order", "K"), ("casting", "safe"), ("optimize", False))


# --- types ------------------------------------------------------------------------------------


class _Call:
    """A call: its subscripts, its operands' types, the dtype, and its result's type."""

    def __init__(self, arguments: tuple[Type, ...], places: Subscripts) -> None:
        self.subscripts = places
        self.operands = arguments[1 : -len(_NAMED)]
        out, dtype, _, casting = arguments[-len(_NAMED) :][:4]
        self.casting = str(said(casting))
        asked = types.from_dtype(joint(*self.operands))
        self.dtype: Type = dtype_of(dtype, asked) or asked
        self.out = out if isinstance(out, Array) else None
        self.is_view = len(self.operands) == 1 and not places.summed and self.out is None
        self.is_view = self.is_view and self.operands[0].dtype is self.dtype

    def check_casts(self) -> None:
        """Raise TypingError for an operand whose conversion is forbidden."""
        dtype = types.to_dtype(self.dtype)
        for number, operand in enumerate(self.operands):
            own = types.to_dtype(operand.dtype)
            if not np.can_cast(own, dtype, self.casting):
                raise TypingError(
                    f"Iterator operand {number} dtype could not be cast from {own!r} to {dtype!r}"
                    f" according to the rule {self.casting!r}",
                    hint="write casting='unsafe', or convert the operand with astype",
                )

    @property
    def returns(self) -> Type:
        """The type of the result."""
        ndim = len(self.subscripts.result)
        if self.out is not None:
            return self.out
        if self.is_view and ndim:
            (operand,) = self.operands
            assert isinstance(operand, Array)
            return operand.viewed(ndim, "A")
        return Array(self.dtype, ndim, "C") if ndim else self.dtype


def _call_of(arguments: tuple[Type, ...]) -> _Call | None:
    given = arguments[: -len(_NAMED)]
    if not given:
        raise TypingError(
            "np.einsum needs subscripts and at least one array",
            hint="for example np.einsum('ij,jk->ik', a, b)",
        )
    text, *operands = given
    if not isinstance(text, types.String) or not operands or not all(map(is_array, operands)):
        return None
    dimensions = [one.ndim for one in operands]
    return _Call(arguments, parse_subscripts(str(text.value), dimensions))


def _rule(arguments: Arguments) -> Signature | None:
    call = _call_of(arguments.types)
    if call is None:
        return None
    call.check_casts()
    if call.out is not None:
        if call.out.ndim != len(call.subscripts.result):
            raise TypingError(
                f"out parameter does not have the correct number of dimensions, has {call.out.ndim}"
                f" but should have {len(call.subscripts.result)}"
            )
        if call.out.readonly:
            raise TypingError("output array is read-only", hint="pass a writeable array")
        if not np.can_cast(types.to_dtype(call.dtype), types.to_dtype(call.out.dtype), "safe"):
            raise TypingError("the output of np.einsum cannot hold the result")
    return Signature(call.returns, arguments.types)


# --- sizes ------------------------------------------------------------------------------------


class _EinsumOperand:
    """An operand during lowering: its address, its stride along each letter, and whether it is
    contiguous in the order of its letters."""

    def __init__(self, ty: Array, data: str, owner: str, steps: dict[str, str]) -> None:
        self.ty = ty
        self.data = data
        self.owner = owner
        self.steps = steps
        self.is_packed = ty.layout == "C" and len(steps) == ty.ndim

    def with_steps(self, steps: dict[str, str]) -> _EinsumOperand:
        """The operand with other strides."""
        return _EinsumOperand(self.ty, self.data, self.owner, steps)


def _operand_of(
    build: FunctionBuilder, value: Value, letters: Letters, which: str
) -> tuple[_EinsumOperand, dict[str, str]]:
    """An operand and the size of each of its letters; a repeated letter selects a diagonal."""
    parts, sizes, steps = array_parts(value), {}, {}
    for letter, size, step in zip(letters, parts.shape, parts.strides, strict=True):
        if letter not in sizes:
            sizes[letter], steps[letter] = size, step
            continue
        bad = build.compare("ne", "i64", sizes[letter], size)
        message = (
            f"dimensions in {which} for collapsing index '{letter}' don't match ({{}} != {{}})"
        )
        numbers = [Value(types.int64, (one,)) for one in (sizes[letter], size)]
        raise_text(build, bad, ValueError, message, numbers)
        steps[letter] = build.binary("add", "i64", steps[letter], step)
    assert isinstance(value.ty, Array)
    operand = _EinsumOperand(value.ty, parts.data, parts.owner, steps)
    if operand.is_packed and letters:
        steps[letters[-1]] = str(item_size(value.ty.dtype))  # constant, for vectorization
    return operand, sizes


def _merged_sizes(
    build: FunctionBuilder,
    places: Subscripts,
    operands: list[_EinsumOperand],
    each: list[dict[str, str]],
    shapes: list[tuple[str, ...]],
) -> tuple[dict[str, str], list[_EinsumOperand], str]:
    """The size of each letter, the operands with strides of 0 along axes of length one, and an i1:
    whether any operand is repeated along an axis."""
    wrong, repeated, sizes = "false", "false", {}
    spread = [dict(operand.steps) for operand in operands]
    for letter in (*places.result, *places.summed):
        size = "1"
        for own in each:
            if letter in own:
                size, bad = common_size(build, size, own[letter])
                wrong = either(build, wrong, bad)
        sizes[letter] = size
        for steps, own in zip(spread, each, strict=False):
            if letter in own and own[letter] != size:
                differ = build.compare("ne", "i64", own[letter], size)
                steps[letter] = build.select(differ, "i64", "0", steps[letter])
                repeated = either(build, repeated, differ)
    if wrong != "false":
        _raise_sizes(build, wrong, places, each, shapes)
    return (
        sizes,
        [one.with_steps(steps) for one, steps in zip(operands, spread, strict=True)],
        repeated,
    )


def _raise_sizes(
    build: FunctionBuilder,
    wrong: str,
    places: Subscripts,
    each: list[dict[str, str]],
    shapes: list[tuple[str, ...]],
) -> None:
    order = (*places.result, *sorted(places.summed))
    texts, numbers = [], []
    for own, shape in zip(each, shapes, strict=True):
        first = next((k for k, letter in enumerate(order) if letter in own), len(order))
        remapped = ["{}" if letter in own else "newaxis" for letter in order[first:]]
        remapped += [""] * (len(order) == 1)
        texts.append(f"{shape_format(len(shape))}->({','.join(remapped)}) ")
        numbers += [*shape, *(own[letter] for letter in order if letter in own)]
    message = (
        "operands could not be broadcast together with remapped shapes [original->remapped]: "
        + "".join(texts)
    )
    raise_text(build, wrong, ValueError, message, [Value(types.int64, (n,)) for n in numbers])


# --- lowering ---------------------------------------------------------------------------------


def _lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    call = _call_of(sig.args)
    assert call is not None
    places, values = call.subscripts, args[1 : -len(_NAMED)]
    if call.is_view:
        return _view(build, call, values[0], places)
    ready = [converted(build, value, call.dtype) for value in values]
    pairs = [
        _operand_of(build, value, letters, f"operand {number}")
        for number, ((value, _), letters) in enumerate(zip(ready, places.operands, strict=True))
    ]
    operands, each = [one for one, _ in pairs], [own for _, own in pairs]
    shapes = [array_parts(value).shape for value in values]
    if call.out is not None:
        shapes.append(array_parts(args[-len(_NAMED)]).shape)
        each.append(dict(zip(places.result, shapes[-1], strict=True)))
    sizes, spread, repeated = _merged_sizes(build, places, operands, each, shapes)
    result = _new_result(build, call, sizes, not _is_in_register(places, operands))
    slot = build.keep(array_parts(result).owner)
    if not _by_matrices(build, places, spread, sizes, result):
        _by_loops_of_either(build, places, (operands, spread), (sizes, repeated), result)
    free(build, ready)
    given = _finished(build, call, result, args[-len(_NAMED)])
    build.let_go(slot)
    if given is not result:
        build.call("void", "cutaway_decref", [("ptr", array_parts(result).owner)])
    return given


def _view(build: FunctionBuilder, call: _Call, value: Value, places: Subscripts) -> Value:
    operand, sizes = _operand_of(build, value, places.operands[0], "single operand")
    if not places.result:
        return load_element(build, operand.ty, operand.data)
    build.call("void", "cutaway_incref", [("ptr", operand.owner)])
    shape = tuple(sizes[letter] for letter in places.result)
    strides = tuple(operand.steps[letter] for letter in places.result)
    assert isinstance(call.returns, Array)
    return array_value(call.returns, ArrayParts(operand.owner, operand.data, shape, strides))


def _new_result(build: FunctionBuilder, call: _Call, sizes: dict[str, str], zeroed: bool) -> Value:
    letters = call.subscripts.result
    ty = Array(call.dtype, max(len(letters), 1), "C")
    shape = tuple(sizes[letter] for letter in letters) or ("1",)
    return allocate(build, ty, shape, zeroed)


def _finished(build: FunctionBuilder, call: _Call, result: Value, out: Value) -> Value:
    """The call's result: the new array, its only element, or the caller's array."""
    parts = array_parts(result)
    if call.out is None:
        if call.subscripts.result:
            return result
        return load_element(build, Array(call.dtype, 0, "C"), parts.data)
    target = array_parts(out)
    shape = parts.shape if call.subscripts.result else ()
    broadcast_into(build, [shape], target.shape)
    stored = ArrayParts(parts.owner, parts.data, shape, parts.strides[: len(shape)])
    source = array_value(Array(call.dtype, len(shape), "C"), stored)
    fitting, slot = converted(build, source, call.out.dtype)
    assign(build, item_size(call.out.dtype), array_parts(fitting), target)
    free(build, [(fitting, slot)])
    build.call("void", "cutaway_incref", [("ptr", target.owner)])
    return out


# --- by NumPy's matrix loops ------------------------------------------------------------------


def _by_matrices(
    build: FunctionBuilder,
    places: Subscripts,
    operands: list[_EinsumOperand],
    sizes: dict[str, str],
    result: Value,
) -> bool:
    """Store the product of two stacks of matrices; False if the subscripts describe none."""
    if len(operands) != 2 or not isinstance(operands[0].ty.dtype, Float | types.Complex):
        return False
    a, b = operands
    both = [letter for letter in places.result if letter in a.steps and letter in b.steps]
    rows = [letter for letter in places.result if letter not in b.steps]
    columns = [letter for letter in places.result if letter not in a.steps]
    inner = [letter for letter in places.summed if letter in a.steps and letter in b.steps]
    alone = set(places.summed) - set(inner)
    if alone or len(inner) != 1 or len(rows) > 1 or len(columns) > 1:
        return False
    name = "matmul" if rows or columns else "vecdot"
    char = types.to_dtype(a.ty.dtype).char
    loop = f"numpy.{name}.{char}{char}.{char}"
    if not has_loop(loop) or (name == "vecdot" and char in "FD"):  # vecdot conjugates
        return False
    shapes = ([*both, *rows, *inner], [*both, *inner, *columns])
    views = [
        _seen(one.ty, one.data, letters, sizes, one.steps)
        for one, letters in zip(operands, shapes, strict=True)
    ]
    ndims = [len(letters) for letters in shapes]
    if name == "matmul" and not (rows and columns):
        # A vector counts as a matrix of one row or one column.
        places_of_ones = (len(both), len(both) + 1)
        missing = 0 if not rows else 1
        views[missing] = _widened(views[missing], places_of_ones[missing])
        ndims[missing] += 1
    call = stack_call(loop, ufunc_of(loop), ndims)
    assert call is not None
    parts = array_parts(result)
    steps = dict(zip(places.result, parts.strides, strict=False))
    order = [*both, *rows, *columns]
    target = _seen(Array(a.ty.dtype, 1, "C"), parts.data, order, sizes, steps)
    if name == "matmul" and not (rows and columns):
        target = _widened(target, len(both) if not rows else len(both) + 1)
    call_stack(build, call, views, [target])
    return True


def _seen(
    ty: Array, data: str, letters: Sequence[str], sizes: dict[str, str], steps: dict[str, str]
) -> Value:
    """A view with one axis per letter."""
    shape = tuple(sizes[letter] for letter in letters)
    strides = tuple(steps[letter] for letter in letters)
    view = Array(ty.dtype, len(letters), "A" if letters else "C")
    return array_value(view, ArrayParts("null", data, shape, strides))


def _widened(value: Value, axis: int) -> Value:
    """A view with a new axis of length one."""
    parts = array_parts(value)
    assert isinstance(value.ty, Array)
    shape = (*parts.shape[:axis], "1", *parts.shape[axis:])
    strides = (*parts.strides[:axis], "0", *parts.strides[axis:])
    view = Array(value.ty.dtype, len(shape), "A")
    return array_value(view, ArrayParts("null", parts.data, shape, strides))


# --- by a loop nest ---------------------------------------------------------------------------


def _is_in_register(places: Subscripts, operands: list[_EinsumOperand]) -> bool:
    """True if sums are kept in a register: an operand's last axis is summed over."""
    dtype = operands[0].ty.dtype
    last = {tuple(one.steps)[-1] for one in operands if one.steps}
    if dtype is types.float16 or isinstance(dtype, Boolean):
        return True
    return not places.summed or bool(last & set(places.summed))


def _by_loops_of_either(
    build: FunctionBuilder,
    places: Subscripts,
    operands: tuple[list[_EinsumOperand], list[_EinsumOperand]],
    sizes: tuple[dict[str, str], str],
    result: Value,
) -> None:
    """Emit loops over the operands as they are, and others for repeated operands."""
    (own, spread), (counts, repeated) = operands, sizes
    if repeated == "false":
        _by_packed_loops(build, places, own, counts, result)
        return
    slow, fast, after = (build.new_label(name) for name in ("repeated", "plain", "done"))
    build.branch(repeated, slow, fast)
    build.start(slow)
    _by_loops(build, places, spread, counts, result)
    build.jump(after)
    build.start(fast)
    _by_packed_loops(build, places, own, counts, result)
    build.jump(after)
    build.start(after)


def _by_packed_loops(
    build: FunctionBuilder,
    places: Subscripts,
    operands: list[_EinsumOperand],
    sizes: dict[str, str],
    result: Value,
) -> None:
    """Like `_by_loops`, with all axes merged if all operands are contiguous in one order."""
    letters = places.operands[0]
    same = all(one == letters for one in places.operands) and places.result in ((), letters)
    if len(letters) < 2 or not same or not all(one.is_packed for one in operands):
        _by_loops(build, places, operands, sizes, result)
        return
    (last,) = letters[-1:]
    count = element_count(build, [sizes[letter] for letter in letters])
    merged = Subscripts(((last,),) * len(operands), places.result[-1:])
    step = str(item_size(operands[0].ty.dtype))
    lines = [one.with_steps({last: step}) for one in operands]
    parts = array_parts(result)
    line = ArrayParts(parts.owner, parts.data, (count,), (step,))
    whole = array_value(Array(operands[0].ty.dtype, 1, "C"), line)
    _by_loops(build, merged, lines, {last: count}, whole)


def _by_loops(
    build: FunctionBuilder,
    places: Subscripts,
    operands: list[_EinsumOperand],
    sizes: dict[str, str],
    result: Value,
) -> None:
    """Emit loops that add up the products of elements, in a register or in the result."""
    build.has_nests = True
    dtype = operands[0].ty.dtype
    if _is_in_register(places, operands):
        _in_register(build, places, operands, sizes, result)
        return
    order = dict.fromkeys([*_order_of(places), *places.result, *places.summed])

    def add(index: tuple[str, ...]) -> None:
        at = dict(zip(order, index, strict=True))
        place = _place(build, result, places.result, at)
        total = load_element(build, Array(dtype, 1, "C"), place)
        value = _sum(build, total, _product(build, operands, at, dtype), dtype)
        store_element(build, Array(dtype, 1, "C"), value, place)

    build.loop_nest([sizes[letter] for letter in order], add)


def _order_of(places: Subscripts) -> Letters:
    """The letters of the operand with the most, in its order."""
    return max(places.operands, key=len)


def _in_register(
    build: FunctionBuilder,
    places: Subscripts,
    operands: list[_EinsumOperand],
    sizes: dict[str, str],
    result: Value,
) -> None:
    dtype = operands[0].ty.dtype
    wide = types.float32 if dtype is types.float16 else dtype
    slot = build.alloca("i64", 2)
    cell = Array(wide, 0, "C")

    def one(index: tuple[str, ...]) -> None:
        at = dict(zip(places.result, index, strict=True))
        zero = build.constant(wide, types.to_dtype(wide).type(0).item())
        if not places.summed:  # NumPy adds to zero here too, so no product is -0.0
            value = _sum(build, zero, _product(build, operands, at, wide), wide)
            place = _place(build, result, places.result, at)
            store_element(build, Array(dtype, 1, "C"), value, place)
            return
        store_element(build, cell, zero, slot)

        def add(inner: tuple[str, ...]) -> None:
            every = {**at, **dict(zip(places.summed, inner, strict=True))}
            total = load_element(build, cell, slot)
            store_element(
                build, cell, _sum(build, total, _product(build, operands, every, wide), wide), slot
            )

        build.loop_nest([sizes[letter] for letter in places.summed], add)
        total = load_element(build, cell, slot)
        place = _place(build, result, places.result, at)
        store_element(build, Array(dtype, 1, "C"), total, place)

    _nest(build, [sizes[letter] for letter in places.result], one)


def _nest(
    build: FunctionBuilder, counts: list[str], body: Callable[[tuple[str, ...]], None]
) -> None:
    if counts:
        build.loop_nest(counts, body)
    else:
        body(())


def _place(build: FunctionBuilder, result: Value, letters: Letters, at: dict[str, str]) -> str:
    parts = array_parts(result)
    if not letters:
        return parts.data
    return element_pointer(build, parts.data, parts.strides, tuple(at[one] for one in letters))


def _product(
    build: FunctionBuilder, operands: list[_EinsumOperand], at: dict[str, str], dtype: Type
) -> Value:
    """The product of one element of each operand."""
    product = None
    for one in operands:
        index = tuple(at[letter] for letter in one.steps)
        place = element_pointer(build, one.data, tuple(one.steps.values()), index)
        value = build.cast(load_element(build, one.ty, place), dtype)
        if product is None:
            product = value
        else:
            loop = Loop((dtype, dtype), (dtype,))
            product = computed(build, "multiply", loop, [product, value])
    assert product is not None
    return product


def _sum(build: FunctionBuilder, total: Value, value: Value, dtype: Type) -> Value:
    """The sum of two numbers; floats may be reassociated."""
    if isinstance(dtype, Float):
        kind = {32: "float", 64: "double"}[dtype.bits]
        parts = (build.binary("fadd reassoc", kind, total.parts[0], value.parts[0]),)
        return Value(dtype, parts)
    return computed(build, "add", Loop((dtype, dtype), (dtype,)), [total, value])


# --- axes as lists of numbers -----------------------------------------------------------------


def _numbers_of(ty: Type, constant: Any) -> list[int] | None:
    """The axis numbers of an operand in a call without a text. Raises TypingError if they are not
    constant."""
    if not isinstance(ty, types.Tuple):
        return None
    known = () if not ty.items else constant
    if not isinstance(known, tuple | list) or not all(type(one) is int for one in known):
        raise TypingError(
            "the numbers of the axes must be integers that are known when compiling",
            hint="write them as letters: np.einsum('ij,jk->ik', a, b)",
        )
    return list(known)


def _in_letters(call: Call) -> Typed | None:
    """`einsum(a, [0, 1], b, [1, 2], [0, 2])`, resolved as the call with letters."""
    given = call.arguments.types[: call.positional]
    found = lay_out(_OVERLOAD, call)
    if found is None or len(given) < 2 or isinstance(given[0], types.String):
        return None
    arguments, layout = found
    count = len(given) // 2
    places = [*range(1, 2 * count, 2), *range(2 * count, len(given))]
    numbers = [_numbers_of(given[k], arguments.constants[k]) for k in places]
    if None in numbers:
        return None
    text = types.String(in_letters(numbers[:count], *numbers[count:]))
    kept = [*range(0, 2 * count, 2), *range(len(given), len(arguments))]
    whole = (text, *(arguments.types[k] for k in kept))
    signature = _rule(Arguments(whole, (MISSING,) * len(whole)))
    if signature is None:
        return None

    def einsum(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return _lower(build, signature, [Value(text, ()), *(args[k] for k in kept)])

    return Typed(Signature(signature.returns, arguments.types), layout, einsum)


_lower.__name__ = "einsum"
_OVERLOAD = Overload(_rule, (), _lower, named=_NAMED)
CONTEXT.add(np.einsum, _OVERLOAD)
CONTEXT.add(np.einsum, Overload(None, (), None, named=_NAMED, template=_in_letters))
