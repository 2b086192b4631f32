"""Loops over arrays on the page: frames, reasons, lives, and lines in both directions."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from page.test_browser import Opened

pytestmark = pytest.mark.sampled(others=4, fast=0)


def kernel(a, b):
    t = a * b
    s = t + 1.0
    a[0] = 2.0
    r = s * a
    return r


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "kernel.html"
    cutaway.trace(kernel, np.arange(4.0), np.arange(4.0)).report(file)
    found = Opened(browser, file)
    yield found
    assert found.said == []
    found.context.close()


def test_loops_are_frames_with_their_titles(opened):
    opened.at("#pass=fuse_arrays&view=graph&graph=loops")
    assert opened.count(".drawing .frame") == 2
    assert "i along axis 0" in opened.page.text_content(".drawing .frame text")
    opened.at("#pass=array_expressions&view=graph&graph=loops")
    assert opened.count(".drawing .frame") == 3


def test_the_decisions_tell_what_could_be_one_loop_and_what_was_tried(opened):
    text = opened.at("#pass=fuse_arrays&panel=decisions").text("#inspector, aside, body")
    line = kernel.__code__.co_firstlineno
    assert "Loops that could be one (1)" in text
    assert "before the loop of line" in text
    assert f"line {line + 3}" in text


def test_the_life_of_a_fused_variable_says_where_it_is_computed(opened):
    line = kernel.__code__.co_firstlineno
    text = opened.at("#pass=fuse_arrays&value=t&panel=value").text("body")
    assert f"is computed in the loop of line {line + 2}: no array holds it" in text


def test_a_line_lights_its_operations_on_elements(opened):
    line = kernel.__code__.co_firstlineno + 1
    opened.at(f"#view=levels&columns=source|arrayexpr&line={line}")
    lit = opened.page.locator(".pane:last-child .row.near, .pane:last-child .row.lit")
    texts = " ".join(lit.all_inner_texts())
    assert "element multiply" in texts
    assert "element add" not in texts
