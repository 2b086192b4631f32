"""Odd globals and arguments in every form of use: a value as Python's, or one of our errors.

    python -m fuzz odd-objects 12000               # from the folder tests

Objects whose methods raise or lie, functions of other languages, oddities of NumPy, text and
numbers at their ends: each is called, read, iterated, compared, returned, passed and more, as a
global, an argument, a default and a variable of an outer function.

Any in this file: objects of any class.
"""

from __future__ import annotations

import ctypes
import dataclasses
import decimal
import enum
import fractions
import functools
import math
import operator
import random
import sys
import types
import unittest.mock
from collections.abc import Callable
from typing import Any

import numpy as np

import cutaway
from corpus.programs.compare import quiet
from cutaway.errors import CutawayError, InternalError
from fuzz.batches import FINDING, REFUSED, SAME, Verdict


class OddError(Exception):
    """What the odd objects raise."""


def _raises(*args: Any, **keywords: Any) -> Any:
    raise OddError


def _with(name: str, /, **methods: Any) -> Any:
    return type(name, (), {f"__{key}__": value for key, value in methods.items()})()


class Lying:
    """An object that says that it is of another class."""

    def __init__(self, cls: type) -> None:
        object.__setattr__(self, "lie", cls)

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return object.__getattribute__(self, "lie")

    def __call__(self, *args: Any, **keywords: Any) -> int:
        return 7


class LyingFully(Lying):
    """The same, which also has whatever is asked for."""

    def __getattr__(self, name: str) -> Any:
        return self


class RaisingMeta(type):
    """The class of a class of which nothing can be asked."""

    def __getattribute__(cls, name: str) -> Any:
        raise OddError

    def __hash__(cls) -> int:
        raise OddError

    def __eq__(cls, other: object) -> bool:
        raise OddError

    def __instancecheck__(cls, value: object) -> bool:
        raise OddError

    def __subclasscheck__(cls, value: type) -> bool:
        raise OddError

    def __call__(cls, *args: Any, **keywords: Any) -> int:
        return 3


class OfRaisingMeta(metaclass=RaisingMeta):
    """A class of which nothing can be asked."""


class Color(enum.Enum):
    """Members with odd values."""

    RED = 1
    ODD = (1, "x")


class Small(enum.IntEnum):
    """Members that are integers."""

    ONE = 1


class Bits(enum.Flag):
    """Members that are flags."""

    A = 1


@dataclasses.dataclass
class Point:
    """A class of data."""

    x: int = 1


@dataclasses.dataclass(frozen=True, eq=False)
class FrozenPoint:
    """A class of data that does not change."""

    x: int = 1


class Described:
    """Objects that are found by descriptors."""

    raising = property(_raises)
    static = staticmethod(math.sin)
    of_class = classmethod(_raises)

    def method(self, *args: Any) -> int:
        return 5

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            raise OddError
        return object.__getattribute__(self, name)


class Slotted:
    """Objects without a dictionary."""

    __slots__ = ("x",)


class OwnInt(int):
    """A subclass of int that is not like it."""

    __hash__ = __eq__ = __add__ = __index__ = _raises  # type: ignore[assignment]


class OwnFloat(float):
    """A subclass of float."""

    __float__ = __repr__ = _raises  # type: ignore[assignment]


class OwnStr(str):
    """A subclass of str that cannot be compared."""

    __hash__ = __eq__ = __str__ = _raises  # type: ignore[assignment]


class OwnTuple(tuple):  # type: ignore[type-arg]
    """A subclass of tuple that cannot be looked into."""

    __iter__ = __len__ = __getitem__ = _raises  # type: ignore[assignment]


class NamedLike(tuple):  # type: ignore[type-arg]
    """What looks like a named tuple and is none."""

    _fields = 3


class OwnArray(np.ndarray):  # type: ignore[type-arg]
    """A subclass of arrays that refuses."""

    __array_finalize__ = __array_ufunc__ = _raises  # type: ignore[assignment]


def _recursive_list() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    return items


def _deep() -> Any:
    deep: Any = ()
    for _ in range(2000):
        deep = (deep,)
    return deep


def _library() -> Any:
    return ctypes.CDLL(None)


def _c_function(typed: bool) -> Any:
    function = _library().labs
    if typed:
        function.argtypes, function.restype = [ctypes.c_long], ctypes.c_long
    return function


