"""Atomic operations on elements of arrays."""

from __future__ import annotations

from cutaway.errors import TypingError
from cutaway.gpu import words
from cutaway.library.arrays.indexing.basic import locate
from cutaway.library.gpu.registry import word
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, item_size, memory_type
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Rule, Signature
from cutaway.typing.types import Array, Float, Integer, Tuple, Type

ORDER = 'syncscope("device") monotonic'

# LLVM's operation on signed integers, unsigned ones and floats for each word; empty if there is
# none. Minima and maxima of floats are compare-and-exchange loops.
_OPERATIONS = {
    "add": ("add", "add", "fadd"),
    "sub": ("sub", "sub", "fsub"),
    "min": ("min", "umin", "olt"),
    "max": ("max", "umax", "ogt"),
    "nanmin": ("min", "umin", "ult"),
    "nanmax": ("max", "umax", "ugt"),
    "and_": ("and", "and", ""),
    "or_": ("or", "or", ""),
    "xor": ("xor", "xor", ""),
    "exch": ("xchg", "xchg", "xchg"),
    "inc": ("", "uinc_wrap", ""),
    "dec": ("", "udec_wrap", ""),
}


def _operation(name: str, ty: Type) -> str:
    """LLVM's operation for elements of a type.

    Raises TypingError for unsupported elements.
    """
    signed, unsigned, floating = _OPERATIONS[name]
    operation = ""
    if isinstance(ty, Integer):
        operation = signed if ty.signed else unsigned
    elif isinstance(ty, Float):
        operation = floating
    if not operation:
        raise TypingError(
            f"cuda.atomic.{name} does not work on elements of type {ty}", hint=_hint(name, ty)
        )
    return operation


def _hint(name: str, ty: Type) -> str:
    if isinstance(ty, types.Complex):
        return "use an array of floats: one element for the real part and one for the other"
    if name in ("inc", "dec"):
        return "use an array of uint32 or uint64"
    return "use an array of integers" if isinstance(ty, Float) else "use an array of numbers"


def _check_index(name: str, array: Array, index: Type) -> None:
    """Raise TypingError for indices that do not select one element."""
    items = index.items if isinstance(index, Tuple) else (index,)
    if not all(map(types.is_integral, items)):
        raise TypingError(f"cuda.atomic.{name} takes integers as indices, not {index}")
    if len(items) != array.ndim:
        plural = "" if array.ndim == 1 else "s"
        raise TypingError(
            f"cuda.atomic.{name} changes one element, for which this array needs {array.ndim}"
            f" index{'es' if plural else ''}",
            hint="indices of several dimensions are a tuple: (i, k)",
        )


def _rule(name: str) -> Rule:
    def rule(arguments: Arguments) -> Signature | None:
        if len(arguments) != 3 or not isinstance(arguments.types[0], Array):
            return None
        array, index, value = arguments.types
        if not types.is_real(value):
            return None
        _check_index(name, array, index)
        _check_writable(name, array)
        _operation(name, array.dtype)
        return Signature(array.dtype, (array, index, array.dtype))

    return rule


def _check_writable(name: str, array: Array) -> None:
    if array.readonly:
        raise TypingError(f"cuda.atomic.{name} changes its array, and this one is read-only")
    if not array.aligned:
        raise TypingError(
            f"cuda.atomic.{name} does not work on elements at odd addresses",
            hint="make the records with np.dtype(..., align=True)",
        )


def _pointer(build: FunctionBuilder, array: Value, index: Value) -> str:
    _check_shared(build, array)
    return locate(build, array, index).data


def _check_shared(build: FunctionBuilder, array: Value) -> None:
    """Raise TypingError for a thread-local array, on which PTX has no atomics."""
    own = {line.text.partition(" = ")[0] for line in build.stack}
    if array.parts[1] in own:
        raise TypingError(
            "cuda.atomic works on memory that threads share, and this array is the thread's own",
            build.loc,
            "change the element as usual: no other thread does",
        )


