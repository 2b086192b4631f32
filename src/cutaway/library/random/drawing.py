"""Random numbers of one distribution: one of them, or an array of them.

What draws is found by name when code is loaded (`runtime/numpy_random.py`).  The functions without
a type here are the library's own: typed by a rule, and in Python what their bodies say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import UnsupportedError
from cutaway.extending.registry import primitive
from cutaway.library.random.lending import borrowed, lent
from cutaway.library.random.rules import Rule, is_broken
from cutaway.library.random.table import Distribution, distribution
from cutaway.lowering.arrays.elements import load_element
from cutaway.lowering.arrays.loops import has_loop, loop_parts
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, make_tuple, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, RandomSource, String, Tuple, Type

NUMBERS: dict[str, Type] = {"d": types.float64, "l": types.int64}
LLVM = {"d": "double", "l": "i64"}
# The numbers that are passed where a distribution has fewer parameters, by what is called.
PASSED = {"d": "ddd", "dd": "ddd", "ddd": "ddd", "": "ddd", "lll": "lll", "l": "lll", "ld": "ld"}

# How a method is told what the end of a name says.
_HOW: dict[str, dict[str, Any]] = {
    "single": {"dtype": np.float32},
    "inverse": {"method": "inv"},
}


def _method(rng: Any, name: str) -> Any:
    stem, *how = name.split(".")
    named: dict[str, Any] = {}
    for word in how:
        named |= _HOW[word]
    return lambda *given, **more: getattr(rng, stem)(*given, **named, **more)


def source_name(ty: RandomSource, name: str) -> str:
    """What code calls the distribution of a source.

    Raises UnsupportedError where this NumPy is not as expected.
    """
    place = "state" if ty.is_frozen else "generator"
    full = f"numpy.random.{place}.{name}"
    if not has_loop(full):
        raise UnsupportedError(
            f"{ty}.{name} cannot be called with NumPy {np.__version__}",
            hint="its objects are not laid out as expected; draw the numbers in Python",
        )
    return full


def known(ty: Any, name: Any) -> Distribution | None:
    """The distribution that a call asks for."""
    if not isinstance(ty, RandomSource) or not isinstance(name, String):
        return None
    return distribution(str(name.value), ty.is_frozen)


def is_parameter(ty: Any, kind: str) -> bool:
    """True if numbers of a type can be parameters: integers only where these are asked for."""
    if isinstance(ty, Array):
        ty = ty.dtype
        if kind == "l" and ty is types.uint64:
            return False
    elif isinstance(ty, types.Omitted):
        ty = types.from_dtype(np.asarray(ty.value).dtype)
    if not isinstance(ty, Type):
        return False
    return types.is_integral(ty) if kind == "l" else types.is_real(ty)


def _parameters_fit(found: Distribution | None, params: Any) -> bool:
    if found is None or not isinstance(params, Tuple):
        return False
    pairs = zip(params.items, found.parameters, strict=False)
    return len(params.items) == len(found.parameters) and all(is_parameter(*p) for p in pairs)


# --- one number -------------------------------------------------------------------------------


def draw(rng, name, params):
    """A number of a distribution with these parameters."""
    return _method(rng, name)(*params)


def _draw_rule(arguments: Arguments) -> Signature | None:
    source, name, params = arguments.types
    found = known(source, name)
    if found is None or not _parameters_fit(found, params):
        return None
    if any(isinstance(one, Array) and one.ndim for one in params.items):
        return None
    return Signature(NUMBERS[found.result], arguments.types)


def _number(build: FunctionBuilder, value: Value, kind: str) -> str:
    """A parameter as a number; an array without dimensions is its element."""
    if isinstance(value.ty, Array):
        value = load_element(build, value.ty, array_parts(value).data)
    return build.cast(value, NUMBERS[kind]).parts[0]


def _raise_if_broken(
    build: FunctionBuilder, found: Distribution, params: list[Value], values: list[str]
) -> None:
    """An error of NumPy's for parameters that break a rule; defaults break none."""
    given = [not isinstance(one.ty, types.Omitted) for one in params]
    for rule in found.rules:
        if any(given[rule.place :]):
            broken = is_broken(build, rule, found.parameters, values)
            build.raise_if(broken, rule.exception, rule.words)


