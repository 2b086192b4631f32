"""The work of `fuse_generators`: match loops with the generators that they consume, and merge both
into one function."""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.constants import gives_generators
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Rule
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.reaches import depth_at, depths, guard_copies, has_handlers
from cutaway.ir.traversal import definitions, retarget, use_table, uses
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import prune_branches
from cutaway.stages.untyped.copied_loops import copy_blocks, own_temporaries, renamed
from cutaway.stages.untyped.generator_bodies import spread_delegates, stand_in
from cutaway.stages.untyped.inlined_functions import Inlined, inlined, is_compiled_generator
from cutaway.stages.untyped.inlining import Inlining, through_call
from cutaway.stages.untyped.placed_values import OpSite, PlacedValues
from cutaway.typing.overloads import consumers
from cutaway.typing.overloads.resolution import MISSING

TAKE_ALL = Rule(
    "take_all",
    "sum(generator) => a loop that adds",
    note="`{0}` takes the values of a generator in a loop",
)
FUSE_GENERATOR = Rule(
    "fuse_generator",
    "a loop over a generator => the generator, with the loop's body for each yield",
    note="the body of the loop takes the place of each `yield` of `{0}`",
)
_CLOSED = "a `yield` stands within `try`, and a generator that is left has to be closed"
_STOPS = "it may raise StopIteration, which is another exception outside of it"

# Ops that do nothing that an iterable could show.
_IDLE = (
    *(nodes.Copy, nodes.Cast, nodes.Const, nodes.Global, nodes.GetIter, nodes.Undef, nodes.Deref),
    *(nodes.BuildList, nodes.BuildSet, nodes.BuildDict, nodes.MakeFunction, nodes.GetAttr),
    nodes.FreeVar,
)

Generator = nodes.MakeFunction | Inlined
Body = tuple[Function, dict[str, str], tuple[Op, ...]]  # with captured variables, and defaults


def fuse(unit: CompileUnit) -> None:
    """Fuse until no fusible loop is left."""
    fusion = GeneratorFusion(unit)
    while fusion.take_all() or fusion.fuse_first():
        fusion.inlining.inline_all()
    fusion.note_others()
    fusion.inlining.finish(generators_stay=True)


@dataclass(frozen=True, slots=True)
class _GeneratorLoop:
    """A loop over a generator: its call, the ops that take its iterator, and the ops of its
    header."""

    site: OpSite
    call: nodes.Call
    generator: Generator
    iterators: tuple[OpSite, ...]
    header: int
    body: frozenset[int]
    advance: nodes.IterNext
    branch: nodes.Branch


