"""The package as source: its modules, who imports whom, and who loads whom by name."""

from __future__ import annotations

import ast
import functools
import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3] / "src" / "cutaway"


class Edge(NamedTuple):
    """A module that another one imports; `load` where it is named by a string, and loaded when it
    is first needed."""

    source: str
    target: str
    load: bool = False


def dotted(path: Path) -> str:
    """The name of a module inside the package: `ir.nodes`; the package itself is ''."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {dotted(path): path for path in sorted(ROOT.rglob("*.py"))}


@functools.cache
def text_of(module: str) -> str:
    """The source of a module."""
    return PATHS[module].read_text(encoding="utf-8")


@functools.cache
def tree(module: str) -> ast.Module:
    """The syntax of a module; all tests of this folder share it."""
    return parsed(text_of(module))


def parsed(text: str) -> ast.Module:
    """The syntax of a text. No garbage is looked for meanwhile: a tree has none, and to go through
    all other trees again and again takes three times as long as parsing does."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if was_enabled:
            gc.enable()


def forget() -> None:
    """Drop the trees, which would make each search for garbage of other tests longer."""
    tree.cache_clear()
    text_of.cache_clear()


def edges(module: str, syntax: ast.Module | None = None) -> list[Edge]:
    """What a module imports or loads of the package when it runs: not what only types need."""
    syntax = syntax or tree(module)
    return list(dict.fromkeys(_edges(module, list(_run(syntax)))))


@functools.cache
def every_edge() -> tuple[Edge, ...]:
    """The edges of all modules."""
    return tuple(edge for module in PATHS for edge in edges(module))


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree but for those under `if TYPE_CHECKING`."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from _run(child)


def _edges(module: str, nodes: list[ast.AST]) -> Iterator[Edge]:
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(base), names=names, level=0):
                for alias in names:
                    target = _module(f"{base}.{alias.name}") or _module(base)
                    if target is not None:
                        yield Edge(module, target)
            case ast.Import(names=names):
                for alias in names:
                    target = _module(alias.name)
                    if target is not None:
                        yield Edge(module, target)
            case ast.Constant(value=str(name)):
                target = _module(name)
                if target is not None and name != "cutaway":
                    yield Edge(module, target, load=True)
            case ast.JoinedStr(values=[ast.Constant(value=str(start)), *_]):
                if re.fullmatch(r"cutaway\.([a-z_]+\.)*", start):
                    yield Edge(module, start.removeprefix("cutaway.") + "*", load=True)


def _module(name: str) -> str | None:
    """The module of the package that a name is of: the longest part of it that is one."""
    package, _, rest = name.partition(".")
    return rest if package == "cutaway" and rest in PATHS else None


def definitions(syntax: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef | ast.stmt]:
    """All functions and classes of a module, and those inside of them."""
    for node in ast.walk(syntax):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
