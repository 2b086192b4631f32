"""Lists, tuples, dictionaries, sets and slices: their methods, and what is done to them."""

# ruff: noqa: F601  programs as they may be written

from __future__ import annotations

from collections import ChainMap, Counter, OrderedDict, defaultdict, deque

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


# --- lists and tuples -----------------------------------------------------------------------------


@CASES.case(([1, 2, 3], 2), (["a", "b"], "b"), ([], 0), ([True, 1.0], 1))
def containers_lists_by_their_methods(items, x):
    """What each method does, gives, and says where it fails."""
    found = [items.append(x), items.extend([x, "end"]), items.insert(-100, "start")]
    found += [items.count(x), items.index(x), items.pop(), items.pop(1)]
    for action in (items.remove, items.index, items.pop):
        try:
            found.append(action(99))
        except (ValueError, IndexError) as error:
            found.append(said(error))
    copied = items.copy()
    items.clear()
    return found, items, copied


@CASES.case((2,), (0,), (3,))
def containers_lists_in_arithmetic(n):
    """Sums and products of lists are new, and hold the same items."""
    inner = []
    rows = [inner] * n
    apart = [[] for _ in range(n)]
    rows += [inner, *apart]
    inner.append(1)
    items = [1, 2]
    other = items
    items = items + [3]
    other *= n
    other += "ab"
    return rows, items, other, [0] * -1, 2 * [n], (1,) * n, [items] == [[1, 2, 3]]


@CASES.case(([3, 1, 2],), ((3, 1, 2),), ("cab",), (range(3),), (b"cab",))
def containers_sequences_by_their_items(items):
    """Items from both ends, and those that are not there."""
    found = [items[0], items[-1], items[-3], items[True], len(items), items[1:] == items[1:3]]
    for index in (3, -4, 1.0, "0", None):
        try:
            found.append(items[index])
        except (IndexError, TypeError) as error:
            found.append(said(error))
    return found


@CASES.case((1, 2), ([], ()), (None, "x"))
def containers_tuples_that_hold_what_changes(x, y):
    """A tuple cannot be changed, what it holds can be."""
    kept = [x]
    pair = (kept, y, (kept,))
    kept.append(y)
    found = [pair[0] is pair[2][0], pair.count(y), pair.index(y), pair + (1,), len(pair * 2)]
    try:
        pair[0] = 1
    except TypeError as error:
        found.append(said(error))
    try:
        del pair[0]
    except TypeError as error:
        found.append(said(error))
    try:
        return found, {pair: 1}
    except TypeError as error:
        return found, said(error)


@CASES.case(([5, 1, 4],), ([],), (["b", "a", "B"],))
def containers_lists_that_hold_themselves(items):
    """A list in itself is shown by dots."""
    items.append(items)
    text = repr(items)
    inside = items[-1][-1] is items
    items.pop()
    named = {"own": None}
    named["own"] = named
    return text, inside, items, repr(named), len(named["own"])


# --- slices ---------------------------------------------------------------------------------------


@CASES.case(*((a, b, c) for a in (None, 1, -2, 9) for b in (None, 0, 4, -1) for c in (None, 2, -1)))
def containers_slices_that_are_read(a, b, c):
    """Slices of a list, a tuple, a text, bytes and a range."""
    part = slice(a, b, c)
    found = [0, 1, 2, 3, 4][a:b:c], (0, 1, 2, 3, 4)[a:b:c], "abcde"[part], b"abcde"[a:b:c]
    return found, range(5)[a:b:c], part.indices(5), "abcde"[a:b], "abcde"[a:], "abcde"[:b], part


@CASES.case((0,), (1.5,), ("x",), (None,), (True,), (-1,))
def containers_slices_that_are_odd(step):
    """Steps must be integers that are not zero."""
    items = [1, 2, 3]
    try:
        return items[::step], "abc"[step:], items[:step]
    except (ValueError, TypeError) as error:
        return said(error)


@CASES.case(([0, 1, 2, 3, 4, 5], []), ([0, 1, 2, 3], "xyz"), ([0], [7, 8]), ([], range(3)))
def containers_slices_that_are_assigned_and_deleted(items, other):
    """Slices shrink and grow, and take any iterable."""
    items[1:3] = other
    first = items[:]
    items[len(items) :] = other
    items[5:2] = ["between"]
    second = items[:]
    del items[1:4], items[::2], items[10:]
    try:
        items[:1] = 5
    except TypeError as error:
        return first, second, items, said(error)


@CASES.case(([0, 1, 2, 3, 4, 5],), ([0, 1],), ([],))
def containers_slices_with_a_step_that_are_assigned(items):
    """As many items as there are places, forward and backward."""
    found = []
    try:
        items[::2] = "abc"
        items[::-1] = list(items)
        found.append(items[:])
        items[1::3] = [None] * len(items[1::3])
        del items[::-2]
        items[::1] = range(2)
    except ValueError as error:
        found.append(said(error))
    return found, items


