"""Functions of libdevice: pruned, kept on disk, and a part of the module that calls them."""

from __future__ import annotations

import math
import re

import pytest

from cutaway import cuda
from cutaway.errors import CudaError
from cutaway.targets.ptx import libdevice, mathematics, toolkit
from cutaway.targets.ptx.assembling import assemble
from cutaway.targets.ptx.libdevice import answers, definition

pytestmark = pytest.mark.skipif(
    toolkit.find_libdevice() is None, reason="libdevice is not installed"
)
HERE = answers("sm_80", False)


def test_a_function_brings_what_it_calls_and_reads():
    sine = definition("__nv_sin", HERE)
    assert sine.text.startswith("define internal double @__nv_sin(double %a) alwaysinline")
    assert "__nvvm_reflect" not in sine.text and "alloca" not in sine.text
    helper = "__internal_trig_reduction_slowpathd"
    assert "__cudart_sin_cos_coeffs" in sine.declarations
    assert "noinline" in definition(helper, HERE).text
    assert "__cudart_i2opi_d" in definition(helper, HERE).declarations


@pytest.mark.parametrize("name", ["__nv_nothing", "sin", "cutaway_raise", "__other"])
def test_other_names_are_not_in_it(name):
    assert definition(name, HERE) is None


def test_numbers_near_zero_are_flushed_if_that_is_asked_for():
    assert "ftz" in definition("__nv_sinf", answers("sm_80", True)).text
    assert "ftz" not in definition("__nv_sinf", HERE).text


@pytest.mark.parametrize(("machine", "arch"), [("sm_70", 600), ("sm_75", 730), ("sm_90a", 821)])
def test_machines_with_the_same_functions_share_them(machine, arch):
    assert answers(machine, False).arch == arch


def test_what_was_pruned_is_kept_on_disk(monkeypatch):
    first = definition("__nv_log1p", HERE)
    libdevice._definition.cache_clear()
    monkeypatch.setattr(libdevice, "text_of_bitcode", None)  # it must not be read again
    monkeypatch.setattr(libdevice, "Module", None)
    assert definition("__nv_log1p", HERE) == first


def test_a_file_that_llvm_cannot_read_is_refused_with_its_path(monkeypatch, tmp_path):
    path = tmp_path / "libdevice.10.bc"
    path.write_text("nothing")
    monkeypatch.setattr(libdevice, "find_libdevice", lambda: str(path))
    with pytest.raises(CudaError, match="libdevice cannot be read") as caught:
        definition("__nv_sin", HERE)
    assert str(path) in caught.value.message


def test_without_it_no_function_is_defined(monkeypatch):
    monkeypatch.setattr(libdevice, "find_libdevice", lambda: None)
    assert definition("__nv_sin", HERE) is None


def _kernel(kind):
    names = sorted(
        name.removeprefix("__nv_").removesuffix("f") for name in ("sin", *mathematics._UNARY)
    )
    known = [name for name in names if hasattr(math, name)]
    lines = [f"    o[i] += math.{name}(a[i])" for name in known]
    binary = mathematics._BINARY.keys() - {"nextafter"}
    lines += [f"    o[i] += math.{name}(a[i], o[i])" for name in sorted(binary)]
    namespace = {"cuda": cuda, "math": math}
    exec("\n".join(["def kernel(a, o):", "    i = cuda.grid(1)", *lines]), namespace)  # noqa: S102
    return namespace["kernel"]


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("fastmath", [False, True])
def test_all_of_math_is_in_one_module_that_ptxas_takes(kind, fastmath):
    text, _ = cuda.compile_ptx(
        _kernel(kind), f"void({kind}[:], {kind}[:])", fastmath=fastmath, cc=(8, 0)
    )
    assert not re.search(r"^\.extern", text, re.MULTILINE)
    if toolkit.ptxas_for((8, 0)) is not None:
        assert assemble(text, (8, 0)).cubin
