"""Items that are read from a container and used while, or after, the container may lose them."""

from __future__ import annotations

import numpy as np

import cutaway
from corpus.programs.cases import case


def rows():
    """Lists in a list."""
    return ([[1, 2], [3], [4, 5, 6]],)


def texts():
    """Texts with memory of their own."""
    return (["a long text " * 3, "b" * 40, "c" * 50],)


def arrays():
    """Arrays in a list."""
    return ([np.arange(3.0), np.ones(2), np.zeros(1)],)


@case(rows, texts, arrays)
def used_after_clear(items):
    first = items[0]
    items.clear()
    return len(first), len(items), first


@case(rows, texts, arrays)
def used_after_a_store(items):
    first, last = items[0], items[-1]
    items[0] = last
    items[-1] = first
    return len(first), len(last), items


@case(rows, texts, arrays)
def exchanged(items):
    items[0], items[1] = items[1], items[0]
    return len(items[0]), len(items[1])


@case(rows, texts)
def turned_around(items):
    for k in range(len(items)):
        first = items[0]
        items[0] = items[k]
        items[k] = first
    return items


@case(rows, texts, arrays)
def used_after_pop_of_an_alias(items):
    same = items
    last = items[-1]
    same.pop()
    return len(last), len(items)


@case(rows, texts)
def the_loop_removes_its_items(items):
    total = 0
    for item in items:
        items[0] = items[-1]
        total += len(item)
        items.pop()
        total += len(item)
    return total


@case(rows)
def an_item_of_an_item_is_left(items):
    deep = [[items[0], items[1]], [items[2]]]
    one = deep[0][1]
    deep[0].clear()
    deep.clear()
    items.clear()
    one.append(7)
    return one


@case(rows, texts)
def items_of_a_tuple_in_a_list(items):
    pairs = [(items[0], 1), (items[1], 2)]
    items.clear()
    pair = pairs[0]
    one, number = pair
    pairs.clear()
    return len(one) + number


@cutaway.jit
def _clears(items, one):
    items.clear()
    return len(one)


@case(rows, texts, arrays)
def a_function_clears_what_it_is_passed(items):
    return _clears(items, items[0])


@case(rows)
def appended_to_itself(items):
    items.append(items[0])
    items[0].append(9)
    return items


@case(rows)
def changed_on_the_way(items):
    for row in items:
        row.append(len(row))
        row[0] += 1
    return items


@case(rows)
def counted_without_references(items):
    total = 0
    for k in range(len(items)):
        for m in range(len(items[k])):
            total += items[k][m]
    return total


@case(rows)
def the_last_of_a_loop(items):
    last = items[0]
    for row in items:
        last = row
    items.clear()
    return last


@case(rows)
def an_item_of_a_new_list(items):
    one = [row + [1] for row in items][0]
    two = items.copy()[1]
    items.clear()
    return one, two


@case(rows)
def yielded_between(items):
    def numbers():
        for row in items:
            yield row[0]
            yield row[-1]

    total = 0
    for number in numbers():
        total += number
        if items:
            items[0] = [number]
    return total


@case(rows)
def raised_between(items):
    row = items[0]
    try:
        items[5].append(1)
    except IndexError:
        items.clear()
    return row


@case(rows, texts)
def values_of_a_dict(items):
    table = {}
    for k in range(len(items)):
        table[k] = items[k]
    items.clear()
    one, two = table[0], table[1]
    del table[0]
    table[1] = two
    total = len(one)
    for key, value in table.items():
        total += key * len(value)
    table.clear()
    return total, one, two


@case(rows)
def a_value_that_a_loop_replaces(items):
    table = {k: items[k] for k in range(len(items))}
    items.clear()
    total = 0
    for key in [0, 1, 2]:
        value = table[key]
        table[key] = [key]
        total += len(value) + value[0]
    return total, table


@case(texts)
def words_as_keys(items):
    counts = {}
    for word in items + items:
        counts[word] = counts.get(word, 0) + 1
    items.clear()
    keys = [key for key in counts]
    first = keys[0]
    counts.clear()
    keys.clear()
    return first


@case(rows)
def chosen_by_a_branch(items):
    if len(items) > 2:
        one = items[2]
    else:
        one = items[0]
    items.clear()
    return one


# --- arrays in containers: other names lead to their elements ----------------------------------


@case((4,))
def changed_through_a_list(n):
    a = np.ones(n)
    items = [np.zeros(1)]
    items.append(a)
    b = items[1]
    c = a * 2.0
    b[:] = 5.0
    return c + 1.0


@case((4,))
def changed_through_a_dict(n):
    a = np.ones(n)
    table = {}
    table[1] = a
    b = table[1]
    c = a * 2.0
    b[:] = 5.0
    return c + 1.0


@case((4,))
def changed_in_the_list(n):
    a = np.ones(n)
    items = []
    items.append(a)
    c = a * 2.0
    items[0] += 5.0
    return c + 1.0


@cutaway.jit
def _fill(items):
    for item in items:
        item[:] = 5.0


@case((4,))
def changed_by_a_function(n):
    a = np.ones(n)
    items = []
    items.append(a)
    c = a * 2.0
    _fill(items)
    return c + 1.0


# --- arguments that are changed, and others ----------------------------------------------------


def one_list_twice():
    """A list, and the same one."""
    one = [1, 2]
    return one, one


