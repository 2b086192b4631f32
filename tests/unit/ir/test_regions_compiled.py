"""Ops with regions go through the whole compiler, which does not know them."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from region_ops import Carry, Repeat, known

import cutaway
from corpus.programs.compare import outcome, same
from cutaway import Pass, api, pipelines
from cutaway.compiling import compiler
from cutaway.dispatch import binding
from cutaway.errors import EditError
from cutaway.inspection.graphs.kinds import KINDS
from cutaway.inspection.linking.lines import unit_lines
from cutaway.inspection.witness.reference_counts import References
from cutaway.ir import nodes
from cutaway.ir.editing import Editor
from cutaway.ir.interpreter import interpret
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op
from cutaway.ir.parser import parse
from cutaway.ir.printer import known_objects, to_text
from cutaway.ir.rewriting import RewriteRecord, replay
from cutaway.ir.traversal import walk
from cutaway.ir.verifier import verify
from cutaway.runtime import stats
from cutaway.stages.observers import Observer
from cutaway.stages.rules import RULES
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.values.coercion import coerce
from ir.test_editing import check_same

pytestmark = pytest.mark.sampled(test=2, others=4, fast=9)


@pytest.fixture(autouse=True)
def ops():
    with known():
        yield


# Each program as text, with what it is in Python.  In the text of a region variables are assigned
# again, copies are made and constants are computed with, as in a function.

SCALED = """func scaled(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    $one = const(1)
    $two = const(2)
    three = $one + $two
    repeat(n)
    body(k):
    label 1:
        $item = getitem(value=x, index=k)
        t = $item
        branch t, 2, 3
    label 2:
        $unused = build_tuple(items=(t, three))
        $constant = three * $two
        t = t * $constant
        jump 4
    label 3:
        t = k
        jump 4
    label 4:
        x[k] = t
        yield ()
    end
    return x
"""


def scaled(n, x):
    for k in range(n):
        x[k] = x[k] * 6 if x[k] else k
    return x


TOTAL = """func total(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    $zero = const(0)
    found = carry(n)
    body(k; s = $zero):
    label 1:
        row = getitem(value=x, index=k)
        $inner = carry(n)
        body(j; r = s):
        label 2:
            item = getitem(value=row, index=j)
            branch item, 3, 4
        label 3:
            r = r + item
            jump 4
        label 4:
            yield (r)
        end
        s = $inner
        yield (s)
    end
    return found
"""


def total(n, x):
    found = 0.0
    for k in range(n):
        for j in range(n):
            found = found + x[k][j]
    return found


# Carries an array from run to run, allocates others, raises in the third run and nests in itself.
ARRAYS = """func arrays(n, stop):
label 0:
    n = arg(0, name=n)
    stop = arg(1, name=stop)
    $zeros = global(np.zeros: <function numpy.zeros>)
    $three = const(3)
    first = call $zeros($three, kws=(), vararg=None)
    found = carry(n)
    body(k; held = first):
    label 1:
        fresh = call $zeros($three, kws=(), vararg=None)
        kept = held
        $zero = const(0)
        fresh[$zero] = k
        $is = k == stop
        branch $is, 2, 3
    label 2:
        raise <class 'ValueError'>('stopped',)
    label 3:
        $inner = carry(k)
        body(j; sum = held):
        label 4:
            $odd = const(1)
            $test = j & $odd
            branch $test, 5, 6
        label 5:
            more = call $zeros($three, kws=(), vararg=None)
            $old = getitem(value=sum, index=$zero)
            $new = $old + j
            more[$zero] = $new
            sum = more
            jump 6
        label 6:
            unused = call $zeros($three, kws=(), vararg=None)
            yield (sum)
        end
        $big = getitem(value=$inner, index=$zero)
        branch $big, 7, 8
    label 7:
        held = $inner
        jump 8
    label 8:
        yield (held)
    end
    return found
"""


def arrays(n, stop):
    held = np.zeros(3)
    for k in range(n):
        fresh = np.zeros(3)
        fresh[0] = k
        if k == stop:
            raise ValueError("stopped")
        inner = held
        for j in range(k):
            if j & 1:
                more = np.zeros(3)
                more[0] = inner[0] + j
                inner = more
        if inner[0]:
            held = inner
    return held


# Goes wrong in its third run while its own array, what it carries and an outer array are alive.
FAILING = """func failing(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    $zeros = global(np.zeros: <function numpy.zeros>)
    $two = const(2)
    outer = call $zeros(n, kws=(), vararg=None)
    found = carry(n)
    body(k; held = x):
    label 1:
        fresh = call $zeros($two, kws=(), vararg=None)
        repeat(n)
        body(j):
        label 2:
            inner = call $zeros($two, kws=(), vararg=None)
            fresh[k] = j
            $read = getitem(value=held, index=k)
            inner[k] = $read
            outer[k] = $read
            yield ()
        end
        yield (fresh)
    end
    $zero = const(0)
    outer[$zero] = n
    return found
"""


def failing(n, x):
    outer = np.zeros(n)
    found = x
    for k in range(n):
        fresh = np.zeros(2)
        for j in range(n):
            inner = np.zeros(2)
            fresh[k] = j
            inner[k] = found[k]
            outer[k] = found[k]
        found = fresh
    return found


# A region with a loop in it, which assigns what is carried again and again.
LOOPING = """func looping(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    $range = global(range: <class 'range'>)
    $zeros = global(np.zeros: <function numpy.zeros>)
    $one = const(1)
    $zero = const(0)
    found = carry(n)
    body(k; held = x):
    label 1:
        $r = call $range(k, kws=(), vararg=None)
        $it = getiter(value=$r)
        jump 2
    label 2:
        $item, $valid = iternext(value=$it)
        branch $valid, 3, 4
    label 3:
        last = held
        held = call $zeros($one, kws=(), vararg=None)
        $old = getitem(value=last, index=$zero)
        $new = $old + $item
        held[$zero] = $new
        jump 2
    label 4:
        yield (held)
    end
    return found
"""


def looping(n, x):
    held = x
    for k in range(n):
        for item in range(k):
            last = held
            held = np.zeros(1)
            held[0] = last[0] + item
    return held


PROGRAMS = [
    pytest.param(LOOPING, looping, lambda: (4, np.ones(1)), id="looping"),
    pytest.param(FAILING, failing, lambda: (2, np.ones(2)), id="failing-not"),
    pytest.param(FAILING, failing, lambda: (5, np.ones(2)), id="failing"),
    pytest.param(SCALED, scaled, lambda: (3, np.array([1, 0, 5])), id="repeat"),
    pytest.param(SCALED, scaled, lambda: (0, np.array([1, 0, 5])), id="repeat-not"),
    pytest.param(TOTAL, total, lambda: (2, np.array([[1.0, 2.0], [0.0, 4.0]])), id="nested"),
    pytest.param(
        TOTAL.replace("const(0)", "const(0.0)"),
        total,
        lambda: (0, np.zeros((2, 2))),
        id="nested-not",
    ),
    pytest.param(ARRAYS, arrays, lambda: (6, -1), id="arrays"),
    pytest.param(ARRAYS, arrays, lambda: (0, -1), id="arrays-not"),
    pytest.param(ARRAYS, arrays, lambda: (6, 3), id="arrays-raise"),
]


def compiled_as(text: str, function: Any) -> Any:
    """The compiled function, whose program is this text."""

    def put_text(unit):
        """Put the text in the place of the program."""
        if unit.pyfunc is function:
            unit.fn = parse(text).fn

    step = Pass("put_text", put_text, Level.ir, Level.ir, "2 ir")
    return cutaway.jit(function, pipeline=pipelines.nopython.insert_after("build_ir", step))


class EveryPass(Observer):
    """Checks what each pass leaves of a program, and plays its rewrites again."""

    listens_to_rewrites = True

    def __init__(self, function: Any, make: Any) -> None:
        self.function = function
        self.make = make
        self.expected = outcome(function, make())
        self.before: tuple[Any, str] | None = None
        self.records: list[RewriteRecord] = []
        self.checked: list[str] = []

    def before_pass(self, unit, step) -> None:
        types = dict(unit.types) if unit.has("types") else {}
        self.before = (types, unit.fn.copy(), to_text(unit.fn)) if unit.has("fn") else None
        self.records = []

    def rewrite(self, unit, record) -> None:
        if isinstance(record, RewriteRecord):
            self.records.append(record)

    def after_pass(self, unit, step, seconds) -> None:
        if unit.pyfunc is not self.function or not unit.level.is_ir:
            return
        types = unit.types if unit.level is Level.typed else None
        wrong = verify(unit.fn, unit.level, types)
        assert not wrong, (step.name, list(map(str, wrong)), to_text(unit.fn))
        self.check_text(unit.fn, types)
        self.check_run(unit, types)
        if self.before is not None and step.name != "put_text":
            self.check_snapshot(unit)
        self.checked.append(step.name)

    def check_text(self, fn, types) -> None:
        names = known_objects(fn)
        by_name = {str(ty): ty for ty in (types or {}).values()}

        def read(name):
            return by_name[name] if name in by_name else parse_type(name)

        text = to_text(fn, types=types, spans=True)
        parsed = parse(text, names=names, parse_type=read)
        assert parsed.fn == fn and to_text(parsed.fn, types=types, spans=True) == text
        assert not types or parsed.types == {name: types[name] for name in parsed.types}

    def check_run(self, unit, types) -> None:
        counts = [References(unit)] if "refcounts" in unit.done else []
        how = {"before": counts[0].before} if counts else {}
        if types:
            how.update(types=types, coerce=coerce)
        found = outcome(lambda *args: interpret(unit.fn, *args, **how), self.make())
        assert same(found, self.expected), (unit.done, found, to_text(unit.fn))
        assert not any(count.wrong for count in counts), (counts[0].wrong, to_text(unit.fn))

    def check_snapshot(self, unit) -> None:
        """The program before the pass is as it was, and its rewrites lead to what is now, through
        programs that do the same."""
        types, snapshot, text = self.before
        assert to_text(snapshot) == text
        last = snapshot
        for record, last in zip(self.records, replay(snapshot, self.records), strict=True):
            types.update(record.types)
            if record.whole:
                how = {"types": types, "coerce": coerce} if types else {}
                found = outcome(lambda *args: interpret(last, *args, **how), self.make())  # noqa: B023
                assert same(found, self.expected), (record.rule, found, to_text(last))
        assert last == unit.fn, (to_text(last), to_text(unit.fn))
        for record in self.records:
            assert record.origin.startswith(RULES[record.rule].file), record
        assert to_text(snapshot) == text


def watched(text: str, function: Any, make: Any) -> tuple[Any, EveryPass]:
    half = api.half_of(compiled_as(text, function))
    watch = EveryPass(function, make)
    unit = compiler.new_unit(half, binding.call_types(half, make()))
    with compiler.unpublished(half, unit):
        compiler.compile_unit(unit, half.pipeline, (watch,))
    return unit, watch


@pytest.mark.parametrize(("text", "function", "make"), PROGRAMS)
def test_every_pass_keeps_what_a_program_with_regions_does(text, function, make):
    unit, watch = watched(text, function, make)
    assert {"put_text", "ssa", "simplify", "infer_types", "refcounts"} <= set(watch.checked)
    assert any(isinstance(op, Repeat | Carry) for op in walk(unit.fn))


@pytest.mark.parametrize(("text", "function", "make"), PROGRAMS)
def test_passes_leave_the_same_of_regions(text: str, function: Any, make: Any) -> None:
    check_same(compiled_as(text, function), make)


def test_a_rewrite_in_a_region_is_a_record_of_its_own() -> None:
    text, function, make = PROGRAMS[0].values
    trace = api.trace(compiled_as(text, function), *make(), level="rewrite")
    for name in ("ssa", "refcounts"):
        (step,) = (p for p in trace.passes if p.name == name)
        inside = [
            record
            for record in step.rewrites
            if isinstance(record, RewriteRecord)
            and any(old.REGIONS for change in record.changes for old in change.before or ())
        ]
        assert len(inside) > 3 and all(record.note for record in inside)


@pytest.mark.parametrize(("text", "function", "make"), PROGRAMS)
def test_compiled_regions_do_what_python_does_and_leave_no_memory(text, function, make):
    compiled = compiled_as(text, function)
    expected = outcome(function, make())
    assert same(outcome(compiled, make()), expected)
    gc.collect()
    before = stats()[0] - stats()[1]
    for _ in range(20):
        assert same(outcome(compiled, make()), expected)
    gc.collect()
    assert stats()[0] - stats()[1] == before
    trace = api.trace(compiled, *make())
    for level in ("ssa", "typed", "llvm", "llvm_opt", "asm"):
        assert same(outcome(trace.at(level).run, make()), expected), level


def test_what_is_not_needed_goes_and_what_is_constant_is_computed_in_a_region():
    unit, _ = watched(SCALED, scaled, lambda: (3, np.array([1, 0, 5])))
    text = to_text(unit.fn)
    assert "$unused" not in text and "const(6)" in text and "three" not in text


UNUSED = """func unused(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    $zero = const(0)
    u = carry(n)
    body(k; s = $zero):
    label 1:
        t = build_tuple(items=(s, k))
        repeat(n)
        body(j):
        label 2:
            v = build_tuple(items=(t, j))
            yield ()
        end
        yield (s)
    end
    return x
"""


def unused(n, x):
    return x


@pytest.mark.parametrize("does", ["", "    raise <class 'ValueError'>()\n"])
def test_an_op_goes_with_its_region_where_nothing_in_it_is_seen(does):
    text = UNUSED.replace("            yield ()\n", f"        {does}") if does else UNUSED
    unit, _ = watched(text, unused, lambda: (0, 1))
    assert [type(op) for op in walk(unit.fn) if op.REGIONS] == ([Carry, Repeat] if does else [])


def test_what_copies_of_a_loop_hold_has_ids_labels_and_names_of_its_own():
    text = """func copied(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    $range = global(range: <class 'range'>)
    $r = call $range(n, kws=(), vararg=None)
    $it = getiter(value=$r)
    $two = const(2)
    jump 1
label 1:
    $item, $valid = iternext(value=$it)
    branch $valid, 2, 3
label 2:
    i = $item
    $old = getitem(value=x, index=i)
    s = carry($two)
    body(k; c = $old):
    label 4:
        d = c + k
        yield (d)
    end
    x[i] = s
    jump 1
label 3:
    return x
"""

    def copied(n, x):
        for i in range(n):
            x[i] = x[i] + 1
        return x

    unit, _ = watched(text, copied, lambda: (3, np.array([1, 0, 5])))
    assert sum(isinstance(op, Carry) for op in walk(unit.fn)) == 2


def test_references_that_a_region_does_not_give_back_are_noticed():
    unit, _ = watched(ARRAYS, arrays, lambda: (6, -1))
    performed: dict[int, Op] = {}
    interpret(unit.fn, 6, -1, before=lambda op: performed.setdefault(op.id, op))
    counted = [op for op in performed.values() if isinstance(op, nodes.Incref | nodes.Decref)]
    assert len(counted) > 10
    for missing in counted:
        twin = unit.copy()
        for block in twin.fn.blocks.values():
            Editor(twin.fn).remove(block, missing)
        counts = References(twin)
        interpret(twin.fn, 6, -1, before=counts.before)
        assert counts.wrong, missing


def test_a_compilation_with_regions_is_looked_at_as_any_other(tmp_path):
    trace = api.trace(compiled_as(ARRAYS, arrays), 6, -1)
    unit = trace.at("typed").unit
    assert "body(k; held = first):" in str(trace.at("typed"))
    assert "kept = held" in str(trace.diff("rewrite_untyped", "simplify"))
    trace.save(tmp_path / "record.json")
    blocks = {line.text.split("[")[0].strip(): line.block for line in unit_lines(unit)}
    assert (blocks["yield (sum.2)"], blocks["return found"]) == ("6", "0")
    loaded = cutaway.load(tmp_path / "record.json")
    assert loaded.at("typed").text.strip() == str(trace.at("typed")).strip()
    assert trace.report(tmp_path / "report.html").exists()
    for kind in KINDS[Level.typed]:
        assert trace.at("typed").graph(kind)


def test_a_region_is_edited_and_goes_on_from_there():
    view = api.trace(compiled_as(TOTAL, total), 2, np.array([[1.0, 2.0], [0.0, 4.0]])).at("typed")
    same_again = view.edit(lambda text: text)
    assert same_again.unit.fn == view.unit.fn
    assert [op.id for op in walk(same_again.unit.fn)] == [op.id for op in walk(view.unit.fn)]
    twice = view.edit(lambda text: text.replace("r + item", "item + item"))
    assert twice.resume(unsafe=True)(2, np.array([[1.0, 2.0], [0.0, 4.0]])) == 8.0
    with pytest.raises(EditError, match=r"line \d+: there is no label 9 in this region") as caught:
        view.edit(lambda text: text.replace("branch item, 3, ", "branch item, 9, ")).resume()
    line = view.text.splitlines()[caught.value.loc.line - 1]
    assert line.strip().startswith("branch item, 3")
