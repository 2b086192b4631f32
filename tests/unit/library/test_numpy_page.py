"""`docs/numpy.md` says which functions and methods of NumPy are compiled, and with what arguments.

The page is made of what the library registers; `make bless` writes it.
"""

from __future__ import annotations

import inspect
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway.errors import CompileError
from cutaway.extending.registry import CONTEXT
from cutaway.library import areas
from cutaway.typing.types import Array
from cutaway.typing.types.opaque import GeneratorSource, StateSource
from library import registered

PAGE = Path(__file__).parents[3] / "docs" / "numpy.md"
HEAD = """# NumPy in compiled code

Everything that this page lists is compiled, and gives NumPy's results; what differs has an entry in
[the ledger](ledger.md). The last column has what is refused, with an error that says so: arguments,
and uses in words.
`tests/unit/library/test_numpy_page.py` writes this page.

All ufuncs of NumPy are compiled, with `out=`, `where=` and `dtype=`, and their methods `reduce`,
`accumulate`, `outer`, `reduceat` and `at`. So are all ways to index an array, and `np.mgrid`,
`np.ogrid`, `np.r_`, `np.c_`, `np.s_` and `np.index_exp`.
"""
# What NumPy takes for the sake of other libraries, or of subclasses, in nearly every function.
EVERYWHERE = {"like", "subok", "device", "self"}
# What is refused of a function whatever the names of its arguments are, and a call that is.
IN_PART = {
    "np.squeeze": ("`axis` left out, where there are axes", lambda: np.squeeze(np.ones((1, 2)))),
    "a.squeeze": ("`axis` left out, where there are axes", lambda: np.ones((1, 2)).squeeze()),
    "np.array_str": ("a text that is returned", lambda: np.array_str(np.ones(2))),
    "np.array_repr": ("a text that is returned", lambda: np.array_repr(np.ones(2))),
    "np.array2string": ("a text that is returned", lambda: np.array2string(np.ones(2))),
    "np.histogramdd": ("a table without a tuple of bins", lambda: np.histogramdd(np.ones((3, 2)))),
    "np.real_if_close": ("complex numbers", lambda: np.real_if_close(np.ones(2) * 1j)),
    "a.resize": ("any call: `np.resize` makes a new array", lambda: np.ones(2).resize(3)),
}
TITLES = {"": "Functions", "linalg.": "`np.linalg`", "fft.": "`np.fft`", "random.": "`np.random`"}
TITLES |= {place: f"`np.{place[:-1]}`" for place in areas.PLACES if place.startswith("polynomial.")}


def taken_by(key: Any) -> set[str] | None:  # Any: a function, or a class and a method's name
    """The names of arguments that some implementation takes; None if they cannot be told."""
    taken: set[str] = set()
    for overload in CONTEXT.overloads[key]:
        typer = getattr(overload.template, "typer", None)
        names = (*(overload.parameters or ()), *(name for name, _ in overload.named))
        if typer is not None:
            names += tuple(inspect.signature(typer).parameters)
        if not names:
            return None
        taken |= set(names)
    return taken


def of_numpy(function: Any) -> dict[str, bool] | None:  # Any: a function
    """A function's arguments in NumPy, and whether each has a name; None where it does not say."""
    nameless = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    return {name: one.kind not in nameless for name, one in found.items() if name not in EVERYWHERE}


def row(name: str, key: Any, function: Any) -> str:  # Any: see `taken_by` and `of_numpy`
    """A line of the page."""
    taken, wanted = taken_by(key), of_numpy(function)
    in_part = IN_PART[name][0] if name in IN_PART else ""
    if taken is None or wanted is None:
        return f"| `{name}` | | {in_part + ' ' if in_part else ''}|\n"
    kept = [one for one, named in wanted.items() if one in taken or not named or one == "kwargs"]
    refused = " ".join(one for one in wanted if one not in kept)
    return f"| `{name}` | {' '.join(kept)} | {'; '.join(filter(None, (refused, in_part)))} |\n"


def table(rows: list[str]) -> str:
    """A table of rows."""
    return "| | arguments | refused |\n|---|---|---|\n" + "".join(rows)


def page() -> str:
    """The whole page."""
    registered.load_everything()
    keys = {areas.name_in_numpy(key): key for key in CONTEXT.overloads if callable(key)}
    parts = [HEAD]
    for prefix, title in TITLES.items():
        names = sorted(name for name in keys if name.rpartition(".")[0] == prefix.rstrip("."))
        plain = [name for name in names if name and not isinstance(keys[name], np.ufunc | type)]
        rows = [row(f"np.{name}", keys[name], keys[name]) for name in plain]
        if rows:
            parts.append(f"\n## {title}\n\n{len(rows)} functions.\n\n{table(rows)}")
    parts.append(sources())
    # Other tests register methods that arrays have not.
    methods = sorted(name for _, name in methods_of(Array) if hasattr(np.ndarray, name))
    rows = [row(f"a.{name}", (Array, name), getattr(np.ndarray, name)) for name in methods]
    parts.append(f"\n## Methods of arrays\n\n{len(rows)} methods.\n\n{table(rows)}")
    names = sorted({name for owner, name in CONTEXT.attributes if owner is Array})
    parts.append(f"\nAttributes: {', '.join(f'`{name}`' for name in names)}.\n")
    return "".join(parts)


def sources() -> str:
    """What random numbers are drawn by."""
    titles = {
        GeneratorSource: "A `Generator` has",
        StateSource: "A `RandomState`, and `np.random` itself, has",
    }
    lines = []
    for owner, words in titles.items():
        names = sorted(name for _, name in methods_of(owner))
        lines.append(f"\n{words} {len(names)} methods: {', '.join(f'`{x}`' for x in names)}.\n")
    return "".join(lines)


def methods_of(owner: type) -> list[tuple[type, str]]:
    """The methods that a type's values have."""
    return [key for key in CONTEXT.overloads if isinstance(key, tuple) and key[0] is owner]


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="NumPy's arguments differ by version")
def test_the_page_says_what_the_library_registers():
    if os.environ.get("CUTAWAY_BLESS"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("name", IN_PART)
def test_what_the_page_calls_refused_is(name):
    function = IN_PART[name][1]
    with pytest.raises(CompileError):
        cutaway.jit(function)()
    assert f"| `{name}` |" in page()