def _register(name: str) -> None:
    @word(getattr(words.atomic, name), _rule(name))
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        array, index, value = args
        assert isinstance(array.ty, Array)
        ty, part, operation = array.ty.dtype, value.parts[0], _operation(name, array.ty.dtype)
        pointer = _pointer(build, array, index)
        if isinstance(ty, Float) and name in ("min", "max", "nanmin", "nanmax"):
            return Value(ty, (_better_float(build, ty, pointer, part, operation),))
        kind = memory_type(ty)
        if operation == "fsub":  # only an instruction that adds exists
            operation, part = "fadd", build.result(f"fneg {kind} {part}")
        text = f"atomicrmw {operation} ptr {pointer}, {kind} {part} {ORDER}, align {item_size(ty)}"
        return Value(ty, (build.result(text),))


def _better_float(build: FunctionBuilder, ty: Float, pointer: str, part: str, better: str) -> str:
    """Exchange an element for a number that compares as `better`, retrying until no other thread
    intervenes; returns the old element.

    A NaN is never stored; an unordered comparison ("ult", "ugt") replaces a NaN in the array.
    """
    kind, bits = float_type(ty), f"i{ty.bits}"
    align = ty.bits // 8
    start, again, done = (build.new_label(stem) for stem in ("atomic", "exchange", "changed"))
    held = build.alloca("i64")
    first = build.result(f"load atomic {bits}, ptr {pointer} {ORDER}, align {align}")
    build.store(bits, first, held, 8)
    build.jump(start)
    build.start(start)
    old = build.load(bits, held, 8)
    number = build.convert("bitcast", bits, old, kind)
    replaces = build.fcompare(better, kind, part, number)
    if better in ("ult", "ugt"):
        real = build.fcompare("ord", kind, part, part)
        replaces = build.binary("and", "i1", replaces, real)
    build.branch(replaces, again, done)
    build.start(again)
    new = build.convert("bitcast", kind, part, bits)
    pair = build.result(
        f"cmpxchg ptr {pointer}, {bits} {old}, {bits} {new} {ORDER} monotonic, align {align}"
    )
    build.store(bits, build.result(f"extractvalue {{ {bits}, i1 }} {pair}, 0"), held, 8)
    changed = build.result(f"extractvalue {{ {bits}, i1 }} {pair}, 1")
    build.branch(changed, done, start)
    build.start(done)
    return build.convert("bitcast", bits, build.load(bits, held, 8), kind)


for _name in _OPERATIONS:
    _register(_name)


# --- compare and swap -------------------------------------------------------------------------


def _swap_rule(count: int) -> Rule:
    def rule(arguments: Arguments) -> Signature | None:
        if len(arguments) != count or not isinstance(arguments.types[0], Array):
            return None
        array, *index, old, new = arguments.types
        real = types.is_real(old) and types.is_real(new)
        if not real:
            return None
        if index:
            _check_index("cas", array, index[0])
        _check_writable("cas", array)
        _operation("exch", array.dtype)
        return Signature(array.dtype, (array, *index, array.dtype, array.dtype))

    return rule


def _swapped(build: FunctionBuilder, array: Array, pointer: str, old: str, new: str) -> Value:
    """Emit a compare-and-exchange of bit patterns, so -0.0 differs from 0.0."""
    ty, bits = array.dtype, 8 * item_size(array.dtype)
    if isinstance(ty, Float):
        kind = float_type(ty)
        old, new = (build.convert("bitcast", kind, part, f"i{bits}") for part in (old, new))
    pair = build.result(
        f"cmpxchg ptr {pointer}, i{bits} {old}, i{bits} {new} {ORDER} monotonic, align {bits // 8}"
    )
    before = build.result(f"extractvalue {{ i{bits}, i1 }} {pair}, 0")
    if isinstance(ty, Float):
        before = build.convert("bitcast", f"i{bits}", before, float_type(ty))
    return Value(ty, (before,))


@word(words.atomic.cas, _swap_rule(4))
def cas(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`cas(a, i, old, new)`."""
    array, index, old, new = args
    assert isinstance(array.ty, Array)
    return _swapped(build, array.ty, _pointer(build, array, index), old.parts[0], new.parts[0])


@word(words.atomic.compare_and_swap, _swap_rule(3))
def compare_and_swap(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`compare_and_swap(a, old, new)`, on the first element."""
    array, old, new = args
    assert isinstance(array.ty, Array)
    _check_shared(build, array)
    return _swapped(build, array.ty, array.parts[1], old.parts[0], new.parts[0])
