"""The user's source locations: the compiled function, its spans, and the calls in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import CodeType

from cutaway.foundation.source import UNKNOWN, Loc, line_of
from cutaway.inspection.linking.definition_places import definition_places
from cutaway.inspection.llvm.places import Place, Places
from cutaway.inspection.llvm.text import TextLine
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, walk
from cutaway.lowering.module import entry_name
from cutaway.lowering.slow_loops import is_part_of
from cutaway.stages.unit import CompileUnit


class UserFunction:
    """The compiled function: its lines and its spans."""

    def __init__(self, unit: CompileUnit) -> None:
        code = unit.pyfunc.__code__
        self.filename = code.co_filename
        self.first = code.co_firstlineno
        self.last = max(_lines(code), default=self.first)
        self.symbol = unit.symbol if unit.callee is None else unit.callee.symbol
        self.entry = "" if unit.callee is None else entry_name(unit.callee)
        self.places = definition_places(code)
        self.variables: dict[str, Loc] = {}
        self.calls: dict[str, Loc] = {}  # of variables in bodies that our passes inlined
        self._spans: dict[tuple[int, int], Loc] = {}
        if unit.has("fn"):
            self._read(unit)

    def _read(self, unit: CompileUnit) -> None:
        for op in walk(unit.fn):
            loc = self.place(op)
            for name in definitions(op):
                self.variables.setdefault(name, loc)
                if call := unit.inlined_at(op.id):
                    self.calls.setdefault(name, call)
            if self.owns(loc.filename, loc.line):
                key = (loc.line, loc.col)
                self._spans[key] = max(loc, self._spans.get(key, loc), key=end_of)

    def place(self, op: Op) -> Loc:
        """Return the source location of an op; for an argument, of its parameter."""
        known = self.places.parameters.get(op.name) if isinstance(op, nodes.Arg) else None
        return known or op.loc

    def owns(self, filename: str, line: int) -> bool:
        """True if a location is in the function."""
        return filename == self.filename and self.first <= line <= self.last

    def span(self, line: int, column: int, variable: str = "") -> Loc:
        """The span that begins at a position: that of a variable's definition, or the longest."""
        own = self.variables.get(variable, UNKNOWN)
        if (own.line, own.col, own.filename) == (line, column, self.filename):
            return own
        known = self._spans.get((line, column))
        heads = {self.first, self.places.head.line}
        heads |= {loc.line for loc in self.places.parameters.values()}
        if known is None and line in heads and column == 0:  # outside the body
            return self.places.head if self.places.head.line else line_of(self.filename, line)
        return known or Loc(line, column, line, column, self.filename)

    def is_own(self, function: str) -> bool:
        """True for an LLVM function of this one, including loops outlined from it."""
        return function in (self.symbol, self.entry) or is_part_of(function, self.symbol)

    def variable(self, value: str) -> str:
        """Return the variable that an LLVM value is named after: `s.1` of `s.1.14.i`."""
        if value.startswith("arg."):
            return value.split(".")[1] if value.split(".")[1] in self.variables else ""
        name = value.rpartition(".")[0]
        while name and name not in self.variables:
            name = name.rpartition(".")[0]
        return name

    def is_of_callee(self, line: TextLine) -> bool:
        """True if a value was computed in a function that LLVM inlined, though its location does
        not show it: an instruction hoisted over a branch gets the branch's location. Each function
        that a value is inlined into adds `.i` or `.i2` to its name."""
        depth = sum(_INLINED.fullmatch(part) is not None for part in line.result.split(".")[1:])
        return depth > (1 if line.function == self.entry else 0)


_INLINED = re.compile(r"i\d*")


def end_of(loc: Loc) -> tuple[int, int]:
    """Return the end of a span, as a sort key."""
    return loc.end_line, loc.end_col


def _lines(code: CodeType) -> Iterator[int]:
    for _, _, line in code.co_lines():
        if line is not None:
            yield line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


class CallSites:
    """The call sites of each function of a module, up to the user's function."""

    def __init__(self, lines: list[TextLine], places: Places, user: UserFunction) -> None:
        self._places = places
        self._user = user
        self._callers: dict[str, TextLine] = {}
        for line in lines:
            if line.is_instruction and (match := _CALL.search(line.text)):
                name = match[1].strip('"')
                if name != line.function:
                    self._callers.setdefault(name, line)

    def chain(self, line: TextLine) -> tuple[Place, ...]:
        """The chain of a line from the user's function on, as if all were inlined; empty if the
        line has no location."""
        chain = self._places.of(line.text)
        return self.extended(chain, line.function) if chain else ()

    def extended(self, chain: tuple[Place, ...], function: str) -> tuple[Place, ...]:
        """Prefix a chain in a function with the calls that lead there."""
        seen = {function}
        while not self._user.is_own(function):
            caller = self._callers.get(function)
            if caller is None or caller.function in seen:
                break
            chain = self._places.of(caller.text) + chain
            function = caller.function
            seen.add(function)
        while chain and chain[0].function == self._user.entry:
            chain = chain[1:]
        # LLVM assigns line 0 to code merged from several locations.
        return tuple(place for place in chain if place.line)


_CALL = re.compile(r"\bcall .*?@(\"(?:[^\"\\]|\\.)*\"|[\w.$-]+)\(")
