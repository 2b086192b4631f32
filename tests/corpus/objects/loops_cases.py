"""Loops: `while` and `for` with `else`, `break` and `continue`, and programs made of them."""

# ruff: noqa: B007, B012, B020  programs as they may be written

from __future__ import annotations

from itertools import count, product

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Countdown:
    """An iterator that is its own iterable."""

    def __init__(self, n, log):
        self.n, self.log = n, log

    def __iter__(self):
        self.log.append("iter")
        return self

    def __next__(self):
        if self.n <= 0:
            self.log.append("stop")
            raise StopIteration
        self.n -= 1
        return self.n


# --- while ----------------------------------------------------------------------------------------


@CASES.case((5, 3), (5, 9), (0, 0), (3, 0))
def loops_while_with_else(n, stop):
    """`else` runs where the condition became false, and not after `break`."""
    log = []
    while n > 0:
        n -= 1
        if n == stop:
            log.append("break")
            break
        if n % 2:
            continue
        log.append(n)
    else:
        log.append("else")
    return log, n


@CASES.case((3,), (0,), (1,))
def loops_while_true_that_are_left_in_several_ways(n):
    """`while True` with `break`, `return` and an exception."""
    found = []
    while True:
        if len(found) > n:
            break
        found.append(n)
    while 1:
        while True:
            n += 1
            if n % 4 == 0:
                break
        if n > 5:
            return found, n
        while not False:
            if n == 4:
                found.append("four")
                break
    return "never"


@CASES.case(([1, 2, 3, 0, 4],), ([],), ([0],))
def loops_while_a_list_has_items(items):
    """The condition is the list itself, and the loop empties it."""
    taken = []
    while items and (item := items.pop()):
        taken.append(item)
    else:
        taken.append("else")
    while items:
        items.pop(0)
        if not items:
            taken.append("empty")
    return taken, items


