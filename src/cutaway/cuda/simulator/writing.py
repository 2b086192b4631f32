"""Writes a typed function as Python: blocks as `structure` arranges them, each op as a statement.

    $0.3 = a + b  :: int64      ->      t3 = a + b
                                        if not -0x8000000000000000 <= t3 <= 0x7fffffffffffffff:
                                            t3 = wrapped(t3, 64)

A result that is used once, in the same block, is inlined into its use, if it is pure arithmetic;
constants are inlined too.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.cuda.simulator import accesses, arithmetic
from cutaway.cuda.simulator.calling import attribute
from cutaway.cuda.simulator.limits import known_limit
from cutaway.cuda.simulator.memory import no_value
from cutaway.cuda.simulator.structure import Structure
from cutaway.cuda.simulator.text import Text
from cutaway.cuda.simulator.threads import Thread
from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import by_place_and_name, definitions, makers_of, use_table, walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.analysis.intervals import Interval, Intervals
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import Array, Integer, Tuple, Type

if TYPE_CHECKING:
    from cutaway.cuda.simulator.program import Program

RESERVED = frozenset({"t", "k", "to", "spins", *keyword.kwlist})
_WHOLE = Interval(-(2**63), 2**64 - 1)


class FunctionWriter:
    """Writes one unit."""

    def __init__(
        self, unit: CompileUnit, program: Program, name: str, is_kernel: bool = False
    ) -> None:
        self.unit, self.program, self.name, self.is_kernel = unit, program, name, is_kernel
        self.fn, self.types = unit.fn, unit.types
        self.text = Text()
        self.constants = constants_of(self.fn)
        self.makers = makers_of(self.fn)
        self.users = use_table(self.fn)
        self.blocks = {
            result: label
            for label, block in self.fn.blocks.items()
            for op in block.ops
            for result in definitions(op)
        }
        self.block_of_op = {id(op): label for label, b in self.fn.blocks.items() for op in b.ops}
        self.label = self.fn.entry.label
        self.loops = graph_of(self.fn).loops()
        self.exprs: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.taken: set[str] = set(RESERVED)
        self.indices: dict[tuple[Any, ...], str] = {}
        self.is_generator = False
        self.ticks = False
        self.has_loops = True  # of the text: else one loop dispatches on the next block
        self.callee: Any = None
        self.folding = True  # pure expressions may be inlined into their uses
        self.intervals = Intervals(
            self.fn, self.types, self.makers, self.constants, self._is_size, self._limit
        )

    # --- the whole ------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the function; its callees are written before."""
        text = self.text
        self.is_generator = self.program.waiting.may_wait(self)
        parameters = [self.name_of(op.result) for op in self._arguments()]
        text.depth = 1
        start = text.mark()
        for op in self._arguments():
            self.define(op.result)
        self._define_unset()
        structure = Structure(self.fn, self)
        self.has_loops = structure.is_reducible
        structure.write()
        body, places = text.lines[start[0] :], text.places[start[0] :]
        del text.lines[start[0] :], text.places[start[0] :]
        text.depth = 0
        loc = self.fn.blocks[self.fn.entry.label].ops[0].loc
        text.at(loc)
        text.line(f"def {self.name}({', '.join(['t', *parameters])}):")
        text.depth = 1
        if self.ticks:
            text.line("spins = t.patience")
        if self.is_generator and not any("yield" in line for line in body):
            text.line("if False: yield")
        text.depth = 0
        text.lines += body
        text.places += places

    def _define_unset(self) -> None:
        """Set variables that some path leaves unset: phis copy them."""
        for op in walk(self.fn):
            if not isinstance(op, nodes.Phi) or not self.users.get(op.result):
                continue
            ty = self.types.get(op.result)
            if ty is not types.undefined and any(map(self._is_unset, op.values)):
                nothing = self.program.constant(no_value(ty), "nothing")
                self.text.line(f"{self.name_of(op.result)} = {nothing}")
                self.define(op.result)

    def _is_unset(self, value: str) -> bool:
        return isinstance(self.makers.get(value), nodes.Undef)

    def _arguments(self) -> list[nodes.Arg]:
        found = [op for op in walk(self.fn) if isinstance(op, nodes.Arg)]
        by_index = {op.index: op for op in found}
        count = len(self.fn.params)
        return [
            by_index.get(k) or nodes.Arg(f"$unused.{k}", k, self.fn.params[k]) for k in range(count)
        ]

    # --- blocks
    # --------------------------------------------------------------------------------------

    def operations(self, label: int) -> None:
        self.label = label
        self.indices = {}
        for op in self.fn.blocks[label].ops[:-1]:
            self.label = label
            self._operation(op)

    def counted(self, label: int) -> None:
        self.indices = {}
        for op in self.fn.blocks[label].ops:
            if isinstance(op, nodes.IterNext):
                self.define(op.result)

    def _operation(self, op: Op) -> None:
        self.text.at(op.loc)
        written = WRITTEN.get(type(op))
        if written is None:
            raise UnsupportedError(f"the simulator cannot run {type(op).__name__}", op.loc)
        written(self, op)

    def moves(self, source: int, target: int) -> None:
        self.label = source
        pairs, phis = [], []
        for op in self.fn.blocks[target].ops:
            if not isinstance(op, nodes.Phi):
                break
            value = op.values[op.labels.index(source)]
            if self.types.get(value) is types.undefined or not self.users.get(op.result):
                continue
            if self._is_unset(value):
                continue
            taken = self.use_as(value, self.types[op.result])
            if taken != self.name_of(op.result):
                pairs.append((self.name_of(op.result), taken))
                phis.append(op)
        if pairs:
            names, values = zip(*pairs, strict=True)
            self.text.line(f"{', '.join(names)} = {_bare(', '.join(values))}")
            for op in phis:
                self.define(op.result)

    def condition(self, op: nodes.Branch) -> str:
        return arithmetic.truth(self, op.cond)

    def end(self, op: Op) -> None:
        self.text.at(op.loc)
        match op:
            case nodes.Return(value):
                returned = self.types.get(value)
                nothing = returned is types.none or returned is types.undefined
                self.text.line("return" if nothing else f"return {self.use(value)}")
            case nodes.StaticRaise(exception, args):
                name = self.program.constant(exception, exception.__name__)
                self.text.line(f"raise {name}(*{self.program.constant(args, 'args')})")
            case nodes.RaiseComputed(exception, args, keywords, star):
                name = self.program.constant(exception, exception.__name__)
                texts, named = by_place_and_name([*map(self.use, args)], keywords)
                given = [*texts, *([] if star is None else [f"*{self.use(star)}"])]
                given += [f"{word}={text}" for word, text in named.items()]
                self.text.line(f"raise {name}({', '.join(given)})")
            case nodes.Raise(exception):
                self.text.line(f"raise {self.use(exception)}")
            case nodes.Unreachable():
                self.text.line("raise AssertionError('this is never reached')")
            case _:
                raise UnsupportedError(f"the simulator cannot run {type(op).__name__}", op.loc)

    def loop_head(self, label: int) -> str | None:
        block = self.fn.blocks[label]
        rest = [op for op in block.ops if not isinstance(op, nodes.Phi)]
        if not self.has_loops or len(rest) != 2 or not isinstance(rest[0], nodes.IterNext):
            return None
        op, branch = rest
        assert isinstance(op, nodes.IterNext)
        if not isinstance(branch, nodes.Branch) or branch.cond != op.valid:
            return None
        if len(self.users[op.valid]) != 1 or not self.is_walked_once(op.iterator):
            return None
        self.text.at(op.loc)
        item = self.name_of(op.result) if self.users.get(op.result) else "_"
        return f"for {item} in {self.use(op.iterator)}:"

    def is_walked_once(self, iterator: str) -> bool:
        """True if an iterator is used by one loop alone, and made right in front of it."""
        return len(self.users.get(iterator, ())) == 1 and isinstance(
            self.makers.get(iterator), nodes.GetIter
        )

    def tick(self, label: int) -> None:
        cost = self.program.waiting.cost(self, label)
        if not cost:
            return
        self.ticks = True
        self.text.line(f"spins -= {cost}")
        self.text.line("if spins < 0:")
        with self.text.indented():
            wait = self.program.wait("spin", self.fn.blocks[label].terminator.loc)
            if self.is_generator:
                self.text.line(f"spins = yield {wait}")
            else:
                self.text.line(f"spins = t.{Thread.tired.__name__}({wait})")

    def is_short_end(self, label: int) -> bool:
        *before, last = self.fn.blocks[label].ops
        if isinstance(last, nodes.StaticRaise):
            return not before
        quiet = (nodes.Const, nodes.Cast, nodes.Copy, nodes.Global)
        return isinstance(last, nodes.Return) and all(isinstance(op, quiet) for op in before)

    # --- names and values -----------------------------------------------------------------------

    def name_of(self, variable: str) -> str:
        """Return the name of a variable in Python."""
        name_known = self.names.get(variable)
        if name_known is None:
            stem = user_name(variable)
            if is_temporary(variable):
                stem = "t" + variable.strip("$").replace(".", "_")
            stem = "".join(c if c.isalnum() or c == "_" else "_" for c in stem)
            name, count = stem, 0
            while name in self.taken or self.program.is_taken(name):
                count += 1
                name = f"{stem}_{count}"
            self.taken.add(name)
            name_known = self.names[variable] = name
        return name_known

    def part_name(self, variable: str, part: str) -> str:
        """Return the name of a part of an array: its cells, its sizes."""
        return self.name_of(f"{self.name_of(variable)}__{part}")

    def fresh(self, stem: str) -> str:
        """Return a fresh name in Python."""
        return self.name_of(f"{stem}@{len(self.names)}")

    def use(self, variable: str) -> str:
        """Return the value of a variable, as an expression."""
        expression = self.exprs.get(variable)
        if expression is not None:
            return expression
        if variable in self.constants:
            maker = self.makers.get(variable)
            value = self.constants[variable]
            if not isinstance(maker, nodes.BuildTuple | nodes.BuildList):
                return self.literal(value, self.types.get(variable))
        return self.name_of(variable)

    def use_as(self, variable: str, ty: Type) -> str:
        """Return the value of a variable, converted to a type."""
        return arithmetic.cast(self, self.use(variable), self.types[variable], ty)

    def literal(self, value: Any, ty: Type | None) -> str:
        """Return a constant as an expression."""
        lane = self.program.special(value)
        if lane is not None:
            return lane
        if ty is not None and isinstance(ty, types.Float) and isinstance(value, int | float):
            value = float(value)
        kind = type(value)
        if kind in (bool, type(None), str) or kind is int:
            return repr(value) if kind is not int or value >= 0 else f"({value!r})"
        if kind is float and math.isfinite(value):
            return (
                repr(value)
                if value > 0 or (value == 0 and repr(value) == "0.0")
                else (f"({value!r})")
            )
        return self.program.value(value, ty)

    def define(self, variable: str) -> None:
        """Note that a variable has its value: unpacks an array whose elements are accessed."""
        ty = self.types.get(variable)
        if not isinstance(ty, Array) or not self.has_elements(variable):
            return
        names = [self.part_name(variable, "cells"), self.part_name(variable, "at")]
        names += [self.part_name(variable, f"n{axis}") for axis in range(ty.ndim)]
        names += [self.part_name(variable, f"s{axis}") for axis in range(ty.ndim)]
        self.text.line(f"{', '.join(names)} = {self.use(variable)}.parts")

    def has_elements(self, variable: str) -> bool:
        """True if a function accesses elements of an array."""
        ops = (nodes.GetItem, nodes.SetItem, nodes.StaticGetItem, nodes.StaticSetItem, nodes.Call)
        return any(
            isinstance(op, ops) and variable == _owner(op) for op in self.users.get(variable, ())
        )

    def assign(self, variable: str, text: str, pure: bool = False) -> None:
        """Assign an expression to a variable; a `pure` one may be inlined into its use."""
        users = self.users.get(variable, ())
        if self.types.get(variable) is types.undefined:  # the result of an op that always raises
            self.text.line(text)
            return
        if pure and not users:
            return
        if pure and len(users) == 1 and self.folding and self._is_near(variable, users[0]):
            self.exprs[variable] = _in_brackets(text)
            return
        if not users:
            self.text.line(text)
            return
        self.text.line(f"{self.name_of(variable)} = {_bare(text)}")
        self.define(variable)

    def _is_near(self, variable: str, user: Op) -> bool:
        return (
            not isinstance(user, nodes.Phi)
            and self.block_of_op.get(id(user)) == self.label
            and not isinstance(self.types.get(variable), Array)
        )

    # --- intervals
    # -----------------------------------------------------------------------------------

    def interval(self, variable: str) -> Interval:
        """Return the interval of an integer here."""
        found = self.intervals.at(variable, self.label)
        if found is None:
            ty = self.types.get(variable)
            return Interval(ty.low, ty.high) if isinstance(ty, Integer) else _WHOLE
        return found

    def _is_size(self, variable: str) -> bool:
        return False

    def _limit(self, op: Op) -> Interval | None:
        return known_limit(op, self.makers, self.types, self.constants)


