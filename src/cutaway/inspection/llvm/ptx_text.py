"""Facts read from the text of PTX alone: its functions, parameters, labels and instructions, and
the line of LLVM's text that each instruction comes from.

A table of lines changes nothing but `.loc`, `.file`, and labels of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

HEAD = re.compile(r"^(?:\.\w+ )*\.(?:entry|func)\b(?:\s*\([^)]*\))?\s*([\w$]+)")
LABEL = re.compile(r"^(\$L\w+):")
INSTRUCTION = re.compile(r"^\t(?:@!?%p\d+ )?[a-z]\w*[.;\t ]|^\t(?:@!?%p\d+ )?[a-z]\w*;")
NAME = re.compile(r"%\w+(?:\.[xyzw])?|\$L\w+|[\w$]+_param_\d+")
PARAMETER = re.compile(r"\b([\w$]+)_param_(\d+)\b")

_WORDS = re.compile(r"^\t((?:@!?%p\d+ |\.reg )?\S+) \t")
_LOC = re.compile(r"^\t\.loc\t\d+ (\d+) (\d+)")
_OF_TABLE = re.compile(r"^\t\.(?:loc|file)\t|^\$L__(?:tmp|func_begin|func_end)\d+:")
_SECTION = re.compile(r"^\t\.section\t\.debug_")
_NUMBERED = re.compile(r"(%[a-z]+|\$L__BB)\d+(?:_\d+)?(?![\w.])")
_COMMENT = re.compile(r"\s*//.*$")


def shown(text: str) -> Iterator[tuple[int, str]]:
    """The rows of PTX, each with its number, without blank ones, comments and tables of lines."""
    inside = False
    for number, row in enumerate(text.removesuffix("\n").split("\n")):
        if _SECTION.match(row):
            inside = not row.rstrip().endswith("}")
        elif inside:
            inside = row.strip() != "}"
        elif not is_of_table(row) and (code := _COMMENT.sub("", row)).strip():
            yield number, code


def unnumbered(row: str) -> str:
    """A row without comment and without the numbers of registers and labels, to compare it with
    one of another compilation."""
    return _NUMBERED.sub(r"\1", _COMMENT.sub("", row))


def is_of_table(row: str) -> bool:
    """True for a row of a table of lines."""
    return _OF_TABLE.match(row) is not None


def spaced(row: str) -> str:
    """A row as it is shown: its operands stand in a column."""
    return _WORDS.sub(lambda match: f"    {match[1]:<19} ", row).replace("\t", "    ")


def bare(row: str) -> str:
    """An instruction without indentation and comment, with single blanks."""
    return " ".join(_COMMENT.sub("", row).split())


def origins(ptx: str, listing: str) -> list[int] | None:
    """For each row of PTX the line of LLVM's text that it comes from, 0 for none, by a listing
    that is numbered by these lines; None if that has other instructions."""
    rows = list(shown(ptx))
    places = list(_places(listing))
    if [row for _, row in rows] != [row for row, _ in places]:
        return None
    found = [0] * len(ptx.removesuffix("\n").split("\n"))
    for (number, _), (_, origin) in zip(rows, places, strict=True):
        found[number] = origin
    return found


def _places(listing: str) -> Iterator[tuple[str, int]]:
    """The rows that are shown of a listing, each with the line that it comes from."""
    lines = listing.removesuffix("\n").split("\n")
    done, origin = 0, 0
    for number, row in shown(listing):
        for line in lines[done:number]:
            if HEAD.match(line):
                origin = 0
            elif place := _LOC.match(line):
                origin = int(place[1]) if place[2] == "1" else 0
        done = number
        yield row, 0 if HEAD.match(row) else origin
