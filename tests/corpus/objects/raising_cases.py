"""Exceptions: how they are raised, chained, handled, and what they carry."""

# ruff: noqa: B012, B904, E722, F401, F841  programs as they may be written

from __future__ import annotations

import sys
import traceback

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Problem(Exception):
    """An exception with a value and a text of its own."""

    def __init__(self, value, *more, hint=None):
        super().__init__(value, *more)
        self.value, self.hint = value, hint

    def __str__(self):
        return f"problem with {self.value!r}"


class Worse(Problem, ValueError):
    """An exception with two bases."""


def fails(kind, *args):
    """Raise an exception of a class."""
    raise kind(*args)


def failing_at(depth, kind=ValueError):
    """Raise from some calls deep."""
    if depth:
        return failing_at(depth - 1, kind)
    raise kind("deep")


# --- raising --------------------------------------------------------------------------------------


@CASES.case((1,), ("text",), (None,), ((1, 2),))
def raising_exceptions_of_the_program(value):
    """Attributes, text, and which handlers they go to."""
    found = []
    for kind in (Problem, Worse):
        try:
            raise kind(value, "more", hint=[value])
        except ValueError as error:
            found.append(("ValueError", error.value, str(error)))
        except Problem as error:
            found.append(("Problem", error.hint, error.args, repr(error)))
    raise Worse(value)


@CASES.case(*((value,) for value in (5, "text", None, int, [], object, ValueError, KeyError("k"))))
def raising_what_may_be_no_exception(value):
    """Only exceptions and their classes can be raised."""
    raise value


@CASES.case((0,), (1,), (2,), (3,), (4,))
def raising_from_others(kind):
    """Causes that are exceptions, classes, None, and nothing of that."""
    try:
        fails(KeyError, "first")
    except KeyError as error:
        if kind == 0:
            raise ValueError("second") from error
        if kind == 1:
            raise ValueError("second") from OSError
        if kind == 2:
            raise ValueError("second") from None
        if kind == 3:
            raise ValueError("second") from "text"
        raise ValueError from OSError("new")


@CASES.case((1,), (4,))
def raising_in_handlers_in_handlers(n):
    """Each exception has the one as its context that was handled then."""
    try:
        try:
            try:
                fails(ValueError, "one")
            except ValueError:
                fails(KeyError, "two")
        except KeyError:
            try:
                1 // (n - 1)
            except ZeroDivisionError:
                pass
            fails(OSError, "three")
    except OSError:
        [][n]


@CASES.case((0,), (1,), (2,))
def raising_again(kind):
    """`raise` alone, by the name, and with another traceback."""
    log = []
    try:
        try:
            failing_at(2)
        except ValueError as error:
            log.append(error.args)
            if kind == 0:
                raise
            if kind == 1:
                raise error
            raise error.with_traceback(None) from KeyError("cause")
        finally:
            log.append("finally")
    except ValueError as error:
        log.append(len(traceback.extract_tb(error.__traceback__)) > kind)
        raise


@CASES.case((0,), (1,), (2,))
def raising_without_an_exception_to_raise(kind):
    """A `raise` alone needs an exception that is handled."""
    if kind == 0:
        raise
    try:
        fails(KeyError, 1)
    except KeyError:
        pass
    if kind == 1:
        raise

    def helper():
        raise

    try:
        fails(OSError, 2)
    except OSError:
        helper()


@CASES.case(([], 0), ([], 1), ([], 2), ([], 3))
def raising_with_finally_that_leaves(log, kind):
    """`return`, `break` and another exception in `finally` replace what was under way."""
    for k in range(2):
        try:
            log.append(k)
            if kind:
                raise ValueError(k)
            return "try"
        finally:
            log.append("finally")
            if kind == 1:
                return "finally"
            if kind == 2:
                break
            if kind == 3:
                raise KeyError(k)
    return "end"


# --- handlers -------------------------------------------------------------------------------------


