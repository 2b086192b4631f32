"""A program edited at a level, as text: read, looked at, and compiled on from there.

    view = c.at("typed").edit(lambda text: text.replace("i * b", "i + b"))
    view.diff()           the changes, line by line
    view.verify()         the violations in it
    view.run(3, 4)        its result, as of any level
    g = view.resume()     the passes that are left; g(3, 4) calls the result

An edit that is not a program is refused at once. Unchanged ops keep their value ids and source
locations, so that an unedited text compiles to the same code again.
"""

from __future__ import annotations

import difflib
import linecache
import re
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.errors import CutawayError, EditError, ParseError, PipelineError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.sandbox import in_child
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.inspection.editing import llvm_edits
from cutaway.inspection.editing.edited import EditedFunction
from cutaway.inspection.editing.types import type_problems
from cutaway.inspection.recording.recording import LevelView
from cutaway.inspection.showing.displayed import Displayed
from cutaway.ir import nodes
from cutaway.ir.elements import ArrayOp, formula, given, wrong_body, wrong_element
from cutaway.ir.function import Function
from cutaway.ir.levels import Level
from cutaway.ir.nodes import replace
from cutaway.ir.parser import ParsedFunction, edge_of_region, parse
from cutaway.ir.printer import known_objects
from cutaway.ir.region_views import places
from cutaway.ir.traversal import definitions, makers_of, walk
from cutaway.ir.verifier import verify
from cutaway.stages.arrays.operands import texts_of
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.types import Type

Change = str | Callable[[str], str]

OWN = (Level.ir, Level.objects, Level.ssa, Level.typed, Level.arrayexpr, Level.parfor)
LLVM = (Level.llvm, Level.llvm_opt)
_EDITABLE = ", ".join(level.value for level in (*OWN, *LLVM))
_RUN_SECONDS = 10.0


@dataclass(frozen=True, eq=False)
class EditedView(LevelView):
    """A level whose text was edited; `original` is the level before the edit.

    `written` is the edited text as the user wrote it.
    """

    original: LevelView | None = None
    written: str = ""

    def diff(self) -> TextDiff:
        """Return the changes, line by line."""
        assert self.original is not None
        return TextDiff(f"{self.unit.name} at level {self.level}", self.original.text, self.text)

    @property
    def changed(self) -> bool:
        """True if the text differs from the original's."""
        assert self.original is not None
        return self.text != self.original.text

    @property
    def is_llvm(self) -> bool:
        """True if the text is LLVM IR."""
        return self.view.level in LLVM

    def verify(self) -> tuple[str, ...]:
        """Return the violations in the program; empty if it is valid.

        LLVM IR is verified in a separate process.
        """
        if self.is_llvm:
            return llvm_edits.problems(self.unit, self.written)
        return tuple(text for text, _ in _violations(self))

    def check(self) -> None:
        """Raise EditError if the program is invalid, with the lines and their problems."""
        title = f"the edited {self.unit.name} is invalid at level {self.level}"
        hint = "view.diff() shows the edit"
        if self.is_llvm:
            problems = llvm_edits.problems(self.unit, self.written)
            loc = llvm_edits.place_in(self.written, problems, _filename(self))
            if "entry point" in "".join(problems) and not self.unit.target.machine.triple:
                hint = "keep the name and the three pointers of the function that ends in .entry"
        else:
            violations = _violations(self)
            problems = tuple(text for text, _ in violations)
            loc = _shown(self, violations[0][1]) if violations else UNKNOWN
        if problems:
            raise EditError(title, loc, hint, problems)

    def graph(self, *kind: str) -> Any:
        """Draw the program, as at any level.

        Raises EditError if it is too broken to have one.
        """
        try:
            return super().graph(*kind)
        except (IndexError, KeyError):  # a block without an end, or one that is not there
            self.check()
            raise

    def run(self, *args: Any) -> Any:
        """Run the edited program.

        Native code is tried in a separate process first.  Raises EditError if it is invalid, or if
        that process dies.
        """
        self.check()
        if self.is_llvm:
            run = super().run
            answer = in_child(lambda: _discarded(run, args), _RUN_SECONDS)
            if answer.kind in ("died", "ran out of time"):
                raise EditError(
                    f"the edited {self.unit.name} {answer.words}",
                    hint="view.diff() shows the edit",
                )
        return super().run(*args)

    def resume(
        self, *args: Any, check: tuple[Any, ...] | None = None, unsafe: bool = False
    ) -> EditedFunction:
        """Run the remaining passes; returns a function that can be called and installed.

        The result and the original are run on copies of the arguments, by default those of the
        trace, in separate processes.  Raises EditError if the program is invalid, cannot be
        compiled, or differs from the original; `unsafe` allows a difference.
        """
        if self.compilation is None or self.compilation.resume is None:
            raise PipelineError(
                "this view has no compilation to resume",
                hint="f.trace(...) gives a compilation whose edits can be resumed",
            )
        self.check()
        arguments = args or check
        result: EditedFunction = self.compilation.resume(self, arguments, unsafe)
        return result

    def edit(self, change: Change) -> EditedView:
        """Apply a further edit to the edited text."""
        assert self.original is not None
        text = change(self.written) if callable(change) else change
        return self.original.edit(text)

    def __repr__(self) -> str:
        return f"<{self.unit.name} at level {self.level}, edited>"


