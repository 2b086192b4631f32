"""The table of figures: verdicts follow from values and goals, and what fails is a row of it.

Figures here are made up; nothing measures time.
"""

from __future__ import annotations

import importlib
import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import cutaway
from cutaway import cuda
from cutaway.targets.ptx.assembling import KernelFigures

pytestmark = pytest.mark.sampled(others=6, fast=6)

PROJECT = Path(__file__).parents[2]
BENCHMARKS = PROJECT / "benchmarks"
sys.path.append(str(BENCHMARKS))
code_size, collecting, counting, figures, goals, machine, tables = (
    importlib.import_module(f"collected.{name}")
    for name in ("code_size", "collecting", "counting", "figures", "goals", "machine", "tables")
)
Figure, Goal, Script = figures.Figure, figures.Goal, collecting.Script

LOW = Goal("made.low", "a call", 0.2, short=True)
HIGH = Goal("made.high", "a loop", 1.15, "times as fast as C", "high")
STORED = json.loads((BENCHMARKS / "results" / "table.json").read_text(encoding="utf-8"))

GOOD = """
import json, sys
path = sys.argv[sys.argv.index("--figures") + 1]
json.dump([{"key": "good.one", "median": 0.1, "minimum": 0.3}], open(path, "w"))
"""


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "median", "minimum", "expected"),
    [
        (LOW, 0.2, 0.1, "reached"),
        (LOW, 0.21, 0.1, "missed"),
        (LOW, 0.1, 0.21, "missed"),
        (LOW, 0.1, None, "reached"),
        (LOW, None, None, "not measured"),
        (HIGH, 1.15, 1.3, "reached"),
        (HIGH, 1.3, 1.14, "missed"),
        (HIGH, 0.0, 0.0, "missed"),
    ],
)
def test_a_goal_is_reached_if_medians_and_minima_reach_it(goal, median, minimum, expected):
    figure = Figure(goal.key, median, minimum, why="it was not run" if median is None else "")
    assert figures.verdict(goal, figure) == expected


def test_no_goal_is_reached_by_leaving_programs_out():
    assert figures.verdict(LOW, Figure("made.low", 0.1, refused=1)) == "missed"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_no_figure(value):
    with pytest.raises(ValueError, match="made.low is"):
        Figure("made.low", 0.1, value)


def test_a_figure_has_a_value_or_a_reason():
    with pytest.raises(ValueError, match="neither a value nor a reason"):
        Figure("made.low")


def test_times_are_compared_by_medians_and_by_minima():
    assert figures.beside("made.low", [4.0, 1.0, 3.0], [2.0, 6.0, 10.0]).values == [0.5, 0.5]
    absent = figures.beside("made.low", [1.0], None)
    assert (absent.values, absent.why) == ([], "Numba is not installed")


def test_a_mean_names_the_worst_part():
    parts = {"a": (4.0, 2.0), "b": (1.0, 0.5)}
    low = figures.spread("made.low", parts)
    assert low.values == pytest.approx([2.0, 1.0]) and low.where == "of 2; worst: a 2.00"
    high = figures.spread("made.high", parts, "worst", "high")
    assert high.values == [1.0, 0.5] and high.where == "of 2; b"
    assert figures.spread("made.low", {}).why == "Numba is not installed"


def test_the_worst_of_some_figures_is_the_slowest_that_was_measured():
    some = {
        "a": Figure("made.low", 0.1),
        "b": Figure("made.low", 0.3),
        "c": Figure("made.low", why="no"),
    }
    assert (figures.worst(some).where, figures.worst(some).median) == ("b", 0.3)
    assert figures.worst({"c": some["c"]}).why == "no"
    refused = {**some, "d": Figure("made.low", why="it does not compile", refused=1)}
    assert figures.worst(refused).refused == 1


@pytest.mark.parametrize("value", [0.2000004, 0.20001, 0.2004, 0.2, 0.199996, 0.1999])
def test_a_missed_figure_never_looks_reached(value):
    assert LOW.holds(float(tables.number(LOW, value))) == LOW.holds(value)


