"""The functions of `cutaway.threads` in compiled code: the number of threads, and chunk sizes."""

from __future__ import annotations

from cutaway import threads
from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Rule, Signature
from cutaway.typing.types import Type

LAYER = threads.LAYER

_READ = (
    (threads.get_num_threads, "cutaway_thread_count"),
    (threads.get_thread_id, "cutaway_thread_id"),
    (threads.get_parallel_chunksize, "cutaway_chunk_size"),
)


def _register(function: object, name: str) -> None:
    @primitive(function, "int64()")
    def read(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return Value(types.int64, (build.call("i64", name, []),))


for _function, _name in _READ:
    _register(_function, _name)


def _one_integer(result: Type) -> Rule:
    def rule(arguments: Arguments) -> Signature | None:
        fits = all(map(types.is_integral, arguments.types))
        return Signature(result, (types.int64,)) if fits else None

    return rule


@primitive(threads.set_num_threads, _one_integer(types.none), ("n",), (REQUIRED,))
def set_num_threads(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`set_num_threads(n)`."""
    count = args[0].parts[0]
    most = build.call("i64", "cutaway_most_threads", [])
    for bad in (build.compare("slt", "i64", count, "1"), build.compare("sgt", "i64", count, most)):
        build.raise_if(bad, ValueError, threads.OUT_OF_RANGE, payload=(most, count))
    build.call("void", "cutaway_set_thread_count", [("i64", count)])
    return Value(types.none, ())


@primitive(threads.set_parallel_chunksize, _one_integer(types.int64), ("n",), (REQUIRED,))
def set_parallel_chunksize(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`set_parallel_chunksize(n)`."""
    size = args[0].parts[0]
    negative = build.compare("slt", "i64", size, "0")
    build.raise_if(negative, ValueError, threads.NEGATIVE_CHUNK, payload=(size,))
    before = build.call("i64", "cutaway_chunk_size", [])
    build.call("void", "cutaway_set_chunk_size", [("i64", size)])
    return Value(types.int64, (before,))


@overload(threads.threading_layer)
def _threading_layer():
    return lambda: LAYER
