"""The environment of a function in object mode: the objects that its code refers to by index.

Machine code contains no addresses of objects.  It is called with an array: the function's globals,
the builtins, its code, and then its constants, the names that it looks up, the cells of enclosing
functions, and any other objects it needs.
"""

from __future__ import annotations

import sys
from types import CodeType, FunctionType
from typing import Any

from cutaway.runtime import watch_namespaces

# The indices that C code reads (runtime/objects.h).
GLOBALS, BUILTINS, CODE, KNOWN, ATTRIBUTES, KEEP = range(6)
KNOWN_BYTES = 24  # a row of the cache of a global name (runtime/object_globals.c)
ATTRIBUTE_BYTES = 16  # a row of the cache of an attribute (runtime/object_attributes.c)


class Environment:
    """The objects, in the order in which the lowering requested them.

    Those in the list at `KEEP` are kept for a generator, which may outlive its function.
    """

    def __init__(self, function: FunctionType) -> None:
        namespace = function.__globals__
        builtins = _builtins(namespace)
        watch_namespaces(namespace, builtins)
        rows = (bytearray(), bytearray())
        self.objects: list[Any] = [namespace, builtins, function.__code__, *rows, []]
        self.attributes = 0  # the number of instructions that read or write one
        self.globals: dict[str, int] = {}  # the cache rows of names
        self.known: dict[tuple[str, int], int] = {}
        self.cells = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )

    @property
    def code(self) -> CodeType:
        """The function's code."""
        code: CodeType = self.objects[CODE]
        return code

    def place(self, value: Any, kind: str = "") -> int:
        """Return the index of an object, which is identified by `is`."""
        key = (kind, id(value))
        if key not in self.known:
            self.known[key] = len(self.objects)
            self.objects.append(value)
        return self.known[key]

    def name(self, text: str) -> int:
        """Return the index of a name: interned, since dictionaries find it by its address."""
        return self.place(sys.intern(text), "name")

    def known_place(self, name: str) -> int:
        """Return the row of the cache for a global name."""
        return self.globals.setdefault(name, len(self.globals))

    def attribute_place(self) -> int:
        """Add a new row of the cache for an attribute lookup."""
        self.attributes += 1
        return self.attributes - 1

    def cell(self, name: str) -> int:
        """Return the index of the cell of a variable of an enclosing function."""
        return self.place(self.cells[name], "cell")

    def array(self) -> tuple[Any, ...]:
        """Return all objects."""
        self.objects[KNOWN] = bytearray(KNOWN_BYTES * len(self.globals))
        self.objects[ATTRIBUTES] = bytearray(ATTRIBUTE_BYTES * self.attributes)
        return tuple(self.objects)


def _builtins(namespace: dict[str, Any]) -> dict[str, Any]:
    known = namespace.get("__builtins__", sys.modules["builtins"])
    return known if isinstance(known, dict) else vars(known)