# --- collecting -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    programs = {
        "good": GOOD,
        "raises": "import no_such_package_as_this",
        "dies": "import os; os.abort()",
        "hangs": "import time; time.sleep(60)",
        "strange": GOOD,
        "silent": "",
        "broken": "import sys; open(sys.argv[2], 'w').write('[')",
        "private": "raise SystemExit(f'no file {__file__}')",
    }
    for name, text in programs.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raises", "ModuleNotFoundError: No module named 'no_such_package_as_this'"),
        ("dies", "died of signal 6"),
        ("hangs", "took more than 0.5 s"),
        ("strange", "strange has figures without a goal: good.one"),
        ("silent", "silent did not say"),
        ("broken", "what it handed over cannot be read"),
        ("missing", "can't open file"),
        ("private", "no file private.py"),
    ],
)
def test_a_benchmark_that_fails_is_a_row_with_its_reason(folder, name, reason):
    made = {f"{name}.one": Goal(f"{name}.one", "what it measures", 1.0)}
    stored = collecting.collect([Script(name, limit=0.5)], made, folder=folder, tell=str)
    (row,) = stored["rows"]
    assert (row["verdict"], row["median"]) == ("not measured", None)
    assert reason in row["why"] and str(folder) not in row["why"]


def test_the_others_go_on(folder):
    made = {key: Goal(key, key, 0.2) for key in ("raises.one", "good.one", "good.two", "other.one")}
    made["good.three"] = Goal("good.three", "what is to come", 1.0, absent="there is none yet")
    scripts = [Script("raises"), Script("good")]
    stored = collecting.collect(scripts, made, folder=folder, tell=str)
    rows = {row["key"]: row for row in stored["rows"]}
    assert list(rows) == list(made)
    assert (rows["good.one"]["median"], rows["good.one"]["verdict"]) == (0.1, "missed")
    assert rows["good.two"]["why"] == "good did not say"
    assert rows["good.three"]["why"] == "there is none yet"
    assert rows["other.one"]["why"] == "its benchmark was not run"
    assert list(stored["runs"]) == ["raises", "good"]
    assert all(len(run["load"]) == 2 for run in stored["runs"].values())


def made_up(value, *scripts, name="one machine"):
    """Stored figures of two goals, of which those of some scripts were measured."""
    found = {key: Figure(key, value) for key in PAIR if key.partition(".")[0] in scripts}
    rows = [
        tables.row_of(goal, found.get(key, collecting.left_out(goal))) for key, goal in PAIR.items()
    ]
    return {"machine": {"name": name}, "runs": dict.fromkeys(scripts, {}), "rows": rows}


PAIR = {key: Goal(key, key, 0.2) for key in ("first.one", "second.one")}


def test_figures_of_one_benchmark_stand_beside_the_stored_ones():
    both = collecting.merged(made_up(0.1, "first", "second"), made_up(0.3, "second"), PAIR)
    assert [row["verdict"] for row in both["rows"]] == ["reached", "missed"]
    assert set(both["runs"]) == {"first", "second"}
    alone = collecting.merged(None, made_up(0.3, "second"), PAIR)
    assert [row["verdict"] for row in alone["rows"]] == ["not measured", "missed"]


def test_figures_of_two_machines_are_not_mixed():
    with pytest.raises(ValueError, match="another machine"):
        collecting.merged(made_up(0.1, "first"), made_up(0.3, "second", name="other"), PAIR)


def test_new_goals_give_new_verdicts_to_stored_figures():
    harder = {"first.one": Goal("first.one", "harder", 0.05), **PAIR} | {
        "first.one": Goal("first.one", "harder", 0.05), "third.one": Goal("third.one", "new", 1.0)
    }  # fmt: skip
    again = collecting.told_again(made_up(0.1, "first", "second"), harder)
    assert [row["verdict"] for row in again["rows"]] == ["missed", "reached", "not measured"]


