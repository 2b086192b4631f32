"""What is said of programs is so: each sentence is checked by other means than made it.

Of rewrites and decisions, against the values that Python gives the expressions; of lives, against
the text of the programs and the values of a run.  CUTAWAY_TEST_SENTENCES=all checks every program
of the table (`make sentences`), else every so-many-eth.
"""

from __future__ import annotations

import os
import re
from types import FunctionType
from typing import Any

import pytest
from instrumented import observed

import cutaway
from corpus.programs.cases import CASES, Case
from cutaway.ir.decisions import Decision
from cutaway.ir.rewriting import RewriteRecord

pytestmark = pytest.mark.sampled(test=12, others=36, fast=10)

EVERYTHING = os.environ.get("CUTAWAY_TEST_SENTENCES") == "all"
ALWAYS = re.compile(r"^`(.+)` (?:it )?is always (true|false) here")
IS = re.compile(r"^`(.+)` is (None|True|False|-?[\d.e+-]+|'[^']*')$")


LIMIT, OFFSET, EMPTY, WORD = 20, 3, None, "up"


def left_out(x, w=None, deep=False):
    s = x if w is not None else -x
    if not deep and w is None:
        s += 2
    while w is not None and s > 0:
        s -= w
    if not (w is None) or deep is True:  # noqa: E714
        s *= 3
    return s


def chains(x):
    r = 0
    if 0 < LIMIT < 10 or 30 > LIMIT > 3:
        r += 1
    if not 0 <= LIMIT <= 19 and EMPTY is None:
        r += 2
    r += 3 if LIMIT > OFFSET is not None else 4
    return r + x + (not LIMIT == 20) + (LIMIT != 4 < 9)


def matched(x):
    match LIMIT:
        case 3 | 4:
            x += 1
        case 20:
            x += 2
    match EMPTY:
        case None:
            x += 5
    return x if WORD == "up" and not WORD != "up" else -x


def kinds(x, y=1.5):
    r = 0
    if isinstance(x, int):
        r += 1
    if isinstance(y, (int, bool)):
        r += 2
    if not isinstance(y, float):
        r += 4
    return r


def folded(x):
    a = 3
    b = a * 2 + 1
    c = -b // 2
    a += 4
    unused = b - 1  # noqa: F841
    return x * c + a - (b if a > b else c)


OWN = [
    Case(left_out, (lambda: (4,), lambda: (4, 1), lambda: (4, None, True))),
    Case(chains, (lambda: (1,),)),
    Case(matched, (lambda: (1,),)),
    Case(kinds, (lambda: (1,), lambda: (True, 2))),
    Case(folded, (lambda: (5,),)),
]
EVERY_CALL = [
    pytest.param(Case(case.function, (make,)), id=f"{case.name}-{k}")
    for case in OWN
    for k, make in enumerate(case.arguments)
]


def plain(case: Any) -> FunctionType | None:
    """The Python function of a case, where it is one of a file."""
    found = getattr(case.function, "py_func", case.function)
    return found if isinstance(found, FunctionType) else None


def sample(count: int) -> list[Any]:
    cases = CASES if EVERYTHING else CASES[::count]
    return [pytest.param(case, id=case.name) for case in cases if plain(case) is not None]


def said(c: Any) -> list[tuple[str, int]]:
    """The sentences of a compilation with their lines."""
    found = []
    for one in c.passes:
        for fact in one.rewrites:
            if isinstance(fact, RewriteRecord):
                found.append((fact.note, fact.loc.line))
            elif isinstance(fact, Decision):
                found.append((f"{fact.subject} {fact.reason}", fact.loc.line))
    return found