_OWN_MODULE = types.ModuleType("odd_module")
_OWN_MODULE.__dict__["__getattr__"] = _raises

OBJECTS: dict[str, Callable[[], Any]] = {
    "c function": lambda: _c_function(True),
    "c function without types": lambda: _c_function(False),
    "python function in c": lambda: ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(abs),
    "c library": _library,
    "c_int": lambda: ctypes.c_int(3),
    "c array": lambda: (ctypes.c_int * 3)(1, 2, 3),
    "c pointer": lambda: ctypes.pointer(ctypes.c_int(3)),
    "null pointer": ctypes.c_void_p,
    "c class": lambda: ctypes.c_double,
    "mock": unittest.mock.Mock,
    "magic mock": unittest.mock.MagicMock,
    "mock of an array": lambda: unittest.mock.Mock(spec=np.ndarray),
    "mock of an int": lambda: unittest.mock.MagicMock(spec=int),
    "sentinel": lambda: unittest.mock.sentinel.odd,
    "call": lambda: unittest.mock.call,
    **{
        f"raising {name}": lambda name=name: _with("Odd", **{name: _raises})  # type: ignore[misc]
        for name in (
            *("getattr", "getattribute", "eq", "hash", "len", "iter", "bool", "repr", "call"),
            *("getitem", "contains", "index", "array", "array_interface", "add", "int", "float"),
            *("class_getitem", "get", "set_name", "dir", "length_hint", "array_ufunc", "fspath"),
        )
    },
    "raising class": lambda: _with("Odd", **{"class": property(_raises)}),
    "raising dict": lambda: _with("Odd", dict=property(_raises), call=lambda self, *args: 1),
    "raising name": lambda: _with("Odd", name=property(_raises)),
    "not hashable": lambda: _with("Odd", hash=None, call=lambda self, *args: 1),
    "equal to all": lambda: _with("Odd", eq=lambda *_: True, hash=lambda self: hash(math.sin)),
    "answers all": lambda: _with("Odd", getattr=lambda self, n: self, call=lambda self, *_: self),
    "answers text": lambda: _with("Odd", getattr=lambda self, name: name),
    "answers None": lambda: _with("Odd", getattr=lambda self, name: None, call=lambda self, *_: 1),
    "negative len": lambda: _with("Odd", len=lambda self: -1),
    "text len": lambda: _with("Odd", len=lambda self: "x"),
    **{
        f"lying {cls.__name__}": lambda cls=cls: Lying(cls)  # type: ignore[misc]
        for cls in (
            *(int, float, str, tuple, list, dict, type, slice, range, np.ndarray, np.dtype),
            *(np.generic, np.ufunc, enum.Enum, types.ModuleType, types.FunctionType),
            types.CodeType,
        )
    },
    "lying array with attributes": lambda: LyingFully(np.ndarray),
    "lying type with attributes": lambda: LyingFully(type),
    "class of raising class": lambda: OfRaisingMeta,
    "object of raising class": lambda: object.__new__(OfRaisingMeta),
    "type": lambda: type,
    "object": object,
    "class object": lambda: object,
    "module": lambda: math,
    "numpy": lambda: np,
    "sys": lambda: sys,
    "odd module": lambda: _OWN_MODULE,
    "module subclass": lambda: type("M", (types.ModuleType,), {"__getattr__": _raises})("m"),
    "lambda": lambda: lambda *args: 1,
    "partial": lambda: functools.partial(max, 1),
    "partial of itself": lambda: functools.partial(_raises, _raises),
    "cached": lambda: functools.lru_cache(_raises),
    "single dispatch": lambda: functools.singledispatch(_raises),
    "bound method": lambda: Described().method,
    "bound method of a list": lambda: [].append,
    "bound method of a text": lambda: "abc".join,
    "method of a class": lambda: str.join,
    "wrapper": lambda: (1).__add__,
    "slot": lambda: int.__add__,
    "item getter": lambda: operator.itemgetter(0),
    "attribute getter": lambda: operator.attrgetter("real"),
    "static method": lambda: staticmethod(math.sin),
    "class method": lambda: classmethod(_raises),
    "property": lambda: property(_raises),
    "described": Described,
    "slotted": Slotted,
    "member": lambda: Color.RED,
    "odd member": lambda: Color.ODD,
    "integer member": lambda: Small.ONE,
    "flag": lambda: Bits.A,
    "enumeration": lambda: Color,
    "point": Point,
    "frozen point": FrozenPoint,
    "class of points": lambda: Point,
    "surrogate": lambda: "\udc80",
    "null character": lambda: "a\0b",
    "long text": lambda: "x" * 70_000,
    "no text": lambda: "",
    "bytes": lambda: b"ab\0",
    "bytearray": lambda: bytearray(b"abc"),
    "memory": lambda: memoryview(b"abc"),
    "closed memory": lambda: _closed(memoryview(bytearray(b"abc"))),
    "huge int": lambda: 10**5000,
    "big int": lambda: 2**64,
    "least int": lambda: -(2**63),
    "own int": lambda: OwnInt(3),
    "own float": lambda: OwnFloat(3),
    "own text": lambda: OwnStr("x"),
    "own tuple": lambda: OwnTuple((1, 2)),
    "named like": lambda: NamedLike((1, 2)),
    "own list": lambda: type("L", (list,), {"__iter__": _raises, "__len__": _raises})([1]),
    "tuple of nan": lambda: (math.nan, math.nan),
    "tuple of odd": lambda: (1, _with("Odd", getattr=_raises)),
    "nan": lambda: math.nan,
    "complex": lambda: complex(math.inf, math.nan),
    "recursive list": _recursive_list,
    "deep tuple": _deep,
    "long list": lambda: list(range(1000)),
    "mixed list": lambda: [1, "x", None],
    "dict": lambda: {1: 2},
    "set": lambda: {1},
    "iterator": lambda: iter([1, 2]),
    "generator": lambda: (x for x in (1, 2)),
    "range": lambda: range(2**70),
    "slice": lambda: slice("a", None, _raises),
    "ellipsis": lambda: ...,
    "not implemented": lambda: NotImplemented,
    "none": lambda: None,
    "decimal": lambda: decimal.Decimal(1),
    "fraction": lambda: fractions.Fraction(1, 3),
    "code": lambda: _raises.__code__,
    "frame": sys._getframe,
    "random": lambda: random.Random(1),
    "exception": lambda: OddError("x"),
    "class of exceptions": lambda: OddError,
    "generic alias": lambda: list[int],
    "union": lambda: int | str,
    "any": lambda: Any,
    "dtype": lambda: np.dtype("f8"),
    "dtype of objects": lambda: np.dtype(object),
    "dtype of records": lambda: np.dtype([("a", "i4"), ("b", "O")]),
    "dtype of text": lambda: np.dtype("U3"),
    "class of a dtype": lambda: np.dtypes.Float64DType,
    "class float64": lambda: np.float64,
    "class generic": lambda: np.generic,
    "float64": lambda: np.float64(1.5),
    "longdouble": lambda: np.longdouble(1),
    "numpy text": lambda: np.str_("x"),
    "void": lambda: np.void(b"abc"),
    "not a time": lambda: np.datetime64("NaT"),
    "no unit": lambda: np.timedelta64(3),
    "array": lambda: np.arange(3.0),
    "array of objects": lambda: np.array([1, None], object),
    "array of text": lambda: np.array(["a", "bc"]),
    "array of 0 dimensions": lambda: np.array(3),
    "empty array": lambda: np.zeros((3, 0)),
    "swapped array": lambda: np.arange(3).astype(">i4"),
    "masked array": lambda: np.ma.masked_array([1, 2], [True, False]),
    "matrix": lambda: np.matrix([[1, 2]]),
    "own array": lambda: np.ndarray.__new__(OwnArray, 3),
    "broadcast array": lambda: np.broadcast_to(np.arange(3), (2**40, 3)),
    "array of 64 dimensions": lambda: np.zeros((1,) * 32),
    "memmap class": lambda: np.memmap,
    "record": lambda: np.rec.array([(1, 2.0)])[0],
    "ufunc": lambda: np.add,
    "own ufunc": lambda: np.frompyfunc(abs, 1, 1),
    "ufunc method": lambda: np.add.reduce,
    "vectorize": lambda: np.vectorize(abs),
    "polynomial": lambda: np.poly1d([1, 2]),
    "errstate": np.errstate,
    "flat": lambda: np.arange(3).flat,
    "finfo": lambda: np.finfo(float),
    "generator of numpy": lambda: np.random.default_rng(1),
    "random state": lambda: np.random.RandomState(1),
    "jit": lambda: cutaway.jit,
    "compiled": lambda: cutaway.jit(abs_of),
    "type of ours": lambda: cutaway.types.float64,
    "array type of ours": lambda: cutaway.types.float64[:],
    "cutaway": lambda: cutaway,
}


