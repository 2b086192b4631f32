"""Programs with comprehensions, imports, functions and patterns inside of try."""
# ruff: noqa: B018, E731, F401, F821, F841

from __future__ import annotations

import math

from corpus.control.cases import Cases
from corpus.control.try_cases import fail, tell

CASES = Cases()


# --- comprehensions -------------------------------------------------------------------------------


@CASES.case(([1, 2],), ([1, 0],))
def half_comprehension_keeps_outer_variables(items):
    """An exception in a comprehension leaves a variable of the same name as it was."""
    x = "outer"
    result = None
    try:
        result = [6 // x for x in items]
    except ZeroDivisionError:
        return x, result
    return x, result


@CASES.case(([1, 2],), ([1, 0],))
def half_comprehension_leaves_its_variable_unbound(items):
    """A variable that had no value has none after a comprehension that failed."""
    try:
        result = {x: 6 // x for x in items}
    except ZeroDivisionError:
        result = None
    try:
        x
    except UnboundLocalError as e:
        return result, type(e).__name__
    x = 1
    return "bound"


@CASES.case(([3, 2, 0, 1],), ([3],))
def half_comprehension_with_walrus(items):
    """A walrus in a comprehension assigns to the function until an exception comes."""
    last = count = None
    try:
        {(last := x) for x in items if 6 // x}
    except ZeroDivisionError as e:
        count = e.args
    return last, count


@CASES.case(([[1, 2], [3]],), ([[1], 5, [3]],), ([[1], [0]],))
def half_nested_comprehension(rows):
    """Comprehensions in comprehensions, with failing iterables and conditions."""
    row = cell = "outer"
    try:
        made = [[6 // cell for cell in row if cell < 3] for row in rows]
    except TypeError as e:
        made = str(e)
    except ZeroDivisionError:
        made = "zero"
    return made, row, cell


@CASES.case(([1, [], 2],), ([1, 2],))
def half_set_comprehension_hashes(items):
    """What cannot be hashed fails in the middle of a set or dict comprehension."""
    seen = []
    try:
        return sorted({tell(seen, x) for x in items}), {x: x for x in items}
    except TypeError as e:
        return seen, str(e)


@CASES.case(([5, 0],), ([5, 1],))
def half_comprehension_with_a_try_around_each_turn(items):
    """A comprehension in a loop that goes on after an exception, with the loop's variable in it."""
    made = []
    for x in range(3):
        try:
            made.append([x for x in items if 1 // x or x])
        except ZeroDivisionError:
            made.append(x)
            continue
        made.append((x, "fine"))
    return made


@CASES.case(([1, 2, 0],), ([1, 2],))
def half_generator_expression(items):
    """A generator expression fails while `sum` takes its items."""
    try:
        return sum(6 // x for x in items)
    except ZeroDivisionError as e:
        return e, sum(x for x in items if x)


@CASES.case(([1, 0],), ([2, 1],))
def half_comprehension_over_what_a_handler_gives(items):
    """A comprehension within a handler whose condition raises in its turn."""
    try:
        return [6 // x for x in items]
    except ZeroDivisionError as e:
        try:
            return [6 % x for x in items if x or e.missing]
        except AttributeError as inner:
            return inner.__context__ is e, [x for x in items]


# --- names, imports, functions --------------------------------------------------------------------


@CASES.case((0,), (1,))
def half_unbound_in_the_handler(b):
    """A variable that the body did not get to is unbound in the handler, and behind it."""
    try:
        before = 1
        result = 1 // b
        after = 2
    except ZeroDivisionError:
        try:
            return before, result, after
        except UnboundLocalError as e:
            return before, e
    return before, result, after


@CASES.case((0,), (2,))
def half_bound_by_the_same_failing_statement(b):
    """A variable keeps its old value where the statement that assigns it fails."""
    value = "old"
    try:
        value = [value, 1 // b]
        value = {}[b]
    except KeyError:
        return "key", value
    except ZeroDivisionError:
        return "zero", value


@CASES.case((True,), (False,), only_ir="an exception of its own has no `name`")
def half_names_that_do_not_exist(reads):
    """A global that is not there raises NameError where it is read."""
    try:
        if reads:
            return no_such_name
        return no_such_function(fail(KeyError("not evaluated")))
    except NameError as e:
        return str(e), isinstance(e, UnboundLocalError), e.name


@CASES.case((0,), (1,), (2,))
def half_imports(way):
    """Imports that fail, of a module and of a name, and leave the variable alone."""
    found = sqrt = None
    try:
        if way == 0:
            import no_such_module_anywhere as found
        elif way == 1:
            from math import no_such_function, sqrt
        else:
            from math import sqrt
    except ModuleNotFoundError as e:
        return found, str(e), e.name
    except ImportError as e:
        return sqrt, str(e).split(" (")[0], e.name
    return sqrt is math.sqrt


@CASES.case((1,), (0,))
def half_default_argument(b):
    """A default of an inner function that fails leaves the name of the function unbound."""
    try:

        def share(a, by=12 // b):
            return a * by

        return share(2)
    except ZeroDivisionError:
        try:
            return share(3)
        except UnboundLocalError as e:
            return str(e)


@CASES.case((1,), (0,))
def half_lambda_in_a_try(b):
    """The body of a lambda fails where it is called, not where it is written."""
    try:
        divide = lambda a: a // b
    except ZeroDivisionError:
        return "written"
    try:
        return divide(6)
    except ZeroDivisionError as e:
        return "called", e


class Point:
    """Something to be matched, whose second part may fail."""

    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self._y = x, y

    @property
    def y(self):
        return 12 // self._y


@CASES.case((1, 2), (1, 0), (2, 0), (0, 3))
def half_match_whose_attributes_fail(x, y):
    """A pattern that reads a failing attribute; the parts in front are bound or compared."""
    a = "old"
    try:
        match Point(x, y):
            case Point(2, _):
                return "by x alone", a
            case Point(a, 4):
                return "four", a
            case Point(x=a) if 6 // a:
                return "six", a
    except ZeroDivisionError as e:
        return a, str(e)
    return "none", a


@CASES.case((KeyError("k", 1),), (ValueError(),), (OSError(2, "text"),), (ZeroDivisionError("z"),))
def half_match_on_an_exception(error):
    """A handler sorts exceptions by patterns, and raises what fits none."""
    try:
        raise error
    except Exception as e:
        match e:
            case KeyError(args=(key, *_)):
                return "key", key
            case ValueError(args=()):
                return "empty"
            case OSError(errno=2 as number, strerror=str() as text):
                return number, text
            case _:
                raise


@CASES.case(([1, 2],), ([0, 1],), ({"a": 0},), ({"a": 3},))
def half_match_with_a_failing_guard(subject):
    """A guard raises after its pattern has bound names."""
    a = "old"
    try:
        match subject:
            case [a, _] if 1 // a:
                return "list", a
            case {"a": a} if 3 // a:
                return "dict", a
    except ZeroDivisionError:
        return "failed", a


def endless(n):
    """Call itself without an end."""
    return endless(n + 1) + 1


@CASES.case()
def half_endless_recursion():
    """The depth of the stack is an exception as well."""
    try:
        endless(0)
    except RecursionError as e:
        return type(e).__name__, isinstance(e, RuntimeError), e.__context__
