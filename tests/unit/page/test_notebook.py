"""What a notebook shows of a compilation and its parts."""

from __future__ import annotations

import base64
import html
import json
import linecache
import re
import zlib

import numpy as np
import pytest

import cutaway
from cutaway.errors import OptionError
from cutaway.inspection.showing.page import notebook
from cutaway.inspection.showing.page.notebook import MOST
from page import made_up

pytestmark = pytest.mark.sampled(test=2, others=12, fast=0)


@pytest.fixture(scope="module")
def compilation():
    return made_up.real()


PARTS = {
    "compilation": lambda c: c,
    "source": lambda c: c.at("source"),
    "typed": lambda c: c.at("typed"),
    "asm": lambda c: c.at("asm"),
    "pass": lambda c: next(p for p in c.passes if p.name == "simplify"),
    "typing": lambda c: c.typing,
}


@pytest.mark.parametrize("part", PARTS)
def test_a_frame_is_small_and_has_the_text_behind_it(compilation, part):
    thing = PARTS[part](compilation)
    bundle = thing._repr_mimebundle_()
    text = bundle["text/html"]
    assert text.startswith("<iframe srcdoc=") and "<details>" in text
    assert len(text) < MOST + 5_000
    assert bundle["text/plain"] == str(thing)


def test_times_are_a_table_without_scripts(compilation):
    text = compilation.timings._repr_mimebundle_()["text/html"]
    assert text.startswith("<table>") and "infer_types" in text and "<script" not in text


def test_the_failed_pass_of_a_compilation_shows_itself():
    found = made_up.failed()
    assert found.passes[-1]._repr_mimebundle_()["text/html"].startswith("<iframe")


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        ("compilation", {"#title": "build_ir", ".of-source": "s += scale(a[i], k)"}),
        ("typed", {"#panes": "s.2 = s.1 += $17.3"}),
        ("pass", {"#title": "simplify"}),
        ("typing", {"#title": "a: array(float64, 1d, C)", "#panel": "How they were inferred"}),
    ],
)
def test_a_frame_opens_without_a_kernel(browser, compilation, part, wanted):
    said = []
    page = browser.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.set_content(PARTS[part](compilation)._repr_mimebundle_()["text/html"])
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached", timeout=10_000)
    for selector, text in wanted.items():
        assert text in frame.locator(selector).inner_text()
    frame.locator("body").press("ArrowRight")
    assert said == []
    page.close()


def programs():
    """Functions of 7, 40 and 100 lines with arithmetic on an array."""
    for lines in (7, 40, 100):
        body = "".join(f"        s = s * {k} + a[i] // {k}\n" for k in range(2, lines - 3))
        text = f"def f(a):\n    s = 0\n    for i in range(len(a)):\n{body}    return s\n"
        names: dict = {}
        file = f"<{lines} lines>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec"), names)
        yield lines, cutaway.jit(names["f"])


def data_of(page):
    """The record in a frame's page."""
    packed = re.search(r'id="data">([^<]+)<', html.unescape(page))[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def test_a_frame_goes_down_to_machine_code_for_functions_of_all_sizes():
    for lines, function in programs():
        found = function.trace(np.arange(5))
        shown = data_of(found._repr_mimebundle_()["text/html"])["functions"][0]
        levels = [state["level"] for state in shown["states"]]
        assert {"source", "llvm", "llvm_opt", "asm"} <= set(levels), lines
        assert [step["name"] for step in shown["passes"]] == [p.name for p in found.passes]
        assert not shown.get("left_out")


def test_a_frame_says_what_it_has_no_room_for(monkeypatch, compilation):
    sizes = {}
    for most in (1_000_000, 120_000, 60_000, 1):
        monkeypatch.setattr(notebook, "MOST", most)
        frame = compilation._repr_mimebundle_()["text/html"]
        main = data_of(frame)["functions"][0]
        sizes[most] = len(frame)
        states = {state["level"] for state in main["states"]}
        (said,) = main.get("left_out") or [""]
        assert ("asm" in states) != ("machine code" in said)
        assert bool(main["llvm"]) != ("the passes within LLVM" in said)
        assert not said or '`c.report("total.html")` writes a page with everything' in said
    assert sizes[1] < sizes[1_000_000]
    assert "machine code" in said


def test_a_frame_saves_itself_as_a_page(browser, compilation, monkeypatch, tmp_path):
    monkeypatch.setattr(notebook, "MOST", 1)
    page = browser.new_page(accept_downloads=True)
    page.set_content(compilation._repr_mimebundle_()["text/html"])
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached", timeout=10_000)
    assert "Left out: the functions that it calls" in frame.locator("#lacks").inner_text()
    with page.expect_download() as download:
        frame.locator("#save-button").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    said = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    page.locator("html[data-ready]").wait_for(state="attached", timeout=10_000)
    assert page.locator(".brand").is_visible() and not page.locator("#save-button").is_visible()
    assert "s += scale(a[i], k)" in page.locator(".of-source").inner_text()
    assert file.name == "total.html" and said == []
    page.close()


# --- the magic ----------------------------------------------------------------------------------


@pytest.fixture
def shell():
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    found = interactive.InteractiveShell.instance()
    found.run_line_magic("load_ext", "cutaway")
    found.run_cell("import cutaway\n@cutaway.jit\ndef twice(x):\n    return x * 2\n")
    yield found
    interactive.InteractiveShell.clear_instance()


def test_the_magic_shows_what_was_compiled_in_a_cell(shell, capsys, tmp_path):
    file = tmp_path / "twice.html"
    shell.run_cell(f"%%cutaway --level typed --report {file}\nprint(twice(4))\n")
    said = capsys.readouterr().out
    assert said.startswith("8\n") and "twice(int64): source -> " in said
    assert file.exists()
    shell.run_cell("%%cutaway\ntwice(4)\n")
    assert "compiled nothing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--levle typed", "unrecognized arguments: --levle typed"),
        ("--level nowhere", "invalid choice: 'nowhere'"),
        ("--diff ssa", "expected 2 arguments"),
        ('--why "s', "No closing quotation"),
    ],
)
def test_an_option_that_is_not_known_is_refused(line, message):
    magic = pytest.importorskip("cutaway.inspection.showing.magic")
    with pytest.raises(OptionError, match=message) as found:
        magic.options_of(line)
    assert found.value.hint


def test_the_magic_chooses_what_is_shown_first(compilation):
    magic = pytest.importorskip("cutaway.inspection.showing.magic")

    def first(line):
        return magic.shown_first(magic.options_of(line), compilation)

    assert first("--level asm")["columns"] == ["source", "asm"]
    assert first("--diff ir typed") == {
        "view": "diff",
        "a": "insert_dels",
        "b": "bounds_checks",
        "at": "bounds_checks",
    }
    assert first("--why s")["value"] == "s"
    with pytest.raises(OptionError, match="no pass or level 'nowhere'"):
        first("--diff ssa nowhere")
