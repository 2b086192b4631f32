"""Run a program under Numba or under the layer, and record its calls of compiled functions.

    python -c "import cutaway.compat.recording as r; r.main()" numba|layer RECORD program.py ...

RECORD receives each pickled `Call` when it is done; `cutaway doctor --compare` runs both.  Only
calls from Python are seen, and those of functions of `jit`, not of ufuncs.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import os
import pickle
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import IO, Any

import numpy as np

from cutaway.compat.installing import install

_MOST_BYTES = 1 << 20  # of an array that is stored whole
_TRAMPOLINE = ("call",)  # the variables of what a tracer sees in a dispatcher's place


@dataclass(frozen=True)
class RecordedCall:
    """A call of a compiled function from Python: its location, arguments and result.

    `after` is the arguments after the call; `raised` names the exception's class.
    """

    name: str
    place: tuple[str, int]
    given: Any
    result: Any
    after: Any
    raised: str = ""


class CallRecorder:
    """Writes the calls of a program to a file."""

    def __init__(self, file: IO[bytes], script: str) -> None:
        self.file = file
        self.script = script
        self.lock = threading.Lock()

    def done(
        self,
        name: str,
        frame: FrameType | None,
        args: tuple[Any, ...],
        given: Any,
        result: Any,
        raised: str = "",
    ) -> None:
        """Record a finished call."""
        after = kept(args)
        call = RecordedCall(name, self._place(frame), given, kept(result), after, raised)
        with self.lock:
            pickle.dump(call, self.file)
            self.file.flush()

    def _place(self, frame: FrameType | None) -> tuple[str, int]:
        """Return the line of the program, or else the line that calls."""
        nearest = frame
        while frame is not None:
            if frame.f_code.co_filename == self.script:
                return self.script, frame.f_lineno
            frame = frame.f_back
        return (nearest.f_code.co_filename, nearest.f_lineno) if nearest else ("?", 0)

    # --- Numba ------------------------------------------------------------------------------------

    def watch_numba(self) -> None:
        """Record calls of dispatchers of Numba, whose class is a Python class."""
        cls = importlib.import_module("numba.core.dispatcher").Dispatcher
        call: Callable[..., Any] = cls.__call__

        def recorded(dispatcher: Any, *args: Any, **named: Any) -> Any:
            if dispatcher.py_func.__module__.partition(".")[0] == "numba":
                return call(dispatcher, *args, **named)  # its typed lists are made of such
            every, frame = (*args, *named.values()), sys._getframe(1)
            given, name = kept(every), dispatcher.py_func.__name__
            try:
                result = call(dispatcher, *args, **named)
            except Exception as error:
                self.done(name, frame, every, given, None, _name_of_error(type(error)))
                raise
            self.done(name, frame, every, given, result)
            return result

        cls.__call__ = recorded

    # --- Cutaway ----------------------------------------------------------------------------------

    def watch_layer(self) -> None:
        """Record calls of Cutaway's dispatchers, which tracers see in frames of their own."""
        threading.settrace(self._begun)
        sys.settrace(self._begun)

    def _begun(self, frame: FrameType, event: str, value: Any) -> Any:
        """Begin to record the call of a frame; ignore other frames."""
        if frame.f_code.co_varnames != _TRAMPOLINE or not _is_trampoline(frame.f_code):
            return None
        args = frame.f_locals["call"].arguments
        given, raised = kept(args), ""

        def ended(frame: FrameType, event: str, value: Any) -> Any:
            nonlocal raised
            if event == "exception":
                raised = _name_of_error(value[0])
            elif event == "return":
                self.done(frame.f_code.co_name, frame.f_back, args, given, value, raised)
            return ended

        return ended


def _is_trampoline(code: CodeType) -> bool:
    return code.co_names == () and code.co_argcount == 1 and code.co_code == _template().co_code


def _template() -> CodeType:
    def function(call: Any) -> Any:
        return ~call

    return function.__code__


def _name_of_error(cls: type[BaseException]) -> str:
    """Return the name of an exception's class; errors of the two compilers are one kind."""
    is_own = cls.__module__.partition(".")[0] in ("numba", "cutaway")
    return "an error of the compiler" if is_own else cls.__name__


def kept(value: Any) -> Any:
    """Return a value in a form that both sides can read: numbers and text as they are, arrays whole
    or by a part, tuples, lists and enums by their items, all else by its class."""
    if isinstance(value, enum.Enum):
        return type(value).__name__, kept(value.value)
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.copy() if value.nbytes <= _MOST_BYTES else _part(value)
    if isinstance(value, tuple):
        return tuple(map(kept, value))
    if isinstance(value, list):
        return list(map(kept, value))
    return "an iterator" if isinstance(value, Iterator) else f"a {type(value).__name__}"


def _part(array: np.ndarray) -> tuple[Any, ...]:
    """Return a digest of a large array, or items of floats, whose last digits may differ."""
    flat = array.reshape(-1)
    if array.dtype.kind in "fc":
        step = -(-array.nbytes // _MOST_BYTES)
        return "items of an array", array.shape, flat[::step].copy()
    return "an array", array.dtype.str, array.shape, hashlib.sha256(flat.tobytes()).hexdigest()


def main() -> None:
    """Record the program that the command line names."""
    under, record, script, *rest = sys.argv[1:]
    if under == "layer":
        install(beside=True)
    with Path(record).open("wb") as file:
        recorder = CallRecorder(file, script)
        recorder.watch_layer() if under == "layer" else recorder.watch_numba()
        sys.argv = [script, *rest]
        sys.path[0] = os.path.dirname(os.path.abspath(script))
        try:
            runpy.run_path(script, run_name="__main__")
        finally:
            sys.settrace(None)