def _closed(view: memoryview) -> memoryview:
    view.release()
    return view


def abs_of(x: Any) -> Any:
    """A function to be compiled."""
    return abs(x)


# What is done with it: G is the object, a an array, k a number.
USES = (
    *("G", "G()", "G(k)", "G(a)", "G(k, k)", "G(x=k)", "G(*a)", "G(G)", "G.x", "G.real", "G.shape"),
    *("G.method(k)", "G.raising", "G.static(k)", "G.dtype", "G.__name__", "G[0]", "G[k]", "G['x']"),
    *("G[G]", "a[G]", "a[k, G]", "G[:1]", "[x for x in G]", "list(G)", "tuple(G)", "(*G,)"),
    *("G == G", "G == k", "k == G", "G < k", "G is G", "G is None", "G == a", "G != 'x'", "not G"),
    *("bool(G)", "1 if G else 2", "G and k", "G or k", "G + k", "k + G", "G * a", "a * G", "-G"),
    *("~G", "G @ a", "G ** 2", "G % k", "k in G", "G in (1, 2)", "G in a", "len(G)", "iter(G)"),
    *("isinstance(G, int)", "isinstance(k, G)", "isinstance(G, (int, str))", "type(G)", "str(G)"),
    *("f'{G}'", "repr(G)", "hash(G)", "abs(G)", "int(G)", "float(G)", "sum(G)", "max(G)", "min(G)"),
    *("min(G, k)", "range(G)", "enumerate(G)", "zip(G, a)", "sorted(G)", "print(G)", "callable(G)"),
    *("getattr(G, 'x')", "getattr(k, G)", "hasattr(G, 'x')", "round(k, G)", "slice(G)", "id(G)"),
    *("np.zeros(G)", "np.zeros(3, dtype=G)", "np.zeros(3, G)", "np.array(G)", "np.asarray(G)"),
    *("np.array([G, k])", "np.full(3, G)", "np.sum(a, axis=G)", "a.sum(axis=G)", "np.sum(G)"),
    *("a.astype(G)", "a.view(G)", "a.reshape(G)", "np.add(a, G)", "np.add(a, k, out=G)"),
    *("np.add(a, k, where=G)", "np.add(a, k, casting=G)", "np.add(a, k, dtype=G)", "np.sin(G)"),
    *("np.sum(a, out=G)", "np.sum(a, where=G)", "np.sum(a, keepdims=G)", "np.sort(a, kind=G)"),
    *("np.einsum(G, a)", "np.einsum()", "np.einsum(a, G)", "np.dot(G, a)", "np.concatenate(G)"),
    *("np.frombuffer(G, np.uint8)", "np.frombuffer(G, dtype=G)", "np.reshape(a, 3, order=G)"),
    *(
        "np.linalg.norm(G)",
        "np.where(G, a, k)",
        "np.take(a, G)",
        "np.clip(a, G, k)",
        "np.tile(a, G)",
    ),
    *(
        "np.percentile(a, G)",
        "np.arange(G)",
        "np.linspace(0, G)",
        "np.isnan(G)",
        "np.searchsorted(a, G)",
    ),
    *("math.sin(G)", "math.gcd(G, 2)", "np.random.normal(G)", "np.random.seed(G)", "np.dtype(G)"),
    *(
        "np.fft.fft(a, G)",
        "np.pad(a, G)",
        "np.pad(a, 1, mode=G)",
        "np.interp(k, a, G)",
        "a.take(0, mode=G)",
    ),
    *("np.issubdtype(G, np.floating)", "np.datetime64(G)", "np.timedelta64(3, G)", "np.shape(G)"),
    *("'%s' % G", "'x'.join(G)", "'abc'.replace('a', G)", "cutaway.literally(G)", "helper(G)"),
    *(
        "helper(y=G)",
        "np.full_like(a, G)",
        "np.empty_like(G).shape",
        "(G, k)[0]",
        "{G: k}",
        "{G}",
        "[G]",
    ),
    *(
        "(lambda: G)()",
        "(lambda x: x)(G)",
        "(lambda *x: x)(G)",
        "map(G, a)",
        "helper(*G)",
        "raised()",
    ),
)
AS = ("global", "argument", "keyword", "default", "cell", "attribute", "item")
_HEAD = "import math, types\nimport numpy as np\nimport cutaway\n"
_SOURCES = {
    "global": "def f(a, k):\n    return {use}\n",
    "argument": "def f(G, a, k):\n    return {use}\n",
    "keyword": "def f(a, k, function=1):\n    G = function\n    return {use}\n",
    "default": "def make():\n    def f(a, k, G=OBJECT):\n        return {use}\n    return f\nf = make()\n",  # noqa: E501
    "cell": "def make(G):\n    def f(a, k):\n        return {use}\n    return f\nf = make(OBJECT)\n",  # noqa: E501
    "attribute": "holder = types.ModuleType('holder')\nholder.G = OBJECT\n"
    "def f(a, k):\n    G = holder.G\n    return {use}\n",
    "item": "T = (OBJECT, 1)\ndef f(a, k):\n    G = T[0]\n    return {use}\n",
}
COUNT = len(OBJECTS) * len(USES)


