"""CUTAWAY_REPORT: every compilation of a program leaves a page, and the program is as it was."""

from __future__ import annotations

import re
import sys
import threading
import warnings

import numpy as np
import pytest

import cutaway
import warm
from cutaway import config
from cutaway.__main__ import main
from cutaway.dispatch import recompiling
from cutaway.errors import CompileError, ReportWarning
from cutaway.inspection.observers import reports
from cutaway.inspection.trace import Compilation

pytestmark = pytest.mark.sampled(others=4, fast=8)


@pytest.fixture(autouse=True)
def plain_pages(monkeypatch) -> None:
    """Pages that are made quickly, and no memory of folders of other tests."""

    def report(self: Compilation, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<title>{self.signature}</title>\n{self}\n")

    monkeypatch.setattr(Compilation, "report", report, raising=False)
    monkeypatch.setattr(reports, "_FOLDERS", {})


@pytest.fixture
def folder(tmp_path):
    with config.using(REPORT=str(tmp_path / "pages")):
        yield tmp_path / "pages"


def names(folder) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_every_outermost_compilation_leaves_a_page(folder):
    @cutaway.jit
    def inner(x):
        return x * 2

    @cutaway.jit
    def outer(x):
        return inner(x) + 1

    assert outer(3) == 7
    assert outer(3.5) == 8.0
    stem = f"{__name__}.test_every_outermost_compilation_leaves_a_page.outer"
    assert names(folder) == {f"{stem}-int64.html", f"{stem}-float64.html", "index.html"}


def test_a_page_holds_all_levels_though_a_caller_was_compiled_before(folder):
    @cutaway.jit
    def inner(x):
        return x * 2

    @cutaway.jit
    def outer(x):
        return inner(x) + 1

    outer(3)
    inner(3)
    page = next(path for path in folder.iterdir() if ".inner-" in path.name)
    assert "source -> bytecode" in page.read_text()
    assert "-> asm" in page.read_text()


def test_a_compilation_that_fails_leaves_a_page_and_comes_first(folder):
    @cutaway.jit
    def good(x):
        return x

    @cutaway.jit
    def bad(x):
        return x.missing

    good(1)
    with pytest.raises(CompileError):
        bad(1)
    page = next(path for path in folder.iterdir() if ".bad-" in path.name)
    assert "failed:" in page.read_text()
    index = (folder / "index.html").read_text()
    assert index.index(".bad-int64") < index.index(".good-int64")
    assert "2 compilations, 1 failed." in index
    assert "TypingError" in index or "UnsupportedError" in index


def test_functions_of_one_name_have_pages_of_their_own(folder):
    def make(k):
        @cutaway.jit
        def made(x):
            return x + k

        return made

    made = [make(k) for k in range(3)]
    for _ in range(2):
        for function in made:
            function(1)
            function.forget()
    ends = sorted(name.partition("made-int64")[2] for name in names(folder) if "made" in name)
    assert ends == ["-2.html", "-3.html", ".html"]


def test_names_are_safe_and_tell_types_apart(folder):
    @cutaway.jit
    def Total(a):
        return a.sum()

    Total(np.ones(3))
    Total(np.ones((3, 2))[:, 0])
    Total(np.ones((3, 2)))
    found = names(folder) - {"index.html"}
    assert len(found) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,160}", name) for name in found)
    assert len({name.lower() for name in found}) == 3


def test_long_names_are_cut_and_stay_apart(folder):
    @cutaway.jit
    def many(*values):
        return len(values)

    many(*range(80))
    many(*range(81))
    found = names(folder) - {"index.html"}
    assert len(found) == 2
    assert max(map(len, found)) < 160


def test_names_are_the_same_in_another_run(folder, monkeypatch):
    @cutaway.jit
    def total(a):
        return a.sum()

    total(np.ones(3))
    first = names(folder)
    total.forget()
    monkeypatch.setattr(reports, "_FOLDERS", {})
    total(np.ones(3))
    assert names(folder) == first


def test_only_functions_that_fit_the_filter_leave_a_page(folder):
    @cutaway.jit
    def inner(x):
        return x * 2

    @cutaway.jit
    def outer(x):
        return inner(x) + 1

    with config.using(FILTER="*inner"):
        outer(3)
    stem = f"{__name__}.test_only_functions_that_fit_the_filter_leave_a_page.inner"
    assert names(folder) == {f"{stem}-int64.html", "index.html"}


def test_the_index_lists_what_others_have_written_too(folder):
    folder.mkdir()
    (folder / "earlier.html").write_text("<title>x</title>")

    @cutaway.jit
    def less(x):
        return x < 1

    less(3)
    index = (folder / "index.html").read_text()
    assert '<a href="earlier.html">earlier</a>' in index
    assert "less(int64)" in index
    assert "returns bool" in index
    assert "<script" not in index
    assert not [name for name in names(folder) if not name.endswith(".html")]


def test_a_folder_that_cannot_be_written_is_warned_of_once(tmp_path):
    (tmp_path / "file").write_text("")

    @cutaway.jit
    def double(x):
        return x * 2

    with config.using(REPORT=str(tmp_path / "file")):
        with pytest.warns(ReportWarning, match="no report is written to"):
            assert double(3) == 6
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert double(2.5) == 5.0


def test_a_page_that_fails_does_not_end_the_program(folder, monkeypatch):
    def broken(self, path):
        raise ValueError("no page today")

    monkeypatch.setattr(Compilation, "report", broken)

    @cutaway.jit
    def double(x):
        return x * 2

    with pytest.warns(ReportWarning, match="ValueError: no page today"):
        assert double(3) == 6


def test_a_compilation_that_cannot_be_repeated_does_not_end_the_program(folder, monkeypatch):
    def broken(*args):
        raise ValueError("not again")

    @cutaway.jit
    def inner(x):
        return x * 2

    @cutaway.jit
    def outer(x):
        return inner(x) + 1

    outer(3)
    monkeypatch.setattr(recompiling, "recorded", broken)
    with pytest.warns(ReportWarning, match="ValueError: not again"):
        assert inner(3) == 6


def test_threads_write_pages_at_once(folder):
    made = []
    for k in range(6):
        made.append(cutaway.jit(eval(f"lambda x: x + {k}")))  # noqa: S307
    threads = [threading.Thread(target=function, args=(1,)) for function in made]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(names(folder)) == 7


STAND_IN = """
from cutaway.inspection.trace import Compilation
Compilation.report = lambda self, path: open(path, "w").close()
"""

PROGRAM = """
import cutaway

@cutaway.jit
def double(x):
    return x * 2

print(double(21))
"""


def test_a_program_is_run_with_reports(tmp_path, capsys):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    assert main(["run", "--report", str(tmp_path / "pages"), str(script)]) == 0
    assert capsys.readouterr().out == "42\n"
    assert names(tmp_path / "pages") == {"__main__.double-int64.html", "index.html"}


def test_the_environment_asks_for_reports(tmp_path, monkeypatch):
    script = tmp_path / "program.py"
    script.write_text(STAND_IN + PROGRAM)
    monkeypatch.setenv("CUTAWAY_REPORT", str(tmp_path / "pages"))
    done = warm.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.stdout == "42\n", done.stderr
    assert done.stderr == ""
    assert names(tmp_path / "pages") == {"__main__.double-int64.html", "index.html"}
