"""Programs with `with`: what is being handled, the protocol of managers, and contextlib."""

from __future__ import annotations

import contextlib
import decimal
from collections import OrderedDict
from types import SimpleNamespace

from corpus.control.cases import Cases
from corpus.control.try_cases import handled
from corpus.control.with_cases import Noting

CASES = Cases()


# --- what is being handled ------------------------------------------------------------------------


class Asking:
    """A manager that notes what is being handled when it is used."""

    def __init__(self, log, answer):
        self.log, self.answer = log, answer

    def __enter__(self):
        self.log.append(("enter", handled()))

    def __exit__(self, *details):
        self.log.append(("exit", handled()))
        return self.answer


@CASES.case((True, 0), (True, 1))
def with_exit_handles_the_exception(answer, b):
    """During the exit the exception is being handled, and afterward no more."""
    log = []
    with Asking(log, answer):
        log.append(handled())
        log.append(1 // b)
    log.append(handled())
    return log


@CASES.case((0,), (1,))
def with_in_a_handler(b):
    """In a handler the outer exception is handled around the body, and behind it again."""
    log = []
    try:
        raise OSError("outer")
    except OSError:
        with Asking(log, True):
            log.append(handled())
            log.append(1 // b)
        log.append(handled())
        try:
            raise
        except OSError as e:
            log.append(e.__context__)
    return log, handled()


@CASES.case((0,), (1,))
def with_body_that_handles(b):
    """A handler inside of a body ends before the exit."""
    log = []
    with Asking(log, False):
        try:
            log.append(1 // b)
        except ZeroDivisionError:
            log.append(handled())
            if b == 0:
                return log
    return log, "behind"


@CASES.case()
def with_raise_again_in_the_body():
    """`raise` within a body in a handler goes through the exit; swallowed, the handler goes on."""
    log = []
    try:
        raise OSError("outer")
    except OSError as e:
        with Noting(log, swallows=OSError):
            raise
        log.append(e.__context__)
        raise KeyError("next") from e


@CASES.case((0,), (1,))
def with_name_of_the_handler_inside(b):
    """A body's handler and its variable, and the manager with the same name."""
    log = []
    with Noting(log, "m") as e:
        try:
            1 // b
        except ZeroDivisionError as e:
            log.append(e.args)
        log.append("on")
        log.append(e)
    return log


@CASES.case((StopIteration("s"),), (GeneratorExit("g"),), (KeyboardInterrupt(),), (SystemExit(2),))
def with_exceptions_that_mean_something(error):
    """A manager may swallow what ends iterations, generators and programs."""
    log = []
    with Noting(log, swallows=BaseException):
        raise error
    with Noting(log, swallows=Exception):
        raise error
    return log


# --- the protocol ---------------------------------------------------------------------------------


class OnlyEnter:
    """Has no exit."""

    def __enter__(self):
        raise RuntimeError("entered")


class OnlyExit:
    """Has no entry."""

    def __exit__(self, *details):
        raise RuntimeError("left")


class Outer:
    """Has a class inside of it."""

    class Inner:
        """Is no manager."""


@CASES.case(
    (OnlyEnter(),),
    (OnlyExit(),),
    (Outer.Inner(),),
    (5,),
    (None,),
    ("text",),
    (Outer,),
    (OrderedDict(),),
    (decimal.Decimal(1),),
)
def with_what_is_no_manager(manager):
    """A missing method is TypeError, which says so; nothing has been called by then."""
    with manager:
        return "body"


@CASES.case()
def with_methods_of_the_instance_do_not_count():
    """Entry and exit are those of the class."""
    manager = Noting([], "class")
    manager.__enter__ = lambda: "instance"
    manager.__exit__ = None
    with manager as found:
        pass
    other = SimpleNamespace(__enter__=lambda: 1, __exit__=lambda *details: True)
    try:
        with other:
            found = "never"
    except TypeError as e:
        return found, str(e)


class Meta(type):
    """Makes classes that are managers themselves."""

    def __enter__(cls):
        return cls.__name__

    def __exit__(cls, kind, error, trace):
        return kind is KeyError


class IsManager(metaclass=Meta):
    """A class that is a manager, whose instances are none."""


@CASES.case((KeyError,), (ValueError,))
def with_a_class_for_a_manager(cls):
    """The methods of a class's own class are used."""
    try:
        with IsManager as name:
            raise cls(name)
        return "swallowed", name
    except ValueError as e:
        return e.args


class Unusual:
    """A manager whose methods are static, of the class, and found by a descriptor."""

    log: list = []

    @staticmethod
    def __enter__():
        Unusual.log.append("enter")
        return 5

    @classmethod
    def __exit__(cls, *details):
        cls.log.append(len(details))
        return True


class Computed:
    """A manager whose methods are properties, which are read before the entry is called."""

    def __init__(self, log, fails):
        self.log, self.fails = log, fails

    @property
    def __enter__(self):
        self.log.append("enter is read")
        return lambda: self.log.append("entered")

    @property
    def __exit__(self):
        self.log.append("exit is read")
        if self.fails:
            raise KeyError("exit cannot be read")
        return lambda *details: self.log.append(len(details))


@CASES.case()
def with_static_and_class_methods():
    """Entry and exit need not be plain methods."""
    Unusual.log.clear()
    with Unusual() as value:
        raise ValueError("v")
    return value, Unusual.log[:]


@CASES.case((True,), (False,))
def with_methods_that_are_properties(fails):
    """Both methods are looked up before one is called."""
    log = []
    try:
        with Computed(log, fails) as value:
            log.append(value)
    except KeyError as e:
        log.append(e)
    return log


@CASES.case(only_ir="the class refers to itself by a variable")
def with_exit_changed_in_the_body():
    """The exit is the one from before the entry, whatever the body does to the class."""

    class Changing:
        def __enter__(self):
            Changing.__exit__ = lambda *details: True

        def __exit__(self, *details):
            return False

    try:
        with Changing():
            raise ValueError("v")
    except ValueError as e:
        return e.args
    return "swallowed"


class Lacking:
    """A manager whose methods take the wrong number of arguments."""

    def __enter__(self):
        return self

    def __exit__(self):
        return True


@CASES.case((True,), (False,))
def with_exit_of_the_wrong_signature(fails):
    """The call of the exit itself fails, with the body's exception as context if there is one."""
    try:
        with Lacking():
            if fails:
                raise ValueError("v")
    except TypeError as e:
        return str(e), e.__context__


# --- contextlib -----------------------------------------------------------------------------------


@CASES.case((KeyError("k"),), (IndexError("i"),), (ValueError("v"),), (None,))
def with_suppress(error):
    """contextlib.suppress with two classes."""
    state = "before"
    with contextlib.suppress(KeyError, IndexError):
        state = "inside"
        if error:
            raise error
        state = "end"
    return state


@contextlib.contextmanager
def noted(log, swallows=()):
    """A manager that a generator makes."""
    log.append("enter")
    try:
        yield log
    except swallows as e:
        log.append(("swallowed", e))
    finally:
        log.append("exit")


@CASES.case((1,), (0,))
def with_a_generators_manager(b):
    """A manager of contextlib.contextmanager, once around each other."""
    log = []
    with noted(log, ZeroDivisionError) as outer, noted(log, KeyError):
        outer.append(6 // b)
    return log


@CASES.case((StopIteration("s"),), (RuntimeError("r"),), (GeneratorExit(),))
def with_a_generators_manager_and_its_own_exceptions(error):
    """What a generator cannot raise itself goes through its manager."""
    log = []
    try:
        with noted(log):
            raise error
    except BaseException as e:
        log.append((type(e).__name__, e is error))
    return log


@CASES.case((True,), (False,))
def with_exit_stack(fails):
    """Callbacks and managers of an ExitStack run in the reverse order; one swallows."""
    log = []
    with contextlib.ExitStack() as stack:
        names = [stack.enter_context(Noting(log, k, KeyError)) for k in range(2)]
        stack.callback(log.append, "callback")
        stack.push(lambda cls, error, trace: log.append(("pushed", error)))
        if fails:
            raise KeyError("k")
        log.append(names)
        kept = stack.pop_all()
    if not fails:
        log.append("kept")
        kept.close()
    return log


@CASES.case((KeyError("a"), KeyError("b")), (None, ValueError("v")))
def with_one_manager_twice(first, second):
    """The same manager for two bodies, and within its own."""
    log = []
    manager = Noting(log, "m", KeyError)
    with manager:
        with manager:
            if first:
                raise first
            log.append("inner")
        raise second
    return log


@CASES.case((1,), (0,))
def with_nullcontext_or_another(b):
    """A manager that is chosen by a condition, in the head of `with`."""
    log = []
    with Noting(log, "real", ZeroDivisionError) if b else contextlib.nullcontext("none") as found:
        log.append(found)
        log.append(1 // (b - 1))
    return log


@CASES.case((0,), (2,))
def with_walrus_and_comprehension(b):
    """Managers and bodies with walrus and comprehensions that raise."""
    log = []
    x = "outer"
    with (m := Noting(log, "w", ZeroDivisionError)) as name:
        made = [(last := 4 // x) for x in (1, b, 2)]
        log.append(made)
    return log, m.name == name, last, x


@CASES.case()
def with_empty_body():
    """A body that does nothing still has entry and exit."""
    log = []
    with Noting(log, "empty"):
        pass
    with Noting(log, "dots"), Noting(log, "more"):
        ...
    return log


@CASES.case((3,), (0,))
def with_in_a_recursion(n):
    """Each level of a recursion has a manager; the exits come from the deepest on."""
    log = []
    with Noting(log, n, ValueError):
        if n == 0:
            raise ValueError("bottom")
        log += with_in_a_recursion(n - 1)
        log.append(n)
    return log


@CASES.case()
def with_file_that_is_closed():
    """A file is closed however its body ends."""
    try:
        with open("/dev/null") as null:
            null.read()
            raise ValueError("v")
    except ValueError:
        return null.closed
