"""Python's objects: calls, f-strings, and what operators do with values."""

# ruff: noqa: B015, B018, F601, F821  programs as they may be written

from __future__ import annotations

import math
import operator

from corpus.control.cases import Cases

CASES = Cases()


class Box:
    """An object with attributes."""

    def __init__(self, value=None):
        self.value = value


class Loud(dict):
    """A dictionary whose methods in Python are not asked by Python."""

    def keys(self):
        raise OSError("nobody asks")

    def __getitem__(self, key):
        raise OSError("nobody asks")


class Mapped:
    """A mapping with as little as `**` needs."""

    def __init__(self, *names):
        self.names = names

    def keys(self):
        return iter(self.names)

    def __getitem__(self, name):
        if name == "bad":
            raise KeyError("bad", "name")
        return name * 2


class Number:
    """An object whose operators say what was asked of it."""

    def __add__(self, other):
        return ("add", other) if other != "no" else NotImplemented

    def __radd__(self, other):
        return "radd", other

    def __isub__(self, other):
        return "isub", other

    def __sub__(self, other):
        return "sub", other

    def __matmul__(self, other):
        return "matmul", other

    def __index__(self):
        return 2

    def __neg__(self):
        return "neg"

    def __getitem__(self, index):
        if index > 2:
            raise IndexError(index)
        return index * 10


class Formatted:
    """An object that logs how it is made a text of."""

    def __init__(self, log, answer="formatted"):
        self.log = log
        self.answer = answer

    def __format__(self, spec):
        self.log.append(("format", spec))
        return self.answer

    def __str__(self):
        self.log.append("str")
        return "text"

    def __repr__(self):
        self.log.append("repr")
        return "é"


def taken(a, b=2, *args, c=3, **named):
    """A function with parameters of all kinds."""
    return a, b, args, c, named


def noting(log):
    """A function that logs its argument, and gives it."""

    def note(value):
        log.append(value)
        return value

    return note


def reached(*args, **named):
    """Raises with what it was called with."""
    raise OSError(args, named)


# --- calls ----------------------------------------------------------------------------------------


@CASES.case(([],))
def call_order_of_arguments(log):
    """The function, then arguments and keywords as they stand."""
    note = noting(log)
    call = note(taken)(note(1), *note([2]), note(3), c=note(4), **note({"d": 5}), e=note(6))
    log[0] = "the function"
    return call


@CASES.case(({"c": 1},), ({"d": 1},), ({"a": 1},), ({1: 2},), ([("d", 1)],), (None,))
def call_with_keywords_twice(more):
    """A keyword that is given twice, is no string, or comes from what is no mapping."""
    return taken(0, c=5, **more)


@CASES.case(({"x": 1}, {"y": 2}), ({"x": 1}, {"x": 2}), ({"x": 1}, {1: 2}), ({1: 1}, {1: 2}))
def call_with_two_dictionaries(first, second):
    """Two dictionaries must not have a key in common."""
    return dict(**first, **second)


@CASES.case((5,), ([1],))
def call_of_a_method_with_stars_that_fail(items):
    """The message names methods, and objects that are called."""
    box, found = Box(taken), []
    try:
        box.value(1, **items)
    except TypeError as error:
        found += error.args
    try:
        found.append(*items, **{})
    except TypeError as error:
        found += error.args
    try:
        "".join(**items)
    except TypeError as error:
        return found, error.args


@CASES.case(("ab",), ("bad",))
def call_with_a_mapping_of_the_users(name):
    """`**` asks a mapping for its keys and items, whose errors come through."""
    return taken(**Mapped("a", name)), {**Mapped("a", name)}


@CASES.case()
def call_with_a_dictionary_of_a_subclass():
    """Methods that a subclass of dict overrides are not asked."""
    one = Loud(a=1, d=2)
    return {**one}, taken(**one), taken(b=3, **one)


@CASES.case((lambda x: x,), (None,), (int,))
def call_with_wrong_arguments(function):
    """What Python says of missing, unexpected and excessive arguments."""
    found = []
    for args, named in (((), {}), ((1, 2, 3), {}), (("1",), {"q": 1}), (("1",), {"x": 2})):
        try:
            found.append(function(*args, **named))
        except TypeError as error:
            found.append(error.args)
    return found, taken()


@CASES.case((3,))
def call_of_what_calls_return(n):
    """Calls of calls, of items, of attributes and of conditional expressions."""
    made = {"add": lambda x: lambda y: x + y}
    box = Box(made)
    first = made["add"](n)(1)
    second = (box.value["add"] if n > 2 else abs)(n)(*[2])
    third = n or len
    return first, second, [box.value.get("none", lambda **k: k)(z=third), "a,b".split(sep=",")]


# --- f-strings ------------------------------------------------------------------------------------


