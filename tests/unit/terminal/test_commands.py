"""`inspect`, `report` and `diff` show what the API shows: on terminals, into pipes, from files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from records import everything
from rich.console import Console

import cutaway
from cutaway.__main__ import main
from cutaway.inspection.showing.page import page

pytestmark = [
    pytest.mark.sampled(test=2, others=6, fast=0),
    pytest.mark.usefixtures("one_processor"),
]

PROGRAM = """
import cutaway

@cutaway.jit
def twice(x):
    return x * 2

def total(n, scale):
    s = 0
    for i in range(n):
        s = s + twice(i) * scale
    return s

def wrong(a):
    return a.nothing
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A function of a file; the state that commands change is put back."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return f"{path}:total"


@pytest.fixture
def file(tmp_path: Path) -> str:
    """The file of a record."""
    path = tmp_path / "f.cutaway"
    everything().save(path)
    return str(path)


def test_inspect_tells_what_each_pass_changed_and_folds_the_others(program, capsys) -> None:
    assert main(["inspect", program, "--args", "3, 2.5"]) == 0
    out = capsys.readouterr().out
    assert "inline_closures, fuse_generators, unroll_tuples, declare_locals, check_unbound" in out
    assert "`--level llvm` shows them" in out
    assert "+     s.1 = phi(" in out
    assert main(["inspect", program, "--args", "3, 2.5", "--all"]) == 0
    assert "\nunroll_tuples: changed nothing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--diff", "ir", "ssa"], "1 phi added"),
        (["--biography", "s"], "born"),
        (["--pass", "fold"], "fold (3 rewrite): changed"),
        (["--values"], "returns 3"),
        (["--decisions"], "2 is a constant"),
        (["--level", "llvm"], "define i64"),
        (["--timings"], "ms total"),
        (["--graph", "--level", "ir"], "digraph"),
        (["--diff", "build_ir", "fold#2"], "1 const removed"),
        (["--inside", "f", "--pass", "quiet"], "no change"),
    ],
)
def test_inspect_shows_parts_of_a_record(options, words, file, program, capsys) -> None:
    subject = [program, "--args", "3, 2"] if {"ssa", "--graph"} & {*options} else [file]
    assert main(["inspect", *subject, *options]) == 0
    assert words in capsys.readouterr().out


def test_inspect_saves_a_record_and_prints_its_json(program, tmp_path, capsys) -> None:
    path = tmp_path / "s.cutaway"
    assert main(["inspect", program, "--types", "int64, float64", "--save", str(path)]) == 0
    assert capsys.readouterr().out == ""
    assert cutaway.load(path).name == "total"
    assert main(["inspect", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "cutaway.record"
    assert main(["inspect", str(path), "--inside", "twice", "--level", "source"]) == 0
    assert "return x * 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--pass", "fald"], "did you mean fold?"),
        (["--inside", "h"], "known: f, g"),
        (["--diff", "ir", "ssb"], "levels: source, ir, llvm"),
        (["--biography", "x"], "variables: a, s"),
        (["--args", "1"], "remove --args, --types and --cc"),
    ],
)
def test_what_is_not_in_a_record_is_an_error_with_a_hint(options, words, file, capsys) -> None:
    assert main(["inspect", file, *options]) == 1
    err = capsys.readouterr().err
    assert words in err and "Traceback" not in err


def test_the_error_of_a_compilation_is_told_live_and_from_a_file(program, tmp_path, capsys) -> None:
    path = tmp_path / "w.cutaway"
    wrong = program.replace(":total", ":wrong")
    assert main(["inspect", wrong, "--args", "1", "--save", str(path)]) == 1
    assert "return a.nothing" in capsys.readouterr().err
    assert main(["inspect", str(path)]) == 1
    captured = capsys.readouterr()
    assert "infer_types: failed" in captured.out
    assert "has no attribute 'nothing'" in captured.err


@pytest.mark.parametrize("command", ["inspect", "view", "report", "diff"])
def test_a_bad_file_is_an_error_without_our_stack(command, tmp_path, capsys) -> None:
    path = tmp_path / "bad.cutaway"
    path.write_bytes(b"no record")
    more = {"report": ["-o", str(tmp_path / "f.html")], "diff": [str(path)]}.get(command, [])
    assert main([command, str(path), *more]) == 1
    assert "RecordError: this is not the record of a compilation" in capsys.readouterr().err


