"""The code of pages about parallel loops runs as it stands there."""

from __future__ import annotations

import re
import runpy
import warnings
from pathlib import Path

import numpy as np

DOCS = Path(__file__).parents[3] / "docs"


def ran(name: str, least: int) -> dict[str, object]:
    """The names that the code of a page defines."""
    page = DOCS / name
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= least
    space: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), space)  # noqa: S102  # the page's own
    return space


def test_the_code_of_the_page_runs():
    space = ran("parallel.md", 3)
    out, nearest = space["distances"](space["points"], space["center"])
    assert np.allclose(out, (space["points"] ** 2).sum(axis=1))
    assert nearest == out.min()


def test_the_code_of_the_page_on_races_runs(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        space = ran("races.md", 3)
    printed = capsys.readouterr().out
    assert "update: `counts[1]`" in printed
    assert printed.endswith("out[1]\n")
    assert not space["out"].any()
    embedding = np.ones((3, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        space["hogwild"](embedding, np.array([0, 1]), np.array([1, 2]), 0.1)
    assert np.array_equal(embedding, np.ones((3, 2)))


def test_the_page_of_diagnostics_shows_what_is_printed(tmp_path, monkeypatch, capsys):
    text = (DOCS / "parallel_diagnostics.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    shown = re.findall(
        r"```\n(.*?)```", re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL), re.S
    )
    program = tmp_path / "distances.py"
    program.write_text("".join(blocks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(program))
    printed = capsys.readouterr().out
    assert shown[0] in printed
    for line in shown[1].splitlines():
        assert line.removesuffix(" ...") in printed
    assert "line 9  for i in prange(len(points)): 10000 iterations" in printed
    assert (tmp_path / "threads.svg").is_file()
