"""Closures: inner functions that are called where they are, and functions made by others."""

# ruff: noqa: B006, B007, F821  programs as they may be written

from __future__ import annotations

import sys

from corpus.control.cases import Cases

CASES = Cases()


def reached(*args):
    """Raises with what it was called with."""
    raise OSError(*args)


def makes(*calls, **options):
    """The function that a factory gives is a case."""

    def add(factory):
        CASES.case(*calls, **options)(factory())
        return factory

    return add


# --- calls of inner functions ---------------------------------------------------------------------


@CASES.case((3,))
def closure_variables_of_its_own_are_new_at_each_call(n):
    """A variable of an inner function is unbound again at its next call."""

    def once(k):
        if not k:
            x = "bound"
        return x

    found = []
    for k in range(n):
        try:
            found.append(once(k))
        except UnboundLocalError as error:
            found.append(error.args)
    return found


@CASES.case((2,))
def closure_default_that_is_a_list_is_kept(n):
    """A default is made once, and keeps what calls do to it."""

    def add(x, items=[]):
        items.append(x)
        return len(items), items

    first = add(n)
    second = add(n, ["own"])
    third = add(n + 1)
    return first, second, third, first[1] is third[1]


@CASES.case((1,))
def closure_parameters_are_not_the_callers(x):
    """Parameters that are assigned or deleted leave the variables of the caller alone."""
    y = "mine"

    def change(x, y=y):
        x, y = y, x
        del x
        return y

    return change(x), x, y, change(y=x, x=y), (lambda y: [y := y * 2, x])(5), y


@CASES.case(([],), ([0],))
def closure_arguments_are_computed_once_and_in_order(log):
    """Arguments are computed as they stand, by whatever names, before the body runs."""

    def note(x):
        log.append(x)
        return x

    def three(a, b, c="c"):
        log.append("body")
        return c, b, a, a

    return three(b=note(1), a=note(2)), three(note(3), c=note(4), b=note(5))


@CASES.case(
    ([1, 2],), (["a", "b", "c"],), ([1],), only_ir="a star before what is not written there"
)
def closure_is_called_with_stars(items):
    """An inner function gets what a list and a dictionary hold."""

    def inner(a, b, c="c"):
        return [c, b, a]

    named = {"a": 0, "c": items}
    return inner(*items), inner(b="b", **named), inner(*items[:1], **{"b": 5})


@CASES.case((2,), only_ir="**kwargs are refused")
def closure_collects_arguments(n):
    """Collecting parameters of inner functions that are called with and without stars."""

    def collect(first=None, *rest, last="z", **named):
        named["n"] = n
        return first, rest, last, named

    one = {"k": 1}
    found = collect(), collect(1, 2, 3, last=4), collect(*"ab", **one), collect(0, *[1], k=5)
    return found, one


@CASES.case((0,))
def closure_raises_what_its_caller_handles(n):
    """`raise` in an inner function means the exception that its caller handles."""

    def again():
        raise

    try:
        again()
    except RuntimeError as error:
        found = error
    try:
        try:
            1 // n
        except ZeroDivisionError:
            again()
    except ZeroDivisionError as error:
        return found.args, error.args, error.__context__


@CASES.case((0,), ("a",))
def closure_called_by_a_handler_raises(n):
    """What an inner function raises in a handler has the handled exception as its context."""

    def fail(kind):
        try:
            raise kind(n)
        finally:
            seen.append(sys.exc_info()[0])

    seen = []
    try:
        1 // n
    except ZeroDivisionError:
        fail(KeyError)
    except TypeError as error:
        try:
            fail(ValueError)
        except ValueError as other:
            return other, other.__context__ is error, seen
    finally:
        seen.append(sys.exc_info()[0])


@CASES.case((0,), (2,))
def closure_handler_inside_of_a_handler(n):
    """An inner function with a handler of its own is called in a handler."""

    def safe(x):
        try:
            return 1 // x
        except ZeroDivisionError as error:
            return error.__context__, sys.exc_info()[0]

    try:
        raise LookupError(n)
    except LookupError as error:
        found = safe(n), sys.exc_info()[1] is error
    return found, safe(n), sys.exc_info()[0]


