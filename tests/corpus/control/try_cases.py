"""Programs with try and except: which handler is taken, and tries in tries."""
# ruff: noqa: B013, B029, B030, E722

from __future__ import annotations

import sys
from collections import namedtuple

from corpus.control.cases import Cases

CASES = Cases()


def fail(error):
    """Raise what is given."""
    raise error


def tell(log, value):
    """Note a value, and give it back."""
    log.append(value)
    return value


def handled():
    """The arguments of the exception that is being handled, None where there is none."""
    error = sys.exc_info()[1]
    return None if error is None else (type(error).__name__, error.args)


# --- which part runs ------------------------------------------------------------------------------


@CASES.case(([], 1, 2), ([], 1, 0), ([], 1, "x"))
def try_all_four_parts(log, a, b):
    """The order of try, except, else and finally, also where no handler fits."""
    try:
        log.append("try")
        c = a / b
    except ZeroDivisionError:
        log.append("except")
        c = -1
    else:
        log.append("else")
        c += 0.5
    finally:
        log.append("finally")
    log.append("after")
    return c


@CASES.case((1, 0), (0, 1), (1, 1))
def try_else_is_not_guarded_by_its_own_handlers(a, b):
    """An exception in `else` passes the handlers of its own try and goes to the outer one."""
    try:
        try:
            1 / a
        except ZeroDivisionError:
            return "inner"
        else:
            1 / b
    except ZeroDivisionError as e:
        return "outer", e.__context__
    return "none"


@CASES.case((KeyError("k"),), (IndexError(3),), (LookupError(),), (ValueError(1),))
def except_first_match_wins(error):
    """A base class in front hides the handler of its subclass behind."""
    try:
        raise error
    except IndexError:
        return "index"
    except LookupError:
        return "lookup"
    except KeyError:
        return "key"
    except Exception:
        return "other"


@CASES.case((ValueError("v"),), (KeyError("k"),), (OSError(2, "no"),))
def except_tuple_of_classes(error):
    """A tuple of classes fits where one of them does."""
    try:
        raise error
    except (ValueError, KeyError) as e:
        return "first", e.args
    except (OSError,) as e:
        return "second", e.errno


@CASES.case((ValueError("v"),))
def except_empty_tuple(error):
    """An empty tuple fits nothing, and is no mistake."""
    try:
        try:
            raise error
        except ():
            return "inner"
    except ValueError as e:
        return "outer", e.__context__


@CASES.case((ValueError("v"), [ValueError]), (ValueError("v"), [KeyError, ValueError]), (None, []))
def except_tuple_made_when_needed(error, classes):
    """The tuple is what an expression gives at the time of the exception."""
    try:
        if error:
            raise error
    except tuple(classes) as e:
        classes.append("seen")
        return e.args
    return "nothing raised"


@CASES.case((ValueError("v"),), (KeyError("k"),))
def except_nested_tuple(error):
    """A tuple in a tuple is refused, even where a class beside it would fit."""
    try:
        raise error
    except ((KeyError, TypeError), ValueError):
        return "caught"


PairOfClasses = namedtuple("PairOfClasses", "first second")


@CASES.case((ValueError("v"),), (KeyError("k"),), (OSError(),))
def except_subclass_of_tuple(error):
    """A named tuple of classes is as good as a plain one."""
    try:
        raise error
    except PairOfClasses(ValueError, KeyError) as e:
        return e.args


@CASES.case((5,), ("x",), (int,), (None,), (ValueError("instance"),), ([ValueError],))
def except_something_else_than_a_class(wrong):
    """What stands after `except` must be an exception class: TypeError, with the first as its
    context."""
    try:
        raise ValueError("first")
    except wrong:
        return "caught"


@CASES.case((True,), (False,))
def except_wrong_class_is_only_seen_when_needed(fails):
    """A wrong `except` is no mistake while nothing is raised."""
    try:
        if fails:
            raise KeyError("k")
    except 5:
        return "caught"
    except TypeError:
        return "not by a sister"
    return "fine"


@CASES.case((ValueError("v"),), (KeyError("k"),))
def except_wrong_item_behind_a_match(error):
    """All items of a tuple are checked before one may match."""
    try:
        try:
            raise error
        except (ValueError, 5):
            return "caught"
    except TypeError as e:
        return str(e), e.__context__