@CASES.case((10,), (1,), (0,))
def loops_while_with_conditions_that_change(n):
    """Conditions with `and`, `or`, chains, calls, and what they assign."""
    steps = []
    low, high = 0, n
    while low < high and (middle := (low + high) // 2) >= 0:
        steps.append((low, middle, high))
        if middle * middle < n:
            low = middle + 1
        else:
            high = middle
    k = 0
    while not (k > 3 or k * 2 == n) or k < 0:
        k += 1
    return steps, low, k


# --- for ------------------------------------------------------------------------------------------


@CASES.case(("abc", "b"), ("abc", "x"), ("", "x"), (["b"], "b"), ({"a": 1, "b": 2}, "b"))
def loops_for_with_else(items, wanted):
    """A search that says what it found, or that there was nothing."""
    for place, item in enumerate(items):
        if item == wanted:
            found = place
            break
    else:
        found = "nothing"
        place = item = None
    return found, place, item


@CASES.case((5,), (2,), (0,))
def loops_for_in_for_with_break_and_else(n):
    """`break` leaves the inner loop, `else` with `continue` goes on with the outer one."""
    log = []
    for i in range(n):
        for k in range(n):
            if k == i:
                continue
            if k * i > 3:
                log.append(("inner break", i, k))
                break
        else:
            log.append(("inner else", i))
            continue
        if i == 3:
            log.append("outer break")
            break
    else:
        log.append("outer else")
    return log


@CASES.case(([1, 2, 3, 4],), ([],))
def loops_for_over_a_list_that_changes(items):
    """A loop over a list goes by its places."""
    seen = []
    for item in items:
        seen.append(item)
        if item == 2:
            items.remove(2)
        elif item == 4:
            items.extend("ab")
        elif item == "a":
            items.insert(0, "front")
        if len(seen) > 9:
            break
    for item in items[:]:
        items.remove(item)
    return seen, items


@CASES.case(([], 3), ([], 0))
def loops_for_over_an_iterator_that_goes_on(log, n):
    """Two loops take from one iterator."""
    one = Countdown(n, log)
    for k in one:
        log.append(k)
        if k == 1:
            break
    for k in one:
        log.append(("again", k))
    else:
        log.append("else")
    for k in one:
        log.append("never")
    return log


@CASES.case(*((value,) for value in (5, None, 2.5, object, len, True)))
def loops_for_over_what_is_no_iterable(value):
    """The loop does not begin."""
    k = "unset"
    try:
        for k in value:
            k = "in"
        else:
            k = "else"
    except TypeError as error:
        return k, said(error)
    return k


@CASES.case(([],))
def loops_for_compute_their_iterable_once(log):
    """What is iterated over is computed before the loop, also where its variable changes."""

    def made(n):
        log.append(n)
        return range(n)

    n = 3
    for k in made(n):
        n = k * 10
        for n in made(n // 10):
            k += 100
        log.append((k, n))
    return n, k, log


@CASES.case((6,), (1,))
def loops_for_whose_variable_is_changed(n):
    """A new value of the variable does not change the loop's course."""
    seen = []
    for k in range(n):
        seen.append(k)
        k += 10
        if k == 12:
            k = "text"
        n = 0
    return seen, k, n


@CASES.case((4,), (1,))
def loops_for_with_targets_of_all_kinds(n):
    """Items, slices, attributes and nested targets as loop variables."""

    class Box:
        pass

    items, named, box = [0] * 3, {}, Box()
    for items[1] in range(n):
        items[0] += items[1]
    for named["k"], (box.x, *items[2:]) in [("a", (1, 2, 3)), ("b", "xyz")]:
        items.append(named["k"])
    for box.y in named.values():
        pass
    return items, named, box.x, box.y


# --- loops with try -------------------------------------------------------------------------------


@CASES.case((["1", "x", "3", "", "stop", "5"],), ([],), (["stop"],))
def loops_with_try_in_their_body(texts):
    """`continue` and `break` in all parts of a `try`."""
    numbers, log = [], []
    for text in texts:
        try:
            if text == "stop":
                break
            number = int(text)
        except ValueError:
            if not text:
                continue
            log.append(text)
        else:
            numbers.append(number)
            continue
        finally:
            log.append(("finally", text))
        log.append("after")
    else:
        log.append("else")
    return numbers, log


@CASES.case((0,), (1,), (2,), (3,))
def loops_left_from_finally(n):
    """`break` and `continue` in `finally` swallow what was under way."""
    log = []
    for k in range(4):
        try:
            log.append(k)
            if k == n:
                raise ValueError(k)
            if k == n + 1:
                return log, "returned"
        finally:
            log.append("finally")
            if k == n and n < 2:
                continue
            if k == n + 1 and n:
                break
    else:
        log.append("else")
    return log


@CASES.case((3,), (1,))
def loops_that_try_again(n):
    """An action that fails at first."""
    failures = []

    def action():
        if len(failures) < n - 1:
            raise OSError(len(failures), "not yet")
        return "done"

    for turn in count(1):
        try:
            answer = action()
            break
        except OSError as error:
            failures.append(error.args)
            if turn > 5:
                raise
    return answer, turn, failures


# --- programs -------------------------------------------------------------------------------------


@CASES.case(([5, 2, 9, 1, 5],), ([],), ([1],), (["b", "a"],), ([3, "x"],))
def loops_that_sort_by_insertion(items):
    """A sorting that moves items one place up."""
    for k in range(1, len(items)):
        item, place = items[k], k
        while place and items[place - 1] > item:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item
    return items


@CASES.case(([5, 2, 9, 1, 5, 6],), ([],), ([2, 1],))
def loops_that_sort_by_exchanges(items):
    """A sorting that ends with a round without exchanges."""
    rounds = 0
    while True:
        changed = False
        rounds += 1
        for k in range(len(items) - 1):
            if items[k] > items[k + 1]:
                items[k], items[k + 1] = items[k + 1], items[k]
                changed = True
        if not changed:
            break
    return items, rounds


@CASES.case(({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, "a"), ({"x": ["x"]}, "x"))
def loops_that_walk_through_a_graph(graph, start):
    """A search in breadth, with the way to each node."""
    ways, waiting = {start: [start]}, [start]
    for node in waiting:
        for following in graph[node]:
            if following not in ways:
                ways[following] = ways[node] + [following]
                waiting.append(following)
    return ways, waiting


@CASES.case((["a b", "b c", "a c"],), (["x y", "y x"],), ([],))
def loops_that_order_by_what_comes_first(pairs):
    """An order in which each name comes after those that it needs."""
    needs = {}
    for pair in pairs:
        before, after = pair.split()
        needs.setdefault(before, set())
        needs.setdefault(after, set()).add(before)
    order = []
    while needs:
        ready = sorted(name for name, others in needs.items() if not others - set(order))
        if not ready:
            raise ValueError("a circle", sorted(needs))
        for name in ready:
            order.append(name)
            del needs[name]
    return order


@CASES.case((3, [(0, 1), (1, 1), (2, 1)]), (4, []), (2, [(0, 0)]))
def loops_that_play_the_game_of_life(n, living):
    """Generations of cells on a board that has no border."""
    generations, cells = [], set(living)
    for _ in range(3):
        near = {}
        for (x, y), dx, dy in product(cells, (-1, 0, 1), (-1, 0, 1)):
            if dx or dy:
                near[x + dx, y + dy] = near.get((x + dx, y + dy), 0) + 1
        cells = {cell for cell, k in near.items() if k == 3 or k == 2 and cell in cells}
        generations.append(sorted(cells))
    return generations, n


@CASES.case((16,), (5,), (0,))
def loops_with_many_ways_through(n):
    """Conditions in conditions, with `pass`, `continue` and `break` at all levels."""
    log = []
    for k in range(n):
        if k % 15 == 0:
            if k:
                log.append("both")
            else:
                pass
        elif k % 5 == 0:
            log.append("five")
            if k == 10:
                continue
            log.append("not ten")
        elif k % 3 == 0:
            if k > 9:
                break
            log.append("three")
        else:
            log.append(k)
            if k not in (1, 2):
                if k == 4:
                    log.append("four")
                elif k == 7 or k == 8:
                    continue
            else:
                log.append("small")
        log.append(".")
    return log, n and k