def test_a_reason_names_no_folder_and_no_host():
    text = "no /home/me/files/a.py at https://packages.example.org/simple, 3/4 of it in ns/op"
    assert collecting.without_paths(text) == "no a.py at an address 3/4 of it in ns/op"


@pytest.mark.parametrize(("is_same", "only"), [(True, True), (False, True), (False, False)])
def test_what_is_stored_is_replaced_by_what_was_measured(tmp_path, monkeypatch, is_same, only):
    bench = importlib.import_module("bench")
    readme, results = tmp_path / "README.md", tmp_path / "results"
    readme.write_text(f"# It\n{tables.BEGIN}\n{tables.END}\n")
    bench.write(STORED, results, readme)
    own = STORED["machine"] if is_same else {**STORED["machine"], "processor": "another"}
    one = Figure("extensions.second", 0.123)

    def collect(scripts, held, quick):
        rows = [
            tables.row_of(g, one if key == one.key else collecting.left_out(g))
            for key, g in held.items()
        ]
        ran = {"revision": "r", "quick": quick, "seconds": 1, "load": [0, 0], "counted_by": ""}
        return {"machine": own, "runs": {s.name: ran for s in scripts}, "rows": rows}

    monkeypatch.setattr(bench, "machine", lambda: own)
    monkeypatch.setattr(bench, "collect", collect)
    monkeypatch.setattr(bench, "RESULTS", results)
    monkeypatch.setattr(bench, "README", readme)
    monkeypatch.setattr(bench, "SCRIPTS", {"extensions": Script("extensions")})
    monkeypatch.setattr(sys, "argv", ["bench.py", *(["--only", "extensions"] if only else [])])
    bench.main()
    stored = json.loads((results / "table.json").read_text(encoding="utf-8"))
    rows, before = ({row["key"]: row for row in s["rows"]} for s in (stored, STORED))
    if only and not is_same:
        assert stored == STORED
        return
    assert rows[one.key]["median"] == 0.123 and stored["machine"] == own
    kept = before["dispatch.add"]["why"] if is_same else "its benchmark was not run"
    assert rows["dispatch.add"]["why"] == kept
    assert "0.123" in (results / "table.md").read_text(encoding="utf-8")


# --- the stored table -----------------------------------------------------------------------------


def test_each_goal_has_a_stored_row_of_its_words_and_limit():
    stored = [(row["key"], row["what"], row["goal"]) for row in STORED["rows"]]
    assert stored == [
        (key, goal.what, {"limit": goal.limit, "better": goal.better, "unit": goal.unit})
        for key, goal in goals.GOALS.items()
    ]


def test_stored_verdicts_follow_from_values_and_goals():
    for row in STORED["rows"]:
        goal = goals.GOALS[row["key"]]
        assert row == tables.row_of(goal, tables.figure_of(row)), row["key"]


def test_the_page_and_the_readme_have_the_stored_figures():
    page = (BENCHMARKS / "results" / "table.md").read_text(encoding="utf-8")
    assert page == tables.whole(STORED)
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert tables.between_marks(readme, tables.short(STORED)) == readme
    rows = tables.short(STORED).partition("\n\n")[0].splitlines()[2:]
    assert 10 <= len(rows) <= 15


def test_nothing_private_is_stored():
    text = json.dumps(STORED) + json.dumps(machine.machine())
    assert platform.node() not in text or len(platform.node()) < 4
    assert re.findall(r"(?:^|[\s\"'(])/\w[\w.-]*/", text) == []
    assert "://" not in text


def test_each_goal_belongs_to_a_benchmark_that_is_there():
    for goal in goals.GOALS.values():
        assert goal.absent or goal.script in collecting.SCRIPTS, goal.key
        assert goal.better in ("low", "high")
    for name in collecting.SCRIPTS:
        assert (BENCHMARKS / f"{name}.py").is_file()
    assert {goal.script for goal in goals.GOALS.values()} >= set(collecting.SCRIPTS)


