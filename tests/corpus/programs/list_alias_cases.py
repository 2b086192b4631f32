"""Lists that several names share, that change while they are gone through, and that are left in the
middle of a change by an exception."""

from __future__ import annotations

import numpy as np

import cutaway
from corpus.programs.cases import case


def twice(value: object) -> tuple[object, object]:
    """The same list as two arguments."""
    return value, value


ONE: list[int] = [1]
INNER: list[int] = [5]


# --- aliases ------------------------------------------------------------------------------------


@case(twice([1, 2]), ([1, 2], [1, 2]), twice([]), twice([[1]]), twice(["a"]))
def both_arguments(a, b):
    a.append(b[0] if b else a[0])
    return len(a), len(b), a is b, a is not b, a == b


@case(twice([1, 2]), ([1, 2], [3]))
def both_arguments_change(a, b):
    a.append(10)
    b.append(20)
    a[0] = 7
    b[0] += 1
    del a[1]
    return a, b


@case(([1, 2],), ([],), ([1.5],))
def the_argument_is_returned(a):
    return a


@case(([1, 2],), ([1.5],))
def the_argument_is_returned_twice(a):
    a.append(a[0])
    return a, a, (a, a[:1])


@case(([1, 2], True), ([1, 2], False))
def the_argument_or_a_copy(a, copied):
    b = a.copy() if copied else a
    b.append(3)
    return b, len(a)


@case(([[1], [2, 3]],), ([[], [5]],))
def an_item_is_returned(rows):
    rows[0].append(9)
    return rows[0], rows[1], rows[0] is rows[1]


@case(([INNER, INNER, [6]],), ([INNER],))
def rows_that_are_the_same(rows):
    rows[0].append(1)
    rows[-1].append(2)
    return [len(row) for row in rows], rows[0] is rows[-1]


@case((INNER, [INNER, [1]]), ([5], [[5], [1]]))
def a_list_and_a_list_that_holds_it(a, rows):
    a.append(2)
    rows[0].append(3)
    rows.append(a)
    return len(a), len(rows[0]), rows[0] is a, rows[2] is a


@case(([[1], [2]],))
def rows_change_places(rows):
    rows[0], rows[1] = rows[1], rows[0]
    rows[0].append(7)
    return rows


@case(([[1], [2]],), ([[1, 2]],))
def a_row_is_replaced_by_a_new_one(rows):
    old = rows[0]
    rows[0] = [9, 9]
    old.append(3)
    return old, rows[0]


@case(([[1, 2], [3]],))
def repeated_rows_are_the_same(rows):
    grid = rows * 2
    grid[0].append(5)
    same = [[0] * 2] * 3
    same[1][0] = 4
    return grid, same, grid[0] is grid[2], same[0] is same[2]


@case((3,), (0,), (1,))
def rows_of_a_comprehension_are_not(n):
    grid = [[0] * n for _ in range(n)]
    if n > 1:
        grid[0][1] = 5
    return grid


@case((([1, 2], 3),), (([], 0),))
def a_list_in_a_tuple(pair):
    pair[0].append(pair[1])
    a, n = pair
    a.append(n + 1)
    return pair, a


@case(((ONE, ONE, [2]),), (([1], [1], [2]),))
def tuple_of_the_same_list(lists):
    a, b, c = lists
    a.append(4)
    b.append(5)
    c.append(len(a))
    return a is b, lists


@case((1,), (4,))
def a_list_in_two_tuples(n):
    a = [n]
    first, second = (a, 1), (a, 2.5)
    first[0].append(n + 1)
    second[0].append(n + 2)
    return a, first, second


@case(([1, 2],))
def names_of_one_list(a):
    b = a
    c = b
    c += [3]
    a = a + [4]
    b.append(5)
    return a, b, c


@case((3,))
def a_default_that_is_a_new_list(n):
    best = []
    if n > 2:
        best = [n]
    other = best
    other.append(1)
    return best, other


