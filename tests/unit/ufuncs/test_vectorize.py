"""Functions that `vectorize` makes with signatures: ufuncs of NumPy's, compared with its own."""

from __future__ import annotations

import copy
import pickle
import re
import threading
import traceback

import numpy as np
import pytest

import cutaway
from cutaway import float64, int64, vectorize
from cutaway.errors import OptionError, SignatureError, TypingError

DTYPES = "? b B h H i I l L q Q e f d F D".split()
plenty = eval(f"lambda {', '.join(f'x{k}' for k in range(32))}: 1")
NUMBERS = [f"{np.dtype(c)}({np.dtype(c)}, {np.dtype(c)})" for c in DTYPES if c not in "?qQ"]


@vectorize(["boolean(boolean, boolean)", *NUMBERS], identity=0)
def plus(a, b):
    """The sum."""
    return a + b if a == a else b


@vectorize(["float64(float64, float64)"])
def apart(a, b):
    return a - 2 * b


@vectorize(["float64(float64)"])
def positive(x):
    if x < 0:
        raise ValueError("a negative number")
    return x


@vectorize(["Tuple((float64, int64))(float64)", "Tuple((float32, int64))(float32)"])
def halves(x):
    return x / 2, int(x)


def of(dtype, size, seed=0):
    """Numbers of a dtype that add up without overflow."""
    numbers = np.random.default_rng(seed).integers(0, 50, size)
    array = numbers.astype(dtype)
    return array * (1 + 2j) if array.dtype.kind == "c" else array


def layouts(dtype, shape=(4, 6), seed=0):
    """The same numbers in arrays of each kind."""
    whole = of(dtype, shape, seed)
    spread = np.zeros((shape[0] * 2, shape[1] * 3), dtype)
    spread[::2, ::3] = whole
    frozen = whole.copy()
    frozen.setflags(write=False)
    unaligned = np.zeros(whole.nbytes + 1, "b")[1:].view(dtype).reshape(shape)
    unaligned[...] = whole
    backward = whole[::-1, ::-1].copy()[::-1, ::-1]
    swapped = whole.astype(whole.dtype.newbyteorder())
    return [whole, np.asfortranarray(whole), spread[::2, ::3], backward, frozen, unaligned, swapped]


def same(left, right):
    """Two arrays or numbers are the same, with their types."""
    assert type(left) is type(right)
    assert np.asarray(left).dtype == np.asarray(right).dtype
    np.testing.assert_array_equal(left, right)


# --- what it is ---------------------------------------------------------------------------------


def test_it_is_a_ufunc_of_numpys():
    assert type(plus) is np.ufunc
    assert (plus.nin, plus.nout, plus.nargs, plus.signature) == (2, 1, 3, None)
    assert plus.__name__ == "plus"
    assert plus.types == [f"{c}{c}->{c}" for c in DTYPES if c not in "qQ"]
    assert plus.ntypes == len(plus.types)
    assert "plus" in repr(plus)


def test_loops_are_tried_in_the_order_in_which_they_are_written():
    first = vectorize([float64(float64), int64(int64)])(lambda x: x)
    second = vectorize([int64(int64), float64(float64)])(lambda x: x)
    assert (first.types, second.types) == (["d->d", "l->l"], ["l->l", "d->d"])
    assert type(first(np.int32(1))) is np.float64
    assert type(second(np.int32(1))) is np.int64


def test_a_signature_may_be_text_types_or_without_a_result():
    for written in ("float64(float64)", float64(float64), ["(float64,)"], "float64", (float64,)):
        assert vectorize(written)(lambda x: x).types == ["d->d"]
    assert vectorize(["(float64, float64)"])(lambda a, b: a > b).types == ["dd->?"]


