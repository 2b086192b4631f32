"""Facts read from the text of LLVM IR alone: its functions and their blocks, the part that each
line belongs to, and the parts to fold away for readers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from cutaway.foundation.dataclass import dataclass

NAME = r'"(?:[^"\\]|\\.)*"|[\w.$-]+'
_DEFINE = re.compile(rf"^define .*?@({NAME})\(")
_HEAD = re.compile(rf"^define .*?@({NAME})\(.*\)([^()\n]*)\{{$", re.M)
_ATTRIBUTE_GROUP = re.compile(r"^attributes (#\d+) = \{(.*)\}$", re.M)
_RARE = {"cold", "optnone"}
_LABEL = re.compile(rf"^({NAME}):")
_METADATA = re.compile(r"(,? ![a-z][\w.]* !\d+)+(?= \{$|$)")
_RESULT = re.compile(rf"^\s+%({NAME}) = ")
_VALUE = re.compile(rf"%({NAME})")
_TEXTS = re.compile(rf'([%@](?:{NAME}))|"(?:[^"\\]|\\.)*"')  # names; texts, whose % starts no name
_NODE = re.compile(r"^!(\d+|[\w.]+) = ")
_ATTRIBUTES = re.compile(
    r"(?<=[\w)*]) (?:#\d+|nounwind|local_unnamed_addr|unnamed_addr|noundef|nonnull|writeonly"
    r"|readonly|noalias|captures\([^)]*\)|nuw|nsw|inbounds|exact|samesign|disjoint|nneg"
    r"|internal|fastcc|range\([^)]*\)|writable|dereferenceable\(\d+\))(?=[ ,)])"
    r"|, align \d+|(?<=  )tail (?=call)|(?<== )tail (?=call)| #\d+$"
)
_ENTRY = "entry"  # the optimizer drops the name of the first block


def functions_of(text: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Yield each function that a module defines: its name, and its blocks' lines by label."""
    blocks: dict[str, list[str]] = {}
    name = ""
    label = _ENTRY
    for line in text.splitlines():
        if defined := _DEFINE.match(line):
            name, label, blocks = defined[1].strip('"'), _ENTRY, {}
        elif name and line.startswith("}"):
            yield name, blocks
            name = ""
        elif name and (labeled := _LABEL.match(line)):
            label = labeled[1].strip('"')
        elif name and line.strip():
            blocks.setdefault(label, []).append(line.strip())


def rare_functions(text: str) -> set[str]:
    """The rarely run functions of a module: those lowered as `cold optnone`. `cold` alone is not
    enough: LLVM infers it too, for example for a program that always raises."""
    groups = {m[1] for m in _ATTRIBUTE_GROUP.finditer(text) if _RARE <= set(m[2].split())}
    heads = ((match[1].strip('"'), set(match[2].split())) for match in _HEAD.finditer(text))
    return {name for name, words in heads if groups & words or words >= _RARE}


def definitions(text: str) -> str:
    """The functions that a module defines, without declarations and metadata: for reading."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        inside = inside or _DEFINE.match(line) is not None
        if inside:
            lines.append(without_metadata(line))
        if line.startswith("}"):
            inside = False
            lines.append("")
    return "\n".join(lines).rstrip("\n")


# --- lines --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of a module, and its position.

    `part` is `"head"`, `"function"`, `"declarations"`, `"attributes"` or `"metadata"`; only lines
    of functions have a `function` and a `block`. `result` is the value that an instruction defines,
    `names` all values in the line, the result first.
    """

    text: str
    part: str
    function: str = ""
    block: str = ""
    result: str = ""
    names: tuple[str, ...] = ()
    is_instruction: bool = False


def lines_of(text: str) -> Iterator[TextLine]:
    """Yield every line of a module; joined by newlines they are the text."""
    function, block, part = "", "", "head"
    for line in text.removesuffix("\n").split("\n"):
        if defined := _DEFINE.match(line):
            function, block = defined[1].strip('"'), _ENTRY
            yield TextLine(line, "function", function)
        elif function:
            if line.startswith("}"):
                yield TextLine(line, "function", function)
                function, part = "", "declarations"
            elif labeled := _LABEL.match(line):
                block = labeled[1].strip('"')
                yield TextLine(line, "function", function, block)
            else:
                yield _body_line(line, function, block)
        else:
            part = _part(line, part)
            yield TextLine(line, part)


def _body_line(line: str, function: str, block: str) -> TextLine:
    return TextLine(line, "function", function, block, *_read(line))


@lru_cache(maxsize=20_000)  # most passes leave most lines unchanged
def _read(line: str) -> tuple[str, tuple[str, ...], bool]:
    """The value that a line of a function defines, all values in the line, and whether it is an
    instruction."""
    match = _RESULT.match(line)
    result = match[1].strip('"') if match else ""
    mentioned = [name.strip('"') for name in _VALUE.findall(_TEXTS.sub(r"\1", line))]
    is_instruction = line.startswith("  ") and line[2:3] not in ("", " ", "]", ";", "#")
    return result, tuple(dict.fromkeys(mentioned)), is_instruction


def _part(line: str, part: str) -> str:
    if line.startswith("attributes #"):
        return "attributes"
    if line.startswith("declare "):
        return "declarations"
    return "metadata" if _NODE.match(line) else part


# --- folding ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fold:
    """Foldable lines: from `first` up to, not including, `last`, from 0."""

    title: str
    first: int
    last: int


def folds(text: str) -> tuple[Fold, ...]:
    """Return the foldable parts of a module: all but its functions."""
    result: list[Fold] = []
    for k, line in enumerate(lines_of(text)):
        if line.part == "function":
            continue
        if result and result[-1].title == line.part and result[-1].last == k:
            result[-1] = Fold(line.part, result[-1].first, k + 1)
        elif line.text:
            result.append(Fold(line.part, k, k + 1))
    return tuple(result)


def folded(text: str, *, attributes: bool = True) -> str:
    """Shorten a module for reading: one line for each part outside functions, instructions without
    metadata, and with `attributes` without these too. LLVM cannot parse it."""
    lines = text.removesuffix("\n").split("\n")
    away = {fold.first: fold for fold in folds(text)}
    shown: list[str] = []
    k = 0
    while k < len(lines):
        fold = away.get(k)
        if fold is not None:
            shown.append(f"; {fold.title}: {fold.last - k} lines")
            k = fold.last
            continue
        line = without_metadata(lines[k])
        shown.append(without_attributes(line) if attributes else line)
        k += 1
    return "\n".join(shown) + "\n"


def without_metadata(line: str) -> str:
    """Strip the metadata at the end of a line: `!dbg !7`, `!noalias !13`."""
    return _METADATA.sub("", line)


def without_attributes(line: str) -> str:
    """Strip the attributes of functions, arguments and arithmetic that LLVM has inferred."""
    if line.startswith("; Function Attrs"):
        return ""
    return _ATTRIBUTES.sub("", line)


def without_comment(line: str) -> str:
    """Strip an instruction's comment for readers."""
    return line.partition(";")[0].rstrip()
