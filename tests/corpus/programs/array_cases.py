"""Cases of arrays: methods, reductions, updates in place; part of the table in `cases`."""

from __future__ import annotations

import itertools

import numpy as np

from corpus.programs.cases import case

DTYPES = ("bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64")
DTYPES += ("complex64",)
SHAPES = ((), (0,), (7,), (3, 4), (0, 3), (2, 3, 4), (2, 1, 3, 2))


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array of a type, with numbers that need rounding when they are added."""
    count = int(np.prod(shape))
    plain = (np.arange(count) * 7919) % 101 / 7 - 6
    if dtype.startswith("complex"):
        plain = plain + 1j * plain[::-1]
    return (
        np.asarray(plain).astype("int64" if "uint" in dtype else dtype).astype(dtype).reshape(shape)
    )


def variants(a: np.ndarray) -> list[np.ndarray]:
    """The array as it is, in columns, with steps, backward and read-only."""
    found = [a]
    if a.ndim:
        found.append(a[::-1])
        found.append(np.repeat(a, 2, axis=-1)[..., ::2])
    if a.ndim > 1:
        found.append(np.asfortranarray(a))
    frozen = a.copy()
    frozen.flags.writeable = False
    return [*found, frozen]


def makers(dtypes=DTYPES, shapes=SHAPES):
    """Each array of the types and shapes, as the only argument; one variant of every third."""
    made = []
    for k, (dtype, shape) in enumerate(itertools.product(dtypes, shapes)):
        a = numbers(dtype, shape)
        some = variants(a)
        chosen = some[k % len(some)]
        made.append(lambda a=chosen: (a,))
    return made[::3]


FLOATS = ("float16", "float32", "float64", "complex64", "complex128")
LONG = [(lambda d=d, n=n: (numbers(d, (n,)),)) for d in FLOATS for n in (5, 129, 5000)]
BLOCKS = [
    (lambda a=v: (a,))
    for d in ("float16", "float32")
    for a in (numbers(d, (30, 40)), numbers(d, (3, 50, 70)))
    for v in (*variants(a), a[:, ::3], a[..., 1:], a.swapaxes(0, -1), a.swapaxes(0, 1)[::2])
]


@case(*makers(), *LONG, *BLOCKS)
def whole_sum_and_mean(a):
    return a.sum(), np.sum(a), a.mean(), np.mean(a)


@case(*makers())
def least_and_greatest(a):
    return a.min(), np.max(a), a.argmin(), np.argmax(a), a.any(), np.all(a), np.prod(a)


@case(*makers(shapes=((7,), (0,), (3, 4), (0, 3), (2, 3, 4))), *BLOCKS[::3])
def reductions_along_the_first_axis(a):
    return a.sum(axis=0), a.mean(0), np.any(a, axis=0), a.all(0)


@case(*makers(("int8", "float32", "complex128"), ((), (3, 4), (3, 0), (2, 3, 4))))
def least_and_greatest_along_the_last_axis(a):
    return a.min(-1), a.max(axis=-1), a.argmin(-1), np.argmax(a, -1), a.prod(axis=-1)


@case(*[(lambda k=k: (numbers("float64", (2, 3, 4)), k)) for k in (0, 1, 2, -1, -3, 3, -4)])
def sum_along_a_variable_axis(a, k):
    return a.sum(axis=k), a.max(k)


@case(
    lambda: (np.array([1.0, np.nan, -2.0]),),
    lambda: (np.array([-0.0, -0.0]),),
    lambda: (np.array([1 + 2j, complex(np.nan, 1), 0j]),),
    lambda: (np.array([1 + 2j, 1 - 2j, 1 + 5j]),),
)
def reductions_with_nan_and_zeros(a):
    return a.min(), a.max(), a.argmin(), a.argmax(), a.sum()


@case(
    *[(lambda d=d: (numbers(d, (3, 4)), numbers(d, (4,)))) for d in ("int8", "uint64", "float32")]
)
def arrays_added_in_place(a, b):
    a += b
    a *= 2
    a[1:] -= a[:-1]
    a[0] += a[1]
    return a


@case(
    lambda: (np.arange(6.0).reshape(2, 3), np.arange(4.0)),
    lambda: (np.arange(3.0), np.arange(1.0)),
    lambda: (np.arange(1.0), np.arange(3.0)),
)
def shapes_in_place(a, b):
    a += b
    return a


@case(
    *[
        (lambda d=d: (numbers(d, (9,)), numbers(d, (9,))))
        for d in ("float32", "float64", "complex128")
    ]
)
def division_in_place(a, b):
    a /= b
    a /= 3
    return a


@case(
    *[
        (lambda d=d: (numbers(d, (9,)), numbers(d, (9,))[::-1]))
        for d in ("int8", "int64", "float64")
    ]
)
def floor_division_in_place(a, b):
    a //= 2
    a %= 5
    a[1:] //= b[1:]
    return a


@case((0,), (255,))
def a_number_that_a_small_integer_holds(x):
    a = np.zeros(3, np.uint8)
    a[1] = x
    a[2:] = x
    return a


@case((0,), (1,), (2,))
def constants_that_small_integers_do_not_hold(x):
    a = np.zeros(3, np.uint8)
    if x == 0:
        a[1] = 256
    if x == 1:
        a[1:] = -1
    return a


@case((100,), (-128,))
def a_number_in_place(x):
    a = np.zeros(3, np.int8)
    a += x
    return a


@case((1.5,), (2,))
def a_tuple_in_a_slice(x):
    a, b = np.zeros(3, np.int16), np.zeros((2, 2), np.uint8)
    a[:] = (1, 2, x)
    b[0] = (7, x)
    b[:, 1] = (x,)
    return a, b


@case(lambda: (np.arange(5),))
def a_tuple_of_a_wrong_length(a):
    a[:3] = (1, 2)
    return a


@case(lambda: (np.zeros((2, 3, 4)), np.ones((3, 2, 4))))
def many_axes_that_do_not_fit(a, b):
    a[:] = b
    return a


@case(lambda: (np.arange(8, dtype=np.complex128),))
def overlap_of_two_types(a):
    a[::-1] = a.real[:]
    return a


@case((0,), (3,), (2**62,), (-1,))
def sizes_of_new_arrays(n):
    return np.zeros((0, n)).shape, np.zeros((0, n, n)).shape


@case(lambda: (np.array([2**63 + 5], np.uint64),), lambda: (np.array([2], np.uint64),))
def a_large_unsigned_index_of_flat(k):
    return np.arange(5)[k[0] % 3]


@case(*makers(("int8", "uint64", "float32"), ((), (7,), (3, 4), (2, 3, 4))))
def conversions_of_arrays(a):
    b = np.array(a)
    b.fill(3)
    return a.astype(np.float64), a.astype("int16"), a.transpose(), np.shape(a), b, np.size(a)


@case(lambda: (numbers("float64", (3, 4))[:, ::2],), lambda: (numbers("int8", (3,)),))
def arrays_as_arrays(a):
    return np.asarray(a), np.ascontiguousarray(a), np.asfortranarray(a), np.asarray(a).item()


@case((2, 1.5), (0, 3))
def arrays_of_tuples(n, x):
    return np.array((n, x)), np.array((1, 2), dtype=np.uint8), np.eye(n), np.identity(3)


@case(lambda: (np.arange(12.0).reshape(3, 4).T,), lambda: (np.arange(3.0),))
def elements_that_are_gone_through_once(a):
    it = a.flat
    first, total = next(it), 0.0
    for x in it:
        total += x
        if x > 5:
            break
    rest = sum(it, 0.0)
    again = sum(it, 0.0)
    third, anew = it[2], sum(it, 0.0)
    for k in range(3):
        for x, y in zip(a.flat, it):
            total += x * y * k
    return first, total, rest, again, third, anew, next(it, -1.0), len(it)


@case(lambda: (np.arange(12.0).reshape(3, 4).T, np.array([0, 3])))
def chosen_elements_in_place(a, k):
    a.flat[::2] += 1
    a.flat[k] *= 2
    a.flat[a.ravel() > 5] -= 3
    a.flat[1] += 5
    return a


@case(lambda: (np.arange(12.0).reshape(3, 4),))
def loops_over_rows_views_and_temporaries(a):
    total = 0.0
    for k, row in enumerate(a[:, ::2]):
        for x, y in zip(row, reversed(a.T[1])):
            total = total * 1.5 + x * y + k
    for x in np.ones(3):
        total += x
    for x in a.flat:
        a[2, 3] += x
        total += x
    return total