def _owner(op: Op) -> str:
    """Return the array whose element an op accesses."""
    match op:
        case nodes.GetItem(value=value) | nodes.StaticGetItem(value=value):
            return value
        case nodes.SetItem(target=target) | nodes.StaticSetItem(target=target):
            return target
        case nodes.Call(args=args) if args:
            return args[0]
    return ""


def _in_brackets(text: str) -> str:
    simple = text.replace("_", "a").replace(".", "a").isalnum()
    return text if simple or (text[0] == "(" and _closes_at_end(text)) else f"({text})"


def _bare(text: str) -> str:
    """Remove brackets around the whole of an expression."""
    is_tuple = "," in text
    if text.startswith("(") and not is_tuple and _closes_at_end(text):
        return text[1:-1]
    return text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return k == len(text) - 1
    return False


Write = Callable[[FunctionWriter, Any], None]
WRITTEN: dict[type[Op], Write] = {}


def writes(*classes: type[Op]) -> Callable[[Write], Write]:
    """Register the writer of ops of some classes."""

    def register(function: Write) -> Write:
        for cls in classes:
            WRITTEN[cls] = function
        return function

    return register


@writes(nodes.Arg, nodes.Const, nodes.FreeVar, nodes.Phi, nodes.Del, nodes.Undef)
@writes(nodes.Global, nodes.Incref, nodes.Decref)
def _nothing(w: FunctionWriter, op: Op) -> None:
    if isinstance(op, nodes.Global | nodes.FreeVar) and isinstance(w.types.get(op.result), Array):
        w.define(op.result)


