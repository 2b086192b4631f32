"""Every setting is read by somebody: one that is read nowhere has no effect, and says nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from cutaway import config
from house.source import PATHS, text_of, tree

pytestmark = pytest.mark.sampled(fast=4)

# Every way to read a setting has one of these words, so that other modules need not be parsed.
WORDS = re.compile(r"\b(?:config|Dump|requested)\b")


def settings_read(syntax: ast.Module) -> Iterator[str]:
    """The settings that a module reads: `config.value("DUMP_IR")`, `config.DUMP_IR`, a question
    whether one was `requested`, or the row of a dump, which is asked for by its name."""
    for node in ast.walk(syntax):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name("config"), attr="value"),
                args=[ast.Constant(str(name))],
            ):
                yield name
            case ast.Attribute(value=ast.Name("config"), attr=name, ctx=ast.Load()) if (
                name.isupper()
            ):
                yield name
            case ast.Call(func=ast.Name("Dump"), args=[ast.Constant(str(name)), *_]):
                yield name
            case ast.Compare(
                left=ast.Constant(str(name)), ops=[ast.In()], comparators=[ast.Name("requested")]
            ):
                yield name
            case ast.BinOp(left=ast.Name("requested"), op=ast.BitAnd(), right=ast.Set(elts=names)):
                yield from (name.value for name in names if isinstance(name, ast.Constant))


@pytest.fixture(scope="module")
def everywhere() -> set[str]:
    """The settings that the package reads."""
    readers = [module for module in PATHS if WORDS.search(text_of(module))]
    return {name for module in readers for name in settings_read(tree(module))}


def test_every_setting_is_read(everywhere):
    assert [name for name in config.SETTINGS if name not in everywhere] == []


def test_what_is_read_by_its_name_is_a_setting(everywhere):
    known = {*config.SETTINGS, "SETTINGS", "UNSUPPORTED", "PREFIX"}
    assert [name for name in everywhere if name not in known] == []


def test_a_setting_without_effect_is_none_of_ours():
    assert config.UNSUPPORTED.isdisjoint(config.SETTINGS)


@pytest.mark.parametrize("name", ["DISABLE_CUDA", "DEBUG_ARRAY_OPT_RUNTIME"])
def test_settings_of_what_is_not_there_warn(name, monkeypatch):
    monkeypatch.setenv(f"NUMBA_{name}", "1")
    monkeypatch.setattr(config, "_ENVIRONMENT", config._Environment())
    with pytest.warns(UserWarning, match=f"NUMBA_{name} has no effect"):
        assert name not in config.requested()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = config.value('CPU')", ["CPU"]),
        ("x = config.CPU", ["CPU"]),
        ("config.CPU = 'generic'", []),
        ("x = 'CPU'", []),
        ("x = 'CPU' in requested or requested & {'REPORT'}", ["CPU", "REPORT"]),
        ("Dump('DUMP_IR', 1)", ["DUMP_IR"]),
    ],
)
def test_a_reader_is_seen(text, names):
    assert WORDS.search(text) or not names
    assert sorted(settings_read(ast.parse(text))) == names
