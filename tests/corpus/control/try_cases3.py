"""Programs about the context of exceptions, what is being handled, and special exceptions."""
# ruff: noqa: B018, B904, F821, F841

from __future__ import annotations

import sys

from corpus.control.cases import Cases
from corpus.control.try_cases import fail, handled, tell

CASES = Cases()


# --- context --------------------------------------------------------------------------------------


@CASES.case()
def context_of_three_handlers():
    """Each exception of nested handlers has the one that is handled as its context."""
    try:
        raise ValueError(1)
    except ValueError:
        try:
            raise KeyError(2)
        except KeyError:
            try:
                raise IndexError(3)
            except IndexError:
                raise OSError(4)


@CASES.case()
def context_after_an_inner_handler_has_ended():
    """The context is the outer exception, once the inner one has been handled."""
    try:
        raise ValueError("outer")
    except ValueError:
        try:
            raise KeyError("inner")
        except KeyError:
            pass
        raise OSError("last")


@CASES.case()
def context_behind_a_handler_is_none():
    """An exception behind a handler, or in the next try, has no context."""
    try:
        raise ValueError("first")
    except ValueError:
        pass
    try:
        raise KeyError("second")
    except KeyError as e:
        assert e.__context__ is None
        return e


@CASES.case((0,), (1,))
def context_of_an_exception_made_before(b):
    """The context is set where an exception is raised, not where it is made."""
    error = ValueError("made early")
    try:
        1 / b
    except ZeroDivisionError:
        kept = KeyError("made inside")
        raise error
    raise error


@CASES.case()
def context_of_an_exception_kept_for_later():
    """An exception that was made in a handler and raised behind it has no context."""
    try:
        1 / 0
    except ZeroDivisionError:
        kept = KeyError("made inside")
    raise kept


@CASES.case()
def context_is_replaced_when_raised_again():
    """Each raise by name gives an exception a new context."""
    error = OSError("wandering")
    for other in (KeyError("a"), IndexError("b")):
        try:
            try:
                raise other
            except LookupError:
                raise error
        except OSError:
            pass
    return error


@CASES.case()
def context_cycle_is_cut():
    """An exception that is in the context of what is handled is taken out there when raised."""
    first, second = ValueError("first"), KeyError("second")
    try:
        try:
            raise first
        except ValueError:
            raise second
    except KeyError:
        try:
            raise first
        except ValueError:
            pass
    return first, second


@CASES.case()
def context_set_by_hand():
    """A context that a handler sets stays when `raise` raises again, and goes with `raise e`."""
    kept = []
    for way in (0, 1):
        try:
            try:
                raise ValueError(way)
            except ValueError as e:
                e.__context__ = KeyError("by hand")
                if way:
                    raise e
                raise
        except ValueError as e:
            kept.append(e)
    return kept


@CASES.case()
def context_deleted_by_hand_in_a_nested_handler():
    """`raise` does not give back a context that a handler took away."""
    try:
        raise ValueError("outer")
    except ValueError as outer:
        try:
            try:
                raise KeyError("inner")
            except KeyError as e:
                e.__context__ = None
                raise
        except KeyError as e:
            return e, outer


@CASES.case()
def context_turned_around_by_hand():
    """`raise` leaves the chain alone, even where the outer exception has the inner as context."""
    try:
        raise ValueError("outer")
    except ValueError as outer:
        try:
            try:
                raise KeyError("inner")
            except KeyError as inner:
                inner.__context__ = None
                outer.__context__ = inner
                raise
        except KeyError as inner:
            return inner, outer


@CASES.case()
def context_of_errors_of_operators():
    """What operators raise in handlers has a context like what `raise` raises."""
    chains = []
    for work in (lambda: 1 / 0, lambda: {}["k"], lambda: [][2], lambda: None.x, lambda: 1 + ""):
        try:
            raise OSError("handled")
        except OSError:
            try:
                work()
            except Exception as e:
                chains.append(e)
    return chains


@CASES.case((0,), (1,), (2,), (3,), (4,), (5,))
def context_of_errors_inside_of_the_function(way):
    """Errors of operators in the handler itself have what it handles as their context."""
    nothing, items = None, [1]
    try:
        raise OSError("handled")
    except OSError:
        match way:
            case 0:
                return nothing.attribute
            case 1:
                return items[5]
            case 2:
                first, second = items
            case 3:
                return missing_name
            case 4:
                return f"{nothing:d}"
        return unassigned
    unassigned = 1


@CASES.case((0,), (1,), (2,))
def context_of_an_error_in_an_except_clause(way):
    """What comes of finding a handler has the exception it was for as its context."""
    try:
        raise KeyError("k")
    except [ValueError, 7, OSError][way]:
        return "caught"
    except missing_class:
        return "never"


@CASES.case()
def context_of_a_failing_handler_of_another_try():
    """A handler of the outer try gets the exception of an inner handler, with its context."""
    try:
        try:
            raise KeyError("k")
        except KeyError as e:
            raise ValueError("v")
        except ValueError:
            return "sister"
    except ValueError as e:
        context = e.__context__
        return e, context, context.__context__


@CASES.case((3,), (0,))
def context_grows_in_a_recursion(n):
    """Each level of a recursion adds a context."""
    try:
        fail(ValueError(n)) if n == 0 else context_grows_in_a_recursion(n - 1)
    except ValueError as e:
        raise ValueError((n, *e.args))