@pytest.mark.parametrize(
    ("load", "told"), [((0.3, 1.2), "Nothing else ran"), ((0.9, 4.0), "shared with other work")]
)
def test_the_table_says_how_busy_the_machine_was_and_what_was_hurried(load, told):
    run = {"quick": False, "load": list(load)}
    both = {**STORED, "runs": {"first": run, "second": {**run, "quick": True}}}
    said = tables.told_of_machine(both)
    assert f"{told}: load {load[0]} to {load[1]}" in said.replace("The machine was ", "")
    assert said.endswith("In quick mode, with fewer rows and rounds: second.")


def test_a_page_without_marks_is_not_written():
    with pytest.raises(ValueError, match="no <!--"):
        tables.between_marks("# A page", "a table")
    page = f"a\n{tables.BEGIN}\nold\n{tables.END}\nz"
    assert tables.between_marks(page, "new") == page.replace("old", "new")


# --- instructions and sizes -----------------------------------------------------------------------


def test_a_counter_of_the_system_counts_what_runs():
    opened = counting.open_counter(counting.SOFTWARE, counting.TASK_CLOCK)
    if opened is None:
        pytest.skip("the system lets nobody count")
    few, many = (counting.count_with(opened, lambda n=n: sum(range(n))) for n in (10**3, 10**6))
    assert 0 < few < many


def test_counts_are_read_from_the_files_of_callgrind(tmp_path):
    (tmp_path / "out").write_text("desc: Trigger: Program termination\ntotals: 9\n")
    (tmp_path / "out.1").write_text(
        "desc: Trigger: Client Request: lu: C\nevents: Ir\ntotals: 71\n"
    )
    assert counting.dumped(tmp_path) == {"lu: C": 71}


def test_a_benchmark_that_cannot_count_says_why(tmp_path, monkeypatch):
    script = tmp_path / "counts.py"
    monkeypatch.setattr(counting, "tool", lambda: ("perf", ""))
    script.write_text("raise SystemExit('no')")
    assert counting.counted(str(script), []).why == "counting failed: no"
    script.write_text("import sys; open(sys.argv[2] + '/counts.json', 'w').write('{\"a\": 7}')")
    assert counting.counted(str(script), []).numbers == {"a": 7}
    monkeypatch.setattr(counting, "tool", lambda: ("", "nothing counts"))
    assert counting.counted(str(script), []) == counting.Counts(why="nothing counts")


def test_code_has_a_size_of_its_own(tmp_path):
    def one(x):
        return x + 1

    def other(a):
        total = 0.0
        for x in a:
            total += x * x
        return total

    assert 0 < code_size.of_ours(cutaway.jit(one), (1,))
    if shutil.which("gcc") is None or shutil.which("nm") is None:
        return
    source, made = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text("int f(int x) { return x; }\nint g(int x) { return x * x + f(x) % 7; }\n")
    subprocess.run(["gcc", "-c", "-g", "-O1", "-o", made, source], check=True)
    small, large = (code_size.of_symbol(made, name) for name in "fg")
    assert 0 < small < large < made.stat().st_size
    assert code_size.of_symbol(made, "h") is None


# --- the figures of loops -------------------------------------------------------------------------


def loop(ours, unchecked, numba, c, compiling=0.1):
    """What is measured of a kernel, of which each way takes so many seconds in all rounds."""
    ways = {"cutaway": ours, "unchecked": unchecked, "numba": numba, "C": c}
    return {
        "calls": {way: [seconds] * 3 for way, seconds in ways.items()},
        "compiling": {"cutaway": [compiling], "numba": [1.0]},
        "right": True,
        "sizes": {},
        "instructions": {},
        "problems": {},
    }


@pytest.fixture(scope="module")
def kernels():
    return importlib.import_module("kernels")


