"""Programs that an exception meets halfway: what has been done by then, and what has not."""
# ruff: noqa: B015, F821

from __future__ import annotations

from corpus.control.cases import Cases
from corpus.control.try_cases import fail, tell

CASES = Cases()


class Touchy:
    """An object of which each use can be made to fail, and which notes each."""

    def __init__(self, log, fails=()):
        self.__dict__.update(log=log, fails=fails)

    def _use(self, name, result=True):
        self.log.append(name)
        if name in self.fails:
            raise ValueError(name)
        return result

    def __bool__(self):
        return self._use("bool")

    def __eq__(self, other):
        return self._use("eq")

    def __lt__(self, other):
        return self._use("lt", self)

    def __hash__(self):
        return self._use("hash", 1)

    def __len__(self):
        return self._use("len", 2)

    def __iter__(self):
        self._use("iter")
        return iter((1, 2))

    def __contains__(self, item):
        return self._use("contains")

    def __getitem__(self, key):
        return self._use("getitem", 1)

    def __setitem__(self, key, value):
        self._use("setitem")

    def __delitem__(self, key):
        self._use("delitem")

    def __getattr__(self, name):
        return self._use("getattr", 1)

    def __setattr__(self, name, value):
        self._use("setattr")

    def __delattr__(self, name):
        self._use("delattr")

    def __iadd__(self, other):
        return self._use("iadd", self)

    def __index__(self):
        return self._use("index", 1)

    def __format__(self, spec):
        return self._use("format", "formatted")

    def __repr__(self):
        return self._use("repr", "Touchy")

    def __call__(self, *args, **named):
        return self._use("call", args)


# --- assignments ----------------------------------------------------------------------------------


@CASES.case((1,), ("x",), (None,))
def half_augmented_assignment(amount):
    """A variable keeps its value where the operator fails."""
    total = 5
    try:
        total += amount
    except TypeError as e:
        return total, str(e)
    return total


@CASES.case(([1],), (5,))
def half_augmented_item_of_a_tuple(more):
    """A list in a tuple has changed although the assignment failed."""
    pair = ([0], "second")
    try:
        pair[0] += more
    except TypeError as e:
        return pair, str(e)


@CASES.case((["getitem"],), (["setitem"],), ([],))
def half_augmented_item(fails):
    """The item is read, changed, and stored; target and index are evaluated once."""
    log = []
    target = Touchy(log, fails)
    try:
        tell(log, target)[tell(log, 3)] += tell(log, 4)
    except ValueError as e:
        log.append(e)
    return [one for one in log if one is not target]


@CASES.case((["getattr"],), (["setattr"],), ([],))
def half_augmented_attribute(fails):
    """An attribute is read, changed and set."""
    log = []
    target = Touchy(log, fails)
    try:
        target.count += 1
    except ValueError as e:
        log.append(e)
    else:
        log.append("else")
    return log


@CASES.case((["iadd"],), ([],))
def half_augmented_in_place(fails):
    """A variable holds the old object where `+=` failed, and the changed one elsewhere."""
    log = []
    old = new = Touchy(log, fails)
    try:
        new += 1
    except ValueError:
        new = None
    return log, new is old


@CASES.case((["setitem"],), (["setattr"],), ([],))
def half_unpacking_into_targets(fails):
    """Of several targets those in front of the failing one have their values."""
    log = []
    target = Touchy(log, fails)
    first = second = third = "old"
    try:
        first, target[0], second, target.name, third = 1, 2, 3, 4, 5
    except ValueError as e:
        log.append(e)
    return first, second, third, log


@CASES.case(((1, 2),), ((1, 2, 3, 4),), ((1,),), ((),), ("abc",), (5,))
def half_unpacking_of_the_wrong_count(values):
    """No target gets a value where the count is wrong; the message says what is."""
    a = b = c = None
    try:
        a, b, c = values
    except (ValueError, TypeError) as e:
        return a, b, c, type(e).__name__, str(e)
    return a, b, c


