"""One compilation of each kernel, for all tests that look at it."""

from __future__ import annotations

import pytest

from cuda.inspection.kernels import CALLS


@pytest.fixture(scope="session")
def traced():
    """The recorded compilations, by the name of the kernel."""
    return {kernel.__name__: kernel.trace(*args) for kernel, args in CALLS}
