"""The subject of a command: a function in a file with its arguments, or a record."""

from __future__ import annotations

import argparse
import importlib
import runpy
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

from cutaway.api import compiled
from cutaway.errors import CutawayError, RecordError, SignatureError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.record.recorded import Record, load
from cutaway.inspection.showing.displayed import Displayed
from cutaway.inspection.trace import Compilation
from cutaway.typing.overloads.notation import parse_signature
from cutaway.typing.types import Type

SUFFIX = ".cutaway"


@dataclass(frozen=True, slots=True)
class Subject:
    """A file, and the name of a function in it; none where it is a record."""

    file: Path
    function: str


def add_function(command: argparse.ArgumentParser) -> None:
    """Have a command take FILE:FUNC and what it is called with."""
    command.add_argument("function", metavar="FILE:FUNC", type=file_and_function)
    add_arguments(command)


def add_subject(command: argparse.ArgumentParser) -> None:
    """Have a command take the same, or the file of a record."""
    command.add_argument("function", metavar=f"FILE:FUNC|F{SUFFIX}", type=subject)
    add_arguments(command)


def add_arguments(command: argparse.ArgumentParser, more: str = "") -> None:
    """Have a command take values or types of arguments, for the first or the second function."""
    of = "of the second function" if more else "of the function"
    group = command.add_mutually_exclusive_group()
    values = f'values of the arguments {of}: "1.0, 2"; --args{more}="-x" where a minus begins'
    group.add_argument(f"--args{more}", default="", help=values)
    group.add_argument(f"--types{more}", help=f'types of the arguments {of}: "float64, int64[:]"')


def file_and_function(text: str) -> Subject:
    """FILE:FUNC."""
    file, colon, function = text.rpartition(":")
    if not colon or not function:
        example = f"{text if Path(text).is_file() else 'program.py'}:name"
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE:FUNC, as in {example}")
    if not Path(file).is_file():
        meant = f"; is {file}.py meant?" if Path(f"{file}.py").is_file() else ""
        raise argparse.ArgumentTypeError(f"there is no file {file}{meant}")
    return Subject(Path(file), function)


def subject(text: str) -> Subject:
    """FILE:FUNC, or the file of a record."""
    if text.endswith(SUFFIX):
        return Subject(Path(text), "")
    return file_and_function(text)


def traced(options: argparse.Namespace) -> Compilation:
    """The recorded compilation of the function for the arguments that were given."""
    return compilation_of(options.function, options.args, options.types)


def compilation_of(chosen: Subject, args: str, given_types: str | None) -> Compilation:
    """The recorded compilation of a function for arguments as they are written."""
    function = _load(chosen.file, chosen.function)
    dispatcher = compiled(function) if isinstance(function, FunctionType) else function
    values = types_of(given_types) if given_types else values_of(args)
    try:
        compilation: Compilation = dispatcher.trace(*values, level="rewrite")
    except TypeError as error:  # the arguments do not fit the parameters
        hint = 'pass its arguments with --args "1.0, 2" or --types "float64, int64"'
        raise CutawayError(str(error), hint="" if args or given_types else hint) from None
    return compilation


def record_of(chosen: Subject, args: str, given_types: str | None) -> Record:
    """The record of a subject: loaded, or of a compilation for these arguments."""
    if chosen.function:
        return compilation_of(chosen, args, given_types).record
    if args or given_types:
        raise RecordError(
            f"{chosen.file} is the record of a compilation, which includes its arguments",
            hint="remove --args and --types",
        )
    return load(chosen.file)


def recorded(options: argparse.Namespace) -> Record:
    """The record that a command is about."""
    return record_of(options.function, options.args, options.types)


def types_of(text: str) -> tuple[Type, ...]:
    """Types as they are written in a signature."""
    try:
        return parse_signature(f"({text},)").args
    except SignatureError as error:
        hint = error.hint or f"types are names such as float64[:]; for values use --args {text!r}"
        raise SignatureError(f"--types {text!r}: {error.message}", hint=hint) from None


def show(shown: Displayed) -> None:
    """Draw on a terminal; into a pipe or a file go the plain text and nothing else."""
    if sys.stdout.isatty():
        importlib.import_module("rich").print(shown)
    else:
        print(shown)


def _load(file: Path, name: str) -> Any:  # Any: a function or a dispatcher
    sys.path.insert(0, str(file.parent))
    program = runpy.run_path(str(file), run_name=file.stem)
    result: Any = program
    for part in name.split("."):
        result = result.get(part) if isinstance(result, dict) else getattr(result, part, None)
    if result is None:
        functions = [n for n, value in program.items() if _is_function(value)]
        hint = did_you_mean(name, functions, f"functions: {', '.join(functions)}")
        raise CutawayError(f"{file} defines no {name}", hint=hint if functions else "")
    if not _is_function(result):
        raise CutawayError(f"{name} in {file} is not a function")
    return result


def _is_function(value: object) -> bool:
    return isinstance(value, FunctionType) or hasattr(value, "py_func")


def values_of(text: str) -> tuple[Any, ...]:  # Any: arguments of the user's function
    if not text.strip():
        return ()
    numpy = importlib.import_module("numpy")
    try:
        values: tuple[Any, ...] = eval(f"({text},)", {"np": numpy, "numpy": numpy})  # noqa: S307
    except Exception as error:
        hint = f"values are expected; for types use --types {text!r}" if _are_types(text) else ""
        words = f"--args {text!r}: {type(error).__name__}: {error}"
        raise CutawayError(words, hint=hint) from None
    return values


def _are_types(text: str) -> bool:
    try:
        types_of(text)
    except SignatureError:
        return False
    return True
