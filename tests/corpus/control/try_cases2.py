"""Programs about the variable of a handler, and about what is raised."""
# ruff: noqa: B016, B018, B904, F821, F841

from __future__ import annotations

from corpus.control.cases import Cases
from corpus.control.try_cases import fail, handled, tell

CASES = Cases()


def raise_again():
    """Raise what the caller handles."""
    raise


# --- the variable of a handler --------------------------------------------------------------------


@CASES.case((True,), (False,))
def except_name_is_deleted(fails):
    """The variable after `as` is unbound after its handler, even if it had a value before."""
    e = "before"
    try:
        if fails:
            raise ValueError("v")
    except ValueError as e:
        kept = e.args
    return e


@CASES.case((ValueError("v"),), (KeyError("k"),))
def except_name_stays_where_the_handler_does_not_fit(error):
    """A handler that does not fit leaves the variable alone."""
    e = "before"
    try:
        try:
            raise error
        except ValueError as e:
            pass
    except KeyError:
        pass
    return e


@CASES.case((True,), (False,))
def except_name_deleted_by_hand(again):
    """A handler may delete its variable itself, or give it back a value before its end."""
    try:
        raise ValueError("v")
    except ValueError as e:
        kept = e.args
        del e
        if again:
            e = "new"
    try:
        return e
    except UnboundLocalError as error:
        return kept, str(error), error.__context__


@CASES.case()
def except_name_rebound():
    """A handler's variable may get another value, which `raise` does not look at."""
    try:
        try:
            raise ValueError("v")
        except ValueError as e:
            e = KeyError("other")
            raise
    except Exception as found:
        return found.args, type(found).__name__


@CASES.case((0,), (1,), (2,))
def except_name_is_deleted_however_the_handler_ends(way):
    """By exception, break and continue the variable loses its value as well."""
    e, seen = "start", []
    for k in range(2):
        try:
            seen.append(e)
        except UnboundLocalError:
            seen.append("unbound")
        try:
            try:
                raise KeyError(k)
            except KeyError as e:
                if way == 0:
                    raise ValueError from None
                if way == 1:
                    break
                continue
        except ValueError:
            pass
    try:
        return seen, e
    except UnboundLocalError:
        return seen


@CASES.case((True,), (False,))
def except_same_name_in_a_nested_handler(inner):
    """The end of an inner handler takes the value of the outer one's variable away."""
    try:
        raise ValueError("outer")
    except ValueError as e:
        try:
            if inner:
                raise KeyError("inner")
        except KeyError as e:
            pass
        try:
            return e.args
        except UnboundLocalError as found:
            return type(found.__context__).__name__


@CASES.case((KeyError("given"),), (5,))
def except_name_of_a_parameter(e):
    """A parameter is the variable of a handler, and is gone behind it."""
    try:
        try:
            raise e
        except KeyError as e:
            found = e.args
        e
    except (NameError, TypeError) as problem:
        return type(problem).__name__, str(problem)


caught_error = None


def has_global(name):
    """Say whether this module has such a variable."""
    return name in globals()


@CASES.case()
def except_name_is_global():
    """A handler's variable is a global, which is deleted from the module."""
    global caught_error
    caught_error = 1
    try:
        raise ValueError("v")
    except ValueError as caught_error:
        inside = [caught_error.args, has_global("caught_error")]
    inside.append(has_global("caught_error"))
    try:
        caught_error
    except NameError as problem:
        inside.append(str(problem))
    caught_error = 2
    return inside


@CASES.case((1,), (0,))
def except_exception_kept_by_another_name(b):
    """The exception outlives its variable where something else holds it."""
    kept = None
    try:
        1 / b
    except ZeroDivisionError as e:
        kept = e
    return kept


@CASES.case((0,), (1,), (2,))
def except_one_name_in_several_handlers(k):
    """Each handler binds the same name, and a use behind them sees what else was assigned."""
    e = None
    try:
        [{}["a"], [][1], None][k] if k > 1 else ({}["a"] if k else [][1])
    except KeyError as e:
        result = "key", e.args
    except IndexError as e:
        result = "index", e.args
    else:
        result = "none", e
    return result


# --- what is raised -------------------------------------------------------------------------------


class Demanding(Exception):
    """Cannot be made without arguments."""

    def __init__(self, what, where):
        super().__init__(what)
        self.where = where


class Odd(Exception):
    """Makes something else than an exception of its own."""

    def __new__(cls, *args):
        return KeyError("instead") if not args else args[0]


class Impostor(Exception):
    """Makes no exception at all."""

    def __new__(cls):
        return 5


@CASES.case((ValueError,), (KeyboardInterrupt,), (SystemExit,), (StopIteration,), (Exception,))
def raise_a_class(cls):
    """A class that is raised is called without arguments."""
    try:
        raise cls
    except BaseException as e:
        return type(e) is cls, e.args, str(e)


@CASES.case((Demanding,), (Odd,))
def raise_a_class_with_a_constructor_of_its_own(cls):
    """The constructor may fail, or give an exception of another class."""
    try:
        raise cls
    except KeyError as e:
        return "instead", e.args


@CASES.case(only_ir="a raise makes its exception")
def raise_a_class_that_makes_no_exception():
    """A class may make something that cannot be raised."""
    try:
        raise Impostor
    except TypeError as e:
        return str(e).split(" should")[1], e.__context__