@pytest.mark.parametrize(
    ("written", "identity", "result"),
    [(None, None, None), (0, 0, 0.0), (1, 1, 1.0), ("reorderable", None, None)],
)
def test_the_identity_is_what_an_empty_reduction_gives(written, identity, result):
    function = vectorize(["float64(float64, float64)"], identity=written)(lambda a, b: a + b)
    assert function.identity == identity
    table = np.arange(6.0).reshape(2, 3)
    if result is None:
        with pytest.raises(ValueError, match="no identity"):
            function.reduce(np.array([]))
    else:
        assert function.reduce(np.array([])) == result
    if written is None:
        with pytest.raises(ValueError, match="not reorderable"):
            function.reduce(table, axis=(0, 1))
    else:
        assert function.reduce(table, axis=(0, 1)) == 15.0 + (identity or 0)


@pytest.mark.skipif(not hasattr(np.add, "__dict__"), reason="ufuncs have no attributes")
def test_it_tells_of_its_kernel():
    assert plus.__doc__ == "The sum."
    assert plus.py_func(1, 2) == 3
    assert plus.__wrapped__ is plus.py_func
    assert plus.__module__ == __name__
    assert apart.signatures == [(float64, float64)]
    assert "define i32 @" in apart.inspect_llvm("(float64, float64)")
    assert "x double>" not in apart.inspect_llvm()[float64, float64]
    assert ".entry" in apart.inspect_asm()[float64, float64]
    assert cutaway.trace(apart, 1.0, 2.0).at("llvm").text
    assert apart.trace(np.arange(3.0), 2.0).error is None
    assert apart.explain_dispatch(1, 2.0) == (
        "apart runs the loop dd->d: argument 0 is converted from int64 to float64; loops: dd->d"
    )
    assert "no loop takes these, and none is compiled any more" in apart.explain_dispatch(1j, 2)
    with pytest.raises(
        cutaway.errors.NotCompiledError, match=re.escape("no loop for (int8, int8)")
    ):
        apart.inspect_llvm("(int8, int8)")


def test_it_is_pickled_by_its_name_and_copied_as_itself():
    assert pickle.loads(pickle.dumps(plus)) is plus
    assert copy.copy(plus) is plus
    assert copy.deepcopy(plus) is plus


# --- results ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_layout_gives_what_numpy_gives(dtype):
    others = layouts(dtype, seed=1)
    for k, a in enumerate(layouts(dtype)):
        for b in (others[k], others[0], others[0][0], others[0][:, :1], others[0][1, 2]):
            same(plus(a, b), np.add(a, b))
            same(plus(b, a), np.add(b, a))
        same(plus.reduce(a), np.add.reduce(a, dtype=a.dtype.newbyteorder("=")))


@pytest.mark.parametrize("size", [0, 1, 3, 4, 7, 8, 9, 64, 1000, 5000])
@pytest.mark.parametrize("dtype", "bfdD")
def test_every_length_is_gone_through_to_its_end(size, dtype):
    a, b = of(dtype, size), of(dtype, size, 1)
    same(plus(a, b), a + b)
    same(plus(a, b[:1] if size else b), a + (b[:1] if size else b))
    same(plus(a, a.dtype.type(3)), a + a.dtype.type(3))
    same(plus(a.dtype.type(3), a), a.dtype.type(3) + a)
    whole = np.concatenate([a, [7]]).astype(dtype)
    plus(a, b, out=whole[:-1])
    assert whole[-1] == 7


def test_a_number_gives_a_number_and_an_array_without_dimensions_too():
    same(plus(2, 3), np.add(2, 3))
    same(plus(2.5, 3), np.add(2.5, 3))
    same(plus(np.array(2.5), 3), np.add(np.array(2.5), 3))
    same(plus(np.zeros((0, 3)), 1), np.zeros((0, 3)) + 1)
    assert plus([1, 2], (3, 4)).tolist() == [4, 6]


