"""How large functions and files may be; what is larger has a reason and may only shrink."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from house.source import PATHS, ROOT, definitions, tree

LONGEST_FUNCTION = 75  # lines
LONGEST_FILE = 600  # lines

# Files that are longer, with the lines that they may have, which only go down, and the reason.
LONGER: dict[str, tuple[int, str]] = {
    "ledger.py": (760, "one row per difference that is permitted, and nothing else"),
}
LONGER_FUNCTIONS: dict[str, tuple[int, str]] = {}

C_FILES = sorted(path for path in ROOT.rglob("*") if path.suffix in (".c", ".h"))


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _over(sizes: dict[str, int], permitted: dict[str, tuple[int, str]], most: int) -> list[str]:
    """What is longer than it may be, and what needs no exception any more."""
    found = []
    for name, count in sizes.items():
        ceiling, _ = permitted.get(name, (most, ""))
        if count > ceiling:
            found.append(f"{name} has {count} lines, and {ceiling} are permitted")
        elif name in permitted and count <= most:
            found.append(f"{name} is no exception any more")
    return found


def functions_of(module: str, syntax: ast.Module) -> dict[str, int]:
    """The functions of a module with their lines, decorators not counted."""
    return {
        f"{module}.{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for node in definitions(syntax)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def functions_of_c(name: str, text: str) -> dict[str, int]:
    """The functions of a C file with their lines: a body stands between two braces of the first
    column, and what is called like a function in front of it is the name."""
    bodies = re.finditer(r"(?m)^[^\s#/*].*?(\w+)\((?:[^{};]*)\)\n(\{\n(?:.*\n)*?\})$", text)
    return {f"{name}:{body[1]}": body[2].count("\n") + 1 for body in bodies}


def test_no_file_is_too_long():
    paths = [*PATHS.values(), *C_FILES]
    sizes = {str(path.relative_to(ROOT)): lines_of(path) for path in paths}
    assert _over(sizes, LONGER, LONGEST_FILE) == []


@pytest.fixture(scope="module")
def functions():
    """The functions of all modules with their lines."""
    return [functions_of(module, tree(module)) for module in PATHS]


def test_no_function_is_too_long(functions):
    for sizes in functions:
        assert _over(sizes, LONGER_FUNCTIONS, LONGEST_FUNCTION) == []


@pytest.mark.parametrize("path", C_FILES, ids=lambda path: path.name)
def test_no_function_in_c_is_too_long(path):
    sizes = functions_of_c(path.name, path.read_text(encoding="utf-8"))
    assert sizes or path.suffix == ".h"
    assert _over(sizes, LONGER_FUNCTIONS, LONGEST_FUNCTION) == []


def test_every_exception_is_there(functions):
    assert [name for name in LONGER if not (ROOT / name).is_file()] == []
    names = {name for sizes in functions for name in sizes}
    for path in C_FILES:
        names |= functions_of_c(path.name, path.read_text(encoding="utf-8")).keys()
    assert LONGER_FUNCTIONS.keys() <= names


def test_the_rules_are_tripped():
    permitted = {"old.py": (LONGEST_FILE + 50, "the reason")}
    at_most = {"new.py": LONGEST_FILE, "old.py": LONGEST_FILE + 50}
    assert _over(at_most, permitted, LONGEST_FILE) == []
    for name, size in at_most.items():
        assert _over({name: size + 1}, permitted, LONGEST_FILE)
    assert _over({"old.py": LONGEST_FILE}, permitted, LONGEST_FILE)  # no exception any more
    body = "    x = 1\n" * LONGEST_FUNCTION
    sizes = functions_of("x", ast.parse(f"class C:\n  def f(self):\n{body}"))
    assert sizes == {"x.f": LONGEST_FUNCTION + 1}
    assert _over(sizes, {}, LONGEST_FUNCTION)
    in_c = functions_of_c("x.c", "int f(void)\n{\n" + "    g();\n" * LONGEST_FUNCTION + "}\n")
    assert in_c == {"x.c:f": LONGEST_FUNCTION + 2} and _over(in_c, {}, LONGEST_FUNCTION)
