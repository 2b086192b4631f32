"""Rows of the case table: arrays of text and bytes by element."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row

WORDS = np.array(["ab", "c", "", "\u0394x", "\U0001f600z", "xyz"])
OTHERS = np.array(["ab", "d", "", "\u0394", "\U0001f600z", "abcde"])
BYTES = np.array([b"ab", b"c", b"", b"xyz", b"a\0b"])
TABLE = np.asfortranarray(WORDS.reshape(2, 3))
FIELDS = [("name", "U3"), ("k", "i1"), ("b", "S2")]
PEOPLE = np.array([("ab", 1, b"xy"), ("c", 2, b"z")], FIELDS)
NO_CHARACTER = np.array([0x110000], "u4").view("U1")


def item(a, i):
    return a[i]


def assigned(a, i, value):
    a[i] = value
    return a


def compared(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b


def found(a, value):
    return value in a, value not in a


def taken_before_it_changes(a):
    s = a[0]
    a[0] = a[1]
    return s, a[0], len(a[3])


def longest(a):
    best = a[0]
    for s in a:
        if len(s) > len(best):
            best = s
    return best


def gone_through_together(a, b, rows):
    last, same, total = b[0], 0, 0.0
    for k, (s, t, r) in enumerate(zip(a, b, rows)):
        if s == t:
            same += k
        last = t
        total += r[0] * len(s)
    return last, same, total


def raised(a):
    s = a[0]
    a[0] = "zz"
    raise ValueError(f"{s} and {a[0]}")


def swapped(a):
    a[0], a[1] = a[1], a[0]
    return a


def filled(a, value):
    a.fill(value)
    return a


def of_records(a):
    r = a[0]
    before = r["name"]
    r["name"] = "longer"
    a["name"][1] = "q"
    a[1]["b"] = b"zzz"
    a["b"][0] = "s"
    return before, a[0]["name"], a["b"], a["name"] == "q"


def filled_by_name(a):
    a["name"] = "k"
    a[0] = ("n", 3, b"m")
    return a


def parts_of(a, k):
    s = a[k]
    return s[0], s[-1], s[1:], s[::-1], s[::2], s[5:1], s[-9:9], len(s[:2])


def sums_of(a):
    whole = ""
    for s in a:
        whole += s + ","
    a[0] += "x"
    return whole, "\U0001f600" + a[1], a[1] + a[2], a


def order_of_two(s, t):
    return s < t, s <= t, s > t, s >= t, s in t, t not in s, s.find(t)


def ends_of(s, t):
    return s.startswith(t), s.endswith(t), t.startswith(""), t.endswith(s + t)


def sorted_texts(a):
    places = np.argsort(a, kind="stable"), a.argsort(kind="stable")
    return np.sort(a), places, np.unique(a), np.sort(a, axis=None)


def sorted_in_place(a):
    a.sort()
    return a, np.unique(a, return_index=True, return_inverse=True, return_counts=True)


MIXED = np.array(["zz", "\xe9\u0394x", "b\U0001f600b", "b", "", "abc\xe9", "b", "a", "ab", "B"])


ROWS = [
    *(row(parts_of, MIXED, k) for k in (0, 1, 2, 4)),
    row(sums_of, MIXED),
    *(row(order_of_two, s, t) for s in ("", "ab", "b\u0394") for t in ("a\0", "a", "\u0394", "b")),
    *(row(ends_of, "ab\u0394", t) for t in ("ab", "\u0394", "longer than it", "")),
    *(row(sorted_texts, a) for a in (MIXED, MIXED[::-2], MIXED[:0], MIXED.reshape(5, 2).T)),
    *(row(sorted_in_place, a) for a in (MIXED, MIXED[::-1])),
    *(row(item, WORDS[::-1], i) for i in (0, -2, 6, -7)),
    *(row(item, a, 1) for a in (BYTES, WORDS[3:], WORDS[4:], PEOPLE["name"])),
    row(item, np.array("ab"), ()),
    row(item, TABLE, (1, 2)),
    row(item, WORDS, np.array(1)),
    row(item, NO_CHARACTER, 0),
    *(row(assigned, WORDS, i, "\u0394bcdef") for i in (2, slice(1, 4), np.array([0, -1]))),
    row(assigned, WORDS, WORDS == "c", "\U0001f600"),
    row(assigned, BYTES, -1, "plain"),
    row(assigned, BYTES, 9, b"x"),
    row(assigned, BYTES, 1, "st\u0394\xe9r"),
    *(row(filled, WORDS, value) for value in ("", "many letters")),
    *(row(compared, WORDS, b) for b in (OTHERS, OTHERS[::-1], OTHERS[:1], OTHERS[:2], "c", "")),
    *(
        row(compared, a, b)
        for a, b in ((BYTES, BYTES[::-1]), (BYTES, b"ab\0"), (TABLE, OTHERS[:3]))
    ),
    row(compared, "c", WORDS),
    row(lambda k: ("d\u0394f"[k], "abc"[k:], "abc"[::k], "abcd"[k]), -2),
    row(lambda k: "abc"[k], 3),
    row(compared, np.empty((0, 2), "U3"), np.empty((1, 2), "U1")),
    row(lambda a, b: (np.equal(a, b), np.less(a, b)), WORDS, OTHERS),
    *(row(found, WORDS, value) for value in ("c", "e")),
    row(found, BYTES, b"xyz"),
    row(taken_before_it_changes, WORDS),
    row(longest, WORDS),
    row(lambda a: (np.take(a, 1), a.take(np.array([3, 0])), str(a[3])), WORDS),
    row(gone_through_together, WORDS, OTHERS, np.ones((4, 2))),
    row(raised, WORDS),
    row(swapped, BYTES),
    row(of_records, PEOPLE),
    row(filled_by_name, PEOPLE),
    row(lambda r: (r.name, r.k), PEOPLE.view(np.recarray)[0]),
]
