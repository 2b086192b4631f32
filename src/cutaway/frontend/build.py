"""Translates bytecode to a function of the IR (stage 2).

Blocks are executed symbolically in reverse postorder.  Values that are on the stack where
control merges get a temporary variable that every predecessor assigns, unless all of them
have the same value there.  The result is then brought into canonical form (canonical.py).
"""

from __future__ import annotations

import builtins
import dis
import inspect
from collections import deque
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from cutaway.foundation.dataclass import replace
from cutaway.foundation.source import Loc, head_of, parameter_of
from cutaway.frontend import comparisons
from cutaway.frontend.block_builder import MISSING, NULL, BlockBuilder, Names
from cutaway.frontend.bytecode import Bytecode, decode
from cutaway.frontend.canonical import canonicalize
from cutaway.frontend.control_flow import ControlFlow, analyze
from cutaway.frontend.entries import Handled, depth_of
from cutaway.frontend.reads import maybe_empty, maybe_unbound
from cutaway.frontend.stack import HANDLERS
from cutaway.frontend.versions import CONDITIONAL_JUMPS, NONE_JUMPS, VERSION
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op
from cutaway.ir.operators import BINARY
from cutaway.ir.traversal import rename_uses

if TYPE_CHECKING:
    from cutaway.frontend.reaches import Reach


__all__ = ["MISSING", "build_function", "translate"]


def build_function(
    function: FunctionType | CodeType, namespace: dict[str, Any] | None = None
) -> Function:
    """Return the IR of a Python function, or of the code of an inner function with its globals.

    The variables that an inner function captures are FreeVar ops whose value is MISSING.
    Raises UnsupportedError for an unsupported construct.
    """
    code = function.__code__ if isinstance(function, FunctionType) else function
    bytecode = decode(code)
    return translate(function, bytecode, analyze(bytecode), namespace)


def translate(
    function: FunctionType | CodeType,
    bytecode: Bytecode,
    flow: ControlFlow,
    namespace: dict[str, Any] | None = None,
    itself: Any = MISSING,
    live: bool = False,
) -> Function:
    """Return the IR of a function whose bytecode has been decoded and analyzed.

    Its own name means `itself` while it is undefined, as during the call of a decorator.  With
    `live`, globals and the variables of enclosing functions are read when the program runs.
    """
    names = _names_of(function, bytecode.code, namespace, itself)
    names.doubtful = maybe_unbound(bytecode.code, flow)
    _learn_assigned(names, function, flow)
    if live:
        names.live = True
        names.written = frozenset(_global_names(bytecode.code))
        names.rebound = names.closure
    doubtful = names.doubtful | maybe_empty(bytecode.code, flow)
    made = _Translation(names, flow).run()
    return canonicalize(made, doubtful, frozenset(names.taken))


def _global_names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function and the functions inside it may look up."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _global_names(one)


def _learn_assigned(names: Names, function: FunctionType | CodeType, flow: ControlFlow) -> None:
    """Find the variables of other scopes that the function assigns, which are not constants."""
    every = [one for block in flow.blocks.values() for one in block]
    assigned = {
        kind: {one.value for one in every if one.name in (f"STORE_{kind}", f"DELETE_{kind}")}
        for kind in ("GLOBAL", "DEREF")
    }
    inner = [one.value for one in every if isinstance(one.value, CodeType)]
    for code in inner:
        _add_assigned(code, assigned)
    names.written = frozenset(assigned["GLOBAL"])
    if isinstance(function, FunctionType):
        cells = zip(names.code.co_freevars, function.__closure__ or (), strict=True)
        names.closure = dict(cells)
        names.rebound = {
            name: cell for name, cell in names.closure.items() if name in assigned["DEREF"]
        }


def _add_assigned(code: CodeType, assigned: dict[str, set[str]]) -> None:
    """Add the outer variables that an inner function, or one inside it, assigns or deletes."""
    for one in dis.get_instructions(code):
        for kind in ("GLOBAL", "DEREF"):
            if one.opname in (f"STORE_{kind}", f"DELETE_{kind}"):
                if kind == "GLOBAL" or one.argval in code.co_freevars:
                    assigned[kind].add(one.argval)
        if isinstance(one.argval, CodeType):
            _add_assigned(one.argval, assigned)


