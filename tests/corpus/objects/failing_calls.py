"""Calls of object mode that fail on demand.

In place of each function of the table in `lowering/objects/api.py` that may raise stands one in C
that counts its calls: the one that is asked for raises MemoryError, all others go on to the
original.
"""

from __future__ import annotations

import ctypes
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cutaway.targets.cpu.objects as home
from cutaway.foundation.dataclass import replace
from cutaway.lowering.objects.api import API, ApiRow, Raises
from cutaway.runtime import object_symbols

MOST = 1 << 16  # calls whose places are noted
C_TYPES = {"ptr": "void *", "i32": "int32_t", "i64": "int64_t"}

_HEAD = f"""\
#include <Python.h>

int64_t calls, failing;
void *places[{MOST}]; /* in compiled code, of each call while none fails */

static int fails(void *place)
{{
    if (calls < {MOST} && !failing)
        places[calls] = place;
    if (++calls != failing)
        return 0;
    PyErr_SetString(PyExc_MemoryError, "injected");
    return 1;
}}
"""
_WRAPPER = """\
{returns}(*real_{name})({types});
{returns}failing_{name}({parameters})
{{
    if (fails(__builtin_return_address(0))) {{
        {before}return {failed};
    }}
    return real_{name}({arguments});
}}
"""
# What a function leaves behind where it fails, as the originals do.
_BEFORE = {
    "cutaway_py_method": "*(PyObject **)a3 = NULL;",
    "cutaway_py_enter": "*(PyObject **)a1 = NULL;",
    "cutaway_py_delegate": "Py_CLEAR(*(PyObject **)a1);",
    "cutaway_py_append": """\
PyObject **a = a0;
        if (PyUnicode_CheckExact(*a) && PyUnicode_CheckExact((PyObject *)a1) && *a != a1)
            Py_CLEAR(*a);
""",
}
_FAILED = {Raises.NULL: "NULL", Raises.NEGATIVE: "-1"}
# Those that raise and have another way to say so.
_FAILED_OTHERWISE = {"cutaway_py_next": "NULL", "cutaway_py_delegate": "2"}


def _failed(row: ApiRow) -> str | None:
    """What a function returns where it fails; None where it never does."""
    return _FAILED_OTHERWISE.get(row.name) or _FAILED.get(row.raises)


FAILING = {row.name: _failed(row) for row in API.values() if _failed(row) is not None}


def source() -> str:
    """The C functions."""
    return "\n".join([_HEAD, *(_wrapper(API[name], failed) for name, failed in FAILING.items())])


def _wrapper(row: ApiRow, failed: str | None) -> str:
    parameters = [f"{C_TYPES[ty]} a{k}" for k, ty in enumerate(row.takes)]
    before = _BEFORE.get(row.name, "")
    return _WRAPPER.format(
        name=row.name,
        returns=f"{C_TYPES[row.returns]} ",
        types=", ".join(C_TYPES[ty] for ty in row.takes) or "void",
        parameters=", ".join(parameters) or "void",
        arguments=", ".join(f"a{k}" for k in range(len(row.takes))),
        before=f"{before}\n        " if before else "",
        failed=failed,
    )


class Calls:
    """The functions, compiled in a folder."""

    def __init__(self, folder: Path) -> None:
        text, library = folder / "failing.c", folder / "failing.so"
        text.write_text(source())
        include = f"-I{sysconfig.get_path('include')}"
        command = ["cc", "-O1", "-g", "-shared", "-fPIC", include, "-o", library, text]
        subprocess.run(command, check=True)
        self.library = ctypes.CDLL(str(library))
        self.calls = ctypes.c_int64.in_dll(self.library, "calls")
        self.failing = ctypes.c_int64.in_dll(self.library, "failing")
        self.places = (ctypes.c_void_p * MOST).in_dll(self.library, "places")
        self.addresses = dict(object_symbols)
        for name in FAILING:
            real = ctypes.c_void_p.in_dll(self.library, f"real_{name}")
            real.value = object_symbols[name]
            wrapper = ctypes.cast(self.library[f"failing_{name}"], ctypes.c_void_p)
            assert wrapper.value is not None
            self.addresses[name] = wrapper.value

    @contextmanager
    def linked(self) -> Iterator[None]:
        """What is compiled meanwhile calls these functions."""
        usual = home.OBJECTS
        home.OBJECTS = replace(usual, runtime=self.addresses)
        try:
            yield
        finally:
            home.OBJECTS = usual

    def run(self, function: Callable[[], Any], failing: int = 0) -> Any:  # Any: what it gives
        """Call something; the call of this number that it makes fails, or none."""
        self.calls.value, self.failing.value = 0, failing
        try:
            return function()
        finally:
            self.failing.value = -1

    def to_fail(self, all_up_to: int) -> list[int]:
        """The calls of the last run that are worth a try: all if there are no more than this, or
        of each place in the code the first two and the last."""
        count = self.calls.value
        if count <= all_up_to:
            return list(range(1, count + 1))
        seen: dict[int | None, list[int]] = {}
        for k, place in enumerate(self.places[: min(count, MOST)], 1):
            known = seen.setdefault(place, [])
            known[2:] = [k]
        return sorted(k for known in seen.values() for k in known)