@CASES.case(*((kind,) for kind in (KeyError, IndexError, ValueError, OSError, KeyboardInterrupt)))
def raising_finds_its_handler(kind):
    """Handlers from the top, a class, a tuple, all of them."""
    try:
        fails(kind, "why")
    except KeyError:
        return "key"
    except (LookupError, ArithmeticError) as error:
        return "lookup", said(error)
    except ValueError as error:
        return "value", error
    except Exception:
        return "exception", sys.exc_info()[0].__name__
    except:
        return "bare", sys.exc_info()[1].args


@CASES.case((0,), (1,), ("x",))
def raising_leaves_no_name_behind(n):
    """The name of a handler is gone after it, also where it had a value before."""
    error = "before"
    try:
        10 / n
    except ZeroDivisionError as error:
        kept = error
    except TypeError as error:
        kept = error.args
        error = "replaced"
    else:
        kept = None
    try:
        return kept, error
    except UnboundLocalError as problem:
        return kept, problem.args, problem.__context__


@CASES.case((3,), (0,))
def raising_through_calls_with_finally(n):
    """Each level notes that it was left."""
    log = []

    def level(k):
        try:
            if k == 0:
                raise Problem(n)
            level(k - 1)
            log.append(("never", k))
        except KeyError:
            log.append("wrong")
        finally:
            log.append(k)

    try:
        level(n)
    except Problem as error:
        return log, error.value, error.__context__


@CASES.case((0,), (1,), (2,), (3,))
def raising_in_each_part_of_a_try(part):
    """Exceptions in `except`, `else` and `finally` are not handled by the same `try`."""
    log = []
    try:
        try:
            log.append("try")
            if part in (0, 3):
                raise ValueError("try")
        except ValueError:
            log.append("except")
            if part == 0:
                raise ValueError("except")
        else:
            log.append("else")
            if part == 1:
                raise ValueError("else")
        finally:
            log.append("finally")
            if part == 2:
                raise ValueError("finally")
    except ValueError as error:
        return log, error
    return log


