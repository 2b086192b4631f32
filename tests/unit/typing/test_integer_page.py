"""The code of docs/integer_arithmetic.md runs, and says what is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[3] / "docs" / "integer_arithmetic.md"


def test_the_code_of_the_page_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "page.py"
    path.write_text("\n".join(blocks), encoding="utf-8")
    space: dict[str, Any] = {"__name__": "page"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    assert space["levels"](space["np"].ones(2), space["out"]) is None


def test_the_files_that_the_page_names_exist():
    package = PAGE.parent.parent / "src" / "cutaway"
    named = set(re.findall(r"`([a-z_/]+\.py)`", PAGE.read_text(encoding="utf-8")))
    assert named
    for name in named:
        assert list(package.rglob(name.rpartition("/")[2])), name
