"""Generators: where a `yield` may stand, and what `send`, `throw` and `close` do there."""

# ruff: noqa: B012, B904, F821  programs as they may be written

from __future__ import annotations

import sys

from corpus.control.cases import Cases

CASES = Cases()

VALUE = ValueError("thrown in")
KEY = KeyError("thrown too")


class Manager:
    """A context manager that logs, and may swallow what leaves the block."""

    def __init__(self, log, swallow=False):
        self.log = log
        self.swallow = swallow

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append(kind and kind.__name__)
        return self.swallow


# --- yield in loops -------------------------------------------------------------------------------


@CASES.case((0,), (3,), (9,))
def generator_for_loop_with_break_and_else(n):
    """A loop that yields runs its `else` unless it was broken."""
    for k in range(n):
        if k == 5:
            break
        yield k
    else:
        yield "else"
    yield "after"


@CASES.case((4,), (7,))
def generator_continue_after_a_yield(n):
    """`continue` and the test of a `while` work between yields."""
    while n:
        n -= 1
        if n % 2:
            yield -n
            continue
        yield n
    return n


@CASES.case(
    (), steps=("next", ("send", 1), ("send", "again"), ("send", 0), ("send", ""), "next", "next")
)
def generator_yield_in_the_condition_of_while():
    """What is sent decides whether the loop goes on."""
    turns = 0
    while (yield turns):
        turns += 1
    else:
        yield "ended"
    return turns


@CASES.case((), steps=("next", ("send", 3), ("send", [4, 5]), "next", ("send", None), "next"))
def generator_yield_as_what_a_loop_iterates_over():
    """The iterable of a loop is what a yield gives, and so is its target's item."""
    found = [None] * 9
    for found[(yield "index")] in (yield "items"):
        yield found[:5]
    return found


@CASES.case((), steps=("next", ("send", 2), ("send", None), "next", ("send", 5), "next"))
def generator_walrus_around_a_yield():
    """A walrus keeps what is sent until None comes."""
    total = 0
    while (sent := (yield total)) is not None:
        total += sent
    yield total, sent
    return -total


@CASES.case(
    (),
    steps=("next", *(("send", x) for x in ("push", 5, "push", 6, "pop", "what", "stop", "stop"))),
)
def generator_state_machine_by_match():
    """A `match` on what is sent."""
    stack, answer = [], None
    while True:
        match (yield answer):
            case "push":
                stack.append((yield "what?"))
                answer = len(stack)
            case "pop" if stack:
                answer = stack.pop()
            case "stop":
                return stack
            case other:
                answer = ("unknown", other)


# --- yield in expressions -------------------------------------------------------------------------


@CASES.case((), steps=("next", ("send", 2), ("send", 3), ("send", 4)))
def generator_yields_in_arithmetic():
    """Operands that were computed wait on the stack for those that come."""
    return (yield "a") * 10 + (yield "b") - (yield "c") ** 2


@CASES.case((), steps=("next", ("send", 2), ("send", 3), ("send", 4), ("send", 5)))
def generator_yields_in_a_call():
    """The function and its arguments are read before the yields that follow."""
    f = max
    found = f((yield f.__name__), *[(yield "star")], key=(yield "key") and abs)
    f = min
    return found, f((yield f.__name__), 1)


@CASES.case((), steps=("next", ("send", "k"), ("send", 1), ("send", "l"), ("send", 2), "next"))
def generator_yields_in_displays():
    """Keys and values of a dictionary are computed in turn."""
    made = {(yield "key"): (yield "value"), "m": [(yield "in a list")], "n": {(yield "in a set")}}
    yield made
    return list(made)


@CASES.case((), steps=("next", ("send", 7), ("send", "t"), ("send", 0), "next"))
def generator_order_of_an_assignment_to_an_item():
    """The value is computed before the target and the index."""
    items = [1, 2]
    names = {"t": items}
    names[(yield "target")][(yield "index")] = yield "value"
    return names


@CASES.case((), steps=("next", ("send", 5), ("send", 6), "next", ("send", 1)))
def generator_augmented_assignment_reads_before_it_yields():
    """The old value of an item is read before the yield, the new one stored after it."""
    items = [1]

    def change():
        items[0] = 100
        return 0

    items[0] += (yield "first") + change()
    total = items[0]
    total += yield total
    yield total, items
    items[change()] *= yield "last"
    return items


@CASES.case(
    (), steps=("next", ("send", 0), ("send", 5), "next", ("send", 1), ("send", 0), ("send", 7))
)
def generator_yields_in_short_circuits():
    """Only those operands yield that Python computes."""
    first = (yield "a") and (yield "b") or (yield "c")
    yield first
    second = (yield "d") and (yield "e") or (yield "f")
    return (yield "then") if second else (yield "else")


@CASES.case((), steps=("next", ("send", 1), ("send", 2), ("send", 0), "next"))
def generator_yields_in_a_chained_comparison():
    """The middle of a chain is computed once, and the end only where the first part holds."""
    first = (yield 1) < (yield 2) < (yield 3)
    yield first
    return (yield 4) < (yield 5) < (yield 6)


