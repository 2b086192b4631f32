"""`ptxas`: what it makes, what it says, and what is told where it is not installed."""

from __future__ import annotations

import os
import re

import pytest

from cutaway import cuda
from cutaway.cuda import compiling
from cutaway.cuda.code import code_of
from cutaway.dispatch.signatures import read_signature
from cutaway.errors import CudaError
from cutaway.targets.ptx import assembling, toolkit
from cutaway.targets.ptx.assembling import KernelFigures, assemble, disassemble, read_figures

KERNEL = """\
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b64 %rd<2>;
  .shared .align 4 .b8 s[128];
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 0;
  bar.sync 0;
  ret;
}
"""
needs_ptxas = pytest.mark.skipif(
    toolkit.ptxas_for((8, 0)) is None, reason="no ptxas has code for sm_80"
)


@needs_ptxas
def test_a_kernel_is_assembled_with_its_figures():
    made = assemble(KERNEL, (8, 0))
    assert made.cubin.startswith(b"\x7fELF")
    (figures,) = made.figures
    assert (figures.name, figures.shared, figures.barriers) == ("k", 128, 1)
    assert figures.registers > 0


@needs_ptxas
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "Missing .version directive"),
        (KERNEL.replace("bar.sync", "bar.sink"), "line 10"),
    ],
)
def test_what_ptxas_refuses_is_told_in_its_words(text, message):
    with pytest.raises(CudaError, match=message) as caught:
        assemble(text, (8, 0))
    assert "stdin" not in str(caught.value) and "/tmp" not in str(caught.value)


@needs_ptxas
def test_a_capability_that_there_is_not_is_told():
    with pytest.raises(CudaError, match="no code for compute capability 9.9"):
        assemble(KERNEL, (9, 9))


@pytest.fixture
def alone(monkeypatch):
    """No toolkit but those that a test adds to PATH."""
    monkeypatch.setattr(toolkit, "_WHEELS", ())
    monkeypatch.setattr(toolkit, "_SYSTEM", ())
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "")
    return monkeypatch


def fake(folder, release, names, status=0):
    """A toolkit whose `ptxas` answers questions about itself, and makes no code."""
    program = folder / "bin" / "ptxas"
    program.parent.mkdir(parents=True)
    words = ", ".join(f"'sm_{name}','compute_{name}'" for name in names.split())
    program.write_text(
        f'#!/bin/sh\ncase "$1" in\n--version) echo "release {release}, V{release}.1";;\n'
        f'--help) echo "Allowed values: {words}";;\n*) exit 9;;\nesac\nexit {status}\n'
    )
    program.chmod(0o755)
    return str(program)


def in_path(monkeypatch, *programs):
    monkeypatch.setenv("PATH", os.pathsep.join(os.path.dirname(one) for one in programs))


def test_the_first_ptxas_that_has_code_for_a_gpu_is_taken(alone, tmp_path):
    late = fake(tmp_path / "late", "13.0", "75 80 110 120a")
    early = fake(tmp_path / "early", "12.9", "70 75 80 101")
    in_path(alone, late, early)
    assert toolkit.find_ptxas() == toolkit.ptxas_for((8, 0)) == late
    assert toolkit.ptxas_for((7, 0)) == toolkit.ptxas_for((10, 1)) == early
    assert toolkit.ptxas_for((11, 0)) == late and toolkit.ptxas_for((12, 0)) is None


@pytest.mark.parametrize(
    ("cc", "hint"), [((7, 0), r"CUDA 12.*cc=\(7, 5\)"), ((12, 0), "newer.*7.5, 8.0")]
)
def test_what_the_ptxas_that_is_installed_cannot_is_refused_in_words(alone, tmp_path, cc, hint):
    in_path(alone, fake(tmp_path, "13.0", "75 80"))
    words = f"ptxas of CUDA 13.0 has no code for compute capability {cc[0]}.{cc[1]}"
    with pytest.raises(CudaError, match=words) as caught:
        assemble(KERNEL, cc)
    assert re.search(hint, caught.value.hint)