@CASES.case((5,), (0,), ("x",))
def raising_in_expressions(n):
    """Exceptions in the middle of displays, calls, conditions and comprehensions."""
    log = []
    for k in range(6):
        try:
            if k == 0:
                log.append([1, 10 // n, 3])
            elif k == 1:
                log.append(max(1, 10 % n, *[n]))
            elif k == 2 and 5 / n > 1:
                log.append("more")
            elif k == 3:
                log.append({"k": [x // n for x in (1, 2)], n // n: n})
            elif k == 4:
                log.append(f"{n!r} {1 / n:.2f}")
            else:
                log.append(n if n / n else -n)
        except (ZeroDivisionError, TypeError) as error:
            log.append(said(error))
    return log


# --- what exceptions carry ------------------------------------------------------------------------


@CASES.case(*((k,) for k in range(11)))
def raising_exceptions_of_python(k):
    """What Python's own exceptions say and have."""
    named = {"a": 1}
    try:
        if k == 0:
            return named["b"]
        if k == 1:
            return [1][1]
        if k == 2:
            return int("x")
        if k == 3:
            return named.nothing
        if k == 4:
            return next(iter([]))
        if k == 5:
            return "a" + 1
        if k == 6:
            return chr(-1), "é".encode("ascii")
        if k == 7:
            assert named is None, named
        if k == 8:
            a, b = [1]
        if k == 9:
            return 2.0**5000
        import not_there_at_all.at_all
    except Exception as error:
        names = "name", "value", "msg", "obj", "path"
        return said(error), str(error), [getattr(error, name, "-") for name in names]


@CASES.case((2, "no file"), (None, None), (1, 2))
def raising_errors_of_the_system(number, text):
    """OSError chooses a class by its number."""
    try:
        raise OSError(number, text, "the file")
    except FileNotFoundError as error:
        return "not found", error.errno, error.strerror, error.filename, str(error)
    except OSError as error:
        return type(error).__name__, error.errno, error.filename, error.args


@CASES.case((1,), ("a",))
def raising_exceptions_with_notes(value):
    """Notes stay with an exception that goes on."""
    try:
        try:
            fails(Problem, value)
        except Problem as error:
            error.add_note("first")
            error.add_note(f"second {value}")
            error.more = value
            raise
    except Problem as error:
        kept = error
    try:
        kept.add_note(5)
    except TypeError as error:
        return kept.__notes__, kept.more, said(error), kept.__traceback__ is not None


@CASES.case((1,), (2,))
def raising_context_by_hand(n):
    """`__cause__` and `__context__` can be set, and only to exceptions."""
    first, second = ValueError("first"), KeyError("second")
    second.__context__ = first
    if n == 2:
        second.__cause__ = OSError("cause")
        second.__suppress_context__ = False
    try:
        second.__context__ = "text"
    except TypeError as error:
        found = said(error)
    try:
        raise second
    except KeyError as error:
        return found, error, error.__context__ is first


@CASES.case((0,), (1,), (2,))
def raising_groups(kind):
    """Groups of exceptions are exceptions that hold others."""
    inner = [ValueError(1), ExceptionGroup("inner", [KeyError(2), OSError(3)])]
    if kind == 2:
        inner = []
    try:
        raise ExceptionGroup("outer", inner)
    except ExceptionGroup as group:
        matched, rest = group.split(KeyError)
        found = group.message, len(group.exceptions), matched.exceptions[0].exceptions[0].args
        if kind == 0:
            return found, [type(one).__name__ for one in rest.exceptions], str(group)
        raise rest from matched


@CASES.case((5,), (0,), (-1,))
def raising_assertions(n):
    """Assertions with and without a message, which is computed only where it is needed."""
    log = []
    assert n >= 0, (log.append("message"), n)
    try:
        assert n, f"no {n}"
    except AssertionError as error:
        log.append(error)
    try:
        assert not n
    except AssertionError as error:
        log.append(error.args)
    return log


@CASES.case((StopIteration(1),), (GeneratorExit(),), (SystemExit(3),), (KeyboardInterrupt(),))
def raising_exceptions_that_are_none_of_exception(error):
    """Exceptions that end programs and loops pass as others do."""
    log = []
    try:
        for k in range(3):
            try:
                if k == 1:
                    raise error
                log.append(k)
            except Exception as caught:
                log.append(("Exception", caught))
    except BaseException as caught:
        log.append(("BaseException", caught, isinstance(caught, Exception)))
    return log


@CASES.case((10,), (3,))
def raising_from_recursion_that_never_ends(n):
    """RecursionError is an exception as others; there is room again after it."""

    def endless(k):
        return endless(k + 1) + 1

    depth = []

    def measured():
        depth.append(1)
        try:
            endless(0)
        finally:
            depth.append(2)

    for _ in range(n):
        try:
            measured()
        except RecursionError as error:
            depth.append(type(error).__name__)
    return depth, sum(range(n))


@CASES.case(([0, 1, 2],), (["x"],), ([],))
def raising_what_was_collected(values):
    """Exceptions are kept, and the first one is raised with the others in it."""
    kept = []
    for value in values:
        try:
            kept.append(6 // value)
        except Exception as error:
            kept.append(error)
    failed = [one for one in kept if isinstance(one, Exception)]
    if failed:
        raise RuntimeError(len(failed), kept) from failed[0]
    return kept


@CASES.case((ValueError,), (TypeError,), (Problem,), (5,))
def raising_classes_whose_constructor_fails(kind):
    """What a class raises when it makes its exception takes that one's place."""

    class Refuses(Exception):
        def __init__(self):
            raise kind("refused") if kind is not Problem else kind

    try:
        raise Refuses
    except ValueError as error:
        return said(error)
