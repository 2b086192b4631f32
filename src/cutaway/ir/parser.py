"""From text back to IR: the templates of the ops, read backward.

`parse(to_text(fn)).fn == fn` at every level.  A template becomes a regular expression with a
pattern for each field, so that every op that can be printed can be parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from cutaway.errors import ParseError
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir import nodes
from cutaway.ir.constants import parse_constant
from cutaway.ir.function import Function
from cutaway.ir.nodes import OPS, Block, Codec, FieldSpec, Op, Role, replace
from cutaway.ir.operators import BINARY, INPLACE, UNARY
from cutaway.ir.regions import Region
from cutaway.ir.traversal import change_blocks, definitions

ParseType = Callable[[str], Any]


@dataclass(slots=True)
class ParsedFunction:
    """A function and, if the text includes them, the types of its variables."""

    fn: Function
    types: dict[str, Any] = field(default_factory=dict)


def parse(
    text: str, *, names: Mapping[str, Any] | None = None, parse_type: ParseType | None = None
) -> ParsedFunction:
    """Parse a function.

    `names` are the objects that cannot be imported, by their text (`known_objects`); types are
    parsed if `parse_type` is passed.  Raises ParseError with the line and the problem.
    """
    return _Parser(text, names or {}, parse_type).run()


_HEADER = re.compile(r"(?:func|(generator)) (\S+?)\(([^)]*)\):(?:  @(.*):(\d+))?\s*$")
_LABEL = re.compile(r"label (-?\d+)(?:, except (\d+))?:$")
_REGION = re.compile(r"(\w+)\(([^;]*?)(?:; (.+?))?\):(?:  :: (.+))?")
_SPAN = re.compile(r"  #(\d+) @(\d+):(\d+)-(\d+):(\d+)$")
_VARIABLES = re.compile(r"\s+\[(?:'[^']*'(?:, )?)*\]$")

_VARIABLE = r"[^\s,()\[\]<>'\"=]+"
_LIST = rf"(?:{_VARIABLE}(?:, {_VARIABLE})*)?"
_NAME = r"[\w.<>$]+(?:64\[\w+\])?"


def edge_of_region(line: str) -> int:
    """1 for a line that begins a region, -1 for one that ends it, 0 for any other."""
    if line.strip() == "end":
        return -1
    return int(_REGION.fullmatch(_VARIABLES.sub("", line).strip()) is not None)


def _pattern(cls: type[Op], spec: FieldSpec) -> str:
    match spec.role:
        case Role.DEF | Role.USE | Role.OPTIONAL_USE:
            return _VARIABLE
        case Role.DEFS | Role.USES:
            return _LIST
        case Role.LABEL:
            return r"-?\d+"
        case Role.LABELS:
            return r"(?:-?\d+(?:, -?\d+)*)?"
    match spec.codec:
        case Codec.INT:
            return r"-?\d+"
        case Codec.NAME:
            return _NAME
        case Codec.NAMES:
            return rf"(?:{_NAME}(?:, {_NAME})*)?"
        case Codec.OPERATOR:
            symbols = sorted(_operators(cls), key=len, reverse=True)
            return "|".join(map(re.escape, symbols))
        case Codec.TAGS:
            return rf"(?:, {spec.name}=\([\w, ]*\))?"
        case Codec.STRING:  # as a whole, whatever is in it; otherwise a confusing error results
            return r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.+?)"""
    return r"(?:<[^<>]*(?:<\w+>[^<>]*)*>|.+?)"  # an object, or anything that reads as a literal


def _operators(cls: type[Op]) -> Mapping[str, Any]:
    return {nodes.Unary: UNARY, nodes.Binary: BINARY, nodes.Inplace: INPLACE}[cls]


@cache
def _grammar(count: int) -> tuple[tuple[type[Op], re.Pattern[str]], ...]:
    """Return the pattern of every op class, those with the most fixed text first.

    `count` is the number of classes: an added op makes a new grammar.
    """
    rows = [(cls, _op_pattern(cls)) for cls in OPS.values()]
    # A template with little fixed text may match the text of another one.
    rows.sort(key=lambda row: -len(re.sub(r"\{\w+\}", "", row[0].TEXT)))
    return tuple(rows)


