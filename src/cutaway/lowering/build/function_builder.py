"""The builder that the library's lowering functions work with.

It extends the text builder with the needs of compiled Python: raising with cleanup, casts and
constants by type, blocks that are rarely entered, counted loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.options import Flags
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir import decisions
from cutaway.ir.nodes import Op
from cutaway.lowering.build import casts, constants, raising
from cutaway.lowering.build.builder import FIRST_COLD, SECOND_COLD, Builder, local, symbol
from cutaway.lowering.build.raising import (
    CallSite,
    RaiseSite,
    RaiseTable,
    table_name,
)
from cutaway.lowering.layout import META_BYTES, Value, float_type, slot_types
from cutaway.lowering.slots import store_slots
from cutaway.typing.analysis import guesses, magnitudes
from cutaway.typing.types import Float, Type


@dataclass(slots=True)
class Landing:
    """The target of exceptions in a block: an LLVM block in front of the handler, and the stack
    slot of the status.  `depth` is the number of calls that the handler was inlined through."""

    label: str
    status: str
    is_reached: bool = False
    depth: int = 0


class FunctionBuilder(Builder):
    """Builds one compiled function.

    `op` is the op being lowered.  `owned` maps each variable part that owns memory to the stack
    slot that holds it while it is owned, for exits through an exception. `links` are the
    references that it may make (`calls.Links`), `in_loop` says whether the block is part of a
    loop, `on_stack` whether the op may allocate its array on the stack, `outlives` whether the
    op's iterator may not be, `lends` whether its result borrows from its operand, and
    `has_nests` whether there are loops over arrays which no block of the IR shows. `cells` are
    the memory of that iterator, each with the slot that `keep` returned. `notes` are lowering's
    decisions, each once, for remarks. `operands_of` returns facts about the two sides of an
    integer division, `magnitude_of` about one side of a float operator. `parameters` are the
    parts of its own arguments, `entries` the numbers of entries of tables that were looked up, by
    table and key, `rows` the arrays whose elements are addressed by sizes rather
    than strides, `distances` the distances between elements that its entry block computes.
    """

    links: Any

    def __init__(self, name: str, function: str, flags: Flags, table: RaiseTable) -> None:
        super().__init__(name)
        self.function = function
        self.flags = flags
        self.table = table
        self.op: Op | None = None
        self.loc: Loc = UNKNOWN
        self.needs_cleanup = False
        self.in_loop = False
        self.on_stack = False
        self.outlives = False
        self.lends = False
        self.entries: dict[tuple[str, ...], str] = {}
        self.cells: dict[str, str] = {}
        self.has_nests = False
        self.notes: dict[decisions.Decision, None] = {}
        self.operands_of: Callable[[Op | None], guesses.Operands | None] = lambda op: None
        self.magnitude_of: Callable[[int], magnitudes.Magnitude] = lambda side: magnitudes.ANY
        self.parameters: set[str] = set()
        self.rows: set[str] = set()
        self.distances: dict[tuple[str, str, str], str] = {}
        self.exits: list[tuple[str, str]] = []
        self.landing: Landing | None = None
        self.kept: list[str] = []
        self.on_return: Callable[[str], None] | None = None
        place = table_name(name)  # its address is bound when the code is loaded
        self.code.globals[place] = f"{symbol(place)} = external constant i8"

    # --- values ---------------------------------------------------------------------------------

    def call(self, returns: str, name: str, args: Sequence[tuple[str, str]]) -> str:
        """Call a runtime function, or the target's implementation of it in Python."""
        implemented: str | None = self.links.implemented(self, name, args)
        return super().call(returns, name, args) if implemented is None else implemented

    def cast(self, value: Value, wanted: Type) -> Value:
        """Convert a value to a type."""
        return casts.cast(self, value, wanted)

    def converted(self, value: Value, wanted: Type) -> tuple[Value, dict[str, str]]:
        """Convert a value; also return the owners of new memory, which the caller is to `release`
        after its use."""
        before = set(self.cells)
        result = self.cast(value, wanted)
        fresh = [owner for owner in self.cells if owner not in before]
        return result, {owner: self.cells.pop(owner) for owner in fresh}

    def release(self, fresh: dict[str, str]) -> None:
        """Release memory that a conversion has made."""
        for owner, slot in fresh.items():
            self.let_go(slot)
            self.call("void", "cutaway_decref", [("ptr", owner)])

    def constant(self, ty: Type, value: Any) -> Value:
        """Emit a Python constant as a value of a type."""
        return constants.constant(self, ty, value)

    def math(self, name: str, ty: Float, *args: str) -> str:
        """Call an LLVM float intrinsic by its stem: `sqrt`, `floor`, ..."""
        kind = float_type(ty)
        function = f"llvm.{name}.f{ty.bits}"
        if self.links.target.hosted or not self.flags.fastmath or ty.bits == 16:
            return self.call(kind, function, [(kind, arg) for arg in args])
        # A GPU has a fast approximate root for callers who do not need all digits.
        self.declare(kind, function, [kind] * len(args))
        operands = ", ".join(f"{kind} {arg}" for arg in args)
        flags = " ".join(sorted(self.flags.fastmath))
        return self.result(f"call {flags} {kind} {symbol(function)}({operands})")

    def float_rest(self, kind: str, a: str, b: str) -> str:
        """Emit the exact remainder of a truncated division: `fmod`.

        LLVM's instruction calls that on a CPU; on a GPU it loses digits where the quotient is
        large, so that the target's function replaces it.
        """
        name = "fmod" if kind == "double" else "fmodf"
        if self.links.target.definitions(name) is None:
            return self.binary("frem", kind, a, b)
        if kind != "half":
            return self.call(kind, name, [(kind, a), (kind, b)])
        wide = [("float", self.convert("fpext", kind, part, "float")) for part in (a, b)]
        return self.convert("fptrunc", "float", self.call("float", name, wide), kind)

    def note(self, subject: str, rule: str, reason: str, cure: str = "") -> None:
        """Add a note about how something is computed, for the remarks at the current location."""
        self.notes[
            decisions.Decision(subject, decisions.DONE, rule, reason, self.loc, cure=cure)
        ] = None

    # --- raising --------------------------------------------------------------------------------

    def raise_if(
        self, cond: str, exception: type[BaseException], *args: Any, payload: Sequence[str] = ()
    ) -> None:
        """Raise if an i1 is true; with a payload, the one argument is a format string for it."""
        bad, good, computed = self.new_label("raise"), self.new_label("ok"), self.computed
        self.branch(cond, bad, good, FIRST_COLD)
        self.start(bad)
        self.raise_now(exception, *args, payload=payload)
        self.start(good, computed)

    def raise_now(
        self, exception: type[BaseException], *args: Any, payload: Sequence[str] = ()
    ) -> None:
        """Raise; ends the block."""
        site = RaiseSite(exception, args, self.loc, self.function, bool(payload))
        self.links.target.exceptions.raise_site(self, site, payload)

    def raise_values(
        self,
        exception: type[BaseException],
        args: Sequence[Value],
        keywords: tuple[str, ...] = (),
    ) -> None:
        """Raise an exception with computed arguments, the last by these names; ends the block.

        Raises UnsupportedError where there are too many of them.
        """
        self.links.target.exceptions.raise_values(self, exception, args, keywords)

    def call_python(self, function: Callable[..., object], args: Sequence[Value]) -> None:
        """Call a Python function with these values at run time; its exceptions are raised here."""
        kinds = tuple(value.ty for value in args)
        count = sum(len(slot_types(ty)) for ty in kinds)
        values = self.alloca("i64", max(count, 1))
        offset = 0
        for value in args:
            store_slots(self, value, self.offset(values, str(offset)))
            offset += 8 * len(slot_types(value.ty))
        site = self.table.add_call(CallSite(function, kinds, self.loc, self.function))
        operands = [("ptr", symbol(table_name(self.code.name))), ("i64", str(site))]
        operands += [("ptr", values), ("i64", str(count))]
        status = self.call("i32", "cutaway_call_python", operands)
        bad, good = self.new_label("failed"), self.new_label("ok")
        self.branch(self.compare("ne", "i32", status, raising.OK), bad, good, FIRST_COLD)
        self.start(bad)
        self.leave(status)  # the traceback contains this location already
        self.start(good)

    def propagate_if(self, failed: str, status: str) -> None:
        """Leave with a callee's status if an i1 is true, adding this location to the traceback."""
        bad, good = self.new_label("failed"), self.new_label("ok")
        self.branch(failed, bad, good, FIRST_COLD)
        self.start(bad)
        self.links.target.exceptions.propagate(self, status)
        self.start(good)

    def leave(self, status: str) -> None:
        """Free owned memory and return a failure status, or go to the handler; ends the block."""
        if self.landing is not None:
            self.landing.is_reached = True
            self.store("i32", status, self.landing.status, 4)
            self.jump(self.landing.label)
        elif self.needs_cleanup:
            self.exits.append((status, self.block))
            self.jump("cleanup")
        else:
            self.ret(status)

    def finish_cleanup(self, release: Callable[[], None]) -> None:
        """Emit the block that every failing path runs through; `release` frees the owned memory."""
        if not self.exits:
            return
        self.start("cleanup")
        # One block for all: an exit with cleanup code of its own for each would be most of a
        # function.
        pairs = ", ".join(f"[ {status}, %{label} ]" for status, label in self.exits)
        self.emit(f"{local('$status')} = phi i32 {pairs}")
        release()
        for slot in self.kept:
            self.call("void", "cutaway_decref", [("ptr", self.load("ptr", slot, 8))])
        (self.on_return or self.ret)(local("$status"))

    def keep(self, owner: str) -> str:
        """Free memory if the function raises before it is `let_go`; returns its stack slot."""
        slot = self.alloca("ptr")
        self.at_entry(f"store ptr null, ptr {slot}, align 8")
        self.store("ptr", owner, slot, 8)
        self.needs_cleanup = True
        self.kept.append(slot)
        return slot

    def let_go(self, slot: str) -> None:
        """End the effect of `keep`: another owner frees the memory."""
        self.store("ptr", "null", slot, 8)

    def new_cell(self, words: int) -> tuple[str, str]:
        """Allocate the state of an iterator, in words; returns its owner, and its address."""
        if not self.outlives:
            return "null", self.alloca("i64", words)
        owner = self.call("ptr", "cutaway_alloc", [("i64", str(8 * words))])
        self.raise_if(self.compare("eq", "ptr", owner, "null"), MemoryError)
        self.cells[owner] = self.keep(owner)
        return owner, self.offset(owner, str(META_BYTES))

    def settle_cells(self, is_shared: bool) -> None:
        """Transfer the state of a new iterator to its owner: an `incref` follows if the op's result
        is shared."""
        for owner, slot in self.cells.items():
            self.let_go(slot)
            if is_shared:
                self.store("i64", "0", owner, 8)
        self.cells.clear()

    # --- control flow ---------------------------------------------------------------------------

    def either(self, cond: str, ty: str, then: Callable[[], str], orelse: str) -> str:
        """Emit a value computed by `then` only where the condition holds, else `orelse`."""
        inside, after = self.new_label("then"), self.new_label("after")
        before = self.block
        self.branch(cond, inside, after)
        self.start(inside)
        value = then()
        last = self.block
        self.jump(after)
        self.start(after)
        return self.phi(ty, [(value, last), (orelse, before)])

    def one_of(self, ty: str, usual: str, near: Callable[[], str], far: Callable[[], str]) -> str:
        """Emit a value computed by `near` if a condition holds, the usual case, else by `far`."""
        (value,) = self.some_of((ty,), usual, lambda: (near(),), lambda: (far(),))
        return value

    def some_of(
        self,
        kinds: Sequence[str],
        usual: str,
        near: Callable[[], Sequence[str]],
        far: Callable[[], Sequence[str]],
    ) -> tuple[str, ...]:
        """As `one_of`, for several values."""
        labels = [self.new_label(stem) for stem in ("usual", "unusual", "joined")]
        self.branch(usual, labels[0], labels[1], SECOND_COLD)
        outcomes = []
        for label, compute in zip(labels, (near, far), strict=False):
            self.start(label)
            outcomes.append((compute(), self.block))
            self.jump(labels[2])
        self.start(labels[2])
        rows = zip(*(values for values, _ in outcomes), strict=True)
        ends = [block for _, block in outcomes]
        return tuple(
            self.phi(ty, list(zip(row, ends, strict=True)))
            for ty, row in zip(kinds, rows, strict=True)
        )

    def loop(self, count: str, body: Callable[[str], None], plain: bool = False) -> None:
        """Run `body(k)` for k in [0, count), an i64; LLVM does not transform a `plain` loop."""
        before, head = self.block, self.new_label("loop")
        inside, after = self.new_label("body"), self.new_label("done")
        self.jump(head)
        self.start(head)
        slot = self.reserve()
        k = self.fresh()
        self.branch(self.compare("slt", "i64", k, count), inside, after)
        self.start(inside)
        body(k)
        # The counter stays below an i64, so it cannot wrap; LLVM derives the trip count from that,
        # and its vectorizer needs it.
        following = self.binary("add nuw nsw", "i64", k, "1")
        last = self.block
        self.jump(head)
        self.code.lines[-1].loop = ("plain",) if plain else ()
        slot.text = f"{k} = phi i64 [ 0, %{before} ], [ {following}, %{last} ]"
        self.start(after)

    def loop_nest(self, counts: Sequence[str], body: Callable[[tuple[str, ...]], None]) -> None:
        """Run `body(i, j, ...)` over a rectangle, the last index fastest.

        An empty one ends at once, however long its other sides are.
        """
        for inner in counts[1:]:
            none = self.compare("eq", "i64", inner, "0")
            counts = (self.select(none, "i64", "0", counts[0]), *counts[1:])

        def level(outer: tuple[str, ...]) -> None:
            if len(outer) == len(counts):
                body(outer)
            else:
                self.loop(counts[len(outer)], lambda k: level((*outer, k)))

        level(())
