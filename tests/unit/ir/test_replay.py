"""Every change that a pass makes is a recorded rewrite: played again, they give what it leaves."""

from __future__ import annotations

import enum
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutaway
import warm
from corpus.compiling import for_call
from corpus.programs.cases import CASES, Case
from corpus.programs.compare import outcome, same
from cutaway.compiling import compiler
from cutaway.extending import register_jitable
from cutaway.inspection.witness.execution import plain_python
from cutaway.ir.decisions import Decision
from cutaway.ir.function import Function
from cutaway.ir.interpreter import interpret
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Block, Jump
from cutaway.ir.rewriting import BlockChange, RewriteRecord, replay
from cutaway.ir.verifier import verify
from cutaway.stages.observers import Observer
from cutaway.stages.passes import Pass
from cutaway.stages.rules import RULES
from cutaway.stages.unit import CompileUnit
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.values.coercion import coerce

pytestmark = pytest.mark.sampled(test=2, others=6, fast=31)

MOST_STATES = 40  # of one pass that are run

# Programs of the table that show most of the rules; what they lack stands below.
SHOWING = (
    "exceptions_with_arguments_by_name_and_by_star",
    "enumerated",
    "slices_as_values",
    "arithmetic_with_what_may_be_none",
    "a_default_of_a_function_made_in_a_loop",
    "inner_functions_passed_on",
    "one_of_several_strings",
    "whole_sum_and_mean",
    "views_of_views",
    "keyword_only_and_star_of_inner_functions",
    "an_inner_function_that_calls_itself",
    "in_a_conditional_expression",
    "classes_of_named_tuples",
    "array_expression",
    "masked_stores",
    "array_expression_that_is_used_twice",
    "stencil_of_slices",
    "array_updates",
    "updates_in_one_loop",
    "reductions_of_expressions",
    "parts_of_an_array_that_change",
)


def declared(n):
    s = 0
    for i in range(n):
        s = s + i
    return s


def unrolled(t):
    s = 0.0
    for x in cutaway.literal_unroll(t):
        s += x
    return s


def literal(n):
    return cutaway.literally(3) + n


def written(n):
    if n < 0:
        raise ValueError(f"not {1:3d}")
    return n


class Color(enum.IntEnum):
    RED = 3


def by_name(n):
    return getattr(n, "real") + Color["RED"]  # noqa: B009


def with_blocks(n):
    last = 0
    for i in range(n):
        with cutaway.objmode(s="int64", last="int64"):
            s = len({}) if i == 0 else s + i  # noqa: F821  assigned in a run before
            last = last + s
    return last


def missing(n):
    if n < 0:
        return not_there  # noqa: F821
    return n


HUGE = 10**5000


def huge(n):
    unused = HUGE  # noqa: F841
    return n


def carried(n):
    held = 0
    for i in range(n):
        copied = held  # noqa: F841
        if i > 2:
            held = 1
    return n


def one_way(n, how=None):
    s = n
    for _ in range(n):
        if how is not None:
            s = s + 1
            continue
    return s


@register_jitable
def applied(g, x):
    return g(x)


def closing_over(k):
    def reads_what_is_outside(x):
        return applied(lambda y: y + k, x)

    return reads_what_is_outside


def indexed_by_hand(a):
    part = np.s_[2:7:2]
    return a[part].sum()


def in_parallel(a):
    s = 0.0
    for i in cutaway.prange(len(a)):
        s += a[i]
    return s


def whole_arrays_in_parallel(a, b):
    def twice(x):
        return x * 2.0

    assert len(a) == len(b)
    t = twice(a)
    c = np.ones(len(a))
    c[1:] = t[:-1] + b[1:]
    return t + 1.0, t - 1.0, c, a.cumsum(), b.sum()


def scaled_in_parallel(a, b):
    for i in cutaway.prange(len(a)):
        if a[i] < 0:
            raise ValueError("negative")
        b[i] = a[i] * 2.0


def used_twice_in_parallel(a):
    t = a * 2.0
    u = a - 5.0  # noqa: F841
    return t + 1.0, t - 1.0, np.array([x * 2.0 for x in a])


