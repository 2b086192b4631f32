"""Each allocation of an operation on lists, dicts and sets fails in turn: no item is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None or sys.platform != "linux", reason="needs gcc")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer has the allocator")
def test_no_item_is_lost_without_memory(tmp_path):
    library = tmp_path / "failing.so"
    source = HERE / "failing_allocations.c"
    command = ["gcc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"]
    subprocess.run(command, check=True)
    script = HERE / "containers_without_memory.py"
    done = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100  # allocations that failed
