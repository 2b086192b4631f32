"""Generators: `yield from`, generators of others, and expressions that are generators."""

# ruff: noqa: B007, E731  programs as they may be written

from __future__ import annotations

import itertools
import sys

from corpus.control.cases import Cases

CASES = Cases()

VALUE = ValueError("thrown in")


class Plain:
    """An iterator with nothing but `__next__`, which ends with a value."""

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if not self.n:
            raise StopIteration("the value")
        self.n -= 1
        return self.n


class Talking(Plain):
    """An iterator that answers `send`, `throw` and `close` in its own way."""

    def __init__(self, n, log, closing=None):
        super().__init__(n)
        self.log = log
        self.closing = closing

    def send(self, value):
        self.log.append(("send", value))
        return next(self)

    def throw(self, *args):
        self.log.append(("throw", args[-1]))
        if isinstance(args[-1], KeyError):
            raise StopIteration("ended by throw")
        if isinstance(args[-1], ValueError):
            raise TypeError("instead")
        return "thrown"

    def close(self):
        self.log.append("close")
        if self.closing is not None:
            raise self.closing


def counted(n, log):
    """A generator that logs what happens to it."""
    try:
        for k in range(n):
            log.append((yield k))
    except KeyError as error:
        yield ("handled", error.args)
    finally:
        log.append("finally")
    return n


def stubborn():
    """A generator that does not want to be closed."""
    for k in range(4):
        try:
            yield k
        except GeneratorExit:
            yield "stubborn"


def handled_here(log):
    """Logs which exception is being handled, before and after its own."""
    log.append(sys.exc_info()[1])
    try:
        yield 1 / 0
    except ZeroDivisionError:
        yield sys.exc_info()[0]
    log.append(sys.exc_info()[1])
    yield 3
    raise LookupError("at last")


# --- yield from -----------------------------------------------------------------------------------


@CASES.case(([1, 2],), ("ab",), (range(2),), ({"k": 1},), ([],), (3,))
def yield_from_objects_of_python(items):
    """`yield from` takes whatever can be iterated over, and raises TypeError for the rest."""
    found = yield from items
    yield found


@CASES.case(([],), steps=("next", ("send", 1), ("send", 2), ("send", 3), "next"))
def yield_from_hands_on_what_is_sent(log):
    """What is sent goes to the inner generator, whose value is that of the expression."""
    log.append((yield from counted(2, log)))
    yield "after"
    return (yield from counted(0, log)), (yield from [])


@CASES.case(([],), steps=("next", ("throw", KeyError("k")), "next", "next"))
def yield_from_hands_on_what_is_thrown(log):
    """What is thrown is handled in the inner generator."""
    yield (yield from counted(3, log))


@CASES.case(([],), steps=("next", ("throw", VALUE), "next", "next"))
def yield_from_in_try_catches_what_comes_out(log):
    """What the inner generator lets through is handled around `yield from`."""
    try:
        yield from counted(3, log)
    except ValueError as error:
        yield error
    else:
        yield "else"
    return log[:]


@CASES.case(([],), steps=("next", "next", "close", "next"))
def yield_from_closes_the_inner_generator(log):
    """The inner generator is closed before the outer one sees GeneratorExit."""
    try:
        yield from counted(3, log)
    finally:
        log.append("outer")


@CASES.case(([],), steps=("next", "close", "next", "next"))
def yield_from_a_generator_that_refuses_to_close(log):
    """RuntimeError of the inner generator's `close` comes up in the outer one."""
    inner = stubborn()
    try:
        yield from inner
    except RuntimeError as error:
        log.append((error.args, type(error.__context__), list(inner)))
        raise


@CASES.case(([],), steps=("next", ("throw", GeneratorExit("by hand")), "next"))
def yield_from_generator_exit_thrown_by_hand(log):
    """GeneratorExit that is thrown closes the inner generator and is raised then."""
    try:
        yield from counted(3, log)
    except GeneratorExit as error:
        log.append(error.args)
        yield "outer"


@CASES.case((3,), steps=("next", ("send", None), ("send", 5), "next"))
def yield_from_an_iterator_without_send(n):
    """None goes to `__next__`; anything else needs a `send`."""
    try:
        yield from Plain(n)
    except AttributeError as error:
        yield error.args


@CASES.case((3,), steps=("next", ("throw", VALUE), "next", "next"))
def yield_from_an_iterator_without_throw(n):
    """The exception is raised at the `yield from`, and the iterator can go on."""
    one = Plain(n)
    try:
        yield from one
    except ValueError:
        yield (yield from one)