@dataclass(frozen=True, eq=False)
class TextDiff(Displayed):
    """A diff of two texts."""

    title: str
    before: str
    after: str

    @property
    def is_empty(self) -> bool:
        """True if nothing changed."""
        return self.before == self.after

    def __str__(self) -> str:
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), lineterm="", n=2
        )
        return "\n".join([self.title, *(list(lines)[2:] or ["no change"])])


def _discarded(run: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Run a program and drop the result, which may not be picklable."""
    try:
        run(*args)
    except Exception:  # noqa: S110  the program's own, which it raises again outside
        pass


def edited(view: LevelView, change: Change) -> EditedView:
    """Return a level with another text.

    Raises EditError for a text that does not parse at that level, PipelineError for a level whose
    text cannot be edited.
    """
    level = view.view.level
    if level not in (*OWN, *LLVM):
        raise PipelineError(
            f"the text of level {view.level} cannot be edited", hint=f"these can: {_EDITABLE}"
        )
    text = change(view.text) if callable(change) else change
    if not isinstance(text, str):
        raise EditError(
            f"an edit must be a string, not {type(text).__name__}",
            hint="use edit(text), or edit(function) with a function from a string to a string",
        )
    unit = view.unit.copy()
    result = EditedView(view.view, unit, view.native, view.compilation, view.position, view, text)
    if level in LLVM:
        unit.__dict__[level.value] = text
    else:
        _read(result)
    return result


# --- our own text -------------------------------------------------------------------------------


def _read(view: EditedView) -> None:
    """Parse the text of a view into its unit."""
    unit, original = view.unit, view.unit.fn
    parsed = _parsed(view, known_objects(original))
    fn = parsed.fn
    if (fn.name, fn.params) != (original.name, original.params):
        line = next(k for k, text in enumerate(view.written.splitlines(), 1) if text.strip())
        raise _refused(
            view,
            f"the function is {original.name}({', '.join(original.params)}),"
            " and an edit keeps its name and parameters",
            line,
        )
    fn.filename, fn.first_line, fn.namespace = (
        original.filename,
        original.first_line,
        original.namespace,
    )
    fn.next_id = max(fn.next_id, original.next_id)
    is_new = _defined(fn) - _defined(original)  # names that passes make must not clash
    fn.next_temp = max(fn.next_temp, original.next_temp) if is_new else original.next_temp
    _take_over(fn, original)
    _renew_formulas(fn, original)
    unit.fn = fn
    if fn != original:
        unit.plain = None  # it describes the unedited variables
    if Level.typed.leads_to(unit.level):
        unit.types = _types(view, parsed)
        unit.forget_resolutions()
        unit.return_type = _return_type(unit)
        _renew_types(unit)


def _parsed(view: EditedView, names: dict[str, Any]) -> ParsedFunction:
    try:
        return parse(view.written, names=names, parse_type=str)
    except ParseError as error:
        raise _refused(view, f"this is not IR: {error.message}", error.loc.line) from None


def _take_over(fn: Function, original: Function) -> None:
    """Copy the value ids and locations of unchanged ops; new ones get the location of their line,
    and one replaced one for one keeps its id."""
    before, edited_places = list(walk(original)), list(places(fn))
    after = [place.op for place in edited_places]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, first, last, start, end in matcher.get_opcodes():
        for offset in range(end - start):
            place = edited_places[start + offset]
            op = place.op
            if op.loc is not UNKNOWN:
                continue  # the text has it
            if kind == "equal":
                place.put(before[first + offset])
                continue
            is_pair = last - first == end - start
            near = (
                before[first + offset] if is_pair else before[max(min(first, len(before)) - 1, 0)]
            )
            number = near.id if is_pair else fn.new_id()
            place.put(replace(op, loc=near.loc, id=number))


def _renew_formulas(fn: Function, original: Function) -> None:
    """Recompute the formulas of edited array expressions from their bodies."""
    before = {op.id: op for op in walk(original)}
    for place in list(places(fn)):
        op = place.op
        if not isinstance(op, ArrayOp) or op == before.get(op.id) or not _has_formula(op):
            continue
        texts = dict(zip(op.body.indices, texts_of(makers_of(fn), op.args), strict=True))
        place.put(replace(op, expr=formula(op.body.blocks[0].ops, texts)))


def _renew_types(unit: CompileUnit) -> None:
    """Copy the types after `::` into array expressions; whether the bodies have such elements is
    checked before the program is compiled."""
    for place in list(places(unit.fn)):
        op = place.op
        if isinstance(op, nodes.ArrayExpr | nodes.ArrayReduce) and op.result in unit.types:
            ty = str(unit.types[op.result])
            if op.ty != ty:
                place.put(replace(op, ty=ty))


def _has_formula(op: ArrayOp) -> bool:
    """True if a formula can be written for an op's body."""
    steps = () if wrong_body(op) else op.body.blocks[0].ops[:-1]
    known = set(op.body.indices)
    for step in steps:
        if not isinstance(step, nodes.Element) or wrong_element(step) or set(step.args) - known:
            return False
        known.add(step.result)
    return bool(op.body.blocks) and not wrong_body(op) and given(op.body) in known


def _types(view: EditedView, parsed: ParsedFunction) -> dict[str, Type]:
    """Return the types in the text, and those of variables that the text does not define."""
    known = view.unit.types
    by_text = {_name_of(ty): ty for ty in known.values()}
    defined = _defined(parsed.fn)
    result = {name: ty for name, ty in known.items() if name not in defined}
    for name, text in parsed.types.items():
        ty = known.get(name)
        if ty is None or _name_of(ty) != text:
            ty = by_text.get(text) or _type(view, name, text)
        result[name] = ty
    return result


def _defined(fn: Function) -> set[str]:
    return {name for op in walk(fn) for name in definitions(op)}


def _name_of(ty: Type) -> str:
    return str(getattr(ty, "name", ty))


def _type(view: EditedView, name: str, text: str) -> Type:
    try:
        return parse_type(text)
    except CutawayError as error:
        pattern = rf"\s*(\S+, )*{re.escape(name)}(, \S+)* = "
        lines = enumerate(view.written.splitlines(), 1)
        line = next((k for k, written in lines if re.match(pattern, written)), 0)
        raise _refused(view, f"{text!r}, the type of {name}: {error.message}", line) from None


def _return_type(unit: CompileUnit) -> Type:
    """Return the return type of the edited function: the type of the returned values if they agree;
    a declared return type is kept."""
    returned = {unit.types.get(op.value) for op in walk(unit.fn) if isinstance(op, nodes.Return)}
    only = next(iter(returned), None)
    if len(returned) != 1 or only is None or unit.declared_return is not None:
        return unit.return_type
    return unit.return_type if isinstance(only, types.Undefined) else only.returned()


def _violations(view: EditedView) -> list[tuple[str, int]]:
    """Return the problems of the program, with the lines of the text."""
    unit = view.unit
    table = unit.types if Level.typed.leads_to(unit.level) else None
    result = []
    for violation in verify(unit.fn, unit.level, table):
        line = _line_of(view.written, violation.label, violation.position)
        result.append((f"line {line}: {violation.message}", line))
    result += [(f"line {line}: {text}", line) for text, line in _returned(view)]
    return result


def _returned(view: EditedView) -> Iterator[tuple[str, int]]:
    """Yield the returned values whose type is not the return type, from level typed on."""
    unit = view.unit
    if unit.level.comes_before(Level.typed):
        return
    for label, block in unit.fn.blocks.items():
        for position, op in enumerate(block.ops):
            ty = unit.types.get(op.value) if isinstance(op, nodes.Return) else None
            if ty is not None and not isinstance(ty, types.Undefined):
                if ty.returned() is not unit.return_type:
                    text = f"{op.value} is {ty}, and the function returns {unit.return_type}"
                    yield text, _line_of(view.written, label, position)


def _line_of(text: str, label: int, position: int) -> int:
    """Return the line of an op, given its block and its position in it; the block's last line if it
    has fewer ops, 1 without the block."""
    lines = text.splitlines()
    heads = [
        k
        for k, line in enumerate(lines)
        if re.fullmatch(rf"label {label}(, except \d+)?:", line.strip())
    ]
    if not heads:
        return 1
    count, depth, indent = -1, 0, _indent(lines[heads[-1]])
    for k in range(heads[-1] + 1, len(lines)):
        if not lines[k].strip():
            continue
        edge = edge_of_region(lines[k])
        if not depth and (_indent(lines[k]) <= indent or edge < 0):
            return k  # the last op: the block lacks a terminator
        count += not depth and not edge
        depth += edge
        if count == position:
            return k + 1
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def check_types(view: EditedView, unit: CompileUnit) -> None:
    """Raise EditError if the type of an edited op is not the one in the text.

    `unit` is being compiled, since the types of calls may need other functions.
    """
    assert view.original is not None
    lines = []
    for label, position, message in type_problems(unit, view.original.unit):
        line = _line_of(view.written, label, position)
        lines.append((f"line {line}: {message}", line))
    if lines:
        raise EditError(
            f"the types of the edited {unit.name} do not fit",
            _shown(view, lines[0][1]),
            "cast(value=x) converts; the type after `::` is that of the result",
            tuple(text for text, _ in lines),
        )


# --- refusals -----------------------------------------------------------------------------------


def _filename(view: EditedView) -> str:
    return f"<{view.unit.name} at level {view.level}, edited>"


def _shown(view: EditedView, line: int) -> Loc:
    """Return the location of a line of the edited text, and let errors quote it."""
    filename = _filename(view)
    lines = [text + "\n" for text in view.written.splitlines()]
    linecache.cache[filename] = (len(view.written), None, lines, filename)
    if not 0 < line <= len(lines):
        return UNKNOWN
    text = lines[line - 1].rstrip()
    return Loc(line, len(text) - len(text.lstrip()), line, len(text), filename)


def _refused(view: EditedView, message: str, line: int) -> EditError:
    hint = "write ops as in c.at(...).text; a new variable at level typed needs `:: type`"
    return EditError(message, _shown(view, line), hint)
