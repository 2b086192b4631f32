"""What the library registers: which module each function, method and attribute is from."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import cutaway.library
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.loading import load
from cutaway.library import areas as areas_table
from cutaway.library.areas import name_in_numpy
from cutaway.typing.overloads.resolution import Overload
from cutaway.typing.types import Array

FOLDER = Path(cutaway.library.__file__).parent
PACKAGE = "cutaway.library."
# Modules of arrays that are there for every program, or with the rest of the library.
NO_AREAS = {
    *("__init__", "attributes", "basic", "choosing", "families", "flags", "flat", "gathering"),
    *("kinds", "methods", "outputs", "refusals", "reshaping", "unpacking", "updates"),
    "walk_arguments",
}
# The folders of the library whose modules are such.
FOLDERS = (
    *(f"arrays/{name}" for name in ("creating", "curves", "elementwise", "indexing", "layout")),
    *("arrays/ordering", "arrays/products", "arrays/statistics", "fft", "linalg"),
    *("polynomial_families", "random"),
)


def areas() -> list[str]:
    """The modules that are loaded when a program calls a function of theirs."""
    return sorted(
        f"{folder.replace('/', '.')}.{path.stem}"
        for folder in FOLDERS
        for path in (FOLDER / folder).glob("*.py")
        if path.stem not in NO_AREAS
    )


def load_everything() -> None:
    """Load the whole library."""
    CONTEXT.load_rest()
    for area in [*areas(), "random"]:
        load(PACKAGE + area)


def home_of(overload: Overload) -> str:
    """The module that registered an overload; empty for one that is not of the library."""
    maker = getattr(overload.template, "typer", None) or overload.lower or overload.template
    module = str(getattr(maker, "__module__", ""))
    return module.removeprefix(PACKAGE) if module.startswith(PACKAGE) else ""


def homes() -> dict[Any, set[str]]:
    """For each function and method the modules that register it."""
    load_everything()
    found: dict[Any, set[str]] = defaultdict(set)
    for key, overloads in CONTEXT.overloads.items():
        found[key] |= {home_of(overload) for overload in overloads} - {""}
    return found


def everyday() -> dict[str, str]:
    """What `library.areas.EVERYDAY` has to say, which a fresh process finds."""
    done = subprocess.run([sys.executable, "-c", EVERYDAY], capture_output=True, check=True)
    found = json.loads(done.stdout)
    return {area: " ".join(sorted(found[area])) for area in areas_table.EVERYDAY}


# Each module says what it registers: the innermost module that is being executed has added it.
EVERYDAY = """
import json, sys
from cutaway.library import areas
from cutaway.typing.overloads.context import TypingContext

found = {}

def noted(add, name_of):
    def note(self, *args, **options):
        frame = sys._getframe(1)
        while frame.f_code.co_name != "<module>":
            frame = frame.f_back
        area = frame.f_globals["__name__"].removeprefix("cutaway.library.")
        found.setdefault(area, []).append(name_of(*args))
        return add(self, *args, **options)
    return note

def of_function(function, *rest):
    return f".{function[1]}" if isinstance(function, tuple) else function.__name__

TypingContext.add = noted(TypingContext.add, of_function)
TypingContext.add_attribute = noted(
    TypingContext.add_attribute, lambda owner, name, *rest: "." + name
)
for area in areas.EVERYDAY:
    areas._module(area)
print(json.dumps({area: sorted(set(names)) for area, names in found.items()}))
"""


def table() -> dict[str, str]:
    """What `library.areas.AREAS` has to say."""
    functions: dict[str, set[str]] = {area: set() for area in areas()}
    methods: dict[str, set[str]] = {area: set() for area in areas()}
    for key, modules in homes().items():
        for area in modules & set(areas()):
            if isinstance(key, tuple) and key[0] is Array:
                methods[area].add(key[1])
            elif name := name_in_numpy(key):
                functions[area].add(name)
    return {area: entry(functions[area], methods[area]) for area in areas()}


def entry(functions: set[str], methods: set[str]) -> str:
    """A row of the table."""
    return " ".join(sorted(functions)) + " : " * bool(methods) + " ".join(sorted(methods))
