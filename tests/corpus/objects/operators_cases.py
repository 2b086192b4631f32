"""Operators of classes of the user's: which method is asked, and what it may say."""

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Value:
    """An operand that notes what is asked of it, and may decline."""

    def __init__(self, name, log, declines=False):
        self.name = name
        self.log = log
        self.declines = declines

    def answer(self, method, other):
        self.log.append((self.name, method, getattr(other, "name", other)))
        return NotImplemented if self.declines else f"{self.name}.{method}"

    def __add__(self, other):
        return self.answer("add", other)

    def __radd__(self, other):
        return self.answer("radd", other)

    def __mul__(self, other):
        return self.answer("mul", other)

    def __rmul__(self, other):
        return self.answer("rmul", other)

    def __lt__(self, other):
        return self.answer("lt", other)

    def __gt__(self, other):
        return self.answer("gt", other)

    def __le__(self, other):
        return self.answer("le", other)

    def __ge__(self, other):
        return self.answer("ge", other)

    def __eq__(self, other):
        return self.answer("eq", other)

    def __ne__(self, other):
        return self.answer("ne", other)

    __hash__ = None


class Special(Value):
    """A subclass with reflected methods of its own."""

    def __radd__(self, other):
        return self.answer("special radd", other)

    def __gt__(self, other):
        return self.answer("special gt", other)


class Plain(Value):
    """A subclass that changes nothing."""


class Vector:
    """Two numbers with the usual operators."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"Vector({self.x!r}, {self.y!r})"

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self.x + other.x, self.y + other.y)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __invert__(self):
        return Vector(self.y, self.x)

    def __abs__(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __eq__(self, other):
        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))


class All:
    """An operand with every binary operator, which say what they are."""

    def __add__(self, other):
        return "+", other

    def __sub__(self, other):
        return "-", other

    def __mul__(self, other):
        return "*", other

    def __truediv__(self, other):
        return "/", other

    def __floordiv__(self, other):
        return "//", other

    def __mod__(self, other):
        return "%", other

    def __pow__(self, other, modulus=None):
        return "**", other, modulus

    def __matmul__(self, other):
        return "@", other

    def __and__(self, other):
        return "&", other

    def __or__(self, other):
        return "|", other

    def __xor__(self, other):
        return "^", other

    def __lshift__(self, other):
        return "<<", other

    def __rshift__(self, other):
        return ">>", other

    def __divmod__(self, other):
        return "divmod", other


class Reflected:
    """An operand with every operator for the place on the right."""

    def __radd__(self, other):
        return "+", other

    def __rsub__(self, other):
        return "-", other

    def __rmul__(self, other):
        return "*", other

    def __rtruediv__(self, other):
        return "/", other

    def __rfloordiv__(self, other):
        return "//", other

    def __rmod__(self, other):
        return "%", other

    def __rpow__(self, other):
        return "**", other

    def __rmatmul__(self, other):
        return "@", other

    def __rand__(self, other):
        return "&", other

    def __ror__(self, other):
        return "|", other

    def __rxor__(self, other):
        return "^", other

    def __rlshift__(self, other):
        return "<<", other

    def __rrshift__(self, other):
        return ">>", other


class InPlace:
    """An operand that is changed in place."""

    def __init__(self, log):
        self.log = log

    def __iadd__(self, other):
        self.log.append(("+=", other))
        return self

    def __isub__(self, other):
        return "gone", other

    def __imul__(self, other):
        return NotImplemented

    def __mul__(self, other):
        self.log.append(("*", other))
        return self

    def __ior__(self, other):
        raise ValueError("no |=", other)


# --- which method is asked ------------------------------------------------------------------------


@CASES.case(([], False, False), ([], True, False), ([], True, True), ([], False, True))
def operators_ask_the_left_then_the_right(log, first, second):
    """The right operand is asked where the left one declines."""
    a, b = Value("a", log, first), Plain("b", log, second)
    try:
        return a + b, log
    except TypeError as error:
        return said(error), log


@CASES.case(([], False, False), ([], True, True), ([], False, True))
def operators_ask_a_subclass_first(log, first, second):
    """A subclass on the right with a method of its own is asked before the left operand."""
    a, b = Value("a", log, first), Special("b", log, second)
    try:
        log.append(a + b)
        log.append(b + a)
        log.append(a * b)
    except TypeError as error:
        log.append(said(error))


@CASES.case(([], True), ([], False))
def operators_of_one_type_are_asked_once(log, declines):
    """Where both operands have one type, the right one is not asked."""
    a, b = Value("a", log, declines), Value("b", log, declines)
    try:
        log.append(a + b)
    except TypeError as error:
        log.append(said(error))
    return a * a


@CASES.case(([], 5), ([], None), ([], "text"), ([], [1]), ([], 2.5))
def operators_with_objects_of_python_on_the_left(log, other):
    """Python's own types decline what they do not know."""
    b = Value("b", log)
    return other + b, b + other, other * b, other < b, other == b, log


@CASES.case(([],))
def operators_that_compare_are_reflected(log):
    """`<` on the left is `>` on the right, and `==` is itself."""
    a, b = Value("a", log, True), Plain("b", log)
    return a < b, a > b, a <= b, a >= b, a == b, a != b, log


@CASES.case(([],), ([1],))
def operators_that_compare_ask_a_subclass_first(log):
    """A subclass on the right is always asked first in a comparison."""
    a, b, c = Value("a", log), Special("b", log), Plain("c", log)
    return a < b, a < c, a == c, c < a, log


