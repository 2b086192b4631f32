"""What type checkers read is what there is: stubs and tables agree, and both checkers accept a
right program and refuse each wrong line of another.

The checkers come with the extra `lint`; `make lint` runs them here, other runs skip that.
"""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import get_type_hints

import pytest

import cutaway
from cutaway import config, cuda, extending, types
from cutaway.cuda import options as kernel_options
from cutaway.cuda.ufuncs import options as gpu_ufuncs
from cutaway.dispatch_c import _dispatch
from cutaway.foundation import option_types, options
from cutaway.stencils import decorator as stencils
from cutaway.typing.types.asked import ABSENT
from cutaway.typing.values.names import NAMES
from cutaway.ufuncs import options as ufuncs

from .source import ROOT

PROGRAMS = Path(__file__).parent / "typed"
CHECKERS = {
    "mypy": ("mypy", "--strict", "--config-file=", "--no-error-summary"),
    "pyright": ("pyright", "--pythonpath", sys.executable),
}


@pytest.mark.parametrize("package", [cutaway, cuda, extending], ids=lambda one: one.__name__)
def test_the_stub_of_a_lazy_package_has_its_names(package):
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    written = {alias.asname: (node.module, alias.name) for node in imports for alias in node.names}
    written = {name: home for name, home in written.items() if not name.startswith("_")}
    renamed = {node.targets[0].id for node in stub.body if isinstance(node, ast.Assign)}
    assert written.keys() | renamed == set(package.__all__)
    for name, (module, attribute) in written.items():
        home = importlib.import_module(module)
        if not hasattr(home, attribute):
            importlib.import_module(f"{module}.{attribute}")
        assert getattr(home, attribute) is getattr(package, name), name


def test_the_names_of_types_are_those_of_the_tables():
    (block,) = _for_checkers("types/__init__.py")
    space = dict(vars(types))
    exec(compile(ast.Module(block.body, []), "types", "exec"), space)  # as a checker reads them
    names = {target.id for node in block.body for target in node.targets}
    assert names >= NAMES.keys() | ABSENT.keys()
    assert names <= set(types.__all__)
    assert all(space[name] is getattr(types, name) for name in names - ABSENT.keys())


def test_the_settings_have_their_types():
    (block,) = _for_checkers("config.py")
    written = {row.target.id: ast.unparse(row.annotation) for row in block.body}
    found = {name: type(row.default).__name__ for name, row in config.SETTINGS.items()}
    assert written == {n: "tuple[str, ...]" if t == "tuple" else t for n, t in found.items()}


@pytest.mark.parametrize(
    ("described", "known"),
    [
        ("JitOptions", {*options._READERS, *options._WITHOUT_FLAG}),
        (
            "UfuncOptions",
            {*ufuncs._OF_JIT, *ufuncs._OWN, *gpu_ufuncs._OF_KERNELS, *gpu_ufuncs._OWN},
        ),
        ("StencilOptions", {*stencils._OWN, *stencils._OF_JIT}),
        (
            "KernelOptions",
            {
                *(*kernel_options._OWN, *kernel_options._OF_JIT),
                *kernel_options._WITHOUT_EFFECT,
            }
            - {"device"},
        ),
    ],
)
def test_the_options_have_their_types(described, known):
    assert get_type_hints(getattr(option_types, described)).keys() == known


def test_the_stub_of_the_c_half_has_its_names():
    stub = ast.parse((ROOT / "dispatch_c" / "_dispatch.pyi").read_text(encoding="utf-8"))
    made = (ast.ClassDef, ast.FunctionDef)
    written = {node.name: node for node in stub.body if isinstance(node, made)}
    there = {name for name in vars(_dispatch) if not name.startswith("__")} - {"ABSENT"}
    assert written.keys() == there
    for name, node in written.items():
        for method in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(method, ast.FunctionDef) and method.name != "__init__":
                also = method.name in ("py_func", "__wrapped__", "half")  # of each object
                assert also or hasattr(getattr(_dispatch, name), method.name), method.name


def test_the_marker_is_there():
    assert (ROOT / "py.typed").exists()


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_accepts_what_is_right_and_refuses_what_is_wrong(checker):
    if not find_spec(checker):
        pytest.skip(f"{checker} is not installed: make lint installs it")
    found = _complaints(checker)
    lines = (PROGRAMS / "wrong.py").read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# refused")}
    assert {number for file, number, _ in found if file == "wrong.py"} == wrong
    assert [(line, text) for file, line, text in found if file == "right.py"] == []


def _complaints(checker: str) -> list[tuple[str, int, str]]:
    """The errors that a checker finds in the programs: file, line and text."""
    command = [sys.executable, "-m", *CHECKERS[checker], "right.py", "wrong.py"]
    run = subprocess.run(command, cwd=PROGRAMS, capture_output=True, text=True, check=False)
    found = []
    for row in run.stdout.splitlines():
        if "error:" in row or " - error" in row:
            file, line, rest = row.split(":", 2)
            found.append((Path(file.strip()).name, int(line), rest))
    assert found, run.stderr + run.stdout
    return found


def _for_checkers(file: str) -> list[ast.If]:
    """The blocks of a module that only checkers read."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
