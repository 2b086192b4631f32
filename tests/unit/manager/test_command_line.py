"""The command line shows what the API shows, and errors without our stack."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import warm
from cutaway.__main__ import main

pytestmark = pytest.mark.sampled(others=3, fast=4)

PROGRAM = """
import cutaway

def add(a, b):
    return a + b

@cutaway.jit
def double(x):
    return add_compiled(x, x)

add_compiled = cutaway.jit(add)

def wrong(a):
    return a + "text"

if __name__ == "__main__":
    import sys
    print(sys.argv[1:], double(21))
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a few functions; the state that commands change is put back."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize(
    ("level", "words"),
    [
        ("source", "def add(a, b):"),
        ("bytecode", "return_value"),
        ("cfg", "CFG dominators:"),
        ("ir", "= a + b"),
        ("ssa", "= a + b"),
        ("typed", ":: int64"),
        ("llvm", "define"),
        ("llvm_opt", "define"),
        ("asm", "ret"),
    ],
)
def test_inspect_shows_a_function_at_a_level(program, capsys, level, words) -> None:
    assert main(["inspect", f"{program}:add", "--args", "1, 2", "--level", level]) == 0
    assert words in capsys.readouterr().out.replace("RETURN_VALUE", "return_value")


def test_inspect_takes_types_and_compiled_functions(program, capsys) -> None:
    arguments = ["inspect", f"{program}:double", "--types", "float64", "--level", "typed"]
    assert main(arguments) == 0
    assert ":: float64" in capsys.readouterr().out


def test_inspect_shows_passes_times_and_graphs(program, capsys) -> None:
    assert main(["inspect", f"{program}:add", "--args", "1, 2"]) == 0
    assert "infer_types (4 types): changed" in capsys.readouterr().out
    assert main(["inspect", f"{program}:add", "--args", "1, 2", "--timings"]) == 0
    assert "ms total" in capsys.readouterr().out
    assert main(["inspect", f"{program}:add", "--args", "1, 2", "--graph"]) == 0
    assert "digraph" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{}:wrong", "--args", "1"], 'return a + "text"'),
        (["{}:missing"], "defines no missing"),
        (["{}:add", "--args", "1"], "missing 1 required positional argument"),
        (["{}:add", "--args", "1 +"], "SyntaxError"),
        (["{}:add", "--types", "flot64, int64"], "flot64"),
    ],
)
def test_errors_are_shown_without_our_stack(program, capsys, arguments, words) -> None:
    arguments[0] = arguments[0].format(program)
    assert main(["inspect", *arguments]) == 1
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["inspect", "no_colon"], ["opt", "x.ir"], ["run"]]
)
def test_bad_usage_is_status_2(arguments) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_passes_lists_passes_and_the_reasons_of_their_order(capsys) -> None:
    assert main(["passes"]) == 0
    out = capsys.readouterr().out
    assert "ssa -> typed" in out
    assert "prune_branches before simplify: pruning leaves" in out


def test_opt_reads_ir_runs_passes_and_writes_ir(program, capsys, tmp_path) -> None:
    main(["inspect", f"{program}:add", "--args", "1, 2", "--level", "ir"])
    text = tmp_path / "add.ir"
    text.write_text(capsys.readouterr().out)
    assert main(["opt", str(text), "--pipeline", "ssa,simplify"]) == 0
    out = capsys.readouterr().out
    assert "= a + b" in out
    assert "del " not in out
    text.write_text(out)
    typed = ["--pipeline", "infer_types,refcounts", "--types", "int64, int64"]
    assert main(["opt", str(text), "--level", "ssa", *typed]) == 0
    assert ":: int64" in capsys.readouterr().out


def test_opt_shows_what_is_wrong_with_its_input(capsys, tmp_path) -> None:
    text = tmp_path / "bad.ir"
    text.write_text("this is no IR")
    assert main(["opt", str(text), "--pipeline", "ssa"]) == 1
    assert "ParseError" in capsys.readouterr().err


def test_doctor_finds_nothing_wrong(capsys) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "[!!]" not in out
    assert all(f"[ok] {what} " in out for what in ("ptxas", "libdevice", "GPU"))


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m cutaway run` in a process of its own."""
    command = [sys.executable, "-m", "cutaway", "run", *arguments]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CUTAWAY_")}
    return warm.run(command, capture_output=True, text=True, env=environment, check=False)


def test_run_runs_a_program_with_dumps(program) -> None:
    done = run_command("--dump", "ssa,llvm", "--filter", "add", str(program), "--x", "1")
    assert done.returncode == 0, done.stderr
    assert "['--x', '1'] 42" in done.stdout
    assert " SSA: add " in done.stdout
    assert " SSA: double " not in done.stdout


def test_run_shows_the_programs_own_traceback(program) -> None:
    program.write_text("import cutaway\n\ndef f():\n    return 1 // 0\n\nf()\n")
    done = run_command(str(program))
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "runpy" not in done.stderr


def test_run_refuses_a_dump_that_does_not_exist(program) -> None:
    done = run_command("--dump", "everything", str(program))
    assert done.returncode == 1
    assert "dumps: bytecode, cfg, ir" in done.stderr
