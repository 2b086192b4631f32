"""The entry points that stand for compiled code."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def native(tmp_path_factory):
    folder = tmp_path_factory.mktemp("echo")
    source, library = Path(__file__).with_name("echo.c"), folder / "echo.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return ctypes.CDLL(str(library))
