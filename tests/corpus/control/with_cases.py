"""Programs with `with`: what managers are asked, in which order, and what exits decide."""
# ruff: noqa: B007, B012, B904

from __future__ import annotations

import contextlib
from types import SimpleNamespace

from corpus.control.cases import Cases
from corpus.control.try_cases import fail

CASES = Cases()


class Noting:
    """A manager that notes its use; it swallows, or raises, where it is told to."""

    def __init__(self, log, name="m", swallows=(), enter=None, leave=None):
        self.log, self.name, self.swallows = log, name, swallows
        self.enter, self.leave = enter, leave

    def __enter__(self):
        self.log.append(("enter", self.name))
        if self.enter:
            raise self.enter
        return self.name

    def __exit__(self, cls, error, trace):
        assert cls is (None if error is None else type(error))
        assert (trace is None) == (error is None)
        self.log.append(("exit", self.name, error))
        if self.leave:
            raise self.leave
        return isinstance(error, self.swallows)


# --- one manager ----------------------------------------------------------------------------------


@CASES.case((1,), (0,))
def with_enters_and_exits(b):
    """The exit is told of the exception, or three times None."""
    log = []
    try:
        with Noting(log) as name:
            log.append((name, 6 // b))
    except ZeroDivisionError as e:
        log.append(e.args)
    return log


@CASES.case((KeyError("k"),), (ValueError("v"),), (None,))
def with_swallows_an_exception(error):
    """A true result of the exit ends the exception; what is behind goes on."""
    log = []
    with Noting(log, swallows=LookupError):
        if error:
            raise error
        log.append("body")
    log.append("behind")
    return log


@CASES.case((1,), (0,))
def with_keeps_what_the_body_assigned(b):
    """Variables of a body that was ended have the values from before the exception."""
    x = y = "old"
    with Noting([], swallows=ZeroDivisionError) as z:
        x = "new"
        y = 1 // b
        x = "newer"
    return x, y, z


@CASES.case((1,), (0,))
def with_leaves_variables_unbound(b):
    """A variable that only the body assigns may be unbound behind it."""
    with Noting([], swallows=ZeroDivisionError):
        quotient = 1 // b
    return [quotient]


class Answers:
    """A manager whose exit answers what it is told to."""

    def __init__(self, answer):
        self.answer = answer

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.details = len(details)
        return self.answer


class NoTruth:
    """Something whose truth cannot be asked."""

    def __bool__(self):
        raise RuntimeError("asked for its truth")


@CASES.case((0,), (1,), ([],), ("text",), (None,), (0.0,), (object,))
def with_exit_answers_any_object(answer):
    """The truth of what the exit gives decides, not whether it is True."""
    with Answers(answer):
        raise ValueError("v")
    return "swallowed"


@CASES.case((True,), (False,))
def with_exit_answers_what_has_no_truth(fails):
    """The answer's truth is asked for only after an exception, and may raise in its turn."""
    try:
        with Answers(NoTruth()):
            if fails:
                raise ValueError("v")
    except RuntimeError as e:
        return e, e.__context__
    return "not asked"


# --- exceptions of the manager --------------------------------------------------------------------


@CASES.case()
def with_enter_that_raises():
    """Where the entry fails, neither body nor exit runs."""
    log = []
    try:
        with Noting(log, enter=KeyError("enter"), swallows=Exception):
            log.append("body")
    except KeyError as e:
        log.append(e)
    return log


@CASES.case((1,), (0,))
def with_exit_that_raises(b):
    """An exception of the exit takes the place of the body's, which is its context."""
    log = []
    try:
        with Noting(log, leave=OSError("exit")):
            log.append(6 // b)
    except OSError as e:
        log.append(e)
    return log


class RaisesTheSame:
    """A manager whose exit raises the exception that it gets, by one of two ways."""

    def __init__(self, again):
        self.again = again

    def __enter__(self):
        return self

    def __exit__(self, cls, error, trace):
        if self.again:
            raise
        raise error


@CASES.case((True,), (False,))
def with_exit_that_raises_the_same(again):
    """An exit raises what it was given; its context does not change."""
    try:
        raise KeyError("around")
    except KeyError:
        with RaisesTheSame(again):
            raise ValueError("body")


@CASES.case((0,), (1,))
def with_exit_raises_from_the_body(way):
    """An exit that replaces an exception by another one with a cause."""

    class Translating:
        def __enter__(self):
            pass

        def __exit__(self, cls, error, trace):
            raise ValueError("translated") from (error if way else None)

    with Translating():
        raise KeyError("body")


@CASES.case()
def with_expression_that_raises():
    """Where the expression of the second manager fails, the first one exits."""
    log = []
    try:
        with Noting(log, "a"), Noting(log, fail(KeyError("expression"))):
            log.append("body")
    except KeyError as e:
        log.append(e)
    return log


# --- several managers -----------------------------------------------------------------------------


@CASES.case((1,), (0,))
def with_several_managers(b):
    """Managers of one `with` exit in the reverse order."""
    log = []
    with Noting(log, "a") as a, Noting(log, "b") as b_, Noting(log, "c", Exception) as c:
        log.append((a, b_, c, 6 // b))
    return log


@CASES.case((1,), (0,))
def with_several_managers_in_parentheses(b):
    """Parentheses group managers; the second one knows what the first one gave."""
    log = []
    with (
        Noting(log, "a", ZeroDivisionError) as first,
        Noting(log, first + "b") as second,
    ):
        log.append((second, 6 // b))
    return log, first, second


@CASES.case((KeyError("k"),), (IndexError("i"),), (OSError("o"),))
def with_inner_manager_swallows_first(error):
    """The outer manager is not told of what the inner one swallowed."""
    log = []
    try:
        with Noting(log, "outer", IndexError), Noting(log, "inner", KeyError):
            raise error
    except OSError:
        log.append("caught")
    return log


@CASES.case()
def with_outer_manager_swallows_what_the_inner_exit_raised():
    """The outer exit gets the exception of the inner exit, with its context."""
    log = []
    with Noting(log, "outer", OSError):
        with Noting(log, "inner", leave=OSError("inner exit")):
            raise ValueError("body")
        log.append("never")
    return log


@CASES.case()
def with_second_entry_fails_and_the_first_swallows():
    """The first manager may swallow an exception of the second one's entry."""
    log = []
    with Noting(log, "a", KeyError), Noting(log, "b", enter=KeyError("enter")):
        log.append("body")
    log.append("behind")
    return log


@CASES.case()
def with_a_chain_of_failing_exits():
    """Each exit raises; each exception has the one before as its context."""
    log = []
    with (
        Noting(log, "a", leave=ValueError("a")),
        Noting(log, "b", leave=KeyError("b")),
        Noting(log, "c", leave=IndexError("c")),
    ):
        raise OSError("body")


# --- targets --------------------------------------------------------------------------------------


@CASES.case(((1, (2, 3)),), ((1, 2),), (5,))
def with_target_is_a_tuple(value):
    """What the entry gives is unpacked under the guard of the exit."""
    log = []
    a = b = c = "old"
    try:
        with Noting(log, value) as (a, (b, c)):
            log.append("body")
    except TypeError as e:
        log.append(type(e).__name__)
    return a, b, c, log


@CASES.case((0,), (7,))
def with_target_is_an_item_or_attribute(k):
    """Targets may be attributes and items; a failing store goes to the exit."""
    log, items = [], ["old"]
    place = SimpleNamespace(name="old")
    with Noting(log, "a", IndexError) as place.name, Noting(log, "b") as items[k]:
        log.append("body")
    return log, items, place.name


@CASES.case((1,), (0,))
def with_target_is_the_managers_own_variable(b):
    """The variable of the manager gets the value of the entry; the exit is still the manager's."""
    log = []
    m = Noting(log, "given", ZeroDivisionError)
    with m as m:
        log.append(m)
        m = 6 // b
    return m, log


@CASES.case(([1, 2, 3, 4],))
def with_target_has_a_star(value):
    """A target with a star, and a list for a target."""
    with contextlib.nullcontext(value) as [first, *rest]:
        total = first + len(rest)
    return first, [*rest], total


# --- leaving by return, break, continue -----------------------------------------------------------


@CASES.case((0,), (1,), (2,))
def with_return_in_the_body(way):
    """A return runs the exit without an exception; its value is computed before."""
    log, x = [], 1
    with Noting(log, "a"), Noting(log, "b", ZeroDivisionError):
        if way == 0:
            return log, x
        if way == 1:
            return log, x // 0
        x = 2
    return "end", log, x


@CASES.case()
def with_exit_raises_for_a_return():
    """A return that the exit does not let pass."""
    log = []
    try:
        with Noting(log, leave=KeyError("exit")):
            return "returned"
    except KeyError as e:
        log.append(e)
    return log


@CASES.case(([1, 2, 0, 3],), ([2, 4, 3],), ([],))
def with_inside_of_a_loop(items):
    """Break, continue and exceptions leave the body of each turn by its exit."""
    log = []
    for item in items:
        with Noting(log, item, ZeroDivisionError):
            if item == 2:
                continue
            if item == 3:
                break
            log.append(6 // item)
        log.append("end")
    else:
        log.append("else")
    return log


@CASES.case((3,), (0,))
def with_around_a_loop(n):
    """A loop with break and else inside of a body, returned from in the middle."""
    log = []
    with Noting(log, swallows=ZeroDivisionError):
        for k in range(4):
            if k == n:
                break
            log.append(6 // (2 - k))
        else:
            log.append("else")
        return "returned", log
    return "swallowed", k, log


@CASES.case((2,), (5,))
def with_in_a_while_true(n):
    """A loop without an end that a return within two bodies ends."""
    log, k = [], 0
    while True:
        k += 1
        with Noting(log, k):
            with Noting(log, -k, ValueError):
                if k >= n:
                    return log
                if k == 1:
                    continue
                raise ValueError(k)
            if k == 4:
                break
    return "broken", log


@CASES.case((0,), (1,), (2,), (3,))
def with_and_finally_around_each_other(way):
    """Exit and finally run from the inside to the outside, however the body ends."""
    log = []
    for k in range(2):
        try:
            with Noting(log, "a", KeyError):
                try:
                    if way == 0:
                        raise KeyError("k")
                    if way == 1:
                        break
                    if way == 2:
                        continue
                    return log
                finally:
                    log.append("inner")
        finally:
            log.append("outer")
    log.append("end")
    return log


@CASES.case((0,), (1,))
def with_in_finally(b):
    """A `with` in `finally` that swallows its own exception, not the one that passes."""
    log = []
    try:
        try:
            log.append(1 // b)
        finally:
            with Noting(log, "m", LookupError):
                log.append([][1])
            log.append("finally")
    except ZeroDivisionError as e:
        log.append(e)
    return log


@CASES.case((0,), (1,))
def with_whose_finally_swallows(b):
    """A return in `finally` within a body, so that the exit hears of no exception."""
    log = []
    with Noting(log):
        try:
            log.append(1 // b)
        finally:
            return log
