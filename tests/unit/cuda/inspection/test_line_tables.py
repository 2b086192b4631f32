"""`lineinfo=True`: the user's lines in PTX, which ptxas takes and which change no instruction."""

from __future__ import annotations

import re

import pytest

from cuda.inspection import kernels
from cuda.inspection.kernels import CALLS, doubled, line_of, saxpy, total
from cutaway import cuda
from cutaway.inspection.llvm import ptx_text
from cutaway.targets.ptx.assembling import assemble
from cutaway.targets.ptx.toolkit import ptxas_for

pytestmark = pytest.mark.sampled(others=3)

SIGNATURE = "void(float64[:], float64[:])"
needs_ptxas = pytest.mark.skipif(ptxas_for((8, 0)) is None, reason="no ptxas has code for sm_80")


def code(text):
    return [row for _, row in ptx_text.shown(text)]


def ptx_of(function=total.py_func, signature=SIGNATURE, cc=(8, 0), **options):
    return cuda.compile_ptx(function, signature, cc=cc, **options)[0]


def lines_in(text, number=1):
    return {int(line) for line in re.findall(rf"^\t\.loc\t{number} (\d+) ", text, re.M)} - {0}


def test_ptx_has_no_lines_unless_they_are_asked_for():
    assert ".loc" not in ptx_of() and ".file" not in ptx_of()


@pytest.mark.parametrize("option", ["lineinfo", "debug"])
def test_ptx_tells_the_users_file_and_lines(option):
    text = ptx_of(**{option: True})
    assert f'.file\t1 "{kernels.__file__}"' in text
    first, last = line_of("def total(") - 1, line_of("out[0] = shared[0]")
    inside = {line for line in lines_in(text) if first <= line <= last}
    assert line_of("s += doubled(x[k])") in inside and last in inside
    assert lines_in(text) - inside == {line_of("return v + v")}


def test_lines_change_no_instruction():
    assert code(ptx_of(lineinfo=True)) == code(ptx_of())


def test_a_kernel_that_is_traced_with_lines_still_leads_to_llvm():
    kernel = cuda.jit(lineinfo=True, cc=(8, 0))(saxpy.py_func)
    compilation = kernel.trace(*CALLS[0][1])
    unit = compilation.at("ptx").unit
    assert "\t.loc\t1 " in unit.ptx
    assert ptx_text.origins(unit.ptx, unit.ptx_listing) is not None
    assert compilation.diff("emit_ptx", "ptx").same


def test_functions_of_kernels_have_lines_too():
    text = ptx_of(doubled.py_func, "float64(float64)", device=True, lineinfo=True)
    assert line_of("return v + v") in lines_in(text)


@pytest.mark.parametrize("cc", [(7, 0), (8, 0), (9, 0)])
def test_ptxas_makes_the_same_code_with_lines(cc):
    if ptxas_for(cc) is None:
        pytest.skip(f"no ptxas has code for {cc}")
    bare, lines = ptx_of(cc=cc), ptx_of(cc=cc, lineinfo=True)
    known = assemble(bare, cc)
    told = assemble(lines, cc, lineinfo=True)
    assert known.figures == told.figures
    assert len(told.cubin) > len(known.cubin)


@needs_ptxas
@pytest.mark.parametrize(
    "name", ["<stdin>", "/tmp/a b/naïve.py", '/tmp/q"uote.py', "C:\\x\\new\n.py", ""]
)
def test_files_may_have_any_name(name):
    space = {"cuda": cuda}
    exec(compile("def k(x):\n    x[0] = 2.0", name, "exec"), space)  # noqa: S102
    assert assemble(ptx_of(space["k"], "void(float64[:])", lineinfo=True), (8, 0), lineinfo=True)
