"""A point of a recorded compilation, identified by a word.

r.at("typed") after the last pass at a level r.at("simplify") after a pass r.at("simplify#3") after
its third rewrite; `#0` is before the pass r.at("llvm#12") after the twelfth pass of LLVM that
changed something r.at("llvm:InstCombinePass") after the last pass of this name; `...#1` after the
first r.at(7) a state by its position
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from cutaway.drawing.model import Edge, Graph, Node
from cutaway.errors import PipelineError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.record.model import FunctionRecord, Line, LlvmStep, PassEntry, Plain, State
from cutaway.inspection.showing.displayed import Displayed, render

_RUNNING = "trace the function again, and ask the compilation: `f.trace(*args).at({level!r})`"


@dataclass(frozen=True, eq=False)
class Point(Displayed):
    """The program of a record at one point; `title` names the point."""

    function: FunctionRecord
    position: int
    title: str

    @property
    def state(self) -> State:
        """The state in the record."""
        return self.function.states[self.position]

    @property
    def level(self) -> str:
        """The name of the level."""
        return self.state.level

    @property
    def language(self) -> str:
        """The syntax: python, bytecode, cutaway, llvm, gas or ptx."""
        return self.state.language

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines, with their source locations."""
        return self.state.lines

    @property
    def text(self) -> str:
        """The program as text."""
        return self.state.text

    @property
    def heading(self) -> str:
        """The heading above the program."""
        place = "" if self.title == self.level else f", {self.title}"
        return f"{self.function.name} at level {self.level}{place}"

    def layout(self, kind: str = "cfg") -> dict[str, Plain]:
        """Return a recorded graph: nodes, edges and their positions.

        Raises PipelineError if none was recorded.
        """
        if kind not in self.state.graphs:
            there = ", ".join(self.state.graphs)
            raise PipelineError(
                f"no graph {kind!r} is recorded of {self.heading}",
                hint=f"graphs: {there}" if there else "",
            )
        result: dict[str, Plain] = self.function.graphs[self.state.graphs[kind]]
        return result

    def graph(self, kind: str = "cfg") -> Any:
        """Draw a recorded graph, like the graphs of a compilation."""
        return render.drawing(graph_of(self.layout(kind)))

    def run(self, *args: Any) -> NoReturn:
        """Raise PipelineError: a record has the text of a program."""
        raise self._needs_program("run")

    def verify(self) -> NoReturn:
        """Raise PipelineError: a record has the text of a program."""
        raise self._needs_program("verified")

    def edit(self, text: str) -> NoReturn:
        """Raise PipelineError: a record has the text of a program."""
        raise self._needs_program("edited")

    def _needs_program(self, what: str) -> PipelineError:
        return PipelineError(
            f"a record cannot be {what}: it contains the program's text, not the program",
            hint=_RUNNING.format(level=self.level),
        )

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.heading}>"


def graph_of(layout: dict[str, Plain]) -> Graph:
    """Decode a graph of a record."""
    nodes = tuple(
        Node(
            str(node["id"]),
            str(node.get("title", node["id"])),
            tuple(map(str, node.get("lines", ()))),
            str(node.get("kind", "")),
            int(node.get("loc", node.get("line", 0))),
        )
        for node in layout["nodes"]
    )
    edges = tuple(
        Edge(
            str(edge["source"]),
            str(edge["target"]),
            str(edge.get("mark", "")),
            str(edge.get("kind", "")),
        )
        for edge in layout["edges"]
    )
    return Graph(str(layout.get("name", "")), nodes, edges, str(layout.get("kind", "cfg")))


# --- words --------------------------------------------------------------------------------------


