"""Random numbers of one distribution: the methods that draw one, or an array of them.

The loader finds the drawing functions by name (`runtime/numpy_random.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from cutaway.errors import UnsupportedError
from cutaway.extending.registry import method, primitive
from cutaway.foundation.dataclass import dataclass
from cutaway.library.arrays.kit.dtypes import wanted_dtype
from cutaway.library.arrays.kit.typers import dimensions, element, left_out, said
from cutaway.library.core.conversions import checked_integer
from cutaway.library.random.by_python import asked_sizes, borrowed, filled, lent, one_or_several
from cutaway.library.random.table import DISTRIBUTIONS, FROZEN, Check, Distribution, is_broken
from cutaway.lowering.arrays.elements import load_element
from cutaway.lowering.arrays.loops import has_loop, loop_parts, stored
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, make_tuple
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, GeneratorSource, RandomSource, StateSource, Tuple, Type

T = TypeVar("T")

NUMBERS: dict[str, Type] = {"d": types.float64, "l": types.int64}
LLVM = {"d": "double", "l": "i64"}
# The parameter kinds of the called functions, which pad distributions with fewer parameters.
PASSED = {"d": "ddd", "dd": "ddd", "ddd": "ddd", "": "ddd", "lll": "lll", "ld": "ld"}

# The parameters of a Generator's methods after the size, and their defaults.
_OUTPUT = {"dtype": np.float64, "out": None}
_TOLD: dict[str, dict[str, Any]] = {
    "random": _OUTPUT,
    "standard_normal": _OUTPUT,
    "standard_exponential": {"dtype": np.float64, "method": "zig", "out": None},
    "standard_gamma": _OUTPUT,
}


def loop_of_source(build: FunctionBuilder, ty: Type, name: str) -> tuple[str, str]:
    """Load the address of a source's function, and its data.

    Raises UnsupportedError for a GPU, and if NumPy's functions are not as expected.
    """
    assert isinstance(ty, RandomSource)
    if not build.links.target.hosted:
        raise UnsupportedError(
            "code for a GPU cannot draw from the host's random numbers",
            build.loc,
            "give each thread a generator: cuda.random.create_xoroshiro128p_states",
        )
    place = "state" if ty.is_frozen else "generator"
    full = f"numpy.random.{place}.{name}"
    if not has_loop(full):
        raise UnsupportedError(
            f"{ty}.{name} cannot be called with NumPy {np.__version__}",
            hint="its objects are not laid out as expected; draw the numbers in Python",
        )
    return loop_parts(build, full)


# --- calls ------------------------------------------------------------------------------------


def _parts(found: Distribution, given: Sequence[T]) -> tuple[T, Sequence[T], T, Sequence[T]]:
    """The source of a call, the parameters, the size, and the remaining arguments."""
    end = 1 + len(found.names)
    return given[0], given[1:end], given[end], given[end + 1 :]


def _rule(found: Distribution, into: bool, arguments: Arguments) -> Signature | None:
    """The signature of a call; `into` says that the result is an existing array."""
    _, params, size, extras = _parts(found, arguments.types)
    ndim = max(map(dimensions, params), default=0)
    returns = one_or_several(NUMBERS[found.result], size, ndim)
    if returns is None or not all(map(_is_parameter, params, found.kinds)):
        return None
    if extras:
        dtype, *how, out = extras
        requested = wanted_dtype(dtype, types.float64)
        if requested is None or not all(isinstance(said(one), str) for one in how):
            return None
        if not (isinstance(out, Array) if into else left_out(out)):
            return None
        if into:
            returns = out
        elif isinstance(returns, Array) and requested == np.float32:
            returns = Array(types.float32, returns.ndim, "C")
    return Signature(returns, arguments.types)


def _is_parameter(ty: Type, kind: str) -> bool:
    """True if numbers of a type are valid parameters; integer ones accept integer arrays only."""
    if isinstance(ty, types.Omitted):
        return True
    number = element(ty)
    if kind == "l" and dimensions(ty):
        return types.is_integral(number) and number is not types.uint64
    return types.is_real(number)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The call of a distribution; the name may also select the drawing algorithm."""

    found: Distribution
    name: str
    source: Value
    params: Sequence[Value]


def _lower(
    found: Distribution, name: str, build: FunctionBuilder, sig: Signature, args: list[Value]
) -> Value:
    """Emit a call of the NumPy function for a number, or of the runtime's loop for an array."""
    source, params, size, extras = _parts(found, args)
    full, out = name, None
    if extras:
        dtype = wanted_dtype(extras[0].ty, types.float64)
        if dtype not in (np.float64, np.float32):
            build.raise_if("true", TypeError, f"Unsupported dtype {dtype!r} for {name}")
        full += ".inverse" * any(said(one.ty) != "zig" for one in extras[1:-1])
        full += ".single" * (dtype == np.float32)
        out = extras[-1]
    drawing = _Drawing(found, full, source, params)
    asked = None if left_out(size.ty) else asked_sizes(build, size)
    returns = sig.returns
    if out is not None and isinstance(out.ty, Array):
        _require_output(build, drawing, asked, out)
        find_shape(build, source, name, params, array_parts(out).shape, out.ty.ndim)
        _fill(build, drawing, out)
        return out
    if not isinstance(returns, Array):
        return _draw_one(build, drawing, returns)
    shape = find_shape(build, source, name, params, asked, returns.ndim)
    return filled(build, returns, shape, lambda out: _fill(build, drawing, out))