def test_reductions_are_those_of_numpys():
    table = of("d", (5, 7))
    for method in ("reduce", "accumulate"):
        for axis in (0, 1, -1):
            same(getattr(plus, method)(table, axis), getattr(np.add, method)(table, axis))
            turned = table.T[::-1]
            same(getattr(plus, method)(turned, axis), getattr(np.add, method)(turned, axis))
    same(plus.reduce(table, axis=None, keepdims=True), np.add.reduce(table, None, keepdims=True))
    where = table > 20
    same(plus.reduce(table, where=where), np.add.reduce(table, where=where))
    same(plus.reduce(table, initial=5.0), np.add.reduce(table, initial=5.0))
    places = [0, 4, 1]
    same(plus.reduceat(table, places, 1), np.add.reduceat(table, places, 1))
    same(plus.outer(table[0], table[1]), np.add.outer(table[0], table[1]))
    ours, theirs = table.copy(), table.copy()
    plus.at(ours, [0, 0, 2], 3.0)
    np.add.at(theirs, [0, 0, 2], 3.0)
    same(ours, theirs)


@pytest.mark.parametrize("dtype", "bld")
def test_running_sums_depend_on_the_element_before(dtype):
    a = of(dtype, 300) % 3
    same(plus.accumulate(a), np.add.accumulate(a, dtype=dtype))


@pytest.mark.parametrize("shift", [-9, -8, -3, -1, 0, 1, 3, 8, 9])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_operands_may_overlap_the_result(shift, step):
    ours = np.arange(80.0)
    theirs = ours.copy()

    def parts(memory):
        return memory[20:52:step], memory[20 + shift : 52 + shift : step]

    a, out = parts(ours)
    apart(a, out, out=out)
    a, out = parts(theirs)
    np.subtract(a, 2 * out, out=out)
    same(ours, theirs)
    ours, theirs = ours.copy(), ours.copy()
    apart(parts(ours)[0], 1.0, out=parts(ours)[1])
    np.subtract(parts(theirs)[0], 2.0, out=parts(theirs)[1])
    same(ours, theirs)


def test_out_where_dtype_and_casting_are_numpys():
    a = np.arange(6.0)
    out = np.full(6, -1.0)
    assert plus(a, 1, out=out, where=a > 2) is out
    assert out.tolist() == [-1, -1, -1, 4, 5, 6]
    same(plus(a, 1, dtype=np.float32), np.add(a, 1, dtype=np.float32))
    same(plus(np.int8([1]), np.int8([2]), dtype="l"), np.array([3]))
    with pytest.raises(TypeError, match="Cannot cast ufunc 'apart' output"):
        apart(a, a, out=np.zeros(6, int))
    with pytest.raises(TypeError, match="not supported for the input types"):
        apart(a, 1j)
    with pytest.raises(ValueError, match="could not be broadcast"):
        apart(a, a[:4])
    with pytest.raises(TypeError, match="takes from 2 to 3 positional arguments"):
        apart(a)


def test_several_results_are_a_tuple():
    a = np.arange(5.0)
    assert halves.types == ["d->dl", "f->fl"]
    assert halves.nout == 2
    for given in (a, a.astype("f"), a[::2], 3.0):
        half, whole = halves(given)
        same(half, np.divide(given, np.asarray(given).dtype.type(2)))
        assert np.asarray(whole).dtype == np.int64
        np.testing.assert_array_equal(whole, np.floor(given))
    outs = (np.zeros(5), np.zeros(5, int))
    assert halves(a, out=outs) == outs
    assert outs[1].tolist() == [0, 1, 2, 3, 4]


def test_special_numbers_pass_through_and_nothing_warns():
    odd = np.array([np.nan, np.inf, -np.inf, -0.0, 1e308, 5e-324])
    with np.errstate(all="raise"):
        result = vectorize(["float64(float64, float64)"])(lambda a, b: a / b)(odd, 0.0)
        assert np.isnan(result[[0, 3]]).all()
        assert result[[1, 2, 4, 5]].tolist() == [np.inf, -np.inf, np.inf, np.inf]
    with np.errstate(all="ignore"):
        same(apart(odd, odd[::-1]), odd - 2 * odd[::-1])


# --- errors -------------------------------------------------------------------------------------