def _names_of(
    function: FunctionType | CodeType, code: CodeType, namespace: dict[str, Any] | None, itself: Any
) -> Names:
    if not isinstance(function, FunctionType):
        return Names(code, namespace or {}, vars(builtins), {}, inner=True)
    captured = {}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            captured[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            captured[name] = itself if name == code.co_name else MISSING
    return Names(code, function.__globals__, vars(builtins), captured, itself=itself)


Side = tuple[int, list[Any]]  # a successor and its entry stack; Any: stack entries


class _Translation:
    """The translation of one function's blocks."""

    def __init__(self, names: Names, flow: ControlFlow) -> None:
        self.names = names
        self.flow = flow
        self.graph = flow.graph
        self.count = 0
        self.entries: dict[int, list[Any]] = {}
        self.blocks: dict[int, list[Op]] = {}
        self.handlers = {offset: reach.target for offset, reach in flow.handlers.items()}
        self.merged = names.merged
        self.caught = {reach.target: reach for reach in flow.handlers.values()}
        self.edges = 1 + max(flow.blocks)  # labels of blocks inserted on edges

    def run(self) -> Function:
        """Translate all blocks."""
        code = self.names.code
        order = self.graph.reverse_postorder()
        self.entries[order[0]] = []
        for offset in order:
            self._translate(offset)
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & inspect.CO_VARARGS)
        count += bool(code.co_flags & inspect.CO_VARKEYWORDS)
        params = code.co_varnames[:count]
        loc = head_of(code)
        last = min((one.loc.line for one in self.flow.blocks[order[0]] if one.loc.line), default=0)
        args: list[Op] = [
            nodes.Arg(name, k, name, loc=parameter_of(loc, name, last))
            for k, name in enumerate(params)
        ]
        entry = -1  # the entry has no predecessors, even if the first instruction is a loop header
        self._drop_needless_merges()
        blocks = {entry: Block(entry, [*args, nodes.Jump(order[0], loc=loc)])}
        blocks.update(
            (label, Block(label, ops, self.handlers.get(label)))
            for label, ops in self.blocks.items()
        )
        made = Function(
            code.co_name,
            params,
            blocks,
            code.co_filename,
            code.co_firstlineno,
            namespace=self.names.namespace,
        )
        made.generator = bool(code.co_flags & inspect.CO_GENERATOR)
        made.closure = self.names.closure
        return made

    def _fresh(self) -> str:
        self.count += 1
        return f"$t{self.count}"

    def _translate(self, offset: int) -> None:
        instructions = self.flow.blocks[offset]
        last = instructions[-1]
        block = BlockBuilder(self.names, list(self.entries[offset]), self._fresh)
        block.instruction = replace(instructions[0], loc=self._loc_of(offset))
        if offset in self.caught:
            block.push(nodes.Caught, depth_of(block.stack))
        if offset in self.flow.handlers:
            self._go_to_handler(block, self.flow.handlers[offset])
        jumps = last.name == "JUMP" or last.name in CONDITIONAL_JUMPS
        block.run(instructions[:-1] if jumps else instructions, HANDLERS)
        handler = self.handlers.get(offset)
        targets = [one for one in self.graph.successors(offset) if one != handler]
        block.instruction = last
        if last.name in CONDITIONAL_JUMPS:
            cond, after, target = _BRANCHES[last.name](block)
            when = last.name not in _JUMPS_WHEN_FALSE
            if last.name in NONE_JUMPS and comparisons.is_written_is_not(last.loc):
                when = not when
            self._branch(block, cond, (targets[0], after), (targets[-1], target), when)
        elif targets:
            self._go(block, (targets[0], block.stack))
            block.add(nodes.Jump, targets[0])
        self.blocks[offset] = block.ops

    def _branch(
        self, block: BlockBuilder, cond: str, after: Side, target: Side, when: bool
    ) -> None:
        """End the block with a branch to `target` if the condition equals `when`, else to
        `after`."""
        labels = [self._edge(block, after), self._edge(block, target)]
        if when:
            labels.reverse()
        block.add(nodes.Branch, cond, *labels)

    def _edge(self, block: BlockBuilder, side: Side) -> int:
        """Return the label that an edge of a branch goes to: a block on the edge, if it assigns
        merge temporaries."""
        # The edge may be critical: an assignment before the branch would change the temporary on
        # the other side too.
        edge = BlockBuilder(self.names, [], self._fresh)
        edge.instruction = block.instruction
        self._go(edge, side)
        if not edge.ops:
            return side[0]
        self.edges += 1
        edge.add(nodes.Jump, side[0])
        self.blocks[self.edges] = edge.ops
        return self.edges

    def _loc_of(self, offset: int) -> Loc:
        """Return the location of the ops that precede a block's instructions."""
        reach = self.caught.get(offset)
        return self.flow.blocks[offset][0].loc if reach is None else reach.loc

    def _go_to_handler(self, block: BlockBuilder, reach: Reach) -> None:
        """Pass the lower part of the stack, `reach.depth` entries, to a handler."""
        stack = block.stack[: reach.depth]
        self._go(block, (reach.target, [*stack, NULL] if reach.lasti else stack))

    def _go(self, block: BlockBuilder, side: Side) -> None:
        """Pass a stack to a successor, and assign its merge temporaries."""
        target, stack = side
        if len(self.graph.predecessors(target)) == 1:
            self.entries[target] = list(stack)
            return
        if target not in self.entries:
            self.entries[target] = [self._merged(entry) for entry in stack]
        for name, entry in zip(self.entries[target], stack, strict=True):
            if isinstance(entry, Handled):
                name, entry = name.exception, entry.exception
            value = block.settled(entry)
            if value is not NULL:
                self.merged[name].add(value)
                block.add(nodes.Copy, name, value)

    def _merged(self, entry: Any) -> Any:
        """Return the merged entry for the entries of several predecessors."""
        if entry is NULL:
            return NULL
        return Handled(self._merge()) if isinstance(entry, Handled) else self._merge()

    def _merge(self) -> str:
        self.count += 1
        name = f"$phi{self.count}"
        self.merged[name] = set()
        return name

    def _drop_needless_merges(self) -> None:
        """Replace each merge temporary whose only source is one other temporary."""
        alias: dict[str, str] = {}
        assigned_to: dict[str, list[str]] = {}
        for name, values in self.merged.items():
            for value in values:
                assigned_to.setdefault(value, []).append(name)
        waiting = deque(self.merged)
        while waiting:
            name = waiting.popleft()
            # As Braun and others remove trivial phis ("Simple and Efficient Construction of Static
            # Single Assignment Form", 2013): removing one may make its users trivial.
            rest = self.merged.get(name, set()) - {name}
            if len(rest) != 1:
                continue
            (only,) = rest
            if not only.startswith("$"):
                continue
            alias[name] = only
            del self.merged[name]
            for user in assigned_to.get(name, ()):
                values = self.merged.get(user, set())
                if name in values:
                    values.remove(name)
                    values.add(only)
                    assigned_to.setdefault(only, []).append(user)
                    waiting.append(user)
        if alias:
            self._substitute(alias)

    def _substitute(self, alias: dict[str, str]) -> None:
        def source(name: str) -> str:
            target = name
            while target in alias:
                target = alias[target]
            while name != target:  # path compression
                alias[name], name = target, alias[name]
            return target

        for ops in self.blocks.values():
            ops[:] = [
                rename_uses(op, source)
                for op in ops
                if not (isinstance(op, nodes.Copy) and op.result in alias)
            ]


