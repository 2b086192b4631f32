"""The data of a compilation's record.

Everything here is text, numbers and tuples of them: a record can be saved, loaded on another
machine and drawn there, and nothing in it refers to the running program.  Places are spans of
the user's source, (line, column, end line, end column), lines from 1 and columns from 0; a line of
0 says that there is none.  Seconds are wall time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.source import Loc

Span = tuple[int, int, int, int]
NOWHERE: Span = (0, 0, 0, 0)
Plain = Any  # Any: what JSON can hold


def span_of(loc: Loc) -> Span:
    """The span of a place."""
    return (loc.line, loc.col, loc.end_line, loc.end_col) if loc.line else NOWHERE


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a program at some level, and what it is about.

    `span` is its place in the user's source, `block` the block that it stands in, `op` the
    identity of the operation, which stays the same from pass to pass ("" if there is none).
    `defines` and `mentions` are the values that it makes and names.  `inner` is the place in
    another function whose code was put here.  `near` says that the span is a guess: LLVM has
    dropped the place of this instruction, and a neighbor's is that of the span.
    """

    text: str
    span: Span = NOWHERE
    block: str = ""
    op: str = ""
    defines: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    inner: str = ""
    near: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """The program at one moment: after a pass, a rewrite, or a pass of LLVM.

    `language` names the syntax: python, bytecode, cutaway, llvm, gas.  `whole` is False for a
    program in the middle of a pass that cannot be run.  `graphs` gives by kind (cfg, dominators,
    ...) a position in the function's `graphs`.
    """

    level: str
    language: str
    lines: tuple[Line, ...]
    title: str = ""
    whole: bool = True
    graphs: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The program as text."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One change inside a pass: the rule, what it did in the user's words, the place that it is
    about, where the rule stands in the compiler, and the state after it."""

    rule: str
    note: str
    span: Span
    origin: str
    state: int
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of a pass or of LLVM about a subject, and its reason."""

    by: str
    subject: str
    verdict: str
    reason: str
    span: Span = NOWHERE
    hint: str = ""


@dataclass(frozen=True, slots=True)
class TypeChange:
    """A variable that got another type; `causes` are the inputs, with their types then."""

    variable: str
    name: str
    old: str
    new: str
    causes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TypeStep:
    """One propagation of type inference: the constraint visited, and what it changed."""

    number: int
    constraint: str
    span: Span
    changes: tuple[TypeChange, ...]


@dataclass(frozen=True, slots=True)
class PassEntry:
    """One pass: the states before and after it, and what happened meanwhile.

    `before` and `after` are positions in the function's `states`.  `own_seconds` are without the
    compilations of other functions, whose positions among the functions `nested` gives.
    `objects` is how many more Python objects there are after it; `bytes` and `peak` what it left
    and needed of memory, -1 where that was not counted.
    """

    name: str
    stage: str
    summary: str
    before: int
    after: int
    changed: bool
    failed: bool = False
    seconds: float = 0.0
    own_seconds: float = 0.0
    objects: int = 0
    bytes: int = -1
    peak: int = -1
    broken: tuple[str, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    decisions: tuple[Decision, ...] = ()
    nested: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LlvmStep:
    """One pass of LLVM that changed something: its name, what it ran on, the state after it, and
    what passes of this name do."""

    name: str
    target: str
    state: int
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a source line: operations of our own IR, instructions of LLVM and of
    the machine; `vectors` is the widest vector that is used.  Line 0 is code without a line."""

    line: int
    ops: int
    llvm: int
    machine: int
    vectors: str = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """A row of the table of times: something that took time, `depth` deep in the tree."""

    name: str
    function: str
    depth: int
    kind: str
    seconds: float
    own_seconds: float


@dataclass(frozen=True, slots=True)
class Seen:
    """The values that an operation gave while the program was run on the user's arguments.

    `values` are the first ones as text, `last` the last one; `low`, `high` and `nans` are there
    for numbers.
    """

    op: str
    name: str
    span: Span
    count: int
    values: tuple[str, ...]
    last: str
    low: str = ""
    high: str = ""
    nans: int = 0


@dataclass(frozen=True, slots=True)
class Values:
    """A run on the user's arguments: the values seen, and how it ended."""

    seen: tuple[Seen, ...] = ()
    outcome: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """An event of a value at a pass, which is a position in the function's `passes`.

    `kind` is born, named, typed, replaced, folded, merged (it has no value or register of its own
    any more), held (in registers), or gone.
    """

    position: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter, its type, and the value that it was called with, as text, where known."""

    name: str
    type: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The user's source: file name, the number of its first line, and its lines."""

    file: str
    first_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """The error that ended a compilation early."""

    kind: str
    message: str
    span: Span
    hint: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionRecord:
    """One function compiled for one signature.

    `parent` is the position of the function whose compilation asked for this one, -1 for the
    outermost.  `explanations` answer `why` for each user variable, as nested dicts
    (`Explanation.to_dict`); `calls` are the call sites with their candidates.  `graphs` are drawn
    layouts (nodes, edges, coordinates) that states refer to.  `cost` has a row for each source
    line: how much code became of it.  `lives` tells of each value, by the user's name for it or
    that of a temporary, what became of it.
    """

    name: str
    signature: str
    parent: int
    arguments: tuple[Argument, ...]
    returns: str
    options: str
    pipeline: tuple[str, ...]
    source: Source
    states: tuple[State, ...]
    passes: tuple[PassEntry, ...]
    error: Failure | None = None
    steps: tuple[TypeStep, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    explanations: Mapping[str, Plain] = field(default_factory=dict)
    calls: Plain = None
    values: Values = Values()
    llvm: tuple[LlvmStep, ...] = ()
    remarks: tuple[Decision, ...] = ()
    graphs: tuple[Plain, ...] = ()
    cost: tuple[Cost, ...] = ()
    lives: Mapping[str, tuple[LifeEvent, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordData:
    """A whole record: `functions[0]` was asked for, the others were compiled on its way.

    `made_with` tells the versions and the machine; `times` are rows of a tree.
    """

    made_with: Mapping[str, str]
    functions: tuple[FunctionRecord, ...]
    times: tuple[Timed, ...] = ()
