"""Stencils beside plain loops in Python that do the same, with each kernel as it is."""

from __future__ import annotations

import itertools
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import cutaway
import warm
from cutaway import stencil
from cutaway.errors import CompileError, OptionError, TypingError

pytestmark = pytest.mark.sampled(test=8, others=24)


class Window:
    """An array at a place, in Python."""

    def __init__(self, array, place):
        self.array, self.place = array, place
        self.shape, self.ndim, self.size = array.shape, array.ndim, array.size

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        moved = zip(index, self.place, strict=True)
        return self.array[
            tuple(
                slice(k.start + at, k.stop + at) if isinstance(k, slice) else k + at
                for k, at in moved
            )
        ]

    def __len__(self):
        return len(self.array)


def plain(kernel, args, around, *, out, cval=0, standard=()):
    """What a stencil gives, by a loop over all places; `out` is filled."""
    names = kernel.__code__.co_varnames
    moving = [
        isinstance(arg, np.ndarray) and name not in standard
        for name, arg in zip(names, args, strict=False)
    ]
    shape = args[moving.index(True)].shape
    for place in itertools.product(*map(range, shape)):
        inside = all(
            at + low >= 0 and at + high < size
            for at, size, (low, high) in zip(place, shape, around, strict=True)
        )
        given = [
            Window(arg, place) if moves else arg for arg, moves in zip(args, moving, strict=True)
        ]
        if inside:
            out[place] = kernel(*given)
        elif cval is not None:
            out[place] = cval
    return out


# --- kernels ----------------------------------------------------------------------------------


def left(a):
    return a[-1]


def right(a):
    return a[1]


def third_difference(a):
    return a[2] - 3 * a[1] + 3 * a[0] - a[-1]


def five_points(a):
    return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])


def lopsided(a):
    return a[-2, 0] + 2 * a[0, 3]


def seven_points(a):
    return a[0, 0, 1] + a[0, 1, 0] + a[1, 0, 0] + a[0, 0, -1] + a[0, -1, 0] + a[-1, 0, 0]


def larger(a):
    return a[0] > a[1] or a[0] > a[-1]


def branches(a):
    if a[0] > 3:
        return a[1] * 1.0
    return a[-1] * 0.5


FAR = 2


def by_name(a):
    near = -1
    return a[FAR] + a[near] + a[-FAR]


def of_the_whole(a):
    return a[0] * a.shape[0] + len(a) + a.size + a.ndim


ONE = [
    (left, ((-1, 0),)),
    (right, ((0, 1),)),
    (third_difference, ((-1, 2),)),
    (branches, ((-1, 1),)),
    (larger, ((-1, 1),)),
    (by_name, ((-2, 2),)),
    (of_the_whole, ((0, 0),)),
]
TWO = [(five_points, ((-1, 1), (-1, 1))), (lopsided, ((-2, 0), (0, 3)))]
THREE = [(seven_points, ((-1, 1),) * 3)]
SHAPES = {
    1: [(9,), (2,), (1,), (0,)],
    2: [(5, 7), (2, 3), (0, 4), (4, 0)],
    3: [(4, 3, 5), (1, 2, 3)],
}
DTYPES = ["b1", "i1", "u2", "i4", "i8", "u8", "f4", "f8", "c8", "c16"]


def made(shape, dtype):
    count = int(np.prod(shape))
    values = (np.arange(count) * 7 + 3) % 11
    return (values % 2 if dtype == "b1" else values).astype(dtype).reshape(shape)


def layouts(array):
    """The same elements, in other places."""
    yield array
    yield np.asfortranarray(array)
    yield np.repeat(array, 2, axis=-1)[..., ::2]
    yield array[::-1].copy()[::-1]
    kept = array.copy()
    kept.flags.writeable = False
    yield kept


def same(got, wanted):
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("kernel", "around"), [*ONE, *TWO, *THREE])
def test_a_stencil_is_its_kernel_at_each_place_with_all_neighbors(kernel, around, dtype):
    if kernel in (larger, branches) and dtype.startswith("c"):
        return
    function = stencil(kernel)
    for shape in SHAPES[len(around)]:
        for array in layouts(made(shape, dtype)):
            got = function(array)
            # In Python NumPy's numbers would keep the types of small integers.
            wide = {"b": "i8", "i": "i8", "u": "i8", "f": "f8", "c": "c16"}[array.dtype.kind]
            wanted = plain(kernel, (array.astype(wide),), around, out=np.zeros_like(got))
            same(got, wanted)