def check(seed: int) -> Verdict:
    """Compare one use of one object with Python; each pair comes once in COUNT seeds."""
    name = list(OBJECTS)[seed % len(OBJECTS)]
    use = USES[seed // len(OBJECTS) % len(USES)]
    how = AS[(seed + seed // COUNT) % len(AS)]
    return check_one(name, use, how)


def check_one(name: str, use: str, how: str) -> Verdict:
    """Compare one use of an object, which comes into the function in some way, with Python."""
    with quiet():
        return _check_one(name, use, how)


def _check_one(name: str, use: str, how: str) -> Verdict:
    shown = f"{name!r}: {use} ({how})"
    try:
        made = OBJECTS[name]()
    except Exception:  # this version of NumPy or Python makes no such object
        return Verdict(SAME, "", shown)
    try:
        wanted = _outcome(lambda: _call(how, use, made, lambda f: f))
    except CutawayError as error:  # the object is one of our functions
        wanted = (False, type(error))
    try:
        found = _outcome(lambda: _call(how, use, made, cutaway.jit))
    except InternalError as error:
        return Verdict(FINDING, f"{shown} {error}", shown)
    except CutawayError as error:
        if error.__cause__ is not None and not isinstance(error.__cause__, CutawayError):
            return Verdict(FINDING, f"{shown} {error}", shown)  # only the last guard saw it
        return Verdict(REFUSED, f"{error.code} {str(error).splitlines()[0]}"[:90], shown)
    if wanted is None or found is None or _same(wanted, found):
        return Verdict(SAME, "", shown)
    return Verdict(FINDING, f"{shown}: {_text(found)} for {_text(wanted)}", shown)


def _call(how: str, use: str, made: Any, decorate: Callable[[Any], Any]) -> Any:
    def helper(y: Any = 1) -> int:
        return 4

    given: Any = {"OBJECT": made, "G": made, "helper": decorate(helper), "raised": _raises}
    source = _HEAD + _SOURCES[how].format(use=use)
    exec(compile(source, f"<odd {how} {use}>", "exec"), given)  # noqa: S102
    function = decorate(given["f"])
    array = np.arange(4.0)
    if how == "argument":
        return function(made, array, 1)
    return function(array, 1, function=made) if how == "keyword" else function(array, 1)


def _outcome(work: Callable[[], Any]) -> Any:
    """Either what a call returns, or the class of what it raises."""
    try:
        return (True, work())
    except CutawayError:
        raise
    except (RecursionError, MemoryError, OverflowError):
        return None
    except Exception as error:
        return (False, type(error))


def _same(wanted: Any, found: Any) -> bool:
    if not wanted[0]:  # both raise: which exception is another check's business
        return not found[0]
    return bool(found[0]) and _equal(wanted[1], found[1])


def _equal(one: Any, other: Any) -> bool:
    if one is other or isinstance(one, cutaway.types.Type):  # which stands for a scalar's class
        return True
    if type(one) is tuple or type(one) is list:
        return type(one) is type(other) and len(one) == len(other) and all(map(_equal, one, other))
    try:
        if isinstance(one, np.ndarray):
            return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
        return repr(one) == repr(other) or one == other or type(one) is type(other)
    except Exception:
        return True  # it cannot be compared


def _text(outcome: Any) -> str:
    try:
        return repr(outcome)[:200]
    except Exception:
        return object.__repr__(outcome[1])