@CASES.case((1,), (0,))
def closure_called_in_finally(n):
    """An inner function that returns in a loop in `finally`, while an exception is on its way."""
    log = []

    def first(items):
        for x in items:
            try:
                if x:
                    return x
            finally:
                log.append(x)
        return "none"

    try:
        try:
            return 1 // n, log
        finally:
            log.append(first([0, n, 2]))
    except ZeroDivisionError:
        return log


@CASES.case((2,))
def closure_passed_to_another_inner_function(n):
    """An inner function gets others as arguments, and gives one back."""

    def twice(f, x):
        return f(f(x))

    def compose(f, g):
        return lambda x: f(g(x))

    def add(x):
        return x + n

    both = compose(add, lambda x: x * n)
    return twice(add, 1), twice(lambda x: x * x, n), both(5)


@CASES.case((True,), (False,))
def closure_called_before_its_definition(early):
    """The name of an inner function is a variable: unbound before, and after `del`."""
    try:
        if early:
            return inner()
    except UnboundLocalError as error:
        found = error.args

    def inner():
        return "called"

    if not early:
        found = inner()
        del inner
        return inner()
    return found, inner()


@CASES.case((1,))
def closure_defined_twice(x):
    """A later definition of the same name takes the place of the first."""

    def inner():
        return "first", x

    keep = inner
    found = inner()

    def inner():
        return "second", keep()

    return found, inner()


@CASES.case((None,), (1,), only_ir="a variable changes after it was captured")
def closure_names_in_its_messages(x):
    """Messages name variables of inner functions as they are written."""
    found = []

    def unbound():
        if x is ...:
            y = 1
        del y

    def captured():
        return later

    for function in (unbound, captured):
        try:
            function()
        except NameError as error:
            found.append((type(error).__name__, error.args))
    try:
        unbound()
    except UnboundLocalError as error:
        found.append(error.args)
    if x:
        later = 1
    return found


@CASES.case((3,))
def closure_with_comprehensions_and_lambdas_inside(n):
    """An inner function with comprehensions that use variables of both functions."""

    def table(x, n=n):
        return [(x, y, n) for y in range(n) if y != x], {y: x for y in range(x)}

    x = "mine"
    return table(1), table(2, 1), [table(x)[1] for x in range(n)], x


@CASES.case((1,))
def closure_names_in_messages_about_its_own_variables(x):
    """Messages name the inner function's own variables as they are written."""

    def unbound(y):
        if x is ...:
            z = y
        del y
        try:
            return y
        except UnboundLocalError as error:
            return error.args, z

    try:
        return unbound(x)
    except UnboundLocalError as error:
        return error


@CASES.case((2,))
def closure_with_statements_of_all_kinds(n):
    """`import`, `match`, `with`, `assert`, `global` and a class in an inner function."""

    def inner(x):
        global reached_by_inner
        import math as m

        class Local:
            value = x

        match x:
            case int(k) if k < n:
                assert k, "zero"
                reached_by_inner = k
            case str() as text:
                with open("/dev/null") as text:
                    return text.read(), m.floor(1.5)
        return Local.value, x

    found = [inner(1), inner("a"), inner(n)]
    try:
        inner(0)
    except AssertionError as error:
        return found, error.args


@CASES.case((2,))
def closure_in_the_middle_of_expressions(n):
    """Calls with branches inside, while other values wait on the stack."""

    def sign(x):
        if x < 0:
            return "-"
        return "0" if not x else "+"

    text = f"{n}{sign(n)}{sign(-n)}" + sign(0) + (sign(n) and sign(n - n)) * n
    return (
        text,
        {sign(k): k for k in range(-1, n)},
        sign(n) < sign(-n) < sign(0),
        [*sign(1), sign(0)],
    )


@CASES.case((1,), (0,))
def closure_whose_error_comes_before_the_others(n):
    """An argument that raises, and a function that is none, raise before the body runs."""
    log = []

    def inner(a, b):
        log.append("body")
        return a, b

    try:
        inner(log.append("a"), reached("b"))
    except OSError as error:
        log.append(error.args)
    inner = None if n else inner
    try:
        inner(log.append("computed"), 2)
    except TypeError as error:
        log.append(error.args)
    return log


