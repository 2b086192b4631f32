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
from cutaway.cuda.kernels import for_capability
from cutaway.cuda.options import Version
from cutaway.errors import CutawayError, RecordError, SignatureError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.record.recorded import Record, load
from cutaway.inspection.showing.displayed import Displayed
from cutaway.inspection.trace import Compilation
from cutaway.typing.overloads.notation import parse_signature
from cutaway.typing.types import Type

SUFFIX = ".cutaway"
SUBJECT = f"a function in a file (program.py:total), or a saved record (total{SUFFIX})"


@dataclass(frozen=True, slots=True)
class Subject:
    """A file, and the name of a function in it; an empty name for a record."""

    file: Path
    function: str


def add_command(commands: Any, name: str, help: str) -> argparse.ArgumentParser:
    """Add a command; its own help begins with the same sentence."""
    description = f"{help[0].upper()}{help[1:]}."
    command: argparse.ArgumentParser = commands.add_parser(name, help=help, description=description)
    return command


def add_function(command: argparse.ArgumentParser) -> None:
    """Add the parameter FILE:FUNC and the arguments of the function."""
    what = "a function in a file: program.py:total"
    command.add_argument("function", metavar="FILE:FUNC", type=file_and_function, help=what)
    add_arguments(command)


def add_subject(command: argparse.ArgumentParser) -> None:
    """Add the same parameters; the first one may also be the file of a record."""
    metavar = f"FILE:FUNC|F{SUFFIX}"
    command.add_argument("function", metavar=metavar, type=subject, help=SUBJECT)
    add_arguments(command)


def add_arguments(command: argparse.ArgumentParser, more: str = "") -> None:
    """Add options for the values or types of arguments, of the first or the second function."""
    of = "the second function's arguments" if more else "its arguments"
    group = command.add_mutually_exclusive_group()
    values = f'values of {of}: "1.0, 2" (write --args{more}="-1" if they start with a minus)'
    group.add_argument(f"--args{more}", default="", metavar="VALUES", help=values)
    types = f'types of {of}: "float64, int64[:]"'
    group.add_argument(f"--types{more}", metavar="TYPES", help=types)
    function = "the second function" if more else "it"
    capability = f"compile {function} as a kernel for a GPU of this compute capability: 9.0"
    command.add_argument(f"--cc{more}", type=_capability, metavar="X.Y", help=capability)


def _capability(text: str) -> Version:
    """Parse a compute capability: 9.0."""
    major, point, minor = text.partition(".")
    if not (point and major.isdecimal() and minor.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no compute capability, as 9.0 is one")
    return int(major), int(minor)


def file_and_function(text: str) -> Subject:
    """Parse FILE:FUNC."""
    file, colon, function = text.rpartition(":")
    if not colon or not function:
        example = f"{text if Path(text).is_file() else 'program.py'}:name"
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE:FUNC, as in {example}")
    if not Path(file).is_file():
        meant = f"; is {file}.py meant?" if Path(f"{file}.py").is_file() else ""
        raise argparse.ArgumentTypeError(f"there is no file {file}{meant}")
    return Subject(Path(file), function)


def subject(text: str) -> Subject:
    """Parse FILE:FUNC, or the name of a record's file."""
    if text.endswith(SUFFIX):
        return Subject(Path(text), "")
    return file_and_function(text)


def traced(options: argparse.Namespace) -> Compilation:
    """Compile the function for its arguments, recorded."""
    return compilation_of(options.function, options.args, options.types, options.cc)


def compilation_of(
    chosen: Subject, args: str, given_types: str | None, cc: Version | None = None
) -> Compilation:
    """Compile a function, recorded, for arguments written as text; for a GPU if `cc` is passed."""
    function = _load(chosen.file, chosen.function)
    if cc is not None:
        dispatcher = for_capability(function, cc)
    else:
        dispatcher = compiled(function) if isinstance(function, FunctionType) else function  # type: ignore[assignment]
    values = types_of(given_types) if given_types else values_of(args)
    try:
        compilation: Compilation = dispatcher.trace(*values, level="rewrite")
    except TypeError as error:  # the arguments do not match the parameters
        hint = 'pass its arguments with --args "1.0, 2" or --types "float64, int64"'
        raise CutawayError(str(error), hint="" if args or given_types else hint) from None
    return compilation


def record_of(
    chosen: Subject, args: str, given_types: str | None, cc: Version | None = None
) -> Record:
    """Return the record of a subject: loaded, or of a compilation for these arguments."""
    if chosen.function:
        return compilation_of(chosen, args, given_types, cc).record
    if args or given_types or cc:
        raise RecordError(
            f"{chosen.file} is the record of a compilation, which includes its arguments",
            hint="remove --args, --types and --cc",
        )
    return load(chosen.file)


def recorded(options: argparse.Namespace) -> Record:
    """Return the record that a command shows."""
    return record_of(options.function, options.args, options.types, options.cc)


def types_of(text: str) -> tuple[Type, ...]:
    """Parse types written as in a signature."""
    try:
        return parse_signature(f"({text},)").args
    except SignatureError as error:
        hint = error.hint or f"types are names such as float64[:]; for values use --args {text!r}"
        raise SignatureError(f"--types {text!r}: {error.message}", hint=hint) from None


def show(shown: Displayed) -> None:
    """Draw on a terminal, or print plain text to a pipe or file."""
    if sys.stdout.isatty():
        importlib.import_module("rich").print(shown)
    else:
        print(shown)


def _load(file: Path, name: str) -> Any:
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


def values_of(text: str) -> tuple[Any, ...]:
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