@case(lambda: (np.arange(3.0),))
def a_list_of_the_same_array(a):
    rows = [a, a]
    rows[0][1] = 9.0
    rows.append(a[1:])
    rows[2][0] += 1.0
    return rows


@case(lambda: ([np.zeros(2), np.ones(3)],))
def arrays_of_an_argument_change(rows):
    rows[0][:] = 5.0
    rows[1] = rows[1] * 2
    rows.append(rows[0])
    rows[2][0] = 7.0
    return rows[0][0], len(rows)


@case(([1, 2, 3],), ([],))
def nothing_changes(a):
    total = 0
    for one in a:
        total += one
    b = a[:]
    b.append(total)
    return b


@case(([3, 1, 2],), ([1.5, 0.5],))
def changes_that_cancel_out(a):
    a.append(a[0])
    a.pop()
    a.reverse()
    a.reverse()
    return a


@case(([1, 2, 3],), ([(1, "a"), (2, "b")],))
def emptied(a):
    del a[:]
    return a


@case(([1, 2, 3],))
def grown_much(a):
    for k in range(1000):
        a.append(k)
    return len(a), a[-1], sum(a)


@case((["x", "y"], "z"), ([], "z"))
def texts_that_come_and_go(a, text):
    a.append(text)
    a.insert(0, text)
    b = a.pop(1)
    a[-1] = b
    return a, b


@case(([None, 1], 2), ([3, None], None))
def optional_items_come_and_go(a, x):
    a.append(x)
    a[0] = x
    a.append(None)
    return a, a[0] is None


@case(([[[1], [2]], [[3]]],), ([[], [[]]],))
def three_levels(cube):
    cube[0].append([7])
    cube[0][0].append(8)
    cube[1] = cube[0]
    cube[1][0][0] = 5
    return cube[0] is cube[1]


# --- changes while a list is gone through ---------------------------------------------------------


@case(([1, 2, 3],), ([],))
def appended_while_it_is_gone_through(a):
    for one in a:
        if one < 10:
            a.append(one * 4)
    return a


@case(([1, 2, 3, 4, 5],), ([1, 1, 1, 1],))
def removed_while_it_is_gone_through(a):
    for one in a:
        if one % 2:
            a.remove(one)
    return a


@case(([1, 2, 3, 4],), (["a", "b", "c"],), ([[1], [2], [3]],))
def cleared_while_it_is_gone_through(a):
    count = 0
    last = a[0]
    for one in a:
        count += 1
        last = one
        if count == 2:
            a.clear()
    return count, last


@case(([1, 2, 3, 4],), (["a", "b", "c"],), ([[1], [2], [3]],))
def popped_while_it_is_gone_through(a):
    out = []
    for one in a:
        out.append(one)
        a.pop()
    return out


@case(([1, 2, 3],))
def inserted_in_front(a):
    count = 0
    for one in a:
        count += 1
        if count > 5:
            break
        a.insert(0, one)
    return a


@case(([1, 2, 3, 4],), (["a", "b", "c"],))
def shortened_in_reverse(a):
    out = []
    for one in reversed(a):
        out.append(one)
        if len(a) > 1:
            del a[0]
    return out


@case(([1, 2, 3, 4],), ([1],))
def grown_in_reverse(a):
    out = []
    for one in reversed(a):
        out.append(one)
        a.append(one)
    return out


@case(([1, 2, 3, 4],))
def emptied_in_reverse_and_filled_again(a):
    out = []
    items = reversed(a)
    for one in items:
        out.append(one)
        a.clear()
    a += [5, 6, 7, 8]
    for one in items:
        out.append(one)
    return out


@case(([1, 2, 3],))
def enumerated_while_it_grows(a):
    for k, one in enumerate(a):
        if k < 4:
            a.append(one + k)
    return a


@case(([1, 2, 3],), ([[1], [2]],))
def zipped_with_itself_while_it_shrinks(a):
    out = []
    for x, y in zip(a, a):
        out.append((x, y))
        a.pop()
    return out