@CASES.case((3,), steps=("next", "next", "next", "next"))
def closure_called_by_a_generator_raises_stop_iteration(n):
    """StopIteration of an inner function ends no generator in silence."""
    items = iter(range(n - 1))

    def take():
        return next(items)

    while True:
        yield take()


@CASES.case((2,), (0,))
def closure_over_exceptions_and_their_names(n):
    """An inner function with a handler whose name the outer function uses as well."""
    error = "mine"

    def safe(x):
        try:
            return n // x
        except ZeroDivisionError as error:
            return error.args

    try:
        found = safe(n), safe(0), error
        raise ValueError(found)
    except ValueError as error:
        found = error.args
    try:
        return safe(0), error
    except UnboundLocalError as unbound:
        return found, unbound.args


@CASES.case((2,))
def closure_changes_variables_in_try(n):
    """A variable that an inner function assigns before it raises has its value in the handler."""
    done = 0

    def work(x):
        nonlocal done
        done += 1
        return 6 // x

    for x in (n, 0, 1):
        try:
            done += work(x)
        except ZeroDivisionError:
            done = -done
        finally:
            work(1)
    return done


@CASES.case((3,))
def closure_with_nonlocal_in_a_comprehension(n):
    """An inner function changes the variable that a comprehension's condition reads."""
    limit = n

    def lower():
        nonlocal limit
        limit -= 1
        return limit

    return [(k, limit) for k in range(10) if k < limit and lower() >= 0], limit


# --- functions that have closures themselves ------------------------------------------------------


@makes((), ())
def writing():
    total = 5

    def closure_made_by_a_factory_writes():
        """A function made by another one changes a variable of that, and puts it back."""
        nonlocal total
        before = total
        try:
            total += 1
            total *= 2
            return before, total, [total for _ in range(2)], (lambda: total)()
        finally:
            total = before

    return closure_made_by_a_factory_writes


@makes((2,), (0,))
def reading():
    scale, names = 10, ["a", "b"]

    def closure_made_by_a_factory_reads(n):
        """A function made by another one reads its variables, also in functions inside."""
        pairs = [(name, scale * n) for name in names]
        return pairs, (lambda x: x + scale)(n), [*(scale // k for k in (1, 2))], names[n:]

    return closure_made_by_a_factory_reads


@makes(())
def deleting():
    x = 1

    def closure_made_by_a_factory_deletes():
        """`del` of the other function's variable, which is unbound then, and bound again."""
        nonlocal x
        found = []
        del x
        for statement in range(3):
            try:
                if statement == 0:
                    found.append(x)
                elif statement == 1:
                    del x
                else:
                    x += 1
            except NameError as error:
                found.append(error)
        x = 1
        return found, x

    return closure_made_by_a_factory_deletes


@makes((1,))
def without_a_value():
    def closure_made_by_a_factory_reads_what_has_no_value(n):
        """A variable of the other function that never gets a value."""
        try:
            return never
        except NameError as error:
            return error, n

    if not closure_made_by_a_factory_reads_what_has_no_value:
        never = 1
    return closure_made_by_a_factory_reads_what_has_no_value


@makes((4,))
def calling_itself():
    def closure_made_by_a_factory_calls_itself(n):
        """A function that calls itself by a variable of the one that made it."""
        return [n, *closure_made_by_a_factory_calls_itself(n - 1)] if n else []

    return closure_made_by_a_factory_calls_itself


@makes(([],), only_ir="an inner function writes a variable of the maker")
def shared():
    state = "start"

    def change(value):
        nonlocal state
        state = value

    def closure_made_by_a_factory_shares_with_an_inner_function(log):
        """A variable of the maker that an inner function, a loop and a handler assign."""
        nonlocal state
        before = state

        def inner():
            nonlocal state
            state += "!"
            return state

        try:
            for state in ("a", "b"):
                log.append(inner())
            try:
                raise ValueError(state)
            except ValueError as state:
                log.append(state.args)
            change("changed")
            log.append((state, inner(), state))
            with open("/dev/null") as state:
                log.append(state.name)
        finally:
            state = before
        return state

    return closure_made_by_a_factory_shares_with_an_inner_function