@CASES.case((5,), ("text",), (None,), (int,), ([],), (ValueError("v"),))
def raise_something_else(thing):
    """What is no exception raises TypeError."""
    raise thing


@CASES.case((5,), ("text",), (object,))
def raise_something_else_in_a_handler(thing):
    """The TypeError has what is being handled as its context."""
    try:
        [][0]
    except IndexError:
        raise thing


@CASES.case(([], ValueError), ([], fail), ([], 3))
def raise_evaluates_its_expressions_in_order(log, make):
    """The exception is made before the cause; what fails on the way is raised instead."""
    try:
        raise tell(log, make)("first") from tell(log, KeyError("second"))
    except Exception as e:
        return log, e


@CASES.case((KeyError("c"),), (KeyError,), (None,), (5,), (int,), (Demanding,))
def raise_from(cause):
    """A cause is an instance, a class that is called, or None; else it is TypeError."""
    raise ValueError("v") from cause


@CASES.case((KeyError("c"),), (KeyError,), (None,), ("text",))
def raise_from_in_a_handler(cause):
    """The cause does not replace the context."""
    try:
        1 / 0
    except ZeroDivisionError:
        raise ValueError("v") from cause


@CASES.case()
def raise_from_the_handled_exception():
    """An exception is the cause and the context of the same other one."""
    try:
        try:
            1 / 0
        except ZeroDivisionError as e:
            raise ValueError("v") from e
    except ValueError as e:
        return e.__cause__ is e.__context__, e.__suppress_context__, str(e.__cause__)


@CASES.case()
def raise_from_itself():
    """An exception is its own cause."""
    error = ValueError("v")
    try:
        raise error from error
    except ValueError as e:
        return e.__cause__ is e, e.__context__


@CASES.case((5,), (KeyError("k"),))
def raise_something_else_from(cause):
    """What is raised is checked before or after its cause, as Python does it."""
    raise "text" from cause


@CASES.case()
def raise_keeps_an_older_cause():
    """An exception that is raised a second time keeps its cause, and gets a new context."""
    error = ValueError("v")
    try:
        raise error from KeyError("cause")
    except ValueError:
        pass
    try:
        [][1]
    except IndexError:
        raise error


@CASES.case()
def raise_from_none_after_a_cause():
    """`from None` takes the cause away that an exception had."""
    try:
        try:
            raise ValueError("v") from KeyError("cause")
        except ValueError as e:
            raise e from None
    except ValueError as e:
        return e.__cause__, e.__suppress_context__, e.__context__


# --- raise without an expression ------------------------------------------------------------------


@CASES.case()
def reraise_without_an_exception():
    """`raise` where nothing is handled is RuntimeError."""
    raise


@CASES.case((1,), (0,))
def reraise_in_else(b):
    """In `else` nothing is being handled."""
    try:
        1 / b
    except ZeroDivisionError:
        return "handled"
    else:
        raise


@CASES.case((0,), (1,))
def reraise_in_finally(b):
    """`raise` in `finally` raises what passes through, or RuntimeError."""
    try:
        1 / b
    finally:
        raise


@CASES.case()
def reraise_after_the_handler():
    """Behind a handler nothing is being handled any more."""
    try:
        raise KeyError("k")
    except KeyError:
        pass
    raise


@CASES.case((0,), (1,))
def reraise_after_an_inner_handler(b):
    """After an inner try, `raise` means the outer exception again."""
    try:
        raise ValueError("outer")
    except ValueError:
        try:
            1 / b
        except ZeroDivisionError as e:
            e.add_note("inner")
        else:
            handled()
        raise


@CASES.case()
def reraise_inner_then_outer():
    """`raise` in an inner handler goes to the outer try, whose handler raises what it handles."""
    seen = []
    try:
        try:
            raise ValueError("outer")
        except ValueError:
            try:
                try:
                    raise KeyError("inner")
                except KeyError:
                    raise
            except LookupError as e:
                seen.append((e, e.__context__))
            raise
    except ValueError as e:
        seen.append((e, e.__context__))
    return seen


@CASES.case()
def reraise_in_a_called_function():
    """A function that a handler calls raises what the handler handles."""
    try:
        try:
            raise ValueError("outer")
        except ValueError:
            raise_again()
    except ValueError as e:
        return e, handled()


@CASES.case((0,), (1,))
def reraise_called_behind_the_handler(b):
    """Called after an inner handler: what the outer one handles, or nothing."""
    try:
        raise ValueError("outer")
    except ValueError:
        try:
            1 / b
        except ZeroDivisionError:
            pass
        try:
            raise_again()
        except ValueError as e:
            found = e.args
    try:
        raise_again()
    except RuntimeError as e:
        return found, e


@CASES.case((True,), (False,))
def reraise_conditionally(again):
    """A handler that raises again on one path only, with work on both."""
    log = ["begin"]
    try:
        try:
            raise ValueError("v")
        except ValueError as e:
            log.append("handler")
            if again:
                log.append("again")
                raise
            log.append("swallowed")
        log.append("behind")
    except ValueError as e:
        log.append(e)
    return log


@CASES.case()
def reraise_by_name_is_no_context_of_itself():
    """`raise e` within its own handler does not make it its own context."""
    try:
        raise ValueError("v")
    except ValueError as e:
        raise e
