"""Loops lifted out of object mode on the page: rows of their own, and code of both modes."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import cutaway
from page.test_browser import Opened


@cutaway.jit(forceobj=True)
def logged(values, log):
    total = 0.0
    for k in range(len(values)):
        total += values[k] * values[k]
    log.append(total)
    return total


LOOP = logged.py_func.__code__.co_firstlineno + 3


@pytest.fixture(scope="module")
def traced():
    logged(np.arange(3.0), [])
    return logged.trace(np.arange(3.0), [])


@pytest.fixture(scope="module")
def opened(browser, traced, tmp_path_factory):
    found = Opened(browser, traced.report(tmp_path_factory.mktemp("page") / "logged.html"))
    yield found
    assert found.said == []
    found.context.close()


def test_a_loop_is_a_row_that_one_steps_into(opened):
    opened.at("#pass=lift_loops")
    assert f"loop at line {LOOP}" in opened.text("#rail")
    opened.page.click("[data-k=loop-1]")
    assert f"logged (loop at line {LOOP})" in opened.text("header")
    assert "infer_types" in opened.text("#rail")


def test_both_modes_stand_side_by_side(opened):
    opened.at("#pass=lift_loops&view=levels")
    text = opened.text("#panes")
    assert "cutaway_py_run_loop" in text  # the machine code of the function
    assert "mulpd" in text or "mulsd" in text  # that of the loop
    assert opened.count("#panes select") == 3


def test_a_notebook_shows_the_loop_as_well(browser, traced, tmp_path):
    shown = traced._repr_mimebundle_()["text/html"]
    frame = tmp_path / "frame.html"
    frame.write_text(html.unescape(re.search(r'srcdoc="(.*?)"', shown, re.DOTALL)[1]))
    page = Opened(browser, frame)
    page.at("#view=levels")
    text = page.text("#panes")
    assert "mulpd" in text or "mulsd" in text
    assert page.said == []
    page.context.close()
