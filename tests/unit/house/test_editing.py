"""Passes change the IR through their editor alone: no other file of theirs writes to a block."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from house.source import PATHS, tree

pytestmark = pytest.mark.sampled(test=2, others=4, fast=16)

PARTS_OF_IR = frozenset({"ops", "blocks", "params"})  # of a block, or a function
CHANGING = frozenset(
    "append clear extend insert pop popitem remove reverse setdefault sort update".split()
)
PASSES = [
    module
    for module in PATHS
    if module.startswith(("stages.untyped.", "stages.typed.", "ir.versioning", "ir.rewriting"))
]
# Files below these folders that make a function or copy one, and edit none.
BUILDERS = {
    "ir.rewriting": {"rewritten"},
    "stages.untyped.generator_bodies": {
        "stand_in",
        "spread_delegates",
        "_spread_first",
        "_add",
        "_fill",
    },
}


def writes(syntax: ast.AST, exempt: set[str] = frozenset()) -> Iterator[int]:  # type: ignore[assignment]
    """The lines that change a part of the IR: by assignment, `del`, or a method that changes it."""
    nodes = list(_scope(syntax))
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name not in exempt:
            yield from writes(ast.Module(node.body, []), exempt)
    aliases = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_part(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        match node:
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                found = any(_is_written(target, aliases) for target in targets)
            case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                found = _is_written(target, aliases)
            case ast.Call(func=ast.Attribute(value=owner, attr=name)):
                found = name in CHANGING and _is_part(owner, aliases)
            case _:
                found = False
        if found:
            yield node.lineno  # type: ignore[attr-defined]


def _scope(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without the bodies of functions in it."""
    yield node
    if not isinstance(node, ast.FunctionDef):
        for child in ast.iter_child_nodes(node):
            yield from _scope(child)


def _is_part(node: ast.AST, aliases: set[str] = frozenset()) -> bool:  # type: ignore[assignment]
    if isinstance(node, ast.Name):
        return node.id in aliases
    return isinstance(node, ast.Attribute) and node.attr in PARTS_OF_IR


def _is_written(target: ast.AST, aliases: set[str]) -> bool:
    match target:
        case ast.Tuple(elts=parts):
            return any(_is_written(part, aliases) for part in parts)
        case ast.Subscript(value=owner):
            return _is_part(owner, aliases)
        case ast.Attribute(value=owner, attr=name):
            of_itself = isinstance(owner, ast.Name) and owner.id == "self"
            return name in PARTS_OF_IR and not of_itself
    return False


@pytest.mark.parametrize("module", PASSES)
def test_a_pass_writes_through_its_editor(module: str) -> None:
    lines = list(writes(tree(module), BUILDERS.get(module, set())))
    assert not lines, f"{PATHS[module]}:{lines[0]} changes the IR by itself: use the editor"


@pytest.mark.parametrize(
    "text",
    (
        "block.ops[0] = op",
        "block.ops[1:] = []",
        "block.ops += ops",
        "fn.blocks[3] = block",
        "del fn.blocks[3]",
        "fn.blocks = {}",
        "fn.params = ()",
        "fn.entry.ops.insert(0, op)",
        "fn.blocks.pop(3)",
        "ops = fn.entry.ops\nops[0:1] = []",
        "ops = fn.entry.ops\nops.append(op)",
    ),
)
def test_every_way_to_write_is_seen(text: str) -> None:
    assert list(writes(ast.parse(text)))


@pytest.mark.parametrize(
    "text", ("ops = list(block.ops)", "ops = []\nops.append(op)", "editor.insert(block, 0, op)")
)
def test_reading_is_not_writing(text: str) -> None:
    assert not list(writes(ast.parse(text)))
