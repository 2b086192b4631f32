"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from house import source


@pytest.fixture(scope="package", autouse=True)
def trees() -> Iterator[None]:
    """The trees that the tests share go with the last of them."""
    yield
    source.forget()
