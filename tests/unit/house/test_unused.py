"""Nothing is there that nobody uses: functions, classes, methods and constants, by their names.

A definition is used where its name is read, as a name, an attribute or an import, outside of its
own body; a private one of a module in that module alone. What C asks for by name, and what a
decorator registers, is used too. The rest is listed with the reason.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from house.source import PATHS, ROOT, parsed, tree

pytestmark = pytest.mark.sampled(fast=0)

# Decorators that change what is defined, and do not put it anywhere.
PLAIN = frozenset(
    """
    abstractmethod cache cached_property classmethod contextmanager dataclass dataclass_transform
    property runtime_checkable setter staticmethod wraps
    """.split()
)

# What users call: nothing in the package need name it, but some test does.
PUBLIC = {
    "api": "the front door",
    "config": "users set and read it",
    "compat": "the front door",
    "cuda": "the front door",
    "dispatch.dispatcher.Half": "attributes of compiled functions",
    "drawing.drawing.Drawing": "graphs, as users hold them",
    "extending": "what extensions are written with",
    "gpu.words": "the front door",
    "inspection.explaining": "what a trace gives",
    "inspection.linking": "what a trace gives",
    "inspection.llvm": "what a trace gives",
    "lessons": "lessons ask it",
    "stages.pipeline": "pipelines are values",
    "threads": "the front door",
    "types": "names of types",
    "ufuncs.decorators": "the front door",
    "ufuncs.half.UfuncHalf": "attributes of ufuncs",
    "typing.types": "what extensions ask of types",
}
# What is used though nothing in the package names it, nor a test where it is public; the reason.
USED = {
    "compat.adapters": "reference.txt names them",
    "compat.layer.Finder": "Python asks for its methods",
    "foundation.loading._Finder": "Python asks for its methods",
    "foundation.loading._Loader": "Python asks for its methods",
    "caching.type_names._Pickler.persistent_id": "pickle calls it",
    "dispatch_c.reference.Rules": "the rules of the C code in Python, which tests compare",
    "drawing.drawing.Drawing": "graphviz and notebooks call it",
    "extending.models": "names of the reference's, for extensions that are written with them",
    "extending.python_api": "the same",
    "extending.results": "the same",
    "extending.struct_proxies": "the same",
    "extending.target_context": "the same",
    "inspection.showing.terminal.model.KEYS": "what the tests of the viewer press",
    "ir.interpreter.INTERPRETED": "what the test of ops compares with",
    "stages.reporting._Sentences.convert_field": "string.Formatter calls it",
    "lowering.regions.counted_loop": "the lowering of ops that are to come; tests have two",
    "library.math.complex_functions": "complex_math registers them by the names of cmath",
    "typed.Set._from_iterable": "collections.abc calls it",
    "types": "names of the reference's, for programs and extensions written with them",
    "typing.overloads.asked": "the same",
    "typing.types.constants.Module.pymod": "the same",
}


class Definition(NamedTuple):
    """One thing that a module defines; `owner` is the class, of a method."""

    module: str
    owner: str
    name: str
    node: ast.AST

    @property
    def path(self) -> str:
        return ".".join(filter(None, (self.module, self.owner, self.name)))


def names_in(node: ast.AST) -> Counter[str]:
    """The names that are read in a tree, and how often."""
    found: Counter[str] = Counter()
    for one in ast.walk(node):
        match one:
            case ast.Name(name, ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
                found[name] += 1
            case ast.ImportFrom(names=aliases):
                found.update(alias.name for alias in aliases)
            case ast.MatchClass(kwd_attrs=attributes):
                found.update(attributes)
            case ast.Constant(str(text)) if text.isidentifier():
                found[f"'{text}'"] += 1
    return found


def defined(module: str, syntax: ast.Module) -> Iterator[Definition]:
    """What a module defines at its top, and the methods of its classes."""
    for node in _statements(syntax.body):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                yield Definition(module, "", name, node)
            case ast.ClassDef(name, body=body):
                yield Definition(module, "", name, node)
                for inner in _statements(body):
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                        yield Definition(module, name, inner.name, inner)
            case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(ast.Name(name)):
                yield Definition(module, "", name, node)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from _statements(node.orelse)  # what stands above is not there
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _statements(node.body)
        yield node


def is_registered(node: ast.AST) -> bool:
    """Whether a decorator puts a definition where others find it."""
    for decorator in getattr(node, "decorator_list", ()):
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = getattr(named, "attr", None) or getattr(named, "id", "")
        if name not in PLAIN and ast.unparse(decorator) != "overload":  # the one of `typing`
            return True
    return False


def unused(modules: dict[str, ast.Module], outside: set[str]) -> list[Definition]:
    """The definitions that nothing uses; `outside` are names that are asked for from elsewhere."""
    read = {module: names_in(syntax) for module, syntax in modules.items()}
    everywhere: Counter[str] = Counter()
    for names in read.values():
        everywhere.update(names)
    found = []
    for module, syntax in modules.items():
        for one in defined(module, syntax):
            if one.name.startswith("__") or one.name in outside or is_registered(one.node):
                continue
            is_own = one.name.startswith("_") and not one.owner
            if not is_own and everywhere[one.name] > read[module][one.name]:
                continue  # another module reads it, which is not its own body
            if read[module][one.name] == names_in(one.node)[one.name]:
                found.append(one)
    return found


def covered(one: Definition, rows: dict[str, str]) -> str | None:
    """The row of a table that a definition is in, by its path or the beginning of it."""
    return next((row for row in rows if f"{one.path}.".startswith(f"{row}.")), None)


def asked_by_c() -> set[str]:
    """The names in strings of C code."""
    texts = (path.read_text(encoding="utf-8") for path in ROOT.rglob("*.[ch]"))
    return {name for text in texts for name in re.findall(r'"(\w+)"', text)}


def named_in_tests(asked: set[str]) -> set[str]:
    """Those of some names that tests read, or have as text: programs are often written so. A file
    is parsed only if one of the names that are still looked for stands in it."""
    missing = set(asked)
    for path in sorted((ROOT.parents[1] / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not missing.isdisjoint(re.findall(r"\w+", text)):
            missing -= {name.strip("'") for name in names_in(parsed(text))}
    return asked - missing


@pytest.fixture(scope="module")
def unnamed() -> list[Definition]:
    """The definitions of the package that nothing in it names."""
    return unused({module: tree(module) for module in PATHS}, asked_by_c())


@pytest.fixture(scope="module")
def in_tests(unnamed) -> set[str]:
    """Which of these definitions the tests name."""
    return named_in_tests({one.name for one in unnamed})


def test_nothing_is_there_that_nobody_uses(unnamed, in_tests):
    for one in unnamed:
        is_public = covered(one, PUBLIC) is not None and one.name in in_tests
        assert is_public or covered(one, USED), f"{one.path} is used nowhere: delete it"


def test_every_row_is_needed(unnamed, in_tests):
    left = [one for one in unnamed if covered(one, PUBLIC) is None or one.name not in in_tests]
    assert set(USED) == {covered(one, USED) for one in left}
    assert set(PUBLIC) == {covered(one, PUBLIC) for one in unnamed if one not in left}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f(): pass", ["f"]),
        ("def f(): f()", ["f"]),
        ("def f(): pass\nx = f()\nprint(x)", []),
        ("@register\ndef f(): pass", []),
        ("@register(3)\ndef f(): pass", []),
        ("@cache\ndef f(): pass", ["f"]),
        ("class C:\n    def m(self): pass\nC()", ["m"]),
        ("class C:\n    def m(self): self.m()\nC().m", []),
        ("ROWS = {1: 2}", ["ROWS"]),
        ("from y import f\ndef f(): pass", []),
    ],
)
def test_what_nobody_uses_is_seen(text, names):
    assert [one.name for one in unused({"x": ast.parse(text)}, set())] == names


def test_a_private_name_is_used_by_its_own_module():
    modules = {"x": ast.parse("def _f(): pass"), "y": ast.parse("def _f(): pass\n_f()")}
    assert [one.module for one in unused(modules, set())] == ["x"]
