"""Programs with inner functions that raise and handle, and with what a compiler would leave out."""
# ruff: noqa: F602, UP031, B015, B018, B904, F821, F841

from __future__ import annotations

from corpus.control.cases import Cases
from corpus.control.try_cases import fail, handled, tell

CASES = Cases()


# --- inner functions ------------------------------------------------------------------------------


@CASES.case((0,), (1,))
def inner_function_raises_again(b):
    """An inner function that a handler calls raises what the handler handles."""

    def again(really):
        if really:
            raise
        return "not raised"

    try:
        try:
            raise ValueError("outer")
        except ValueError:
            result = again(b)
    except ValueError as e:
        return e, handled()
    return result


@CASES.case((0, 0), (0, 1), (1, 0))
def inner_function_with_a_handler_called_in_a_handler(a, b):
    """An inner function handles within the handler of its caller, and in no handler as well."""

    def share(by):
        try:
            return 6 // by
        except ZeroDivisionError as e:
            return e, handled(), e.__context__

    try:
        first = share(b)
        1 // a
    except ZeroDivisionError:
        return first, share(b), handled(), share(1)
    return first, handled()


@CASES.case((0,), (1,))
def inner_function_whose_exception_the_caller_handles(b):
    """What an inner function raises goes to the handler around its call, once in two tries."""

    def check(value):
        if not value:
            raise KeyError(value)
        return value

    found = []
    try:
        found.append(check(b))
    except KeyError as e:
        found.append(e)
    try:
        found.append(check(1 - b))
    except KeyError as e:
        found.append(e.args)
    return found


@CASES.case(([1, 0, 2],), ([],))
def inner_function_with_finally_in_a_loop(items):
    """An inner function with return, `finally` and an exception, called in a loop."""
    log = []

    def share(item):
        try:
            if item == 2:
                return "two"
            return 6 // item
        finally:
            log.append(item)

    for item in items:
        try:
            log.append(share(item))
        except ZeroDivisionError:
            continue
    return log


@CASES.case(([0, 1],), ([1, 0],))
def inner_function_begins_anew(items):
    """The variables of an inner function are unbound again at its second call."""

    def kept(item):
        try:
            value = 6 // item
        except ZeroDivisionError:
            pass
        return [value]

    found = []
    for item in items:
        try:
            found += kept(item)
        except UnboundLocalError as e:
            found.append(str(e))
    return found


@CASES.case((0,), (2,))
def inner_function_assigns_and_raises(b):
    """A variable of the enclosing function has the value from before the exception."""
    count, last = 0, None

    def step(by):
        nonlocal count, last
        count += 1
        last = 6 // by
        count += 10

    try:
        step(3)
        step(b)
    except ZeroDivisionError:
        return "failed", count, last
    return count, last


@CASES.case((0,), (1,))
def inner_function_called_in_finally(b):
    """An inner function that handles, within `finally`, while an exception passes."""
    log = []

    def note(key):
        try:
            log.append({1: "one"}[key])
        except KeyError as e:
            log.append((e, handled()))

    try:
        try:
            1 // b
        finally:
            note(b)
            log.append(handled())
    except ZeroDivisionError as e:
        log.append(e)
    return log


@CASES.case((3,))
def inner_function_raises_through_two_others(n):
    """An exception goes through inner functions that call each other, and their `finally`."""
    log = []

    def third():
        raise KeyError(n)

    def second():
        try:
            third()
        finally:
            log.append("second")

    def first():
        try:
            second()
        except KeyError as e:
            raise ValueError("first") from e

    try:
        first()
    except ValueError as e:
        return log, e


@CASES.case((0,), (1,))
def inner_function_reads_the_handlers_variable(late):
    """A function that is made in a handler reads its variable: a free one, which is deleted."""
    try:
        raise ValueError("v")
    except ValueError as e:

        def arguments():
            return e.args

        if not late:
            return arguments()
    try:
        return arguments()
    except NameError as problem:
        return str(problem)