class GeneratorFusion:
    """The state of the fusion in one function."""

    def __init__(self, unit: CompileUnit) -> None:
        self.unit = unit
        self.fn = unit.fn
        self.editor = unit.editor()
        self.inlining = Inlining(unit, self.editor)
        self.declined: dict[int, tuple[nodes.Call, Generator, str]] = {}  # calls that stay, and why
        self.known: dict[int, Inlined] = {}  # what calls are of, for which a body was built

    @property
    def values(self) -> PlacedValues:
        """Return the values of variables, site by site."""
        return self.inlining.values

    # --- consumers of generators ------------------------------------------------------------------

    def take_all(self) -> bool:
        """Replace one call of a built-in function by a loop; False if there is none."""
        for block in self.fn.blocks.values():
            for position, op in enumerate(block.ops):
                site = OpSite(block.label, position)
                if isinstance(op, nodes.Call) and (function := self._loop_of(op, site)):
                    name = self.values.value(op.func, site).__name__
                    loop = self._stand_in(function, op, name)
                    self.inlining.inline(block, position, op, loop)
                    self.editor.commit(TAKE_ALL, op.loc, name)
                    return True
        return False

    def _loop_of(self, call: nodes.Call, site: OpSite) -> Any:
        if not call.args or call.star is not None or not self._generator_at(call.args[0], site):
            return None
        return consumers.loop_of(self.values.value(call.func, site), call.keywords)

    def _stand_in(self, function: Any, call: nodes.Call, name: str) -> Inlined:
        return stand_in(self.fn, call, function, name, self.unit.services.build_ir)

    # --- generators -------------------------------------------------------------------------------

    def _generator_at(self, name: str, site: OpSite) -> tuple[OpSite, Generator] | None:
        """Return the call that returned a variable's generator, and the generator."""
        origin = self.values.origin(name, site)
        while origin is not None and isinstance(op := self.values.op(origin), nodes.GetIter):
            origin = self.values.origin(op.value, origin)
        if origin is None or not isinstance(op := self.values.op(origin), nodes.Call):
            return None
        generator = self._generator(op, origin)
        return None if generator is None else (origin, generator)

    def _generator(self, call: nodes.Call, site: OpSite) -> Generator | None:
        """Return the generator that a call returns, if it is known."""
        if call.id in self.declined:
            return None
        function = self.values.function(call.func, site, waiting=True)
        if function is not None:
            return function if gives_generators(function.code) else None
        value = self.values.value(call.func, site)
        counts = value is enumerate and call.args and self._generator_at(call.args[0], site)
        own = consumers.numbered if counts else self._of_library(value, call, site)
        if own is None and not is_compiled_generator(value):
            return None
        if call.id not in self.known:
            build_ir = self.unit.services.build_ir
            self.known[call.id] = (
                inlined(value, self.fn, call.loc, build_ir)
                if own is None
                else self._stand_in(own, call, value.__name__)
            )
        body = self.known[call.id]
        refusal = body.misfit(self.unit, call) if own is None else ""
        if refusal:
            self._decline(call, body, refusal)
        return None if refusal else body

    def _of_library(self, value: Any, call: nodes.Call, site: OpSite) -> Any:
        """Return the generator function that the library has for a function; None if it has
        none."""
        if value is None or call.star is not None:
            return None
        sources = [self.values.source(name, site) for name in call.args]
        constants = tuple(one.value if isinstance(one, nodes.Const) else MISSING for one in sources)
        positional = len(call.args) - len(call.keywords)
        named = dict(zip(call.keywords, constants[positional:], strict=True))
        registry = self.unit.target.registry
        return registry.generator_of(value, positional, named, constants)

    def _decline(self, call: nodes.Call, generator: Generator, reason: str) -> None:
        self.declined.setdefault(call.id, (call, generator, reason))

    def note_others(self) -> None:
        """Report why each generator that is not fused is not."""
        for block in self.fn.blocks.values():
            for position, op in enumerate(block.ops):
                if isinstance(op, nodes.Call):
                    generator = self._generator(op, OpSite(block.label, position))
                    if generator is not None:
                        self._decline(op, generator, "no loop takes its values")
        for call, generator, reason in self.declined.values():
            if self.unit.recording:
                subject = f"the generator `{generator.name}`"
                self.unit.note(Decision(subject, MISSED, "fuse_generator", reason, call.loc))

    # --- loops ------------------------------------------------------------------------------------

    def fuse_first(self) -> bool:
        """Fuse one generator into its loop; False if none can be."""
        graph = graph_of(self.fn)
        for label in list(self.fn.blocks):
            loop = self._loop_at(graph, label)
            if loop is None:
                continue
            graph, body = graph_of(self.fn), self._body(loop)
            reason = self._refusal(graph, loop, body)
            if reason:
                self._decline(loop.call, loop.generator, reason)
                continue
            self._fuse(loop, body)
            return True
        return False

    def _loop_at(self, graph: Graph, label: int) -> _GeneratorLoop | None:
        """Return the loop over a generator that has its header at a block."""
        block = self.fn.blocks[label]
        branch = block.terminator
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.IterNext):
                continue
            if not isinstance(branch, nodes.Branch) or branch.cond != op.valid:
                return None
            found = self._generator_at(op.iterator, OpSite(label, position))
            if found is None:
                return None
            if label not in graph.loops() and position:
                return self._loop_at(*self._apart(block, position))
            (site, generator), iterators = found, []
            at = self.values.origin(op.iterator, OpSite(label, position))
            while at is not None and at != site:
                iterators.append(at)
                at = self.values.origin(self.values.op(at).value, at)
            call = self.values.op(site)
            inside = graph.loops()[label].body if label in graph.loops() else frozenset({label})
            return _GeneratorLoop(
                site, call, generator, tuple(iterators), label, inside, op, branch
            )
        return None

    def _apart(self, block: Block, position: int) -> tuple[Graph, int]:
        """Split off a block for an op that takes a single value."""
        rest = self._add(block.ops[position:], block)
        jump = nodes.Jump(rest.label, loc=rest.ops[0].loc, id=self.fn.new_id())
        self.editor.cut(block, position, jump)
        self.inlining.values = PlacedValues(self.fn)
        return graph_of(self.fn), rest.label

    def _body(self, loop: _GeneratorLoop) -> Body:
        body, captured, defaults = self.inlining.body(loop.generator)
        body = body.copy()
        spread_delegates(body)
        return body, captured, defaults

    def _refusal(self, graph: Graph, loop: _GeneratorLoop, parts: Body) -> str:
        """Return why a generator cannot be fused into a loop; empty if it can."""
        body, captured, _ = parts
        code = loop.generator.code
        stack = (self.unit.pyfunc.__code__, *self.inlining.inside.get(loop.header, ()))
        if code in stack and code is not consumers.numbered.__code__:  # nested `enumerate`
            return "it calls itself"
        handled = depths(body) if has_handlers(body) else {}
        count = 0
        for block in body.blocks.values():
            for position, op in enumerate(block.ops):
                match op:
                    case nodes.Suspend():
                        if block.handler is not None or depth_at(handled, block, position):
                            return _CLOSED
                        count += 1
                    case nodes.Delegate():
                        return "the value of a `yield from` is used"
                    case nodes.Global(_, _, value) if value is StopIteration:
                        return _STOPS
        if self._reads_at_call(loop) and not self._follows_at_once(loop):
            return "it reads its arguments when it is called, and other code runs before the loop"
        if (count - 1) * len(loop.body) + len(self.fn.blocks) > self.inlining.most:
            return f"the function would be too large, with the loop's body in {count} places"
        return self._other_uses(graph, loop)

    def _reads_at_call(self, loop: _GeneratorLoop) -> bool:
        """True for a function of the library that reads iterables before the first item is
        needed."""
        own = loop.generator.dispatcher if isinstance(loop.generator, Inlined) else None
        return hasattr(getattr(own, "py_func", None), "at_call")

    def _follows_at_once(self, loop: _GeneratorLoop) -> bool:
        """True if nothing is done between the call of a generator and the loop over it."""
        block, position = self.fn.blocks[loop.site.label], loop.site.position + 1
        while block.label != loop.header:
            *others, end = block.ops[position:]
            if not isinstance(end, nodes.Jump) or not all(isinstance(op, _IDLE) for op in others):
                return False
            block, position = self.fn.blocks[end.target], 0
        return True

    def _other_uses(self, graph: Graph, loop: _GeneratorLoop) -> str:
        """Return the other uses of the generator, or where it may be exhausted already."""
        around = graph.node_to_loops()
        outside = [header for header in around.get(loop.header, ()) if header != loop.header]
        places = (loop.site, *loop.iterators)
        if any(around.get(at.label, ()) != outside for at in places):
            return "it is not made anew for each loop over it"
        if not all(graph.dominates(at.label, loop.header) for at in places):
            return "it is not made on every way to the loop"
        names = {loop.call.result}
        names.update(name for at in loop.iterators for name in definitions(self.values.op(at)))
        ours = {id(loop.advance), *(id(self.values.op(at)) for at in loop.iterators)}
        table, waiting = use_table(self.fn), list(names)
        users: list[Op] = []
        while waiting:
            for op in table.get(waiting.pop(), ()):
                users.append(op)
                if isinstance(op, nodes.Copy | nodes.Cast | nodes.Deref) and op.result not in names:
                    names.add(op.result)
                    waiting.append(op.result)
        return "" if self._are_ours(users, names, set(places), ours) else "it is used elsewhere too"

    def _are_ours(
        self, users: list[Op], names: set[str], places: set[OpSite], ours: set[int]
    ) -> bool:
        wanted = {id(op) for op in users if id(op) not in ours}
        for block in self.fn.blocks.values():
            for position, op in enumerate(block.ops):
                if id(op) not in wanted or isinstance(op, nodes.Copy | nodes.Cast | nodes.Deref):
                    continue
                for name in set(uses(op)) & names:
                    origin = self.values.origin(name, OpSite(block.label, position))
                    if origin is None or origin in places:
                        return False
        return True

    # --- fusing -----------------------------------------------------------------------------------

    def _fuse(self, loop: _GeneratorLoop, parts: Body) -> None:
        body, captured, defaults = parts
        fn, editor, inlining = self.fn, self.editor, self.inlining
        inlining.check_assignments(body, captured)
        header = fn.blocks[loop.header]
        position = header.ops.index(loop.advance)
        arguments = inlining.given(loop.call, loop.site)
        rename = inlining.renaming(loop.generator.name, body, captured)
        bound = inlining.bind(loop.call, arguments, loop.generator, body, rename)
        if has_handlers(fn) or has_handlers(body):
            editor.unsettle()  # until blocks with a handler are split again
        stack = (*inlining.inside.get(loop.header, ()), loop.generator.code)
        end = self._head(loop, header, nodes.Jump(loop.branch.orelse, loc=loop.branch.loc))
        call = replace(loop.call, result=fn.fresh("result"))
        through = through_call(loop.generator, loop.advance.loc, waits=True)
        labels = inlining.copy_blocks(body, rename, call, end.label, stack, through)
        guard_copies(editor, body, labels, header, position)
        inlining.resolve_captured(captured, labels.values())
        self._call_later(loop, defaults, bound)
        self._enter(loop, labels[body.entry.label])
        copied = [fn.blocks[label] for label in labels.values()]
        self._put_bodies(loop, header, copied, end.label)
        editor.drop_block(loop.header)
        self._report(loop)
        prune_branches.drop_unreachable(editor)
        if has_handlers(fn):
            editor.unsettle()
        inlining.values = PlacedValues(fn)

    def _add(self, ops: list[Op], like: Block) -> Block:
        """Add a block with the handler and inlining context of another one."""
        block = Block(self.fn.new_label(), ops, like.handler)
        self.editor.add_block(block)
        self._is_inside(block.label, like)
        return block

    def _is_inside(self, label: int, like: Block) -> None:
        """Record that a block has the inlining context of another one."""
        self.inlining.inside[label] = self.inlining.inside.get(like.label, ())

    def _head(self, loop: _GeneratorLoop, header: Block, jump: Op, *ops: Op) -> Block:
        """Return a copy of the header, with these ops in place of the iterator's step."""
        groups = [((op,) if op is not loop.advance else ops) for op in header.ops[:-1]]
        put = [one for group in (*groups, (jump,)) for one in group]
        put = [replace(op, id=self.fn.new_id()) for op in put]
        return self._add(put, header)

    def _call_later(self, loop: _GeneratorLoop, defaults: tuple[Op, ...], bound: list[Op]) -> None:
        """Reduce the call to the binding of its arguments."""
        nothing = nodes.Const(loop.call.result, None, loc=loop.call.loc, id=loop.call.id)
        block = self.fn.blocks[loop.site.label]
        read = self.inlining.function_read(loop.call)
        for at in loop.iterators:
            op = self.values.op(at)
            copy = nodes.Copy(op.result, op.value, loc=op.loc, id=op.id)
            self.editor.replace(self.fn.blocks[at.label], at.position, copy)
        self.editor.replace(block, loop.site.position, *read, *defaults, *bound, nothing)

    def _enter(self, loop: _GeneratorLoop, entry: int) -> None:
        """Enter the generator where the loop begins."""
        for block in self.fn.blocks.values():
            if block.label not in loop.body:
                self._retarget(block, {loop.header: entry})

    def _retarget(self, block: Block, labels: dict[int, int]) -> None:
        end = block.ops[-1]
        moved = retarget(end, lambda label: labels.get(label, label))
        if moved != end:
            self.editor.cut(block, len(block.ops) - 1, moved)

    def _put_bodies(
        self, loop: _GeneratorLoop, header: Block, blocks: list[Block], end: int
    ) -> None:
        """Replace each `yield` by the loop's body; the loop ends at a block."""
        inner = loop.body - {loop.header}
        inside = [block for label, block in self.fn.blocks.items() if label in inner]
        originals = [block.copy() for block in inside]
        own = sorted(own_temporaries(self.fn, loop.body))
        is_first = True
        used = {name for block in blocks for op in block.ops for name in uses(op)}
        waiting = list(blocks)
        while waiting:
            block = waiting.pop()
            at = next((k for k, op in enumerate(block.ops) if isinstance(op, nodes.Suspend)), None)
            if at is None:
                continue
            suspend = block.ops[at]
            rest = self._rest(block, at, suspend.result in used)
            waiting.append(self.fn.blocks[rest])
            names: dict[str, str] = {}
            labels = {loop.header: rest}
            if not is_first:
                names = {name: self.fn.fresh("fused") for name in own}
                first = self.fn.new_label()
                labels.update({one.label: first + k for k, one in enumerate(originals)})
                copy_blocks(self.editor, originals, labels, labels, names)
                for one in originals:
                    self._is_inside(labels[one.label], one)
            else:
                for one in inside:
                    self._retarget(one, labels)
            begin = labels.get(loop.branch.then, loop.branch.then)
            jump = nodes.Jump(begin, loc=loop.branch.loc)
            value = nodes.Copy(loop.advance.result, suspend.value, loc=loop.advance.loc)
            head = self._head(loop, header, jump, value)
            self.editor.set_ops(head, renamed(head.ops, names))
            to_head = nodes.Jump(head.label, loc=suspend.loc, id=self.fn.new_id())
            self.editor.cut(block, at, to_head)
            is_first = False
        if is_first:  # nothing is yielded, and the loop's body is unreachable
            for one in inside:
                self._retarget(one, {loop.header: end})

    def _rest(self, block: Block, at: int, is_used: bool) -> int:
        """Return the label of the code after a `yield`, whose value is None."""
        suspend, ops = block.ops[at], block.ops[at + 1 :]
        if not is_used and isinstance(ops[0], nodes.Jump):
            return ops[0].target
        if is_used:
            ops.insert(0, nodes.Const(suspend.result, None, loc=suspend.loc, id=self.fn.new_id()))
        return self._add(ops, block).label

    def _report(self, loop: _GeneratorLoop) -> None:
        name = loop.generator.name
        self.editor.commit(FUSE_GENERATOR, loop.call.loc, name)
        if self.unit.recording:
            reason = "one loop takes its values, so the loop's body takes the place of each `yield`"
            subject = f"the generator `{name}`"
            self.unit.note(Decision(subject, DONE, "fuse_generator", reason, loop.call.loc))
