"""Python's objects: displays, comprehensions, items, unpacking."""

# ruff: noqa: B033, B035, F632, F821  programs as they may be written

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()


class Logged:
    """A container that logs what is done to it."""

    def __init__(self, log):
        self.log = log

    def __getitem__(self, index):
        self.log.append(("get", index))
        return 10

    def __setitem__(self, index, value):
        self.log.append(("set", index, value))

    def __delitem__(self, index):
        self.log.append(("del", index))


class Box:
    """An object with attributes."""

    def __init__(self, value=None):
        self.value = value


def taken(a, b=2, *args, c=3, **named):
    """A function with parameters of all kinds."""
    return a, b, args, c, named


def noting(log):
    """A function that logs its argument, and gives it."""

    def note(value):
        log.append(value)
        return value

    return note


# --- displays -------------------------------------------------------------------------------------


@CASES.case(([],))
def display_with_stars_is_made_from_left_to_right(log):
    """A starred item is taken apart before the next item is computed."""
    note = noting(log)
    listed = [*map(note, "ab"), note("c"), *map(note, "de"), note("f")]
    tupled = *map(note, "gh"), note("i")
    return listed, tupled, {*map(note, "jk"), note("l")}


@CASES.case((5,), ("ab",))
def display_of_a_set_with_a_star(value):
    """A star in a set has a message of its own."""
    try:
        return {1, *value}
    except TypeError as error:
        return error.args


@CASES.case(([1],), ({1: 2},), ([(1, 2)],), (None,))
def display_of_a_dictionary_with_what_is_no_mapping(more):
    """Two stars take a mapping, and no pairs."""
    return {"first": 0, **more}


@CASES.case(
    ({"a": 1, "b": 2}, {"b": 3, "c": 4}),
)
def display_of_dictionaries_with_stars(first, second):
    """Later keys win, and keep the place of the first."""
    made = {**first, "c": 0, **second, "a": -1}
    return made, list(made), {**first} is first


@CASES.case(([],))
def display_of_a_dictionary_computes_before_it_hashes(log):
    """All keys and values are computed, then hashed."""
    note = noting(log)
    try:
        return {note("a"): note(1), **{note("b"): note(2)}, note("c"): note(3)}
    finally:
        log.append({1, True, 1.0, 0, False})


@CASES.case(([],), ((),))
def display_with_an_unhashable_item(item):
    """The items are computed, and the error is raised then."""
    seen = []
    try:
        return {seen.append(1), item, seen.append(2)}
    except TypeError:
        seen.append({"key": item})
        return seen, {item: 1}


@CASES.case((3,))
def display_makes_a_new_list_each_time(n):
    """Lists and sets of constants are made anew in each turn of a loop."""
    made = []
    for k in range(n):
        items, kinds = [1, 2, 3], {1, 2, 3}
        items.append(k)
        kinds.add(-k)
        made += [items, kinds]
    return made


@CASES.case((1,))
def display_with_several_names(x):
    """One list with several names stays one list."""
    a = b = [x, x]
    (c := [b]).append(a)
    a.append(3)
    x = [0]
    twice = [x] * 2
    x += [1]
    return a is b, b, c[0] is c[1], twice


@CASES.case((1,))
def display_keeps_what_variables_held(x):
    """An item is the value of the moment when it was computed."""
    return [x, (x := x + 1), x, [x, (x := x * 5)], x], (x, (x := 0), x), {x: (x := 9)}


@CASES.case((True, [1, 2]), (False, [3]), (None, []))
def display_with_conditions_inside(which, items):
    """Items, and starred items, that depend on conditions."""
    return [
        *(items if which else ()),
        0 if which is None else 1,
        *(which and items or "x"),
        [*items, which or "end"],
    ]