@CASES.case((), steps=("next", ("send", 3.25), ("send", ".1f"), ("send", "x"), "next"))
def generator_yields_in_an_fstring():
    """An f-string waits in the middle of its pieces."""
    text = f"<{(yield 'value'):{(yield 'format')}}|{(yield 'second')!r}>"
    yield text


@CASES.case((), steps=("next", ("send", ValueError("sent")), ("send", KeyError("cause"))))
def generator_yields_in_raise_from():
    """Both parts of a `raise` are yields."""
    raise (yield "error") from (yield "cause")


@CASES.case((), steps=("next", ("send", 0), ("send", "the message")))
def generator_yields_in_an_assertion():
    """The message of an assertion is computed only where it fails."""
    assert (yield "condition"), (yield "message")


@CASES.case((), steps=("next", ("send", 1), "next", ("send", 9)))
def generator_yield_in_del():
    """`del` of an item whose index is sent."""
    items = ["a", "b", "c"]
    del items[(yield items)]
    yield items
    del items[(yield items)]


@CASES.case((), steps=("next", ("send", (1, 2)), ("send", 3), ("send", (4,))))
def generator_unpacks_what_it_is_sent():
    """Unpacking may fail after it was resumed."""
    a, b = yield "two"
    c, (d, *e) = (yield a), (yield b)
    return a, b, c, d, [*e]


# --- yield in try ---------------------------------------------------------------------------------


@CASES.case((), steps=("next", ("throw", VALUE), "next", ("throw", KEY), "next"))
def generator_handles_what_is_thrown_and_goes_on():
    """A handler in a loop handles what is thrown at the yield."""
    for k in range(5):
        try:
            yield k
        except ValueError as error:
            yield error.args


@CASES.case((), steps=("next", ("throw", VALUE), "next", "next", "next"))
def generator_exc_info_across_a_yield_in_a_handler():
    """The exception that a generator handles is there again when it goes on."""
    yield sys.exc_info()[0]
    try:
        yield "in try"
    except ValueError:
        yield sys.exc_info()[1].args
        yield sys.exc_info()[1].args
    yield sys.exc_info()[0]


@CASES.case(([],), steps=("next", ("throw", VALUE), ("throw", KEY), "next"))
def generator_throw_into_a_handler(log):
    """What is thrown at a yield in a handler has the handled exception as its context."""
    try:
        try:
            yield 1
        except ValueError:
            yield 2
    finally:
        log.append(sys.exc_info()[0])


@CASES.case((), steps=("next", ("throw", VALUE), "next"))
def generator_bare_raise_after_a_yield():
    """`raise` after a yield means what the handler handles."""
    try:
        1 / (yield 1)
    except (TypeError, ValueError):
        yield 2
        raise


@CASES.case((0,), (1,), steps=("next", "next", "next"))
def generator_yield_in_the_else_of_try(n):
    """What the `else` raises is not handled by the `except` of the same `try`."""
    try:
        yield 1 // n
    except ZeroDivisionError:
        yield "handled"
    else:
        yield [].pop()
    return "end"


@CASES.case((False,), (True,))
def generator_yield_in_finally_holds_a_return_back(early):
    """The value of a `return` waits while `finally` yields."""
    try:
        if early:
            return "early"
        yield 1
    finally:
        yield "finally"
    return "late"


@CASES.case((), steps=("next", ("throw", VALUE), ("throw", KEY)))
def generator_throw_replaces_the_exception_of_finally():
    """Another exception thrown at a yield in `finally` has the first as its context."""
    try:
        yield 1
    finally:
        yield "finally"


@CASES.case(([],), steps=("next", ("throw", VALUE), "next", "next"))
def generator_return_in_finally_drops_the_exception(log):
    """A `return` in `finally` after a yield ends the generator without an exception."""
    try:
        yield 1
    finally:
        log.append((yield 2))
        return 3


@CASES.case(([],), steps=("next", "next", ("throw", VALUE), "next"))
def generator_break_leaves_finally_after_a_yield(log):
    """`break` and `continue` run a `finally` that yields."""
    for k in range(3):
        try:
            if k == 1:
                break
            continue
        finally:
            try:
                log.append((yield k))
            except ValueError:
                log.append("thrown")
    yield "after"


@CASES.case(([], True), ([], False), steps=("next", ("throw", VALUE), "next"))
def generator_throw_into_with(log, swallow):
    """`__exit__` sees what is thrown, and may swallow it."""
    with Manager(log, swallow) as manager:
        yield manager.swallow
    yield "after"


@CASES.case(([], True), ([], False), steps=("next", "close", "next"))
def generator_close_in_with(log, swallow):
    """`__exit__` sees GeneratorExit; a manager that swallows it lets the generator return."""
    with Manager(log, swallow):
        yield 1
    log.append("after")


# --- close and throw at odd places ----------------------------------------------------------------


