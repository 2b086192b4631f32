"""Generators as programs use them: in loops, as pipelines, with `send`, `throw` and `close`."""

# ruff: noqa: E731, F821, UP028  programs as they may be written

from __future__ import annotations

import itertools

from corpus.control.cases import Cases

CASES = Cases()

GENERATED = RuntimeError("thrown at it")
WRONG = TypeError("of another kind")


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


def counted(n, log=None):
    """Count up, and say when it ends and why."""
    try:
        for k in range(n):
            yield k
    except BaseException as error:
        if log is not None:
            log.append(said(error))
        raise
    finally:
        if log is not None:
            log.append("finally")


# --- functions that yield -------------------------------------------------------------------------


@CASES.case((10,), (1,), (0,))
def yields_fibonacci_numbers(limit):
    """Two variables that live from one yield to the next."""
    a, b = 0, 1
    while a < limit:
        yield a
        a, b = b, a + b
    return a, b


@CASES.case(([3, [1, [2]], []],), ([],), (["ab", ["c"]],))
def yields_what_nested_lists_hold(items):
    """A stack of iterators instead of a recursion."""
    stack = [iter(items)]
    while stack:
        for item in stack[-1]:
            if isinstance(item, list):
                stack.append(iter(item))
                break
            yield len(stack), item
        else:
            stack.pop()


@CASES.case((), steps=("next", ("send", 10), ("send", 20), ("send", 3), "close", "next"))
def yields_an_average_of_what_is_sent():
    """A running average."""
    total, count, average = 0.0, 0, None
    while True:
        value = yield average
        total += value
        count += 1
        average = total / count


@CASES.case(([],), steps=("next", ("throw", GENERATED), "next", ("throw", WRONG), "next", "next"))
def yields_after_what_is_thrown(log):
    """One kind of exception is handled, another one ends the generator."""
    k = 0
    while k < 10:
        try:
            k += 1
            yield k
        except RuntimeError as error:
            log.append(error.args)
            k *= 10
        finally:
            log.append(("finally", k))
            if k == 11:
                yield log[:]


@CASES.case(([],), steps=("close", "next"))
@CASES.case(([],), steps=("next", "close", "next", "close"))
@CASES.case(([],), steps=("next", "next", "close", "next"))
def yields_before_and_after_it_is_closed(log):
    """A generator that is closed before it began, in the middle, and at its end."""
    log.append("began")
    try:
        yield log
        log.append("between")
    except GeneratorExit:
        log.append("closed")
        raise
    yield log
    log.append("ended")


@CASES.case((0,), (1,), (2,), (3,))
def yields_and_raises_in_the_end(kind):
    """What a generator raises, and what becomes of a StopIteration of its own."""
    yield "first"
    if kind == 0:
        raise ValueError("of its own")
    if kind == 1:
        raise StopIteration("of its own")
    if kind == 2:
        yield next(iter(()))
    return kind


@CASES.case((5,), ([],))
def yields_in_a_class_and_a_lambda(n):
    """Inner generators that close over variables of one that waits."""
    log = [n]

    class Rows:
        def __iter__(self):
            for k in range(2):
                yield k, log[-1]

    pairs = lambda: ((yield n), log.append("lambda"))
    for row in Rows():
        yield row
        log.append(row)
    yield from pairs()
    n = "changed"
    yield next(pairs())
    yield len(log)


@CASES.case(([1, 2, 3],), ({"a": 1},), ("xy",), (5,))
def yields_while_it_iterates(items):
    """A generator over what may change, or may be no iterable."""
    seen = yield "begin"
    for place, item in enumerate(items):
        sent = yield place, item
        if sent:
            items.append(sent)
    else:
        yield "else"
    yield seen


@CASES.case((), steps=("next", ("send", "a"), ("send", "b"), ("throw", WRONG), "next"))
def yields_with_values_that_wait():
    """Values on the stack while a generator waits, which an exception drops."""
    try:
        return [1, (yield 2), {"k": (yield 3)}, *(yield 4), (yield 5)]
    except TypeError as error:
        yield said(error)


@CASES.case((3,), (0,))
def yields_from_variables_of_all_kinds(n):
    """Locals, cells, unbound variables, and a comprehension between two yields."""
    kept = lambda: n
    if n:
        bound = "bound"
    yield [k * n for k in range(n)]
    n += 1
    yield kept()
    try:
        yield bound
    except UnboundLocalError as error:
        yield error.args
    del n
    try:
        yield kept()
    except NameError as error:
        yield type(error).__name__, error.args


# --- functions that use generators ----------------------------------------------------------------


@CASES.case((5,), (0,), (1,))
def generating_in_loops_and_by_hand(n):
    """A generator in a `for`, by `next`, unpacked, and once it is empty."""
    one = counted(n)
    first = next(one, "empty")
    found = list(one)
    try:
        next(one)
    except StopIteration as error:
        found.append(error.args)
    a, *b = itertools.chain([0], counted(n))
    return (
        first,
        found,
        list(one),
        sum(counted(n)),
        a,
        b,
        1 in counted(n),
        dict(enumerate(counted(n))),
    )


