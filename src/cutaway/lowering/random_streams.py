"""Random numbers in a parallel loop: each iteration draws from streams of its own.

    open(table)             the keys of the sources that all iterations share
    enter(table, memory)    a thread begins a part of the loop
    iteration(i, j, k)      and then each iteration
    leave(memory)           it ends the part

The functions are those of `runtime/random_streams.c`, which defines the streams and the layout of
the table.  It lies in the frame of the loop, the memory in that of the part.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cutaway.ir import nodes
from cutaway.ir.own_streams import MIXING, WORDS, philox
from cutaway.lowering.arrays.loops import has_loop, loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import Value, part_types
from cutaway.runtime import numpy_random
from cutaway.typing import types
from cutaway.typing.types import RandomSource, StateSource, Tuple

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

ROW_WORDS = 4
WORKER_BYTES, STREAM_BYTES = 64, 256  # as in runtime/random_sources.h

_NAME = re.compile(r"numpy\.random\.source\.\w+")
_NAME_IN_OBJECT = re.compile(_NAME.pattern.encode())


def lower(into: FunctionLowering, op: nodes.OwnStreams) -> None:
    """Lower the start of an iteration."""
    build = into.build
    words = [build.cast(into.values[name], types.int64).parts[0] for name in op.indices]
    for more in words[WORDS:]:
        mixed = build.binary("mul", "i64", words[WORDS - 1], str(MIXING - 2**64))
        words[WORDS - 1] = build.binary("add", "i64", mixed, more)
    words = [*words[:WORDS], *["0"] * (WORDS - len(words))]
    _call(build, "iteration", [("i64", word) for word in words])


def _call(build: FunctionBuilder, name: str, args: Sequence[tuple[str, str]]) -> None:
    function, _ = loop_parts(build, f"numpy.random.streams.{name}")
    build.emit(f"call void {function}({', '.join(f'{kind} {text}' for kind, text in args)})")


class LoopStreams:
    """The streams of a loop, whose kernel is lowered: `captured` are the values from around it."""

    def __init__(self, build: FunctionBuilder, kernel: Callee, captured: Sequence[Value]) -> None:
        self.build = build
        self.captured = dict.fromkeys(one for value in captured for one in _sources(value))
        self.constants = sorted(_constants(kernel))
        self.count = len(self.captured) + len(self.constants)

    @property
    def are_needed(self) -> bool:
        """True if the iterations may draw from sources that they share."""
        return bool(self.count) and has_loop("numpy.random.streams.open")

    def open(self) -> str:
        """Draw the keys where the loop is entered; returns the table."""
        build, owners = self.build, list(self.captured)
        owners += [(loop_parts(build, name)[1], _is_state(name)) for name in self.constants]
        table = build.alloca("i64", 1 + ROW_WORDS * len(owners))
        build.store("i64", str(len(owners)), table, 8)
        for k, (owner, is_state) in enumerate(owners):
            row = 8 + 8 * ROW_WORDS * k
            build.store("ptr", owner, build.offset(table, str(row)), 8)
            build.store("i64", str(int(is_state)), build.offset(table, str(row + 8)), 8)
        _call(build, "open", [("ptr", table)])
        return table

    def enter(self, build: FunctionBuilder, table: str) -> str:
        """Begin a part; returns the memory for its streams."""
        memory = build.alloca("i64", (WORKER_BYTES + STREAM_BYTES * self.count) // 8)
        _call(build, "enter", [("ptr", table), ("ptr", memory)])
        return memory


def leave(build: FunctionBuilder, memory: str) -> None:
    """End a part."""
    _call(build, "leave", [("ptr", memory)])


def _sources(value: Value) -> Iterator[tuple[str, bool]]:
    """Yield the sources that a value is or contains, and whether they are RandomStates."""
    if isinstance(value.ty, RandomSource):
        yield value.parts[0], isinstance(value.ty, StateSource)
    elif isinstance(value.ty, Tuple):
        at = 0
        for ty in value.ty.items:
            count = len(part_types(ty))
            yield from _sources(Value(ty, value.parts[at : at + count]))
            at += count


def _constants(kernel: Callee) -> set[str]:
    """Return the names of sources that are constants of a kernel, and of its callees."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [kernel]
    while waiting:
        callee = waiting.pop()
        if callee.symbol in seen:
            continue
        seen.add(callee.symbol)
        waiting += callee.callees
        if callee.code is not None:
            codes = (callee.code, *callee.code.parts)
            found.update(name for code in codes for name in code.globals if _NAME.fullmatch(name))
        elif callee.linked is not None:
            for part in callee.linked.parts.values():
                found.update(name.decode() for name in _NAME_IN_OBJECT.findall(part.object_code))
    return found


def _is_state(name: str) -> bool:
    """True if the source with this name is a RandomState."""
    return bool(numpy_random.is_kept_state(name))


# --- Python functions that compiled code calls --------------------------------------------------


def own_source(rng: Any) -> Any:
    """Return the generator that NumPy draws from for a source: in an iteration of a parallel loop a
    new one, which continues the iteration's own stream."""
    key = numpy_random.stream_key(rng)
    return rng if key is None else type(rng)(philox(key))


def seed_own(rng: Any, seed: Any) -> bool:
    """Seed the stream that replaces a source in this iteration; False if there is none."""
    if numpy_random.stream_key(rng) is None:
        return False
    words = sys.modules["numpy.random"].Philox(seed).state["state"]["key"]
    return bool(numpy_random.seed_stream(rng, *map(int, words)))
