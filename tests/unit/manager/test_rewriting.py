"""Who listens to rewrites gets each with its rule; who does not, pays for none of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway import api
from cutaway.compiling import compiler
from cutaway.dispatch import binding
from cutaway.errors import InternalError
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.rewriting import RewriteRecord
from cutaway.stages import reporting
from cutaway.stages.observers import Observer
from cutaway.stages.rules import RULES, described
from cutaway.typing.inference.events import TypeEvent

PACKAGE = Path(cutaway.__file__).parent


class Heard(Observer):
    """Keeps all that it is told."""

    def __init__(self, rewrites: bool = False, facts: bool = True) -> None:
        self.listens_to_rewrites = rewrites
        self.listens = facts
        self.facts: list[Any] = []

    def rewrite(self, unit, record) -> None:
        self.facts.append(record)

    def of(self, kind: type) -> list[Any]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


def compiled(function: Any, args: tuple[Any, ...], *observers: Observer) -> None:
    half = api.half_of(function)
    unit = compiler.new_unit(half, binding.call_types(half, args))
    with compiler.unpublished(half, unit):
        compiler.compile_unit(unit, half.pipeline.until("refcounts"), observers)


def decisions(function: Any, *args: Any) -> list[Decision]:
    heard = Heard()
    compiled(function, args, heard)
    return heard.of(Decision)


def folded(a):
    return a + 2 * 3


def test_no_rewrite_is_built_where_nobody_listens_to_them(monkeypatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("nobody listens to rewrites")

    monkeypatch.setattr(reporting.ReportingEditor, "__init__", refuse)
    heard = Heard()
    compiled(folded, (1,), heard)
    compiled(folded, (1,))
    assert heard.of(TypeEvent)
    assert not heard.of(RewriteRecord)


def test_each_observer_hears_what_it_asked_for() -> None:
    facts, rewrites, all_of_it = Heard(), Heard(True, False), Heard(True)
    compiled(folded, (1,), facts, rewrites, all_of_it)
    assert not facts.of(RewriteRecord)
    assert rewrites.facts == rewrites.of(RewriteRecord)
    assert len(all_of_it.facts) == len(facts.facts) + len(rewrites.facts)


def test_who_listens_to_rewrites_alone_hears_all_of_them() -> None:
    alone, both = Heard(True, False), Heard(True)
    compiled(filled, (np.zeros(3), 2), alone)
    compiled(filled, (np.zeros(3), 2), both)
    rules = [(record.rule, record.whole) for record in alone.facts]
    assert rules == [(record.rule, record.whole) for record in both.of(RewriteRecord)]


def test_a_trace_keeps_rewrites_at_the_level_of_rewrites() -> None:
    by_pass = cutaway.trace(filled, np.zeros(3), 2)
    by_rewrite = cutaway.trace(filled, np.zeros(3), 2, level="rewrite")
    assert not [f for p in by_pass.passes for f in p.rewrites if isinstance(f, RewriteRecord)]
    simplify = next(p for p in by_rewrite.passes if p.name == "simplify")
    assert {record.rule for record in simplify.rewrites} <= RULES.keys()
    assert simplify.rewrites


def test_a_rewrite_says_what_it_does_in_the_users_words() -> None:
    def f(a):
        if a < 0:
            raise ValueError("no")
        s = 2**3 + a
        return s

    heard = Heard(True)
    compiled(f, (1,), heard)
    said = {record.rule: record.note for record in heard.of(RewriteRecord)}
    assert said["static_raise"] == '`raise ValueError("no")` raises ValueError with constants'
    assert said["name_result"] == "`2**3 + a` goes to `s` at once"
    assert said["place_del"].endswith("is not needed any more")


def test_a_rewrite_knows_its_place_in_the_source_and_its_rules_place() -> None:
    heard = Heard(True)
    compiled(folded, (1,), heard)
    for record in heard.of(RewriteRecord):
        assert record.loc.filename == __file__
        file, _, line = record.origin.rpartition(":")
        source = (PACKAGE / file).read_text().splitlines()
        assert re.match(r" *def ", source[int(line) - 1]), record.origin


# --- decisions ------------------------------------------------------------------------------------


def filled(a, n):
    k = n
    while k < n + 3:
        k = int(a[k])
    for i in range(n):
        a[i] = 2.0
    for i in range(len(a)):
        a[i] = 3.0


def test_the_check_of_each_index_is_proved_hoisted_or_kept_with_a_reason() -> None:
    kept, hoisted, proved = decisions(filled, np.zeros(3), 2)
    assert (kept.subject, kept.verdict) == ("`a[k]`", MISSED)
    assert kept.reason == "it is not known of `k` that it is at least 0"
    assert kept.hint or kept.cure
    assert (hoisted.subject, hoisted.verdict, hoisted.rule) == ("`a[i]`", DONE, "version_loop")
    assert hoisted.reason.endswith("once before the loop that `n` is at most the size of `a`")
    assert (proved.verdict, proved.reason) == (DONE, "`i` runs from 0 to below the size of `a`")
    assert proved.loc.line == filled.__code__.co_firstlineno + 7


def shifted(a):
    for i in range(a.shape[0] - 2, 0, -1):
        a[i + 1, 0] = 1.0
    return a[0]


def test_a_reason_counts_offsets_and_steps() -> None:
    moved, constant, last = decisions(shifted, np.zeros((3, 2)))
    assert (last.subject, last.verdict) == ("`a[0]`", MISSED)
    assert last.reason == "a constant index is compared with the size each time"
    assert moved.subject == "`a[i + 1, 0]`, axis 0"
    assert moved.reason == "`i + 1` runs down from the size of axis 0 of `a` - 1 to above 1"
    assert constant.reason.endswith(
        "once before the loop that 1 is at most the size of axis 1 of `a`"
    )


def with_default(a, b=None):
    if b is None:
        return a
    return a + b


def test_a_branch_that_is_decided_is_told_with_its_condition() -> None:
    left_out, branch = decisions(with_default, 1)
    assert (left_out.subject, left_out.reason) == (
        "`b`",
        "it is left out: this is compiled for None alone",
    )
    assert (branch.subject, branch.rule) == ("`b is None`", "decide_branch")


def valued(n):
    return cutaway.literally(n) + 1


def test_a_value_that_was_asked_for_is_told() -> None:
    trace = cutaway.trace(valued, 7)
    found = [d for p in trace.passes for d in p.decisions]
    assert "it is a constant of the call: this is compiled for 7 alone" in [d.reason for d in found]


@cutaway.jit(inline="always")
def small(x):
    return x + 1


@cutaway.jit(inline="always", error_model="numpy")
def other(x):
    return x / 2


def test_a_call_that_is_inlined_or_is_not_is_told_with_the_reason() -> None:
    def f(a):
        def inner(x):
            return small(x)

        return inner(a) + other(a)

    found = {(d.subject, d.verdict): d.reason for d in decisions(f, 1)}
    assert found["the call of `inner`", DONE].startswith("it is known")
    assert found["the call of `small`", DONE].startswith("it was decorated with inline=")
    assert found["the call of `other`", MISSED].startswith("its options are not those")


def test_a_variable_that_may_be_unbound_is_told() -> None:
    def f(n):
        if n > 0:
            x = 1
        return x

    (found,) = decisions(f, 1)
    assert (found.subject, found.verdict, found.rule) == ("`x`", MISSED, "guard_read")
    assert str(found).startswith("guard_read missed: `x`: some path leads here")


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_of_the_table_stands_where_the_table_says(name: str) -> None:
    row = described(name)
    assert row.equation and "\n" not in row.equation
    assert re.search(rf'Rule\(\s*"{name}",', (PACKAGE / row.file).read_text())


def test_a_rule_that_is_not_in_the_table_is_a_bug() -> None:
    with pytest.raises(InternalError, match="the rule nonsense is not in the table of rules"):
        described("nonsense")