@case(([1, 2, 3],))
def stored_while_it_is_gone_through(a):
    total = 0
    for k, one in enumerate(a):
        a[-1 - k] = one * 10
        total += one
    return total


@case(([1, 2, 3], 2), (["a", "b"], 0))
def its_name_gets_another_list(a, n):
    out = []
    for one in a:
        out.append(one)
        a = a[:n]
    return out, a


@case(([[1, 2], [3]],))
def a_row_grows_while_it_is_gone_through(rows):
    for row in rows:
        for one in row:
            if one < 20:
                row.append(one * 5)
    return rows


@case(([3, 1, 2],))
def sorted_while_it_is_gone_through(a):
    out = []
    for one in a:
        out.append(one)
        a.sort()
    return out


@case(([1, 2, 3],))
def a_list_that_its_own_slice_replaces(a):
    a[1:] = a
    a[:] = a[::-1]
    a[:] = a
    a += a
    return a


@case(([1, 2, 3],))
def a_list_extended_by_a_generator_over_it(a):
    a.extend(x * 2 for x in a[:])
    a[:1] = (x for x in a[1:3])
    return a


# --- exceptions in the middle ---------------------------------------------------------------------


@case(([1, 2], 5), ([1, 2], 1))
def an_index_error_after_changes(a, k):
    a.append(3)
    a[0] = 9
    a.append(a[k + 2])
    return a


@case(([1, 2],), ([],), (["a"],))
def raised_after_changes(a):
    a.reverse()
    a += a
    raise ValueError("after", len(a))


@case(([1, 2],), ([4],))
def raised_in_a_loop(a):
    for one in a:
        a.append(one)
        if len(a) > 5:
            raise KeyError(one)
    return a