def test_what_the_kernel_raises_arrives_with_its_line():
    for a in (np.array([1.0, -1.0, 2.0]), np.full(20_000, -1.0), -1.0, np.full((3, 3), -2.0).T):
        with pytest.raises(ValueError, match="^a negative number$") as caught:
            positive(a)
        last = traceback.extract_tb(caught.tb)[-1]
        assert last.name == "positive"
        assert last.line == 'raise ValueError("a negative number")'
    assert positive(np.arange(3.0)).tolist() == [0.0, 1.0, 2.0]


def test_a_kernel_may_divide_as_python_does():
    divide = vectorize(["int64(int64, int64)"], error_model="python")(lambda a, b: a // b)
    assert divide(np.array([7, 8]), 2).tolist() == [3, 4]
    with pytest.raises(ZeroDivisionError):
        divide(np.array([7, 8]), 0)


def test_an_exception_of_the_users_keeps_its_values():
    class Wrong(Exception):
        pass

    @vectorize(["float64(float64)"])
    def checked(x):
        if x > 2:
            raise Wrong("too large", x)
        return x

    with pytest.raises(Wrong) as caught:
        checked(np.arange(5.0))
    assert caught.value.args == ("too large", 3.0)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: vectorize(identiy=1), OptionError, "did you mean identity?"),
        (lambda: vectorize(target="gpu"), OptionError, "'cpu', 'parallel' or 'cuda', not 'gpu'"),
        (lambda: vectorize(identity=2), OptionError, "0, 1, None or 'reorderable', not 2"),
        (lambda: vectorize(identity=True), OptionError, "not True"),
        (lambda: vectorize(cache=1), OptionError, "option cache must be True or False"),
        (lambda: vectorize(parallel=1), OptionError, "option parallel"),
        (lambda: vectorize(writable_args=(0,)), OptionError, "is for guvectorize"),
        (lambda: vectorize(3), OptionError, "takes signatures or a function, not 3"),
        (lambda: vectorize("f8(f8)")(3), OptionError, "decorates a Python function, not 3"),
        (lambda: vectorize(lambda *a: 1), OptionError, "each parameter of <lambda> is one operand"),
        (lambda: vectorize(lambda: 1), OptionError, "each parameter of <lambda> is one operand"),
        (lambda: vectorize(plenty), OptionError, "at most 32 operands"),
        (
            lambda: vectorize("f8(f8,f8)")(abs_of),
            SignatureError,
            "has 1 parameter, the signature 2",
        ),
        (lambda: vectorize("f8(f8[:])")(abs_of), SignatureError, "not a type of elements"),
        (lambda: vectorize("f9(f9)")(abs_of), SignatureError, "'f9'"),
        (lambda: vectorize("f8(f8)")(lambda x: None), TypingError, "returns none"),
        (lambda: vectorize(lambda x: None)(1), TypingError, "returns none, which is no element"),
        (lambda: vectorize(lambda x: "a")(1), TypingError, "which is no element"),
        (lambda: vectorize(lambda x: ())(1), TypingError, "which is no element"),
        (lambda: vectorize("f8(f8)")(lambda x: x.nothing), TypingError, "no attribute 'nothing'"),
    ],
)
def test_what_is_written_wrong_is_told(make, error, words):
    with pytest.raises(error) as caught:
        make()
    assert words in str(caught.value)


def abs_of(x):
    return abs(x)


def test_the_options_of_the_reference_are_taken():
    made = vectorize(
        ["f8(f8)"], nopython=True, target="parallel", parallel=True, fastmath=True, cache=False
    )
    assert made(abs_of)(-2.0) == 2.0
    assert vectorize(["f8(f8)"])(cutaway.jit(abs_of))(-2.0) == 2.0


# --- threads ------------------------------------------------------------------------------------


def test_several_threads_run_loops_at_once():
    a = np.arange(200_000.0)
    wanted, failures = a - 2 * a, []

    def work():
        for _ in range(5):
            try:
                np.testing.assert_array_equal(apart(a, a), wanted)
                with pytest.raises(ValueError, match="negative"):
                    positive(-a[1:])
            except BaseException as error:  # noqa: BLE001  told below
                failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures
