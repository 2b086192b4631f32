"""The table of capabilities says the truth: what it names is there, and its sum is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TEXT = (TESTS.parents[1] / "docs" / "inspection.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.+?) \| ([●◐○]) \| (.+) \|$", TEXT, re.MULTILINE)


def test_every_row_has_a_number():
    assert [int(number) for number, *_ in ROWS] == list(range(1, 44))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1]}")
def test_what_shows_a_capability_is_there(row):
    _, _, mark, shown = row
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", shown)
    assert named or mark == "○", "a yes needs a test"
    for file, name in named:
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(encoding="utf-8"), re.M), name


def test_the_sum_is_right():
    yes, partly, no = (sum(mark == row[2] for row in ROWS) for mark in "●◐○")
    whole, half = divmod(2 * yes + partly, 2)
    score = f"{whole}½" if half else str(whole)
    assert f"{yes} yes, {partly} partly, {no} no: {score} of 43." in TEXT