@CASES.case(([1],), ([1, 2],), ([1, 2, 3, 4],), (None,))
def half_unpacking_with_a_star(values):
    """A star takes what is left, and fails where there is too little."""
    first, *rest, last = "old", "old"
    try:
        first, *rest, last = values
    except (ValueError, TypeError) as e:
        return first, rest, last, str(e)
    return first, rest, last


@CASES.case(((1, (2, 3)),), ((1, (2,)),), ((1, 2),))
def half_nested_unpacking(values):
    """The outer names are bound before the inner ones are looked at."""
    a, b, c = "old", "old", "old"
    try:
        a, (b, c) = values
    except (ValueError, TypeError) as e:
        return a, b, c, str(e)
    return a, b, c


@CASES.case((2,), (3,), (9,))
def half_unpacking_takes_one_item_too_many(n):
    """Unpacking takes one item more than it needs from an iterator, and leaves the rest."""
    source = iter(range(n))
    try:
        a, b = source
    except ValueError as e:
        return str(e), list(source)
    return a, b, list(source)


@CASES.case((["setitem"],), (["setattr"],), ([],))
def half_chained_assignment(fails):
    """A chain of assignments goes from the left to the right."""
    log = []
    target = Touchy(log, fails)
    first = second = last = "old"
    try:
        first = target[0] = second = target.x = last = "new"
    except ValueError as e:
        log.append(e.args)
    return first, second, last, log


@CASES.case(([1, 2, 3], 0, 2), ([1, 2, 3], 0, 7), ([1, 2, 3], 7, 0))
def half_swap(items, i, j):
    """A swap whose second index is wrong has changed nothing, as reading comes first."""
    try:
        items[i], items[j] = items[j], items[i]
    except IndexError as e:
        return items, str(e)
    return items


@CASES.case((["delitem"],), (["delattr"],), ([],))
def half_del_of_several(fails):
    """`del` with several targets has deleted those in front of the failing one."""
    log = []
    target = Touchy(log, fails)
    first = second = third = 1
    try:
        del first, target[0], second, target.x, third
    except ValueError as e:
        log.append(e)
    try:
        log.append(third)
        log.append(second)
        log.append(first)
    except UnboundLocalError as e:
        log.append(str(e))
    return log


@CASES.case((True,), (False,))
def half_del_of_an_unbound_variable(bound):
    """`del` of a variable without a value raises, and can be caught."""
    if bound:
        x = 1
    try:
        del x
    except UnboundLocalError as e:
        return str(e)
    try:
        return x
    except UnboundLocalError as e:
        return "gone", str(e)


@CASES.case(({"a": 1}, "a"), ({"a": 1}, "b"), ([1, 2], 5), ((1, 2), 0))
def half_del_of_items(items, key):
    """`del` of an item that is not there, or cannot be deleted."""
    try:
        del items[key]
    except (LookupError, TypeError) as e:
        return type(e).__name__, e.args, items
    return items


@CASES.case(({},), ([0, 0, 0],), ((),))
def half_loop_with_an_item_for_a_target(target):
    """The target of a loop is an item that may not be stored."""
    log = []
    try:
        for target[len(log)] in "abcde":
            log.append("turn")
    except (IndexError, TypeError) as e:
        log.append(str(e))
    return log, target


# --- evaluation up to an exception ----------------------------------------------------------------