@CASES.case(([],))
def operators_that_compare_and_all_decline(log):
    """Equality falls back to identity, order is an error."""
    a, b = Value("a", log, True), Value("b", log, True)
    found = [a == b, a != b, a == a, a != a]
    try:
        found.append(a < b)
    except TypeError as error:
        found.append(said(error))
    return found, log


# --- all operators --------------------------------------------------------------------------------


@CASES.case((1,), ("x",), (None,))
def operators_of_all_kinds_on_the_left(y):
    """Each operator has a method."""
    x = All()
    arithmetic = x + y, x - y, x * y, x / y, x // y, x % y, x**y, x @ y
    return arithmetic, x & y, x | y, x ^ y, x << y, x >> y, divmod(x, y), pow(x, y, 5), pow(x, y)


@CASES.case((1,), (2.5,), (None,), ((),))
def operators_of_all_kinds_on_the_right(x):
    """Each operator has a reflected method."""
    y = Reflected()
    arithmetic = x + y, x - y, x * y, x / y, x // y, x % y, x**y, x @ y
    return arithmetic, x & y, x | y, x ^ y, x << y, x >> y


@CASES.case(*((kind,) for kind in range(13)))
def operators_that_are_missing(kind):
    """The message names the operator and both types."""
    x, y = object(), []
    actions = [
        lambda: x + y, lambda: x - y, lambda: x * None, lambda: x / y, lambda: x // y,
        lambda: x % y, lambda: x**y, lambda: x @ y, lambda: x & y, lambda: x | y, lambda: x ^ y,
        lambda: x << y, lambda: x >> y,
    ]  # fmt: skip
    return actions[kind]()


@CASES.case((0,), (1,), (2,), (3,), (4,), (5,), (6,))
def operators_in_place_that_are_missing(kind):
    """An assignment has a message of its own."""
    x, y = None, "y"
    if kind == 0:
        x += y
    elif kind == 1:
        x -= y
    elif kind == 2:
        x *= 2.5
    elif kind == 3:
        x **= y
    elif kind == 4:
        x @= y
    elif kind == 5:
        x >>= y
    else:
        y -= x
    return x, y


@CASES.case((0,), (1,), (2,), (3,))
def operators_of_one_operand_that_are_missing(kind):
    """Signs of what is no number."""
    x = ["list"]
    if kind == 0:
        return -x
    if kind == 1:
        return +x
    if kind == 2:
        return ~x
    return abs(x)


# --- in place -------------------------------------------------------------------------------------


@CASES.case(([],))
def operators_in_place_rebind_to_what_is_given(log):
    """What the method gives becomes the variable's value."""
    x = kept = InPlace(log)
    x += 1
    same = x is kept
    x *= 2
    still = x is kept
    x -= 3
    return same, still, x, log


@CASES.case(([],), ([0],))
def operators_in_place_that_raise(log):
    """The variable keeps its value."""
    x = kept = InPlace(log)
    try:
        x |= 5
    except ValueError as error:
        return said(error), x is kept
    finally:
        x += "end"
    return x


@CASES.case(([1], [2]), ((1,), (2,)), ("a", "b"), ({1}, {2}), (5, 6), (bytearray(b"a"), b"b"))
def operators_in_place_or_anew(x, y):
    """Lists, sets and byte arrays are changed, tuples and numbers are replaced."""
    kept = x
    try:
        x |= y
    except TypeError as error:
        x += y
        return x, kept, x is kept, said(error)
    return x, kept, x is kept


@CASES.case(([1, 2],), ({"a": 1},), (3,))
def operators_in_place_of_all_kinds(seed):
    """Each augmented assignment of numbers."""
    a = b = c = d = e = 7
    a += 2
    a -= 1
    a *= 3
    b //= 2
    b **= 3
    c %= 4
    c <<= 5
    c >>= 2
    d &= 5
    d |= 8
    d ^= 1
    e /= 2
    values = [a, b, c, d, e]
    try:
        e @= seed
    except TypeError as error:
        return values, said(error)


# --- programs -------------------------------------------------------------------------------------


@CASES.case((1, 2), (0.5, -3), (True, 0))
def operators_of_vectors(x, y):
    """A small class in formulas."""
    a, b = Vector(x, y), Vector(y, x)
    total = sum([a, b, a + b])
    return a + b * 2, 3 * a, -a, ~b, a @ b, abs(Vector(3, 4)), total, a == ~b, a != b, a in {~b}


@CASES.case((5,), (None,), ("v",))
def operators_of_vectors_that_fail(other):
    """Both sides decline."""
    a = Vector(1, 2)
    try:
        return a + other
    except TypeError as error:
        kept = said(error)
    return kept, other + a


@CASES.case(([],))
def operators_changed_after_the_class_was_made(log):
    """Methods are looked for in the class, at the time of the operation."""

    class Late:
        pass

    x = Late()
    x.__add__ = lambda other: "of the object"
    try:
        x + 1
    except TypeError as error:
        log.append(error.args)
    Late.__add__ = lambda self, other: ("of the class", other)
    log.append(x + 1)
    del Late.__add__
    Late.__radd__ = lambda self, other: ("reflected", other)
    log.append(2 + x)
    return x + 3


@CASES.case((0,), (1,), (2,))
def operators_of_classes_themselves(kind):
    """A metaclass has the operators of its classes."""

    class Meta(type):
        def __add__(cls, other):
            return cls.__name__, other if isinstance(other, int) else other.__name__

        def __getitem__(cls, index):
            return cls.__name__ * index

        def __contains__(cls, item):
            return item == cls.__name__

        def __len__(cls):
            return 0

    class One(metaclass=Meta):
        pass

    class Two(One):
        pass

    return One + Two, Two + kind, One[kind], "One" in One, "One" in Two, bool(Two), Two and 5
