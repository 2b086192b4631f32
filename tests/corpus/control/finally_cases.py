"""Programs with finally: what is returned, and what passes."""
# ruff: noqa: B012, B018, B904, F821

from __future__ import annotations

from corpus.control.cases import Cases
from corpus.control.try_cases import tell

CASES = Cases()


# --- return ---------------------------------------------------------------------------------------


@CASES.case((1,), (0,))
def finally_runs_after_the_value_is_computed(b):
    """What is returned is computed before `finally` changes the variable."""
    x = 1
    try:
        x = 10 // b
        return x
    except ZeroDivisionError:
        x = 20
        return x + 1
    finally:
        x = 99


@CASES.case()
def finally_changes_what_is_returned():
    """`finally` may change the list that is about to be returned."""
    items = [1]
    try:
        return items
    finally:
        items.append(2)
        items = None


@CASES.case((1,), (0,))
def finally_return_overrides_a_return(b):
    """The return of `finally` counts, whatever was returned or raised."""
    try:
        return 1 // b
    finally:
        return "finally", b


@CASES.case((True, 1), (True, 0), (False, 1), (False, 0))
def finally_returns_on_one_path_only(overrides, b):
    """A conditional return of `finally` swallows an exception only where it happens."""
    try:
        result = 1 // b
        return "body", result
    finally:
        if overrides:
            return "finally"
        b = -1


@CASES.case((0,), (1,))
def finally_return_swallows_what_a_handler_raises(b):
    """An exception of a handler disappears in the return of `finally`."""
    log = []
    try:
        1 / b
        log.append("fine")
    except ZeroDivisionError:
        log.append("handler")
        raise ValueError("lost")
    finally:
        log.append("finally")
        return log


@CASES.case((1,), (0,))
def finally_whose_value_fails(b):
    """The value of a return is computed under the guard of its own try."""
    try:
        return 1 // b
    except ZeroDivisionError as e:
        return e.args
    finally:
        b += 5


@CASES.case((1, 1), (1, 0), (0, 1))
def finally_after_return_in_else(a, b):
    """A return in `else`, whose value may fail, past `finally`."""
    log = []
    try:
        try:
            1 // a
        except ZeroDivisionError:
            log.append("inner")
        else:
            return log, 1 // b
        finally:
            log.append("finally")
    except ZeroDivisionError:
        log.append("outer")
    return log


@CASES.case((0,), (1,), (2,))
def finally_three_deep_with_returns(way):
    """Nested `finally` from the inside to the outside; the last return counts."""
    log = []
    try:
        try:
            try:
                return log, tell(log, "value")
            finally:
                log.append(1)
                if way == 1:
                    return log, "one"
        finally:
            log.append(2)
            if way == 2:
                return log, "two"
    finally:
        log.append(3)


@CASES.case((0,), (1,))
def finally_in_finally(b):
    """A `finally` has a try with a `finally` of its own."""
    log = []
    try:
        log.append(1 // b)
    except ZeroDivisionError:
        log.append("handled")
    finally:
        try:
            log.append(2 // b)
        except ZeroDivisionError:
            return log
        finally:
            log.append("inner")
        log.append("outer")
    return log, "end"


@CASES.case((0,), (1,))
def finally_return_in_a_nested_try_of_finally(b):
    """A return in the `try` of a `finally` swallows the exception that passes."""
    try:
        raise ValueError("passes")
    finally:
        try:
            if b:
                return "swallowed"
        finally:
            b = "seen"


# --- exceptions that pass -------------------------------------------------------------------------


@CASES.case((0, 0), (0, 1), (1, 0), (1, 1))
def finally_that_raises(a, b):
    """An exception of `finally` has the one that passes as its context, and replaces a return."""
    try:
        return 1 // a
    finally:
        1 % b


@CASES.case((0,), (1,))
def finally_handles_an_exception_of_its_own(b):
    """An exception that `finally` handles does not stop the one that passes."""
    log = []
    try:
        try:
            log.append(1 // b)
        finally:
            try:
                [][0]
            except IndexError as e:
                log.append(e.__context__)
            log.append("finally")
    except ZeroDivisionError as e:
        log.append(e)
    return log


@CASES.case(([],), ([1],))
def finally_reads_what_may_be_unbound(items):
    """A variable that the body did not get to is unbound in `finally`."""
    try:
        first = items[0]
        second = first + 1
    finally:
        result = [second]
    return result


@CASES.case(([], 1), ([], 0))
def finally_deletes_a_variable(log, b):
    """`finally` deletes a variable, for the handler around it as well."""
    x = "set"
    try:
        try:
            1 / b
        finally:
            del x
            log.append("deleted")
    except ZeroDivisionError:
        log.append("handler")
    return x


@CASES.case((0,), (1,))
def finally_uses_the_name_of_its_handler(b):
    """In `finally` the variable of the handler has been deleted already."""
    e = "before"
    try:
        1 / b
    except ZeroDivisionError as e:
        return e.args
    finally:
        e


@CASES.case((0,), (1,), (2,))
def finally_inside_of_a_handler(way):
    """A `finally` within a handler still has the handler's variable."""
    log = []
    try:
        try:
            raise KeyError("k")
        except KeyError as e:
            try:
                if way == 0:
                    raise ValueError("v")
                if way == 1:
                    return log
            finally:
                log.append(e.args)
            log.append("on")
    except ValueError as found:
        log.append(found.__context__)
    return log


@CASES.case((0,), (1,), (2,), (3,))
def finally_sees_what_each_part_assigned(way):
    """One variable has a value of each part in `finally`, and behind it."""
    x, seen = "start", []
    try:
        if way == 0:
            raise KeyError
        x = "body"
        if way == 1:
            raise ValueError
        if way == 2:
            return seen
        x = "late"
    except KeyError:
        x = "key"
    except ValueError:
        x += "+value"
    else:
        x += "+else"
    finally:
        seen.append(x)
        x += "+finally"
    return x, seen
