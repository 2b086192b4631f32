"""`with`: what managers are asked, what they swallow, and managers of the library."""

# ruff: noqa: B904, UP028  programs as they may be written

from __future__ import annotations

import contextlib
import io

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Noted:
    """A manager that notes what it is asked, and swallows what it is told to."""

    def __init__(self, log, name="x", swallows=()):
        self.log, self.name, self.swallows = log, name, swallows

    def __enter__(self):
        self.log.append(("enter", self.name))
        return self.name

    def __exit__(self, kind, error, trace):
        self.log.append(("exit", self.name, kind and kind.__name__, trace is not None))
        return isinstance(error, self.swallows)


class Fails:
    """A manager that raises on one way."""

    def __init__(self, when):
        self.when = when

    def __enter__(self):
        if self.when == "enter":
            raise OSError("enter")

    def __exit__(self, *args):
        if self.when == "exit":
            raise OSError("exit")
        return self.when == "swallows"


@CASES.case(([], None), ([], ValueError("v")), ([], KeyError("k")))
def contexts_that_swallow_some_exceptions(log, error):
    """What follows the block runs where the manager swallowed."""
    with Noted(log, "outer", KeyError) as outer:
        with Noted(log, "inner", ValueError) as inner:
            if error:
                raise error
            log.append("body")
        log.append(inner)
    log.append(outer)
    return log


@CASES.case(([], 0), ([], 1), ([], 2), ([], 3))
def contexts_left_in_all_ways(log, kind):
    """`return`, `break` and `continue` leave through the manager."""
    for k in range(3):
        with Noted(log, k):
            if kind == 0 and k == 1:
                return log, k
            if kind == 1 and k == 1:
                break
            if kind == 2 and k < 2:
                continue
            log.append(("end", k))
    else:
        log.append("else")
    return log


@CASES.case(*(([], a, b) for a in ("no", "enter", "exit", "swallows") for b in (0, 1)))
def contexts_that_fail_themselves(log, when, raises):
    """Exceptions of `__enter__` and `__exit__`, alone and on top of the block's."""
    with Noted(log, "outer"):
        with Noted(log, "first"), Fails(when), Noted(log, "last"):
            log.append("body")
            if raises:
                raise ValueError("body")
        log.append("after")
    return log


@CASES.case(([],), ([1],))
def contexts_computed_in_order(log):
    """Each manager is entered before the next one is computed; targets are assigned then."""

    def made(name):
        log.append(("made", name))
        return Noted(log, name)

    kept = {}
    with made("a") as kept["a"], made("b") as (kept["b"],), made(kept["a"] * 2) as c, made("d"):
        log.append(dict(kept))
    return c


@CASES.case((5,), (None,), ("text",), (Noted,))
def contexts_that_are_none(value):
    """What has no `__enter__` or no `__exit__`."""

    class Half:
        def __enter__(self):
            return "half"

    found = []
    for one in (value, Half(), Half):
        try:
            with one:
                found.append("entered")
        except (TypeError, AttributeError) as error:
            found.append(type(error).__name__)
    return found


@CASES.case(([],))
def contexts_look_for_their_methods_in_the_class(log):
    """Methods of the object itself do not count, and both are found before the first is called."""

    class Changes:
        def __enter__(self):
            log.append("enter")
            Changes.__exit__ = lambda *args: log.append("new exit")
            self.__exit__ = lambda *args: log.append("own exit")
            return self

        def __exit__(self, *args):
            log.append("old exit")

    with Changes() as one:
        log.append("body")
    with one:
        log.append("again")
    return log


@CASES.case((None,), (ValueError("v"),), (KeyError("k"),), (StopIteration(1),))
def contexts_made_of_generators(error):
    """`contextmanager` makes a manager of a generator, which sees the exception."""
    log = []

    @contextlib.contextmanager
    def manager(name):
        log.append(("before", name))
        try:
            yield name * 2
        except ValueError as caught:
            log.append(("swallowed", caught.args))
        finally:
            log.append("finally")
        log.append("after")

    try:
        with manager("m") as value:
            log.append(value)
            if error:
                raise error
    except Exception as left:
        log.append(said(left))
    return log