@CASES.case((5,), ("key",), ((1, 2),))
def containers_slices_as_objects(x):
    """An object gets what stands in the brackets."""

    class Shows:
        def __getitem__(self, index):
            return index

        def __setitem__(self, index, value):
            self.last = index, value

        def __delitem__(self, index):
            self.last = "del", index

    one = Shows()
    found = one[x], one[x:], one[:x, 1], one[1:2:x], one[...], one[x,], one[()], one[(x, 1)]
    one[x:1] = 5
    found += one.last
    del one[:, x]
    return found, one.last, one[:] == slice(None), [one[1:2].start, one[1:2].stop, one[1:2].step]


# --- dictionaries ---------------------------------------------------------------------------------


@CASES.case(({"a": 1, "b": 2}, "a"), ({"a": 1}, "x"), ({}, None), ({1: "one"}, True))
def containers_dictionaries_by_their_methods(named, key):
    """What each method gives for a key that is there, and one that is not."""
    found = [named.get(key), named.get(key, "none"), named.setdefault(key, "set"), named.pop(key)]
    found += [named.pop(key, "gone"), named.setdefault("k"), list(named), named.update(z=1, y=2)]
    named.update([("p", 3), (4, 5)], q=6)
    found.append(named.popitem())
    for action in (named.pop, named.__getitem__, named.__delitem__):
        try:
            found.append(action("nothing"))
        except KeyError as error:
            found.append(said(error))
    return found, named.copy(), named.clear(), named


@CASES.case(({"b": 1, "a": 2, "c": 3},), ({},), ({1: 1, 2: 2},))
def containers_dictionaries_keep_their_order(named):
    """The order is that in which keys came; a new value keeps the key's place."""
    for key in list(named):
        named[key] = -named[key]
    named["last"] = 0
    if len(named) > 1:
        first = next(iter(named))
        named[first] = named.pop(first)
    named.pop("last")
    backward = list(reversed(named)), list(reversed(named.items()))
    return list(named), list(named.values()), backward, named == dict(reversed(named.items()))


@CASES.case(({"a": 1, "b": 2, "c": 3},), ({"a": 1},), ({},))
def containers_dictionaries_that_change_in_a_loop(named):
    """Values may change in a loop over keys; the size may not."""
    found = []
    for key in named:
        named[key] += 1
    try:
        for key in named:
            found.append(key)
            named[key * 2] = 0
    except RuntimeError as error:
        found.append(said(error))
    try:
        for key, value in named.items():
            found.append((key, value))
            del named[key]
    except RuntimeError as error:
        found.append(said(error))
    return found, named


@CASES.case(({"a": 1, "b": 2}, {"b": 3, "c": 4}), ({}, {1: 2}), ({"x": []}, {}))
def containers_dictionaries_are_merged(first, second):
    """`|` makes a new one, `|=` changes the left one, and takes pairs as well."""
    both = first | second
    kept = first
    first |= second
    first |= [("pair", 0)]
    try:
        first = second | [("k", 1)]
    except TypeError as error:
        return both, kept, said(error), {**second, **kept} == second | kept


@CASES.case(({"a": 1, "b": 2},), ({},))
def containers_dictionaries_have_views(named):
    """Views follow the dictionary, and keys behave as a set."""
    keys, values, items = named.keys(), named.values(), named.items()
    before = list(keys), list(values), list(items), len(items)
    named["new"] = 5
    found = "new" in keys, 5 in values, ("new", 5) in items, ("new", 6) in items, len(keys)
    return (
        before,
        found,
        keys & {"a", "new"},
        keys - {"a"},
        sorted(keys | {"z"}),
        keys == set(named),
    )


@CASES.case((["a", "b", "a"],), ("mississippi",), ([1, True, 1.0],), ([],))
def containers_dictionaries_that_count(items):
    """Four ways to count."""
    one, two, three = {}, defaultdict(int), Counter()
    for item in items:
        one[item] = one.get(item, 0) + 1
        two[item] += 1
        three[item] += 1
        three["all"] += 1
    four = {item: list(items).count(item) for item in items}
    del three["all"], three["nothing"]
    return one, one == two == three == four, Counter(items).most_common(2), two["none"], len(two)


@CASES.case((1,), ("a",), (2.5,))
def containers_dictionaries_with_keys_of_all_kinds(x):
    """Equal keys are one, whatever their type; what cannot be hashed is no key."""
    named = {1: "int", 1.0: "float", True: "bool", (1,): "tuple", "1": "text", None: 0, x: "x"}
    found = [len(named), named[1], named.get((True,)), named.get(frozenset()), named[x]]
    for key in ([], {}, {1}, ([],), slice(1) if x == 2 else set()):
        try:
            named[key] = 1
        except TypeError as error:
            found.append(said(error))
    return found, list(named)