def yielding(n):
    yield n
    yield n / 2
    yield from range(n)


def taking_all(n):
    def values():
        yield n
        yield from range(n)

    s = 0
    for x in values():
        if x == 3:
            continue
        s += x
    return s + sum(values()) + max(x * x for x in range(n))


def caused(n):
    if n > 99:
        raise ValueError("large", n) from None
    return n


def inner_in_try(n):
    count = 0

    def step(by):
        nonlocal count
        count += 1
        by = 6 // by
        count += by

    try:
        step(n)
    except ZeroDivisionError:
        return count
    return -count


def of_objects(n):
    found = [k for k in range(n) if k]
    for k in found:
        if k > 1 and (k, n):
            last = k
            break
    return last + n, found


def returning_in_a_loop(n):
    for k in range(n):
        try:
            k = 6 // (k - 2)
        except ZeroDivisionError:
            return k
    return -n


def yielding_objects(n):
    held = n
    n = n - 1
    yield held
    yield from range(n)


UNTYPED = (inner_in_try,)  # what types refuse so far
OF_OBJECTS = (of_objects, yielding_objects, returning_in_a_loop)
ALSO = (
    (of_objects, (4,)),
    (yielding_objects, (4,)),
    (returning_in_a_loop, (4,)),
    (inner_in_try, (0,)),
    (caused, (4,)),
    (taking_all, (4,)),
    (yielding, (4,)),
    (closing_over(3), (4,)),
    (declared, (4,)),
    (unrolled, ((1, 2.5),)),
    (literal, (4,)),
    (written, (4,)),
    (missing, (4,)),
    (with_blocks, (4,)),
    (by_name, (4,)),
    (huge, (4,)),
    (carried, (4,)),
    (one_way, (4,)),
    (indexed_by_hand, (np.arange(9),)),
    (in_parallel, (np.arange(9.0),)),
    (scaled_in_parallel, (np.arange(9.0), np.arange(9.0))),
    (used_twice_in_parallel, (np.arange(9.0),)),
    (whole_arrays_in_parallel, (np.arange(9.0), np.arange(9.0))),
)
OPTIONS = {declared: {"locals": {"s": "int64"}}, in_parallel: {"parallel": True}}
for _function in (whole_arrays_in_parallel, scaled_in_parallel, used_twice_in_parallel):
    OPTIONS[_function] = {"parallel": True}
for _function in OF_OBJECTS:
    OPTIONS[_function] = {"forceobj": True}


