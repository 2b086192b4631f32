"""What a notebook shows of a compilation and its parts."""

from __future__ import annotations

import pytest

from cutaway.errors import OptionError
from cutaway.inspection.showing.page.notebook import MOST
from page import made_up


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