@CASES.case(
    ([],),
    steps=("next", ("send", 5), ("throw", OSError("o")), ("throw", KeyError("k")), "next"),
)
def yield_from_an_iterator_with_send_and_throw(log):
    """StopIteration of its `throw` ends the `yield from` with a value."""
    yield (yield from Talking(5, log))


@CASES.case(([],), steps=("next", ("throw", VALUE), "next"))
def yield_from_an_iterator_whose_throw_raises(log):
    """What `throw` raises instead has no context but its own."""
    try:
        yield from Talking(5, log)
    except TypeError as error:
        yield error


@CASES.case(([], None), ([], OSError("no")), steps=("next", "close", "next"))
def yield_from_an_iterator_with_close(log, closing):
    """What `close` of the iterator raises takes the place of GeneratorExit."""
    try:
        yield from Talking(5, log, closing)
    except BaseException as error:
        log.append(error)
        raise


@CASES.case((2,), (0,))
def yield_from_in_finally_and_in_a_handler(n):
    """`yield from` in a handler and in `finally`, where the exception goes on after."""
    try:
        yield 1 // n
    except ZeroDivisionError:
        yield from [sys.exc_info()[0].__name__, "handler"]
        raise
    finally:
        found = yield from Plain(2)
        yield found


@CASES.case(([],), steps=("next", "next", ("throw", KeyError("k")), "next", "next"))
def yield_from_in_a_handler_sees_both_exceptions(log):
    """A generator that is run by a handler handles an exception of its own meanwhile."""
    try:
        raise ValueError("outer")
    except ValueError:
        yield from handled_here(log)


@CASES.case(([],))
def yield_from_the_same_generator_twice(log):
    """A generator that has ended gives nothing more, and None."""
    one = counted(2, log)
    first = yield from one
    second = yield from one
    yield first, second


@CASES.case(([1, [2, [], [3, [4]]], 5],), ([],))
def yield_from_recursion_flattens_a_tree(tree):
    """A generator that delegates to itself, and gives the number of leaves."""
    count = 0
    for one in tree:
        if isinstance(one, list):
            count += yield from yield_from_recursion_flattens_a_tree(one)
        else:
            yield one
            count += 1
    return count


