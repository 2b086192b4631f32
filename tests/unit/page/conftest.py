"""Pages, and a browser to open them in."""

from __future__ import annotations

import shutil

import pytest

from page import made_up

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def full():
    """The record that has everything."""
    return made_up.full()


@pytest.fixture(scope="session")
def broken():
    """The record of a compilation that failed."""
    return made_up.failed().record.data


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()
