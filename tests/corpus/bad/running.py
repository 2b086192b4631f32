"""Runs a bad program as a user would, compiled and in Python, and tells what came of it."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import cutaway
from corpus.bad import corpus
from corpus.bad.corpus import PROGRAMS, Program
from cutaway.errors import CutawayError

CORPUS = Path(corpus.__file__)
# What Cutaway may say differently from one Python to the next.
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_CARETS = re.compile(r"^ +\^+$", re.MULTILINE)
_NOTE_LINE = re.compile(r"(from |in |\(|^  )line (\d+)(?! of )", re.MULTILINE)
_FILE_LINE = re.compile(r'File "([^"]*)", line (\d+)')


def compiled(program: Program) -> tuple[BaseException | None, str]:
    """Compile and call: the exception, and the text of the outcome."""
    if program.as_it_is:
        return _outcome(program, program.function)

    def run() -> Any:  # Any: the results of the programs
        if program.signature is None and not program.options:
            function = cutaway.jit(program.function)
        else:
            function = cutaway.jit(program.signature, **program.options)(program.function)
        with _names(**{program.name: function}):
            return function(*_fresh(program.args), **program.keywords)

    return _outcome(program, run)


def in_python(program: Program) -> str:
    """Run without the compiler: the text of the outcome."""

    def run() -> Any:  # Any: the results of the programs
        plain = {
            name: value.py_func
            for name, value in vars(corpus).items()
            if isinstance(value, type(corpus.add))
        }
        with _names(**plain), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return program.function(*_fresh(program.args), **program.keywords)

    return _outcome(program, run)[1]


def source_of(program: Program) -> str:
    """The program's text, for the golden file."""
    return program.source or inspect.getsource(program.function)


def _fresh(args: tuple[Any, ...]) -> tuple[Any, ...]:  # Any: arguments of the programs
    """The arguments, with copies of the arrays that a program could write."""
    return tuple(
        arg.copy()
        if type(arg) is np.ndarray and arg.flags.c_contiguous and arg.flags.writeable
        else arg
        for arg in args
    )


@contextlib.contextmanager
def _names(**names: Any) -> Any:  # Any: functions, compiled or not
    space = vars(corpus)
    before = {name: space[name] for name in names if name in space}
    space.update(names)
    try:
        yield
    finally:
        for name in names:
            del space[name]
        space.update(before)


def _outcome(program: Program, run: Callable[[], Any]) -> tuple[BaseException | None, str]:
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
            result = run()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and program.name != "raises_keyboard_interrupt":
            raise
        text = _stable(_raised(error))
        return error, text if program.carets else _CARETS.sub("    ^ (here or there)", text)
    text = f"returns {_shown(result)}"
    return None, _stable(text + (f"\nprints {printed.getvalue()!r}" if printed.getvalue() else ""))


def _raised(error: BaseException) -> str:
    if isinstance(error, CutawayError):
        text = f"{type(error).__name__}: {error}"
    elif isinstance(error, RecursionError):
        text = "RecursionError"  # where it stops, and in what, is chance
    else:
        kind = type(error).__qualname__
        text = f"{kind}{error.args!r}" if len(error.args) != 1 else f"{kind}({error.args[0]!r})"
        text += "".join(f"\n  {where}" for where in _last_frame(error))
    if error.__cause__ is not None:
        text += f"\n  cause: {_first_line(error.__cause__)}"
    elif error.__context__ is not None and not error.__suppress_context__:
        text += f"\n  while handling: {_first_line(error.__context__)}"
    return text


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _last_frame(error: BaseException) -> list[str]:
    """The line of the program, or of the library, that the exception came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if f.filename == str(CORPUS) or f.filename in _MADE]
    if ours:
        return [f'File "{ours[-1].filename}", line {ours[-1].lineno}, in {ours[-1].name}']
    inside = [f for f in frames if "/cutaway/" in f.filename]
    return [f"in cutaway, in {inside[-1].name}"] if inside else []


_MADE = {f"{program.name}.py" for program in PROGRAMS if program.source}


def _shown(value: Any) -> str:  # Any: the results of the programs
    if isinstance(value, np.ndarray):
        return f"array {value.tolist()!r} of {value.dtype}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and abs(value) > 2**200:
        return f"an integer of {value.bit_length()} bits"
    if value is None or isinstance(value, bool | int | float | complex | str | tuple | list):
        return repr(value)
    return f"a {type(value).__name__}"


def _stable(text: str) -> str:
    text = _ADDRESS.sub("ADDRESS", text)
    text = text.replace("float modulo by zero", "float modulo")  # as Python 3.13 says it
    text = _FILE_LINE.sub(lambda m: _place(m[1], int(m[2])), text)
    if CORPUS.name in text:
        text = _NOTE_LINE.sub(lambda m: f"{m[1]}line {_within(int(m[2]))}", text)
    return "\n".join(line if len(line) < 300 else line[:200] + " ..." for line in text.split("\n"))


def _place(filename: str, line: int) -> str:
    """The base name, and the line counted in the top function that it lies in."""
    if filename != str(CORPUS):
        return f'File "{Path(filename).name}", line {line}'
    return f'File "{CORPUS.name}", line {_within(line)}'


def _within(line: int) -> str:
    for name, first, last in _TOP:
        if first <= line <= last:
            return f"{line - first + 1} of {name}"
    return str(line)


_TOP = [
    (node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno or 0)
    for node in ast.parse(CORPUS.read_text()).body
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
]