@writes(nodes.Copy, nodes.Cast, nodes.Move, nodes.Deref)
def _copy(w: FunctionWriter, op: nodes.Copy) -> None:
    if op.result in w.constants and op.value in w.constants:
        return
    if w.types.get(op.result) is types.undefined:
        return
    w.assign(op.result, w.use_as(op.value, w.types[op.result]), pure=True)


@writes(nodes.Unary)
def _unary(w: FunctionWriter, op: nodes.Unary) -> None:
    arithmetic.unary(w, op)


@writes(nodes.Binary, nodes.Inplace)
def _binary(w: FunctionWriter, op: nodes.Binary) -> None:
    arithmetic.binary(w, op)


@writes(nodes.BuildTuple)
def _build_tuple(w: FunctionWriter, op: nodes.BuildTuple) -> None:
    ty = w.types[op.result]
    items = ty.items if isinstance(ty, Tuple) else (None,) * len(op.items)
    parts = [
        w.use(name) if item is None else w.use_as(name, item)
        for name, item in zip(op.items, items, strict=True)
    ]
    users = w.users.get(op.result, ())
    if users and all(_takes_apart(w, user, op.result) for user in users):
        return  # an index, whose parts are used
    text = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    w.assign(op.result, text, pure=True)


def _takes_apart(w: FunctionWriter, user: Op, name: str) -> bool:
    """True if an op uses a tuple only as an index of an array."""
    if isinstance(user, nodes.Call):
        places = [k for k, one in enumerate(user.args) if one == name]
        word = w.program.calling.callee_of(w, user)
        return places == [1] and getattr(word, "__qualname__", "").startswith("atomic.")
    if isinstance(user, nodes.GetItem | nodes.SetItem):
        owner = user.value if isinstance(user, nodes.GetItem) else user.target
        plain = isinstance(user, nodes.GetItem) or user.value != name
        return user.index == name and plain and isinstance(w.types.get(owner), Array)
    return False


