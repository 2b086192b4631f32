"""Find the registers of variables in PTX from LLVM's comments, which number virtual registers.

    //DEBUG_VALUE: total$1:v10 <- %78        %78 is %rd45 in PTX

PTX numbers the registers of each kind in order. The registers and their kinds are read from the
program that LLVM prints before the last pass of the code generator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.inspection.llvm import ptx_text

# Prints the machine code that PTX is written from.
PRINTS = "--print-after=nvptx-asm-printer"

_FUNCTION = re.compile(r"^# Machine code for function ([^:]+):")
_REGISTER = re.compile(r"(?<![\w$.])%(\d+):(b\d+)\b")
_PREFIXES = {"b1": "%p", "b16": "%rs", "b32": "%r", "b64": "%rd", "b128": "%rq"}
_DECLARED = re.compile(r"^\t\.reg \.\w+ \t(%\w+?)<(\d+)>;")
_VALUE = re.compile(r"^\s*//DEBUG_VALUE: .*?:v(\d+) <- (.*)$")
_FOR_DEBUGGERS = re.compile(r"^(\.target sm_\w+), debug$")

_HERE = re.compile(r"^%(\d+)$")
_DERIVED = re.compile(r"^\[.*\] %(\d+)$")
_POINTED = re.compile(r"^\[%(\d+)\+0\]$")
_LOCAL = re.compile(r"^\[(?:DW_OP_plus_uconst (\d+), )?DW_OP_deref\] \$VR\w+$|^\[\$VR\w+\+(\d+)\]$")
_CONSTANT = re.compile(r"^-?[\d.]+(e[+-]?\d+)?$")

Names = dict[str, dict[str, str]]  # by function, from LLVM's registers to those of PTX
Said = tuple[int, int, tuple[str, bool]]  # variable, row of PTX, its location, see `_place`


def register_names(printed: str) -> Names:
    """Read the PTX names of registers from LLVM's printed machine code."""
    names: Names = {}
    kinds: dict[str, str] = {}
    for line in printed.splitlines():
        if function := _FUNCTION.match(line):
            kinds = {}
            names[function[1]] = {}
        elif line.startswith("# End machine code for function ") and kinds:
            names[line.removeprefix("# End machine code for function ").rstrip(".")] = _named(kinds)
        elif "DBG_" not in line:
            kinds.update(_REGISTER.findall(line))
    return names


def _named(kinds: dict[str, str]) -> dict[str, str]:
    counts = dict.fromkeys(_PREFIXES, 0)
    names = {}
    for number in sorted(kinds, key=int):
        kind = kinds[number]
        if kind in counts:
            counts[kind] += 1
            names[number] = f"{_PREFIXES[kind]}{counts[kind]}"
    return names


def places(commented: str, names: Names, ptx: str) -> list[Said] | None:
    """Read the locations of variables from PTX with LLVM's comments; None if it differs from `ptx`
    in instructions or registers."""
    rows, said = _rows(commented)
    known = list(ptx_text.shown(ptx))
    if rows != [row for _, row in known]:
        return None
    locations: list[Said] = []
    for row, function, variable, text in said:
        if not _fits(names.get(function, {}), commented, function):
            return None
        if place := _place(text, names[function]):
            locations.append((variable, known[min(row, len(known) - 1)][0], place))
    return locations


def _rows(commented: str) -> tuple[list[str], list[tuple[int, str, int, str]]]:
    """Return the rows without comments, and LLVM's variable locations by the next row's index."""
    lines = commented.split("\n")
    shown = dict(ptx_text.shown(commented))
    rows: list[str] = []
    said = []
    function = ""
    for number, line in enumerate(lines):
        if head := ptx_text.HEAD.match(line):
            function = head[1]
        if value := _VALUE.match(line):
            said.append((len(rows), function, int(value[1]), value[2].strip()))
        elif number in shown:
            rows.append(_FOR_DEBUGGERS.sub(r"\1", shown[number]))
    return rows, said


def _fits(names: dict[str, str], commented: str, function: str) -> bool:
    """True if PTX declares as many registers of each kind as the printed machine code uses."""
    counts: dict[str, int] = {}
    for name in names.values():
        prefix = name.rstrip("0123456789")
        counts[prefix] = counts.get(prefix, 0) + 1
    return counts == dict(_declared(commented, function))


def _declared(commented: str, function: str) -> Iterator[tuple[str, int]]:
    inside = False
    for line in commented.splitlines():
        if head := ptx_text.HEAD.match(line):
            inside = head[1] == function
        elif inside and (match := _DECLARED.match(line)) and int(match[2]) > 1:
            yield match[1], int(match[2]) - 1


def _place(text: str, names: dict[str, str]) -> tuple[str, bool] | None:
    """Format a location as in PTX, and say whether it holds the value itself; None for others."""
    if (match := _HERE.match(text)) and match[1] in names:
        return names[match[1]], True
    if (match := _POINTED.match(text)) and match[1] in names:
        return f"[{names[match[1]]}]", True
    if (match := _DERIVED.match(text)) and match[1] in names:
        return names[match[1]], False
    if match := _LOCAL.match(text):
        return f"[%SP+{match[1] or match[2] or 0}]", True
    return (text, True) if _CONSTANT.match(text) else None
