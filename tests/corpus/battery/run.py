"""Run every construct in Python and compiled, compare the outcomes, and write the table.

Run it as `PYTHONPATH=tests python -m corpus.battery.run [--write docs/battery.md]`.
"""

from __future__ import annotations

import argparse
import ast
import copy
import ctypes
import inspect
import os
import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import cutaway
from corpus.battery import constructs
from corpus.battery.constructs import CONSTRUCTS, HELPERS, PLANNED, Construct
from corpus.programs.compare import outcome, quiet, same
from cutaway.errors import CompileError

DOCUMENT = Path(__file__).parents[3] / "docs" / "battery.md"
KINDS = {
    "works": "does what Python does",
    "clear error": "is refused at compile time, with the message in the table",
    "planned": "is refused too, but will be supported",
    "permitted": "differs from Python as the ledger permits; the table names the entry",
    "WRONG": "does something else",
}


@dataclass(frozen=True)
class Result:
    """The result of a construct: one of `KINDS`, the outcomes, the message of a refusal."""

    construct: Construct
    kind: str
    expected: tuple[Any, ...]
    found: tuple[Any, ...]
    message: str = ""


# --- one construct ----------------------------------------------------------------------------

Jit = Callable[[Any], Any] | None  # a compiler's decorator; None leaves functions as they are


def prepared(construct: Construct, jit: Jit = None) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function of a construct and its arguments, all new: nothing was compiled before.

    The helpers that it calls, or is given, are new and compiled by `jit` too.
    """
    space = dict(vars(constructs))
    made: dict[str, Any] = {}
    given = [a for a in construct.arguments if isinstance(a, FunctionType)]
    for function in (construct.function, *given, *_helpers_of(construct.function.__code__)):
        if function.__name__ not in made:
            made[function.__name__] = _renewed(function, space, jit)
    space.update(made)
    arguments = tuple(
        made[a.__name__] if isinstance(a, FunctionType) else copy.deepcopy(a)
        for a in construct.arguments
    )
    return made[construct.name], arguments


def _renewed(function: FunctionType, space: dict[str, Any], jit: Jit) -> Any:
    new = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    new.__kwdefaults__ = function.__kwdefaults__
    return new if jit is None else jit(new)


def _helpers_of(code: CodeType) -> list[FunctionType]:
    found: dict[str, FunctionType] = {}

    def visit(code: CodeType) -> None:
        for inner in code.co_consts:
            if isinstance(inner, CodeType):
                visit(inner)
        for name in code.co_names:
            if name in HELPERS and name not in found:
                found[name] = HELPERS[name]
                visit(HELPERS[name].__code__)

    visit(code)
    return list(found.values())


def observed(construct: Construct, jit: Jit = None) -> tuple[Any, ...]:
    """("returned", value, arguments afterward, output) or ("raised", class, arguments of it,
    arguments afterward, output)."""
    arguments: tuple[Any, ...] = ()

    def run() -> Any:
        nonlocal arguments
        function, arguments = prepared(construct, jit)
        value = function(*arguments)
        # A generator is what it gives.
        return ("generator", *value) if isinstance(value, Iterator) else value

    with quiet():
        found, output = with_output(lambda: outcome(run, ()))
    afterward = tuple(a for a in arguments if isinstance(a, np.ndarray | tuple))
    # `outcome` knew of no arguments: a returned value comes with an empty tuple of them.
    return (*(found[:2] if found[0] == "returned" else found), afterward, output)


def with_output(run: Callable[[], Any]) -> tuple[Any, str]:
    """A result and what was written to standard output meanwhile, by Python or by C."""
    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    saved = os.dup(1)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 1)
        try:
            with redirect_stdout(file):
                result = run()
                file.flush()
                flush(None)
        finally:
            os.dup2(saved, 1)
            os.close(saved)
        file.seek(0)
        return result, file.read()


def judged(construct: Construct) -> Result:
    """Run one construct both ways and compare."""
    expected, found = observed(construct), observed(construct, cutaway.jit)
    if same(expected, found):
        return Result(construct, "works", expected, found)
    if found[0] == "raised" and issubclass(found[1], CompileError):
        message = f"{str(found[2][0]).splitlines()[0]} [{found[1].code}]"
        kind = "planned" if construct.section == PLANNED else "clear error"
        return Result(construct, kind, expected, found, message)
    if construct.ledger:
        return Result(construct, "permitted", expected, found, f"`{construct.ledger}`")
    return Result(construct, "WRONG", expected, found)


@cache
def results() -> tuple[Result, ...]:
    """The results of all constructs."""
    return tuple(map(judged, CONSTRUCTS))


# --- the table --------------------------------------------------------------------------------


def document() -> str:
    """The table as Markdown."""
    counts = Counter(result.kind for result in results())
    lines = [
        "# The battery",
        "",
        "Small constructs, one idea each, and the result of compiling each of them. The",
        "constructs are in `tests/corpus/battery/constructs.py`. This command writes the page:",
        "",
        "    PYTHONPATH=tests python -m corpus.battery.run --write docs/battery.md",
        "",
        "| result | count | the construct |",
        "|---|--:|---|",
        *(f"| {kind} | {counts[kind]} | {meaning} |" for kind, meaning in KINDS.items()),
        f"| all | {len(CONSTRUCTS)} | |",
    ]
    section = None
    for result in results():
        if result.construct.section != section:
            section = result.construct.section
            lines += ["", f"## {section[0].upper()}{section[1:]}", ""]
            lines += ["| construct | source | result | message |", "|---|---|---|---|"]
        cells = (
            result.construct.title,
            one_line(result.construct.function),
            result.kind,
            result.message,
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines).replace("|  |", "| |").replace("|  |", "| |") + "\n"


def one_line(function: Any) -> str:
    """The body of a function as Markdown if it is one short line, else nothing."""
    source = textwrap.dedent(inspect.getsource(function))
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    body = definition.body[1:]
    if len(body) != 1 or body[0].lineno != body[0].end_lineno:
        return ""
    return f"`{ast.get_source_segment(source, body[0])}`"


def summary() -> str:
    """Counts by section and kind, and everything that is WRONG."""
    sections: dict[str, Counter[str]] = {}
    for result in results():
        sections.setdefault(result.construct.section, Counter())[result.kind] += 1
    width = max(map(len, sections))
    lines = [" " * width + "".join(f"{kind:>13}" for kind in KINDS)]
    total: Counter[str] = Counter()
    for section, counts in sections.items():
        total += counts
        lines.append(f"{section:{width}}" + "".join(f"{counts[kind]:>13}" for kind in KINDS))
    lines.append(f"{'all':{width}}" + "".join(f"{total[kind]:>13}" for kind in KINDS))
    lines += ["", *wrong()] if total["WRONG"] else []
    return "\n".join(lines)


def wrong() -> list[str]:
    """One text for each construct that compiles to something else than Python."""
    return [
        f"{r.construct.section}: {r.construct.name}\n  expected {r.expected}\n  found    {r.found}"
        for r in results()
        if r.kind == "WRONG"
    ]


def main() -> int:
    """Print the summary; write the table if asked to."""
    parser = argparse.ArgumentParser(description="Compile the battery of constructs.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table there")
    options = parser.parse_args()
    print(summary())
    if options.write:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(document())
    return bool(wrong())


if __name__ == "__main__":
    sys.exit(main())