@case(([1, 2], 0), ([1, 2], 1))
def caught_and_gone_on(a, k):
    try:
        a.append(10 // k)
        a.append(a[7])
    except ZeroDivisionError:
        a.append(-1)
    except IndexError:
        a.append(-2)
    finally:
        a.append(-3)
    return a


@case(([1, 2], 3), ([], 0), ([1, 2], 1))
def errors_of_lists_are_caught(a, k):
    out = []
    try:
        out.append(a[k])
    except IndexError:
        out.append(-1)
    try:
        out.append(a.index(k))
    except ValueError:
        out.append(-2)
    try:
        a.remove(k)
    except ValueError:
        out.append(-3)
    try:
        out.append(a.pop(k))
    except IndexError:
        out.append(-4)
    try:
        del a[k]
    except IndexError:
        out.append(-5)
    return out, a


@case(([[1], [2]], 1), ([[1], [2]], 2))
def raised_with_nested_lists(rows, k):
    rows[0].append(5)
    rows.append([6])
    rows[k].append(7)
    rows[1] = rows[0]
    if k == 2:
        raise RuntimeError("too far")
    return rows


@case(([1, 2, 3],), ([],))
def a_generator_raises_while_it_extends(a):
    a.extend(12 // (x - 2) for x in (1, 3, 2, 5))
    return a


@case(([1, 2, 3],))
def a_key_raises_while_it_sorts(a):
    a.append(0)
    a.sort(key=lambda x: 6 // (x - 3))
    return a


@case(([1, 2, 3, 4],), ([1],))
def a_store_of_another_size_raises(a):
    a.append(7)
    a[::2] = (1, 2, 3, 4)
    return a


@case(([1],), ([],))
def a_text_with_the_words(a):
    out = []
    print(len(a))
    try:
        a[4] = 1
    except IndexError as error:
        print(error)
        out.append(1)
    try:
        a.remove(77)
    except ValueError as error:
        print(error)
        out.append(2)
    return out


# --- other functions ------------------------------------------------------------------------------


@cutaway.jit
def put(a, x):
    a.append(x)
    return len(a)


@cutaway.jit
def put_two(a, x):
    put(a, x)
    put(a, x)


@cutaway.jit
def of_numbers(n):
    out = []
    for k in range(n):
        out.append(k)
    return out


@cutaway.jit
def same(a):
    return a


@cutaway.jit
def fails_after(a, n):
    a.append(n)
    if n > 2:
        raise ValueError("large")
    a.append(n)


@cutaway.jit
def total(a):
    return sum(a) if a else 0


@cutaway.jit
def down(a, n):
    if n > 0:
        a.append(n)
        down(a, n - 1)


@cutaway.jit
def rows_into(rows, n):
    for k in range(n):
        rows.append([k])
        rows[-1].append(k)


@case((3,), (0,))
def filled_by_another_function(n):
    out = []
    for k in range(n):
        put(out, k * 0.5)
    return out, put(out, 2.5)


@case(([],), ([1],))
def filled_by_a_function_of_a_function(a):
    put_two(a, 4)
    b = []
    put_two(b, 1.5)
    put_two(b, 2.5)
    return a, b


@case((3,), (0,))
def made_by_another_function(n):
    a = of_numbers(n)
    a.append(7)
    b = of_numbers(n)
    return a, b, a == b, len(of_numbers(n))


@case(([1, 2],))
def handed_through(a):
    b = same(a)
    b.append(3)
    c = same(same(b))
    return a is b, b is c, c


@case(([1], 2), ([1], 5), ([], 5))
def an_error_of_another_function(a, n):
    try:
        fails_after(a, n)
    except ValueError:
        a.append(-1)
    fails_after(a, n)
    return a


@case((4,), (0,))
def filled_by_recursion(n):
    out = []
    down(out, n)
    return out


@case((3,), (0,))
def rows_filled_by_another_function(n):
    rows = []
    rows_into(rows, n)
    return rows, total([len(row) for row in rows])


@case(([1, 2],), ([],))
def read_by_another_function(a):
    return total(a), total(a + [5]), total(a[1:])


@case((3,))
def a_closure_appends(n):
    out = []
    rest = []

    def add(x):
        out.append(x)
        rest.append(float(x))

    for k in range(n):
        add(k)
    return out, rest


@case(([1],), ([],))
def a_closure_changes_an_argument(a):
    def add(x):
        a.append(x)
        return len(a)

    return add(1) + add(2), a


@case((4,), (0,))
def lists_of_a_recursion(n):
    def down_to(k):
        return [] if k == 0 else down_to(k - 1) + [k]

    return down_to(n)


@case((3,))
def permutations(n):
    out = []

    def place(chosen, left):
        if len(left) == 0:
            out.append(chosen)
            return 0
        for k in range(len(left)):
            place(chosen + [left[k]], left[:k] + left[k + 1 :])
        return 0

    place([0][:0], list(range(n)))
    return out


@case((3,), (0,))
def items_of_a_generator(n):
    def rows():
        for k in range(n):
            yield [k] * k

    out = []
    for row in rows():
        row.append(9)
        out.append(row)
    return out


@case(([1, 2],), ([],))
def a_generator_over_a_list(a):
    def doubled(items):
        for x in items:
            yield x * 2

    out = []
    for x in doubled(a):
        if len(a) < 6:
            a.append(x)
        out.append(x)
    return out


@case((2,), (0,))
def a_generator_that_keeps_a_list(n):
    def growing():
        seen = []
        for k in range(n):
            seen.append(k)
            yield len(seen), seen

    out = []
    for size, seen in growing():
        out.append(size)
        seen.append(5)
    return out


@case(([1, 2],))
def a_function_with_a_list_as_default_argument(a):
    def last(items, k=-1):
        return items[k]

    return last(a), last(a, 0), last(items=a)


@case((3,))
def one_new_list_in_several_places(n):
    row = [n]
    rows = [row, row]
    return rows, (row, rows), rows[0] is row


@case(lambda: ([[1]],))
def one_new_list_twice_in_an_argument(a):
    new = [7]
    a.append(new)
    a.append(new)
    return new