def test_the_figures_of_loops_are_means_and_worst_cases(kernels):
    rows = {"a": loop(1.0, 1.0, 4.0, 1.0), "b": loop(2.0, 1.0, 2.0, 1.0, compiling=0.4)}
    made = {one.key: one for one in kernels.figures(rows)}
    assert made["kernels.numba"].median == pytest.approx(2.0)
    assert (made["kernels.numba_worst"].minimum, made["kernels.numba_worst"].where) == (
        1,
        "of 2; b",
    )
    assert made["kernels.c"].median == pytest.approx(2**0.5)
    assert made["kernels.checks"].where == "of 2; worst: b 2.00; 1 above the goal"
    assert made["kernels.compiling"].median == pytest.approx(0.2)
    assert set(made) == {key for key, goal in goals.GOALS.items() if goal.script == "kernels"}


def test_a_loop_that_does_not_compile_is_told_and_reaches_nothing(kernels, capsys):
    def refuse(function):
        raise TypeError("no such loop")

    (kernel,) = (one for one in kernels.KERNELS.values() if one.name == "gcd_sum")
    row = kernels.measured(kernel, {"cutaway": refuse, "unchecked": cutaway.jit}, {}, 1, 1)
    row["instructions"] = {}
    assert row["problems"] == {"cutaway": "TypeError: no such loop"} and row["right"]
    kernels.report({"gcd_sum": row})
    assert "gcd_sum by cutaway: TypeError: no such loop" in capsys.readouterr().out
    assert {one.refused for one in kernels.figures({"gcd_sum": row})} == {1}


# --- the figures of kernels for a GPU -------------------------------------------------------------


@pytest.fixture(scope="module")
def ptx():
    return importlib.import_module("ptx")


def kernel(ptx, scale, registers, has_libdevice=False):
    """What is measured of a kernel; `registers` of ours and of the other's."""
    kinds = {"LLVM to PTX": 4, "to PTX": 10, "numba-cuda": 40, "with ptxas": 30}
    seconds = {kind: [scale * number / 1000] * 3 for kind, number in kinds.items()}
    taken = (KernelFigures("f", count) for count in registers)
    return ptx.Measured(seconds, dict(zip(("cutaway", "numba-cuda"), taken)), has_libdevice)


def test_the_figures_of_kernels_for_a_gpu_are_those_that_are_held(ptx):
    found = {"a": kernel(ptx, 1, (20, 20)), "b": kernel(ptx, 4, (30, 20), has_libdevice=True)}
    firsts = {"a": {"cutaway": [[0.005, 0.1, 0.2]] * 2, "numba-cuda": [[0.1, 0.5, 0.5]] * 2}}
    made = {one.key: one for one in ptx.figures(found, firsts, "")}
    assert made["ptx.plain"].median == pytest.approx(4)
    assert made["ptx.libdevice"].median == pytest.approx(16)
    assert made["ptx.import"].median == pytest.approx(5)
    assert made["ptx.first"].median == pytest.approx(200)
    assert made["ptx.again"].median == pytest.approx(60)
    assert made["ptx.numba"].median == pytest.approx(0.25)
    assert made["ptx.registers"].where == "of 2; worst: b 1.50"
    held = {key for key, goal in goals.GOALS.items() if goal.script == "ptx"}
    assert {*made, *importlib.import_module("on_gpu").KEYS} == held


def test_kernels_without_numba_cuda_have_figures_of_their_own(ptx):
    alone = kernel(ptx, 1, (20,))
    del alone.seconds["numba-cuda"]
    firsts = {"a": {"cutaway": [[0.005, 0.1, 0.2]]}}
    made = {one.key: one for one in ptx.figures({"a": alone}, firsts, "it is not installed")}
    assert made["ptx.numba"].why == made["ptx.registers"].why == "it is not installed"
    assert made["ptx.plain"].median == pytest.approx(4)


def test_kernels_of_the_benchmark_compile(ptx):
    for one in ptx.PROGRAMS:
        assert f".entry {one.name}(" in ptx.compiled_by(cuda, one)