def a_list_and_its_item():
    """A list of lists, and one of these."""
    row = [1, 2]
    return [row, [3]], row


@cutaway.jit
def _appends(target, source):
    target.append(source[0])


@case(one_list_twice, ([1], [2]))
def read_and_changed(a, b):
    b.append(a[0])
    return len(a)


@case(one_list_twice, ([1], [2]))
def changed_by_a_call(a, b):
    _appends(b, a)
    return len(a)


@case(a_list_and_its_item)
def an_item_is_changed(rows, row):
    row.append(5)
    return len(rows[0])


@case(a_list_and_its_item)
def changed_through_rows(rows, row):
    rows[0].append(5)
    return len(row)


@case(a_list_and_its_item)
def put_there_and_changed(rows, row):
    other = [row, row]
    rows.append(other[1])
    rows[-1].append(9)
    return len(row)


@case(a_list_and_its_item)
def put_into_a_tuple_and_a_dict(rows, row):
    pair = (rows[1], row)
    table = {1: pair[0]}
    table[1].append(7)
    return len(row)


@case(lambda: ([1, 2], {"a": [1]}, [[4]]))
def changed_in_loops(numbers, table, rows):
    for one, row in zip(numbers, rows):
        row.append(one)
    for values in table.values():
        values[0] += 1
    return len(numbers)


@case(([3, 1, 2], [1]))
def sorted_and_reversed(a, b):
    c = sorted(a)
    b.sort()
    b.extend(a)
    return c, max(a), sum(b)


@case(one_list_twice)
def a_closure_changes(a, b):
    def change(x):
        b.append(x)

    for k in range(2):
        change(k)
    return len(a)


@case(([[2], [1]], [5]))
def a_key_changes(rows, log):
    def key(row):
        log.append(row[0])
        return row[0]

    return len(sorted(rows, key=key))


@case(lambda: ([[1], [2]], [[4], [5]]))
def changed_in_other_loops(rows, others):
    for k, row in enumerate(rows):
        row.append(k)
    for row in reversed(others):
        row.append(6)
    for row in rows + others:
        row[0] += 1
    for row in others[1:]:
        row.append(8)
    return sum([len(row) for row in rows])


@case(lambda: ([[1], [2]], [[4], [5]]))
def changed_by_next(rows, others):
    next(iter(rows)).append(3)
    min(others).append(7)
    first, rest = rows
    rest.append(11)
    (lambda row: row.append(13))(others[1])
    return len(first)


@case(lambda: ({1: [1], 2: [2]}, {3: [3]}))
def changed_in_dicts(table, other):
    table.get(1, [0]).append(5)
    table.setdefault(7, [7])
    for key, values in other.items():
        values.append(key)
    other.update({9: table[2]})
    other[9].append(4)
    return len(table)


# --- entries that are looked up once -------------------------------------------------------------


@case(lambda: ({1: 2, 5: 6}, [1, 2, 1, 7]))
def counted_twice(table, keys):
    for key in keys:
        table[key] = table.get(key, 0) + 1
        table[key] += 10
        if key in table:
            table[key] = table[key] * 2
        else:
            table[key] = -1
    return table


@case(lambda: ({1: 2, 5: 6}, 1), lambda: ({1: 2, 5: 6}, 7))
def removed_between(table, key):
    before = table.get(key, -5)
    table.pop(key, 0)
    after = table.get(key, -6)
    table[key] = before + after
    del table[key]
    return key in table, table.get(key, 9)


@case(lambda: ({1: 2, 5: 6}, 1, 5), lambda: ({}, 1, 2), lambda: ({1: 2, 5: 6}, 7, 7))
def added_between(table, key, other):
    before = table.get(key, -5)
    table[other] = 3
    table[key] = table.get(key, 0) + before
    table[other] += 1
    return table


def one_dict_twice():
    """A dict, and the same one."""
    one = {1: 2}
    return one, one


@case(one_dict_twice, lambda: ({1: 2}, {1: 3}))
def the_same_dict(one, other):
    before = one.get(7, 0)
    other[7] = 5
    one[7] = one.get(7, 0) + before
    return one[7], other[7]


@cutaway.jit
def _empties(table):
    table.clear()
    return 0


@case(lambda: ({1: 2, 5: 6}, 5))
def emptied_by_a_call(table, key):
    known = key in table
    table[key] = table.get(key, 1) + _empties(table)
    return known, table


@case(lambda: ({"a": 2}, ["b", "a", "b", "c"]))
def words_are_counted(counts, words):
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


@case(lambda: ({}, 3))
def raised_between_two(table, key):
    try:
        table[key] += 1
    except KeyError:
        table[key] = 7
    try:
        table[key] += 1
        table[key + 1] += 1
    except KeyError:
        table[key] += 1
    return table


@case(lambda: ({1: [1], 2: [2]}, 3))
def lists_by_default(table, key):
    none = [0]
    table.get(key, none).append(5)
    table[key] = table.get(1, none)
    table[key].append(6)
    return table, none


@case(lambda: ({1, 2}, [2, 3, 3]))
def items_of_a_set(seen, items):
    new = 0
    for item in items:
        if item not in seen:
            seen.add(item)
            new += 1
        seen.add(item)
        seen.discard(1)
    return new, len(seen)