def point_of(function: FunctionRecord, word: object) -> Point:
    """Return the point that a word names.  Raises PipelineError if there is none.

    A word that names both a level and a pass, like `ssa`, means the level.
    """
    if isinstance(word, int):
        return _by_position(function, word)
    text = str(getattr(word, "value", word))
    name, hash_, number = text.partition("#")
    if hash_ and not number.isdigit():
        raise PipelineError(
            f"{text!r} is not a point", hint="write a number, as in `simplify#3` or `llvm#12`"
        )
    if name == "llvm" and hash_:
        return _by_llvm(function, text, function.llvm, int(number))
    if name.startswith("llvm:"):
        steps = [step for step in function.llvm if step.name == name.removeprefix("llvm:")]
        return _by_llvm(function, text, steps, int(number) if hash_ else len(steps))
    if not hash_ and (position := levels_of(function).get(text)) is not None:
        return Point(function, position, text)
    entries = [entry for entry in function.passes if entry.name == name]
    if not entries:
        raise _unknown(function, text)
    return _by_pass(function, entries[-1], int(number) if hash_ else None)


def levels_of(function: FunctionRecord) -> dict[str, int]:
    """Return the levels that were reached, each with the state after the last pass at it."""
    first = function.passes[0].before if function.passes else 0
    result = {function.states[first].level: first} if function.states else {}
    for entry in function.passes:
        if not entry.failed:
            result[function.states[entry.after].level] = entry.after
    return result


def _by_position(function: FunctionRecord, position: int) -> Point:
    count = len(function.states)
    if not -count <= position < count:
        raise PipelineError(
            f"there is no state {position} of {function.name}",
            hint=f"states 0 to {count - 1} exist",
        )
    position %= count
    return Point(function, position, f"state {position}")


def _by_llvm(function: FunctionRecord, word: str, steps: Sequence[LlvmStep], number: int) -> Point:
    if not 1 <= number <= len(steps):
        name = word.partition("#")[0].removeprefix("llvm:")
        if not steps and ":" in word:
            raise _unknown(function, word)
        prefix = "llvm#" if name == "llvm" else f"llvm:{name}#"
        if not steps:
            raise PipelineError(
                "no passes of LLVM were recorded", hint='trace with level="rewrite"'
            )
        raise PipelineError(
            f"there is no {word!r} in this compilation",
            hint=f"known: {prefix}1 to {prefix}{len(steps)}",
        )
    step = steps[number - 1]
    where = next(k for k, one in enumerate(function.llvm, 1) if one is step)
    return Point(function, step.state, f"after LLVM's {step.name} (llvm#{where})")


def _by_pass(function: FunctionRecord, entry: PassEntry, number: int | None) -> Point:
    if number == 0:
        return Point(function, entry.before, f"before {entry.name}")
    if number is None:
        if entry.failed:
            raise PipelineError(
                f"{entry.name} failed, so there is no program after it",
                hint=f"use `{entry.name}#0`, the program before it",
            )
        return Point(function, entry.after, f"after {entry.name}")
    count = len(entry.rewrites)
    if number > count:
        there = f"it has rewrites 1 to {count}" if count else "none of its rewrites were recorded"
        raise PipelineError(f"{entry.name} has no rewrite {number}", hint=there)
    rewrite = entry.rewrites[number - 1]
    if rewrite.state < 0:
        raise PipelineError(
            f"the program after rewrite {number} of {entry.name} was not recorded",
            hint='trace with level="rewrite"',
        )
    return Point(function, rewrite.state, f"after rewrite {number} of {entry.name}, {rewrite.rule}")


def _unknown(function: FunctionRecord, word: str) -> PipelineError:
    levels = levels_of(function)
    names = dict.fromkeys(entry.name for entry in function.passes)
    llvm = dict.fromkeys(f"llvm:{step.name}" for step in function.llvm)
    otherwise = f"levels: {', '.join(levels)}; passes: {', '.join(names)}"
    if function.error is not None:
        otherwise += f"; it ended early: {function.error.message}"
    hint = did_you_mean(word, [*levels, *names, *llvm], otherwise)
    return PipelineError(f"there is no level or pass {word!r} in {function.name}", hint=hint)
