"""Golden files: cases of source above and the expected text below, one file a pass.

    === title
    # float64[:], int64
    def f(a, n):
        ...
    ---
    expected text

`make bless` writes the expected texts anew; then the diff is read.
"""

from __future__ import annotations

import linecache
import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.foundation.loops import prange
from cutaway.foundation.marks import objmode
from cutaway.foundation.options import Flags, flags_from_options
from cutaway.typing.overloads.notation import parse_signature
from cutaway.typing.types import Type, pyobject
from cutaway.typing.values.typeof import typeof

HERE = Path(__file__).parent
BLESS = bool(os.environ.get("CUTAWAY_BLESS"))


@dataclass
class Golden:
    """One case of a golden file."""

    path: Path
    title: str
    source: str
    expected: str

    @property
    def types(self) -> tuple[Type, ...]:
        """The argument types, from the comment on the first line, or those of values there."""
        if self.flags.forceobj:
            return (pyobject,) * self.function().__code__.co_argcount
        first = self.source.splitlines()[0]
        text = first.removeprefix("#").strip() if first.startswith("#") else ""
        if text.startswith("as for "):
            return tuple(map(typeof, eval(f"({text.removeprefix('as for ')},)")))  # noqa: S307
        return parse_signature(f"({text},)").args if text else ()

    @property
    def flags(self) -> Flags:
        """The options of a line `# @jit(...)`."""
        given = re.search(r"^# @jit\((.*)\)$", self.source, re.MULTILINE)
        return flags_from_options(eval(f"dict({given[1]})") if given else {})  # noqa: S307

    def function(self) -> FunctionType:
        """The function of the source; what it raises can be shown with its lines."""
        filename = f"{self.path.name}:{self.title}"
        lines = self.source.splitlines(keepends=True)
        linecache.cache[filename] = (len(self.source), None, lines, filename)
        space: dict[str, Any] = {"math": math, "np": np, "prange": prange, "objmode": objmode}
        exec(compile(self.source, filename, "exec"), space)  # noqa: S102
        return next(v for v in reversed(space.values()) if isinstance(v, FunctionType))


def load(name: str) -> list[Golden]:
    """The cases of a file."""
    path = HERE / f"{name}.txt"
    if not path.exists():
        return []
    cases = []
    for part in re.split(r"^=== ", path.read_text(), flags=re.MULTILINE)[1:]:
        title, _, rest = part.partition("\n")
        source, _, expected = rest.partition("---\n")
        cases.append(Golden(path, title.strip(), source, expected.rstrip("\n") + "\n"))
    return cases


def check(case: Golden, produce: Callable[[Golden], str]) -> None:
    """Compare, or with CUTAWAY_BLESS=1 write, what `produce` makes of a case."""
    found = "\n".join(line.rstrip() for line in produce(case).splitlines()).rstrip("\n") + "\n"
    if BLESS:
        _write(case, found)
        return
    assert found == case.expected, f"{case.title}: if this is right, run: make bless\n{found}"


def _write(case: Golden, found: str) -> None:
    parts = [
        f"=== {c.title}\n{c.source}---\n{found if c.title == case.title else c.expected}\n"
        for c in load(str(case.path.with_suffix("")))
    ]
    case.path.write_text("".join(parts))
