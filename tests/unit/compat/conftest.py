"""Programs that import numba, run in processes of their own: the tests' process has no layer."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import warm

SOURCE = Path(__file__).parents[3] / "src"
Done = subprocess.CompletedProcess[str]


def environment(*places: object) -> dict[str, str]:
    """The environment of a process that finds the package, and these places before it."""
    others = ("NUMBA_", "CUTAWAY_", "PYTEST_ADDOPTS")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(others)}
    return kept | {"PYTHONPATH": os.pathsep.join([*map(str, places), str(SOURCE)])}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Done]:
    """Runs Python with words, in an empty folder that has files of these texts."""

    def run_python(
        *words: str,
        files: dict[str, str] | None = None,
        places: tuple = (),
        compiler: bool = True,
    ) -> Done:
        for name, text in (files or {}).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        command = [sys.executable, *words]
        found = environment(*places)
        return warm.run(
            command,
            compiler=compiler,
            cwd=tmp_path,
            env=found,
            capture_output=True,
            text=True,
            timeout=200,
        )

    return run_python