# --- one number -------------------------------------------------------------------------------


def _draw_one(build: FunctionBuilder, drawing: _Drawing, returns: Type) -> Value:
    distribution = drawing.found
    values = [
        _number(build, *pair) for pair in zip(drawing.params, distribution.kinds, strict=True)
    ]
    for rule in _asked_rules(distribution, drawing.params):
        broken = is_broken(build, rule, distribution.kinds, values)
        build.raise_if(broken, rule.exception, rule.words)
    kinds = PASSED[distribution.kinds]
    if distribution.kinds == "d" * len(distribution.kinds) and distribution.result == "l":
        kinds = "dd" if distribution.kinds else "lll"
    passed = [*values, *("0.0" if kind == "d" else "0" for kind in kinds[len(values) :])]
    function, data = loop_of_source(build, drawing.source.ty, drawing.name)
    texts = [f"ptr {data}", f"ptr {drawing.source.parts[0]}"]
    texts += [f"{LLVM[kind]} {value}" for kind, value in zip(kinds, passed, strict=True)]
    made = build.result(f"call {LLVM[distribution.result]} {function}({', '.join(texts)})")
    return Value(returns, (made,))


def whole_number(build: FunctionBuilder, value: Value) -> Value:
    """A number, or the element of an array without dimensions, as a 64-bit integer."""
    if isinstance(value.ty, Array):
        value = load_element(build, value.ty, array_parts(value).data)
    if isinstance(value.ty, types.Float):
        return checked_integer(build, value)
    return value if value.ty is types.uint64 else build.cast(value, types.int64)


def _number(build: FunctionBuilder, value: Value, kind: str) -> str:
    """A parameter as a number; an array without dimensions becomes its element."""
    if isinstance(value.ty, types.Omitted):
        value = lent(build, value)
    elif kind == "l":
        value = whole_number(build, value)
    elif isinstance(value.ty, Array):
        value = load_element(build, value.ty, array_parts(value).data)
    return build.cast(value, NUMBERS[kind]).parts[0]


def _asked_rules(found: Distribution, params: Sequence[Value]) -> list[Check]:
    """The rules that explicit parameters may break, in NumPy's order: for arrays, the largest mean
    is checked first."""
    given = [not isinstance(one.ty, types.Omitted) for one in params]
    checked = [rule for rule in found.rules if any(given[rule.place :])]
    if any(dimensions(one.ty) for one in params):
        checked.sort(key=lambda rule: rule.letter != "L")
    return checked


# --- result shapes ----------------------------------------------------------------------------


def find_shape(
    build: FunctionBuilder,
    source: Value,
    name: str,
    params: Sequence[Value],
    asked: Sequence[str] | None,
    ndim: int,
) -> Sequence[str]:
    """The sizes of the axes: the requested ones, or those that the parameters broadcast to.

    Python raises the error for shapes that do not fit. It is also called for empty arrays and
    negative sizes, for which NumPy checks no parameters or checks them first.
    """
    shapes = [array_parts(one).shape for one in params if isinstance(one.ty, Array)]
    sizes, bad = _merged(build, asked, shapes, ndim)
    for one in sizes if params else ():
        bad = build.binary("or", "i1", bad, build.compare("slt", "i64", one, "1"))
    if bad == "false":
        return sizes
    wrong, good = build.new_label("refused"), build.new_label("fits")
    build.branch(bad, wrong, good)
    build.start(wrong)
    size = Value(types.none, ())
    if asked is not None:
        size = Value(Tuple((types.int64,) * ndim), tuple(asked))
    given = make_tuple([lent(build, one) for one in params])
    build.call_python(partial(_refuse, name), [source, given, size])
    build.jump(good)
    build.start(good)
    return sizes


def _merged(
    build: FunctionBuilder, asked: Sequence[str] | None, shapes: list[tuple[str, ...]], count: int
) -> tuple[Sequence[str], str]:
    """The sizes of the result, and an i1: whether a shape does not fit."""
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


def _refuse(name: str, rng: Any, params: Any, size: Any) -> None:
    """Raise NumPy's error for invalid arguments, if any, by calling a scratch source, which checks
    them before it draws."""
    frozen = isinstance(rng, np.random.RandomState)
    scratch: Any = np.random.RandomState(0) if frozen else np.random.default_rng(0)
    getattr(scratch, name)(*map(borrowed, params), size=size)


# --- an array of numbers ----------------------------------------------------------------------