def test_report_writes_a_page(file, tmp_path, capsys, monkeypatch) -> None:
    written = []
    monkeypatch.setattr(page, "write", lambda path, data, times: written.append((path, times)))
    out = tmp_path / "f.html"
    assert main(["report", file, "-o", str(out), "--no-times"]) == 0
    assert written == [(out, False)]
    assert capsys.readouterr().out == f"wrote {out}\n"


def test_diff_compares_functions_and_files(program, file, capsys) -> None:
    arguments = [program, program, "--args", "3, 2", "--args2", "3, 2.5"]
    assert main(["diff", *arguments]) == 1
    assert "argument scale: int64 | float64" in capsys.readouterr().out
    assert main(["diff", *arguments, "--level", "typed"]) == 1
    assert "scale = arg(1, name=scale)  :: float64" in capsys.readouterr().out
    assert main(["diff", file, file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sizes"]


def test_two_functions_get_the_same_arguments_when_one_set_is_given(program, capsys) -> None:
    assert main(["diff", program, program, "--types", "int64, int64"]) == 0
    assert "levels:" in capsys.readouterr().out


def test_into_a_pipe_goes_plain_text_and_nothing_is_cut(file, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert main(["inspect", file, "--level", "llvm"]) == 0
    out = capsys.readouterr().out
    assert out.rstrip("\n") == everything().at("llvm").text
    assert "\x1b" not in out


@pytest.mark.parametrize("columns", [40, 100, 160])
def test_on_a_terminal_it_is_drawn_as_wide_as_that_is(columns, file, monkeypatch) -> None:
    pytest.importorskip("pty")
    from screens import Screen

    screen = Screen("inspect", file, columns=columns, NO_COLOR="1")
    status, out = screen.finish()
    assert status == 0
    assert max(map(len, out.splitlines())) <= columns
    assert "\x1b[3" not in screen.seen.replace("\x1b[3m", "")
    flat = out.replace("\n", "")
    assert "const removed" in flat and "s = a + 2" in flat


def test_a_level_is_drawn_beside_the_source_that_it_comes_from() -> None:
    console = Console(width=120, record=True, file=open("/dev/null", "w"))
    console.print(everything().at("build_ir"))
    text = console.export_text()
    assert "2     s = a + 2" in text.replace("  2 ", "2 ") and "$0 = const(2)" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["{file}:total"], 'arguments with --args "1.0, 2"'),
        (["{file}:total", "--args", "float64[:]"], "for types use --types 'float64[:]'"),
        (["{file}:total", "--types", "np.arange(3.)"], "for values use --args"),
        (["{file}:totl", "--args", "1"], "did you mean total?"),
        (["{file}:q", "--args", "1"], "functions: twice, total, wrong"),
    ],
)
def test_what_was_meant_stands_in_the_hint(options, words, program, capsys) -> None:
    file = program.rpartition(":")[0]
    assert main(["inspect", *(word.format(file=file) for word in options)]) == 1
    assert words in capsys.readouterr().err


def test_a_file_without_a_function_gets_an_example(program, capsys) -> None:
    file = program.rpartition(":")[0]
    with pytest.raises(SystemExit, match="2"):
        main(["inspect", file])
    assert f"is not FILE:FUNC, as in {file}:name" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["inspect", f"{file.removesuffix('.py')}:total"])
    assert f"is {file} meant?" in capsys.readouterr().err


def test_without_a_command_the_help_is_shown(capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "cutaway report program.py:total" in capsys.readouterr().err


def test_a_pass_in_a_pipe_shows_what_it_changed(program, capsys) -> None:
    assert main(["inspect", program, "--args", "3, 2.5", "--pass", "ssa"]) == 0
    out = capsys.readouterr().out
    assert "Give every assignment a variable of its own: SSA form" in out and "phi(" in out


def test_a_page_without_a_name_is_that_of_the_function(
    program, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", program, "--args", "3, 2.5"]) == 0
    assert capsys.readouterr().out == "wrote total.html\n"
    assert (tmp_path / "total.html").is_file()


def test_run_tells_where_the_pages_are_and_what_came_too_late(
    program, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    file = program.rpartition(":")[0]
    Path(file).write_text(f"{PROGRAM}\ntwice(2)\n")
    pages = tmp_path / "pages"
    assert main(["run", "--report", str(pages), file]) == 0
    assert f"{pages / 'index.html'} lists the compiled functions" in capsys.readouterr().err
    assert main(["run", file, "--report", "pages"]) == 0
    assert "put it before the script" in capsys.readouterr().err