# --- branches: the condition, the stack on fall-through, and that at the target -----------------

Branching = tuple[str, list[Any], list[Any]]


def _pop_jump(block: BlockBuilder) -> Branching:
    cond = block.pop()
    return cond, block.stack, block.stack


def _jump_or_pop(block: BlockBuilder) -> Branching:
    return block.stack[-1], block.stack[:-1], block.stack


def _none_jump(block: BlockBuilder) -> Branching:
    assert block.instruction is not None
    symbol = "is not" if comparisons.is_written_is_not(block.instruction.loc) else "is"
    value, none, cond = block.pop(), block.fresh(), block.fresh()
    block.add(nodes.Const, none, None)
    block.add(nodes.Binary, cond, BINARY[symbol], value, none)
    return cond, block.stack, block.stack


def _for_iter(block: BlockBuilder) -> Branching:
    item, valid = block.fresh(), block.fresh()
    block.add(nodes.IterNext, item, valid, block.stack[-1 - VERSION.pairs_iterators])
    # Until END_FOR the exhausted iterator stays, with an unused value on top.
    exhausted = block.stack[:-1] if VERSION.exhausted_pops else [*block.stack, NULL]
    return valid, [*block.stack, item], exhausted


_BRANCHES: dict[str, Callable[[BlockBuilder], Branching]] = {
    "FOR_ITER": _for_iter,
    "JUMP_IF_FALSE_OR_POP": _jump_or_pop,
    "JUMP_IF_TRUE_OR_POP": _jump_or_pop,
    "POP_JUMP_IF_FALSE": _pop_jump,
    "POP_JUMP_IF_NONE": _none_jump,
    "POP_JUMP_IF_NOT_NONE": _none_jump,
    "POP_JUMP_IF_TRUE": _pop_jump,
}
_JUMPS_WHEN_FALSE = frozenset(
    {"FOR_ITER", "JUMP_IF_FALSE_OR_POP", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_NOT_NONE"}
)