@CASES.case(([7, 8],))
def display_with_more_than_a_few_items(items):
    """Large displays are made in steps."""
    a, b = items
    # fmt: off
    wide = [
        a, b, 2, 3, 4, 5, 6, 7, 8, 9, a, b, 2, 3, 4, 5, 6, 7, 8, 9, a, b, 2, 3, 4, 5, 6, 7, 8, 9, 0,
        1, b,
    ]
    # fmt: on
    wide += [*wide, a, *wide, b, *wide]
    named = {a: 0, b: 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7, "i": 8, "j": 9}
    more = {**named, "k": a, "l": b, "m": 2, "n": 3, "o": 4, "p": 5, "q": 6, "r": 7, "s": 8, "t": 9}
    more |= {a: a, "u": 1, "v": 2, "w": 3, "x": 4, "y": 5, "z": 6, "A": 7, "B": 8, "C": 9, "D": b}
    return wide, more, {*wide, a, b}


# --- comprehensions -------------------------------------------------------------------------------


@CASES.case(([[1, 2], [3, 4, 5]],), ([],))
def comprehension_in_another_with_the_same_names(x):
    """Each comprehension has variables of its own, also of the same name."""
    y = "y"
    z = [[x for x in x if x != 2] for x in x]
    return x, y, z, [y for x in x for y in x], y


@CASES.case((4,))
def comprehension_with_loops_and_conditions(n):
    """Later loops and conditions see the variables of earlier ones."""
    a = [(x, y) for x in range(n) if x % 2 for y in range(x) if y != 1 if x + y]
    b = {x: {y for y in range(x)} for x in range(n) if x}
    return a, b, [[[x, y, z] for z in range(y)] for x in range(n) for y in range(x) if y]


@CASES.case(([3, 0, 5],), ([],))
def comprehension_with_a_walrus(items):
    """A walrus in a comprehension assigns to a variable of the function."""
    last = "none"
    found = [(last, y) for x in items if (y := x * 2) and (last := x)]
    items.append(last)
    return found, last, y


