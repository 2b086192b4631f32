"""The environment of a function in object mode: the objects that its code refers to by place.

Machine code has no addresses of objects in it.  It is called with an array: the function's globals,
the builtins, its code, and then its constants, the names that it looks up, the cells of enclosing
functions, and what else it needs.
"""

from __future__ import annotations

import sys
from types import CodeType, FunctionType
from typing import Any

from cutaway.runtime import watch_namespaces

# The places that C code knows (runtime/objects.h).
GLOBALS, BUILTINS, CODE, KNOWN, ATTRIBUTES, KEEP = range(6)
KNOWN_BYTES = 24  # a row of what is known of a global name (runtime/object_globals.c)
ATTRIBUTE_BYTES = 16  # a row of what is known of an attribute (runtime/object_attributes.c)


class Environment:
    """The objects, in the order in which the lowering asked for them.

    Those at `KEEP` are what a generator keeps, which may live longer than its function.
    """

    def __init__(self, function: FunctionType) -> None:
        namespace = function.__globals__
        builtins = _builtins(namespace)
        watch_namespaces(namespace, builtins)
        rows = (bytearray(), bytearray())
        self.objects: list[Any] = [namespace, builtins, function.__code__, *rows, []]
        self.attributes = 0  # how many places read or write one
        self.globals: dict[str, int] = {}  # the rows of what is known of names
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
        """The place of an object, which is kept by identity."""
        key = (kind, id(value))
        if key not in self.known:
            self.known[key] = len(self.objects)
            self.objects.append(value)
        return self.known[key]

    def name(self, text: str) -> int:
        """The place of a name: interned, since dictionaries find such names by their address."""
        return self.place(sys.intern(text), "name")

    def known_place(self, name: str) -> int:
        """The row in which it is remembered what a global name leads to."""
        return self.globals.setdefault(name, len(self.globals))

    def attribute_place(self) -> int:
        """Another row in which it is remembered what an attribute leads to."""
        self.attributes += 1
        return self.attributes - 1

    def cell(self, name: str) -> int:
        """The place of the cell of a variable of an enclosing function."""
        return self.place(self.cells[name], "cell")

    def array(self) -> tuple[Any, ...]:
        """All objects."""
        self.objects[KNOWN] = bytearray(KNOWN_BYTES * len(self.globals))
        self.objects[ATTRIBUTES] = bytearray(ATTRIBUTE_BYTES * self.attributes)
        return tuple(self.objects)


def _builtins(namespace: dict[str, Any]) -> dict[str, Any]:
    known = namespace.get("__builtins__", sys.modules["builtins"])
    return known if isinstance(known, dict) else vars(known)
