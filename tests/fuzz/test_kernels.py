"""Made-up kernels are compiled and assembled, and do in the simulator what they do in Python."""

from __future__ import annotations

from unittest import mock

import corpora
from fuzz import kernel_threads, kernels
from fuzz.batches import run


def test_made_up_kernels_are_compiled_and_do_what_they_do_in_python():
    report = run(kernels.check, corpora.seeds("KERNELS"))
    assert not report.findings, report.findings[0]


def test_a_planted_fault_is_found():
    with mock.patch.object(kernel_threads, "_changed", lambda name, array, index, value: value):
        assert run(lambda seed: kernels.checked(seed, assembled=False), [SMALL]).findings


SMALL = 285  # a kernel with an atomic operation
