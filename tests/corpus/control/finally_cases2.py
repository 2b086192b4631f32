"""Programs with loops around and inside of try: where control goes."""
# ruff: noqa: B012, B904

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()


class Doubtful:
    """Is true so many times, and then cannot be asked."""

    def __init__(self, times):
        self.times = times

    def __bool__(self):
        self.times -= 1
        if self.times < 0:
            raise ValueError("asked too often")
        return True


class Numbers:
    """An iterator that gives numbers down to 1, and raises an exception for 0."""

    def __init__(self, start, error):
        self.next, self.error = start, error

    def __iter__(self):
        return self

    def __next__(self):
        if self.next == 0:
            raise self.error
        self.next -= 1
        return self.next + 1


# --- loops ----------------------------------------------------------------------------------------


@CASES.case(([1, 2, 3],), ([1, 0, 3],), ([],))
def finally_break_swallows_an_exception(items):
    """`break` in `finally` ends loop and exception; `else` of the loop is left out."""
    log = []
    for item in items:
        try:
            log.append(6 // item)
        finally:
            if item != 1:
                break
    else:
        log.append("else")
    return log


@CASES.case(([1, 0, 3],), ([0],), ([],))
def finally_continue_swallows_an_exception(items):
    """`continue` in `finally` goes on with the next item, as if nothing had been raised."""
    log = []
    for item in items:
        try:
            log.append(6 // item)
            if item == 3:
                return "swallowed too"
        finally:
            log.append("finally")
            continue
        log.append("never")
    else:
        log.append("else")
    return log


@CASES.case((3,), (0,))
def finally_continue_overrides_a_return(n):
    """A function returns only when `finally` does not say `continue`."""
    log = []
    while True:
        n -= 1
        try:
            return log, n
        finally:
            log.append(n)
            if n > 0:
                continue


@CASES.case((3,), (1,))
def finally_break_overrides_a_return(n):
    """A return that `break` in `finally` overrides goes on behind the loop."""
    for k in range(5):
        try:
            if k >= n:
                return "returned"
            k = -k
        finally:
            if k == 2 or k == n:
                break
    return "behind", k


@CASES.case(([1, 2, 3, 4, 5], 4), ([1, 2, 3], 4))
def finally_runs_for_break_and_continue(items, last):
    """`finally` runs once for each way out of the body."""
    log = []
    for item in items:
        try:
            if item == last:
                break
            if item % 2:
                continue
            log.append(item)
        finally:
            log.append("f")
        log.append("end")
    else:
        log.append("else")
    return log, item


@CASES.case(([1, 0], [2]), ([1, 2], [0, 1]), ([1], []))
def finally_in_nested_loops(first, second):
    """Break of an inner loop and continue of an outer one, out of `finally` both."""
    log = []
    for a in first:
        try:
            for b in second:
                try:
                    log.append((a, a // b))
                finally:
                    log.append("inner")
                    if a == 2:
                        break
            else:
                log.append("inner else")
            log.append(1 // a)
        except ZeroDivisionError:
            log.append("outer")
            continue
        finally:
            log.append("outer finally")
    return log


@CASES.case((0,), (1,))
def finally_with_a_loop_inside(b):
    """A loop within `finally` may break without ending the exception that passes."""
    log = []
    try:
        log.append(1 // b)
    finally:
        for k in range(5):
            if k == 1:
                continue
            if k == 3:
                break
            log.append(k)
        else:
            log.append("else")
        while log and log[-1] != 0:
            log.pop()
        b = tuple(log)
    return b


@CASES.case((0,), (1,))
def finally_whose_try_never_ends_normally(way):
    """A loop without an end within try: the part behind it is reached by return or exception."""
    log = []
    try:
        while True:
            log.append("turn")
            if len(log) > 2:
                if way:
                    return log
                raise ValueError(log)
    finally:
        log.append("finally")
    log.append("never")


@CASES.case(([3, 0, 2],), ([3, 1],), (["x"],))
def try_around_a_loop_keeps_its_variable(items):
    """Behind a loop that an exception ended, its variable has the item of the exception."""
    item, total = None, 0
    try:
        for item in items:
            total += 6 // item
        else:
            total = -total
    except ZeroDivisionError:
        total *= 100
    finally:
        item = (item, "finally")
    return item, total


@CASES.case((2, ValueError("n")), (2, StopIteration("end")), (0, KeyError("k")))
def try_around_an_iterator_that_raises(n, error):
    """An exception of `__next__` leaves the loop; StopIteration ends it, and `else` runs."""
    log = []
    try:
        for number in Numbers(n, error):
            log.append(number)
        else:
            log.append("else")
    except (ValueError, LookupError) as e:
        log.append(e)
    return log


@CASES.case((2, ValueError("n")), (2, StopIteration("end")))
def try_inside_a_loop_does_not_guard_the_iterator(n, error):
    """A try in the body does not see what `__next__` raises."""
    log = []
    for number in Numbers(n, error):
        try:
            log.append(number)
        except ValueError:
            log.append("never")
        finally:
            log.append("finally")
    return log


@CASES.case(([5, 6, 7],), ([],))
def finally_leaves_an_iterator_where_it_is(items):
    """A loop that goes on with an iterator after `break` in `finally` goes on with the next."""
    source, log = iter(items), []
    for item in source:
        try:
            raise ValueError(item)
        finally:
            log.append(("first", item))
            break
    for item in source:
        log.append(("second", item))
    return log


@CASES.case((3,), (1,), (0,))
def try_while_condition_raises(times):
    """The condition of `while` raises after so many turns."""
    turns = 0
    try:
        while Doubtful(times) if times < 2 else times > 2 and not turns:
            turns += 1
            times -= 1
        else:
            turns += 100
    except ValueError as e:
        return turns, e.args
    return turns, times


@CASES.case(([4, 2, 0, 1],), ([4, 2],), ([],))
def try_else_with_continue_and_break(items):
    """`else` of a try goes on with the loop, or ends it."""
    log = []
    for item in items:
        try:
            share = 4 // item
        except ZeroDivisionError as e:
            log.append(e.args)
        else:
            if share == 1:
                continue
            if share == 4:
                break
            log.append(share)
        log.append("end")
    else:
        log.append("else")
    return log


@CASES.case((5,), (0,))
def try_in_the_else_of_a_loop(b):
    """`else` of a loop has a try whose break would be that of the loop around."""
    log = []
    for outer in range(3):
        for inner in range(outer):
            log.append((outer, inner))
        else:
            try:
                log.append(b // (1 - outer))
            except ZeroDivisionError:
                break
            finally:
                log.append("finally")
    return log, outer


@CASES.case((0,), (1,), (2,), (3,))
def try_leaves_a_loop_from_a_nested_handler(way):
    """Return, break, continue and exception from the handler of a handler in a loop."""
    log = []
    for k in range(2):
        try:
            try:
                raise KeyError(k)
            except KeyError as outer:
                try:
                    raise ValueError(k)
                except ValueError as inner:
                    if way == 0:
                        return log, inner.__context__ is outer
                    if way == 1:
                        break
                    if way == 2:
                        continue
                    raise OSError(k)
                finally:
                    log.append((k, outer.args))
        except OSError as e:
            log.append(e)
    return log


@CASES.case((0,), (1,), (2,))
def finally_without_an_end_behind_it(way):
    """Each path of a try returns, so that nothing stands behind it."""
    try:
        if way == 0:
            return "body"
        if way == 1:
            raise KeyError("k")
    except KeyError:
        return "handler"
    else:
        return "else"
    finally:
        way = None


@CASES.case((6,), (0,))
def finally_counts_the_levels_of_a_recursion(n):
    """Each level of a recursion runs its `finally` on the way out."""
    log = []
    try:
        if n == 0:
            raise ValueError("bottom")
        log += finally_counts_the_levels_of_a_recursion(n - 2)
    except ValueError as e:
        log.append(e.args)
    finally:
        log.append(n)
    return log


@CASES.case((True,), (False,))
def finally_in_a_while_with_walrus(ok):
    """A `while` whose condition assigns, with an exception in the middle."""
    source, log = iter([3, 2, 0, 5, None]), []
    while (item := next(source)) is not None:
        try:
            log.append(6 // item)
        except ZeroDivisionError:
            if ok:
                continue
            break
        finally:
            log.append(item)
    return log, item


@CASES.case((0,), (2,))
def finally_as_the_last_thing_in_a_loop(n):
    """A loop of which the try is all, with nothing to be done but to pass."""
    k = 0
    while k < 3:
        try:
            k += 1
            1 // (k - n)
        except ZeroDivisionError:
            pass
        finally:
            pass
    return k


@CASES.case()
def finally_swallows_one_of_two_exceptions():
    """`break` in the `finally` of a handler's loop ends the new exception, not the handled one."""
    try:
        raise ValueError("outer")
    except ValueError:
        for k in range(2):
            try:
                raise KeyError(k)
            finally:
                break
        raise