@CASES.case((0,), (2,))
def except_expression_raises(b):
    """The expression after `except` raises in its turn."""
    try:
        try:
            raise KeyError("first")
        except [ValueError, KeyError][1 // b]:
            return "caught"
    except ZeroDivisionError as e:
        return e.args, e.__context__


@CASES.case(([], KeyError("k")), ([], ValueError("v")), ([], OSError()), ([], None))
def except_expressions_are_evaluated_until_a_match(log, error):
    """Expressions after `except` are evaluated in turn, and none behind the match."""
    try:
        if error is not None:
            raise error
    except tell(log, ValueError):
        log.append("v")
    except tell(log, KeyError):
        log.append("k")
    except tell(log, Exception):
        log.append("e")
    return log


@CASES.case((0,), (1,), (2,), (3,), (4,))
def except_without_a_class_takes_all(k):
    """A bare `except` takes what is no Exception as well."""
    errors = [KeyboardInterrupt("k"), SystemExit(3), GeneratorExit(), BaseException("b"), OSError()]
    try:
        raise errors[k]
    except Exception:
        return "plain"
    except:
        return "bare"


@CASES.case((KeyboardInterrupt(),), (SystemExit("bye"),), (ValueError(),))
def except_exception_leaves_interrupts(error):
    """KeyboardInterrupt and SystemExit pass `except Exception`, and their `finally` runs."""
    log = []
    try:
        try:
            raise error
        except Exception:
            log.append("plain")
        finally:
            log.append("finally")
    except BaseException as e:
        log.append(type(e).__name__)
    return log


class Lenient(type):
    """A metaclass whose classes say that all is theirs."""

    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, subclass):
        return True


class TakesAll(Exception, metaclass=Lenient):
    """Says that each exception is one of it."""


@CASES.case((ValueError("v"),), (TakesAll("t"),))
def except_asks_no_metaclass_for_instances(error):
    """What a metaclass says of instances and subclasses does not count for handlers."""
    try:
        raise error
    except TakesAll:
        return "taken", isinstance(error, TakesAll)
    except ValueError:
        return "passed", isinstance(error, TakesAll)


class Equal(type):
    """A metaclass whose classes equal everything."""

    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__


class EqualsAll(Exception, metaclass=Equal):
    """Equals each other class."""


@CASES.case((ValueError("v"),), (EqualsAll("e"),))
def except_asks_no_metaclass_for_equality(error):
    """Classes are compared by what they are, not by `==`."""
    try:
        raise error
    except EqualsAll:
        return "taken"
    except ValueError:
        return "passed"


class Reordered(type):
    """A metaclass that puts a class in front of which no base is one."""

    def mro(cls):
        return [cls, KeyError, *Exception.__mro__]


class AlsoKeyError(Exception, metaclass=Reordered):
    """Has KeyError among its ancestors, by order of its metaclass."""


@CASES.case((KeyError,), (LookupError,), (Exception,))
def except_goes_by_the_method_resolution_order(cls):
    """A class counts where it stands in the order that a metaclass made."""
    try:
        raise AlsoKeyError("x")
    except cls as e:
        return type(e).__name__, cls.__name__


class Liar(Exception):
    """Says that it is a KeyError."""

    @property
    def __class__(self):
        return KeyError


@CASES.case()
def except_ignores_what_an_instance_says_of_its_class():
    """isinstance believes `__class__`, a handler does not."""
    error = Liar("x")
    try:
        raise error
    except KeyError:
        return "believed"
    except Exception:
        return "not believed", isinstance(error, KeyError)


class Falsy(Exception):
    """An exception that is false, equals nothing, and cannot be hashed."""

    def __bool__(self):
        raise RuntimeError("asked for its truth")

    def __eq__(self, other):
        raise RuntimeError("asked for equality")

    __hash__ = None


@CASES.case((True,), (False,))
def except_asks_an_exception_nothing(again):
    """Catching an exception, and raising it again, asks it neither for its truth nor for more."""
    try:
        try:
            raise Falsy("x")
        except Falsy:
            if again:
                raise
    except Falsy as e:
        return "outer", e.args
    return "inner"


class Watched(Exception):
    """An exception that notes which of its attributes are set."""

    def __init__(self, log):
        object.__setattr__(self, "log", log)
        super().__init__()

    def __setattr__(self, name, value):
        self.log.append(name)
        super().__setattr__(name, value)