@CASES.case((3.14159, "é\n", 7), (-0.0, "", 0), (float("inf"), "a'b\"", -1))
def fstring_with_conversions_and_formats(x, text, n):
    """Conversions, formats, nested formats, braces and `=`."""
    return [
        f"{x:.2f}|{x:>{10 + n}.{1 + abs(n)}e}|{{{n}}}|{n:+05d}|{n!r:>4}",
        f"{text!s:*^7}{text!r}{text!a}{text:{'<' if n else '>'}3}{text=}",
        f"{x=:.1f} {n = } {n = !s} {text=!a:>9}",
        f"{[f'{k}{x:.0f}' for k in range(2)]}{ {'k': n}['k'] }{(lambda y: y * 2)(n)}",
        f"{n}{{n}}",
    ]


@CASES.case(([],))
def fstring_asks_objects_in_order(log):
    """Which methods of an object are called, and when."""
    one, n = Formatted(log), 4
    text = f"{one}{one!s}{one!r}{one!a}{one:spec}{one:{one}}{one!r:>{n}}{one:}"
    return text, log


@CASES.case(([], 5), ([], None), ([], "ok"))
def fstring_of_an_object_that_formats_to_no_text(log, answer):
    """`__format__` must give a text; what comes after is not computed."""
    try:
        return f"{Formatted(log, answer)}{log.append('after')}"
    except TypeError as error:
        return error.args


@CASES.case((5, "s"), ("x", "d"), (1.5, ">>"), (None, "5"), ([1], ""), ("y", 7))
def fstring_with_a_format_that_does_not_fit(value, spec):
    """The errors of formats, with a format that is computed."""
    return f"{value:{spec}}"


@CASES.case(([],))
def fstring_converts_before_it_computes_the_format(log):
    """When the conversion is done depends on the version of Python."""
    one = Formatted(log)
    return f"{one!r:{log.append('format computed') or '>3'}}", log


@CASES.case(("a", 1))
def fstring_keeps_what_variables_held(a, b):
    """Values in an f-string are those of the moment."""
    text = f"{a}{(a := b)}{a}{(b := [a])}{b}{b.append(a)}{b}"
    return text, f"{a!r}" + f"{a}{b}{'nested ' + f'{a:02}'}"


# --- values ---------------------------------------------------------------------------------------