@CASES.case(([1, 0, 2],), ([1, 2],))
def comprehension_that_raises_leaves_variables_alone(items):
    """The function has its variable of the same name again where a handler goes on."""
    x, found = "mine", "nothing"
    try:
        found = [1 // x for x in items]
    except ZeroDivisionError:
        return x, found
    finally:
        items.append(x)
    return x, found


@CASES.case((0,), (3,))
def comprehension_variables_are_not_there_afterward(n):
    """A variable that only a comprehension assigned is unbound in the function."""
    found = [x for x in range(n)]
    if n > 5:
        x = 1
    try:
        return x, found
    except UnboundLocalError as error:
        return error.args, found


@CASES.case(([],))
def comprehension_of_a_dictionary_in_order(log):
    """The key is computed before the value, and the last one of equal keys wins."""
    note = noting(log)
    return {note(("key", x % 2)): note(("value", x)) for x in range(3)}


@CASES.case((((1, 2, 3), "ab", [4]),), ([(1,), ()],))
def comprehension_that_unpacks(rows):
    """The target of a comprehension's loop may be any target."""
    box, kept = Box(), {}
    found = [(a, [*b]) for a, *b in rows]
    found += [box.value for box.value in "xy"] + [kept["k"] for kept["k"] in (1, 2)]
    return found, box.value, kept, {(a, b) for (a, *_), b in zip(rows, "xyz")}


@CASES.case((None,), ([1, 2],))
def comprehension_over_a_condition(items):
    """What is iterated over is a conditional expression, a call of a lambda, another one."""
    a = [x for x in (items if items is not None else "none")]
    b = [x for x in (lambda y: y or [0])(items)]
    c = [x for x in [y for y in (items or ())] if x in {z for z in (2, 3)}]
    d = {x for x in iter(items or [])} | {x for x in sorted({y for y in range(2)})}
    return a, b, c, d


@CASES.case((3,))
def comprehensions_in_the_middle_of_expressions(n):
    """Values that wait on the stack while a comprehension runs."""
    base = 10
    total = base + sum([x for x in range(n)]) * len({x for x in range(n)})
    text = f"{base}{[x for x in 'ab']}{total:>{max([x for x in (n, 4)])}}"
    named = taken(base, *[x for x in range(n)], c={x: base for x in text[:2]}, d=[x for x in "z"])
    return text, named, [[x, [x + base for x in range(x)], x] for x in range(n)]


@CASES.case((2,))
def comprehension_in_loops_that_are_left(n):
    """Comprehensions in `try` in a loop that `break` and `continue` leave."""
    found = []
    for x in range(5):
        try:
            if [y for y in range(x) if y > n]:
                break
            found.append([10 // (y - 1) for y in range(x)])
        except ZeroDivisionError:
            found.append({x: y for y in range(x)})
            continue
        finally:
            found.append({z: x for z in range(1)})
    return x, found


@CASES.case((2,))
def comprehension_of_odd_items(n):
    """Items that are tuples with stars, dictionaries, conditions, comparisons, assignments."""
    rows = [(x, x + 1) for x in range(n)]
    return (
        [(*row, -1) for row in rows],
        [{**{"a": x}, "b": x} for x in range(n)],
        [x if x else y for x in range(n) for y in "ab"],
        [0 < x < n and not x for x in range(n + 1)],
        [[n := n + x] for x in range(3)],
        n,
    )


@CASES.case(([1, 2, 3, 4, 5, 6],))
def comprehension_over_a_list_that_it_changes(items):
    """The iterable is the list itself."""
    seen = [items.pop() for x in items]
    return seen, [items for items in items]


# --- items, slices, del ---------------------------------------------------------------------------


@CASES.case(([],))
def item_of_slices_of_all_shapes(log):
    """The index that an object gets, and in which order its parts are computed."""
    note, one = noting(log), Logged(log)
    one[1:2], one[:], one[::-1], one[note(1) : note(2) : note(3), ..., None], one[()], one[1,]
    one[note("a") :] = note("b")
    one[::2] += note("c")
    del one[note(5) :], one[:, 0], one["x"]
    return log


@CASES.case(([0, 1, 2, 3, 4, 5], 2), ([0, 1, 2, 3, 4, 5], 3), ([0], 0))
def item_slices_of_lists_are_assigned(items, n):
    """Slices are replaced, grow, and shrink; with a step the length must fit."""
    items[1:2] = items
    items[:0] = "ab"
    del items[-1:]
    try:
        items[::n] = range(5)
    except ValueError as error:
        items += error.args
    del items[::2]
    return items[n:], items[-2:n], items[:-n]


@CASES.case(([],))
def item_order_of_an_augmented_assignment(log):
    """Target and index are computed once, then the item is read, then the other operand."""
    note, one = noting(log), Logged(log)
    note(one)[note("index")] += note(5)
    note(one)[note("second")] -= one[note("inner")]
    log[:] = [x for x in log if x is not one]


@CASES.case(([1],))
def item_that_changes_although_its_assignment_fails(items):
    """`+=` on an item of a tuple changes the list, and raises then."""
    pair = (items, 0)
    try:
        pair[0] += [2]
    except TypeError as error:
        return pair, error.args


@CASES.case(([],))
def item_of_an_attribute_that_is_a_property(log):
    """An augmented assignment to a property reads and writes it once; without a setter it fails."""

    class Counted:
        @property
        def x(self):
            log.append("read")
            return 1

        @x.setter
        def x(self, value):
            log.append(value)

        y = property(lambda self: log)

    one = Counted()
    one.x += one.x + 1
    one.y += ["changed"]


@CASES.case(([0, 0, 0],))
def item_assignments_go_from_left_to_right(a):
    """In a chain, each target is computed and assigned before the next."""
    i = 0
    i = a[i] = i + 1
    i, a[i] = 2, "second"
    a[i], i = i, 0
    (a[i], (i, a[i])), j = ["x", (1, "y")], [i]
    return a, i, j


@CASES.case(([1, 2, 3], 0, 2), ([1, 2, 3], 0, 3), ([1], 0, 0))
def item_swap(a, i, j):
    """Both items are read before the first is assigned."""
    a[i], a[j] = a[j], a[i]
    return a


@CASES.case(({"a": 1, "b": 2}, "a"), ({}, "a"), ([1, 2], 5), ((1,), 0), (None, 0))
def item_that_is_deleted_twice(items, key):
    """`del` of items that are not there, or of what has none."""
    kept = items
    del items[key], items[key], kept
    return items


@CASES.case(([0, 1, 2, 3],))
def item_deletions_in_nested_targets(a):
    """`del` takes targets in parentheses, from left to right."""
    box, x = Box(), 5
    del (a[0], (a[0], [box.value])), x
    try:
        del a[0], box.value
    except AttributeError as error:
        return a, error.args
    return a


@CASES.case((True,), (False,))
def item_names_that_are_deleted(which):
    """A name is unbound after `del`, and `del` of an unbound name raises."""
    x = y = 1
    try:
        if which:
            del x
        y = x
        del x, y, x
    except UnboundLocalError as error:
        return error.args, which and y


# --- unpacking ------------------------------------------------------------------------------------


@CASES.case(([1, 2, 3],), ("ab",), ((1,),), ([],), ({1: 2, 3: 4},), (5,), (None,))
def unpacking_with_a_star_in_each_place(items):
    """What is left for the star, and what is missing."""
    found = []
    try:
        (*a,) = items
        found.append((*a,))
        a, *b = items
        found.append((a, *b))
        *a, b = items
        found.append(((*a,), b))
        a, *b, c = items
        found.append((a, (*b,), c))
    except (ValueError, TypeError) as error:
        found.append(error.args)
    return found


@CASES.case((range(3),))
def unpacking_with_a_star_gives_a_list(items):
    """What a starred target takes is a list of its own."""
    a, *b = items
    b.append(a)
    return b


@CASES.case(((1, 2),), ((1, 2, 3),), ((1,),), (5,), (None,), ("ab",), (iter("abc"),))
def unpacking_of_two(items):
    """The messages for too many, too few, and what cannot be unpacked."""
    a, b = items
    return a, b


@CASES.case(((1, (2, 3, 4), "xyz"),), ((1, (2,), "xyz"),), ((1, (2, 3), ""),))
def unpacking_that_is_nested(items):
    """Names on the left are bound although a part further to the right fails."""
    a = b = c = d = None
    try:
        a, (b, *c), (d, *_) = items
    except ValueError as error:
        return a, b, c and [*c], d, error.args
    return a, b, [*c], d


@CASES.case(((),), ([1],), ({},), (7,))
def unpacking_into_nothing(items):
    """An empty target takes an empty iterable."""
    () = items
    [] = items
    return "empty"


@CASES.case(([],))
def unpacking_into_items_and_attributes(log):
    """Targets of all kinds are assigned from left to right."""
    one, box = Logged(log), Box()
    one["a"], box.value, *one["b"], [box.other, one[box.value]] = "vwxyz"[:4], 1, 2, 3, "ab"
    for one["loop"], (box.value, *box.rest) in [(1, "abc"), (2, "d")]:
        log.append((box.value, len(box.rest)))
    log[1] = [*log[1][2]]


@CASES.case(([],), ([3],))
def unpacking_takes_no_more_than_it_needs(log):
    """An unpacking asks for one item more than it has targets, and closes nothing."""

    def items():
        for k in (1, 2, *log, 4, 5):
            log.append(k)
            yield k

    one = items()
    try:
        a, b = one
    except ValueError:
        log.append("too many")
    return list(one)


@CASES.case((7,))
def unpacking_an_iterator_that_raises(n):
    """What the iterator raises comes through."""
    a, b, *c = (n // k for k in (3, 2, 1, 0))
    return a, b, c
