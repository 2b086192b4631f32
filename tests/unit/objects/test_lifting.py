"""Loops of functions in object mode that run with types: what they give, and which do."""

from __future__ import annotations

import gc
import sys
import threading
import traceback

import numpy as np
import pytest

import cutaway
from cutaway.errors import NotCompiledError, PipelineError
from cutaway.inspection.explaining.lifting import LoopRuns

pytestmark = pytest.mark.sampled(test=3, others=9)

lifted = cutaway.jit(forceobj=True)
objects = cutaway.jit(forceobj=True, looplift=False)


class Thing:
    """An object without a type in compiled code."""

    def __init__(self, value=0):
        self.value = value


def outcome(function, *args):
    """What a call gives or raises, with the lines of the traceback in its own file."""
    try:
        return "returned", function(*args)
    except Exception as error:  # noqa: BLE001  whatever it is
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__)[1:]]
        context = type(error.__context__) if error.__context__ else None
        return "raised", type(error), str(error), context, lines


def first_loop(function) -> LoopRuns:
    """The first loop of a compiled function."""
    return function.lifted_loops[0]


def sums(thing, a, n):
    thing.value += 1
    s = 0.0
    for k in range(n):
        s += a[k] * a[k]
    return s


def breaks(thing, a, n):
    for k in range(n):
        if a[k] > 2.0:
            break
    else:
        return "none", thing.value
    return k, thing.value


def returns(thing, a, n):
    for k in range(n):
        if a[k] > 2.0:
            return k, "large"
        if a[k] < 0.0:
            return -k, "negative"
    return n, thing.value


def may_be_unbound(thing, a, n):
    for k in range(n):
        last = a[k]
    return last, k, thing.value


def bound_before(thing, a, n):
    last = 7.5
    if thing.value:
        k = -1
    for k in range(n):
        last = a[k]
    return last, k


def deletes(thing, a, n):
    x = 1.0
    for k in range(n):
        x = a[k]
        if k == 2:
            del x
            break
    return x


def steps(thing, a, n):
    i = n
    count = 0
    while i > 1:
        i = i // 2 if i % 2 == 0 else 3 * i + 1
        count += 1
    return count, i, thing.value


def divides(thing, a, n):
    s = 0.0
    for k in range(n):
        s += 1.0 / (k - thing.value)
    return s


def divides_ints(thing, a, n):
    by = thing.value
    s = 0
    for k in range(n):
        s += 10 // (k - by)
    return s


def out_of_range(thing, a, n):
    s = 0.0
    for k in range(n + 10):
        s += a[k]
    return s


def handles_inside(thing, a, n):
    caught = 0
    s = 0
    for k in range(n):
        try:
            s += 10 // (k - 1)
        except ZeroDivisionError:
            caught += 1
    return s, caught, thing.value


def returns_in_handler(thing, a, n):
    s = 0
    for k in range(n):
        try:
            s += 10 // (k - 1)
        except ZeroDivisionError:
            return k, s
    return s


def handles_outside(thing, a, n):
    by = thing.value
    s = 0
    try:
        for k in range(n):
            s = s + 10 // (k - by)
    except ZeroDivisionError as error:
        return str(error)
    return s


def handler_reads(thing, a, n):
    s = 0
    by = thing.value
    try:
        for k in range(n):
            s = s + 10 // (k - by)
    except ZeroDivisionError:
        return "after", s
    return s


def in_a_handler(thing, a, n):
    try:
        raise KeyError(1)
    except KeyError:
        by = thing.value
        s = 0
        for k in range(n):
            s += 10 // (k - by)
        return s


def raises(thing, a, n):
    for k in range(n):
        if a[k] > 2.0:
            raise ValueError("too large", k)
    return thing.value


def in_a_nest(thing, a, n):
    found = []
    for name in ("a", "b", thing):
        s = 0.0
        for k in range(n):
            s += a[k]
        found.append((str(type(name)), s, k))
    return found


