"""The code of docs/cuda_ufuncs.md runs, and says what is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[4] / "docs" / "cuda_ufuncs.md"


def test_the_code_of_the_page_runs(tmp_path, capsys):
    text = PAGE.read_text()
    path = tmp_path / "page.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    space: dict[str, Any] = {"__name__": "page"}
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102
    (shown,) = re.findall(r"```\n(def .*?)```", text, re.DOTALL)
    assert shown in capsys.readouterr().out