def _require_output(
    build: FunctionBuilder, drawing: _Drawing, asked: Sequence[str] | None, out: Value
) -> None:
    """Raise NumPy's error for an unsuitable output. Numbers are stored in memory order, whatever
    the order of the axes; parameters must fit an array as it is."""
    assert isinstance(out.ty, Array)
    order = "C-" if drawing.params else ""
    if out.ty.layout not in ("C" if order else "CF") or out.ty.readonly or not out.ty.aligned:
        behaved = "contiguous, writable, aligned, and in machine byte-order."
        build.raise_if("true", ValueError, f"Supplied output array must be {order}{behaved}")
    wanted = types.float32 if drawing.name.endswith(".single") else types.float64
    if out.ty.dtype is not wanted:
        expected = f"Expected {types.to_dtype(wanted)}, got {types.to_dtype(out.ty.dtype)}"
        words = f"Supplied output array has the wrong type. {expected}"
        build.raise_if("true", TypeError, words)
    if asked is not None:
        shape = array_parts(out).shape
        others = [build.compare("ne", "i64", *pair) for pair in zip(asked, shape, strict=False)]
        for wrong in others if len(asked) == len(shape) else ["true"]:
            build.raise_if(wrong, ValueError, "size must match out.shape when used together")


def _fill(build: FunctionBuilder, drawing: _Drawing, out: Value) -> None:
    """Draw all elements of an array, to whose shape the parameters are broadcast."""
    assert isinstance(out.ty, Array)
    distribution, params = drawing.found, drawing.params
    table = _table(build, array_parts(out).shape, params, distribution.kinds)
    _, data = loop_of_source(build, drawing.source.ty, drawing.name)
    function, _ = loop_parts(build, "numpy.random.filler.fill")
    letter = ord(types.to_dtype(out.ty.dtype).char)
    checked = _asked_rules(distribution, params)
    texts = [f"ptr {data}", f"ptr {drawing.source.parts[0]}", f"ptr {array_parts(out).data}"]
    texts += [f"i64 {letter}", f"ptr {table}", f"ptr {_rule_codes(build, checked)}"]
    broken = build.result(f"call i32 {function}({', '.join(texts)})")
    arrays = any(dimensions(one.ty) for one in params)
    for place, rule in enumerate(checked, 1):
        here = build.compare("eq", "i32", broken, str(place))
        build.raise_if(here, rule.exception, rule.words_for(arrays))


def _rule_codes(build: FunctionBuilder, checked: list[Check]) -> str:
    text = "".join(rule.code for rule in checked)
    name = f"{build.code.name}.rules.{len(build.code.globals)}"
    build.code.globals[name] = (
        f'{symbol(name)} = private unnamed_addr constant [{len(text) + 1} x i8] c"{text}\\00"'
    )
    return symbol(name)


def _table(
    build: FunctionBuilder, shape: tuple[str, ...], params: Sequence[Value], kinds: str
) -> str:
    """The table that `fill` of runtime/numpy_random.c reads."""
    rows = [str(len(shape)), *shape, str(len(params))]
    for value, kind in zip(params, kinds, strict=True):
        rows += _parameter_row(build, value, kind, shape)
    return stored(build, "i64", rows)


def _parameter_row(
    build: FunctionBuilder, value: Value, kind: str, shape: tuple[str, ...]
) -> list[str]:
    """The address of a parameter, the letter of its type, and its strides through the result."""
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


# --- the methods ------------------------------------------------------------------------------


def _register(owner: type[RandomSource], name: str, key: str, told: dict[str, Any]) -> None:
    """Register a method that draws from the distribution of a key."""
    distribution = FROZEN.get(key) if owner is StateSource else None
    distribution = distribution or DISTRIBUTIONS[key]
    names = ("rng", *distribution.names, "size", *told)
    defaults = (REQUIRED, *distribution.defaults, None, *told.values())
    for into in (False, True) if told else (False,):
        rule = partial(_rule, distribution, into)
        primitive(*(method(owner, name), rule, names, defaults), any_elements=True, shares=into)(
            partial(_lower, distribution, key)
        )


for _name in DISTRIBUTIONS:
    _register(GeneratorSource, _name, _name, _TOLD.get(_name, {}))
for _name in (*DISTRIBUTIONS, "tomaxint"):
    _register(StateSource, _name, _name, {})
_register(StateSource, "random_sample", "random", {})


def _sizes_rule(found: Distribution, arguments: Arguments) -> Signature | None:
    source, *sizes = arguments.types
    size = Tuple(tuple(sizes)) if sizes else types.none
    one = _rule(found, False, Arguments((source, size), ()))
    return None if one is None else Signature(one.returns, arguments.types)


def _lower_sizes(
    found: Distribution, name: str, build: FunctionBuilder, sig: Signature, args: list[Value]
) -> Value:
    """Lower a method whose sizes are separate arguments."""
    source, *sizes = args
    size = make_tuple(sizes) if sizes else Value(types.none, ())
    return _lower(found, name, build, sig, [source, size])


for _name, _key in (("rand", "random"), ("randn", "standard_normal")):
    primitive(method(StateSource, _name), partial(_sizes_rule, DISTRIBUTIONS[_key]))(
        partial(_lower_sizes, DISTRIBUTIONS[_key], _key)
    )