def test_compiled_code_calls_stencils():
    function = stencil(five_points)

    @cutaway.jit
    def often(a, count):
        for _ in range(count):
            a = function(a)
        return a

    @cutaway.jit(boundscheck=False, fastmath=True, error_model="numpy")
    def into(a, out):
        return function(a, out=out)

    array = made((6, 8), "f8")
    wanted = array
    for _ in range(3):
        wanted = plain(five_points, (wanted,), TWO[0][1], out=np.zeros_like(array))
    same(often(array, 3), wanted)
    out = np.ones((6, 8))
    assert into(array, out) is out
    wanted = plain(five_points, (array,), TWO[0][1], out=np.ones((6, 8)), cval=None)
    np.testing.assert_allclose(out, wanted)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_results_are_stored_in_out_and_its_border_stays(dtype):
    array = made((5, 7), "i8")
    for shape_of in layouts(np.full((5, 7), 9, dtype)):
        if not shape_of.flags.writeable:
            continue
        out, again = shape_of, shape_of.copy()
        assert stencil(lopsided)(array, out=out) is out
        same(out, plain(lopsided, (array,), TWO[1][1], out=again, cval=None))
        assert stencil(lopsided, cval=4)(array, out=out) is out
        same(out, plain(lopsided, (array,), TWO[1][1], out=again, cval=4))


@pytest.mark.parametrize("cval", [0, 2, 2.5, np.nan, -np.inf, np.float32(1.5), True])
def test_the_border_is_cval(cval):
    array = made((5, 7), "f8")
    got = stencil(cval=cval)(five_points)(array)
    same(got, plain(five_points, (array,), TWO[0][1], out=np.zeros((5, 7)), cval=cval))


def test_the_border_of_complex_results():
    got = stencil(cval=1j)(left)(made((4,), "c16"))
    assert got.tolist() == [1j, 3, 10, 6]


def average(a):
    total = 0.0
    for k in range(-3, 1):
        total += a[k]
    return total / 4


def square_of_neighbors(a, radius):
    total = 0
    for i in range(-radius, radius + 1):
        for j in range(-radius, radius + 1):
            total += a[i, j] * (i + 2 * j)
    return total


def running(a):
    total = 0.0
    for k in range(-2, 3):
        total += a[k]
        if total > 12:
            return k * 1.0
    return total


def parts(a):
    return a[-1:2, 0].sum() + np.max(a[-1:2, -2:3])


def test_loops_over_a_neighborhood():
    line, table = made((12,), "f8"), made((7, 8), "i8")
    for kernel, around, args in [
        (average, ((-3, 0),), (line,)),
        (running, ((-2, 2),), (line,)),
        (square_of_neighbors, ((-2, 2), (-2, 2)), (table, 2)),
        (parts, ((-1, 1), (-2, 2)), (table,)),
    ]:
        got = stencil(neighborhood=around)(kernel)(*args)
        same(got, plain(kernel, args, around, out=np.zeros_like(got)))


def test_an_index_outside_of_the_neighborhood_raises():
    wide = stencil(neighborhood=((-2, 2), (-2, 2)))(square_of_neighbors)
    with pytest.raises(IndexError, match=r"index -3 is outside of the neighborhood \(-2, 2\)"):
        wide(made((9, 9), "i8"), 3)
    for start, stop in [(-2, 0), (0, 3), (2**62, 2**62), (-(2**63), 0)]:

        def cut(a, start, stop):
            return a[start:stop].sum()

        with pytest.raises(IndexError):
            stencil(neighborhood=((-1, 1),))(cut)(made((9,), "i8"), start, stop)


def test_kernels_may_pass_windows_on():
    @cutaway.jit
    def pair(w):
        return w[1] + w[-1]

    def inner(a):
        def at(k):
            return a[k]

        return at(1) + at(-1)

    array = made((8,), "i8")
    for kernel in [lambda a: pair(a), inner, lambda a: sum([a[k] for k in (-1, 1)])]:
        got = stencil(neighborhood=((-1, 1),))(kernel)(array)
        same(got, plain(lambda a: a[1] + a[-1], (array,), ((-1, 1),), out=np.zeros_like(array)))


def test_arrays_whose_elements_are_not_aligned():
    packed = np.zeros(5, [("x", "i1"), ("y", "f8")])["y"]
    packed[:] = range(5)
    assert stencil(lambda a: a[1] + a[-1])(packed).tolist() == [0, 2, 4, 6, 0]
    total = stencil(lambda a: np.sum(a[-1:2]), neighborhood=((-1, 1),))(packed)
    assert total.tolist() == [0, 3, 6, 9, 0]


