"""Facts read from the text of PTX alone: its functions, parameters, labels and instructions, and
the LLVM line that each instruction comes from.

A line table only adds `.loc`, `.file`, and labels of its own.
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
    """Yield the rows of PTX with their numbers, without blank rows, comments and line tables."""
    inside = False
    for number, row in enumerate(text.removesuffix("\n").split("\n")):
        if _SECTION.match(row):
            inside = not row.rstrip().endswith("}")
        elif inside:
            inside = row.strip() != "}"
        elif not is_of_table(row) and (code := _COMMENT.sub("", row)).strip():
            yield number, code


def unnumbered(row: str) -> str:
    """Strip a row's comment and the numbers of registers and labels, to compare it with another
    compilation's."""
    return _NUMBERED.sub(r"\1", _COMMENT.sub("", row))


def is_of_table(row: str) -> bool:
    """True for a row of a line table."""
    return _OF_TABLE.match(row) is not None


def spaced(row: str) -> str:
    """Align the operands of a row in a column."""
    return _WORDS.sub(lambda match: f"    {match[1]:<19} ", row).replace("\t", "    ")


def bare(row: str) -> str:
    """Return an instruction without indentation and comment, with single blanks."""
    return " ".join(_COMMENT.sub("", row).split())


def origins(ptx: str, listing: str) -> list[int] | None:
    """The LLVM line of each row of PTX, 0 for none, from a listing whose locations are these lines;
    None if the listing has other instructions."""
    rows = list(shown(ptx))
    places = list(_places(listing))
    if [row for _, row in rows] != [row for row, _ in places]:
        return None
    result = [0] * len(ptx.removesuffix("\n").split("\n"))
    for (number, _), (_, origin) in zip(rows, places, strict=True):
        result[number] = origin
    return result


def _places(listing: str) -> Iterator[tuple[str, int]]:
    """Yield the rows of a listing that are shown, each with its LLVM line."""
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
