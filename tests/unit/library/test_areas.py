"""The library's tables against what it registers, and each function in one place."""

from __future__ import annotations

import math
import operator
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import numpy as np

import warm
from corpus.library.rows import Row, all_rows
from cutaway.foundation import loading
from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.library import areas
from cutaway.library.elements import kernels, table
from cutaway.library.elements.table import INLINE
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, appended, emptied, iterate, unpack
from library import registered

# Functions that mean something else for each kind of values, beside the operators.
BY_KIND = {
    (types.Dict, "get"): "with a default of the type of the values, and with any other",
    len: "of arrays, tuples, ranges, texts, records, buffers",
    tuple: "of tuples, and of all others",
    list: "of tuples, of generators, and of all others",
    iter: "of an iterable, and of a function that is called",
    emptied: "dicts and sets, and deques",
    appended: "to a list, and to the numbers of a comprehension",
    operator.delitem: "of lists, and of dicts",
    operator.getitem: "of arrays and their elements, tuples, ranges, texts, records, buffers",
    operator.setitem: "of arrays and their elements, texts, records, buffers",
    reversed: "of lists as they are then, and of others",
    **dict.fromkeys((min, max), "of numbers, of items, and of lists"),
    **dict.fromkeys(
        (np.array, np.asarray, np.concatenate, np.stack, np.vstack, np.hstack),
        "of arrays and tuples, and of lists",
    ),
    iterate: "of each kind of iterable",
    advance: "of each kind of iterator",
    unpack: "of arrays, and of records",
    str: "of what is printed, and of texts",
    repr: "of what is printed, and of values of extensions",
    **dict.fromkeys((sum, any, all, math.prod, set, dict, sorted), "of items, and of generators"),
    type: "of values, and of exceptions",
    (types.Array, "fill"): "of arrays of numbers and of texts",
    abs: "of numbers and of durations",
    **dict.fromkeys((int, float, complex, bool), "of numbers, and of arrays without axes"),
    min: "of several arguments, and of what is iterated",
    max: "of several arguments, and of what is iterated",
    math.hypot: "of two numbers by one C function, of others by another",
}
HEAD = "AREAS: dict[str, str] = {\n"
# Modules whose lowerings others register, too, one that has what others do without an order, and
# one that does with times what others do with numbers.
SHARED = {
    "containers.list_arrays",  # NumPy's functions of lists
    "math.numbers",
    "elements.kernels",
    "arrays.elementwise.outputs",
    "arrays.kit.reducing",
    "arrays.layout.orders",
    "arrays.layout.views",
    "data.time_arrays",
    "core.operator_fallbacks",  # which have what Python has for every class
}


def is_operator(function: object) -> bool:
    rows = [*BINARY.values(), *INPLACE.values(), *UNARY.values()]
    return any(function is row.function for row in rows) or function in (divmod, pow)


def test_each_function_is_registered_in_one_module():
    twice = {
        key: modules - SHARED
        for key, modules in registered.homes().items()
        if len(modules - SHARED) > 1 and not is_operator(key) and key not in BY_KIND
    }
    assert not twice


def test_the_table_of_areas_says_what_the_areas_register():
    table = registered.table()
    path = Path(areas.__file__)
    text = path.read_text()
    written = "".join(row(area, kept(area, names)) for area, names in table.items() if names)
    start = text.index(HEAD) + len(HEAD)
    changed = text[:start] + written + text[text.index("}\n", start) :]
    if os.environ.get("CUTAWAY_BLESS"):
        path.write_text(changed)
    assert changed == text, "CUTAWAY_BLESS=1 writes it anew"


def test_the_rows_of_elements_are_those_of_their_modules():
    for module, kinds, names in kernels.ROWS:
        loading.run(module)
        known = {name: rows for name, rows in INLINE.items() if module in map(home_of, rows)}
        assert known.keys() == set(names.split()), module
        own = [kind for rows in known.values() for kind, f in rows if home_of((kind, f)) is module]
        assert all(not set(kinds).isdisjoint(kind) for kind in own)


def home_of(row: tuple[str, FunctionType]) -> ModuleType:
    """The module of a row, whose function may be a closure of the table's."""
    function = row[1]
    if function.__module__ == table.__name__:
        (function,) = filter(callable, (cell.cell_contents for cell in function.__closure__))
    return sys.modules[function.__module__]


def test_the_everyday_areas_are_listed_with_what_they_register():
    assert areas.EVERYDAY == registered.everyday()


def test_each_function_of_an_area_is_called_by_a_row():
    called = {name for row in rows() for name in names_in(row.program.__code__)}
    missing = [name for name in areas.names() if name.rpartition(".")[2] not in called]
    assert [name for name in missing if name[0] == "." or is_in_numpy(name)] == []


def is_in_numpy(name: str) -> bool:
    """True if NumPy, or a module of its own, has what is called so."""
    place, _, last = name.rpartition(".")
    return hasattr(operator.attrgetter(place)(np) if place else np, last)


def names_in(code: CodeType) -> set[str]:
    inner = [names_in(one) for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*inner)


def rows() -> list[Row]:
    return [row for rows in all_rows().values() for row in rows]


def test_the_methods_of_areas_are_suggested_before_these_are_loaded():
    program = """
import numpy as np, cutaway, cutaway.errors
from cutaway.foundation.loading import has_run
try:
    cutaway.jit(lambda a: a.argsortt())(np.ones(3))
except cutaway.errors.CutawayError as error:
    print(error.hint, has_run("cutaway.library.arrays.ordering.sorting"))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "did you mean argsort? False"


def test_a_method_of_arrays_does_not_hide_one_of_numbers_in_a_fresh_process():
    program = "import cutaway; print(cutaway.jit(lambda z: z.conjugate())(1 + 2j))"
    done = warm.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "(1-2j)"


def kept(area: str, names: str) -> str:
    """The names of an area, with those that another version of NumPy has."""
    functions, _, methods = names.partition(" : ")
    old = areas.AREAS.get(area, "").partition(":")[0].split()
    missing = {name for name in old if not is_in_numpy(name)}
    return registered.entry({*functions.split(), *missing}, set(methods.split()))


def row(area: str, names: str) -> str:
    """A row of the table, in lines of 100 columns."""
    room = 100 - len(f'    "{area}": "",')
    first, *rest = [names] if len(names) <= room else textwrap.wrap(names, room)
    lines = [f'"{first}"', *(f'    " {line}"' for line in textwrap.wrap(" ".join(rest), 90))]
    return f'    "{area}": ' + "\n".join(lines) + ",\n"
