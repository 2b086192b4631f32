"""A click in one column finds its place in all others, on a function longer than a screen."""

from __future__ import annotations

import pytest

from cutaway.inspection.page import write
from page import nbody
from page.test_browser import Opened

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
STILL = """() => new Promise((done) => {
    let before = null;
    const look = () => {
        const now = [...document.querySelectorAll('.pane .code')].map((b) => b.scrollTop).join();
        if (now === before) return done(true);
        before = now;
        setTimeout(look, 60);
    };
    look();
})"""


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    file = write(tmp_path_factory.mktemp("page") / "nbody.html", nbody.compilation().record.data)
    found = Opened(browser, file)
    yield found
    assert found.said == []
    found.context.close()


def click(opened, key, row):
    """Click the code of a row as a user does; gives the columns whose lit rows are out of sight."""
    found = opened.page.locator(f'[data-k="{key}"] .row').nth(row)
    found.scroll_into_view_if_needed()
    found.click(position={"x": 70, "y": 8})
    opened.page.evaluate(STILL)
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
