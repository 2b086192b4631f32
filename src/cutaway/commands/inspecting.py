"""`cutaway inspect`, `report` and `diff`: a compilation as text, as a page, or compared."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from cutaway.commands.subjects import (
    SUBJECT,
    add_arguments,
    add_command,
    add_subject,
    record_of,
    recorded,
    show,
    subject,
    traced,
)
from cutaway.errors import CutawayError, PipelineError, did_you_mean
from cutaway.inspection.record import encoding
from cutaway.inspection.record.comparison import diff
from cutaway.inspection.record.reading import Reading
from cutaway.inspection.record.recorded import Record, RecordedPass
from cutaway.inspection.record.summaries import failure_text
from cutaway.inspection.showing.displayed import Displayed
from cutaway.inspection.views import VIEWS

Commands = Any  # argparse does not name the class that add_subparsers returns

_USER_ERROR = 1


# --- inspect ------------------------------------------------------------------------------------


def add_inspect(commands: Commands) -> None:
    """Add `cutaway inspect`."""
    command = add_command(commands, "inspect", "show a function at one level, or pass by pass")
    add_subject(command)
    command.add_argument(
        "--level",
        choices=[level.value for level in VIEWS],
        help="the level to show (default: all passes and their changes)",
    )
    command.add_argument(
        "--pass", dest="one_pass", metavar="NAME", help="show what one pass changed"
    )
    command.add_argument(
        "--diff",
        nargs=2,
        metavar=("A", "B"),
        help="compare two points: levels, passes, simplify#3, ...",
    )
    command.add_argument("--biography", metavar="NAME", help="follow a variable through all passes")
    command.add_argument(
        "--values", action="store_true", help="show the values of a run with --args"
    )
    command.add_argument(
        "--decisions",
        action="store_true",
        help="show the decisions of the passes and their reasons",
    )
    command.add_argument("--graph", action="store_true", help="print the control flow as DOT text")
    command.add_argument("--timings", action="store_true", help="show the time of each pass")
    command.add_argument("--all", action="store_true", help="include passes that change nothing")
    command.add_argument(
        "--inside", metavar="NAME", help="show a function compiled because of this one"
    )
    command.add_argument(
        "--json", action="store_true", help="print the record as JSON (docs/record.md)"
    )
    command.add_argument(
        "--save", metavar="F.cutaway", type=Path, help="write the record to a file"
    )
    command.set_defaults(command=inspect)


def inspect(options: argparse.Namespace) -> int:
    """Show a function at a level, or pass by pass."""
    compilation = traced(options) if options.function.function else None
    whole = recorded(options) if compilation is None else compilation.record
    record = _inside(whole, options.inside)
    if options.save:
        record.save(options.save)
    if options.json:
        print(json.dumps(encoding.to_json(record.data), ensure_ascii=False))
    elif options.graph:
        print((compilation or record).at(options.level or "cfg").graph().source)
    elif options.one_pass and not sys.stdout.isatty():  # a terminal draws both programs
        print(_pass_text(_pass(record, options.one_pass)))
    elif not options.save or _asked(options):
        show(_shown(record, options))
    if compilation is not None and compilation.error is not None:
        raise compilation.error
    if whole.error is not None:
        raise CutawayError(failure_text(whole.error))
    return 0


def _asked(options: argparse.Namespace) -> bool:
    wanted = ("level", "one_pass", "diff", "biography", "values", "decisions", "timings", "all")
    return any(getattr(options, name) for name in wanted)


def _shown(record: Record, options: argparse.Namespace) -> Displayed:
    if options.timings:
        return record.timings
    if options.level:
        return record.at(options.level)
    if options.diff:
        return record.diff(*options.diff)
    if options.biography:
        return record.biography(options.biography)
    if options.one_pass:
        return _pass(record, options.one_pass)
    if options.values:
        return record.values
    if options.decisions:
        return record.decisions
    return Reading(record, options.all)


def _pass_text(one: RecordedPass) -> str:
    """Format a pass, its purpose and its changes."""
    lines = [str(one), f"  {one.summary}"]
    if one.changed and not one.failed:
        lines.append(str(one.diff()))
    return "\n".join(lines)


def _pass(record: Record, name: str) -> RecordedPass:
    passes = [one for one in record.passes if one.name == name]
    if not passes:
        names = [one.name for one in record.passes]
        hint = did_you_mean(name, names, f"known: {', '.join(names)}")
        raise PipelineError(f"no pass {name!r} ran", hint=hint)
    return passes[-1]


def _inside(record: Record, name: str | None) -> Record:
    if name is None:
        return record
    functions = [one for one in record.functions if one.name == name]
    if not functions:
        names = list(dict.fromkeys(one.name for one in record.functions))
        hint = did_you_mean(name, names, f"known: {', '.join(names)}")
        raise PipelineError(f"no function {name!r} was compiled here", hint=hint)
    return functions[0]


# --- report -------------------------------------------------------------------------------------


def add_report(commands: Commands) -> None:
    """Add `cutaway report`."""
    command = add_command(commands, "report", "write one self-contained HTML page")
    add_subject(command)
    command.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="F.html",
        help="the output file (default: FUNC.html in this folder)",
    )
    command.add_argument(
        "--no-times", action="store_true", help="leave out times, for reproducible output"
    )
    command.set_defaults(command=report)


def report(options: argparse.Namespace) -> int:
    """Write the HTML page of a record."""
    record = recorded(options)
    output = options.output or Path(f"{record.name}.html")
    record.report(output, times=not options.no_times)
    print(f"wrote {output}")
    return 0


# --- diff ---------------------------------------------------------------------------------------


def add_diff(commands: Commands) -> None:
    """Add `cutaway diff`."""
    command = add_command(commands, "diff", "compare two compilations")
    for name in ("left", "right"):
        command.add_argument(name, metavar="FILE:FUNC|F.cutaway", type=subject, help=SUBJECT)
    add_arguments(command)
    add_arguments(command, "2")
    command.add_argument(
        "--level", metavar="POINT", help="compare line by line at this level or pass"
    )
    command.add_argument(
        "--code",
        action="store_true",
        help="show the instructions of each source line, of a CPU or a GPU",
    )
    command.add_argument("--json", action="store_true", help="print the comparison as JSON")
    command.set_defaults(command=compare)


def compare(options: argparse.Namespace) -> int:
    """Compare two compilations; the status is 1 if they differ, as for `diff`."""
    left = record_of(options.left, options.args, options.types, options.cc)
    second = (options.args2, options.types2)
    if options.right.function and not any(second):
        second = (options.args, options.types)
    comparison = diff(left, record_of(options.right, *second, options.cc2))
    if options.json:
        print(json.dumps(comparison.to_dict(), ensure_ascii=False))
    elif options.level:
        show(comparison.at(options.level))
    elif options.code:
        show(comparison.code())
    else:
        show(comparison)
    return 0 if comparison.same else _USER_ERROR
