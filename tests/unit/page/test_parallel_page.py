"""Parallel loops on the page: what became of them, who ran what, and boxes with their bodies."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import config, prange
from cutaway.runtime import _runtime
from page.test_browser import Opened

pytestmark = pytest.mark.sampled(fast=0)


@cutaway.jit(parallel=True)
def roots(a, out):
    s = 0.0
    for i in prange(len(a)):
        out[i] = np.sqrt(a[i])
        s += a[i]
    for i in range(1, 4):
        out[i] += out[i - 1]
    return s


@cutaway.jit(parallel=True)
def strangers(a, b):
    t = a * 2.0
    u = b + 1.0
    return t, u


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    most, count, wanted = _runtime.most_threads(), _runtime.thread_count(), config.NUM_THREADS
    config.NUM_THREADS = 2
    cutaway.set_num_threads(2)
    file = tmp_path_factory.mktemp("page") / "roots.html"
    cutaway.trace(roots, np.ones(5000), np.ones(5000)).report(file)
    config.NUM_THREADS = wanted
    _runtime.set_most_threads(most)
    _runtime.set_thread_count(count)
    found = Opened(browser, file)
    yield found
    assert found.said == []
    found.context.close()


def test_loops_stand_with_what_became_of_them(opened):
    opened.at("#pass=prange_to_parfor&panel=decisions")
    text = opened.text("body")
    assert "Loops (2)" in text
    assert "s is a reduction by add" in text
    assert "It is refused" in text


def test_pieces_are_drawn_in_places_and_in_time(opened):
    opened.at("#pass=prange_to_parfor&panel=decisions")
    assert "Who ran what" in opened.text("body")
    assert opened.count(".threads rect.thread") == 4


def test_bodies_are_boxes_of_the_graph(opened):
    opened.at("#pass=prange_to_parfor&view=graph")
    titles = opened.page.text_content(".drawing")
    assert "i in 0 .. len(a); s by add; static" in titles
    assert opened.count(".drawing .frame") >= 1
    opened.at("#pass=ssa&view=graph")
    assert opened.count(".drawing .frame") == 0


def test_loops_that_stay_two_stand_with_what_was_tried(browser, tmp_path):
    file = tmp_path / "strangers.html"
    cutaway.trace(strangers, np.ones(50), np.ones(50)).report(file)
    page = Opened(browser, file)
    text = page.at("#pass=fuse_parfors&panel=decisions").text("body")
    assert "Parallel loops that stay two (1)" in text
    assert "assert a.shape == b.shape" in text and "They are one loop then" in text
    assert page.said == []
    page.context.close()
