"""Skips everything here where no GPU is, and leaves the GPU clean behind each test."""

from __future__ import annotations

import os

import pytest

from cutaway import config, cuda

# A machine that has to have one says so, so that nothing is skipped unnoticed.
WANTED = os.environ.get("CUTAWAY_TEST_GPU", "") not in ("", "0")


@pytest.fixture(scope="session")
def has_gpu():
    with config.using(CUDA_SIMULATOR=False):
        return cuda.is_available()


@pytest.fixture(autouse=True)
def gpu(has_gpu):
    if not has_gpu:
        if WANTED:
            pytest.fail("no GPU was found, and CUTAWAY_TEST_GPU asks for one")
        pytest.skip("no GPU")
    with config.using(CUDA_SIMULATOR=False):
        yield cuda.get_current_device()
        cuda.synchronize()