@CASES.case((0,), (1,), (2,))
def inner_function_raises_stop_iteration(way):
    """A StopIteration of an inner function ends no loop, and is handled where it is called."""
    log = []

    def take(source):
        if way == 1:
            raise StopIteration("by hand")
        return next(source)

    source = iter([1])
    try:
        for _ in range(3):
            log.append(take(source))
            if way == 2 and len(log) > 0:
                source = iter([2])
    except StopIteration as e:
        log.append(e)
    return log


@CASES.case((KeyError("k"),), (ValueError("v"),))
def inner_class_is_an_exception(error):
    """A class of the function's own is raised, caught, and has a context."""

    class Own(Exception):
        """An exception that only this function knows."""

    try:
        try:
            raise error
        except LookupError:
            raise Own("own")
    except Own as e:
        return e.args, e.__context__, type(e).__name__


@CASES.case((0,), (1,))
def inner_decorator_that_raises(b):
    """A decorator that fails leaves the name of its function as it was."""
    log = []

    def decorator(function):
        log.append(function.__name__)
        return [function][b]

    work = "old"
    try:

        @decorator
        def work():
            return "new"

    except IndexError as e:
        return log, work, e
    return log, work()


# --- what nobody uses -----------------------------------------------------------------------------


@CASES.case(*[(way,) for way in range(12)])
def unused_values_that_raise(way):
    """An operator whose value nobody uses raises all the same."""
    items, text, nothing = [1, 2], "text", None
    try:
        match way:
            case 0:
                items[5]
            case 1:
                -text
            case 2:
                text < 1
            case 3:
                nothing.field
            case 4:
                [items, {text: 1, (): items, text: {items}}]
            case 5:
                f"{text:d}"
            case 6:
                items[:: len(())]
            case 7:
                a, b, c = items
            case 8:
                x = int(text)
            case 9:
                text in 5
            case 10:
                {**nothing}
            case 11:
                nothing()
    except Exception as e:
        return type(e).__name__, e.args, items
    return "nothing raised"


@CASES.case(*[(way,) for way in range(8)])
def unused_variables_that_raise(way):
    """An assignment that nobody reads raises where its value does, as do pure functions."""
    a, b = 1, 0
    try:
        match way:
            case 0:
                unused = a / b
            case 1:
                unused = a % b
            case 2:
                unused = len(5)
            case 3:
                unused = "%d" % "x"
            case 4:
                unused = a << -1
            case 5:
                unused = (a, b)[2]
            case 6:
                unused = b**-1
            case 7:
                unused = [a, b][b:a][a]
    except Exception as e:
        return e
    return "nothing raised"


@CASES.case((2, 0), (0, 0), (2, 1))
def unused_same_expression_in_body_and_handler(n, b):
    """The same expression in body, handler and behind: computed each time, not in advance."""
    total = 0
    try:
        for _ in range(n):
            total += 6 // b
    except ZeroDivisionError:
        total = 100
        try:
            total += 6 // b
        except ZeroDivisionError:
            b = 1
    return total, 6 // b if b else None


