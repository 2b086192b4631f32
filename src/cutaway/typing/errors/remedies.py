"""Hints for unsupported values and calls: what to write instead.

`tests/unit/bad/test_remedies.py` runs every row: a program that triggers it, its hint, and the
program changed according to the hint.  A row is a hint; `{x}` is the argument, variable or callee
as it is written, `{args}` the arguments of a call.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from cutaway.foundation.foreign import (
    acts_as,
    attribute,
    bases_of,
    body_of,
    class_name,
    is_a,
    module_of,
    text_attribute,
)
from cutaway.foundation.source import Loc, span_text

FORCEOBJ = "compile it with @cutaway.jit(forceobj=True), which runs it with Python's own objects"
OUTSIDE = "read the numbers, tuples or arrays that you need from it outside the function"
_RUN = "run this statement as Python: with cutaway.objmode(): {x}({args})"
_VALUE = (
    'run it as Python: with cutaway.objmode(y="float64"): y = {x}({args}),'
    ' where "float64" stands for the type of y'
)
_DECORATE = "decorate it with @cutaway.jit"
_COUNT = (
    "to count values, use np.unique(a, return_counts=True) or np.bincount(a); otherwise " + FORCEOBJ
)

# Values that cannot be arguments, by the package and the name of a class or one of its bases.
ARGUMENTS: Mapping[tuple[str, str], str] = {
    ("pandas", "DataFrame"): 'pass its columns as arrays: {x}["name"].to_numpy()',
    ("pandas", "Series"): "pass {x}.to_numpy()",
    ("pandas", "Index"): "pass {x}.to_numpy()",
    ("polars", "DataFrame"): 'pass its columns as arrays: {x}["name"].to_numpy()',
    ("polars", "Series"): "pass {x}.to_numpy()",
    ("xarray", "DataArray"): "pass {x}.to_numpy()",
    ("torch", "Tensor"): "pass {x}.numpy()",
    ("scipy", "_cs_matrix"): "pass its arrays: {x}.data, {x}.indices and {x}.indptr",
    ("builtins", "generator"): "pass an array: np.array(list({x}))",
    ("datetime", "date"): "pass np.datetime64({x})",
    ("datetime", "timedelta"): "pass np.timedelta64({x})",
    ("fractions", "Fraction"): "pass float({x})",
    ("decimal", "Decimal"): "pass float({x})",
}
_ITEMS: Mapping[type, str] = {
    list: "pass an array, np.array({x}), or a tuple",
    set: "pass an array: np.array(sorted({x}))",
}
_TUPLE = "pass a tuple: tuple({x})"
_KEYS_AND_VALUES = "pass arrays: np.array(list({x})) and np.array(list({x}.values()))"
_VALUES = "pass an array: np.array(list({x}.values()))"
_DATACLASS = "pass its fields, or make the class a typing.NamedTuple"
_OBJECT = "pass its numbers and arrays one by one, or as a typing.NamedTuple; otherwise " + FORCEOBJ

# Functions and classes that compiled code cannot call, by package and name; "*" stands for all of a
# package.
CALLS: Mapping[tuple[str, str], str] = {
    ("random", "random"): "use np.random.random()",
    ("random", "uniform"): "use np.random.uniform({args})",
    ("random", "gauss"): "use np.random.normal({args})",
    ("random", "normalvariate"): "use np.random.normal({args})",
    ("random", "randint"): "use np.random.randint(low, high + 1)",
    ("random", "randrange"): "use np.random.randint({args})",
    ("random", "choice"): "use np.random.choice({args})",
    ("random", "shuffle"): "use np.random.shuffle({args}) on an array",
    ("random", "seed"): "use np.random.seed({args})",
    ("random", "*"): "use a function of np.random",
    ("statistics", "mean"): "use np.mean({args})",
    ("statistics", "fmean"): "use np.mean({args})",
    ("statistics", "median"): "use np.median({args})",
    ("statistics", "stdev"): "use np.std({args}, ddof=1)",
    ("statistics", "pstdev"): "use np.std({args})",
    ("statistics", "variance"): "use np.var({args}, ddof=1)",
    ("scipy", "erf"): "use math.erf({args}) for each number",
    ("scipy", "erfc"): "use math.erfc({args}) for each number",
    ("scipy", "gamma"): "use math.gamma({args}) for each number",
    ("scipy", "gammaln"): "use math.lgamma({args}) for each number",
    ("builtins", "dict"): _COUNT,
    ("builtins", "set"): _COUNT,
    ("collections", "Counter"): _COUNT,
    ("collections", "defaultdict"): _COUNT,
    ("collections", "OrderedDict"): _COUNT,
    ("numpy", "vectorize"): "decorate the function with @cutaway.vectorize, outside",
    ("sys", "exit"): "raise an exception",
    ("time", "sleep"): _RUN,
    ("logging", "*"): _RUN,
    ("matplotlib", "*"): _RUN,
    ("numpy", "save"): _RUN,
    ("numpy", "savetxt"): _RUN,
    ("builtins", "input"): 'run it as Python: with cutaway.objmode(y="str"): y = {x}({args})',
    ("io", "open"): 'run it as Python: with cutaway.objmode(y="str"): y = {x}({args}).read()',
    ("json", "dumps"): 'run it as Python: with cutaway.objmode(y="str"): y = {x}({args})',
    ("re", "sub"): 'run it as Python: with cutaway.objmode(y="str"): y = {x}({args})',
}

# Methods of str that return numbers, and those that return several values or other classes.
_NUMBERS = frozenset("count find index rfind rindex".split())
_MANY = frozenset("split rsplit splitlines partition rpartition encode maketrans".split())


def for_argument(value: Any, x: str) -> str:
    """Return the hint for a value that cannot be the argument `x`; empty if no row matches."""
    cls = type(value)
    names = ((_package(base), class_name(base)) for base in bases_of(cls))
    row = next((ARGUMENTS[name] for name in names if name in ARGUMENTS), None)
    container = next((base for base in (*_ITEMS, dict) if is_a(value, base)), None)
    if row is None and container is not None:
        row = _for_container(value, container)
    if row is not None:
        return row.replace("{x}", x)
    if is_a(value, FunctionType):
        return _DECORATE if is_users(value) else f"call {x} before, and pass its result"
    if "__dataclass_fields__" in body_of(cls):
        return _DATACLASS
    is_object = is_users(cls) and not is_a(value, (CodeType, ModuleType, type))
    return _OBJECT if is_object else ""


def _for_container(value: Any, base: type) -> str:
    if not acts_as(type(value), base):
        return _OBJECT  # user code determines its items
    if base is dict:
        if not _are_numbers(value.values()):
            return FORCEOBJ
        return _KEYS_AND_VALUES if _are_numbers(value) else _VALUES
    if _are_numbers(value):
        return _ITEMS[base]
    return _TUPLE if all(is_a(item, str) for item in value) else FORCEOBJ


def _are_numbers(items: Iterable[Any]) -> bool:
    """Return whether items make an array of numbers or times."""
    try:
        return np.array(list(items)).dtype.kind in "biufcmM"
    except Exception:  # user code of the items may raise anything
        return False


def for_call(function: Any, x: str, args: str) -> str:
    """Return the hint for a callee that compiled code cannot call, written as `x(args)`."""
    owner = attribute(function, "__self__", None)
    is_method = owner is not None and not is_a(owner, ModuleType)
    package = _package(type(owner) if is_method else function)
    name = text_attribute(function, "__name__") or ""
    row = CALLS.get((package, name)) or CALLS.get((package, "*"))
    if row is None and is_a(function, type):
        return _DATACLASS if "__dataclass_fields__" in body_of(function) else _OBJECT
    if row is None:
        row = _DECORATE if is_a(function, FunctionType) and is_users(function) else _VALUE
    return row.replace("{x}", x).replace("{args}", args)


def on_target(hint: str, runs_python: bool) -> str:
    """Return a hint without the parts that need Python, for a target that cannot run it."""
    if runs_python:
        return hint
    return "" if "objmode" in hint else hint.removesuffix(FORCEOBJ).removesuffix("; otherwise ")


def written_call(loc: Loc) -> tuple[str, str]:
    """Return the callee and the arguments of a call as the user wrote them, empty if unclear."""
    try:
        call = ast.parse(span_text(loc), mode="eval").body
    except (SyntaxError, ValueError):
        return "", ""
    if not isinstance(call, ast.Call):
        return "", ""
    words = [*map(ast.unparse, call.args), *map(ast.unparse, call.keywords)]
    args = ", ".join(words)
    return ast.unparse(call.func), args if len(args) <= _LONGEST else "..."


_LONGEST = 40  # characters of arguments that a hint repeats


def for_text(method: str, x: str) -> str:
    """Return the hint for a method of str that compiled code does not have."""
    if method in _MANY:
        return FORCEOBJ
    flag = method.startswith(("is", "starts", "ends"))
    result = "int64" if method in _NUMBERS else "bool" if flag else "str"
    return f'run it as Python: with cutaway.objmode(y="{result}"): y = {x}'


def for_constant(value: Any, x: str) -> str:
    """Return the hint for an object that compiled code cannot use."""
    if is_a(value, (*_ITEMS, dict)):
        return for_argument(value, x).replace("pass", "make", 1)
    if _package(type(value)) in ("logging", "matplotlib"):
        return f"use it in a block that runs as Python: with cutaway.objmode(): {x}..."
    return OUTSIDE


def _package(holder: Any) -> str:
    """Return the package that a class or function is from, without a leading underscore."""
    if is_a(holder, np.ufunc):
        return "numpy" if getattr(np, holder.__name__, None) is holder else "scipy"
    module = module_of(holder) if is_a(holder, type) else text_attribute(holder, "__module__")
    return (module or "").partition(".")[0].lstrip("_")


def is_users(thing: Any) -> bool:
    """Return whether a class or function is defined outside of Python and installed packages."""
    file = thing.__code__.co_filename if is_a(thing, FunctionType) else _file_of(thing)
    return not (file.startswith(_PYTHONS) or any(part in file for part in _PACKAGES))


def _file_of(thing: Any) -> str:
    name = module_of(thing) if is_a(thing, type) else text_attribute(thing, "__module__") or ""
    if name == "__main__":
        return ""
    module = sys.modules.get(name)
    return getattr(module, "__file__", None) or "<frozen module>"  # a built-in module


_PYTHONS = ("<frozen ", *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")))
_PACKAGES = ("site-packages", "dist-packages")
