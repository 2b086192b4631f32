"""`yield from`: what is handed on to the inner iterator, and what comes back."""

# ruff: noqa: UP028  programs as they may be written

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()

INNER = ValueError("for the inner one")
OTHER = KeyError("for another one")


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


def inner(log, n=3):
    """Note what is sent and thrown."""
    try:
        for k in range(n):
            log.append(("sent", (yield k)))
    except ValueError as error:
        log.append(said(error))
        yield "handled"
    finally:
        log.append("finally")
    return "returned", n


class Items:
    """An iterator with `send` and `throw` of its own."""

    def __init__(self, log):
        self.log, self.k = log, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.k += 1
        if self.k > 3:
            raise StopIteration("from next")
        return self.k

    def send(self, value):
        self.log.append(("send", value))
        if value == "stop":
            raise StopIteration("from send")
        return value * 2

    def throw(self, error):
        self.log.append(("throw", type(error).__name__))
        return "thrown"


@CASES.case(([],), steps=("next", ("send", "a"), ("send", "b"), ("send", "c"), "next"))
@CASES.case(([],), steps=("next", ("throw", INNER), "next", "next"))
@CASES.case(([],), steps=("next", ("throw", OTHER), "next"))
@CASES.case(([],), steps=("next", "next", "close", "next"))
def delegated_to_a_generator(log):
    """Values, exceptions and the end go through."""
    result = yield from inner(log)
    log.append(result)
    yield "after", result
    return log


@CASES.case(([],), steps=("next", ("send", 5), "next", ("throw", OTHER), ("send", "stop"), "next"))
@CASES.case(([],), steps=("next", "next", "next", "next", "next"))
def delegated_to_an_object_of_the_program(log):
    """`send` and `throw` are called where there is something to hand on."""
    result = yield from Items(log)
    yield result
    return log


@CASES.case(([1, 2],), ("ab",), ({"k": 1},), (range(0),), (5,), (None,))
def delegated_to_objects_of_python(items):
    """Any iterable, and what is none."""
    yield "begin"
    result = yield from items
    yield result, type(result).__name__


@CASES.case(([1, 2],), steps=("next", ("send", None), ("send", "x"), "next"))
@CASES.case(([1, 2],), steps=("next", ("throw", INNER), "next"))
def delegated_to_a_list_that_takes_nothing(items):
    """An iterator without `send` and `throw`."""
    try:
        yield from items
    except (AttributeError, ValueError) as error:
        yield said(error)
        return "handled"
    yield "end"


@CASES.case(([],), steps=("next", ("send", "x"), ("throw", INNER), "close"))
@CASES.case(([],), steps=("next", ("throw", OTHER), "next"))
def delegated_through_three_levels(log):
    """Each level hands on to the next."""

    def middle():
        try:
            return (yield from inner(log))
        except KeyError as error:
            log.append(("middle", error.args))
            yield "middle"
        finally:
            log.append("middle finally")

    def outer():
        result = yield from middle()
        log.append(("outer", result))
        return result

    result = yield from outer()
    yield result, log


@CASES.case(([1, [2, [3, []], 4]],), ([],), ([[[[5]]]],), (["a", ["b"]],))
def delegated_to_itself(tree):
    """A recursion by an inner generator."""

    def leaves(node, depth):
        for one in node:
            if isinstance(one, list):
                yield from leaves(one, depth + 1)
            else:
                yield depth, one
        return depth

    deepest = yield from leaves(tree, 0)
    return deepest


@CASES.case((3,), (0,))
def delegated_in_a_loop_and_in_expressions(n):
    """`yield from` as an operand, an argument, in a display and in a condition."""

    def counted(k):
        for i in range(k):
            yield i
        return k

    total = 0
    for k in range(n):
        total += yield from counted(k)
    found = [
        total,
        (yield from counted(1)),
        *(yield from counted2()),
        max((yield from counted(2)), 0),
    ]
    if (yield from counted(n)) and not (yield from "x"):
        found.append("yes")
    return found


def counted2():
    """A generator that returns a list."""
    yield "two"
    return ["a", "b"]


@CASES.case(([], 0), ([], 1), ([], 2), ([], 3))
def delegated_to_what_raises(log, kind):
    """Exceptions of the inner generator, and StopIteration as one of them."""

    def raises():
        yield "inner"
        if kind == 0:
            raise ValueError("inner")
        if kind == 1:
            raise StopIteration("inner")
        if kind == 2:
            return
        yield from raises_at_once()

    def raises_at_once():
        raise KeyError("at once")
        yield

    try:
        result = yield from raises()
        log.append(result)
    except (ValueError, KeyError, RuntimeError) as error:
        log.append(error)
        yield said(error)
    return log


@CASES.case(([],), steps=("next", ("throw", INNER), "next", "next"))
@CASES.case(([],), steps=("next", "next", ("throw", OTHER), "next"))
def delegated_in_try_with_finally(log):
    """A handler around a delegation, which goes on with another one."""
    try:
        yield from "ab"
        log.append("both")
    except ValueError as error:
        log.append(error)
        yield from ("handler", error.args)
    else:
        yield from ["else"]
    finally:
        log.append("finally")
        yield from ["finally"]
    return log


@CASES.case((), steps=("next", "next", ("send", 1), "next"))
@CASES.case((), steps=("next", ("throw", GeneratorExit()), "next"))
def delegated_to_one_generator_twice():
    """A generator that was begun before, and that is empty after."""

    def three():
        sent = yield 1
        sent = yield 2, sent
        yield 3, sent

    one = three()
    yield next(one)
    yield from one
    yield from one
    yield "end"


@CASES.case((4, 3), (1, 1))
def delegated_by_a_function_that_only_collects(n, m):
    """Delegations below a plain function."""

    def chained(*parts):
        for part in parts:
            yield from part
        return len(parts)

    def tree(depth):
        if depth:
            yield from tree(depth - 1)
            yield depth
            yield from tree(depth - 1)

    found, one = [], chained(range(n), "ab", tree(m))
    while True:
        try:
            found.append(next(one))
        except StopIteration as stop:
            return found, stop.value


@CASES.case(([],), steps=("next", "close", "next"))
@CASES.case(([],), steps=("next", ("throw", OTHER), "next"))
def delegated_to_an_iterator_with_close(log):
    """`close` is called where there is one; what it raises comes out."""

    class Closes(Items):
        throw = None

        def close(self):
            self.log.append("close")

    class Raises(Items):
        def throw(self, error):
            raise OSError("instead") from error

    try:
        yield from Closes(log) if not log else Raises(log)
    except TypeError as error:
        log.append(type(error).__name__)
        yield from Raises(log)
    finally:
        log.append("finally")