# --- what sys.exc_info says -----------------------------------------------------------------------


@CASES.case()
def exc_info_before_inside_and_after():
    """sys.exc_info knows an exception just while it is being handled."""
    seen = [handled()]
    try:
        seen.append(handled())
        raise ValueError("v")
    except ValueError:
        seen.append(handled())
        seen.append(sys.exc_info()[0] is ValueError)
    seen.append(handled())
    seen.append(sys.exc_info())
    return seen


@CASES.case((0,), (1,))
def exc_info_in_nested_handlers(b):
    """The innermost exception is known, and behind its handler the outer one again."""
    seen = []
    try:
        raise ValueError("outer")
    except ValueError:
        seen.append(handled())
        try:
            seen.append(handled())
            1 / b
        except ZeroDivisionError:
            seen.append(handled())
        else:
            seen.append(handled())
        seen.append(handled())
    seen.append(handled())
    return seen


@CASES.case((0,), (1,), (2,))
def exc_info_in_finally(way):
    """In `finally` an exception is known where one passes, not for a return or the end."""
    seen = []
    try:
        try:
            if way == 0:
                raise ValueError("passes")
            if way == 1:
                return seen
        finally:
            seen.append(handled())
    except ValueError:
        seen.append(handled())
    return seen


@CASES.case((0,), (1,), (2,))
def exc_info_in_finally_after_a_handler(way):
    """A handler that ends, by return as well, has ended before its `finally` begins."""
    seen = []
    try:
        raise KeyError("k")
    except KeyError:
        seen.append(handled())
        if way == 0:
            return seen, handled()
        if way == 1:
            seen.append("on")
    finally:
        seen.append(handled())
    return seen


@CASES.case((0,), (1,), (2,))
def exc_info_after_break_and_continue(way):
    """Break and continue end the handlers that they leave, here two of them."""
    seen = []
    for k in range(2):
        seen.append(handled())
        try:
            raise ValueError(k)
        except ValueError:
            try:
                raise KeyError(k)
            except KeyError:
                seen.append(handled())
                if way == 0:
                    break
                if way == 1:
                    continue
            seen.append(handled())
    seen.append(handled())
    return seen


@CASES.case()
def exc_info_of_a_loop_in_a_handler():
    """A loop within a handler whose items are handled in turn."""
    seen = []
    try:
        raise OSError("outer")
    except OSError:
        for k in range(3):
            try:
                [10, 20][k]
            except IndexError:
                seen.append(handled())
            else:
                seen.append(handled())
        seen.append(sys.exception().args)
    return seen, sys.exception()


# --- exceptions that mean something to Python -----------------------------------------------------


@CASES.case((0,), (1,), (2,), (3,))
def stop_iteration_of_a_plain_function(way):
    """StopIteration is an exception as others are in a function that is no generator."""
    try:
        if way == 0:
            raise StopIteration("body")
        next(iter(()))
    except StopIteration as e:
        if way == 1:
            raise
        if way == 2:
            raise StopIteration("handler")
        if way == 3:
            raise ValueError from e
        raise


@CASES.case((0,), (1,))
def stop_iteration_ends_no_loop_but_its_own(way):
    """A StopIteration of a loop's body leaves the loop as an exception."""
    seen = []
    try:
        for k in (1, 2, 3):
            seen.append(k)
            if way == 0:
                raise StopIteration(k)
            next(iter([]))
        else:
            seen.append("else")
    except StopIteration as e:
        seen.append(e)
    return seen


@CASES.case((0,), (1,))
def stop_iteration_through_finally_and_two_handlers(way):
    """StopIteration goes through several handlers unchanged."""
    log = []
    try:
        try:
            raise KeyError("k")
        except KeyError:
            try:
                raise StopIteration("inner")
            finally:
                log.append("finally")
    except StopIteration as e:
        log.append(e)
        if way:
            raise
    return log


@CASES.case(
    (GeneratorExit(),), (StopAsyncIteration("s"),), (SystemExit(4),), (KeyboardInterrupt(),)
)
def raise_exceptions_that_end_programs(error):
    """They pass a handler of their own and leave the function from there."""
    try:
        raise error
    except Exception as e:
        return e.args
    except BaseException as e:
        e.seen = True
        raise


# --- assert ---------------------------------------------------------------------------------------


@CASES.case(([], 1), ([], 0))
def assert_message_is_evaluated_when_needed(log, ok):
    """The message of `assert` is evaluated for a failure only."""
    try:
        assert ok, tell(log, ("message", ok))
    except AssertionError as e:
        return log, e.args
    return log, "fine"


@CASES.case((0,), (1,))
def assert_whose_message_fails(b):
    """An error of the message, or of the condition, comes in the place of AssertionError."""
    try:
        assert 1 // b > 1, {}["message"]
    except ZeroDivisionError as e:
        assert b, e
    except KeyError as e:
        return e.args, e.__context__


@CASES.case((1, 2), (2, 1))
def assert_in_a_handler(a, b):
    """A failing `assert` in a handler has a context; AssertionError may have another meaning."""
    AssertionError = KeyError
    try:
        raise AssertionError("other meaning")
    except AssertionError:
        assert a < b, "a is too large"
    return a