@CASES.case(([],), steps=("next", "close", "close", "next"))
def generator_close_runs_finally_past_except(log):
    """GeneratorExit is no Exception: handlers of those let it through."""
    try:
        try:
            yield 1
        except Exception:
            log.append("except")
        else:
            log.append("else")
    finally:
        log.append(sys.exc_info()[0].__name__)


@CASES.case((), steps=("next", "close", "next", "close", "next", "next"))
def generator_answers_close_by_a_yield():
    """A generator that yields when it is closed: RuntimeError, and it goes on."""
    for k in range(3):
        try:
            yield k
        except GeneratorExit:
            yield "no"


@CASES.case(([],), steps=("next", "close", "next"))
def generator_returns_a_value_when_closed(log):
    """What a generator returns when it is closed, which `close` gives since Python 3.13."""
    try:
        yield 1
    except GeneratorExit as error:
        log.append(error)
        return "closed"


@CASES.case(([],), steps=("next", "close", "next"))
def generator_raises_another_exception_when_closed(log):
    """Another exception comes out of `close`, with GeneratorExit as its context."""
    try:
        yield 1
    finally:
        log.append("finally")
        raise KeyError("instead")


@CASES.case(([],), steps=("close", "next"))
def generator_closed_before_it_starts(log):
    """Nothing of the body runs."""
    log.append("started")
    try:
        yield 1
    finally:
        log.append("finally")


@CASES.case(([],), steps=(("throw", VALUE), "next", ("throw", KEY)))
def generator_throw_before_it_starts(log):
    """What is thrown before the start meets no handler of the body."""
    try:
        log.append("started")
        yield 1
    except ValueError:
        log.append("handled")


@CASES.case(([],), steps=(("send", 1), ("send", None), ("send", 2), ("send", 3)))
def generator_send_before_it_starts(log):
    """A value cannot be sent before the first yield, None can."""
    log.append((yield "a"))
    log.append((yield "b"))


@CASES.case((), steps=("next", ("throw", GeneratorExit("by hand")), "next"))
def generator_exit_thrown_by_hand():
    """GeneratorExit that is thrown is an exception like others."""
    try:
        yield 1
    except GeneratorExit as error:
        yield error.args


@CASES.case(([],), steps=("next", "next"))
def generator_dropped_while_it_waits(log):
    """A generator that nobody holds any more is closed."""
    try:
        yield 1
        yield 2
        yield 3
    finally:
        log.append("finally")


# --- StopIteration in generators ------------------------------------------------------------------


@CASES.case(([],), steps=("next", "next", "next"))
def generator_raises_stop_iteration_by_hand(log):
    """StopIteration that leaves a generator becomes RuntimeError, after `finally`."""
    try:
        yield 1
        raise StopIteration("by hand")
    finally:
        log.append(sys.exc_info()[0].__name__)


@CASES.case(([1, 2],), ([],))
def generator_next_without_a_handler(items):
    """So does the one of `next` of another iterator."""
    one = iter(items)
    while True:
        yield next(one)


@CASES.case((), steps=("next", ("throw", StopIteration("thrown")), "next"))
def generator_stop_iteration_thrown_in():
    """StopIteration that is thrown and not handled becomes RuntimeError as well."""
    yield 1


@CASES.case((), steps=("next", ("throw", StopIteration("thrown")), "next"))
def generator_handles_stop_iteration():
    """One that is handled inside is an exception like others."""
    try:
        yield 1
    except StopIteration as error:
        yield error.value
    return "end"


@CASES.case((), steps=("next", ("throw", VALUE), "next"))
def generator_raises_stop_iteration_in_a_handler():
    """RuntimeError comes of the StopIteration, whose context is what was handled."""
    try:
        yield 1
    except ValueError as error:
        raise StopIteration("in a handler") from error


@CASES.case((), steps=("next", ("throw", VALUE), "next", "next"))
def generator_stop_iteration_goes_from_handler_to_handler():
    """StopIteration that leaves a handler is caught around it, before it becomes another."""
    try:
        try:
            yield 1
        except ValueError:
            raise StopIteration("inner")
        finally:
            yield sys.exc_info()[0]
    except StopIteration as error:
        yield error.args, type(error.__context__)


@CASES.case((), steps=("next", "next"))
def generator_raises_stop_async_iteration():
    """StopAsyncIteration is nothing special."""
    yield 1
    raise StopAsyncIteration("odd")


@CASES.case(((1, 2),), (StopIteration(3),), (None,), (ValueError("as a value"),))
def generator_returns_odd_values(value):
    """A tuple, or an exception, is returned as it is."""
    yield 1
    return value


@CASES.case((0,), (2,))
def generator_that_never_yields(n):
    """A `yield` that is never reached makes a generator all the same."""
    if False:
        yield n
    return 1 // n


@CASES.case((), steps=("next", "next", "next"))
def generator_reads_a_variable_deleted_before_a_yield():
    """A local variable that was deleted stays unbound."""
    x = 1
    yield x
    del x
    yield "deleted"
    yield x
