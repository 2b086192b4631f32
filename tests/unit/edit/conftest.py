"""Programs that run in a process of their own."""

from __future__ import annotations

import os
import sys

import pytest

import warm


@pytest.fixture
def run_program(tmp_path):
    """Runs the text of a program with arguments; gives the lines that it prints."""
    path = tmp_path / "program.py"
    environment = {**os.environ, "CUTAWAY_CACHE_DIR": str(tmp_path / "cache")}

    def run(text: str, *arguments: str) -> list[str]:
        path.write_text(text)
        done = warm.run(
            [sys.executable, str(path), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run