@writes(nodes.Unpack)
def _unpack(w: FunctionWriter, op: nodes.Unpack) -> None:
    ty = w.types.get(op.value)
    if isinstance(ty, Tuple) and len(ty.items) == op.count:
        w.assign(op.result, w.use(op.value), pure=True)
        return
    site = w.program.site(op, w, "r", op.value)
    w.assign(op.result, f"t.{Thread.unpacked.__name__}({w.use(op.value)}, {op.count}, r{site})")


@writes(nodes.UnpackStar)
def _unpack_star(w: FunctionWriter, op: nodes.UnpackStar) -> None:
    ty, whole = w.types[op.value], w.use(op.value)
    count = len(ty.items) if isinstance(ty, Tuple) else 0
    if count < op.before + op.after:
        raise UnsupportedError("the simulator cannot unpack this", op.loc)
    end = count - op.after
    text = f"(*{whole}[:{op.before}], {whole}[{op.before}:{end}], *{whole}[{end}:])"
    w.assign(op.result, text, pure=True)


@writes(nodes.BuildSlice)
def _build_slice(w: FunctionWriter, op: nodes.BuildSlice) -> None:
    parts = [w.use(op.start), w.use(op.stop)] + ([] if op.step is None else [w.use(op.step)])
    w.assign(op.result, f"slice({', '.join(parts)})", pure=True)


