"""The error messages of wrong programs: each message is in `golden/<section>.txt`.

`CUTAWAY_BLESS=1` writes the messages anew; then the diff is read.
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import corpora
import cutaway
from corpus.bad.corpus import PROGRAMS, Program
from corpus.bad.known import KNOWN
from corpus.bad.running import compiled, in_python, source_of
from cutaway.errors import CompileError, CutawayError, InternalError
from golden import tool

pytestmark = pytest.mark.sampled(others=4, fast=80)

HERE = Path(__file__).parent / "golden"
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.section}-{p.name}")

# Nobody outside of the compiler has seen these.
INSIDE = re.compile(
    r"\$|Traceback|0x[0-9a-f]|iternext|getitem\(|\w@\w"
    r"|(?<!\w)@(?!jit|cutaway|stencil|staticmethod|classmethod|property)\w"
)
# Reasons that are clear without a hint.
CLEAR = re.compile(
    r"does not work (between|on)|has no attribute|too many indices for array|a single ellipsis"
    r"|cannot be (called|indexed|iterated|unpacked|stored|assigned)"
    r"|does not accept|do not match|has no truth value|must be (True or False|'python' or 'numpy')"
    r"|@jit decorates a Python function|only a tuple can be passed|several signatures"
    r"|has \d+ parameters?, the signature|is not a type|must be written as|can be ::1"
    r"|must be C, F or A|of a range are integers"
    r"|(without an exception|deleting items) is not supported|the level of a trace must be"
)


# A comprehension is a function of its own on 3.11, which one more line of the explanation is about.
INLINED = {"list_comprehension", "walrus_in_comprehension"}
# The place of a `with` is its statement in 3.11 and 3.12; of an int 3.14 does not say which.
ELSEWHERE = {"a_block_that_is_given_a_list", "log2_of_negative_int"}
# What Python says of numbers, and of values to unpack, is said in other words from 3.14 on.
WORDS = re.compile(r"^((?:Python: )?(?:ZeroDivision|Value)Error|Python: TypeError)\(.*\)$", re.M)


@functools.cache
def outcome(position: int) -> tuple[BaseException | None, str]:
    """What came of one program; it is run once."""
    return compiled(PROGRAMS[position])


def outcome_of(program: Program) -> tuple[BaseException | None, str]:
    return outcome(PROGRAMS.index(program))


@pytest.fixture(autouse=True, scope="module")
def process_is_usable_afterward():
    """After all of them, compiling and running works as before."""
    yield

    @cutaway.jit
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

    assert total(numbers()) == 6.0
    assert total(numbers()[::2]) == 4.0


def numbers():
    return np.array([1.0, 2.0, 3.0])


@cutaway.jit
def still_works(n):
    s = 0
    for i in range(n):
        s += i
    return s


@EACH
def test_golden(program):
    error, text = outcome_of(program)
    assert still_works(10) == 45
    if program.python and not program.as_it_is:
        python = in_python(program)
        text += "\nPython: same" if python == text else f"\nPython: {python}"
    section = tool.load(str(HERE / program.section))
    if tool.BLESS:
        bless(program, section, text)
        return
    case = next((c for c in section if c.title == program.name), None)
    assert case is not None, f"no golden text of {program.name}: run with CUTAWAY_BLESS=1"
    assert case.source == source_of(program), f"{program.name} has changed: bless it"
    if program.name in INLINED | ELSEWHERE and sys.version_info[:2] != corpora.FIRST:
        assert WORDS.sub(r"\1", text).splitlines()[0] in case.expected
    elif sys.version_info >= (3, 14):
        told = "\n".join(line.rstrip() for line in text.splitlines())
        assert WORDS.sub(r"\1", told) == WORDS.sub(r"\1", case.expected.rstrip("\n"))
    else:
        tool.check(case, lambda _: text)


def bless(program: Program, section: list[tool.Golden], text: str) -> None:
    parts = {c.title: f"{c.source}---\n{c.expected}" for c in section}
    text = "\n".join(line.rstrip() for line in text.splitlines())
    parts[program.name] = f"{source_of(program)}---\n{text}\n"
    wanted = [p.name for p in PROGRAMS if p.section == program.section and p.name in parts]
    (HERE / f"{program.section}.txt").write_text(
        "".join(f"=== {name}\n{parts[name]}\n" for name in wanted)
    )


def rules(program: Program) -> list[str]:
    """The rules of messages that the one of this program breaks."""
    error, text = outcome_of(program)
    if error is None:
        return []
    broken = []
    words = "\n".join(line for line in str(error).splitlines() if not line.startswith("    "))
    if INSIDE.search(words):
        broken.append("names something of the compiler's own")
    if isinstance(error, InternalError):
        broken.append("is an internal error")
    if isinstance(error, CompileError) and "^" not in text and not at_the_call(error):
        broken.append("shows no source line")
    if isinstance(error, CutawayError):
        if not (error.hint or CLEAR.search(error.message)):
            broken.append("has neither a hint nor a clear reason")
    elif "\n  in cutaway" in text and not fits_no_parameters(error):
        broken.append("is Python's, from inside of Cutaway")
    return broken


def at_the_call(error: CompileError) -> bool:
    """Whether the error is about the arguments of a call from Python, whose line is in the
    traceback."""
    return bool(re.match(r"argument '|(no|several) signatures? of|a value of type", error.message))


def fits_no_parameters(error: BaseException) -> bool:
    return isinstance(error, TypeError) and "argument" in str(error) and "()" in str(error)


@EACH
def test_the_message_keeps_the_rules(program):
    broken = rules(program)
    if program.name in KNOWN:
        assert broken, f"{program.name} is well now: take it out of known.py"
        pytest.xfail(f"{program.name}: its message {', '.join(broken)}")
    assert not broken, f"{program.name}: its message {', '.join(broken)}\n{outcome_of(program)[1]}"


def test_every_text_belongs_to_a_program():
    titles = {
        (path.stem, case.title)
        for path in HERE.glob("*.txt")
        for case in tool.load(str(path.with_suffix("")))
    }
    assert titles == {(p.section, p.name) for p in PROGRAMS}


def test_names_are_unique():
    names = [p.name for p in PROGRAMS]
    assert len(names) == len(set(names)) and len(names) >= 160
