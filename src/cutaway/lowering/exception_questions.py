"""Questions about a handled exception that compiled code asks Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types


def asked(
    build: FunctionBuilder, question: Callable[[BaseException], bool], exception: Value
) -> Value:
    """Call Python's answer to a question about an exception."""
    slot = build.alloca("i64")
    address = Value(types.int64, (build.convert("ptrtoint", "ptr", slot, "i64"),))
    build.call_python(partial(_answer, question), [address, exception])
    return Value(types.boolean, (build.convert("trunc", "i64", build.load("i64", slot, 8), "i1"),))


def _answer(
    question: Callable[[BaseException], bool], place: int, exception: BaseException
) -> None:
    ctypes.c_int64.from_address(place).value = question(exception)
