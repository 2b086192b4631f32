"""Programs whose indices are compared, computed or used before; and such that are not.

pytest does not rewrite their assertions."""

# ruff: noqa: S101

import numpy as np


def inserted(a):
    for i in range(1, len(a)):
        x, j = a[i], i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a.sum()


def found(a, x):
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def found_within(a, x):
    low, high = 0, len(a) - 1
    while low <= high:
        middle = low + (high - low) // 2
        if a[middle] == x:
            return middle
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def guarded(a, k):
    return a[k] if 0 <= k < len(a) else -1


def refused(a, k):
    if k < 0 or k >= len(a):
        raise ValueError("place")
    return a[k]


def from_both_ends(a, x):
    i, j = 0, len(a) - 1
    while i < j:
        s = a[i] + a[j]
        if s == x:
            return i
        if s < x:
            i += 1
        else:
            j -= 1
    return -1


def turned(a):
    s = 0
    n = len(a)
    for i in range(n):
        s += a[n - 1 - i] * i
    return s


def shorter(a, b):
    assert len(a) <= len(b)
    s = 0
    for i in range(len(a)):
        s += a[i] * b[i]
    return s


def clamped(a, k):
    if len(a) == 0:
        return 0
    return a[min(max(k, 0), len(a) - 1)]


def of_bytes(a):
    counts = np.zeros(256, np.int64)
    for i in range(len(a)):
        counts[a[i] & 255] += 1
    return counts.max()


def around(a):
    n, k, s = len(a), 0, 0
    if n == 0:
        return 0
    for _ in range(30):
        s = 3 * s + a[k]
        k = (k + 4) % n
    return s


# --- with something left --------------------------------------------------------------------------


def behind_it(a, x):
    i = 0
    while i < len(a) and a[i] != x:
        i += 1
    return a[i]


def before_it(a, k):
    if k < len(a):
        return a[k]
    return 0


def wrapped(a, k):
    if k > len(a):
        return a[k - len(a) - 1 + 2**62 + 2**62]
    return 0


def at_the_end(a, k):
    if k + 1 < len(a) and k >= 0:
        return a[k + 2]
    return 0


def reassigned(a, b):
    i = 0
    while i < len(a):
        a = b
        i += 1
        if i == len(a) + 1:
            return a[i]
    return a[i]


def grown(a, k):
    top = 0
    for i in range(k):
        a[top] = i
        top += 1
    return top


def any_remainder(a, k):
    return a[-3 % k] if k != 0 else 0
