"""The code of docs/parallel.md runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "parallel.md"


def test_the_code_of_the_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 2
    space: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), space)  # noqa: S102  # the page's own
    out, nearest = space["distances"](space["points"], space["center"])
    assert np.allclose(out, (space["points"] ** 2).sum(axis=1))
    assert nearest == out.min()
