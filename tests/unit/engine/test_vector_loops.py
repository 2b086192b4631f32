"""Loops over floats: how LLVM is given them, and that bits stay Python's."""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import cutaway

pytestmark = pytest.mark.usefixtures("one_processor")

SPECIAL = (0.0, -0.0, 1.5, -2.25, 1e308, -1e308, 1e-320, np.inf, -np.inf, np.nan)


def llvm_of(f, *args):
    return str(cutaway.trace(f, *args).at("llvm"))


compiled = functools.cache(cutaway.jit)


def assert_same(f, *args):
    """What compiled code returns and leaves in arrays is what Python does, bit for bit."""
    expected_args, found_args = ([np.copy(a, "K") for a in args] for _ in range(2))
    with np.errstate(all="ignore"):
        expected = f(*expected_args)
    found = compiled(f)(*found_args)
    for one, other in zip((expected, *expected_args), (found, *found_args), strict=True):
        if one is not None:
            assert np.float64(one).tobytes() == np.float64(other).tobytes()


# --- one way back -----------------------------------------------------------------------------


def place_of_largest(x):
    best, place = x[0], 0
    for i in range(len(x)):
        if x[i] > best:
            best, place = x[i], i
    return best + place


def pooled(a, out):
    for i in range(len(out)):
        best = a[2 * i]
        for k in range(2):
            if a[2 * i + k] > best:
                best = a[2 * i + k]
        out[i] = best


def largest_integer(x):
    best = x[0]
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
    return best


def root(x):
    low, high = 0.0, x[0]
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if middle * middle < x[0]:
            low = middle
        else:
            high = middle
    return low


def test_a_choice_that_a_branch_asks_for_stays_a_rare_branch():
    text = llvm_of(place_of_largest, np.ones(3))
    assert ".latch:" in text
    assert any("latch, !prof !0" in line or "latch, !prof !1" in line for line in text.split("\n"))


@pytest.mark.parametrize(
    ("f", "args"), [(pooled, (np.ones(4), np.ones(2))), (largest_integer, (np.arange(3),))]
)
def test_a_choice_in_few_runs_or_of_one_integer_is_made_without_a_branch(f, args):
    lines = llvm_of(f, *args).split("\n")
    ways = [line for line in lines if ".latch" in line and line.strip().startswith("br i1")]
    assert ways
    assert not any("!prof" in line for line in ways)


def test_a_search_by_halves_keeps_its_ways_back():
    assert ".latch" not in llvm_of(root, np.full(1, 2.0))


@pytest.mark.parametrize("f", [place_of_largest, root])
def test_choices_are_those_of_python(f):
    for seed in range(3):
        assert_same(f, np.random.default_rng(seed).random(50) + 0.5)
    assert_same(place_of_largest, np.array([1.0, np.nan, 3.0, -0.0, np.inf, np.inf]))


def test_a_pool_is_that_of_python():
    for a in itertools.product((0.0, -0.0, np.nan, 1.0), repeat=4):
        assert_same(pooled, np.array(a), np.zeros(2))


def test_innermost_loops_begin_at_a_line_of_code():
    assembly = str(cutaway.trace(place_of_largest, np.ones(3)).at("asm"))
    assert "\t.p2align\t6" in assembly


# --- sums -------------------------------------------------------------------------------------


def sum_of_positive(x):
    s = -0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += x[i]
    return s


def sum_without(x, y):
    s = -0.0
    for i in range(len(x)):
        if np.isnan(x[i]):
            continue
        s -= y[i]
    return s


def single_sum_of_positive(x):
    s = np.float32(-0.0)
    for i in range(len(x)):
        if x[i] > 0.0:
            s += x[i]
    return s


