"""From a graph of blocks to Python's `if`, `while` and `for`.

    label 0: jump 4                             while True:
    label 4: branch c, 8, 12            ->          if not c:
    label 8: jump 4                                     break
    label 12: return x                              ...
                                                return x

It walks the dominator tree (Ramsey, "Beyond Relooper", 2022).  A merge block is written behind its
predecessors, and so is a loop's exit: control gets there by falling through, by `break` or by
`continue`.  If only a jump over several loops would do, the loops test a variable, `to`, after they
have ended; if a jump forward has no loop to break out of, one that runs once is added.
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
    """Writes the code of blocks."""

    text: Text

    def operations(self, label: int) -> None:
        """Write the ops of a block except its last one."""

    def moves(self, source: int, target: int) -> None:
        """Write the assignments of a block's phis for one of its predecessors."""

    def condition(self, op: nodes.Branch) -> str:
        """Return the condition of a branch, as an expression."""

    def end(self, op: Op) -> None:
        """Write a return or a raise."""

    def loop_head(self, label: int) -> str | None:
        """Return `for i in r:` if a block is the head of such a loop."""

    def counted(self, label: int) -> None:
        """Write the beginning of the body of a `for` loop."""

    def tick(self, label: int) -> None:
        """Write the check of waiting at the beginning of a loop's body."""

    def is_short_end(self, label: int) -> bool:
        """True for a block that only returns a constant."""


class _Frame:
    """A loop of the text: the targets of `continue` and `break`, and its other exits."""

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
        self.once: set[int] = set()  # exits of loops that run once
        self.jumps_far = False

    @property
    def is_reducible(self) -> bool:
        """True if each back edge goes to a block that dominates its source."""
        return all(
            self.number[target] > self.number[source] or self.graph.dominates(target, source)
            for source in self.number
            for target in self.graph.successors(source)
        )

    def write(self) -> None:
        """Write the whole function."""
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
        """Return for each block those of its children in the dominator tree that are written behind
        it: merge blocks, and exits of loops, which are behind the outermost loop left."""
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
        """Write a block and its dominator subtree; control falls through to `following`."""
        inner = self._inner(label)
        behind = [one for one in self.behind[label] if one not in inner]
        self._chain(label, behind, following, self._node)

    def _inner(self, label: int) -> list[int]:
        """Return the blocks that are written behind a loop's head within the loop."""
        body = self.loops[label].body if label in self.loops else ()
        return [one for one in self.behind[label] if one in body]

    def _chain(
        self,
        label: int,
        behind: list[int],
        following: int | None,
        write: Callable[[int, int | None], None],
    ) -> None:
        """Write a block, by `write`, with some of those that are written behind it."""
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
        """Return `while c:`, for a loop that begins with nothing but its condition."""
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
        """Write the end of a loop of the text: jumps to its other exits."""
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
        """Continue at a block."""
        self.writer.moves(source, target)
        is_back = target in self.loops and source in self.loops[target].body
        if not is_back and target not in self.apart and self.immediate[target] == source:
            self._tree(target, following)
        elif target != following:
            self._leave(target)

    def _leave(self, target: int) -> None:
        """Write a jump to a block that does not follow."""
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
        """Write a loop that dispatches on the next block."""
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
