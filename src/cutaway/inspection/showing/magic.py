"""The cell magic of notebooks: `%load_ext cutaway`, and then

    %%cutaway --level typed
    total(data)

runs the cell as usual, and shows each function that it compiled.
"""

from __future__ import annotations

import argparse
import importlib
import shlex
from collections.abc import Sequence
from typing import Any, NoReturn

from cutaway import config
from cutaway.errors import CutawayError, OptionError
from cutaway.inspection.observers.reports import gathered
from cutaway.inspection.showing.page.notebook import shown
from cutaway.inspection.trace import Compilation
from cutaway.ir.levels import Level


class _OptionParser(argparse.ArgumentParser):
    """A parser that raises OptionError instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        hint = " ".join(self.format_usage().split()).removeprefix("usage: ")
        raise OptionError(f"%%cutaway: {message}", hint=hint)


def _parser() -> _OptionParser:
    parser = _OptionParser(prog="%%cutaway", add_help=False, allow_abbrev=False)
    levels = list(Level.known)
    parser.add_argument("--level", choices=levels, help="show a level next to the source")
    parser.add_argument("--why", metavar="NAME", help="show why a variable has its type")
    parser.add_argument("--diff", nargs=2, metavar=("A", "B"), help="show the changes from A to B")
    parser.add_argument("--graph", action="store_true", help="draw the control flow")
    parser.add_argument("--report", metavar="FILE", help="write the page of the last function")
    return parser


def options_of(line: str) -> argparse.Namespace:
    """Parse the options in the line of the magic. Raises OptionError for unknown ones."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise OptionError(f"%%cutaway: {error}", hint="close the quotation mark") from None
    return _parser().parse_args(words)


def shown_first(options: argparse.Namespace, compilation: Compilation) -> dict[str, Any]:
    """Return the initial view of the page.

    Raises OptionError for a level or a pass that is not in this compilation.
    """
    if options.level:
        if options.level not in compilation.levels:
            reached = ", ".join(compilation.levels)
            raise OptionError(f"%%cutaway: {options.level} was not reached", hint=reached)
        return {"view": "levels", "columns": ["source", options.level], "at": _last(compilation)}
    if options.diff:
        a, b = (_point(compilation, name) for name in options.diff)
        return {"view": "diff", "a": a, "b": b, "at": b}
    if options.why:
        return {"value": options.why, "panel": "value", "at": "infer_types"}
    if options.graph:
        return {"view": "graph", "at": "ssa"}
    return {}


def _last(compilation: Compilation) -> str:
    return compilation.passes[-1].name if compilation.passes else ""


def _point(compilation: Compilation, word: str) -> str:
    """Return the pass that a name means: its own, or the last one at a level."""
    names = [r.name for r in compilation.passes if r.unit_after is not None]
    ends = {r.unit_after.level.value: r.name for r in compilation.passes if r.unit_after}
    if word == "source" or word in names:
        return word
    if word not in ends:
        known = ", ".join(["source", *dict.fromkeys([*ends, *names])])
        raise OptionError(f"%%cutaway: there is no pass or level {word!r}", hint=known)
    return ends[word]


class CellOutput:
    """The output of one compilation in a cell."""

    def __init__(self, compilation: Compilation, options: dict[str, Any]) -> None:
        self.compilation = compilation
        self.options = options

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        text = str(self.compilation)
        return {"text/plain": text, "text/html": shown(self.compilation, **self.options) or text}


def load(ipython: Any) -> None:
    """Register `%%cutaway` with an IPython shell."""

    def cutaway(line: str, cell: str) -> None:
        _run_cell(ipython, line, cell)

    ipython.register_magic_function(cutaway, magic_kind="cell", magic_name="cutaway")


def _run_cell(ipython: Any, line: str, cell: str) -> None:
    """Run a cell and show its compilations; IPython shows its errors."""
    try:
        options = options_of(line)
    except CutawayError as error:
        print(f"{type(error).__name__}: {error}")
        return
    with gathered() as compilations:
        ipython.run_cell(cell)
    display = importlib.import_module("IPython.display").display
    for shown_one in _outputs(options, compilations):
        display(shown_one)


def _outputs(options: argparse.Namespace, compilations: Sequence[Compilation]) -> list[Any]:
    if not compilations:
        off = config.value("DISABLE_JIT")
        why = "DISABLE_JIT is set" if off else "call the function with new types to compile it"
        print(f"this cell compiled nothing: {why}")
        return []
    result: list[Any] = []
    for compilation in compilations:
        try:
            result.append(CellOutput(compilation, shown_first(options, compilation)))
        except OptionError as error:
            print(f"{type(error).__name__}: {error}")
    if options.report:
        print(f"written to {compilations[-1].report(options.report)}")
    return result