@pytest.mark.parametrize("case", [*EVERY_CALL, *sample(3)])
def test_what_is_said_to_be_known_is_so_in_python(case):
    args = case.arguments[0]()
    c = cutaway.trace(case.function, *args, level="rewrite")
    seen = observed(plain(case), case.arguments[0]())
    if seen is None:
        return
    notes = said(c)
    for note, line in notes:
        if found := ALWAYS.match(note):
            values = seen.get((found[1], line), [])
            times = sum(1 for other, k in notes if k == line and f"`{found[1]}`" in other)
            truths = {bool(value) for value in values}
            # Where a body is compiled more than once, each has its own sentence.
            assert not truths or (found[2] == "true") in truths, (note, line)
            assert len(truths) < 2 or times > 2, (note, line)
        elif found := IS.match(note):
            values = seen.get((found[1], line), [])
            if values and not found[1].startswith("case "):
                assert any(
                    repr(value) == found[2] or value == eval(found[2]) for value in values
                ), (
                    note,
                    line,
                    values,
                )


QUOTED = re.compile(r"`([^`]+)`")


@pytest.mark.parametrize("case", [*EVERY_CALL, *sample(12)])
def test_what_is_said_of_a_life_is_so_in_the_programs(case):
    args = case.arguments[0]()
    record = cutaway.trace(case.function, *args, level="rewrite").record
    function = record.function
    for name, life in function.lives.items():
        for event in life:
            entry = function.passes[event.position]
            check_event(function, name, event, function.states[entry.after])
        kinds = [event.kind for event in life]
        assert "gone" not in kinds[:-1], (name, kinds)


def check_event(function: Any, name: str, event: Any, state: Any) -> None:
    what = (name, event.kind, event.text)
    text = state.text
    quoted = [one for one in QUOTED.findall(event.text)]
    match event.kind:
        case "born" | "named" if state.language == "cutaway":
            for one in quoted:
                assert re.search(rf"(?m)^\s+(.*, )?{re.escape(one)}(, .*)? = ", text), what
        case "named" if state.language == "llvm" and "and the constant" not in event.text:
            for one in quoted:
                if one.startswith("%") and " " not in one:
                    plain_one = one.strip('%"')
                    assert re.search(rf'%"?{re.escape(plain_one)}"?(?![\w.])', text), what
        case "typed":
            for one in quoted:
                assert f":: {one}" in text or one in text, what
        case "replaced" | "gone" if state.language == "cutaway":
            assert not re.search(rf"(?m)^\s+{re.escape(name)}(\.\d+)* = ", text), what
        case "gone":
            pattern = rf'(?m)^\s+%"?(arg\.)?{re.escape(name)}(\.\d+)*(\.i)?"? = '
            assert not re.search(pattern, text), what
        case "held":
            check_registers(event.text, text, what)
        case "folded" if "constant wherever" in event.text:
            check_constants(function, name, quoted, what)


def check_registers(said_of_it: str, asm: str, what: Any) -> None:
    where, _, by = said_of_it.partition(", put there by ")
    registers = QUOTED.findall(where) if where.startswith("is in ") else []
    for register in registers:
        assert register.split("(")[-1].strip("%)") in asm or register in asm, what
    shown = {" ".join(line.split()) for line in asm.split("\n")}
    for instruction in QUOTED.findall(by):
        assert instruction in shown, what
        by_call = {"%rax", "%xmm0"} if instruction.startswith("call") else set()
        targets = {instruction.split(" {")[0].split()[-1], *by_call}
        assert targets.intersection(registers) or " more" in where, what


def check_constants(function: Any, name: str, constants: list[str], what: Any) -> None:
    """The values that a variable took on the user's arguments, where it was lowered with what gave
    them, are among its constants."""
    last = [state for state in function.states if state.language == "cutaway"][-1]
    lowered = {line.op for line in last.lines}
    known = {float(text) for text in constants if re.match(r"^-?[\d.]+(e[+-]?\d+)?$", text)}
    for seen in function.values.seen:
        if seen.name == name and seen.op in lowered and known and " more" not in what[2]:
            for value in seen.values:
                if re.match(r"^-?[\d.]+(e[+-]?\d+)?$", value):
                    assert float(value) in known, (*what, value)
