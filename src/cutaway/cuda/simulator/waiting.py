"""The functions that may wait, and so are generators, and the loops that may wait in vain.

A thread waits at barriers and for its warp.  A loop that reads memory may wait for a write by
another thread: it counts its iterations, and lets other threads run from time to time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.gpu import words
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.typing.inference.resolutions import Chosen, CompiledCall
from cutaway.typing.types import Array

if TYPE_CHECKING:
    from cutaway.cuda.simulator.program import Program
    from cutaway.cuda.simulator.writing import FunctionWriter

_WAITING = frozenset(
    getattr(words, name)
    for name in """
        syncthreads syncthreads_and syncthreads_or syncthreads_count syncwarp shfl_sync shfl_up_sync
        shfl_down_sync shfl_xor_sync all_sync any_sync eq_sync ballot_sync match_any_sync
        match_all_sync activemask nanosleep
    """.split()
)
_ATOMIC = frozenset(one for name, one in words.WORDS.items() if name.startswith("atomic."))
PLAIN, ASKING, ATOMIC = 1, 5, 50  # the cost of an iteration in a thread's patience


class Waiting:
    """Analyzes the functions of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def may_wait(self, w: FunctionWriter) -> bool:
        """True if a function, or one that it calls, may wait."""
        found = any([self._waits(w, op) for op in walk(w.fn)])  # all of them are translated
        return found or any(self.cost(w, label) > PLAIN for label in w.loops)

    def _waits(self, w: FunctionWriter, op: Op) -> bool:
        resolved = w.unit.resolutions.get(op.id)
        if isinstance(resolved, CompiledCall):
            callee = self.program.function(w, resolved.function, resolved.call, op.loc)
            return callee.is_generator
        if isinstance(op, nodes.Call):
            callee = self.program.calling.callee_of(w, op)
            try:
                if callee in _WAITING:
                    return True
            except TypeError:
                return False
        if isinstance(resolved, Chosen) and resolved.resolution.implementation is not None:
            resolution = resolved.resolution
            made = self.program.function(w, resolution.implementation, resolution.call, op.loc)
            return made.is_generator
        return False

    def cost(self, w: FunctionWriter, label: int) -> int:
        """Return the cost of an iteration of a loop in a thread's patience; 0 for one that ends.

        If the function is written by labels, its loop contains all of its blocks.
        """
        body = w.loops[label].body if label in w.loops else w.fn.blocks
        ops = [op for one in body for op in w.fn.blocks[one].ops]
        if any(self._is_atomic(w, op) for op in ops):
            return ATOMIC
        if any(isinstance(op, nodes.IterNext) for op in w.fn.blocks[label].ops):
            return 0
        return ASKING if any(_reads(w, op) for op in ops) else PLAIN

    def _is_atomic(self, w: FunctionWriter, op: Op) -> bool:
        if not isinstance(op, nodes.Call):
            return False
        callee = self.program.calling.callee_of(w, op)
        try:
            return callee in _ATOMIC
        except TypeError:
            return False


def _reads(w: FunctionWriter, op: Op) -> bool:
    match op:
        case nodes.GetItem(value=value) | nodes.StaticGetItem(value=value):
            return isinstance(w.types.get(value), Array)
        case nodes.Call(args=args):
            return any(isinstance(w.types.get(name), Array) for name in args)
    return False
