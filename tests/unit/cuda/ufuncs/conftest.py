"""These tests run in the simulator, which checks each launch for races; with `make test-gpu` they
run on a GPU."""

from __future__ import annotations

import os

import pytest

from cutaway import config


@pytest.fixture(autouse=True)
def simulator():
    with config.using(CUDA_SIMULATOR=os.environ.get("CUTAWAY_TEST_GPU", "") in ("", "0")):
        yield
