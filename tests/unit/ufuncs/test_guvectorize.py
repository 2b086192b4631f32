"""Functions that `guvectorize` makes, compared with what NumPy does."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import cutaway
from cutaway import guvectorize
from cutaway.errors import OptionError, SignatureError, TypingError
from cutaway.ufuncs.layout import parse_layout
from cutaway.ufuncs.written import written_parameters
from ufuncs.kernels import scaled


@guvectorize(
    [f"void({t}[:], {t}[:], {t}[:])" for t in "int8 int64 float32 float64 complex128".split()],
    "(n),(n)->()",
)
def dot(a, b, out):
    """The product."""
    total = a.dtype.type(0)
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    out[0] = total


@guvectorize(["void(float64[:,:], float64[:], float64[:])"], "(m,n),(n)->(m)")
def apply(matrix, x, out):
    for i in range(matrix.shape[0]):
        out[i] = 0.0
        for j in range(matrix.shape[1]):
            out[i] += matrix[i, j] * x[j]


@guvectorize("(n)->(n)")
def reverse(a, out):
    for k in range(a.shape[0]):
        out[k] = a[a.shape[0] - 1 - k]


def test_it_is_a_generalized_ufunc_of_numpys():
    assert type(dot) is np.ufunc
    assert (dot.nin, dot.nout, dot.signature) == (2, 1, "(n),(n)->()")
    assert dot.types == ["bb->b", "ll->l", "ff->f", "dd->d", "DD->D"]
    assert dot.__name__ == "dot"
    assert pickle.loads(pickle.dumps(dot)) is dot


@pytest.mark.parametrize("dtype", ["b", "l", "f", "d", "D", "?", "h", "F"])
def test_core_dimensions_of_any_strides_are_gone_over(dtype):
    rng = np.random.default_rng(0)
    table = rng.integers(0, 5, (4, 6, 5)).astype(dtype)
    frozen = table.copy()
    frozen.setflags(write=False)
    for a in (
        table,
        np.asfortranarray(table),
        table[::-1, ::2, ::-1],
        table.swapaxes(0, 2),
        frozen,
    ):
        for b in (a, a[:1], a[0], a[0, 0]):
            result = dot(a, b)
            assert result.dtype == np.result_type(
                dtype, {"?": "b", "h": "l", "F": "D"}.get(dtype, dtype)
            )
            np.testing.assert_array_equal(result, (a.astype("D") * b).sum(-1))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (1,), (2, 1), (1, 1, 1)])
def test_empty_and_single_parts_are_parts(shape):
    a = np.ones(shape)
    result = dot(a, a)
    assert np.shape(result) == shape[:-1]
    assert np.all(result == shape[-1])


def test_several_outputs_numbers_and_matrices():
    a = np.arange(6.0).reshape(2, 3)
    out, total = scaled(a, [2.0, 3.0])
    assert out.tolist() == [[0, 2, 4], [9, 12, 15]]
    assert total.tolist() == [6, 36]
    out, total = scaled(a[0], 2)
    assert (out.tolist(), total) == ([0, 2, 4], 6.0)
    matrices = np.arange(24.0).reshape(2, 3, 4)
    for given in (matrices, np.asfortranarray(matrices), matrices[:, ::-1]):
        np.testing.assert_array_equal(apply(given, np.ones(4)), given.sum(-1))


def test_axes_axis_keepdims_and_out_are_numpys():
    a = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(dot(a, a, axis=1), (a * a).sum(1))
    np.testing.assert_array_equal(dot(a, a, keepdims=True), (a * a).sum(-1, keepdims=True))
    np.testing.assert_array_equal(dot(a, a, axes=[0, 0]), (a * a).sum(0))
    out = np.zeros((2, 3))
    assert dot(a, a, out=out) is out
    assert dot(a, a, out) is out
    np.testing.assert_array_equal(out, (a * a).sum(-1))
    with pytest.raises(ValueError, match=r"Input operand 1 has a mismatch in its core dimension 0"):
        dot(np.ones(3), np.ones(2))


def test_a_size_may_be_a_part_of_the_layout():
    @guvectorize(["void(float64[:], float64[:], float64[:])"], "(3),(3)->(3)")
    def cross(a, b, out):
        out[0] = a[1] * b[2] - a[2] * b[1]
        out[1] = a[2] * b[0] - a[0] * b[2]
        out[2] = a[0] * b[1] - a[1] * b[0]

    a = np.random.default_rng(1).random((4, 3))
    np.testing.assert_array_equal(cross(a, a[::-1]), np.cross(a, a[::-1]))
    with pytest.raises(ValueError, match="core dimension 0"):
        cross(np.ones(2), np.ones(2))
    constant = guvectorize(["void(float64, float64[:])"], "()->(2)")(pair)
    assert constant([1.0, 2.0]).tolist() == [[1, 2], [2, 4]]


def pair(x, out):
    out[0], out[1] = x, 2 * x


def test_a_number_may_be_an_array_of_one():
    made = guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),()->(n)")(shifted)
    assert made(np.arange(3.0), [[1.0], [2.0]]).tolist() == [[[1, 2, 3]], [[2, 3, 4]]]


def shifted(a, by, out):
    for k in range(a.shape[0]):
        out[k] = a[k] + by[0]


NUMBERS = {"?": "b1", **{c: np.dtype(c).str[1:] for c in "bBhHiIlLefdFD"}}


@pytest.mark.parametrize("letter", NUMBERS)
def test_numbers_of_every_type_reach_the_kernel(letter):
    def both(a, b, out):
        out[0] = a
        out[1] = b

    name = NUMBERS[letter]
    made = guvectorize([f"void({name}, {name}, {name}[:])"], "(),()->(2)")(both)
    for first, second in ((0, 1), (1, 100), (-3, -100), (2.5, -0.75)):
        with np.errstate(all="ignore"):
            given = np.array([first, second]).astype(letter)
        given = given * (1 - 2j) if given.dtype.kind == "c" else given
        given = given.astype(letter)
        result = made(given[:1], given[1])
        assert result.dtype == given.dtype
        assert result[0].tolist() == given.tolist()


def test_inputs_may_be_written_to_where_that_is_asked_for():
    for given in ((0,), ("a",)):
        made = guvectorize(["void(float64[:], float64[:])"], "(n)->()", writable_args=given)(
            emptied
        )
        a = np.arange(6.0).reshape(2, 3)
        assert made(a).tolist() == [3, 12]
        assert not a.any()
        turned = np.asfortranarray(np.arange(6).reshape(2, 3)).astype("d")[:, ::-1]
        assert made(turned).tolist() == [3, 12]
        assert not turned.any()


def emptied(a, out):
    out[0] = a.sum()
    a[:] = 0.0


def test_a_layout_without_outputs_writes_to_inputs():
    def doubled(a, out):
        for k in range(a.shape[0]):
            out[k] = a[k] * 2

    closed = guvectorize(["void(float64[:], float64[:])"], "(n),(n)", writable_args=(1,))(doubled)
    growing = guvectorize("(n),(n)", writable_args=("out",))(doubled)
    seen = guvectorize(["void(float64[:], float64[:])"], "(n),(n)")(doubled)
    assert (closed.nin, closed.nout, closed.signature) == (2, 0, "(n),(n)")

    @cutaway.jit
    def compiled(a, out):
        return closed(a, out)

    for call in (closed, growing, seen, compiled):
        out = np.zeros((2, 3))
        assert call(np.arange(6.0).reshape(2, 3), out) == ()
        assert out.tolist() == [[0, 2, 4], [6, 8, 10]]
        with pytest.raises(ValueError, match="operand"):
            call(np.ones((2, 3)), np.zeros(3))


def added(a, out, total, unused):
    for k in range(a.shape[0]):
        out[k if k else 0] = a[k]
        total[0] += a[k]
    total[1:2] = unused[0]
    b = unused
    b.sum()


def test_inputs_whose_items_are_stored_by_name_are_written_to():
    assert written_parameters(kernel.__code__) == ("out",)
    assert written_parameters(emptied.__code__) == ("a", "out")
    assert set(written_parameters(added.__code__)) <= {"out", "total"}
    assert "total" in written_parameters(added.__code__)
    assert written_parameters((lambda a, out: None).__code__) == ()


def test_an_input_that_is_written_to_is_so_where_it_is_converted():
    copied = guvectorize(["void(float64[:], float64[:])"], "(n),(k)")(kernel)
    out = np.zeros((2, 1), np.float32)
    copied(np.ones((2, 3)), out, casting="same_kind")
    assert out.tolist() == [[1], [1]]


def test_what_the_kernel_raises_arrives_and_ends_the_loop():
    @guvectorize(["void(int64[:], int64[:])"], "(n)->()")
    def checked(a, out):
        if a[0] == 3:
            raise ValueError("three")
        out[0] = a[1]  # an index out of range, where there is one element

    out = np.full(5, -1)
    with pytest.raises(ValueError, match="^three$"):
        checked(np.arange(10).reshape(5, 2) + 1, out)
    assert out.tolist() == [2, -1, -1, -1, -1]
    with pytest.raises(IndexError):
        checked(np.zeros((2, 1), int))


@pytest.mark.parametrize("turned", [False, True])
def test_an_input_may_be_the_output(turned):
    made = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")(reverse.py_func)
    for step in (1, 2, -1):
        ours = np.arange(40.0).reshape(4, 10)[:, ::step]
        a, b = (ours.T, ours.copy().T) if turned else (ours, ours.copy())
        made(a, a)
        np.testing.assert_array_equal(a, b[:, ::-1])
    line, other = np.arange(9.0), np.arange(9.0)
    made(line[:-1], line[1:])
    assert line.tolist() == [0, *other[:-1][::-1]]


def test_the_size_of_a_part_has_no_limit():
    a = np.ones((3, 100_000))
    assert dot(a, a).tolist() == [100_000] * 3


# --- without signatures -------------------------------------------------------------------------


def test_without_signatures_the_types_are_those_of_the_call():
    out = np.zeros((2, 3))
    assert reverse(np.arange(6.0).reshape(2, 3), out) is out
    assert out.tolist() == [[2, 1, 0], [5, 4, 3]]
    assert reverse.types == ["d->d"]
    assert reverse(np.arange(3.0)).tolist() == [2, 1, 0]  # there is a loop now
    reverse(np.arange(3), out=out[0])
    assert reverse.types == ["d->d"]  # which takes int64 without loss
    reverse(np.arange(3), out=np.zeros(3, "b"))
    assert reverse.types == ["d->d", "l->b"]
    assert (reverse.nin, reverse.nout, reverse.signature) == (1, 1, "(n)->(n)")
    assert repr(reverse) == "<guvectorize function reverse>"
    assert pickle.loads(pickle.dumps(reverse)) is reverse


def test_without_signatures_and_outputs_nobody_says_their_type():
    made = guvectorize("(n)->(n)")(reverse.py_func)
    with pytest.raises(TypeError, match="pass arrays for them, as further arguments or as out="):
        made(np.arange(3.0))
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments but 0"):
        made()


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "place", "wanted"),
    [
        ("(n)->(n", 7, "`,` or `)`"),
        ("n->n", 0, "`(`"),
        ("(n),->(n)", 4, "`(`"),
        ("(n)->(m)", 6, "a dimension of an input: m has no size"),
        ("(n)>(n)", 3, "a layout"),
        ("(n)->(n) x", 9, "the end"),
        ("(n", 2, "`,` or `)`"),
        ("(n,)->()", 3, "the name of a dimension"),
        ("(n)(n)", 3, "`->`"),
        ("(n),(n)->", 9, "`(`"),
        ("", 0, "`(`"),
        ("(n?)->()", 2, "dimensions that may be missing"),
    ],
)
def test_the_place_of_a_mistake_in_a_layout_is_marked(layout, place, wanted):
    with pytest.raises(SignatureError) as caught:
        parse_layout(layout)
    assert f"at position {place}: expected " in str(caught.value)
    assert wanted in str(caught.value)
    line, mark = caught.value.notes[0].splitlines()
    assert line.strip() == layout
    assert mark.index("^") == place + 4


def test_layouts_are_read_as_numpy_reads_them():
    assert str(parse_layout(" ( m , n ) , (n)->( ) , (m)")) == "(m,n),(n)->(),(m)"
    assert parse_layout("(3),(k_1)->(3)").names == ("3", "k_1")
    assert str(parse_layout("->()".replace("->", "()->"))) == "()->()"


def kernel(a, out):
    out[0] = a[0]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: guvectorize(), OptionError, "takes signatures and a layout"),
        (lambda: guvectorize(kernel), OptionError, "needs a layout"),
        (lambda: guvectorize(3), SignatureError, "a layout must be a string, not 3"),
        (lambda: guvectorize("(n)->()", nothing=1), OptionError, "no option 'nothing'"),
        (lambda: guvectorize("(n),(n)->()")(kernel), SignatureError, "has 3 operands"),
        (lambda: guvectorize("(n)->()")(3), OptionError, "decorates a Python function"),
        (lambda: guvectorize("(n)->()", writable_args=(5,))(kernel), OptionError, "no input 5"),
        (lambda: guvectorize("(n)->()", writable_args=3), OptionError, "places or names"),
        (
            lambda: guvectorize("(n),(n)")(lambda a, b: None),
            SignatureError,
            "no input is said to be written to",
        ),
        (lambda: guvectorize("(n)", target="cuda"), OptionError, "needs an output"),
        (lambda: guvectorize("(n)->()", forceobj=True), OptionError, "requests object mode"),
        (lambda: signed("void(f8[:])"), SignatureError, "has 2 operands, the signature 1"),
        (lambda: signed("void(f8[:,:], f8[:])"), SignatureError, "takes 1 dimension"),
        (lambda: signed("void(f8[:], f8)"), SignatureError, "an array of one element"),
        (lambda: signed("f8(f8[:], f8[:])"), SignatureError, "returns nothing"),
        (lambda: signed("void(f8[:], f8[:])", lambda a, b: 3.0), TypingError, "returns float64"),
    ],
)
def test_what_is_written_wrong_is_told(make, error, words):
    with pytest.raises(error) as caught:
        make()
    assert words in str(caught.value)


def signed(signature, function=kernel):
    return guvectorize([signature], "(n)->()")(function)


def test_its_kernel_can_be_looked_at():
    reverse(np.arange(3.0), np.zeros(3))  # which makes the loop, where no other test did
    assert cutaway.trace(reverse, np.arange(3.0), np.zeros(3)).error is None
    assert "define" in reverse.inspect_llvm("void(float64[:], float64[:])")


def _assigned(x, out):
    out = x  # noqa: F841


def _summed(x, out):
    out = 0.0
    for one in x:
        out += one


def _counted(x, out):
    for out in range(3):  # noqa: B007
        x[0]


def _assigned_in_a_branch(x, out):
    if x[0] < 0:
        out = x  # noqa: F841
    else:
        out[...] = 0


@pytest.mark.parametrize(
    ("kernel", "place"), [(_assigned, 1), (_summed, 1), (_counted, 1), (_assigned_in_a_branch, 2)]
)
def test_an_output_whose_name_is_assigned_is_refused_with_the_line(kernel, place):
    with pytest.raises(TypingError, match="nothing is stored in the output `out`") as caught:
        guvectorize(["void(float64[:], float64[:])"], "(n)->()")(kernel)
    assert caught.value.loc.line == kernel.__code__.co_firstlineno + place
    assert "write out[0] = ..." in str(caught.value)
    growing = guvectorize("(n)->(n)")(kernel)
    with pytest.raises(TypingError, match=r"write out\[\.\.\.\] = "):
        growing(np.ones(3), np.ones(3))


def test_an_output_may_be_renamed_and_captured():
    def reversed_of(x, out):
        backward = out[::-1]
        out = backward
        for k in range(len(x)):
            out[k] = x[k]

    def captured(x, out):
        def store(k):
            out[k] = x[k]

        for k in range(len(x)):
            store(k)

    def done_with(x, out):
        for k in range(len(x)):
            out[k] = x[k]
        out = x[0]
        x[0] = out

    signature = ["void(float64[:], float64[:])"]
    given = np.arange(3.0)
    assert list(guvectorize(signature, "(n)->(n)")(done_with)(given)) == [0, 1, 2]
    assert list(guvectorize(signature, "(n)->(n)")(reversed_of)(given)) == [2, 1, 0]
    assert list(guvectorize(signature, "(n)->(n)")(captured)(given)) == [0, 1, 2]
