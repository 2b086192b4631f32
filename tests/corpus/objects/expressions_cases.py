"""Expressions: their order, walrus, conditions, constants, and statements of all kinds."""

# ruff: noqa: B018, E713, F821, F841  programs as they may be written

from __future__ import annotations

import operator

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Noting:
    """A function that notes its argument, and objects that note what is done to them."""

    def __init__(self, log):
        self.log = log

    def __call__(self, value):
        self.log.append(value)
        return value

    def __getitem__(self, index):
        self.log.append(("get", index))
        return self

    def __setitem__(self, index, value):
        self.log.append(("set", index, value if not isinstance(value, Noting) else "self"))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.log.append(("attribute", name))
        return self


# --- order ----------------------------------------------------------------------------------------


@CASES.case(([],))
def expressions_compute_operands_from_left_to_right(log):
    """Operators of all ranks, with parentheses."""
    note = Noting(log)
    found = note(1) + note(2) * note(3) ** note(2) - (note(4) or note(5)) // note(6) % note(7)
    bits = note(8) | note(9) & ~note(10) ^ (note(11) << note(1))
    return found, bits, -(note(12) ** note(2)), not note(0) in [note(0)], log


@CASES.case(([],))
def expressions_compute_what_is_assigned_before_its_targets(log):
    """The value, then each target with its object and its index."""
    note = Noting(log)
    note.first[note("a")], note[note("b")].second[note("c")] = note("x"), note("y")
    note[note("i")] = note.third[note("j")] = note("z")
    log.append("augmented")
    items = [1, 2, 3]
    items[note(0)] += note(10)
    items[note(1) : note(3)] = note([5])
    return items, log


@CASES.case(([], True), ([], False))
def expressions_compute_the_condition_first(log, which):
    """`a if c else b` computes `c`, and then one of the others."""
    note = Noting(log)
    found = note("then") if note(which) else note("else")
    nested = note(1) if note(not which) else note(2) if note(which) else note(3)
    return found, nested, [note("x") if which else note("y"), *(note("z") if which else ())], log


@CASES.case(([],))
def expressions_compute_keys_before_values(log):
    """Displays of dictionaries, slices, and calls in calls."""
    note = Noting(log)
    named = {note("k1"): note("v1"), **{note("k2"): note("v2")}, note("k3"): note("v3")}
    part = [0, 1, 2, 3][note(1) : note(3) : note(1)]
    text = f"{note('f')}{note(5):{note(3)}}"
    return named, part, text, max(note(1), min(note(2), note(3)), key=note(abs) and None), len(log)


@CASES.case((1,), (5,))
def expressions_read_a_variable_when_they_come_to_it(x):
    """An operand is the value of its moment."""
    found = [x, x := x + 1, x + (x := 10) + x, (x, x := "text", x)]
    x = 3
    found.append(x * (lambda: x)() + (y := x) - y)
    items = [x]
    found.append(items[0] + (items.append(9) or items[-1]) + len(items))
    items[len(items) - 1], items = "last", items
    return found, x, y, items


# --- walrus and conditions ------------------------------------------------------------------------


@CASES.case(([1, 5, 3],), ([],), (["text"],))
def expressions_that_assign(items):
    """Walrus in conditions, arguments, displays, indices, and slices."""
    if (n := len(items)) > 2 and (top := max(items)) > 4:
        found = [n, top]
    elif (found := list(items)) and (first := found[0]):
        found.append(first)
    else:
        found = [n, (last := "none")]
    found.append(len(again := found[:]))
    found += [(a := 1, b := a + 1), {(a := a + 1): (b := b * 2)}, [*range(m := 2)][m - 1]]
    return found, again[(k := 0) : (k := k + 1)], a, b, k, m


@CASES.case((0,), (1,), ("",), ([0],), (None,))
def expressions_with_conditions_in_conditions(x):
    """Conditional expressions in each place."""
    a = "yes" if x else "no" if x is None else "empty" if x == "" else 0
    b = (1 if x else 2) + (3 if not x else 4) * (5 if x is not None else 6)
    c = [y if y else "zero" for y in (x, 1 if x else 0)] if x != "" else ()
    d = (lambda: "f" if x else "g")() if a else None
    e = x and a or (b if d else c) if x is not False else "never"
    return a, b, c, d, e, not (x if x else 1), -(1 if x else -1)


@CASES.case((3, 4), (0, 0), ("", "b"), ([], None))
def expressions_with_and_or_in_all_places(a, b):
    """Short circuits as values, conditions, arguments, and with assignments."""
    found = [a and b, a or b, not a or b, a and not b, (a or b) and (b or a), a and b or "neither"]
    if a and (b or not a) or b is None and a == []:
        found.append("if")
    while a and b:
        a = b = None
    x = a or (y := "assigned") and y
    return found, x, bool(a or b), len([a or b, a and b]), (a or "x") in ("x", None)


# --- constants and statements ---------------------------------------------------------------------


@CASES.case(
    (1,),
)
def expressions_of_constants(x):
    """Literals of all kinds, and what can be computed from them at once."""
    numbers = 0x_FF, 0b101, 0o17, 1_000, 1e3, 1.5e-3, 0.0, -0.0, 1j, -1.5j, 10**30, 2**0.5
    texts = "ab", b"cd", r"\x", "\u00e9", """tri"ple""", "", 'q"'
    others = None, True, ..., (), (1, (2, "x", (None,))), frozenset({1}), -1, ~5, not None, 1 + 2j
    folded = 2 * 3 + 4, "ab" * 3, (1, 2) + (3,), "abc"[1], (1, 2, 3)[::-1], 7 // 2, -7 % 3, 1 << 70
    return numbers, texts, others, folded, x in (1, 2), x in {1, "a"}, 1 if 0 else 2


@CASES.case((True, 1, 1.0), (0, False, -0.0))
def expressions_of_constants_that_are_equal(a, b, c):
    """Equal constants of different types stay what they are."""
    ones, zeros = (1, 1.0, True, 1 + 0j), (0, 0.0, -0.0, False, 0j)
    texts, pairs = ("1", b"1"), ((1, 2), (1.0, 2), (True, 2))
    found = [type(x).__name__ for x in (*ones, *zeros, *texts)]
    return found, repr(zeros), pairs, [1.0, 1][1], {1: "a"}[1.0], a == b == c, [a, b, c]


@CASES.case((5,), ("x",))
def expressions_that_are_statements(x):
    """Values that nobody uses are computed, and may raise."""
    log = []
    x, log.append("tuple"), [x], {x: x}
    x
    log.append("expression")
    "text"
    ...
    None
    log.append("condition") if x == 5 else log.append("other")
    x == 5 and log.append("and")
    try:
        x + 1
        log.append("sum")
        x.nothing
    except (TypeError, AttributeError) as error:
        log.append(error.args)
    pass
    try:
        log[99]
    except IndexError:
        log
    return log


@CASES.case((2,), (-3,))
def expressions_that_are_deep(x):
    """Many operands that wait on the stack."""
    deep = (((((((((((x + 1) * 2) - 3) * x) + 4) // 2) - x) * 2) + 1) % 100) - x) * x
    right = x + (1 - (2 * (x - (3 + (x * (4 - (x + (5 * (x - (6 + (x - 7)))))))))))
    wide = [x, [x, [x, [x, [x, [x, [x, [x + 1]]]]]]]], (((((x,),),),),), {x: {x: {x: {x: x}}}}
    calls = abs(max(min(abs(x), 5), len(str(abs(int(float(str(x))))))))
    return deep, right, wide, calls, x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x


@CASES.case((7,))
def expressions_with_many_variables(n):
    """More variables and constants than one byte can number."""
    # fmt: off
    (
        a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2,
        c3, c4, c5, c6, c7, c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5,
        e6, e7, e8, e9, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8,
        g9, h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, j0, j1,
        j2, j3, j4, j5, j6, j7, j8, j9, k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, l0, l1, l2, l3, l4,
        l5, l6, l7, l8, l9, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, n0, n1, n2, n3, n4, n5, n6, n7,
        n8, n9, o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, q0,
        q1, q2, q3, q4, q5, q6, q7, q8, q9, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, s0, s1, s2, s3,
        s4, s5, s6, s7, s8, s9, t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, u0, u1, u2, u3, u4, u5, u6,
        u7, u8, u9, v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9,
        x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, z0, z1, z2,
        *rest,
    ) = range(n, 300)
    # fmt: on
    total = a0 + b1 + c2 + d3 + z0 + z1 + z2 + y9
    for z9 in rest[:2]:
        total += z9
        if z9 > 259:
            y8 = total
            continue
        total -= a1
    del a0, z0, y9
    try:
        return total, z0
    except UnboundLocalError as error:
        return total, x9, y8, len(rest), error.args, (lambda: (w9, z2))()


@CASES.case((300,), (5,), (0,))
def expressions_with_branches_far_apart(n):
    """Jumps that are longer than one byte can say."""
    log = []
    for k in range(n):
        if k > 3:
            log.append((k, k + 1, k + 2, k * 2, k * 3, -k, ~k, k % 7, k // 2, k**2, k & 5, k | 2))
            log.append({"a": k, "b": [k, k], "c": (k,), "d": {k}, "e": str(k), "f": f"{k}{k:>5}"})
            log.append([k - 1, k - 2, k - 3, k - 4, k - 5, k - 6, k - 7, k - 8, k - 9, k - 10])
            if k % 100 == 50:
                log.append([k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7, k + 8, k + 9, k + 10])
                log.append([k * 1, k * 2, k * 3, k * 4, k * 5, k * 6, k * 7, k * 8, k * 9, k * 10])
                try:
                    log.append([1 // (150 - k), k / 3, k - 0.5, k * 1j, abs(-k), max(k, 5)])
                    log.append(operator.add(k, operator.mul(k, operator.sub(k, operator.neg(k)))))
                except ZeroDivisionError as error:
                    log.append(error.args)
                    log.append((k == 1, k != 1, k < 1, k > 1, k <= 1, k is None, k in (1, 2)))
                    break
                finally:
                    log.append(["finally", k, -k, +k, not k, k and 1, k or 2, 1 if k else 0])
            elif k % 100 == 51:
                log.append("next")
                continue
            del log[0]
        log.append(k)
    else:
        log.append("else")
    return len(log), log[-3:], log[0]


@CASES.case((5, 3), (0, 0), ("a", "b"), ([1], [2]))
def expressions_with_augmented_assignments_of_all_targets(x, y):
    """Names, items, slices, attributes, and what is computed for the target."""

    class Box:
        value = x

    box, items, named = Box(), [x, y], {"k": x}
    x += y
    items[0] += y
    items[1:] += [0]
    named["k"] += y
    box.value += y
    items[-1] -= 1
    named[len(items)] = named.setdefault("list", [])
    named["list"] += "ab"
    box.__dict__["value"] += y
    return x, items, named, box.value, Box.value is not box.value


@CASES.case((1,), (None,))
def expressions_of_annotations(x):
    """Annotations of variables are not computed, and bind nothing."""
    a: int = x
    b: this_is_never_looked_up
    (c): 1 / 0 = 2
    box = type("Box", (), {})()
    box.value: str = "text"
    try:
        return a, c, box.value, b
    except UnboundLocalError as error:
        return a, c, box.value, error.args
