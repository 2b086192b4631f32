"""The code of docs/ufuncs.md runs, and says what is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = Path(__file__).parents[3] / "docs" / "ufuncs.md"


@pytest.mark.skipif(not hasattr(np.add, "__dict__"), reason="ufuncs have no attributes")
def test_the_code_of_the_page_runs(tmp_path, capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    path = tmp_path / "page.py"
    path.write_text("\n".join(blocks))
    space: dict[str, Any] = {"__name__": "page"}
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102
    assert "argument 0 is converted from int8 to float64" in capsys.readouterr().out
