"""Programs that compare sizes; pytest does not rewrite their assertions."""

# ruff: noqa: S101

import numpy as np


def asserted(a, b):
    assert len(a) == len(b)
    s = 0.0
    for i in range(len(a)):
        s += a[i] * b[i]
    return s


def refused(a, b):
    if a.shape != b.shape:
        raise ValueError("shapes")
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s += a[i, j] * b[i, j]
    return s


def number(a, n):
    assert n == len(a)
    for i in range(n):
        a[i] = 2.0
    return a


def constant(a):
    if not len(a) == 6:
        return -1.0
    s = 0.0
    for i in range(6):
        s += a[i]
    return s


def part(a):
    b = a[1:-1]
    s = 0.0
    for i in range(1, len(a) - 1):
        s += b[i - 1]
    return s


def of_elements(a, b):
    c = a * 2 + b * b
    s = 0.0
    for i in range(len(c)):
        s += c[i]
    return s


def in_turn(a, b):
    c = np.empty(len(b))
    assert b.size == a.size
    for i in range(a.size):
        c[i] = b[i] + a[i]
    return c


def other_branch(a, b):
    if len(a) == len(b):
        return 0.0
    s = 0.0
    for i in range(len(a)):
        s += b[i]
    return s


def after_both(a, b):
    s = 0.0
    if len(a) == len(b):
        s = 1.0
    for i in range(len(a)):
        s += b[i]
    return s


def too_far(a):
    b = a[1:-1]
    s = 0.0
    for i in range(1, len(a) - 1):
        s += b[i]
    return s


def other_order(a, b):
    assert a.shape == b.shape[::-1]
    s = 0.0
    for i in range(a.shape[0]):
        s += b[i, 0]
    return s


def longer(a, n):
    b = a[n:]
    s = 0.0
    for i in range(len(b) + n):
        s += a[i]
    return s


def sums(a, b):
    assert a.shape == b.shape
    return a + b


def unknown(a, b):
    return a + b


def new_part(n):
    b = np.zeros(n - 2)
    for i in range(len(b)):
        b[i] = i
    return b


def parts(a):
    b = a[1:-1]
    c = a[2:]
    s = 0.0
    for i in range(len(b)):
        s += b[i] * c[i]
    return s


def made_with(n):
    b = np.ones(n - 2)
    s = 0.0
    for i in range(n - 2):
        s += b[i]
    return s


def made_after(a):
    s = 0.0
    for i in range(len(a) - 2):
        s += a[i]
    b = np.ones(len(a) - 2)
    return s + b.sum()


def copied_counter(a):
    total = 0.0
    for i in range(len(a)):
        k = i
        total += a[k]
    return total
