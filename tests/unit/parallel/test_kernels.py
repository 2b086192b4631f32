"""What is known of loops in order is known of the kernels of parallel ones."""

from __future__ import annotations

import numpy as np

import cutaway
from cutaway import prange


def elements(a, b):
    for i in prange(len(a)):
        b[i] = a[i] * 2.0 + 1.0


def rows(a, b):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j] * 2.0 + 1.0


def nest(a, b):
    for i in prange(a.shape[0]):
        for j in prange(a.shape[1]):
            b[i, j] = a[i, j] * 2.0 + 1.0


def test_a_kernel_works_on_several_elements_at_once():
    for program, shape in ((elements, 1000), (rows, (30, 40)), (nest, (30, 40))):
        record = cutaway.trace(cutaway.jit(program, parallel=True), np.ones(shape), np.ones(shape))
        text = str(record.at("llvm_opt").text)
        kernels = [part for part in text.split("\ndefine ") if ".parfor." in part.split("(")[0]]
        assert any(" x double>" in kernel for kernel in kernels)