def test_stencils_are_arguments_of_compiled_functions():
    @cutaway.jit
    def applied(function, a):
        return function(a)

    array, first, second = made((8,), "i8"), stencil(left), stencil(right)
    for function in (first, second, first):
        same(applied(function, array), function(array))


def test_what_a_kernel_raises_has_its_line():
    def positive(a):
        if a[0] < 0:
            raise ValueError("below zero")
        return a[1]

    with pytest.raises(ValueError, match="below zero") as caught:
        stencil(positive)(np.arange(-1.0, 3.0))
    assert caught.traceback[-1].lineno == positive.__code__.co_firstlineno + 1


@pytest.mark.parametrize(
    ("cval", "dtype", "fits"),
    [
        (300, "u1", False),
        (-1, "u1", False),
        (200.0, "u1", True),
        (1, "b1", True),
        (2, "b1", False),
        (2**70, "i8", False),
        (np.nan, "i8", False),
        (1.5, "f4", True),
        (1j, "f8", False),
        (2, "c8", True),
        (np.int8(-3), "i2", True),
    ],
)
def test_the_border_has_to_be_of_the_results_type(cval, dtype, fits):
    function, array = stencil(cval=cval)(right), made((4,), dtype)
    if fits:
        assert function(array)[-1] == cval and function(array).dtype == array.dtype
    else:
        with pytest.raises(TypingError, match="which the kernel returns"):
            function(array)


def test_kernels_and_what_applies_them_may_call_each_other():
    @cutaway.jit
    def outer(n):
        if n <= 0:
            return 1.5
        return applied(n)

    @cutaway.jit
    def applied(n):
        return inner(np.arange(n))[0]

    @stencil
    def inner(a):
        return a[1] + near(a[0] - 1)

    @cutaway.jit
    def near(n):
        return 1.5 if n <= 0 else n

    assert outer(4) == 2.5

    @stencil
    def never(a):
        raise ValueError(a[0])

    with pytest.raises(TypingError, match="returns nothing"):
        never(np.arange(3))


def test_a_stencil_below_many_functions():
    text = "@jit\ndef f0(a): return a[0] * 2\n"
    text += "@stencil(neighborhood=((0, 1),))\ndef far(a): return f50(a)\n"
    text += "".join(f"@jit\ndef f{k}(a): return f{k - 1}(a) + 1\n" for k in range(1, 51))
    text += "@jit\ndef g0(a): return far(a)\n"
    text += "".join(f"@jit\ndef g{k}(a): return g{k - 1}(a)\n" for k in range(1, 51))
    space = {"jit": cutaway.jit, "stencil": stencil}
    exec(text, space)  # noqa: S102
    assert space["g50"](np.arange(3)).tolist() == [50, 52, 0]


def weighted(a, b, weights, factor):
    return factor * (a[-1] * weights[0] + b[0] * weights[1] + a[1] * weights[-1])


def test_several_arrays_numbers_and_usual_indices():
    args = made((8,), "i8"), made((10,), "f4"), np.array([0.5, 2.0, 4.0]), 3
    function = stencil(standard_indexing=("weights",))(weighted)
    got = function(*args)
    wide = (args[0], args[1].astype("f8"), *args[2:])
    same(got, plain(weighted, wide, ((-1, 1),), out=np.zeros(8), standard=("weights",)))
    with pytest.raises(ValueError, match=r"the array b of shape \(7,\) is smaller than a of shape"):
        function(args[0], args[1][:7], *args[2:])
    same(function(a=args[0], b=args[1], weights=args[2], factor=3), got)


def named(np, range, window, out_, __np):  # noqa: A002
    return np[-1] + range + window[1] + out_ + __np


def test_parameters_may_have_any_names():
    array = made((5,), "i8")
    args = array, 1, array, 2, 3
    same(stencil(named)(*args), plain(named, args, ((-1, 1),), out=np.zeros_like(array)))