@CASES.case(([1, 2, 3, 4, 5, 6],), ([],))
def generating_by_pipelines(items):
    """Generators that take from each other, one item at a time."""
    log = []

    def source():
        for item in items:
            log.append(("source", item))
            yield item

    def even(numbers):
        for k in numbers:
            if k % 2 == 0:
                yield k

    def limited(numbers, n):
        for k in numbers:
            if n == 0:
                return
            n -= 1
            yield k

    return [k * k for k in limited(even(source()), 2)], log


@CASES.case(([],))
def generating_and_closing(log):
    """`close` runs `finally`, and a closed generator is empty."""
    one, two, three = counted(5, log), counted(5, log), counted(0, log)
    found = [next(one), next(one), one.close(), list(one), two.close(), next(two, "closed")]
    found.append(next(three, "ended"))
    return found, log, three.close()


@CASES.case(([], ValueError("v")), ([], GeneratorExit()), ([], StopIteration(5)), ([], KeyError))
def generating_and_throwing(log, error):
    """What is thrown comes out again, but for StopIteration."""
    one = counted(3, log)
    next(one)
    try:
        one.throw(error)
    except BaseException as raised:
        log.append(said(raised))
        log.append(type(raised.__cause__).__name__)
    try:
        counted(3, log).throw(error)
    except BaseException as raised:
        log.append(said(raised))
    return log, next(one, "ended")


@CASES.case(*((k,) for k in range(5)))
def generating_in_wrong_ways(k):
    """What a generator refuses."""

    def stubborn():
        while True:
            try:
                yield "again"
            except GeneratorExit:
                pass

    def own():
        yield next(itself[0])

    itself = [own()]
    if k == 0:
        counted(3).send("too early")
    if k == 1:
        next(itself[0])
    if k == 2:
        one = stubborn()
        next(one)
        try:
            one.close()
        finally:
            one.throw(KeyError("out"))
    if k == 3:
        counted(3).throw("text")
    return counted(3)[0]


@CASES.case((4,), (0,))
def generating_what_is_returned(n):
    """The returned value of a generator is that of its StopIteration."""

    def summed(items):
        total = 0
        for item in items:
            total += item
            yield total
        return total, "end"

    def wrapped():
        result = yield from summed(range(n))
        yield "result", result
        return result

    one, found = wrapped(), []
    while True:
        try:
            found.append(next(one))
        except StopIteration as stop:
            return found, stop.value, stop.args


@CASES.case(([],), ([1],))
def generating_by_several_at_once(log):
    """Workers that take turns until all have ended."""

    def worker(name, turns):
        for turn in range(turns):
            log.append((name, turn))
            message = yield name
            if message:
                log.append((name, message))
        return name * 2

    waiting, results, first = [worker("a", 2), worker("b", 0), worker("c", 3)], [], None
    while waiting:
        one = waiting.pop(0)
        try:
            first = one.send(first and None)
        except StopIteration as stop:
            results.append(stop.value)
        else:
            waiting.append(one)
    return results, log


@CASES.case((3,), (1,))
def generating_with_send_and_a_decorator(n):
    """A decorator that starts coroutines, which hand on what they are sent."""
    log = []

    def started(function):
        def start(*args):
            one = function(*args)
            next(one)
            return one

        return start

    @started
    def kept(name):
        while True:
            log.append((name, (yield)))

    @started
    def both(*targets):
        count = 0
        while True:
            value = yield count
            count += 1
            for target in targets:
                target.send(value)

    one = both(kept("x"), kept("y"))
    return [one.send(k) for k in range(n)], log, one.close()


@CASES.case((6,), (2,))
def generating_combinations_by_recursion(n):
    """Recursive generators that yield all parts, all orders, and moves of a puzzle."""

    def subsets(items):
        if not items:
            yield []
            return
        for rest in subsets(items[1:]):
            yield rest
            yield [items[0], *rest]

    def orders(items):
        if len(items) < 2:
            yield items
        for k in range(len(items) if len(items) > 1 else 0):
            for rest in orders(items[:k] + items[k + 1 :]):
                yield items[k] + rest

    def moves(k, a="a", b="b", c="c"):
        if k:
            yield from moves(k - 1, a, c, b)
            yield a + c
            yield from moves(k - 1, b, a, c)

    return list(subsets(list(range(n // 2)))), list(orders("abc"[:n])), [*moves(n // 2)]


@CASES.case((3,))
def generating_objects_with_attributes(n):
    """What a generator tells about itself."""
    one = counted(n)
    found = [one.__name__, one.gi_running, one.gi_frame is None, iter(one) is one]
    list(one)
    lazy = (k for k in range(n))
    return found, one.gi_frame is None, lazy.__name__, one.gi_code is counted.__code__, bool(one)