@CASES.case((5,), (0,))
def unused_branches_with_constant_conditions(b):
    """Parts of a try that constants decide: a handler that is left without a body to guard."""
    log = []
    try:
        if False:
            1 / b
    except ZeroDivisionError:
        log.append("never")
    try:
        if True:
            log.append(5 // b)
        else:
            raise KeyError
    except (KeyError, ZeroDivisionError):
        log.append("handler")
    finally:
        while False:
            log.append("never")
    return log


@CASES.case((0,), (1,), (2,))
def loop_over_a_tuple_of_classes(k):
    """A loop over a tuple that is written out, whose turns raise, continue and break."""
    log = []
    for cls in (KeyError, ValueError, OSError):
        try:
            if cls is OSError and k == 2:
                break
            raise cls(k)
        except LookupError as e:
            log.append(e)
            if k == 1:
                continue
        except Exception as e:
            log.append((cls.__name__, e))
        finally:
            log.append("finally")
        log.append("end")
    else:
        log.append("else")
    return log


@CASES.case((0,), (1,))
def loop_over_a_tuple_of_several_types(b):
    """Each turn of a loop over a tuple has a value of another type, which fails in its own way."""
    found = []
    for value in (1, "text", None, 2.5, (b,)):
        try:
            found.append(value / b)
        except ZeroDivisionError:
            found.append("zero")
        except TypeError as e:
            found.append(str(e))
    return found, value


# --- exceptions as objects ------------------------------------------------------------------------


class Counting(Exception):
    """An exception that notes that it is made."""

    def __init__(self, log, *args):
        log.append("made")
        super().__init__(*args)


@CASES.case(([], 0), ([], 1))
def object_exception_is_made_once(log, b):
    """An exception that is made in front of its raise is made once, and is the one caught."""
    error = Counting(log, "once")
    error.extra = 7
    try:
        if b:
            log.append("body")
        raise error
    except Counting as e:
        return e is error, e.extra, log


@CASES.case()
def object_builtin_exception_is_the_same():
    """An exception of Python's own is the same object before and after it is raised."""
    error = ValueError("v")
    error.extra = 7
    kept = [error]
    try:
        raise error
    except ValueError as e:
        return e is error, kept[0] is e, getattr(e, "extra", "lost")


@CASES.case((0,), (1,))
def object_exception_of_either_branch(way):
    """An exception that is one of two, made in a branch and raised behind it."""
    if way:
        error = KeyError("k")
    else:
        error = ValueError("v")
    error.add_note("noted")
    try:
        raise error
    except (KeyError, ValueError) as e:
        return e, e.__notes__, e is error


@CASES.case((0,), (2,))
def object_exception_whose_arguments_fail(b):
    """The arguments of an exception are evaluated under the guard of its own try, in turn."""
    log = []
    try:
        raise ValueError(tell(log, 1), 6 // b, tell(log, 2))
    except ValueError as e:
        return log, e
    except ZeroDivisionError as e:
        return log, e.args


@CASES.case((0,), (1,), (2,))
def object_exception_with_wrong_arguments(way):
    """The constructor of an exception refuses its arguments."""
    try:
        if way == 0:
            raise ValueError(text="by name")
        if way == 1:
            raise Counting()
        raise UnicodeDecodeError("utf-8", "text", 0, 1, "reason")
    except TypeError as e:
        return str(e), e.__context__


@CASES.case(([1, 2],), ([],))
def object_exception_with_spread_arguments(args):
    """Arguments of an exception from a list, and by their names."""
    named = {"name": "x", "obj": args}
    try:
        raise AttributeError(*args, **named)
    except AttributeError as e:
        return e.args, e.name, e.obj is args


@CASES.case((OSError, (2, "text", "file")), (KeyError, ("a", "b")), (StopIteration, (1, 2)))
def object_exception_attributes(cls, args):
    """Exceptions of some classes have attributes that their arguments give."""
    try:
        raise cls(*args)
    except OSError as e:
        return type(e).__name__, e.errno, e.filename, str(e)
    except Exception as e:
        return str(e), getattr(e, "value", None)


@CASES.case()
def object_exception_raised_while_it_is_handled():
    """The same object is raised within its own handler by a function, and has no new context."""
    error = ValueError("v")
    try:
        raise error
    except ValueError as first:
        try:
            fail(first)
        except ValueError as second:
            return first is second, second.__context__, handled()


@CASES.case((0,), (1,))
def object_traceback_is_there(b):
    """A handler may look at the traceback, and take it away."""
    try:
        1 // b
        raise KeyError("k").with_traceback(None)
    except (ZeroDivisionError, KeyError) as e:
        had = e.__traceback__ is not None
        return had, e.with_traceback(None).__traceback__
