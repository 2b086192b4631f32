"""Replacing calls by the bodies of functions, before SSA form."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from types import CodeType

from cutaway.errors import UnsupportedError
from cutaway.foundation.source import Loc, Through
from cutaway.ir import nodes
from cutaway.ir.constants import waits
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.reaches import guard_copies, has_handlers, split_reaches
from cutaway.ir.traversal import (
    by_place_and_name,
    definition_table,
    definitions,
    may_raise,
    rename_definitions,
    rename_uses,
    retarget,
    use_table,
    uses,
    walk,
)
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped.check_unbound import unbound_reads
from cutaway.stages.untyped.inlined_functions import Inlined, inlined, is_inlined
from cutaway.stages.untyped.placed_values import OpSite, PlacedValues
from cutaway.typing.overloads.parameters import Parameters, parameters_of_code
from cutaway.typing.overloads.resolution import REQUIRED

MOST_BLOCKS = 1000  # that inlining adds to a function

INLINE_FUNCTION = Rule(
    "inline_function",
    "a call => the body of the function",
    note="the body of `{0}` takes the place of its call",
)
READ_CAPTURED = Rule(
    "read_captured",
    "a function that is passed on carries a variable => it is read first",
    note="inner functions that are passed on carry `{0}` along",
)
DROP_FUNCTION = Rule(
    "drop_function",
    "an inner function that nothing needs => None",
    note="nothing needs the inner function `{0}` any more",
)
SPLIT_REACH = Rule(
    "split_reach",
    "a block with a handler => blocks that define what the handler needs before they may raise",
    note="an exception may come before or after an assignment that its handler sees",
)


def _remedy(function: nodes.MakeFunction | Inlined) -> str:
    if isinstance(function, nodes.MakeFunction):
        return "make it a compiled function of its own"
    return "write it as a loop" if function.stands_for else "leave out its option `inline`"


class Inlining:
    """The state of the inlining into one function."""

    def __init__(self, unit: CompileUnit, editor: Editor) -> None:
        self.fn = unit.fn
        self.editor = editor
        self.unit = unit
        self.free = unit.pyfunc.__code__.co_freevars
        cells = unit.pyfunc.__closure__ or ()
        passed = unit.captured or ()  # these are parameters
        pairs = zip(self.free, cells, strict=True)
        self.cells = {name: cell for name, cell in pairs if name not in passed}
        self.inside: dict[int, tuple[CodeType, ...]] = {}  # whose code each block is
        self.counts: dict[str, int] = {}
        self.declined: set[int] = set()  # calls that stay, by value id
        self.most = len(self.fn.blocks) + MOST_BLOCKS
        self.values = PlacedValues(self.fn)

    def inline_all(self) -> None:
        """Inline until no inlinable call is left."""
        while self._inline_each():
            pass  # inlined code may reveal the callee of another call

    def finish(self, generators_stay: bool = False) -> None:
        """Put the program into the form that later passes expect; whether its `generators_stay`
        values of their own is known."""
        self._drop_unused(generators_stay)
        self._read_captured()
        if split_reaches(
            self.editor, lambda op: may_raise(op) or not all(map(is_temporary, uses(op)))
        ):
            self.editor.commit(SPLIT_REACH, self.fn.entry.ops[0].loc)
        self.editor.settle()

    def _inline_each(self) -> bool:
        """Inline each inlinable call, also in the blocks that this adds; False if there is none."""
        done = False
        waiting = deque(self.fn.blocks.values())
        while waiting:
            known = len(self.fn.blocks)
            if self._inline_first(waiting.popleft()):
                done = True
                waiting.extend(islice(self.fn.blocks.values(), known, None))
        return done

    def _inline_first(self, block: Block) -> bool:
        """Inline the first inlinable call of a block, which then ends the block."""
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Call):
                site = OpSite(block.label, position)
                function = self.values.function(op.func, site) or self._compiled(op, site)
                if function is not None:
                    self.inline(block, position, op, function)
                    self._report(op, function)
                    return True
        return False

    def _compiled(self, call: nodes.Call, site: OpSite) -> Inlined | None:
        """Return the compiled function of a call, if it is to be inlined here."""
        value = self.values.value(call.func, site)
        stack = (self.unit.pyfunc.__code__, *self.inside.get(site.label, ()))
        if not is_inlined(value) or call.id in self.declined or value.py_func.__code__ in stack:
            return None
        body = inlined(value, self.fn, call.loc, self.unit.services.build_ir)
        refusal = body.refusal(self.unit, call)
        if refusal:
            self.declined.add(call.id)
            if self.unit.recording:
                subject = f"the call of `{body.name}`"
                decision = Decision(subject, MISSED, "inline_function", refusal, call.loc)
                self.unit.note(decision)
            return None
        return body

    def _read_captured(self) -> None:
        """Read the variables of the enclosing function that escaping inner functions carry
        along."""
        escaping = [
            (name, op.loc)
            for op in walk(self.fn)
            if isinstance(op, nodes.MakeFunction)
            for name in op.captured
            if name in self.cells
        ]
        entry = self.fn.entry
        first = next(k for k, op in enumerate(entry.ops) if not isinstance(op, nodes.Arg))
        for name, loc in dict(escaping).items():
            with suppress(ValueError):  # not assigned yet
                value = self.cells[name].cell_contents
                read = nodes.FreeVar(name, name, value, loc=loc, id=self.fn.new_id())
                self.editor.insert(entry, first, read)
                self.editor.commit(READ_CAPTURED, loc, name)

    def _drop_unused(self, generators_stay: bool) -> None:
        """Replace unneeded functions by None, so that the check for unbound variables ignores
        theirs; `simplify` removes the rest."""
        unneeded = _unneeded(self.fn)
        _check_captured(self.fn, unneeded, generators_stay)
        for block in self.fn.blocks.values():
            for position, op in enumerate(block.ops):
                if isinstance(op, nodes.MakeFunction) and op.result in unneeded:
                    nothing = nodes.Const(op.result, None, loc=op.loc, id=op.id)
                    self.editor.replace(block, position, nothing)
                    self.editor.commit(DROP_FUNCTION, op.loc, op.name)

    def inline(
        self,
        block: Block,
        position: int,
        call: nodes.Call,
        function: nodes.MakeFunction | Inlined,
    ) -> None:
        """Replace a call at a position of a block by the body of a function."""
        stack = self.inside.get(block.label, ())
        if function.code in stack and not (isinstance(function, Inlined) and function.stands_for):
            raise UnsupportedError(
                f"the inner function {function.name} calls itself",
                call.loc,
                "make it a compiled function of its own",
            )
        if len(self.fn.blocks) > self.most:
            raise UnsupportedError(
                f"{self.unit.name} becomes too large when the body of {function.name} takes the"
                " place of this call",
                call.loc,
                _remedy(function),
            )
        arguments = self.given(call, OpSite(block.label, position))
        body, captured, defaults = self.body(function)
        self.check_assignments(body, captured)
        rest = Block(self.fn.new_label(), block.ops[position + 1 :], block.handler)
        self.editor.add_block(rest)
        self.inside[rest.label] = stack
        rename = self.renaming(function.name, body, captured)
        bound = self.bind(call, arguments, function, body, rename)
        if block.handler is not None or has_handlers(body):
            self.editor.unsettle()  # until blocks with a handler are split again
        through = through_call(function, call.loc)
        stack = (*stack, function.code)
        labels = self.copy_blocks(body, rename, call, rest.label, stack, through)
        guard_copies(self.editor, body, labels, block, position)
        jump = nodes.Jump(labels[body.entry.label], loc=call.loc, id=self.fn.new_id())
        self.editor.cut(block, position, *self.function_read(call), *defaults, *bound, jump)
        self.resolve_captured(captured, labels.values())
        self.values.split(block, call, rest, labels.values())

    def _report(self, call: nodes.Call, function: nodes.MakeFunction | Inlined) -> None:
        self.editor.commit(INLINE_FUNCTION, call.loc, function.name)
        if not self.unit.recording:
            return
        why = "it was decorated with inline=" if isinstance(function, Inlined) else "it is known"
        subject = f"the call of `{function.name}`"
        reason = f"{why}, so its body takes the place of the call"
        self.unit.note(Decision(subject, DONE, "inline_function", reason, call.loc))

    def body(
        self, function: nodes.MakeFunction | Inlined
    ) -> tuple[Function, dict[str, str], tuple[Op, ...]]:
        """Return a function's body, the names of its captured variables, and ops for defaults."""
        if isinstance(function, Inlined):
            return function.body, {}, function.ops
        body = self.unit.services.build_ir(function.code, self.unit.pyfunc.__globals__)  # type: ignore[call-arg]
        return body, dict(zip(function.code.co_freevars, function.captured, strict=True)), ()

    def check_assignments(self, body: Function, captured: dict[str, str]) -> None:
        for ops in definition_table(body).values():
            for op in ops:
                for name in definitions(op):
                    if captured.get(name) in self.free:
                        raise UnsupportedError(
                            "assigning to a variable of the enclosing function is not supported"
                            " in compiled code",
                            op.loc,
                            "return the new value instead",
                        )

    def function_read(self, call: nodes.Call) -> list[Op]:
        """Return ops that read the variable of the function, which raises where it is not bound."""
        if is_temporary(call.func):
            return []
        return [nodes.Copy(self.fn.fresh("f"), call.func, loc=call.loc, id=self.fn.new_id())]

    def renaming(self, name: str, body: Function, captured: dict[str, str]) -> Callable[[str], str]:
        count = self.counts[name] = self.counts.get(name, 0) + 1
        stem = name.strip("<>")
        suffix = f"@{stem}" if count == 1 else f"@{stem}{count}"
        names = {
            # The variable of a comprehension's iterator is `.0`.
            old: self.fn.fresh(stem) if is_temporary(old) or old == ".0" else old + suffix
            for old in definition_table(body)
        }
        names.update(captured)
        return lambda old: names.get(old, old + suffix)

    def bind(
        self,
        call: nodes.Call,
        arguments: tuple[tuple[str, ...], dict[str, str]],
        function: nodes.MakeFunction | Inlined,
        body: Function,
        rename: Callable[[str], str],
    ) -> list[Op]:
        """Return copies of arguments, or of defaults, into the renamed parameters."""
        parameters = function.parameters if isinstance(function, Inlined) else _parameters(function)
        positional, named = arguments
        layout = parameters.places(len(positional), tuple(named))
        if layout is None:
            raise parameters.misfit(len(positional), tuple(named), call.loc)
        values = [*positional, *named.values()]
        ops: list[Op] = []

        def add(cls: type[Op], *fields: object) -> None:
            ops.append(cls(*fields, loc=call.loc, id=self.fn.new_id()))

        for name, index, default in zip(
            body.params, layout, (*parameters.defaults, REQUIRED), strict=False
        ):
            if isinstance(index, tuple):
                add(nodes.BuildTuple, rename(name), tuple(values[k] for k in index))
            else:
                add(nodes.Copy, rename(name), default if index is None else values[index])
        for name in unbound_reads(body):
            if name not in function.code.co_freevars and name not in body.params:
                add(nodes.Undef, rename(name))
        return ops

    def given(self, call: nodes.Call, site: OpSite) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the positional arguments of a call, with those of `*args`, and the named ones."""
        positional, named = by_place_and_name(call.args, call.keywords)
        if call.star is not None:
            source = self.values.source(call.star, site)
            if not isinstance(source, nodes.BuildTuple):
                raise UnsupportedError(
                    "an inner function cannot be called with *args that are not written here",
                    call.loc,
                    "write the arguments one by one, or make it a compiled function of its own",
                )
            positional += source.items
        return positional, named

    def copy_blocks(
        self,
        body: Function,
        rename: Callable[[str], str],
        call: nodes.Call,
        after: int,
        stack: tuple[CodeType, ...],
        through: Through | None,
    ) -> dict[int, int]:
        first = self.fn.new_label()
        locs: dict[Loc, Loc] = {}
        labels = {old: first + k for k, old in enumerate(body.blocks)}
        labels[LEAVE] = after
        first_id = self.fn.next_id
        for old, source in body.blocks.items():
            ops: list[Op] = []
            for op in source.ops:
                if isinstance(op, nodes.Arg):
                    continue  # bound in front
                renamed = rename_uses(rename_definitions(op, rename), rename)
                ops += _left(renamed, call.result)
            if through is not None:
                for op in ops:
                    locs.setdefault(op.loc, op.loc.inlined(through))
                ops = [replace(op, loc=locs[op.loc]) for op in ops]
            copied = [replace(retarget(op, labels.__getitem__), id=self.fn.new_id()) for op in ops]
            self.editor.add_block(Block(labels[old], copied))
            self.inside[labels[old]] = stack
        self.editor.renew_regions([labels[old] for old in body.blocks])
        loc = self.unit.inlined_at(call.id) or call.loc
        self.unit.inlined.append((first_id, self.fn.next_id, loc))
        return {old: new for old, new in labels.items() if old != LEAVE}

    def resolve_captured(self, captured: dict[str, str], labels: Iterable[int]) -> None:
        """Read captured variables where the inner function does."""
        for label in labels:
            block = self.fn.blocks[label]
            for position, op in enumerate(block.ops):
                if isinstance(op, nodes.FreeVar) and op.name in captured:
                    self.editor.replace(block, position, self._captured(op, captured[op.name]))

    def _captured(self, op: nodes.FreeVar, name: str) -> Op:
        cell = self.cells.get(name)
        if cell is None:
            return nodes.Deref(op.result, name, loc=op.loc, id=op.id)
        if any(isinstance(one, nodes.WriteOuter) and one.cell is cell for one in walk(self.fn)):
            return nodes.ReadOuter(op.result, "nonlocal", name, cell, loc=op.loc, id=op.id)
        try:
            value = cell.cell_contents
        except ValueError:  # not assigned yet
            value = op.value
        return nodes.FreeVar(op.result, name, value, loc=op.loc, id=op.id)


LEAVE = -1  # the block after the call while a body is being copied


def through_call(
    function: nodes.MakeFunction | Inlined, call: Loc, waits: bool = False
) -> Through | None:
    """Return the call path of a function's inlined ops; None for a replaced Python function, whose
    ops are located at the call itself."""
    if isinstance(function, Inlined) and function.stands_for:
        return None
    return Through(function.name, call, waits)


def _left(op: Op, result: str) -> list[Op]:
    """Return an assignment and a jump past the call for a return."""
    if not isinstance(op, nodes.Return):
        return [op]
    return [nodes.Copy(result, op.value, loc=op.loc), nodes.Jump(LEAVE, loc=op.loc)]


def _parameters(function: nodes.MakeFunction) -> Parameters:
    positional, named = by_place_and_name(function.defaults, function.keywords)
    return parameters_of_code(function.code, positional, named)


def _unneeded(fn: Function) -> set[str]:
    """Return the variables that are at most copied, to variables that are unneeded as well."""
    used = use_table(fn)
    names = {name for op in walk(fn) for name in definitions(op)}
    unneeded = names - set(used)
    while True:
        more = unneeded | {
            name
            for name, users in used.items()
            if all(
                isinstance(op, nodes.Copy | nodes.Cast | nodes.Deref | nodes.MakeFunction)
                and op.result in unneeded
                for op in users
            )
        }
        if more == unneeded:
            return unneeded
        unneeded = more


def _check_captured(fn: Function, unneeded: set[str], generators_stay: bool) -> None:
    """Refuse an escaping function with a captured variable that may change later: as a value it
    carries along the values at its definition."""
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.MakeFunction) or (waits(op.code) and not generators_stay):
                continue
            if op.result not in unneeded:
                changed = _defined_after(fn, block, position) & set(op.captured)
                if changed:
                    name = user_name(min(changed))
                    raise UnsupportedError(
                        f"the inner function {op.name} is passed on, and {name!r}, which it"
                        " uses, is assigned to after its definition",
                        op.loc,
                        f"pass {name!r} as an argument, or as a default",
                    )


def _defined_after(fn: Function, block: Block, position: int) -> set[str]:
    graph = graph_of(fn)
    names = {name for op in block.ops[position + 1 :] for name in definitions(op)}
    waiting, seen = list(graph.successors(block.label)), set()
    while waiting:
        label = waiting.pop()
        if label not in seen:
            seen.add(label)
            names |= {name for op in fn.blocks[label].ops for name in definitions(op)}
            waiting += graph.successors(label)
    return names
