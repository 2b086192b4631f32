"""Plain English: phrases that hide the act of a function are counted, and become fewer.

A docstring or a comment names the act (*return*, *report*, *accept*, *contain*, *query*) and its
object by the term of the field. Each folder has the number of its sentences with such a phrase; a
change may lower a number, and none may rise.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from house.source import PATHS, text_of, tree

pytestmark = pytest.mark.sampled(others=0, fast=0)

# Clauses in the place of nouns, verbs that say nothing, negations of nouns, unfinished sentences.
PHRASES = re.compile(
    r"\b(?:of what|what (?:is|are|was|were|has|have|it|they|there|one|a|the|can|may|does|do)"
    r"|gives?|tells?|told|(?:is|are) no|(?:the|its) same, of|of (?:Python|NumPy|Numba)'s|of ours"
    r"|see type)\b",
    re.IGNORECASE,
)

# How many docstrings and comments of each folder still have one of these phrases.
LEFT: dict[str, int] = {
    "inspection": 2,
    "ir": 2,
    "stages": 4,
    "types": 1,
    "typing": 0,
}
SLACK = 5  # by which a number may be too high before it has to be lowered


def sentences(module: str) -> Iterator[str]:
    """The docstrings and the comments of a module."""
    for node in ast.walk(tree(module)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""
    text = text_of(module)
    if "#" in text:
        yield from comments(text)


COMMENT = re.compile(r"""^[^"'#\n]*#(.*)$""", re.MULTILINE)  # no string before it


def comments(text: str) -> Iterator[str]:
    """The comments of a text, of lines without strings; those of lines in a row are one."""
    last, whole = -1, ""
    for match in COMMENT.finditer(text):
        if match.start() != last + 1:
            yield whole
            whole = ""
        last, whole = match.end(), f"{whole} {match[1].strip()}"
    yield whole


def counted() -> Counter[str]:
    """How many sentences of each folder have a phrase."""
    found: Counter[str] = Counter()
    for module in PATHS:
        folder = (
            module.partition(".")[0] if "." in module or PATHS[module].stem == "__init__" else ""
        )
        found[folder] += sum(bool(PHRASES.search(text)) for text in sentences(module))
    return found


def test_phrases_become_fewer():
    found = counted()
    more = {name: n for name, n in found.items() if n > LEFT.get(name, 0)}
    fewer = {name: found[name] for name, n in LEFT.items() if found[name] < n - SLACK}
    assert not more, "write sentences with a verb that says what is done"
    assert not fewer, "lower the numbers of LEFT"


@pytest.mark.parametrize(
    "text",
    [
        '"""What it gives."""',
        "# the dtype of what is added",
        "# A value that\n# tells the size.",
        "def f():\n    '''The same, of two.'''",
    ],
)
def test_a_phrase_is_seen(text):
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text))
                  if isinstance(node, (ast.Module, ast.FunctionDef))]  # fmt: skip
    assert any(map(PHRASES.search, [*docstrings, *comments(text)]))
