"""Objects that take part in the language by their methods."""

# ruff: noqa: UP031, UP032  programs as they may be written

from __future__ import annotations

import copy
import math
import operator

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Number:
    """An object that can be made a number of each kind."""

    def __init__(self, value, log):
        self.value, self.log = value, log

    def __int__(self):
        self.log.append("int")
        return self.value

    def __float__(self):
        self.log.append("float")
        return self.value

    def __complex__(self):
        self.log.append("complex")
        return self.value

    def __round__(self, digits="none"):
        return "round", digits

    def __trunc__(self):
        return "trunc"

    def __floor__(self):
        return "floor"

    def __ceil__(self):
        return "ceil"


class Index:
    """An object that stands for an integer."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Key:
    """A key whose hash and equality are noted."""

    def __init__(self, name, value, log):
        self.name, self.value, self.log = name, value, log

    def __hash__(self):
        self.log.append(("hash", self.name))
        return self.value

    def __eq__(self, other):
        self.log.append(("eq", self.name, getattr(other, "name", other)))
        return self.name[0] == other.name[0]

    def __repr__(self):
        return f"Key({self.name})"


class Matrix:
    """A matrix with items by pairs of indices."""

    def __init__(self, rows, columns, fill=0):
        self.rows, self.columns = rows, columns
        self.cells = {(i, k): fill for i in range(rows) for k in range(columns)}

    def __getitem__(self, place):
        match place:
            case int(), int():
                return self.cells[place]
            case slice(), int(k):
                return [self.cells[i, k] for i in range(self.rows)[place[0]]]
            case int(i):
                return [self.cells[i, k] for k in range(self.columns)]
        raise TypeError("bad place", place)

    def __setitem__(self, place, value):
        if place not in self.cells:
            raise IndexError(place)
        self.cells[place] = value

    def __delitem__(self, place):
        self.cells[place] = None

    def __len__(self):
        return self.rows

    def __matmul__(self, other):
        made = Matrix(self.rows, other.columns)
        for i in range(self.rows):
            for k in range(other.columns):
                made[i, k] = sum(self[i, j] * other[j, k] for j in range(self.columns))
        return made


# --- numbers --------------------------------------------------------------------------------------


@CASES.case(([], 5), ([], 2.5), ([], "text"), ([], None), ([], 1j))
def protocols_of_conversions(log, value):
    """Conversions must give what they say."""
    one, found = Number(value, log), []
    for kind in (int, float, complex):
        try:
            found.append(kind(one))
        except TypeError as error:
            found.append(said(error))
    found += [round(one), round(one, 2), math.trunc(one), math.floor(one), math.ceil(one)]
    return found, log


@CASES.case((2,), (-1,), (10,), (1.0,), (ValueError("no index"),), (10**30,))
def protocols_of_indices(value):
    """What stands for an integer is one in places, slices, ranges, and repetitions."""
    one, found = Index(value), []
    for k in range(7):
        try:
            if k == 0:
                found.append([10, 20, 30][one])
            elif k == 1:
                found.append("abc"[:one] + "abc"[one:])
            elif k == 2:
                found.append(len(range(one)))
            elif k == 3:
                found.append("ab" * one)
            elif k == 4:
                found.append((int(one), hex(one), operator.index(one), float(one)))
            elif k == 5:
                found.append({2: "two"}[one])
            else:
                items = [0, 1, 2]
                items[one] = "set"
                found.append(items)
        except (TypeError, IndexError, ValueError, KeyError, OverflowError) as error:
            found.append(type(error).__name__)
    return found


@CASES.case((True, 5), (False, 0), (None, 2), (True, -1))
def protocols_of_truth_and_length(truth, length):
    """`__bool__` comes before `__len__`."""

    class Both:
        def __bool__(self):
            return truth

        def __len__(self):
            return length

    one, found = Both(), []
    try:
        found.append("yes" if one else "no")
    except TypeError as error:
        found.append(said(error))
    try:
        found.append(len(one))
        found.append(one.__len__() == len(one))
    except ValueError as error:
        found.append(said(error))
    return found, operator.length_hint(one, 7) if length >= 0 else None


# --- keys and equality ----------------------------------------------------------------------------


@CASES.case(([], 1, 1), ([], 1, 2), ([], -1, -2))
def protocols_of_keys(log, first, second):
    """Keys are hashed always, and compared where hashes are equal."""
    a, b, c = Key("a1", first, log), Key("a2", second, log), Key("c", first, log)
    named = {a: 1, b: 2}
    log.append("made")
    named[c] = 3
    found = [a in named, named.get(c), len({a, b, c}), named == {a: 1, b: 2, c: 3}]
    del named[b]
    return found, list(named), log, hash(a) == first


@CASES.case((0,), (1,), (2,))
def protocols_of_equality_without_a_hash(kind):
    """A class with `__eq__` alone cannot be hashed."""

    class Equal:
        def __eq__(self, other):
            return True

    class Again(Equal):
        __hash__ = object.__hash__

    class Odd(Equal):
        def __hash__(self):
            return "text"

    one = [Equal, Again, Odd][kind]()
    found = [one == 5, one != 5, one in [1, 2], [None].index(one), [one] == ["x"], one is None]
    try:
        return found, {one: 1}[one]
    except TypeError as error:
        return found, said(error)


# --- containers -----------------------------------------------------------------------------------


@CASES.case((2, 3), (1, 1))
def protocols_of_a_matrix(rows, columns):
    """Items by pairs, with slices, in augmented assignments and deletions."""
    one = Matrix(rows, columns, 1)
    one[0, 0] += 4
    one[rows - 1, columns - 1] *= -2
    found = [one[0, 0], one[0], one[:, 0], len(one), bool(one), (one @ Matrix(columns, 2, 3))[0]]
    del one[0, 0]
    for place in ((9, 9), "text", (0, "x")):
        try:
            one[place] = one[place]
        except (KeyError, TypeError, IndexError) as error:
            found.append(said(error))
    return found, one[0, 0]


@CASES.case((3,), (0,))
def protocols_of_iteration_by_items(n):
    """An object with `__getitem__` and `__len__` is a sequence in most places."""

    class Squares:
        def __getitem__(self, k):
            if isinstance(k, slice):
                return [self[i] for i in range(n)[k]]
            if not 0 <= k < n:
                raise IndexError(k)
            return k * k

        def __len__(self):
            return n

    one = Squares()
    found = list(one), list(reversed(one)), 4 in one, one[1:], max(one, default="none"), [*one]
    for k, square in enumerate(one):
        if k * k != square:
            return "wrong"
    return found, dict(zip("abc", one)), sorted(one, reverse=True), iter(one).__length_hint__()


@CASES.case(([], 3), ([], 0))
def protocols_of_iterators(log, n):
    """`__iter__` gives an iterator, which gives items until StopIteration."""

    class Steps:
        def __init__(self):
            self.k = 0

        def __iter__(self):
            log.append("iter")
            return self

        def __next__(self):
            log.append("next")
            if self.k >= n:
                raise StopIteration("end")
            self.k += 1
            return self.k

        def __length_hint__(self):
            return n - self.k

    one = Steps()
    first = [k for k in one]
    one.k = 0
    a = next(one, "none")
    rest = (*one,)
    try:
        next(one)
    except StopIteration as stop:
        return first, a, rest, stop.args, log


@CASES.case(*((k,) for k in range(5)))
def protocols_of_iteration_that_are_wrong(k):
    """What gives no iterator, or one that has no `__next__`."""

    class Wrong:
        def __iter__(self):
            return [5, None, self, "text", iter("ok")][k]

    class Never:
        __iter__ = None

        def __getitem__(self, index):
            return index

    found = []
    for one in (Wrong(), Never()):
        try:
            for item in one:
                found.append(item)
        except TypeError as error:
            found.append(error.args)
    return found


@CASES.case((["a", "b"],), ([],))
def protocols_of_a_container_of_the_program(items):
    """A stack with all that containers have."""

    class Stack:
        def __init__(self, items=()):
            self.items = list(items)

        def __contains__(self, item):
            return item in self.items

        def __iter__(self):
            return reversed(self.items)

        def __reversed__(self):
            return iter(self.items)

        def __len__(self):
            return len(self.items)

        def __iadd__(self, item):
            self.items.append(item)
            return self

        def __lshift__(self, item):
            self.items.append(item)
            return self

        def __bool__(self):
            return True

        def __call__(self):
            return self.items.pop()

    one = Stack(items)
    one += "c"
    one << "d" << "e"
    found = [list(one), list(reversed(one)), "d" in one, len(one), one(), bool(Stack())]
    top, *rest = one
    return found, top, rest


# --- others ---------------------------------------------------------------------------------------


@CASES.case(([],))
def protocols_of_calls(log):
    """`__call__` is looked for in the class, also through several objects."""

    class Calls:
        def __init__(self, inner=None):
            self.inner = inner

        def __call__(self, *args, **named):
            log.append((args, named))
            return self.inner or "end"

    one = Calls(Calls())
    one.__call__ = lambda: "of the object"
    found = one(1)(2, k=3), callable(one), callable(5), list(map(one, "ab"))[0] is one.inner
    del Calls.__call__
    try:
        one()
    except TypeError as error:
        return found, log, said(error), one.__call__()


@CASES.case((1,), ([1],))
def protocols_of_texts(value):
    """`__repr__` stands in for `__str__`, and containers ask for it."""

    class Shown:
        def __repr__(self):
            return f"Shown({value!r})"

    class Both(Shown):
        def __str__(self):
            return "both"

    one, two = Shown(), Both()
    found = [str(one), repr(one), str(two), str([one, two]), f"{two} {two!r}", "%s %r" % (two, two)]
    return (
        found,
        str({one: (two,)}),
        format(str(two), ">6"),
        "{!s:<6}|{!r}".format(two, two),
        ascii(one),
    )


@CASES.case((1, [2]), ("x", {}))
def protocols_of_copies(a, b):
    """Copies are shallow, deep, or what the class says."""

    class Plain:
        def __init__(self, *values):
            self.values = list(values)

    class Own(Plain):
        def __copy__(self):
            return "copied"

        def __deepcopy__(self, memo):
            return "deep", len(memo) >= 0

    one = Plain(a, b)
    flat, deep = copy.copy(one), copy.deepcopy(one)
    found = flat.values is one.values, deep.values is one.values, deep.values[1] is b, deep.values
    return found, copy.copy(Own(a)), copy.deepcopy([Own(b), a]), copy.copy(b) is b


@CASES.case(([],))
def protocols_of_attributes_that_are_methods(log):
    """Special methods that are properties, descriptors, or callables of other kinds."""

    class Odd:
        @property
        def __len__(self):
            log.append("property")
            return lambda: 3

        __getitem__ = staticmethod(lambda index: ("static", index))
        __contains__ = [].__contains__
        __neg__ = property(lambda self: lambda: "negative")

        @classmethod
        def __call__(cls, *args):
            return cls.__name__, args

    one = Odd()
    return len(one), one[5], 1 in one, -one, one(2), bool(one), log


@CASES.case((10, 3), (5, 0))
def protocols_of_division_of_a_class(a, b):
    """A type of numbers modulo something, with its operators and an inverse."""

    class Mod:
        def __init__(self, n, base=7):
            self.n, self.base = n % base, base

        def __add__(self, other):
            return Mod(self.n + int(other), self.base)

        __radd__ = __add__

        def __mul__(self, other):
            return Mod(self.n * int(other), self.base)

        def __truediv__(self, other):
            return self * pow(int(other), -1, self.base)

        def __pow__(self, n):
            return Mod(pow(self.n, n, self.base), self.base)

        def __int__(self):
            return self.n

        def __eq__(self, other):
            return self.n == int(other) % self.base

        def __repr__(self):
            return f"{self.n}m{self.base}"

    x, y = Mod(a), Mod(b)
    found = [x + y, 1 + x, x * y, x**3, x == 3, sum([x, y]), x + 100 == y]
    try:
        found.append(x / y)
    except ValueError as error:
        found.append(said(error))
    return found