# --- sets -----------------------------------------------------------------------------------------


@CASES.case(({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({1}, {1}), ({"a"}, frozenset("ab")))
def containers_sets_by_their_operators(a, b):
    """Union, intersection and differences, and which set contains which."""
    found = a | b, a & b, a - b, a ^ b, a <= b, a < b, a >= b, a == b, a.isdisjoint(b)
    kept = a
    a |= b
    a -= {2}
    a &= {1, 3, "a"}
    a ^= {3, 9}
    try:
        return found, a, a is kept, a | [1]
    except TypeError as error:
        return found, a, a is kept, said(error)


@CASES.case(({1, 2}, 2), (set(), "x"), ({(1,)}, (1,)))
def containers_sets_by_their_methods(items, x):
    """What each method gives and refuses."""
    found = [items.add(x), items.add(x), len(items), items.discard(x), items.discard(x)]
    try:
        found.append(items.remove(x))
    except KeyError as error:
        found.append(said(error))
    found += [items.union([5], "a"), items.intersection([1]), items.difference([1], [x])]
    items.update([7], (8,))
    items.intersection_update(range(20))
    try:
        found.append(items.add([]))
    except TypeError as error:
        found.append(said(error))
    frozen = frozenset(items)
    return found, items, frozen == items, {frozen: 1}[frozenset(items)], items.copy() is items


@CASES.case((set(),), ({5},))
def containers_sets_that_are_emptied(items):
    """`pop` takes one after the other, and raises at the end."""
    taken = []
    while items:
        taken.append(items.pop())
    try:
        items.pop()
    except KeyError as error:
        return taken, said(error)


@CASES.case(([3, 1, 3, 2, 1],), ("abca",), ([],), ([1, True, 0, False],))
def containers_sets_that_drop_what_is_twice(items):
    """Sets for what was seen; the first of equal items stays."""
    seen, kept, twice = set(), [], []
    for item in items:
        if item in seen:
            twice.append(item)
            continue
        seen.add(item)
        kept.append(item)
    return kept, twice, seen == set(items), list(dict.fromkeys(items)) == kept, {*items} - seen


# --- others ---------------------------------------------------------------------------------------


@CASES.case(([1, 2, 3], 2), ([], 0), ("abcdef", 3))
def containers_deques(items, size):
    """Both ends, a rotation, and a size that is kept."""
    both = deque(items)
    both.appendleft("left")
    both.rotate(2)
    both.extend("xy")
    last = deque(items, maxlen=size)
    last.append("new")
    found = [both.popleft(), both.pop(), len(both), list(last), last.maxlen]
    try:
        both[0], both[-1] = both[-1], both[0]
        last.popleft()
        found.append(last[5])
    except IndexError as error:
        found.append(said(error))
    return found, both


@CASES.case((["b", "a", "b"],), ([],))
def containers_of_the_library(words):
    """Dictionaries that group, that keep an order, and that are chained."""
    groups = defaultdict(list)
    for place, word in enumerate(words):
        groups[word].append(place)
    order = OrderedDict(groups)
    for word in words:
        order.move_to_end(word)
    chained = ChainMap({"x": 1}, {"x": 2, "y": 3})
    chained["y"] = 4
    del chained["x"]
    found = dict(groups), list(order.items()), dict(chained), chained.maps
    return found, "none" in groups, groups["none"], "none" in groups


@CASES.case((b"abc",), (b"",), (bytearray(b"abcabc"),))
def containers_of_bytes(data):
    """Bytes give integers, byte arrays are changed, and views share."""
    found = [list(data), data[:2], data + b"d", b"b" in data, 98 in data, data.find(b"c"), data * 2]
    if isinstance(data, bytearray):
        view = memoryview(data)
        view[0] = 65
        half = view[::2]
        found.append(bytes(half))
        half.release()
        view.release()
        data[1:3] = b"--"
        data.append(33)
        del data[0]
    try:
        data[0] = 300
    except (TypeError, ValueError) as error:
        found.append(said(error))
    return found, data, bytes([1, 2]), bytes(2), data == bytes(data)


@CASES.case((5, 2), (0, 1), (10, -3), (3, 0))
def containers_of_ranges(n, step):
    """Ranges know what they contain, their length and parts, without any items."""
    try:
        numbers = range(1, n, step)
    except ValueError as error:
        return said(error)
    found = (
        len(numbers),
        list(numbers),
        numbers[:2],
        numbers[::-1],
        n - 1 in numbers,
        2.0 in numbers,
    )
    try:
        return (
            found,
            numbers[0],
            numbers.index(1),
            numbers == range(1, n, step),
            range(0) == range(5, 1),
        )
    except (IndexError, ValueError) as error:
        return found, said(error), bool(numbers), hash(numbers) == hash(range(3, 3))
