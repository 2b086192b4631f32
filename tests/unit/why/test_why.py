"""Questions about types and their answers: programs above, what is said of them below.

    === title
    # float64[:], int64             the types of the arguments
    # why s 4                       questions: why, why_not, calls, error
    def f(a, n): ...
    ---
    > why s 4
    the answer

`make bless` writes the answers anew; then the diff is read.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cutaway
import cutaway.library.rest
from cutaway.errors import CompileError
from golden import tool
from library.registered import load_everything

pytestmark = pytest.mark.sampled(others=3, fast=20)

CARETS = re.compile(r"^ +\^+\n", re.MULTILINE)  # not the same on every Python
CANDIDATES = re.compile(r"(?:^ +\w+\([^\n]*does not accept these types\n)+", re.MULTILINE)
HERE = Path(__file__).parent
load_everything()  # or the candidates would be those that other tests have loaded
CASES = [case for path in sorted(HERE.glob("*.txt")) for case in tool.load(str(path)[:-4])]


def questions(case: tool.Golden) -> list[list[str]]:
    lines = [line[1:].split() for line in case.source.splitlines()[1:] if line.startswith("# ")]
    return [words for words in lines if words[0] in ("why", "why_not", "calls", "error")]


def answer(traced: cutaway.inspection.trace.Compilation, words: list[str]) -> str:
    kind, *rest = words
    line = int(rest.pop()) if rest and rest[-1].isdigit() else None
    if kind == "error":
        if traced.error is None:
            return "it compiles"
        return CARETS.sub("", f"{type(traced.error).__name__}: {traced.error}")
    if kind == "calls":
        return str(traced.why_call(line))
    if kind == "why_not":
        return str(traced.why_not(rest[0], " ".join(rest[1:]), line))
    return str(traced.why(rest[0] if rest else "", line))


def answers(case: tool.Golden) -> str:
    try:
        traced = cutaway.trace(case.function(), *case.types)
    except CompileError as error:
        return f"{type(error).__name__}: {error}"
    text = "\n".join(f"> {' '.join(words)}\n{answer(traced, words)}" for words in questions(case))
    return CANDIDATES.sub(in_order, f"{text}\n")


def in_order(match: re.Match[str]) -> str:
    """Candidates that refused, by name: they are asked in the order in which areas were loaded."""
    return "".join(sorted(match[0].splitlines(True)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path.stem}-{case.title}")
def test_the_answer_is_as_written(case):
    tool.check(case, answers)


def test_there_are_sixty_programs_or_more():
    assert len(CASES) >= 60
    assert len({case.title for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path.stem}-{case.title}")
def test_no_answer_names_what_the_compiler_made_up(case):
    assert "$" not in case.expected
    assert "@" not in case.expected.replace("@cutaway.jit", "") or "@" in case.source
