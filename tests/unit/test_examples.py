"""The examples do what Python does, and the README's code runs."""

from __future__ import annotations

import importlib
import linecache
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutaway
import warm
from cutaway import config

pytestmark = [pytest.mark.sampled(fast=5), pytest.mark.usefixtures("one_processor")]

ROOT = Path(__file__).parents[2]


@pytest.fixture
def examples(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    yield importlib.import_module
    for name in ("common", "nbody", "kmeans", "heat", "mandelbrot", "gpu_life"):
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("nbody", {"years": 2.0}),
        ("kmeans", {"rounds": 10}),
        ("heat", {"seconds": 0.02}),
        ("mandelbrot", {"width": 40}),
    ],
)
def test_an_example_gives_the_same_in_python_and_compiled(examples, name, size):
    module = examples(name)
    run = module.EXAMPLE.run
    expected, found = run(True, **size), run(False, **size)
    assert np.max(np.abs(expected - found)) <= module.EXAMPLE.tolerance


@pytest.mark.slow
def test_the_mandelbrot_image_is_a_png(examples, tmp_path):
    module = examples("mandelbrot")
    module.write_png(tmp_path / "m.png", np.arange(12, dtype=np.uint8).reshape(3, 4))
    assert (tmp_path / "m.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_kernel_of_the_game_of_life_does_what_numpy_does(examples, capsys):
    module = examples("gpu_life")
    board = np.random.default_rng(3).integers(0, 2, (17, 20), dtype=np.uint8)
    assert np.array_equal(module.run(board, 1), module.in_numpy(board))
    assert module.in_numpy(board).any()
    assert ("on " if module.cuda.is_available() else "no race") in capsys.readouterr().out


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where its pages and records go
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 3
    path = tmp_path / "readme.py"
    path.write_text("\n".join(blocks))
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102
    assert space["total"](np.arange(4.0)) == 6.0
    assert space["g"](np.arange(10.0)) == -45.0
    assert {"total.html", "total.cutaway"} <= {path.name for path in tmp_path.iterdir()}


def test_the_code_about_the_language_runs_and_its_refusal_is_the_page_s(tmp_path, capsys):
    text = (ROOT / "docs" / "language.md").read_text()
    path = tmp_path / "language.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "page"})  # noqa: S102
    (refusal,) = re.findall(r"```\n(`with` .*?)```", text, re.DOTALL)
    shown = capsys.readouterr().out.replace(str(path), path.name)
    assert shown.startswith(refusal)


def test_the_code_about_settings_runs_and_the_page_has_each_of_them(tmp_path):
    text = (ROOT / "docs" / "settings.md").read_text()
    path = tmp_path / "settings.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "page"})  # noqa: S102
    named = {*re.findall(r"CUTAWAY_(\w+)", text), *re.findall(r"`_(\w+)`", text)}
    rows = {name.removeprefix("DUMP_") if name != "DUMP_DIR" else name for name in config.SETTINGS}
    assert rows - {name.removeprefix("DUMP_") for name in named} <= {"DUMP_DIR"} <= named


def test_the_explanations_of_types_are_those_of_the_page(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs" / "inspection.md").read_text().partition("## Why is it float64?")[2]
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (shown,) = re.findall(r"```\n(total.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("sums.py").write_text("\n".join(code))
    linecache.checkcache("sums.py")
    space: dict[str, Any] = {"__name__": "page"}
    exec(compile("\n".join(code), "sums.py", "exec"), space)  # noqa: S102
    assert capsys.readouterr().out == shown
    assert space["g"](np.arange(10.0)) == space["total"](np.arange(10.0)) == -45.0


def test_the_code_about_extensions_runs(tmp_path):
    text = (ROOT / "docs" / "extending.md").read_text()
    path = tmp_path / "extending.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102
    assert space["both"](np.arange(5.0), (1, 2, 3)) == (2.0, 2)
    assert space["exponent"](8.0) == 1026


def test_the_code_about_calls_runs(tmp_path, capsys):
    text = (ROOT / "docs" / "dispatch.md").read_text()
    path = tmp_path / "dispatch.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "page"})  # noqa: S102
    assert "the guards of specialization 1" in capsys.readouterr().out


def test_the_code_about_containers_runs(tmp_path, capsys):
    text = (ROOT / "docs" / "containers.md").read_text()
    path = tmp_path / "containers.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "page"})  # noqa: S102
    assert "use values of one type" in capsys.readouterr().out


def test_the_code_about_compile_time_runs(tmp_path):
    text = (ROOT / "docs" / "compile_time.md").read_text()
    path = tmp_path / "compile_time.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    space: dict[str, Any] = {"__name__": "page"}
    linecache.checkcache(str(path))
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102
    assert space["count"](np.zeros(4, np.int64), -1) == 1


def test_the_code_about_clusters_runs(tmp_path):
    text = (ROOT / "docs" / "cluster.md").read_text()
    path = tmp_path / "cluster.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    # As a program: its function is pickled by name.
    warm.run([sys.executable, str(path)], env=_with_package(), check=True, timeout=100)


@pytest.mark.slow
def test_workers_of_a_cluster_compile_only_what_was_never_called():
    pytest.importorskip("distributed")
    program = [sys.executable, str(ROOT / "examples" / "dask_cluster.py"), "2"]
    done = warm.run(
        program, env=_with_package(), capture_output=True, text=True, timeout=200, check=True
    )
    told = [line.split(" compilations")[0] for line in done.stdout.splitlines()]
    assert told == ["never called : 2", "called before: 0"]


def _with_package() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_the_code_about_bounds_checks_runs_and_needs_the_checks_that_it_says(tmp_path, capsys):
    text = (ROOT / "docs" / "bounds_checks.md").read_text()
    path = tmp_path / "bounds_checks.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    space: dict[str, Any] = {}
    linecache.checkcache(str(path))
    exec(compile(path.read_text(), str(path), "exec"), space)  # noqa: S102
    assert space["total"](np.arange(4.0), np.array([0, 3, -1])) == 6.0
    sort = space["sort"].trace(np.arange(3.0)).at("bounds_checks").text
    assert "proved" in sort and "check)" not in sort and "below" not in sort
    assert "`assert 0 <= k < len(a)`" in capsys.readouterr().out


def test_the_pass_of_the_recipe_runs():
    page = ROOT / "docs" / "dev" / "add_pass.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    code = next(block for block in blocks if "FIRST_POWER" in block)
    space: dict[str, Any] = {"cutaway": cutaway}
    exec(code, space)  # noqa: S102
    assert space["f"](3) == 3 and space["f"](2.5) == 2.5
    for argument, rewritten in ((2.5, True), (True, False)):
        trace = space["f"].trace(argument, level="rewrite")
        (step,) = (step for step in trace.passes if step.name == "first_power")
        assert bool(step.rewrites) is rewritten
        assert trace.witness().ok
