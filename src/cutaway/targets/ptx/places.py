"""The places in the source that lines of a module come from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.foundation.patterns import Pattern
from cutaway.targets.ptx.refusals import NAME
from cutaway.targets.ptx.variables import DEFINED

Place = tuple[str, int, int]  # a file, a line, a column from 0


def outward(text: str, line: str) -> Iterator[Place]:
    """The places of a line, then those of the calls that led there: by what was inlined, and of
    the functions that call the one in which it stands.  A variable has those of its uses."""
    waiting = list(_uses(text, line)) if line.startswith("@") else [line]
    seen = set(waiting)
    for one in waiting:  # which grows
        yield from _places(text, one)
        more = [caller for caller in _callers(text, one) if caller not in seen]
        seen.update(more)
        waiting += more


_AT = Pattern(r" !dbg !(\d+)")
_FIELD = Pattern(r'(\w+): ("[^"]*"|!?\w+)')


def _places(text: str, line: str) -> Iterator[Place]:
    """The places of one line, from the innermost inlined function outward."""
    found = _AT.search(line)
    number = found[1] if found else ""
    while number:
        fields = _node(text, number)
        column = max(int(fields.get("column", 1)) - 1, 0)
        yield _file(text, fields), int(fields.get("line", 0)), column
        number = fields.get("inlinedAt", "")[1:]


def _node(text: str, number: str) -> dict[str, str]:
    """The fields of a node of metadata."""
    found = re.search(rf"^!{number} = (.*)$", text, re.MULTILINE)
    return dict(_FIELD.findall(found[1])) if found else {}


def _file(text: str, fields: dict[str, str]) -> str:
    """The path of the file that a node names, or its scope."""
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
    """The lines that call the function in which a line stands."""
    before, is_there, _ = text.partition(line)
    start = before.rfind("\ndefine ")
    found = DEFINED.search(text, start) if is_there and start >= 0 else None
    if found is not None:
        yield from _mentions(text, found[2])


def _uses(text: str, line: str) -> Iterator[str]:
    """The lines that name a variable."""
    found = _VARIABLE.match(line)
    if found is not None:
        yield from _mentions(text, found[1])


_VARIABLE = Pattern(rf"@({NAME}) =")


def _mentions(text: str, name: str) -> Iterator[str]:
    pattern = rf"^  .*@{re.escape(name)}(?![-\w$.]).*$"
    yield from (use[0] for use in re.finditer(pattern, text, re.MULTILINE))
