"""Programs whose ranges have bounds that wrap around for extreme numbers."""

from __future__ import annotations


def up(a, n):
    s = 0.0
    for i in range(n - 5):
        s += a[i]
    return s


def down(a, n):
    s = 0.0
    for i in range(n - 1, -1, -1):
        s += a[i]
    return s


def stored(a, n):
    for i in range(n - 2):
        a[i + 1] = 0.0
    return a.sum()


def from_outside(a, n):
    s = 0.0
    for i in range(n, n + 2):
        for j in range(i - 3):
            s += a[j]
    return s


def in_a_loop(a, n):
    s = 0.0
    for _ in range(2):
        for j in range(n - 1):
            s += a[j]
    return s


def begun_later(a, n):
    s = 0.0
    for i in range(n + 1, 5):
        s += a[i]
    return s


def begun_after(a, b):
    s = 0.0
    for i in range(len(b) + 1, 5):
        s += a[i]
    return s


def sum_of_counters(a, n):
    s = 0.0
    for i in range(n - 5):
        for d in range(2):
            s += a[i + d]
    return s


def rest_of_division(a, n):
    s = 0.0
    for i in range(3):
        for d in range(-1, 2):
            s += a[(i + d) % n]
    return s
