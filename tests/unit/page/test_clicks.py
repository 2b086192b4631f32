"""A click in one column finds its place in all others, on a function longer than a screen."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest

from cutaway.inspection.showing.page.page import write
from page import nbody
from page.test_browser import Opened

pytestmark = pytest.mark.sampled(others=8, fast=0)

# For each other column that has lit rows, its key where none of them can be seen.
UNSEEN = """(key) => [...document.querySelectorAll('.pane .code')].filter((body) => {
    if (body.dataset.k === key) return false;
    const lit = [...body.querySelectorAll('.row.lit')];
    const rows = lit.length ? lit : [...body.querySelectorAll('.row.near')];
    const box = body.getBoundingClientRect();
    return rows.length && !rows.some((row) => {
        const place = row.getBoundingClientRect();
        return place.top >= box.top - 1 && place.bottom <= box.bottom + 1;
    });
}).map((body) => body.dataset.k)"""


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    file = write(tmp_path_factory.mktemp("page") / "nbody.html", nbody.compilation().record.data)
    # Without the motion of a smooth scroll, which takes as long as the machine is busy.
    found = Opened(browser, file, reduced_motion="reduce")
    found.late = pytest.importorskip("playwright.sync_api").TimeoutError
    yield found
    assert found.said == []
    found.context.close()


def click(opened, key, row):
    """Click the code of a row as a user does, and wait until lit rows can be seen in all columns
    that have some; gives those where that does not come."""
    found = opened.page.locator(f'[data-k="{key}"] .row').nth(row)
    found.scroll_into_view_if_needed()
    found.click(position={"x": 70, "y": 8})
    with suppress(opened.late):
        opened.page.wait_for_function(f"(key) => ({UNSEEN})(key).length === 0", arg=key)
    return opened.page.evaluate(UNSEEN, key)


VIEWS = [
    ("#pass=build_ir", ["pane-source", "pane-now"]),
    ("#pass=emit_object", ["pane-source", "pane-now"]),
    ("#view=levels", ["pane-source", "pane-column-1", "pane-column-2", "pane-column-3"]),
]


@pytest.mark.parametrize(("view", "columns"), VIEWS, ids=[view for view, _ in VIEWS])
def test_a_click_brings_its_place_into_sight_in_every_other_column(opened, view, columns):
    opened.at(view)
    for key in columns:
        rows = opened.count(f'[data-k="{key}"] .row')
        assert rows > 30
        for row in range(0, rows, max(1, rows // 5)):
            assert click(opened, key, row) == [], (key, row)


def test_a_click_moves_the_other_columns(opened):
    opened.at("#pass=emit_object")
    assert click(opened, "pane-source", 30) == []
    assert opened.page.evaluate("""document.querySelector('[data-k="pane-now"]').scrollTop""") > 0


def test_a_guess_is_drawn_as_one_and_never_lights_up_as_the_place_itself(opened):
    opened.at("#pass=emit_object")
    guesses = opened.page.locator(".row.guess")
    assert guesses.count() > 5
    assert re.search(r"about line \d+$", guesses.first.inner_text())
    hatched = "getComputedStyle(document.querySelector('.row.guess')).backgroundImage"
    assert "repeating-linear-gradient" in opened.page.evaluate(hatched)
    click(opened, "pane-source", 4)
    assert opened.count(".row.guess.lit") == 0


def test_no_argument_is_said_to_be_gone(opened):
    for name in ("pos", "vel", "mass", "dt", "soft", "n", "dx", "dy"):
        opened.at(f"#value={name}&panel=value")
        assert opened.count(".life li") >= 4
        assert opened.count(".life li.gone") == 0
    life = opened.at("#value=pos&panel=value").text(".life")
    assert re.search(r"emit_object is (in %\w+|computed by \w+)", life)
