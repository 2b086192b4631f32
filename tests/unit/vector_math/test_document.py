"""The document says the budgets that hold, and errors within them."""

from __future__ import annotations

from pathlib import Path

from cutaway.library.polynomials.table import ROWS

DOCUMENT = Path(__file__).parents[3] / "docs" / "vector_math.md"


def test_the_document_has_each_budget_and_an_error_within_it():
    said = {}
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            name, *numbers = (cell.strip(" `") for cell in line.strip("|").split("|"))
            said[name] = [float(number) for number in numbers]
    assert said.keys() == ROWS.keys()
    for name, (wide, measured_wide, single, measured_single) in said.items():
        assert (wide, single) == ROWS[name].budgets
        assert measured_wide <= wide and measured_single <= single