def test_ways_to_write_the_decorator():
    array = made((6,), "i8")
    wanted = plain(right, (array,), ((0, 1),), out=np.zeros_like(array))
    for function in [
        stencil(right),
        stencil()(right),
        stencil("constant")(right),
        stencil(func_or_mode="constant")(right),
        stencil(func_or_mode=right),
        stencil(cutaway.jit(right)),
        stencil(mode="constant", cval=0)(right),
        stencil(neighborhood=[[0, 1]], fastmath=True)(right),
        stencil(lambda a: a[1]),
    ]:
        same(function(array), wanted)
    assert repr(stencil(right)) == "<stencil right>"
    assert stencil(right).__name__ == "right" and stencil(right).neighborhood is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "wrap"}, "@stencil has no mode 'wrap'"),
        ({"neighborhod": ((0, 1),)}, "@stencil has no option 'neighborhod'"),
        ({"neighborhood": ((1, -1),)}, "whose first index is greater"),
        ({"neighborhood": (1, 2)}, "must be a tuple of pairs of integers, not"),
        ({"neighborhood": ((0, 2**40),)}, "has the pair (0, 1099511627776)"),
        ({"neighborhood": ((0.5, 1),)}, "must be a tuple of pairs of integers, not"),
        ({"cval": "x"}, "option cval must be a number, not 'x'"),
        ({"standard_indexing": ("b",)}, "names 'b', which is no parameter"),
        ({"standard_indexing": 3}, "must be a tuple of names, not 3"),
        ({"fastmath": 3}, "fastmath"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        stencil(**options)(right)


def test_wrong_kernels_are_refused():
    def stars(*a):
        return a[0]

    def default(a, k=1):
        return a[k]

    def taken(a, out):
        return a[0] + out

    for kernel in (stars, default, taken, 3, print):
        with pytest.raises(OptionError):
            stencil()(kernel)


def test_arrays_that_do_not_fit_are_refused():
    array = made((5,), "i8")
    with pytest.raises(TypingError, match="is indexed by 2 indices"):
        stencil(five_points)(array)
    with pytest.raises(TypingError, match="gets no array"):
        stencil(right)(3)
    with pytest.raises(TypingError, match="without dimensions"):
        stencil(right)(np.array(3))
    with pytest.raises(TypingError, match="arrays of numbers"):
        stencil(right)(np.zeros(3, "M8[s]"))
    with pytest.raises(CompileError):
        stencil(right)(array, out=3)
    with pytest.raises(
        ValueError, match=r"right: out has the shape \(4,\), and a the shape \(5,\)"
    ):
        stencil(right)(array, out=np.zeros(4))
    with pytest.raises(TypingError, match="cannot store its results"):
        stencil(right)(array, out=np.zeros((5, 5)))
    with pytest.raises(TypingError, match=r"cval=1.5 of right is no int64"):
        stencil(cval=1.5)(right)(array)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        stencil(right)()


def test_a_stencil_can_be_pickled():
    function = pickle.loads(pickle.dumps(OF_MODULE))  # noqa: S301
    assert function is OF_MODULE
    copied = pickle.loads(pickle.dumps(stencil(right, cval=5)))  # noqa: S301
    assert copied(made((3,), "i8")).tolist() == [10, 6, 5]


OF_MODULE = stencil(neighborhood=((-1, 1),))(third_difference)
OF_MODULE.__qualname__ = "OF_MODULE"

PROGRAM = """
import numpy as np, cutaway

@cutaway.stencil(cache=True, cval=CVAL)
def near(a):
    return a[-1] + a[1]

@cutaway.jit(cache=True)
def twice(a):
    return near(near(a))

a = np.arange(5)
print(near(a).tolist(), twice(a).tolist(), near._new.cache_info().hits, twice.cache_info().hits)
"""


def test_machine_code_of_stencils_is_cached(tmp_path):
    program = tmp_path / "program.py"

    def run(cval):
        program.write_text(PROGRAM.replace("CVAL", cval))
        command = [sys.executable, str(program)]
        return warm.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603

    first = "[0, 2, 4, 6, 0] [0, 4, 8, 4, 0]"
    assert run("0") == f"{first} 0 0"
    assert run("0") == f"{first} 1 1"
    assert run("9") == "[9, 2, 4, 6, 9] [9, 13, 8, 13, 9] 0 0"


def test_a_trace_of_a_stencil_is_that_of_its_call():
    found = cutaway.trace(stencil(right), made((4,), "i8"))
    assert found.error is None
    assert "right" in found.at("typed").text


def test_the_code_of_the_page_runs(tmp_path):
    page = Path(__file__).parents[3] / "docs" / "stencils.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    path = tmp_path / "page.py"
    path.write_text("\n".join(blocks))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "page"})  # noqa: S102


@pytest.mark.parametrize("option", [True, {"stencil": False}])
def test_a_stencil_runs_on_all_cores(option):
    @cutaway.stencil
    def around(a):
        return a[0, 1] + a[1, 0] - a[0, -1] * a[-1, 0]

    def call(a):
        return around(a)

    a = np.arange(600.0).reshape(20, 30) % 7
    with cutaway.parallel_chunksize(1):
        found = cutaway.jit(parallel=option)(call)(a)
    assert (found == cutaway.jit(call)(a)).all()
