"""The page as text: what is in the file, its size, and that it is the same each time."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import zlib

import numpy as np
import pytest

import cutaway
from cutaway.errors import RecordError
from cutaway.inspection.record.encoding import from_json, to_json
from cutaway.inspection.showing.page import page
from cutaway.inspection.showing.page.page import page_text, write
from page import made_up

pytestmark = [pytest.mark.sampled(others=4, fast=0), pytest.mark.usefixtures("one_processor")]


def data_in(text):
    """The record inside of a page."""
    packed = re.search(r'id="data">([^<]*)<', text)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_the_page_holds_the_whole_record(full):
    assert from_json(data_in(page_text(full))) == full


def test_two_compilations_give_the_same_bytes_without_times():
    first, second = (made_up.real().record.data for _ in range(2))
    assert page_text(first, times=False) == page_text(second, times=False)
    assert page_text(first) != page_text(second)


def test_without_times_nothing_measured_is_in_the_page(full):
    found = data_in(page_text(full, times=False))
    main = found["functions"][0]
    assert not found["times"]
    assert not any(p["seconds"] or p["own_seconds"] or p["objects"] for p in main["passes"])
    assert [p["name"] for p in main["passes"]] == [p.name for p in full.functions[0].passes]


def test_the_page_asks_nothing_of_the_network(full):
    text = page_text(full) + page._app() + page._style()
    assert "default-src 'none'" in text
    known = {"http://www.w3.org/2000/svg"}  # a name, not a place
    assert set(re.findall(r"https?://[^\s\"')]+", text)) <= known
    assert not re.search(r"@import|url\((?!#)|<link|[^-\w]src=", text)


def test_the_page_of_ten_lines_is_small(full):
    assert len(page_text(full)) < 300_000
    empty = len(page_text(full)) - len(re.search(r'id="data">([^<]*)<', page_text(full))[1])
    assert empty < 80_000


def test_source_that_looks_like_html_stays_text():
    def odd(x):
        return "</script><img src=x onerror=alert(1)>" if x else "<!--"

    text = page_text(cutaway.trace(odd, True).record.data)
    assert "<img" not in text
    assert text.count("</script>") == 2


def test_a_page_is_written_to_a_file(tmp_path):
    made_up.real().report(tmp_path / "total.html", times=False)
    assert (tmp_path / "total.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_that_cannot_be_written_says_so(tmp_path, full):
    with pytest.raises(RecordError, match="cannot be written"):
        write(tmp_path / "no" / "folder.html", full)


def test_the_page_can_be_read_without_scripts(broken):
    text = page_text(broken)
    assert "<h1>wrong(array(float64, 1d, C))</h1>" in text
    assert "does not work between float64 and str" in text


@pytest.mark.slow
def test_a_page_of_a_hundred_lines_stays_below_two_megabytes(tmp_path):
    file = tmp_path / "long_module.py"
    file.write_text(LONG)
    spec = importlib.util.spec_from_file_location("long_module", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    data = cutaway.trace(module.long, np.ones(5)).record.data
    assert len(data.functions[0].source.lines) > 100
    assert len(page_text(data)) < 2_000_000


LINES = "".join(f"        x{k} = x{k - 1} * {k}.5 + i\n        s -= x{k}\n" for k in range(1, 50))
HEAD = "def long(a):\n    s = 0.0\n    for i in range(len(a)):\n        x0 = a[i]\n"
LONG = f"{HEAD}{LINES}    return s\n"


def test_a_record_is_not_changed_by_its_page(full):
    before = to_json(full)
    page_text(full, times=False)
    assert to_json(full) == before
