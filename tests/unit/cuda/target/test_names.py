"""Names in PTX: they do not tell what was compiled before."""

from __future__ import annotations

from types import FunctionType

from cutaway import cuda
from cutaway.targets.cpu.engine import renumbered


@cuda.jit(device=True)
def helper(x):
    return x + 1 if x == 0 else helper_too(x)


@cuda.jit(device=True)
def helper_too(x):
    return x * 2


def kernel(a):
    tile = cuda.shared.array(32, "float32")
    tile[cuda.threadIdx.x] = helper(a[0])
    cuda.syncthreads()
    a[0] = tile[31 - cuda.threadIdx.x]


def test_the_same_kernel_has_the_same_text_each_time():
    texts = {
        cuda.compile_ptx(FunctionType(kernel.__code__, globals(), "kernel"), "(float32[:],)")[0]
        for _ in range(3)
    }
    assert len(texts) == 1


def test_numbers_follow_the_order_in_which_symbols_come():
    text = "call f$81;\n.shared .b8 f$81_$_shared_$_1[4];\ncall g$7;\nbra $L__BB0_2;\nmov f$81\n"
    assert renumbered(text) == (
        "call f$1;\n.shared .b8 f$1_$_shared_$_1[4];\ncall g$2;\nbra $L__BB0_2;\nmov f$1\n"
    )


def test_calls_are_numbered_as_they_come():
    text = "{ // callseq 41, 0\n} // callseq 41\n{ // callseq 40, 0\n} // callseq 40\n"
    assert renumbered(text) == text.replace("41", "1").replace("40", "2")
