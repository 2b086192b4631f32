"""The data of a compilation's record.

Everything here is text, numbers and tuples of them: a record can be saved, loaded on another
machine and drawn there, and nothing in it refers to the running program. Locations are spans of the
user's source, (line, column, end line, end column), lines from 1 and columns from 0; line 0 means
no location.  Seconds are wall time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.source import Loc

Span = tuple[int, int, int, int]
NOWHERE: Span = (0, 0, 0, 0)
Plain = Any


def span_of(loc: Loc) -> Span:
    """Return the span of a source location."""
    return (loc.line, loc.col, loc.end_line, loc.end_col) if loc.line else NOWHERE


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a program at some level.

    `span` is its location in the user's source, `block` its block, `op` the identity of the
    operation, which stays the same from pass to pass ("" if there is none). `defines` and
    `mentions` are the values that it defines and uses. `inner` is the location in an inlined
    function. `near` is true if the span is a guess: LLVM dropped the location of this instruction,
    and the span is a neighbor's. `rare` is true in a function that rarely runs.
    """

    text: str
    span: Span = NOWHERE
    block: str = ""
    op: str = ""
    defines: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    inner: str = ""
    near: bool = False
    rare: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """The program at one point: after a pass, a rewrite, or a pass of LLVM.

    `language` names the syntax: python, bytecode, cutaway, llvm, gas, ptx.  `whole` is False for a
    program in the middle of a pass that cannot be run.  `graphs` maps each kind (cfg, dominators,
    ...) to a position in the function's `graphs`.
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
    """One change within a pass: the rule, its effect in the user's terms, the source location, the
    location of the rule in the compiler, and the state after it."""

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
    """A variable whose type changed; `causes` are the inputs, with their types at that time."""

    variable: str
    name: str
    old: str
    new: str
    causes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TypeStep:
    """One propagation of type inference: the visited constraint, and the changes."""

    number: int
    constraint: str
    span: Span
    changes: tuple[TypeChange, ...]


@dataclass(frozen=True, slots=True)
class PassEntry:
    """One pass: the states before and after it, and the facts that it reported.

    `before` and `after` are positions in the function's `states`.  `own_seconds` excludes the
    compilations of other functions, whose positions among the functions are in `nested`.  `objects`
    is the increase in the number of Python objects; `bytes` and `peak` are the memory that it kept
    and needed, -1 if not counted.
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
    """One pass of LLVM that changed something: its name, the function or module that it ran on, the
    state after it, and the purpose of passes with this name."""

    name: str
    target: str
    state: int
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a source line: operations of our own IR, instructions of LLVM and of the machine;
    `vectors` is the widest vector that is used. Line 0 is code without a line. `rare` counts
    machine instructions of rarely run code, which the others exclude."""

    line: int
    ops: int
    llvm: int
    machine: int
    vectors: str = ""
    rare: int = 0


@dataclass(frozen=True, slots=True)
class Timed:
    """A row of the table of times, at depth `depth` in the tree."""

    name: str
    function: str
    depth: int
    kind: str
    seconds: float
    own_seconds: float


@dataclass(frozen=True, slots=True)
class Seen:
    """The values of an operation in a run on the user's arguments.

    `values` are the first ones as text, `last` the last one; `low`, `high` and `nans` exist for
    numbers.
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
    """A run on the user's arguments: the observed values, and its outcome."""

    seen: tuple[Seen, ...] = ()
    outcome: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """An event of a value at a pass, which is a position in the function's `passes`.

    `kind` is born, named, typed, replaced, folded, merged (it no longer has a value or register of
    its own), held (in registers), or gone.
    """

    position: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter, its type, and the value of its argument as text, if known."""

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

    `parent` is the position of the function whose compilation needed this one, -1 for the
    outermost. `explanations` answer `why` for each user variable, as nested dicts
    (`Explanation.to_dict`); `calls` are the call sites with their candidates. `fusion` are the
    operations on whole arrays and their loops, `parallel` the verdict on each loop of a parallel
    function, `threads` the threads and times of their pieces. `graphs` are layouts (nodes, edges,
    coordinates) that states refer to. `cost` has one row per source line. `lives` is the history of
    each value, by its name in the source or that of a temporary. `left_out` are sentences, each on
    a missing part and the reason.
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
    fusion: Plain = None
    values: Values = Values()
    llvm: tuple[LlvmStep, ...] = ()
    remarks: tuple[Decision, ...] = ()
    graphs: tuple[Plain, ...] = ()
    cost: tuple[Cost, ...] = ()
    lives: Mapping[str, tuple[LifeEvent, ...]] = field(default_factory=dict)
    parallel: Plain = None
    threads: Plain = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordData:
    """A whole record: `functions[0]` was traced, the others were compiled because of it.

    `made_with` has the versions and the machine; `times` are the rows of a tree.
    """

    made_with: Mapping[str, str]
    functions: tuple[FunctionRecord, ...]
    times: tuple[Timed, ...] = ()