def test_a_kernel_for_another_gpu_is_left_to_the_driver(alone, tmp_path):
    in_path(alone, fake(tmp_path, "13.0", "75 80"))

    @cuda.jit(cc=(7, 0))
    def kernel(a):
        a[cuda.grid(1)] = 1

    made = code_of(kernel.half, read_signature("void(float32[::1])").args)
    assert made.cubin == b"" and ".target sm_70" in made.ptx


def test_a_ptxas_that_cannot_be_run_is_passed_over(alone, tmp_path):
    broken = fake(tmp_path / "broken", "13.0", "80", status=3)
    in_path(alone, broken)
    with pytest.raises(CudaError, match="cannot be run") as caught:
        assemble(KERNEL, (8, 0))
    assert broken in caught.value.message
    right = fake(tmp_path / "right", "12.9", "80")
    in_path(alone, broken, right)
    assert toolkit.find_ptxas() == toolkit.ptxas_for((8, 0)) == right


def test_the_toolkit_of_a_linked_ptxas_has_libdevice(alone, tmp_path):
    program = fake(tmp_path / "toolkit", "13.0", "80")
    library = tmp_path / "toolkit" / "nvvm" / "libdevice" / "libdevice.10.bc"
    library.parent.mkdir(parents=True)
    library.touch()
    link = tmp_path / "links" / "ptxas"
    link.parent.mkdir()
    link.symlink_to(program)
    in_path(alone, str(link))
    assert toolkit.find_libdevice() == str(library)


def test_without_ptxas_the_extra_is_named(alone):
    with pytest.raises(CudaError, match=r"cutaway\[cuda\]"):
        assemble(KERNEL, (8, 0))


def test_a_toolkit_that_the_environment_names_comes_first(monkeypatch, tmp_path):
    program = fake(tmp_path, "13.0", "80")
    library = tmp_path / "nvvm" / "libdevice" / "libdevice.10.bc"
    library.parent.mkdir(parents=True)
    library.touch()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert toolkit.find_ptxas() == program
    assert toolkit.find_libdevice() == str(library)


def test_figures_are_read_from_what_ptxas_says():
    log = """\
ptxas info    : 96 bytes gmem, 72 bytes cmem[3]
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    40 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 128 registers, used 2 barriers, 1024+16 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, 352 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Function properties for helper
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""
    assert read_figures(log) == (
        KernelFigures("first", 128, 8, 12, 40, 1040, 400, 2),
        KernelFigures("second", 10, constant=360),
        KernelFigures("helper", stack=16),
    )


@needs_ptxas
@pytest.mark.skipif(toolkit.find_nvdisasm() is None, reason="nvdisasm is not installed")
def test_machine_code_is_shown_as_instructions():
    assert "EXIT" in disassemble(assemble(KERNEL, (8, 0)).cubin)
    with pytest.raises(CudaError, match="nvdisasm"):
        disassemble(b"nothing")


def test_without_nvdisasm_its_package_is_named(monkeypatch):
    monkeypatch.setattr(assembling, "find_nvdisasm", lambda: None)
    with pytest.raises(CudaError, match="pip install nvidia-cuda-nvdisasm"):
        disassemble(b"")


@needs_ptxas
def test_a_kernel_shows_its_machine_code(monkeypatch):
    @cuda.jit(cc=(8, 0))
    def kernel(a):
        a[cuda.grid(1)] = 1

    seen = []
    monkeypatch.setattr(compiling, "disassemble", lambda cubin: seen.append(cubin) or "EXIT ;")
    assert kernel.inspect_sass() == {}
    assert kernel.inspect_sass("(float32[::1],)") == "EXIT ;"
    assert list(kernel.inspect_sass().values()) == ["EXIT ;"]
    assert seen[0].startswith(b"\x7fELF")
