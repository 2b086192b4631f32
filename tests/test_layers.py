"""The import law: who may import whom, no cycles, no imports inside functions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "cutaway"

BASE = {
    "config",
    "dataclass",
    "errors",
    "interrupts",
    "lazy",
    "loading",
    "marks",
    "options",
    "sandbox",
    "source",
}
# Each folder (or module at the top) and what it may import besides the base.  `stages` and
# `inspection` know the unit, `lowering` the C runtime's table of addresses.
MAY_IMPORT: dict[str, set[str]] = {
    "source": set(),
    "errors": set(),
    "config": set(),
    "options": set(),
    "interrupts": set(),
    "lazy": set(),
    "loading": set(),
    "marks": set(),
    "sandbox": set(),
    "turns": set(),
    "ir": set(),
    "frontend": {"ir"},
    "typing": {"ir"},
    "types": {"typing"},
    "runtime": set(),
    "dispatch_c": {"runtime"},
    "lowering": {"ir", "typing", "runtime"},
    "extending": {"ir", "typing", "lowering", "dispatch_c"},  # of classes that it dispatches on
    "library": {"extending", "typing", "lowering", "ir"},
    "stages": {"ir", "frontend", "typing", "lowering", "runtime", "extending"},
    # It shows the overloads of `extending`, and the blocks that `frontend` finds in bytecode.
    "inspection": {"ir", "frontend", "typing", "stages", "lowering", "extending"},
    # A hit needs the first line; what the compiler leaves and finds, the second.
    "caching": {"dispatch_c", "runtime", "lowering", "typing", "stages", "ir"},
    "dispatcher": {"dispatch_c", "stacks"},
    "api": {"dispatch_c", "dispatcher"},
    "pickling": {"dispatch_c", "dispatcher"},
    "sessions": {"turns", "stages", "typing"},
    "attempts": {"sessions", "typing"},
    "stacks": {"dispatch_c"},
}
TOP = {
    "compiler",
    "resolution",
    "retracing",
    "lessons",
    "resuming",
    "installing",
    "commands",
    "__init__",
    "__main__",
}  # may import everything below

# Functions that import, with the reason: heavy modules that are loaded at first use.
LAZY = {
    ("__init__", "__getattr__"): "public names are loaded when they are asked for",
    ("dispatcher", "_resolution"): "the compiler is loaded at the first compilation",
    ("inspection/session", "_inspection"): "dumping and drawing are loaded when wanted",
    ("inspection/displayed", "render"): "rich is loaded at the first drawing",
    ("inspection/displayed", "notebook"): "the page is loaded where a notebook shows something",
    ("inspection/magic", "_run_cell"): "IPython is there where the magic is",
}


def module_name(path: Path) -> str:
    return str(path.relative_to(ROOT).with_suffix(""))


def folder(module: str) -> str:
    return module.split("/")[0]


def imports_of(tree: ast.Module) -> list[str]:
    """The cutaway modules that a module imports when it is loaded."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "cutaway":
                found += [alias.name for alias in node.names]
            elif node.module.startswith("cutaway."):
                found.append(node.module.removeprefix("cutaway.").replace(".", "/"))
        elif isinstance(node, ast.Import):
            found += [
                alias.name.removeprefix("cutaway.").replace(".", "/")
                for alias in node.names
                if alias.name.startswith("cutaway.")
            ]
    return found


def violations(module: str, text: str) -> list[str]:
    """What a module does against the law."""
    tree = ast.parse(text)
    found = []
    home = folder(module)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = [n for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)]
            if inside and (module, function.name) not in LAZY:
                found.append(f"{module}.{function.name} imports inside of a function")
    allowed = MAY_IMPORT.get(home, set()) | BASE | {home}
    for name in imports_of(tree):
        if home not in TOP and folder(name) not in allowed:
            found.append(f"{module} imports {name}")
    return found


MODULES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_a_module_imports_only_what_lies_below_it(path):
    assert violations(module_name(path), path.read_text()) == []


def test_no_two_modules_import_each_other_in_a_circle():
    graph = {module_name(p): imports_of(ast.parse(p.read_text())) for p in MODULES}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module in done or module not in graph:
            return
        for imported in graph[module]:
            visit(imported, (*path, module))
        done.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("ir/x", "from cutaway.typing import types"),
        ("frontend/x", "import cutaway.lowering.engine"),
        ("typing/x", "from cutaway import compiler"),
        ("library/x", "def f():\n    from cutaway.typing import types\n"),
    ],
)
def test_the_law_is_tripped(module, text):
    assert violations(module, text)