@CASES.case(([],))
def except_sets_no_attribute(log):
    """Handlers, raising again and `from` call no `__setattr__` of the exception."""
    try:
        try:
            try:
                raise Watched(log) from KeyError("cause")
            finally:
                log.append("finally")
        except Watched:
            raise
    except Watched as e:
        e.mine = 1
    return log


@CASES.case((ValueError("a"),), (KeyError("k"),))
def except_changes_the_exception(error):
    """Arguments, notes and attributes that a handler gives are there in the next one."""
    try:
        try:
            raise error
        except ValueError as e:
            e.args = ("changed", *e.args)
            e.add_note("noted")
            e.extra = 7
            raise
    except Exception as e:
        return e.args, getattr(e, "__notes__", None), getattr(e, "extra", None)


@CASES.case(([ValueError(1), KeyError(2)],))
def except_takes_groups_as_plain_exceptions(errors):
    """An exception group is an exception as others are for a plain `except`."""
    try:
        raise ExceptionGroup("several", errors)
    except ValueError:
        return "not by its parts"
    except ExceptionGroup as group:
        return group.message, [type(e).__name__ for e in group.exceptions]


# --- nesting --------------------------------------------------------------------------------------


@CASES.case((KeyError(1),), (IndexError(2),), (ValueError(3),), (OSError(4),), (BaseException(5),))
def try_five_deep(error):
    """An exception goes to the innermost handler that fits, past all finally."""
    log = []
    try:
        try:
            try:
                try:
                    try:
                        raise error
                    except KeyError:
                        log.append(1)
                finally:
                    log.append(2)
            except IndexError:
                log.append(3)
        except ValueError:
            log.append(4)
        else:
            log.append("else")
    except Exception:
        log.append(5)
    return log


@CASES.case((0, 0), (0, 1), (1, 0))
def try_in_a_handler(a, b):
    """A handler has a try of its own, and goes on after it."""
    try:
        1 / a
    except ZeroDivisionError as outer:
        try:
            1 // b
        except ZeroDivisionError as inner:
            found = inner.args
            seen = inner.__context__ is outer
        else:
            found, seen = "fine", None
        return found, seen, outer.args, outer.__context__
    return "no error"


@CASES.case((0, 0), (1, 0), (1, 1))
def try_in_else(a, b):
    """`else` has a try of its own with the same classes."""
    result = []
    try:
        result.append(6 // a)
    except ZeroDivisionError:
        result.append("first")
    else:
        try:
            result.append(8 // b)
        except ZeroDivisionError as e:
            result.append(("second", e.__context__))
        else:
            result.append("else of else")
    return result


@CASES.case((1,), (2,), (3,), (4,))
def try_handler_calls_what_it_guards_again(n):
    """Handlers within handlers of the same class, each the context of the next."""
    tries = 0
    try:
        tries += 1
        fail(ValueError(tries)) if n > 0 else None
    except ValueError:
        try:
            tries += 1
            fail(ValueError(tries)) if n > 1 else None
        except ValueError:
            try:
                tries += 1
                fail(ValueError(tries)) if n > 2 else None
            except ValueError as e:
                return tries, e
    return tries


@CASES.case(([1, 0, 2, "x", 4],), ([],), ([0],))
def try_in_a_loop_counts_failures(items):
    """Variables that the handler and the body change are merged behind the try, for each item."""
    total, bad, last = 0.0, 0, None
    for item in items:
        try:
            total += 12 / item
        except ZeroDivisionError:
            bad += 1
            continue
        except TypeError:
            bad += 10
            last = item
        else:
            last = total
    return total, bad, last


@CASES.case(([3, 1, 0],), ([3, 2],), ([1, 1],))
def try_retries_until_it_works(fails):
    """A `while True` that is left from `else` only."""
    attempts = []
    while True:
        try:
            attempts.append(12 // fails[0])
            fails.pop(0)
        except ZeroDivisionError:
            fails[0] = 5
        except IndexError:
            break
        else:
            if len(attempts) > 3:
                return "many", attempts
    return attempts


@CASES.case((ValueError, ValueError("v")), (KeyError, ValueError("v")), (None, ValueError("v")))
def except_class_is_a_parameter(cls, error):
    """The class of a handler comes as an argument."""
    try:
        raise error
    except cls as e:
        return e.args