@primitive(draw, _draw_rule, any_elements=True)
def draw_one(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of what NumPy exports, once the parameters are known to be good."""
    source, name = sig.args[0], sig.args[1]
    found = known(source, name)
    assert found is not None and isinstance(source, RandomSource) and isinstance(name, String)
    params = tuple_items(args[2])
    values = [_number(build, *pair) for pair in zip(params, found.parameters, strict=True)]
    _raise_if_broken(build, found, params, values)
    kinds = PASSED[found.parameters]
    if found.parameters == "d" * len(found.parameters) and found.result == "l":
        kinds = "dd" if found.parameters else "lll"
    passed = [*values, *("0.0" if kind == "d" else "0" for kind in kinds[len(values) :])]
    function, data = loop_parts(build, source_name(source, str(name.value)))
    texts = [f"ptr {data}", f"ptr {args[0].parts[0]}"]
    texts += [f"{LLVM[kind]} {value}" for kind, value in zip(kinds, passed, strict=True)]
    made = build.result(f"call {LLVM[found.result]} {function}({', '.join(texts)})")
    return Value(sig.returns, (made,))


# --- the shape of the result ------------------------------------------------------------------


def shape_for(rng, name, params, size):
    """The shape of the numbers with these parameters: that which was asked for, or that which the
    parameters are broadcast to.  Raises ValueError where they do not fit."""
    shapes = tuple(np.shape(one) for one in params)
    whole = _asked(size) or ()
    fits = _fits(size, shapes)
    if not fits or (params and any(one < 1 for one in np.broadcast_shapes(whole, *shapes))):
        _refuse(rng, name, params, size)
    return np.broadcast_shapes(whole, *shapes)


def _asked(size: Any) -> tuple[int, ...] | None:
    if size is None:
        return None
    return tuple(map(int, size)) if isinstance(size, tuple) else (int(size),)


def _fits(size: Any, shapes: tuple[tuple[int, ...], ...]) -> bool:
    asked = _asked(size)
    try:
        whole = np.broadcast_shapes(asked or (), *shapes)
    except ValueError:
        return False
    return asked is None or whole == asked


def _refuse(rng: Any, name: str, params: Any, size: Any) -> None:
    """Raise NumPy's error for what does not fit, if there is one: another source is asked, which
    tells it before it draws."""
    scratch = np.random.RandomState(0) if isinstance(rng, np.random.RandomState) else None
    given = map(borrowed, params)
    _method(scratch or np.random.default_rng(0), name)(*given, size=size)


def _sizes(size: Type) -> tuple[Type, ...] | None:
    """The types of the sizes that were asked for; None where they are not integers."""
    items = size.items if isinstance(size, Tuple) else (size,)
    return items if all(map(types.is_integral, items)) else None


def _ndim(ty: Type) -> int:
    return ty.ndim if isinstance(ty, Array) else 0


def _shape_rule(arguments: Arguments) -> Signature | None:
    source, _, params, size = arguments.types
    if not isinstance(params, Tuple) or not isinstance(source, RandomSource):
        return None
    sizes = _sizes(size)
    count = max([0, *map(_ndim, params.items)]) if size is types.none else len(sizes or ())
    if size is not types.none and sizes is None:
        return None
    return Signature(Tuple((types.int64,) * count), arguments.types)


@primitive(shape_for, _shape_rule, any_elements=True)
def find_shape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A few comparisons; Python finds the words for shapes that do not fit.  It is asked for empty
    arrays and negative sizes too: NumPy looks at the parameters first, and `fill` at none then."""
    params, size = tuple_items(args[2]), args[3]
    shapes = [array_parts(one).shape for one in params if isinstance(one.ty, Array)]
    assert isinstance(sig.returns, Tuple)
    count = len(sig.returns.items)
    asked = None
    if size.ty is not types.none:
        items = tuple_items(size) if isinstance(size.ty, Tuple) else [size]
        asked = [build.cast(item, types.int64).parts[0] for item in items]
    sizes, bad = _merged(build, asked, shapes, count)
    for one in sizes if params else ():
        bad = build.binary("or", "i1", bad, build.compare("slt", "i64", one, "1"))
    if bad != "false":
        _refuse_if(build, bad, args)
    return Value(sig.returns, tuple(sizes))


def _merged(
    build: FunctionBuilder, asked: list[str] | None, shapes: list[tuple[str, ...]], count: int
) -> tuple[list[str], str]:
    """The sizes of the result, and an i1: whether something does not fit."""
    sizes = list(asked) if asked is not None else ["1"] * count
    bad = "true" if any(len(shape) > count for shape in shapes) else "false"
    for shape in shapes:
        for axis, size in zip(range(count - 1, -1, -1), reversed(shape), strict=False):
            single = build.compare("eq", "i64", size, "1")
            same = build.compare("eq", "i64", size, sizes[axis])
            fits = build.binary("or", "i1", single, same)
            if asked is None:
                open_axis = build.compare("eq", "i64", sizes[axis], "1")
                fits = build.binary("or", "i1", fits, open_axis)
                sizes[axis] = build.select(open_axis, "i64", size, sizes[axis])
            wrong = build.binary("xor", "i1", fits, "true")
            bad = wrong if bad == "false" else build.binary("or", "i1", bad, wrong)
    return sizes, bad


def _refuse_if(build: FunctionBuilder, bad: str, args: list[Value]) -> None:
    wrong, good = build.new_label("refused"), build.new_label("fits")
    build.branch(bad, wrong, good)
    build.start(wrong)
    source, name, params, size = args
    given = [lent(build, one) for one in tuple_items(params)]
    build.call_python(_refuse, [source, name, make_tuple(given), size])
    build.jump(good)
    build.start(good)


# --- an array of numbers ----------------------------------------------------------------------


def fill(rng, name, out, params):
    """Draw all elements of an array in C order, to whose shape the parameters are broadcast."""
    out[...] = _method(rng, name)(*params, size=out.shape)


def _fill_rule(arguments: Arguments) -> Signature | None:
    source, name, out, params = arguments.types
    found = known(source, name)
    if not _parameters_fit(found, params) or not isinstance(out, Array) or out.layout != "C":
        return None
    return Signature(types.none, arguments.types)


@primitive(fill, _fill_rule, any_elements=True)
def fill_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One call for all elements."""
    source, name, out = sig.args[0], sig.args[1], args[2]
    found = known(source, name)
    assert found is not None and isinstance(source, RandomSource) and isinstance(name, String)
    assert isinstance(out.ty, Array)
    params = tuple_items(args[3])
    shape = array_parts(out).shape
    table = _table(build, shape, params, found.parameters)
    _, data = loop_parts(build, source_name(source, str(name.value)))
    function, _ = loop_parts(build, "numpy.random.filler.fill")
    letter = ord(types.to_dtype(out.ty.dtype).char)
    checked = _asked_rules(found, params)
    texts = [f"ptr {data}", f"ptr {args[0].parts[0]}", f"ptr {array_parts(out).data}"]
    texts += [f"i64 {letter}", f"ptr {table}", f"ptr {_rule_codes(build, checked)}"]
    broken = build.result(f"call i32 {function}({', '.join(texts)})")
    arrays = any(_ndim(one.ty) for one in params)
    for place, rule in enumerate(checked, 1):
        here = build.compare("eq", "i32", broken, str(place))
        build.raise_if(here, rule.exception, rule.words_for(arrays))
    return Value(types.none, ())


def _asked_rules(found: Distribution, params: list[Value]) -> list[Rule]:
    """The rules that these parameters may break, in NumPy's order: of arrays the largest mean is
    looked at first."""
    given = [not isinstance(one.ty, types.Omitted) for one in params]
    checked = [rule for rule in found.rules if any(given[rule.place :])]
    if any(_ndim(one.ty) for one in params):
        checked.sort(key=lambda rule: rule.letter != "L")
    return checked


def _rule_codes(build: FunctionBuilder, checked: list[Rule]) -> str:
    text = "".join(rule.code for rule in checked)
    name = f"{build.code.name}.rules.{len(build.code.globals)}"
    build.code.globals[name] = (
        f'{symbol(name)} = private unnamed_addr constant [{len(text) + 1} x i8] c"{text}\\00"'
    )
    return symbol(name)


def _table(build: FunctionBuilder, shape: tuple[str, ...], params: list[Value], kinds: str) -> str:
    """The table that `fill` of runtime/numpy_random.c reads."""
    rows = [str(len(shape)), *shape, str(len(params))]
    for value, kind in zip(params, kinds, strict=True):
        rows += _parameter_row(build, value, kind, shape)
    place = build.alloca("i64", len(rows))
    for k, text in enumerate(rows):
        build.store("i64", text, build.offset(place, str(8 * k)), 8)
    return place


def _parameter_row(
    build: FunctionBuilder, value: Value, kind: str, shape: tuple[str, ...]
) -> list[str]:
    """The address of a parameter, the letter of its type, and its steps through the result."""
    if not isinstance(value.ty, Array) or not value.ty.ndim:
        address = build.alloca(LLVM[kind])
        build.store(LLVM[kind], _number(build, value, kind), address, 8)
        at = build.convert("ptrtoint", "ptr", address, "i64")
        return [at, str(ord("D" if kind == "d" else "K")), *["0"] * len(shape)]
    parts = array_parts(value)
    steps = ["0"] * (len(shape) - len(parts.shape))
    for size, stride in zip(parts.shape[-len(shape) :], parts.strides[-len(shape) :], strict=False):
        single = build.compare("eq", "i64", size, "1")
        steps.append(build.select(single, "i64", "0", stride))
    at = build.convert("ptrtoint", "ptr", parts.data, "i64")
    return [at, str(ord(types.to_dtype(value.ty.dtype).char)), *steps[: len(shape)]]
