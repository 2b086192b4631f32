"""From a graph of blocks to Python's `if`, `while` and `for`.

    label 0: jump 4                             while True:
    label 4: branch c, 8, 12            ->          if not c:
    label 8: jump 4                                     break
    label 12: return x                              ...
                                                return x

It goes down the tree of dominators (Ramsey, "Beyond Relooper", 2022).  A block where ways meet is
written behind what leads to it, and so is what a loop leads to: control gets there by falling
through, by `break` or by `continue`.  Where only a jump over several loops would do, the loops ask
a variable, `to`, after they have ended; where a jump forward has no loop to break out of, there is
one that runs once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cutaway.cuda.simulator.text import Text
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, graph_of
from cutaway.ir.nodes import Op


class Writer(Protocol):
    """What writes the code of blocks."""

    text: Text

    def operations(self, label: int) -> None:
        """The ops of a block but for its last one."""

    def moves(self, source: int, target: int) -> None:
        """What the phis of a block take from one before it."""

    def condition(self, op: nodes.Branch) -> str:
        """What a branch asks, as an expression."""

    def end(self, op: Op) -> None:
        """A return, or what raises."""

    def loop_head(self, label: int) -> str | None:
        """`for i in r:`, where a block is the head of such a loop, which begins its body."""

    def counted(self, label: int) -> None:
        """The beginning of the body of a `for` loop."""

    def tick(self, label: int) -> None:
        """The beginning of the body of a loop."""

    def is_short_end(self, label: int) -> bool:
        """True for a block that does nothing but return a constant."""


class _Frame:
    """A loop of the text: where `continue` and `break` lead to, and where else it is left for."""

    def __init__(self, again: int | None, after: int | None) -> None:
        self.again, self.after = again, after
        self.others: dict[int, None] = {}


class Structure:
    """Writes one function."""

    def __init__(self, fn: Function, writer: Writer) -> None:
        self.fn, self.writer, self.text = fn, writer, writer.text
        self.graph: Graph = graph_of(fn)
        self.loops = self.graph.loops()
        order = self.graph.reverse_postorder()
        self.number = {label: k for k, label in enumerate(order)}
        self.immediate = self.graph.immediate_dominators()
        self.behind = self._placed_behind(order)
        self.apart = {label for group in self.behind.values() for label in group}
        self.frames: list[_Frame] = []
        self.once: set[int] = set()  # blocks that a loop which runs once is to be left for
        self.jumps_far = False

    @property
    def is_reducible(self) -> bool:
        """True if each edge that goes back leads to a block that dominates where it begins."""
        return all(
            self.number[target] > self.number[source] or self.graph.dominates(target, source)
            for source in self.number
            for target in self.graph.successors(source)
        )

    def write(self) -> None:
        """Write all of the function."""
        if not self.is_reducible:
            self._write_by_labels()
            return
        mark = self.text.mark()
        while True:
            known = set(self.once)
            self.text.back_to(mark)
            if self.jumps_far:
                self.text.line("to = None")
            self.frames.clear()
            jumped = self.jumps_far
            self._tree(self.graph.entry, None)
            if self.once == known and self.jumps_far == jumped:
                return

    def _placed_behind(self, order: list[int]) -> dict[int, list[int]]:
        """For each block those of its children in the tree of dominators that are written behind
        it: where ways meet, and what a loop leads to, which is behind the outermost one left."""
        behind: dict[int, list[int]] = {label: [] for label in order}
        loops_of = self.graph.node_to_loops()
        for label in order[1:]:
            above = self.immediate[label]
            left = [one for one in loops_of[above] if label not in self.loops[one].body]
            forward = [
                source
                for source in self.graph.predecessors(label)
                if source in self.number and self.number[source] < self.number[label]
            ]
            if left:
                behind[left[-1]].append(label)
            elif len(forward) > 1:
                behind[above].append(label)
        return behind

    # --- the tree -------------------------------------------------------------------------------

    def _tree(self, label: int, following: int | None) -> None:
        """A block and what it dominates; control falls through to `following`."""
        inner = self._inner(label)
        behind = [one for one in self.behind[label] if one not in inner]
        self._chain(label, behind, following, self._node)

    def _inner(self, label: int) -> list[int]:
        """Of the head of a loop those that are written behind it within the loop."""
        body = self.loops[label].body if label in self.loops else ()
        return [one for one in self.behind[label] if one in body]

    def _chain(
        self,
        label: int,
        behind: list[int],
        following: int | None,
        write: Callable[[int, int | None], None],
    ) -> None:
        """A block, as `write` does it, with some of those that are written behind it."""
        if not behind:
            write(label, following)
            return
        *before, last = behind
        if last in self.once:
            self.text.line("while True:  # once")
            frame = _Frame(None, last)
            self.frames.append(frame)
            with self.text.indented():
                self._chain(label, before, last, write)
                self.text.leave("break")
            self.frames.pop()
            self._close(frame)
        else:
            self._chain(label, before, last, write)
        self._tree(last, following)

    def _node(self, label: int, following: int | None) -> None:
        if label not in self.loops:
            self._body(label, following)
            return
        frame = _Frame(label, following)
        self.frames.append(frame)
        exits: int | None = None
        counted = self.writer.loop_head(label)
        head = counted or self._while_head(label)
        branch = self.fn.blocks[label].terminator
        self.text.line(head or "while True:")
        with self.text.indented():
            if counted is not None:
                self.writer.counted(label)
            self.writer.tick(label)
            if head is None:
                self._chain(label, self._inner(label), label, self._body)
            else:
                assert isinstance(branch, nodes.Branch)
                exits = branch.orelse
                self._arm(label, branch.then, label)
        self.frames.pop()
        if exits is not None:
            mark = self.text.mark()
            self.text.line("else:")
            with self.text.indented() as inner:
                self._arm(label, exits, following)
            if inner.is_empty:
                self.text.back_to(mark)
        self._close(frame)

    def _while_head(self, label: int) -> str | None:
        """`while c:`, of a loop that begins with nothing but a question whether it goes on."""
        branch = self.fn.blocks[label].terminator
        if not isinstance(branch, nodes.Branch) or branch.orelse in self.loops[label].body:
            return None
        mark = self.text.mark()
        self.writer.operations(label)
        is_alone = self.text.mark() == mark
        self.text.back_to(mark)
        if not is_alone:
            return None
        self.text.at(branch.loc)
        return f"while {self.writer.condition(branch)}:"

    def _close(self, frame: _Frame) -> None:
        """The end of a loop of the text: go on to where it was left for."""
        for target in frame.others:
            self.text.line(f"if to == {target}:")
            with self.text.indented():
                self.text.line("to = None")
                self._leave(target)

    def _body(self, label: int, following: int | None) -> None:
        self.writer.operations(label)
        op = self.fn.blocks[label].terminator
        if isinstance(op, nodes.Jump):
            self._arm(label, op.target, following)
        elif isinstance(op, nodes.Branch):
            self._branch(label, op, following)
        else:
            self.writer.end(op)

    def _branch(self, label: int, op: nodes.Branch, following: int | None) -> None:
        condition = self.writer.condition(op)
        self.text.at(op.loc)
        start = self.text.mark()
        self.text.line(f"if {condition}:")
        with self.text.indented() as inner:
            self._arm(label, op.then, following)
        middle = self.text.mark()
        if inner.is_empty:
            middle = start
            self.text.back_to(start)
            self.text.line(f"if not {condition}:")
        else:
            self.text.line("else:")
        with self.text.indented() as inner:
            self._arm(label, op.orelse, following)
        if inner.is_empty:
            self.text.back_to(middle)

    def _arm(self, source: int, target: int, following: int | None) -> None:
        """Control goes on to a block."""
        self.writer.moves(source, target)
        is_back = target in self.loops and source in self.loops[target].body
        if not is_back and target not in self.apart and self.immediate[target] == source:
            self._tree(target, following)
        elif target != following:
            self._leave(target)

    def _leave(self, target: int) -> None:
        """Jump to a block that does not follow."""
        for depth, frame in enumerate(reversed(self.frames)):
            if target not in (frame.again, frame.after):
                continue
            if depth == 0:
                self.text.line("continue" if target == frame.again else "break")
                return
            for crossed in self.frames[len(self.frames) - depth :]:
                crossed.others[target] = None
            self.jumps_far = True
            self.text.line(f"to = {target}")
            self.text.line("break")
            return
        if self.writer.is_short_end(target):
            self.writer.operations(target)
            self.writer.end(self.fn.blocks[target].terminator)
            return
        self.once.add(target)
        self.text.line("break")

    # --- without structure ----------------------------------------------------------------------

    def _write_by_labels(self) -> None:
        """A loop that asks which block is next."""
        self.text.line(f"to = {self.graph.entry}")
        self.text.line("while True:")
        with self.text.indented():
            self.writer.tick(self.graph.entry)
            for k, label in enumerate(self.number):
                self.text.line(f"{'el' if k else ''}if to == {label}:")
                with self.text.indented():
                    self._by_label(label)

    def _by_label(self, label: int) -> None:
        self.writer.operations(label)
        op = self.fn.blocks[label].terminator
        if isinstance(op, nodes.Jump):
            self._go(label, op.target)
        elif isinstance(op, nodes.Branch):
            self.text.line(f"if {self.writer.condition(op)}:")
            with self.text.indented():
                self._go(label, op.then)
            self.text.line("else:")
            with self.text.indented():
                self._go(label, op.orelse)
        else:
            self.writer.end(op)

    def _go(self, source: int, target: int) -> None:
        self.writer.moves(source, target)
        self.text.line(f"to = {target}")