def over_values(thing, a, n):
    s = 0.0
    for x in a:
        s += x
    for k, x in enumerate(a):
        s += k * x
    for x, y in zip(a, a):
        s += x * y
    return s, thing.value


def shares(thing, a, n):
    total = 0.0

    def read():
        return total

    for k in range(n):
        total += a[k]
    thing.read = read
    return read(), total


def makes_arrays(thing, a, n):
    made = a
    for _ in range(n):
        made = made + 1.0
    return made, thing.value


def squares(thing, a, n):
    return [k * k for k in range(n)], thing.value


def swaps(thing, a, n):
    x, y = 0, 1
    for _ in range(n):
        x, y = y, x + y
    return x, y, thing.value


FUNCTIONS = [
    *(sums, breaks, returns, may_be_unbound, bound_before, deletes, steps, divides, divides_ints),
    *(out_of_range, handles_inside, returns_in_handler, handles_outside, handler_reads),
    *(in_a_handler, raises, in_a_nest, over_values, shares, squares, swaps),
]
CALLS = [
    (Thing(), np.arange(6.0), 6),
    (Thing(3), np.arange(2.0), 2),
    (Thing(1), -np.arange(5.0), 5),
    (Thing(2), np.arange(3.0), 0),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("call", CALLS, ids=["6", "2", "5", "0"])
def test_a_loop_with_types_does_what_python_does(function, call):
    thing, a, n = call
    compiled = lifted(function)
    for _ in range(3):
        expected = outcome(function, Thing(thing.value), a.copy(), n)
        assert outcome(compiled, Thing(thing.value), a.copy(), n) == expected


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_each_level_up_to_objects_does_the_same(function):
    compiled = lifted(function)
    for thing, a, n in CALLS[:2]:
        trace = compiled.trace(Thing(thing.value), a, n)
        expected = outcome(function, Thing(thing.value), a.copy(), n)[:3]
        for level in ("build_ir", "lift_loops", "count_references", "pair_refcounts"):
            got = outcome(trace.at(level).run, Thing(thing.value), a.copy(), n)[:3]
            assert got == expected, level
            assert not trace.at(level).verify()


RUN_WITH_TYPES = [
    *(sums, breaks, returns, may_be_unbound, bound_before, deletes, steps, divides_ints),
    *(out_of_range, handles_inside, returns_in_handler, handles_outside, in_a_handler, raises),
    *(over_values, shares, makes_arrays, swaps),
]


@pytest.mark.parametrize("function", RUN_WITH_TYPES, ids=lambda function: function.__name__)
def test_loops_over_numbers_and_arrays_run_with_types(function):
    compiled = lifted(function)
    outcome(compiled, Thing(2), np.arange(6.0), 6)
    assert first_loop(compiled).verdict == "lifted", compiled.why_not_lifted()


def test_what_a_loop_makes_is_the_same():
    expected, got = (f(Thing(), np.arange(3.0), 4)[0] for f in (makes_arrays, lifted(makes_arrays)))
    assert (expected == got).all() and expected.dtype == got.dtype


def test_without_it_no_loop_is_lifted():
    compiled = objects(sums)
    compiled(Thing(), np.arange(3.0), 3)
    assert "lift_loops" not in compiled.trace(Thing(), np.arange(3.0), 3).levels
    assert str(compiled.lifted_loops) == "no loop is lifted"
    with pytest.raises(PipelineError, match="has no lifted loops"):
        compiled.why_not_lifted()


def test_integers_wrap_in_a_lifted_loop():
    assert lifted(swaps)(Thing(), np.arange(1.0), 92)[1] == 12200160415121876738 - 2**64
    assert objects(swaps)(Thing(), np.arange(1.0), 92)[1] == 12200160415121876738


def test_an_integer_that_has_no_type_runs_as_an_object():
    compiled = lifted(steps)
    assert compiled(Thing(), None, 7) == steps(Thing(), None, 7)
    assert compiled(Thing(), None, 2**70) == steps(Thing(), None, 2**70)
    assert first_loop(compiled).verdict == "lifted"


# --- what is not lifted, and why ------------------------------------------------------------------


def reason(function, *args):
    """Why the first loop of a function does not run with types."""
    compiled = lifted(function)
    outcome(compiled, *args)
    assert first_loop(compiled).verdict == "objects"
    return str(first_loop(compiled))


def yields(n):
    for k in range(n):
        yield 2 * k


def forever(n):
    while True:
        n = 1 // n - 1


def counts(n):
    global COUNTED
    for k in range(n):
        COUNTED = k


def test_a_shape_that_does_not_allow_it_is_a_reason():
    compiled = lifted(yields)
    list(compiled(3))
    assert "is not lifted: it yields" in str(first_loop(compiled))
    assert "nothing but an exception ends it" in reason(forever, 1)
    assert "it assigns to a variable of the module" in reason(counts, 2)
    text = reason(handler_reads, Thing(), np.arange(3.0), 3)
    assert "what handles its exceptions reads `s` as it is when one is raised" in text
    assert "hint: assign to a variable of its own" in text


def lists(xs):
    s = 0
    for x in xs:
        s += x
    return s


def test_values_without_types_are_a_reason_in_the_words_of_a_typing_error():
    line = lists.__code__.co_firstlineno + 2
    text = reason(lists, [1, 2])
    assert text.startswith(f"the loop at line {line} runs as objects")
    assert "`xs` is a list, which each run of the loop would copy" in text
    assert "hint: compile the whole function" in text
    thing_text = reason(lists, Iterates())
    assert "`xs` is an object of class Iterates, which has no type in compiled code" in thing_text


class Iterates:
    """Its items are one, two and three; whoever asks it anything else is noted."""

    asked: list[str] = []

    def __iter__(self):
        return iter((1, 2, 3))

    def __hash__(self):
        self.asked.append("hash")
        return 1

    def __getattr__(self, name):
        self.asked.append(name)
        raise AttributeError(name)


def test_objects_are_asked_nothing():
    Iterates.asked.clear()
    assert lifted(lists)(Iterates()) == 6
    assert not Iterates.asked


def test_a_loop_that_does_not_fit_once_may_fit_later():
    compiled = lifted(lists)
    for _ in range(20):
        assert compiled([1, 2]) == 3
    assert compiled(np.arange(4)) == 6
    assert compiled((1, 2.5)) == 3.5
    loop = first_loop(compiled)
    assert loop.is_lifted and loop.attempts
    assert len(loop.signatures) >= 1


class Odd(int):
    """An integer that adds in its own way."""

    def __radd__(self, other):
        return int(other) + 100


def test_a_subclass_of_a_number_keeps_its_operators():
    def adds(n, x):
        s = 0
        for _ in range(n):
            s = s + x
        return s

    assert lifted(adds)(3, Odd(1)) == adds(3, Odd(1)) == 300


def test_a_subclass_of_arrays_keeps_its_operators():
    def product(n, m):
        made = m
        for _ in range(n):
            made = made * m
        return made

    m = np.matrix([[1.0, 2.0], [3.0, 4.0]])
    assert (lifted(product)(2, m) == product(2, m)).all()


def test_a_line_inside_a_loop_means_the_innermost():
    compiled = lifted(in_a_nest)
    compiled(Thing(), np.arange(3.0), 3)
    first = in_a_nest.__code__.co_firstlineno
    assert compiled.why_not_lifted(first + 2).verdict == "objects"
    assert compiled.why_not_lifted(first + 5) is not None
    assert compiled.why_not_lifted(first + 5).line == first + 4
    assert compiled.why_not_lifted(first + 4).verdict == "lifted"
    with pytest.raises(PipelineError, match="there is no loop at line 1"):
        compiled.why_not_lifted(1)


def test_before_a_call_nothing_is_known():
    compiled = lifted(sums)
    with pytest.raises(NotCompiledError):
        compiled.why_not_lifted()
    assert not compiled.lifted_loops
    trace = compiled.trace(Thing(), np.arange(3.0), 3)
    assert trace.why_not_lifted(first_line(sums) + 3).verdict == "not run"
    assert "has not run yet" in str(trace.lifted_loops)


def first_line(function):
    return function.__code__.co_firstlineno


def test_a_trace_has_what_has_run_below_the_pass():
    compiled = lifted(sums)
    compiled(Thing(), np.arange(3.0), 3)
    trace = compiled.trace(Thing(), np.arange(3.0), 3)
    record = next(one for one in trace.passes if one.name == "lift_loops")
    (inner,) = record.nested
    assert inner.name == f"sums (loop at line {first_line(sums) + 3})"
    assert inner.at("asm").text and inner.at("typed").verify() == ()
    assert trace.why_not_lifted(first_line(sums) + 3).is_lifted
    assert "lift_loops" in str(trace.timings)


# --- what a loop reads of the module and of enclosing functions -----------------------------------

FACTOR = 3
COUNTED = 0


@cutaway.njit
def twice(x):
    return 2 * x


@cutaway.njit
def thrice(x):
    return 3 * x


CALLED = twice


def uses_globals(n):
    s = 0
    for k in range(n):
        s += CALLED(k) * FACTOR
    return s


def test_globals_are_read_when_a_loop_begins(monkeypatch):
    module = sys.modules[__name__]
    compiled = lifted(uses_globals)
    for called, factor in ((twice, 3), (twice, 5), (thrice, 5), (twice, 2.5), (twice, 3)):
        monkeypatch.setattr(module, "CALLED", called)
        monkeypatch.setattr(module, "FACTOR", factor)
        plain = 3 if called is thrice else 2
        assert compiled(4) == sum(plain * k * factor for k in range(4))
    assert first_loop(compiled).is_lifted
    monkeypatch.setattr(module, "CALLED", lambda x: -x)
    assert compiled(4) == -18
    monkeypatch.delattr(module, "FACTOR")
    assert outcome(compiled, 2)[1:3] == (NameError, "name 'FACTOR' is not defined")


def test_a_function_that_changes_each_time_runs_as_objects(monkeypatch):
    module = sys.modules[__name__]
    compiled = lifted(uses_globals)
    for k in range(40):
        monkeypatch.setattr(module, "CALLED", lambda x, k=k: x + k)
        assert compiled(3) == 9 + 9 * k


def test_variables_of_enclosing_functions_are_read_when_a_loop_begins():
    def outer(scale):
        @lifted
        def inner(n):
            s = 0.0
            for k in range(n):
                s += k * scale
            return s

        def change(to):
            nonlocal scale
            scale = to

        return inner, change

    inner, change = outer(2.0)
    assert inner(4) == 12.0
    change(3.0)
    assert inner(4) == 18.0
    change(Thing())
    assert outcome(inner, 4)[1] is TypeError
    assert first_loop(inner).is_lifted


# --- memory, threads, recursion -------------------------------------------------------------------


def test_nothing_is_left_behind():
    functions = [lifted(one) for one in FUNCTIONS]
    for compiled in functions:
        for thing, a, n in CALLS:
            for _ in range(12):
                outcome(compiled, thing, a, n)
    thing, a = Thing(2), np.arange(6.0)
    gc.collect()
    before = sys.getrefcount(thing), sys.getrefcount(a)
    for compiled in functions:
        for _ in range(20):
            outcome(compiled, thing, a, 6)
    thing.__dict__.pop("read", None)
    gc.collect()
    assert (sys.getrefcount(thing), sys.getrefcount(a)) == before


def test_threads_run_and_compile_one_loop():
    compiled = lifted(sums)
    wrong = []

    def work(k):
        a = np.arange(50.0) if k % 2 else np.arange(50)
        for _ in range(50):
            if compiled(Thing(), a, 50) != float((a * a).sum()):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_function_that_calls_itself_has_its_loops_lifted():
    def depth(thing, n):
        s = 0
        for k in range(n):
            s += k
        return s + (compiled(thing, n - 1) if n else thing.value)

    compiled = lifted(depth)
    assert compiled(Thing(5), 10) == sum(sum(range(k)) for k in range(11)) + 5


def test_a_generator_runs_loops_between_its_yields():
    def parts(a, n):
        for size in range(n):
            s = 0.0
            for k in range(size):
                s += a[k]
            yield s

    compiled = lifted(parts)
    assert list(compiled(np.arange(9.0), 9)) == list(parts(np.arange(9.0), 9))
    assert compiled.lifted_loops[0].reason == "it yields"
    assert compiled.lifted_loops[1].is_lifted


def test_a_loop_with_many_values_runs_as_objects():
    names = [f"x{k}" for k in range(60)]
    body = "\n".join(f"        {name} = {name} + i" for name in names)
    source = f"def many(n):\n    {' = '.join(names)} = 0\n    for i in range(n):\n{body}\n"
    space: dict[str, object] = {}
    exec(f"{source}    return {' + '.join(names)}\n", space)  # noqa: S102
    compiled = lifted(space["many"])
    assert compiled(3) == 180
    assert "more than 48 values" in str(first_loop(compiled))


def test_a_lifted_loop_can_be_asked_as_any_compilation():
    compiled = lifted(sums)
    compiled(Thing(), np.arange(3.0), 3)
    trace = compiled.trace(Thing(), np.arange(3.0), 3)
    (loop,) = next(one for one in trace.passes if one.name == "lift_loops").nested
    assert "Python" in str(loop.witness()) and "differs" not in str(loop.witness())
    assert "`s` is float64" in str(loop.why("s"))
    lines = {row.line for row in loop.lines} - {0}
    loop_lines = {first_line(sums) + 3, first_line(sums) + 4}
    assert loop_lines <= lines <= loop_lines | {first_line(sums)}  # where parameters are
    assert not any(row.near for row in loop.lines)


def test_a_text_that_grows_runs_as_an_object():
    def joined(n):
        s = ""
        for _ in range(n):
            s += "x"
        return s

    compiled = lifted(joined)
    assert compiled(5) == "xxxxx"
    assert "`s` is a text that grows" in str(first_loop(compiled))


class Settings:
    factor = 2


def reads_attributes(n):
    s = 0
    for k in range(n):
        s += Settings.factor * k
    return s


def test_attributes_of_classes_are_read_when_a_loop_begins(monkeypatch):
    compiled = lifted(reads_attributes)
    for factor in range(40):  # more often than a loop is compiled anew
        monkeypatch.setattr(Settings, "factor", factor)
        assert compiled(4) == reads_attributes(4)
    assert first_loop(compiled).verdict == "lifted", compiled.why_not_lifted()


def shares_with_a_kept_function(kept, n):
    s = 0.0

    def read():
        return s

    kept.append(read)
    for k in range(n):
        s += 1 / (k - 3)
    return s


def test_a_loop_that_assigns_what_a_kept_function_reads_runs_as_objects():
    compiled, kept = lifted(shares_with_a_kept_function), []
    with pytest.raises(ZeroDivisionError):
        compiled(kept, 5)
    assert kept[0]() == -1 / 3 - 1 / 2 - 1
    assert "assigns to `s`, which an inner function shares" in str(compiled.why_not_lifted())


def passes_on(n, t, x):
    q, y = None, x
    for k in range(n):
        q = t
        if k > 100:
            x = 0.5
    return q is t, y is x


@pytest.mark.parametrize("value", [(1, 2.5), (1.5, (2, "text")), slice(1, 900), range(900), "text"])
def test_what_a_loop_passes_on_is_the_same_object(value):
    compiled = lifted(passes_on)
    assert compiled(3, value, 2.25) == (True, True)