class Replayed(Observer):
    """Plays the rewrites of each pass again and compares; runs each program on the way."""

    listens_to_rewrites = True

    def __init__(self, case: Case, every: int) -> None:
        self.case = case
        self.every = every
        self.expected = outcome(plain_python(case.function, {}), case.arguments[0]())
        self.running: list[tuple[Function | None, dict[str, Any], list[object]]] = []
        self.seen: set[str] = set()

    def before_pass(self, unit: CompileUnit, step: Pass) -> None:
        fn = unit.fn.copy() if unit.has("fn") else None
        types = dict(unit.types) if unit.has("types") else {}
        self.running.append((fn, types, []))

    def rewrite(self, unit: CompileUnit, record: object) -> None:
        self.running[-1][2].append(record)

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        if error is not None and self.running:
            self.running.pop()

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        fn, types, facts = self.running.pop()
        if fn is None or not step.gives.is_ir:
            return
        for fact in facts:
            if isinstance(fact, Decision):
                check_words(fact.subject, fact.reason, fact.hint)
        records = [fact for fact in facts if isinstance(fact, RewriteRecord)]
        last = fn
        for k, (now, record) in enumerate(zip(replay(fn, records), records, strict=True)):
            types.update(record.types)
            self.seen.add(record.rule)
            check_record(record)
            if record.whole and k % max(self.every, len(records) // MOST_STATES) == 0:
                self.check_state(unit, step, now, types, record)
            last = now
        assert records == [] or records[-1].whole, step.name
        assert last == unit.fn, step.name
        assert list(last.blocks) == list(unit.fn.blocks), step.name
        assert not Level.typed.leads_to(step.gives) or types == unit.types, step.name
        if records:
            assert last.next_id == unit.fn.next_id and last.next_temp >= unit.fn.next_temp

    def check_state(
        self,
        unit: CompileUnit,
        step: Pass,
        fn: Function,
        types: dict[str, Any],
        record: RewriteRecord,
    ) -> None:
        level = step.gives if types or step.gives is Level.objects else step.reads
        wrong = verify(fn, step.gives, types or None) and verify(fn, level, types or None)
        if level is Level.objects:  # references are balanced at the end alone
            wrong = [one for one in wrong if "reference" not in one.message]
        assert not wrong, (step.name, record.rule, record.note, list(map(str, wrong)))
        if unit.pyfunc is not self.case.function:
            return

        def run(*args: Any) -> Any:
            given = parameters_of(unit.pyfunc).bind(args)
            return interpret(fn, *given, types=types or None, coerce=coerce if types else None)

        found = outcome(run, self.case.arguments[0]())
        # The items of a generator have one type in compiled code, and each its own in Python.
        agrees = found == self.expected if fn.generator else same(found, self.expected)
        assert agrees, (step.name, record.rule, record.note, found)


def check_words(*sentences: str) -> None:
    """No name that the compiler has made up is shown to the user."""
    for sentence in sentences:
        assert not re.search(r"\$\w*\.?\d|\w\.\d+`", re.sub(r"`\d[\d.e+j-]*`", "", sentence)), (
            sentence
        )


def check_record(record: RewriteRecord) -> None:
    assert record.rule in RULES
    row = RULES[record.rule]
    assert record.note
    check_words(re.sub(r"`[^`$]*`", "", record.note))
    file, _, line = record.origin.rpartition(":")
    assert file == row.file and int(line) > 0, (record.rule, record.origin)
    for change in record.changes:
        assert change.before is not None or change.after is not None


def played(case: Case, every: int = 1) -> Replayed:
    function = cutaway.jit(case.function, **OPTIONS.get(case.function, {}))
    return for_call(function, case.arguments[0](), lambda *of: compiled(*of, case, every))


def compiled(half: Any, argtypes: Any, case: Case, every: int) -> Replayed:
    watch = Replayed(case, every)
    unit = compiler.new_unit(half, argtypes)
    with compiler.unpublished(half, unit):
        last = "simplify" if case.function in UNTYPED else "refcounts"
        last = "pair_refcounts" if case.function in OF_OBJECTS else last
        compiler.compile_unit(unit, half.pipeline.until(last), (watch,))
    return watch


@pytest.mark.parametrize("case", CASES[::11], ids=lambda case: case.name)
def test_the_rewrites_of_each_pass_make_what_it_leaves(case: Case) -> None:
    played(case, every=5)


def unseen() -> set[str]:
    """The rules of the table that no program shows at work."""
    cases = [next(case for case in CASES if case.name == name) for name in SHOWING]
    cases += [Case(function, (lambda args=args: args,)) for function, args in ALSO]
    seen: set[str] = set().union(*(played(case).seen for case in cases))
    return RULES.keys() - seen


def test_every_rule_of_the_table_is_seen_at_work() -> None:
    # In a process of its own: what other tests have compiled before is not compiled again.
    unit = Path(__file__).parents[1]
    folders = [str(unit), str(unit.parent)]
    code = f"import sys; sys.path[:0] = {folders!r}; from ir import test_replay as t"
    done = warm.run(
        [sys.executable, "-c", f"{code}; print(sorted(t.unseen()))"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout == "[]\n", done.stderr


def test_a_function_that_is_played_again_shares_nothing_that_changes() -> None:
    fn = Function("f", (), {0: Block(0, [Jump(1)]), 1: Block(1, [Jump(1)])})
    record = RewriteRecord("r", (BlockChange(2, None, (Jump(1),)),), order=(0, 2, 1))
    (made,) = replay(fn, ["a note", record])
    assert list(made.blocks) == [0, 2, 1]
    made.blocks[0].ops.clear()
    assert fn.blocks[0].ops == [Jump(1)]
    assert list(fn.blocks) == [0, 1]
    assert (record.label, record.before, record.after) == (2, (), (Jump(1),))
