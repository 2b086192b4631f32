"""Texts with values in them: f-strings, `str.format`, `%`."""

# ruff: noqa: F541, UP031, UP032  programs as they may be written

from __future__ import annotations

from datetime import date
from decimal import Decimal

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Shown:
    """An object that says how it was asked."""

    def __init__(self, log=None):
        self.log = log if log is not None else []

    def __str__(self):
        self.log.append("str")
        return "text"

    def __repr__(self):
        self.log.append("repr")
        return "é<repr>"

    def __format__(self, spec):
        self.log.append(("format", spec))
        return f"[{spec}]"


class Wrong:
    """An object whose texts are none."""

    def __str__(self):
        return 5

    __repr__ = __str__

    def __format__(self, spec):
        return b"bytes"


# --- f-strings ------------------------------------------------------------------------------------


@CASES.case((5,), ("a'b",), (2.5,), (None,), ([1, "x"],), (True,))
def formatting_by_conversions(x):
    """`!s`, `!r` and `!a`, and an equals sign that shows the expression."""
    return (
        f"{x} {x!s} {x!r} {x!a}",
        f"{x=} {x = } {x=!s} { x = :>5}",
        f"{x!r:>8}|{x!s:<8}|",
        f"{{{x}}}",
    )


@CASES.case((3.14159, 8, 2), (-2, 10, 3), (1e10, 0, 0), (True, 5, 1))
def formatting_by_nested_specifications(x, width, digits):
    """Parts of a specification are computed."""
    sign, kind = "+", "f"
    return (
        f"{x:{width}.{digits}f}|{x:{'>'}{sign}{width}}|{x:{width}}",
        f"{x:{sign}{width}.{digits}{kind}}|{x:{'*^' + str(width)}}",
        f"{x!r:{width}}|{f'{x:.{digits}f}':>{width + 2}}|{x:{''}}",
    )


@CASES.case(*((v,) for v in (42, -42, 0, 2**70, True)))
def formatting_of_integers(n):
    """Bases, signs, fillings, and separators."""
    first = f"{n:d} {n:5d}|{n:<5}|{n:^7}|{n:05}|{n:+}|{n: }|{n:x} {n:X} {n:#x} {n:o} {n:b}"
    return first, f"{n:,} {n:_} {n:_b} {n:*>+8} {n:=+8} {n:e} {n:.2f} {n:%} {n:n}", f"{n:#010b}"


@CASES.case(*((v,) for v in (3.14159, -0.0, 1e-7, 12345678.9, float("inf"), float("nan"), 100.0)))
def formatting_of_floats(x):
    """Fixed, with an exponent, general, and percent."""
    first = f"{x:f} {x:.0f} {x:.3e} {x:g} {x:.3g} {x:%} {x:.1%} {x:E} {x:G} {x:F}"
    return (
        first,
        f"{x:10.2f}|{x:<10.1f}|{x:+.2f}|{x:010.2f}|{x:,.2f}|{x:_.1f}|{x:#.0f}|{x:.10}",
        f"{x}",
    )


@CASES.case(("text",), ("",), ("ünï",))
def formatting_of_texts(text):
    """Widths, fillings, and cuts."""
    return f"{text:10}|{text:>10}|{text:^10}|{text:.2}|{text:-<8.3}|{text:s}|{text:é^9}|{text:<0}"


@CASES.case(*((x, s) for x in (5, 2.5, "t", None, [], 1j) for s in ("d", "f", "s", "z", ">4", "+")))
def formatting_by_specifications_that_do_not_fit(x, spec):
    """Each type says what it does not know."""
    return f"{x:{spec}}"


@CASES.case(([],), (None,))
def formatting_asks_the_object(log):
    """`__format__` gets the specification, a conversion comes before it."""
    x = Shown(log)
    return (
        f"{x}",
        f"{x:>5}",
        f"{x!r:>9}",
        f"{x!s:.2}",
        f"{x!a}",
        f"{x=}",
        f"{x=:y}",
        f"{x:{x}}",
        x.log,
    )


@CASES.case((0,), (1,), (2,), (3,))
def formatting_of_what_gives_no_text(kind):
    """The methods must give texts."""
    x = Wrong()
    if kind == 0:
        return f"{x}"
    if kind == 1:
        return f"{x!s}"
    if kind == 2:
        return "%r" % x
    return str(x)


@CASES.case(([],))
def formatting_computes_from_left_to_right(log):
    """Each value is made a text before the next one is computed."""

    class Notes:
        def __init__(self, name):
            log.append(("made", name))
            self.name = name

        def __format__(self, spec):
            log.append(("format", self.name, spec))
            return self.name

    return f"{Notes('a')}{Notes('b'):{Notes('c')}}{Notes('d')}", log