def _op_pattern(cls: type[Op]) -> re.Pattern[str]:
    by_name = {spec.name: spec for spec in cls.FIELDS}
    parts = re.split(r"\{(\w+)\}", cls.TEXT)
    pattern = ""
    for k, part in enumerate(parts):
        if k % 2:
            pattern += f"(?P<{part}>{_pattern(cls, by_name[part])})"
        else:
            pattern += re.escape(part)
    return re.compile(pattern)


class _Parser:
    """Parses one text."""

    def __init__(self, text: str, names: Mapping[str, Any], parse_type: ParseType | None) -> None:
        self.lines = text.splitlines()
        self.names = names
        self.parse_type = parse_type
        self.position = 0
        self.filename = ""
        self.types: dict[str, Any] = {}
        self.ids: list[int] = []

    def run(self) -> ParsedFunction:
        """Parse the whole text."""
        self._skip_empty()
        header = _HEADER.match(self._line())
        if header is None:
            raise self._error("a function begins with: func name(a, b):")
        self.position += 1
        self.filename = header[4] or ""
        params = tuple(name for name in re.split(r",\s*", header[3]) if name)
        blocks = self._blocks(0)
        if not blocks:
            raise self._error("a function has at least one block: label 0:")
        table = {block.label: block for block in blocks}
        if len(table) < len(blocks):
            raise self._error("two blocks have the same label")
        fn = Function(header[2], params, table, self.filename, int(header[5] or 0))
        fn.generator = bool(header[1])
        self._number(fn)
        return ParsedFunction(fn, self.types)

    def _number(self, fn: Function) -> None:
        """Assign ids to ops whose text has none, and set the counter of fresh names."""
        fn.next_id = max(self.ids, default=0) + 1

        def numbered(ops: Sequence[Op]) -> list[Op]:
            return [op if op.id else replace(op, id=fn.new_id()) for op in ops]

        change_blocks(fn.blocks.values(), numbered)
        # A text contains no counter: numbers above the highest one in it are unused.
        numbers = re.findall(r"\$[^\s.,()]*\.(\d+)", "\n".join(self.lines))
        fn.next_temp = max(map(int, numbers), default=-1) + 1

    # --- lines ----------------------------------------------------------------------------------

    def _line(self) -> str:
        return self.lines[self.position] if self.position < len(self.lines) else ""

    def _skip_empty(self) -> None:
        while self.position < len(self.lines) and not self._line().strip():
            self.position += 1

    def _indent(self) -> int:
        line = self._line()
        return len(line) - len(line.lstrip(" "))

    def _error(self, message: str) -> ParseError:
        line = self._line()
        column = len(line) - len(line.lstrip(" "))
        loc = Loc(self.position + 1, column, self.position + 1, len(line), "<ir>")
        return ParseError(f"{message} (line {self.position + 1}: {line.strip()!r})", loc)

    # --- blocks and ops -------------------------------------------------------------------------

    def _blocks(self, indent: int) -> list[Block]:
        blocks: list[Block] = []
        while True:
            self._skip_empty()
            label = _LABEL.fullmatch(self._line().strip())
            if self.position == len(self.lines) or self._indent() != indent or label is None:
                if self.position < len(self.lines) and indent == 0:
                    raise self._error("expected a block: label 0:")
                return blocks
            self.position += 1
            handler = int(label[2]) if label[2] else None
            blocks.append(Block(int(label[1]), self._ops(indent), handler))

    def _ops(self, indent: int) -> list[Op]:
        ops: list[Op] = []
        while True:
            self._skip_empty()
            if self.position == len(self.lines) or self._indent() <= indent:
                return ops
            ops.append(self._op())

    def _op(self) -> Op:
        line = self._line()
        indent = self._indent()
        loc, number = UNKNOWN, 0
        span = _SPAN.search(line)
        if span is not None:
            first, column, last, end = (int(span[k]) for k in range(2, 6))
            loc, number = Loc(first, column, last, end, self.filename), int(span[1])
            line = line[: span.start()]
            self.ids.append(number)
        text = _VARIABLES.sub("", line).strip()
        cls, values, type_text = self._match(text)
        self._check_count(cls, values, type_text)
        self.position += 1
        for name in cls.REGIONS:
            values[name] = self._region(name, indent)
        op = cls(**values, loc=loc, id=number)
        if type_text and self.parse_type is not None:
            self._enter_types(definitions(op), type_text)
        return op

    def _check_count(self, cls: type[Op], values: dict[str, Any], type_text: str) -> None:
        """Check that a line with types has one for each variable that it defines."""
        defined: list[str] = []
        for spec in cls.FIELDS:
            if spec.role in (Role.DEF, Role.DEFS):
                value = values[spec.name]
                defined += [value] if spec.role is Role.DEF else value
        count = len(type_text.split(" | "))
        if type_text and count != len(defined):
            named = ", ".join(defined) or "nothing"
            raise self._error(f"the line defines {named}, and tells {count} types")

    def _region(self, name: str, indent: int) -> Region:
        self._skip_empty()
        header = _REGION.fullmatch(self._line().strip())
        if header is None or header[1] != name:
            raise self._error(f"expected the region of this op: {name}():")
        indices = tuple(header[2].split(", ")) if header[2] else ()
        pairs = [part.split(" = ") for part in header[3].split(", ")] if header[3] else []
        if any(len(pair) != 2 for pair in pairs):
            raise self._error("what a region carries begins with something: body(k; s = zero):")
        carried, initial = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
        if header[4] and self.parse_type is not None:
            self._enter_types((*indices, *carried), header[4])
        self.position += 1
        blocks = self._blocks(indent)
        if self._line().strip() != "end":
            raise self._error(f"expected the end of {name}")
        self.position += 1
        return Region.of(blocks, indices, carried, initial)

    def _match(self, text: str) -> tuple[type[Op], dict[str, Any], str]:
        # A string in the op may look like the mark of a type: the shortest match that parses.
        pieces = text.split("  :: ")
        problem = self._error("this is not an op")
        for count in range(1, len(pieces) + 1):
            core, type_text = "  :: ".join(pieces[:count]).rstrip(), "  :: ".join(pieces[count:])
            for cls, pattern in _grammar(len(OPS)):
                match = pattern.fullmatch(core)
                if match is None:
                    continue
                try:
                    return cls, self._values(cls, match), type_text
                except ParseError as error:
                    problem = error
        raise problem

    def _values(self, cls: type[Op], match: re.Match[str]) -> dict[str, Any]:
        return {
            spec.name: self._value(cls, spec, match[spec.name])
            for spec in cls.FIELDS
            if spec.role is not Role.REGION
        }

    def _value(self, cls: type[Op], spec: FieldSpec, text: str) -> Any:
        match spec.role:
            case Role.DEF | Role.USE:
                return text
            case Role.OPTIONAL_USE:
                return None if text == "None" else text
            case Role.DEFS | Role.USES:
                return tuple(text.split(", ")) if text else ()
            case Role.LABEL:
                return int(text)
            case Role.LABELS:
                return tuple(map(int, text.split(", "))) if text else ()
        match spec.codec:
            case Codec.INT:
                return int(text)
            case Codec.NAMES:
                return tuple(text.split(", ")) if text else ()
            case Codec.OPERATOR:
                return _operators(cls)[text]
            case Codec.TAGS:
                inner = text.removeprefix(f", {spec.name}=(").removesuffix(")")
                return tuple(inner.split(", ")) if text else ()
            case Codec.CONSTANT | Codec.STRING:
                return self._constant(text)
        return text

    def _constant(self, text: str) -> Any:
        try:
            return parse_constant(text, self.names)
        except (ValueError, SyntaxError) as error:
            raise self._error(f"{text} is not a constant: {error}") from None

    def _enter_types(self, names: tuple[str, ...], text: str) -> None:
        assert self.parse_type is not None
        parts = text.split(" | ")
        if len(parts) != len(names):
            raise self._error(f"the region binds {', '.join(names)}, and tells {len(parts)} types")
        for name, part in zip(names, parts, strict=True):
            if part != "?":
                self.types[name] = self.parse_type(part.strip())
