"""All of these tests run in the simulator, which checks each launch for races."""

from __future__ import annotations

import pytest

from cutaway import config


@pytest.fixture(autouse=True)
def simulator():
    with config.using(CUDA_SIMULATOR=True):
        yield