def sum_of_three_ways(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            s = s + x[i]
        elif x[i] < 0.5:
            s = s + 2.0 * x[i]
    return s


def two_sums(x):
    s, t, last = -0.0, 0.5, 0.0
    for i in range(len(x)):
        if x[i] > 0.25:
            s += x[i]
            t -= 2.0 * x[i]
            last = x[i]
    return s * t + last


def doubled(x):
    s = -0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            s += s
    return s


def distances(a, b):
    s = 0.0
    for i in range(len(a)):
        d = a[i] - b[i]
        s += d * d
    return s


def five_sums(x, y):
    a = b = c = d = e = 0.0
    for i in range(len(x)):
        a += x[i]
        b += y[i]
        c += x[i] * x[i]
        d += y[i] * y[i]
        e += x[i] * y[i]
    return a + b * c + d * e


def test_a_sum_under_a_condition_is_one_addition():
    text = llvm_of(sum_of_positive, np.ones(3))
    latch = text[text.index(".latch:") :]
    assert "[ -0.0, %" in latch
    assert "fadd double" in latch
    assert "[ 0.0, %" in llvm_of(sum_without, np.ones(3), np.ones(3))


@pytest.mark.parametrize(
    ("f", "dtype"),
    [
        (sum_of_positive, "f8"),
        (single_sum_of_positive, "f4"),
        (sum_of_three_ways, "f8"),
        (doubled, "f8"),
        (two_sums, "f8"),
    ],
)
def test_sums_under_conditions_have_the_bits_of_python(f, dtype):
    for values in itertools.permutations(SPECIAL, 2):
        assert_same(f, np.array(values).astype(dtype))
    for n in (0, 1, 7, 8, 9, 40, 200):
        assert_same(f, (np.random.default_rng(n).random(n) * 3 - 1).astype(dtype))


def test_what_is_subtracted_under_a_condition_has_the_bits_of_python():
    for n, (a, b) in enumerate(itertools.product(SPECIAL, repeat=2)):
        x = np.where(np.random.default_rng(n).random(20) < 0.3, np.nan, 1.0)
        assert_same(sum_without, x, np.resize([a, b], 20))


@pytest.mark.parametrize("f", [distances, five_sums])
def test_sums_are_added_in_order(f):
    for n in (*range(20), 31, 32, 33, 64, 100, 257):
        r = np.random.default_rng(n)
        x, y = (r.standard_normal(n) * 10.0 ** r.integers(-12, 12, n) for _ in range(2))
        assert_same(f, x, y)
        assert_same(f, x[::-1], y[::-1])
        assert_same(f, np.repeat(x, 2)[::2], y)


def test_several_sums_are_neighbors_and_no_vectors_of_runs():
    def is_scalar(f):
        return re.search(r"= distinct !{!\d+, !3[,}]", llvm_of(f, np.ones(3), np.ones(3)))

    assert is_scalar(five_sums)
    assert not is_scalar(distances)


def test_with_fastmath_sums_are_left_to_llvm():
    text = str(cutaway.jit(fastmath=True)(five_sums).trace(np.ones(3), np.ones(3)).at("llvm"))
    assert not re.search(r"= distinct !{!\d+, !3[,}]", text)
    text = str(cutaway.jit(fastmath=True)(sum_of_positive).trace(np.ones(3)).at("llvm"))
    assert "[ -0.0, %" not in text[text.index(".latch:") :]


# --- elements ---------------------------------------------------------------------------------


def diffuse(a):
    n, m = a.shape
    for y in range(n - 1):
        for x in range(1, m - 1):
            e = a[y, x] - 0.5
            a[y, x] = 0.5
            a[y, x + 1] += e * 0.5
            a[y + 1, x - 1] += e * 0.25
            a[y + 1, x] -= e * 0.125


def run_down(a):
    n, m = a.shape
    for j in range(m - 1):
        for i in range(n - 1):
            a[i + 1, j] += 0.5 * a[i, j]
            a[i, j + 1] -= 0.25 * a[i, j]


def corners(a):
    return a[0, 0, 0] + 2.0 * a[-1, -1, -1] + 4.0 * a[0, -1, 0]


def row_sums(a, out):
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(row.shape[0]):
            for k in range(row.shape[1]):
                out[i] += row[j, k]


def axes_added(a):
    b = a[:, None, :]
    s = 0.0
    for i in range(b.shape[0]):
        for j in range(b.shape[2]):
            s = s * 0.5 + b[i, 0, j]
    return s


def test_elements_of_an_array_in_one_piece_are_found_by_its_shape():
    assert "mul nsw i64 %arg.a.shape.1, 8" in llvm_of(diffuse, np.ones((3, 4)))
    assert "mul nsw i64 %arg.a.shape.0, 8" in llvm_of(run_down, np.ones((4, 3)).T)
    for other in (np.ones((4, 3)).T, np.ones((6, 8))[::2, ::2]):
        assert "%distance" not in llvm_of(diffuse, other)


@pytest.mark.parametrize("shape", [(6, 7), (1, 5), (5, 1), (2, 2), (0, 4), (3, 0), (9, 3)])
def test_writes_to_the_next_row_are_seen(shape):
    a = np.random.default_rng(1).random(shape)
    for one in (a, np.asfortranarray(a), a[::-1, ::-1], np.repeat(a, 2, 1)[:, ::2]):
        assert_same(diffuse, one)
        assert_same(run_down, one)


def test_arrays_with_odd_strides_along_single_places_are_read_right():
    wide = np.arange(120.0).reshape(4, 5, 6)
    for a in (wide, wide[::2][:1], wide[:, ::3, :][:, :1][:1], wide.T, wide[1:2, 1:2, 1:2]):
        assert_same(corners, a)
        assert_same(row_sums, a, np.zeros(a.shape[0]))
    strange = np.lib.stride_tricks.as_strided(wide, (1, 5, 6), (7, 48, 8))
    assert strange.flags.c_contiguous
    assert cutaway.jit(corners)(strange) == corners(strange)
    assert cutaway.jit(lambda a: a.strides)(strange) == (7, 48, 8)


def test_a_new_axis_has_no_distance():
    assert_same(axes_added, np.arange(12.0).reshape(3, 4))
    assert_same(axes_added, np.arange(12.0).reshape(3, 4).T)


# --- squares ----------------------------------------------------------------------------------


def squares(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
    return s


def test_squares_are_infinite_for_infinite_numbers_alone():
    for values in ([], [2.0, -3.0], [np.inf, 1.0], [-np.inf], [np.nan, 1e150], [1e-200, -0.0]):
        assert_same(squares, np.array(values))
    for large in (1e200, -1e155):
        with pytest.raises(OverflowError, match=r"\(34, 'Numerical result out of range'\)"):
            compiled(squares)(np.array([1.0, np.inf, large]))
    assert cutaway.jit(squares, error_model="numpy")(np.array([1e200])) == np.inf


# --- the page ---------------------------------------------------------------------------------


def test_the_code_of_the_page_runs(tmp_path):
    page = Path(__file__).parents[3] / "docs" / "vector_loops.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "page.py"
    path.write_text("\n".join(blocks), encoding="utf-8")
    space: dict[str, object] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)  # noqa: S102
    for name, args in (
        ("largest", (np.array([1.0, 3.0, 2.0]),)),
        ("sum_above", (np.array([1.0, 3.0, 2.0]), 1.5)),
        ("smear", (np.arange(12.0).reshape(3, 4),)),
    ):
        assert_same(space[name], *args)
    assert compiled(space["moments"])(np.array([1.0, 2.0])) == (3.0, 5.0, 9.0)
