"""Count the machine instructions of a function, by the functions of machine code that hold them.

    the function has 412 machine instructions, and uses 264 bytes of stack
    the copies of its loops that run if a check before the loop fails have 544 machine instructions

LLVM's counts do not name the function of the module, so this module counts itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.linking.lines import UserFunction, unit_lines
from cutaway.inspection.llvm.remarks import Remark, Remarks
from cutaway.stages.unit import CompileUnit

_LABEL = re.compile(r'^("?)([^\s#"]+)\1:')
_COUNTED = re.compile(r"^\d+ (?:instructions|stack bytes) in function")
_PUSHES = re.compile(r"\tpushq?\t")
_TAKES = re.compile(r"\tsubq?\t\$(\d+), %rsp$")
_POINTER = 8  # bytes

_OWN = "the function"
_BODIES = "the bodies of its parallel loops"
_RARE = "the copies of its loops that run if a check before the loop fails"
_ORDER = {_OWN: 0, _BODIES: 1, _RARE: 2}  # called functions come after these


@dataclass(slots=True)
class _Size:
    """The instructions of functions of one kind, and the largest stack frame among them."""

    instructions: int = 0
    stack: int = 0


def with_sizes(remarks: Remarks, unit: CompileUnit) -> Remarks:
    """Replace LLVM's remarks on sizes by the sizes of machine code."""
    kept = tuple(row for row in remarks.rows if not _COUNTED.match(row.raw))
    sizes = sorted(_sizes(unit).items(), key=lambda item: (_ORDER.get(item[0], 3), item[0]))
    rows = [Remark("code", "note", _sentence(what, size), "size_of_code") for what, size in sizes]
    return Remarks(kept, remarks.error, remarks.filename).with_rows(rows)


def _sentence(what: str, size: _Size) -> str:
    are_many = what in (_BODIES, _RARE)
    text = f"{what} {'have' if are_many else 'has'} {size.instructions} machine instructions"
    if not size.stack:
        return text
    return f"{text}, and {'use up to' if are_many else 'uses'} {size.stack} bytes of stack"


def _sizes(unit: CompileUnit) -> dict[str, _Size]:
    """Return the sizes of the function, of its parts, and of each function that it calls."""
    user = UserFunction(unit)
    sizes: dict[str, _Size] = {}
    for name, is_rare, texts in _functions(unit):
        size = sizes.setdefault(_RARE if is_rare else _named(name, user), _Size())
        size.instructions += len(texts)
        size.stack = max(size.stack, _stack(texts))
    return sizes


def _functions(unit: CompileUnit) -> Iterator[tuple[str, bool, list[str]]]:
    """Yield the functions of machine code: name, whether it rarely runs, and instructions."""
    name, is_rare = "", False
    texts: list[str] = []
    for row in unit_lines(unit):
        label = _LABEL.match(row.text)
        if label and not label[2].startswith(".L"):
            if texts:
                yield name, is_rare, texts
            name, texts = label[2], []
        if row.is_instruction:
            is_rare = row.rare
            texts.append(row.text)
    if texts:
        yield name, is_rare, texts


def _stack(texts: list[str]) -> int:
    """Return the bytes of stack that a function's prologue allocates."""
    taken = 0
    for text in texts:
        if _PUSHES.match(text):
            taken += _POINTER
        elif match := _TAKES.match(text):
            return taken + int(match[1])
        elif taken:
            break
    return taken


def _named(function: str, user: UserFunction) -> str:
    """Describe a function of machine code in the user's terms."""
    if user.is_own(function):
        return _OWN
    if function.startswith(f"{user.symbol}.parfor."):
        return _BODIES
    return f"`{function.partition('$')[0]}`"