@CASES.case((0,), (1,), (2,))
def contexts_made_of_generators_that_are_wrong(yields):
    """A generator that yields not once."""

    @contextlib.contextmanager
    def manager():
        for k in range(yields):
            yield k

    with manager() as value:
        found = value
    return found


@CASES.case(([],), ([3],))
def contexts_used_as_decorators(log):
    """A manager of the library decorates functions as well."""

    @contextlib.contextmanager
    def around(name):
        log.append(("enter", name))
        yield
        log.append(("exit", name))

    @around("f")
    def one(x):
        log.append(x)
        return x * 2

    return one(1), one(2)


@CASES.case((["1", "x", "3"],), ([],), (["y"],))
def contexts_that_suppress(texts):
    """`suppress` ends the block at the exception."""
    numbers = []
    for text in texts:
        with contextlib.suppress(ValueError, KeyError):
            numbers.append(int(text))
            continue
        numbers.append(None)
    with contextlib.suppress(ZeroDivisionError):
        numbers.append(1 // len(texts))
    return numbers


@CASES.case(([], 3, None), ([], 2, ValueError("v")), ([], 0, KeyError("k")))
def contexts_in_a_stack(log, n, error):
    """`ExitStack` takes as many managers as there are."""
    with contextlib.ExitStack() as stack:
        entered = [stack.enter_context(Noted(log, k, ValueError if k else ())) for k in range(n)]
        stack.callback(log.append, "callback")
        log.append(entered)
        if error:
            raise error
        kept = stack.pop_all()
        log.append("moved")
    if not error:
        kept.close()
    return log


@CASES.case(("some text\nand more\n",), ("",))
def contexts_of_files(text):
    """A file is closed at the end, also by an exception."""
    with io.StringIO(text) as file, contextlib.redirect_stdout(io.StringIO()) as out:
        lines = [line.rstrip() for line in file]
        print(len(lines), "lines", *lines, sep="|")
    try:
        with contextlib.closing(file) as again:
            again.read()
    except ValueError as error:
        return lines, out.getvalue(), file.closed, said(error)


@CASES.case(([], 4), ([], 0))
def contexts_in_recursion(log, n):
    """Managers of all levels are left from the inside."""

    def level(k):
        with Noted(log, k, ZeroDivisionError if k == 2 else ()):
            return 1 // k + level(k - 1)

    try:
        return level(n)
    except ZeroDivisionError as error:
        return log, said(error)


@CASES.case(([], 1), ([], 0))
def contexts_with_try_around_and_inside(log, n):
    """The order of handlers, managers and `finally`."""
    try:
        with Noted(log, "a"):
            try:
                with Noted(log, "b"):
                    log.append(1 // n)
            except ZeroDivisionError:
                log.append("handler")
                raise KeyError("k")
            finally:
                log.append("inner finally")
    except KeyError as error:
        return log, error
    finally:
        log.append("outer finally")


@CASES.case(([],))
def contexts_that_change_what_they_restore(log):
    """A manager that sets a value for the time of its block."""
    settings = {"level": 1}

    class Set:
        def __init__(self, **named):
            self.named = named

        def __enter__(self):
            self.before = dict(settings)
            settings.update(self.named)
            return settings

        def __exit__(self, *args):
            settings.clear()
            settings.update(self.before)

    with Set(level=2) as one:
        log.append(dict(one))
        with Set(level=3, more=True):
            log.append(dict(settings))
        log.append(settings["level"])
        with contextlib.suppress(KeyError), Set(level=4):
            log.append(settings["nothing"])
    return settings, log


@CASES.case((1,), ([],), (None,), (0,))
def contexts_whose_answer_is_any_object(answer):
    """The answer of `__exit__` counts by its truth, and only where there was an exception."""

    class Answers:
        def __enter__(self):
            return self

        def __exit__(self, *args):
            return answer

    log = []
    with Answers() as one, Answers() as two:
        log.append(one is two)
    try:
        with Answers():
            raise ValueError(answer)
        log.append("swallowed")
    except ValueError as error:
        log.append(said(error))
    return log