@CASES.case((0,), (1,), (2,), (3,))
def half_arguments_of_a_call(way):
    """Arguments are evaluated in turn until one fails, and before the call fails."""
    log = []
    function = None if way == 3 else tell
    try:
        function(
            tell(log, []),
            fail(KeyError("second")) if way == 0 else tell(log, 2),
            *tell(log, [1 // (way - 1)] if way else [5]),
        )
    except Exception as e:
        log.append(str(e))
    return log


@CASES.case(({"value": 1},), ({"other": 1},), ({1: 2},), (5,))
def half_arguments_by_name(more):
    """Names given twice, unknown names, and what is no mapping; the messages of Python."""
    try:
        return tell([], value=0, **more)
    except TypeError as e:
        return str(e)


@CASES.case((0,), (1,), (2,))
def half_display_of_a_dict(way):
    """Keys and values are evaluated in turn, and hashed behind all."""
    log = []
    try:
        {
            tell(log, 1): tell(log, 2),
            (tell(log, 3) if way else fail(KeyError(log))): tell(log, 4),
            (tell(log, []) if way == 1 else tell(log, 5)): tell(log, 6),
        }
    except (KeyError, TypeError) as e:
        log.append(str(e)[:30])
    return log


@CASES.case((["lt"],), (["bool"],), ([],))
def half_chained_comparison(fails):
    """A chain of comparisons asks for the truth of each, and evaluates no more than it needs."""
    log = []
    a, b = Touchy(log, fails), Touchy(log)
    try:
        a < b < tell(log, 3)
    except (ValueError, TypeError) as e:
        log.append(type(e).__name__)
    return log


@CASES.case((0,), (1,), (2,), (3,), (4,), (5,))
def half_condition_whose_truth_fails(way):
    """`__bool__` raises in an if, a while, and, or, not, and in a conditional expression."""
    log = []
    x = Touchy(log, ["bool"])
    try:
        match way:
            case 0:
                if x:
                    log.append("then")
                else:
                    log.append("else")
            case 1:
                while x:
                    log.append("turn")
            case 2:
                log.append(x and 1)
            case 3:
                log.append(0 or x or 1)
            case 4:
                log.append(not x)
            case 5:
                log.append(1 if x else 2)
    except ValueError as e:
        return log, e.args
    return log


class NoTruth:
    """Gives no bool for its truth."""

    def __bool__(self):
        return 1


@CASES.case((NoTruth(),), (True,), ("",))
def half_condition_that_is_no_bool(condition):
    """The truth of an object must be a bool."""
    state = "start"
    try:
        state = "before"
        if condition:
            state = "true"
    except TypeError as e:
        return state, str(e)
    return state


@CASES.case((["eq"],), (["hash"],), (["contains"],), (["iter"],), (["len"],), (["index"],))
def half_operations_of_an_object(fails):
    """Comparison, hashing, containment, iteration, length and index raise in turn."""
    log = []
    x = Touchy(log, fails)
    for turn in range(6):
        try:
            [x == 1, {x: 1}, 1 in x, [*x], len(x), [5, 6][x]] if turn == 0 else [
                [x] == [5],
                {x},
                (1 not in x),
                list(x),
                not len(x),
                "abc"[x:],
            ]
        except ValueError as e:
            log.append((turn, *e.args))
    return log


@CASES.case((["format"],), (["repr"],), (["getattr"],), ([],))
def half_text_with_values(fails):
    """The pieces of an f-string are made in turn, each with its own error."""
    log = []
    x = Touchy(log, fails)
    text = "old"
    try:
        text = f"{tell(log, 1)}{x:>{tell(log, 20)}}{x!r}{x.attribute}{tell(log, 2)}"
    except ValueError as e:
        log.append(e)
    return text, log


@CASES.case((3, "d"), ("x", "d"), (1.5, "{"), (2, "5"))
def half_format_specification(value, spec):
    """A wrong specification raises, nested as it is."""
    try:
        return f"<{value:{spec}}>"
    except ValueError as e:
        return str(e)


@CASES.case((0,), (4,))
def half_condition_that_assigns(n):
    """A walrus has assigned although the condition around it failed."""
    y = z = None
    try:
        if (y := n + 1) and (z := 12 // n) and 1 // (n - 4):
            return "fine"
    except ZeroDivisionError:
        return y, z


@CASES.case((2,), (5,))
def half_slices_and_items(k):
    """Reads of items, slices and attributes that are not there."""
    found = []
    items, nothing, table = [1, 2, 3], None, {"a": 1}
    for turn in range(6):
        try:
            if turn == 0:
                found.append(items[k])
            elif turn == 1:
                found.append(items[k:"x":0])
            elif turn == 2:
                found.append(table[k])
            elif turn == 3:
                found.append(nothing.field)
            elif turn == 4:
                items[k : k + 1 : 2] = [9, 9]
            else:
                items[::0]
        except (LookupError, TypeError, AttributeError, ValueError) as e:
            found.append(str(e))
    return found, items
