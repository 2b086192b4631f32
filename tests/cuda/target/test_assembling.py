"""`ptxas`: what it makes, what it says, and what is told where it is not installed."""

from __future__ import annotations

import pytest

from cutaway import cuda
from cutaway.cuda import compiling
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
needs_ptxas = pytest.mark.skipif(toolkit.find_ptxas() is None, reason="ptxas is not installed")


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
    with pytest.raises(CudaError, match="refuses the code for sm_99.*sm_99"):
        assemble(KERNEL, (9, 9))


def test_without_ptxas_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(assembling, "find_ptxas", lambda: None)
    with pytest.raises(CudaError, match=r"cutaway\[cuda\]"):
        assemble(KERNEL, (8, 0))


def test_a_toolkit_that_the_environment_names_comes_first(monkeypatch, tmp_path):
    for name in ("bin/ptxas", "nvvm/libdevice/libdevice.10.bc"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.touch()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert toolkit.find_ptxas() == str(tmp_path / "bin/ptxas")
    assert toolkit.find_libdevice() == str(tmp_path / "nvvm/libdevice/libdevice.10.bc")


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
