"""The kernels around functions: their text, their PTX, and that `ptxas` takes it."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

from cutaway import guvectorize, vectorize
from cutaway.cuda.ufuncs import trees
from cutaway.cuda.ufuncs.reducing import Reduce
from cutaway.cuda.ufuncs.reductions import fold_of
from cutaway.targets.ptx.assembling import assemble
from cutaway.targets.ptx.toolkit import ptxas_for
from cutaway.typing import types

pytestmark = pytest.mark.sampled(others=4)

needs_ptxas = pytest.mark.skipif(ptxas_for((8, 0)) is None, reason="no ptxas has code for sm_80")
CUBE = np.arange(60.0).reshape(3, 4, 5)


@vectorize(target="cuda", cc=(8, 0))
def add(a, b):
    return a + b


@vectorize(target="cuda", cc=(8, 0))
def parts(np, result):
    return np // result, np % result


@guvectorize(["void(float64[:],float64,float64[:])"], "(n),()->()", target="cuda", cc=(8, 0))
def weighed(x, by, out):
    out[0] = x.sum() * by


def text_of(kernel):
    return "".join(linecache.getlines(kernel.py_func.__code__.co_filename))


@pytest.mark.parametrize(
    ("ufunc", "args", "text"),
    [
        (
            add,
            (CUBE, CUBE),
            """\
def add_kernel(a, b, result):
    i = np.uint64(cuda.grid(1))
    if i < result.size:
        result[i] = add(a[i], b[i])
""",
        ),
        (
            add,
            (CUBE[:, 0, :1].astype("f4"), CUBE[0, 0]),
            """\
def add_kernel(a, b, result):
    i0 = np.uint64(cuda.grid(1))
    if i0 < result.size:
        i0, i1 = split(i0, result.shape[1])
        result[i0, i1] = add(np.float64(a[i0, i1]), b[i0, i1])
""",
        ),
        (
            parts,
            (CUBE, 2),
            """\
def parts_kernel(np, result, result0, result1):
    i = np_.uint64(cuda.grid(1))
    if i < result0.size:
        value0, value1 = parts(np[i], result)
        result0[i] = value0
        result1[i] = value1
""",
        ),
        (
            weighed,
            (CUBE, 2.0),
            """\
def weighed_kernel(x, by, out):
    i = np.uint64(cuda.grid(1))
    if i < out.shape[0]:
        weighed(x[i], by, out[i])
""",
        ),
    ],
)
def test_a_kernel_is_python_that_can_be_read(ufunc, args, text):
    kernel, _ = ufunc.prepared(*args)
    assert text_of(kernel) == text


@needs_ptxas
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_kernels_of_every_dtype_are_assembled(dtype):
    x = np.ones((3, 4), dtype)

    @vectorize(target="cuda", cc=(8, 0))
    def second(a, b):
        return b

    made = [
        second.inspect_ptx(x, x),
        second.inspect_ptx(x.T, x[:, :1].T),
        second.inspect_llvm(x, 1),
    ]
    number = types.from_dtype(x.dtype)
    array = types.Array(number, 1, "A")
    tree = Reduce(lambda a, b: b).trees.kernel(x.dtype, True)
    fold = fold_of(second, x.dtype, True)
    made += [tree.inspect_ptx((array, array, number)), fold.inspect_ptx(x[0, 0], x, x[:, 0])]
    for ptx in (*made[:2], *made[3:]):
        (figures,) = assemble(ptx, (8, 0)).figures
        assert figures.spill_stores == figures.stack == 0
    assert figures.barriers == 0 and assemble(made[3], (8, 0)).figures[0].barriers == 1
    assert "define" in made[2]


def test_the_loop_of_arrays_side_by_side_computes_one_address_each():
    ptx = add.inspect_ptx(CUBE, CUBE)
    assert "div" not in ptx and "rem" not in ptx
    assert ptx.count("ld.global") == 2 and ptx.count("st.global") == 1
    assert "shr" not in ptx  # no index is taken for a negative one


def test_the_compilation_of_a_kernel_can_be_traced():
    trace = add.trace(CUBE, 1.0)
    assert ".visible .entry add_kernel" in trace.at("ptx").text
    assert add.inspect_asm(CUBE, 1.0) in add.inspect_asm().values()


def test_functions_have_names_that_texts_can_have():
    names = ("<lambda>", "class", "2nd", "total")
    for name in names:
        function = trees.tree_kernel(max, name, np.dtype("f4"), True)
        assert function.__name__.isidentifier()
