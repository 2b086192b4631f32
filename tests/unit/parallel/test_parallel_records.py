"""The record of a function with parallel loops: what became of them, and who ran what."""

from __future__ import annotations

import json

import numpy as np
import pytest

import cutaway
from cutaway import config, prange
from cutaway.errors import PipelineError
from cutaway.inspection.record.encoding import to_json
from cutaway.inspection.record.recorded import load
from cutaway.inspection.showing.page.page import page_text
from cutaway.runtime import _runtime

pytestmark = pytest.mark.sampled(test=2, others=12, fast=0)


@cutaway.jit(parallel=True)
def roots(a, out):
    s = 0.0
    for i in prange(len(a)):
        out[i] = np.sqrt(a[i])
        s += a[i]
    for i in range(1, 4):
        out[i] += out[i - 1]
    return s


@pytest.fixture
def traced(monkeypatch):
    most, count = _runtime.most_threads(), _runtime.thread_count()
    monkeypatch.setattr(config, "NUM_THREADS", 2)
    cutaway.set_num_threads(2)
    a = np.random.default_rng(1).random(5000)
    yield cutaway.trace(roots, a, a.copy())
    _runtime.set_most_threads(most)
    _runtime.set_thread_count(count)


def test_a_record_has_who_ran_what(traced, tmp_path):
    traced.save(tmp_path / "f.cutaway")
    read = load(tmp_path / "f.cutaway").iterations
    (region,) = read.regions
    assert [piece["bounds"] for piece in region["pieces"]] == [[[0, 2500]], [[2500, 5000]]]
    assert str(read) == str(traced.record.iterations)


def test_a_record_of_types_has_no_run():
    c = roots.trace(cutaway.types.float64[::1], cutaway.types.float64[::1])
    with pytest.raises(PipelineError, match="no run of parallel loops is recorded"):
        _ = c.record.iterations


def test_what_is_measured_is_not_in_a_page_without_times(traced):
    data = traced.record.data
    again = cutaway.trace(roots, *traced.arguments).record.data
    assert page_text(data, times=False) == page_text(again, times=False)
    assert data.functions[0].threads != again.functions[0].threads


def test_facts_of_loops_are_json(traced):
    function = to_json(traced.record.data)["functions"][0]
    assert json.loads(json.dumps(function["parallel"])) == function["parallel"]
