"""Before the tests of kernels: the library as the CPU's tests expect it."""

from __future__ import annotations

import pytest

import cutaway.library.rest  # noqa: F401  first, since candidates are listed as they were registered
from cutaway.errors import UnsupportedError
from cutaway.targets.ptx.toolkit import find_libdevice
from library.registered import load_everything

load_everything()  # in the usual order; kernels alone would load some of it before the rest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skip a test whose kernels need libdevice where none is installed."""
    try:
        return (yield)
    except UnsupportedError as error:
        if find_libdevice() is None and "needs libdevice" in error.message:
            pytest.skip("libdevice is not installed")
        raise