@writes(nodes.GetIter)
def _getiter(w: FunctionWriter, op: nodes.GetIter) -> None:
    value = w.use(op.value)
    if isinstance(w.types.get(op.value), Array):
        value = accesses.elements(w, op, value, op.value)
    users = w.users.get(op.result, ())
    in_for = len(users) == 1 and isinstance(users[0], nodes.IterNext)
    label = w.block_of_op[id(users[0])] if in_for else 0
    if in_for and w.has_loops and label in w.loops and w.loop_head(label) is not None:
        w.assign(op.result, value)
        return
    w.assign(op.result, f"iter({value})")


@writes(nodes.IterNext)
def _iternext(w: FunctionWriter, op: nodes.IterNext) -> None:
    item = w.name_of(op.result)
    valid = w.name_of(op.valid)
    w.text.line(f"{item} = next({w.use(op.iterator)}, MISSING)")
    w.text.line(f"{valid} = {item} is not MISSING")
    if isinstance(w.types[op.result], Array) and w.has_elements(op.result):
        w.text.line(f"if {valid}:")
        with w.text.indented():
            w.define(op.result)


@writes(nodes.Unwrap)
def _unwrap(w: FunctionWriter, op: nodes.Unwrap) -> None:
    name = w.name_of(op.result)
    w.text.line(f"{name} = {w.use(op.value)}")
    w.text.line(f"if {name} is None:")
    with w.text.indented():
        error = w.program.constant(op.exception, op.exception.__name__)
        w.text.line(f"raise {error}({op.message!r})")
    w.define(op.result)


@writes(nodes.GetItem, nodes.StaticGetItem)
def _getitem(w: FunctionWriter, op: nodes.GetItem | nodes.StaticGetItem) -> None:
    accesses.get(w, op)


@writes(nodes.SetItem, nodes.StaticSetItem)
def _setitem(w: FunctionWriter, op: nodes.SetItem | nodes.StaticSetItem) -> None:
    accesses.put(w, op)


@writes(nodes.SetAttr)
def _setattr(w: FunctionWriter, op: nodes.SetAttr) -> None:
    accesses.put_attribute(w, op)


@writes(nodes.Call)
def _call(w: FunctionWriter, op: nodes.Call) -> None:
    w.program.calling.call(w, op)


@writes(nodes.GetAttr)
def _getattr(w: FunctionWriter, op: nodes.GetAttr) -> None:
    attribute(w, op)


@writes(nodes.MakeFunction)
def _make_function(w: FunctionWriter, op: nodes.MakeFunction) -> None:
    ty = w.types[op.result]
    code = w.program.constant(op.code, "code")
    kinds = ty.carried if isinstance(ty, types.Closure) else ()
    carried = zip((*op.captured, *op.defaults), kinds, strict=True)
    texts = [code, *(w.use_as(name, kind) for name, kind in carried)]
    w.assign(op.result, f"({', '.join(texts)},)", pure=True)