@CASES.case((1, 2), ("a", "b"))
def formatting_of_expressions(a, b):
    """Any expression may stand in braces."""
    named = {"k": [a, b]}
    first = f"{a if a == b else b}{named['k'][0]}{(lambda: a)()}{a == b}{[x for x in named['k']]}"
    second = f"{'nested ' + f'{a}'}{f'{a}{b}'}"
    return first, second, f"{(c := a)}{c}", f"{ {a: b}[a] }", f"{a!r}plain{b:}", f"", f"{a}\n\t"


@CASES.case((5,), (None,))
def formatting_that_raises_in_the_middle(x):
    """What comes before was computed, and is gone."""
    log = []
    try:
        text = f"{log.append('first')}{x + 1}{log.append('third')}"
    except TypeError as error:
        return log, said(error)
    return log, text


@CASES.case((1, "two", 3.0), ([], {}, ()))
def formatting_with_an_equals_sign(a, b, c):
    """The text of the expression, with its blanks, then its value."""
    return (
        f"{a=}, {b=!s:>6}, {c = }",
        f"{a is b=} {len([a, b])=:03d} {(a, c)[0]=}",
        f"{ a   =   !r}",
    )


@CASES.case((date(2020, 1, 2), Decimal("3.14159")), (date(1999, 12, 31), Decimal("-0")))
def formatting_of_objects_of_the_library(day, number):
    """Dates and decimals have formats of their own."""
    return (
        f"{day:%Y/%m/%d} {day} {day!r}",
        f"{number:.2f} {number:>8} {number:e}",
        format(day, "%j"),
    )


# --- str.format -----------------------------------------------------------------------------------


@CASES.case((1, 2), ("a", [1, 2]), (None, {"k": "v"}))
def formatting_by_the_method(a, b):
    """Arguments by number, in order, by name, with attributes and items."""
    first = "{} {}".format(a, b), "{1} {0} {1!r}".format(a, b), "{x:>5}|{y}".format(x=str(a), y=b)
    second = (
        "{0.__class__.__name__} {x.real}".format(a, x=5),
        "{{}}{}".format(a),
        "{:{}}".format(7, 5),
    )
    return first, second, "{x[0]}{x[1]}".format(x=(a, b)), "{k[a]}".format(k={"a": a})


@CASES.case(*((text,) for text in ("{} {}", "{x}", "{0.no}", "{0[9]}", "{", "}", "{!z}", "{} {0}")))
def formatting_by_the_method_that_fails(text):
    """What is missing, and what is no format."""
    return text.format([1])


@CASES.case(({"a": 1, "b": 2},), ({"a": [0]},), ({},))
def formatting_by_a_mapping(named):
    """`format_map` asks the mapping, which may make up values."""

    class Default(dict):
        def __missing__(self, key):
            return f"<{key}>"

    text = "{a} {b} {c}".format_map(Default(named))
    try:
        return text, "{a}{b}".format_map(named), "{a}{b}".format(**named)
    except KeyError as error:
        return text, said(error)


# --- percent --------------------------------------------------------------------------------------


@CASES.case((42,), (-1.5,), (2**40,), (True,))
def formatting_by_percent_of_numbers(n):
    """Flags, widths, and what each letter makes of a number."""
    first = "%d %i %5d|%-5d|%05d|%+d|% d" % (n, n, n, n, n, n, n)
    return (
        first,
        "%f %.1f %e %g %10.2f|%-8.3f|" % ((n,) * 6),
        "%s %r %a %%" % (n, n, n),
        "%*d" % (6, n),
    )


@CASES.case(("a",), (("a", "b"),), ([1, 2],), (None,), ({"k": 5},), ((),))
def formatting_by_percent_of_anything(x):
    """A tuple is several values, everything else is one."""
    found = []
    for text in ("%s", "%s %s", "%(k)s", "none", "%d"):
        try:
            found.append(text % x)
        except (TypeError, KeyError, ValueError) as error:
            found.append(said(error))
    return found, "%r" % (x,), "%s" % [x]


@CASES.case(*((text, x) for text in ("%x", "%c", "%d", "%q", "%") for x in (65, "A", 1.5)))
def formatting_by_percent_that_fails(text, x):
    """Letters that do not fit the value, and that are unknown."""
    return text % x


@CASES.case(({"name": "x", "n": 3},), ({"name": "y"},))
def formatting_by_percent_with_names(named):
    """Values by name, also twice, and in bytes."""
    kept = b"%s-%d" % (b"a", 5)
    return kept, "%(name)s %(name)r" % named, "%(n)05d|%(n)x" % named


@CASES.case(([("a", 1.5), ("long name", -20)],), ([],))
def formatting_of_a_table(rows):
    """A table with columns as wide as they need to be."""
    width = max((len(name) for name, _ in rows), default=4)
    lines = [f"{'name':<{width}} | {'value':>8}", f"{'':-<{width}}-+-{'':->8}"]
    for name, value in rows:
        lines.append(f"{name:<{width}} | {value:>8.2f}{'*' if value < 0 else ''}")
    lines.append("total %.1f of %d" % (sum(value for _, value in rows), len(rows)))
    return "\n".join(lines)
