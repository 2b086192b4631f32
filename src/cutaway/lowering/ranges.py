"""The length of a range."""

from __future__ import annotations

from cutaway.lowering.build.function_builder import FunctionBuilder


def count_of(build: FunctionBuilder, start: str, stop: str, step: str) -> str:
    """Count the numbers from a start up to a stop by a step, each an i64."""
    up = build.compare("sgt", "i64", step, "0")
    low, high = build.select(up, "i64", start, stop), build.select(up, "i64", stop, start)
    stride = build.select(up, "i64", step, build.binary("sub", "i64", "0", step))
    empty = build.compare("sge", "i64", low, high)
    span = build.binary("sub", "i64", build.binary("sub", "i64", high, low), "1")
    count = build.binary("add", "i64", build.binary("udiv", "i64", span, stride), "1")
    return build.select(empty, "i64", "0", count)
