"""The source locations of a module's lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.foundation.patterns import Pattern
from cutaway.targets.ptx.refusals import NAME
from cutaway.targets.ptx.variables import DEFINED

Place = tuple[str, int, int]  # a file, a line, a column from 0


def outward(text: str, line: str) -> Iterator[Place]:
    """Yield the locations of a line, then those of the calls that led there: by inlining, and of
    the functions that call its function.  For a variable, those of its uses."""
    waiting = list(_uses(text, line)) if line.startswith("@") else [line]
    seen = set(waiting)
    for one in waiting:  # a list that grows
        yield from _places(text, one)
        more = [caller for caller in _callers(text, one) if caller not in seen]
        seen.update(more)
        waiting += more


_AT = Pattern(r" !dbg !(\d+)")
_FIELD = Pattern(r'(\w+): ("[^"]*"|!?\w+)')


def _places(text: str, line: str) -> Iterator[Place]:
    """Yield the locations of one line, from the innermost inlined function outward."""
    at = _AT.search(line)
    number = at[1] if at else ""
    while number:
        fields = _node(text, number)
        column = max(int(fields.get("column", 1)) - 1, 0)
        yield _file(text, fields), int(fields.get("line", 0)), column
        number = fields.get("inlinedAt", "")[1:]


def _node(text: str, number: str) -> dict[str, str]:
    """Return the fields of a metadata node."""
    node = re.search(rf"^!{number} = (.*)$", text, re.MULTILINE)
    return dict(_FIELD.findall(node[1])) if node else {}


def _file(text: str, fields: dict[str, str]) -> str:
    """Return the path of the file of a node, or of its scope."""
    while "file" not in fields and "scope" in fields:
        fields = _node(text, fields["scope"][1:])
    of_file = _node(text, fields.get("file", "")[1:])
    folder, name = (_unquoted(of_file.get(key, "")) for key in ("directory", "filename"))
    return name if folder in ("", ".") else f"{folder.rstrip('/')}/{name}"


_ESCAPED = Pattern(r"\\([0-9A-F]{2})")


def _unquoted(text: str) -> str:
    data = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text.strip('"'))
    return data.encode("latin-1", errors="replace").decode(errors="replace")


def _callers(text: str, line: str) -> Iterator[str]:
    """Yield the lines that call the function that contains a line."""
    before, is_there, _ = text.partition(line)
    start = before.rfind("\ndefine ")
    definition = DEFINED.search(text, start) if is_there and start >= 0 else None
    if definition is not None:
        yield from _mentions(text, definition[2])


def _uses(text: str, line: str) -> Iterator[str]:
    """Yield the lines that refer to a variable."""
    variable = _VARIABLE.match(line)
    if variable is not None:
        yield from _mentions(text, variable[1])


_VARIABLE = Pattern(rf"@({NAME}) =")


def _mentions(text: str, name: str) -> Iterator[str]:
    pattern = rf"^  .*@{re.escape(name)}(?![-\w$.]).*$"
    yield from (use[0] for use in re.finditer(pattern, text, re.MULTILINE))