@CASES.case(
    *((7, 2), (-7, 2), (7, -2), (7, 0), (2**70, 3), (-1, 2**70), (True, False), (7.5, -2)),
    *((-0.0, 3), (float("inf"), 2.0), (1 + 2j, 2), ("ab", 2), (b"ab", 0), ([1], 2), (2, "x")),
)
def value_of_each_operator(a, b):
    """What operators give for numbers, texts and lists, and what they raise."""
    found = []
    for apply in (operator.add, operator.sub, operator.mul):
        try:
            found.append(apply(a, b))
        except TypeError as error:
            found.append(error.args)
    try:
        found += [a * b, b * a, -a if found else +a, a == b, a != b]
        found += [a // b, a % b, divmod(a, b)]
        found += [a / b, a < b, a >= b]
        found += [a & b, a | b, a ^ b, ~b, a << b, a >> b]
    except (TypeError, ZeroDivisionError, ValueError, OverflowError) as error:
        found.append(error)
    return found


@CASES.case((2, 3), (2, -1), (0, -1), (-8, 0.5), (10.0, 400), (2, 200), (-2, 3), (0.0, 0))
def value_of_powers(a, b):
    """Powers of negative and huge numbers."""
    x = a**b
    x **= 2
    return x, pow(3, 200, 7), -(a**2), 2**-1


@CASES.case((1, True), (1.0, 1), (0, -0.0), (None, False))
def value_of_constants_that_are_equal(a, b):
    """Constants that are equal stay what they are."""
    found = [1, True, 1.0, 1 + 0j, 0, False, 0.0, -0.0, 0j, -0j, (1, 1.0), (True, 1), (0.0, -0.0)]
    found += [1e400, -1e400, 1e-400, 2**100, "1", b"1", (), ..., None, ("a", ("b",)), 0.1 + 0.2]
    which = 1 if a else 1.0 if b else True if a is None else -0.0
    return found, which, {1: "a", True: "b", 1.0: "c"}, a == b, a is b, [1e308 * 10, -(0.0)]


@CASES.case(("label 4:",), ("$1.1 = const(0)",))
def value_of_texts_that_look_like_something_else(text):
    """Texts with quotes, line ends, percent signs, surrogates, and lines of the IR."""
    label = "label 4, except 20:\n    $1.1 = const(0)\n    jump 30"
    const, jump, raises, phi, undefined = "'", '"', "'\"\\", "\\n\n\t\x00", "%s {} {0!r} # ; é € 𝄞"
    branch, reraise, global_ = "\ud800", b"\x00\xff'\"", "return x  ['$1.1']"
    return (
        label == text,
        [const, jump, raises, phi, undefined],
        branch,
        reraise,
        global_,
        text in label,
    )


@CASES.case((1, 2))
def value_of_variables_with_odd_names(label, const):
    """Variables that are named as words of the IR, or not in ASCII, or much alike."""
    jump = branch = caught = label + const
    für, x1, x_1, x, x2 = 5, 6, 7, 8, 9
    match, case, type, _, __ = "m", "c", "t", "_", "__"
    for x in range(x1):
        jump, x_1, phi = x_1, x, jump
    end_handler = [jump, branch, caught, für, x1, x_1, x, x2, phi, match, case, type, _, __]
    return end_handler, (lambda undef, Σ=const: undef + Σ)(label)


@CASES.case((5,), ("no",), ([],))
def value_of_operators_of_the_users(other):
    """Operators of classes: reflected, in place, and missing ones."""
    a = b = c = Number()
    a -= other
    b += other
    found = [a, b, c @ other, other + c if other != [] else None, -c, [5, 6, 7][c], bin(c)]
    try:
        found.append(c * other)
    except TypeError as error:
        found += error.args
    found.append(c + other)
    c @= other
    return found, c, 20 in Number()


@CASES.case(([1],), ((1,),), ("a",), ({1: 2},), ({1},))
def value_that_is_changed_in_place(value):
    """Augmented assignments change lists, sets and dictionaries, and make anything else anew."""
    other = value
    try:
        value += type(value)(value)
    except TypeError:
        value |= type(value)(value)
    try:
        value *= 2
    except TypeError as error:
        return value, value is other, error.args
    return value, value is other, other


@CASES.case((5,), ([],), ("ab",), (None,))
def value_that_nobody_needs_is_computed_all_the_same(x):
    """Expressions as statements: what they raise is raised."""
    log = []
    for k in range(9):
        try:
            match k:
                case 0:
                    -x
                case 1:
                    x < 1
                case 2:
                    x.nothing
                case 3:
                    x[7]
                case 4:
                    {x}
                case 5:
                    x()
                case 6:
                    f"{x:d}"
                case 7:
                    {**x}, x[1:2]
                case 8:
                    x + 1 in x
        except Exception as error:
            log.append((k, error))
        else:
            log.append(k)
    return log


@CASES.case((True,), (False,))
def value_that_is_unbound_is_noticed_where_it_is_read(which):
    """An unbound variable raises before the operands to its right are computed."""
    found = []
    if which is None:
        x = items = 1
    for k in range(6):
        try:
            if k == 0:
                x + reached()
            elif k == 1:
                x(reached())
            elif k == 2:
                items[reached()] = 5
            elif k == 3:
                items[0] = reached(1)
            elif k == 4:
                x += reached()
            else:
                [reached, x, reached()]
        except (OSError, UnboundLocalError) as error:
            found.append(error.args)
    return found


@CASES.case((1,), (None,))
def value_of_a_variable_that_is_read_in_try(x):
    """A mere read of an unbound variable, or a mere test of one, is caught."""
    if x:
        y = x
    try:
        return y
    except UnboundLocalError:
        x = "unbound"
    try:
        y
    except UnboundLocalError:
        return x
    return "bound"


@CASES.case((1,))
def value_of_a_variable_that_is_deleted_in_try(x):
    """A read that follows `del` in the same `try` is caught."""
    try:
        del x
        return x
    except UnboundLocalError as error:
        return error.args


@CASES.case((3,), (0,))
def value_of_walrus_on_the_way(n):
    """A walrus changes a variable whose old value waits to be used."""
    x = n
    total = x + (x := x + 1) * (x := x + 1) - x
    items = [x, 1][(x := 1)] if (y := total) > 5 else (y := -1)
    return total, items, x, y, (x, y := 5, (x := y)), max(x, (x := 9), key=abs), x < (x := 0)


@CASES.case((0, ""), (1, "text"), (0, ("a", "b")), (0, ValueError("v")))
def value_of_an_assertion(condition, message):
    """The message of an assertion is whatever object it is."""
    assert condition, message
    assert not condition or (message and condition is None)
    return "passed"


@CASES.case(({"a": 1}, {"a": 2, "b": 3}), ({}, {1: 2}))
def value_of_operations_on_dictionaries(first, second):
    """Merging, views, and what happens to keys."""
    merged = first | second
    first |= [("pair", 1)]
    common = merged.keys() & second.keys()
    found = [merged, first, sorted(map(str, common)), merged.pop("a", "gone"), list(merged.items())]
    merged.setdefault("new", []).append(1)
    del merged["new"][0]
    found += [merged, "a" in merged, [*reversed(merged)], {**merged} == merged]
    found.append(second[{}.get("none", "b")])
    return found


@CASES.case((2.5,), (-7,), (True,), (10**30,), (float("nan"),))
def value_of_functions_of_numbers(x):
    """Rounding, conversions, and texts of numbers."""
    found = [round(x, 1), math.trunc(x) if x == x else None, str(x), repr(x), abs(x), bool(x)]
    try:
        found += [int(x), hash(x) == hash(float(x)), complex(x), x.is_integer(), f"{x:,}", x // 1]
        found.append(int(x).to_bytes(2, "big"))
    except (ValueError, OverflowError, AttributeError) as error:
        found.append(error)
    return found, x == x, x in [x], x != x, [x].index(x), {x: 1}[x]