@CASES.case(((1, 0, 2),), steps=("next", "next", "next", "next"))
def yield_from_a_generator_expression_that_raises(items):
    """The exception of a generator expression is handled around `yield from`; it has ended then."""
    inverse = (1 // x for x in items)
    try:
        yield from inverse
    except ZeroDivisionError as error:
        yield error
    return list(inverse)


@CASES.case(([3, 1, 2],), steps=("next", ("send", 10), "next", ("send", 20), "next"))
def yield_from_a_lambda_that_yields(items):
    """A lambda with a `yield` in it makes a generator too."""
    ask = lambda item: (yield item)
    total = 0
    for item in items:
        total += (yield from ask(item)) or 0
    return total


@CASES.case((), steps=("next", ("send", 2), "next", "next"))
def yield_from_what_is_sent():
    """The iterable itself is made of a yield, and is evaluated once."""
    found = yield from range((yield "how many?"))
    yield found, "end"


@CASES.case(([],), steps=("next", "next"))
def yield_from_dropped_in_the_middle(log):
    """Both generators are closed, from the inside to the outside."""
    try:
        yield from counted(5, log)
    finally:
        log.append("outer")


# --- generators of others -------------------------------------------------------------------------


@CASES.case()
def generators_see_the_exception_that_a_caller_handles():
    """`sys.exc_info` in a generator is the caller's, but for what it handles itself."""
    log = []
    one = handled_here(log)
    try:
        raise ValueError("outer")
    except ValueError:
        log.append((next(one), sys.exc_info()[0]))
    log.append((next(one), sys.exc_info()[0]))
    try:
        raise KeyError("while another one is handled")
    except KeyError:
        try:
            next(one)
        except LookupError as error:
            log.append(error)
    return log


@CASES.case((2,), (5,))
def generators_that_call_themselves(n):
    """Inner generators that are recursive."""

    def permuted(items):
        if not items:
            yield ()
        for k, first in enumerate(items):
            for rest in permuted(items[:k] + items[k + 1 :]):
                yield first, *rest

    return list(itertools.islice(permuted("abcde"[:n]), 7))


@CASES.case(([],))
def generators_closed_by_contexts(log):
    """Explicit `close` in `finally`, while an exception is on its way."""
    one = counted(3, log)
    try:
        for k in one:
            log.append(1 // k)
    except ZeroDivisionError as error:
        log.append(error)
    finally:
        one.close()
    return list(one)


@CASES.case((4,))
def generators_without_end_and_islice(n):
    """Only as much of an infinite generator is taken as is asked for."""

    def naturals():
        k = 0
        while True:
            yield k
            k += 1

    def primes(numbers):
        p = next(numbers)
        yield p
        yield from primes(k for k in numbers if k % p)

    numbers = naturals()
    first = list(itertools.islice(numbers, n))
    return first, next(numbers), list(itertools.islice(primes(itertools.count(2)), n))


@CASES.case((), only_ir="the variable is assigned to after it was captured")
def generators_that_run_themselves():
    """A generator that asks itself for an item while it runs: ValueError."""

    def one():
        yield next(itself)

    itself = one()
    try:
        next(itself)
    except ValueError as error:
        return error.args, list(itself)


@CASES.case(([],), ([1, 2],))
def generators_taken_in_turn(more):
    """One iterator feeds two loops, `zip`, and an unpacking."""
    one = iter([1, 2, 3, 4, 5, 6, 7, *more])
    pairs = [(a, b) for a, b in zip(one, one) if a < 3]
    for x in one:
        break
    else:
        x = None
    rest = [*one]
    return pairs, x, rest


@CASES.case(([],))
def generators_unpacked_take_one_item_too_many(log):
    """An unpacking takes one item more than it needs, and no further ones."""
    one = counted(9, log)
    try:
        a, b = one
    except ValueError as error:
        log.append(error.args)
    return next(one, "ended"), one.close()


@CASES.case(((1, 2, 3),), ((),))
def generators_in_arguments(items):
    """Generators behind a star, in a list, and as the pairs of a dictionary."""

    def all_of(*args, **named):
        return args, named

    doubled = (2 * x for x in items)
    pairs = ((f"k{x}", x) for x in items)
    return all_of(0, *doubled, *doubled, **dict(pairs)), [*(x for x in items), -1]


# --- expressions that are generators --------------------------------------------------------------


@CASES.case(([3, 1, 2],), ([],))
def genexpr_taken_by_functions_of_python(items):
    """`sum`, `dict` and the like take a generator expression as their only argument."""
    found = [sum(x * x for x in items), dict((x, -x) for x in items), set(x % 2 for x in items)]
    found += [sorted(-x for x in items), ",".join(str(x) for x in items), tuple(x for x in items)]
    return found, max((x for x in items), default="none"), min(x for x in items)


@CASES.case(([0, 2, 3],), ([0, 0],))
def genexpr_any_and_all_stop_early(items):
    """`any` takes items until one is true."""
    seen = []

    def look(x):
        seen.append(x)
        return x

    return any(look(x) for x in items), all(look(x) for x in items), seen


@CASES.case((0,), (2,))
def genexpr_first_iterable_is_evaluated_at_once(n):
    """The first iterable is evaluated where the expression stands, the rest when it is run."""
    late = (x // n for x in range(2) for _ in range(1 // n))
    try:
        early = (x for x in range(1 // n))
    except ZeroDivisionError as error:
        return error.args, next(late)
    return list(early), list(late)


@CASES.case((2,), only_ir="the variable is assigned to after it was captured")
def genexpr_reads_variables_when_it_runs(factor):
    """A variable of the function is read when an item is asked for, not before."""
    items = [1, 2, 3]
    scaled = (factor * x for x in items)
    first = next(scaled)
    factor, items = 10, []
    second = next(scaled)
    del factor
    try:
        next(scaled)
    except NameError as error:
        return first, second, error.args, items
    return first, second


@CASES.case()
def genexpr_stop_iteration_becomes_another():
    """StopIteration inside of a generator expression does not end it in silence."""
    empty = iter(())
    return list(next(empty) for _ in range(3))


@CASES.case((3,))
def genexpr_inside_of_comprehensions(n):
    """Generator expressions as what comprehensions iterate over, and as their items."""
    a = [x for x in (y * y for y in range(n))]
    b = {x: sum(y for y in range(x)) for x in (x + 1 for x in range(n))}
    return a, b, [[*(x for x in range(y))] for y in range(n)]


@CASES.case((3,), only_ir="a variable of the comprehension changes after it was captured")
def genexpr_reads_variables_of_a_comprehension(n):
    """The items of a generator expression depend on the comprehension around it."""
    b = {x for x in range(n) if any(z == x for z in (0, 2))}
    return b, [x + y for x in range(n) for y in (x * k for k in range(x))]


@CASES.case((3,), only_ir="a variable of the comprehension changes after it was captured")
def genexpr_kept_by_a_comprehension(n):
    """Generators that are kept see the last value of the comprehension's variable."""
    made = [(x * k for k in range(2)) for x in range(n)]
    return [list(one) for one in made]


@CASES.case((3,))
def genexpr_returned_with_conditions(n):
    """A function that returns a generator expression with two loops and a walrus."""
    last = None
    return ((x, y, last) for x in range(n) if x != 1 for y in range(x) if (last := x + y) != 3)
