"""Made-up modules: compiled like Python, and each variable's type explained."""

from __future__ import annotations

import ast
import re
from random import Random
from typing import Any

import pytest

import corpora
import cutaway
from corpus.programs.compare import outcome
from cutaway.errors import InternalError, PipelineError, TypingError
from fuzz.generate_calls import Writer, arguments, bare, functions

ZERO = ("division by zero", "float division by zero")
MADE_UP = re.compile(r"\$\w*\.\d|\b[a-z]\w*\.\d+\b")  # names of the compiler's own


def alike(left: Any, right: Any) -> bool:
    """Whether two outcomes are equal: an integer where the other is a float counts as it, and the
    words for a division by either zero."""
    if left in ZERO and right in ZERO:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, float) and isinstance(right, float | int):
        return left == right or left != left or abs(left - right) <= 1e-9 * abs(left)
    if isinstance(right, float) and isinstance(left, int):
        return alike(right, left)
    return bool(left == right)


def variables(source: str) -> list[tuple[str, int]]:
    """The variables of the program, with each line that they stand in."""
    tree = next(node for node in ast.parse(source).body if getattr(node, "name", "") == "program")
    names = {node.arg for node in tree.args.args}
    names |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}
    found = {(n.id, n.lineno) for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in names}
    return sorted(found)


def explanations(compilation: Any, source: str, seed: int) -> list[str]:
    """What is said of every variable on every line, of the result, the calls, and some wishes."""
    texts = [str(compilation.why()), str(compilation.why_call())]
    random = Random(seed)
    for name, line in variables(source):
        try:
            texts.append(str(compilation.why(name, line)))
            if random.random() < 0.05:
                wanted = random.choice(("int64", "float64", "bool", "complex128"))
                texts.append(str(compilation.why_not(name, wanted, line)))
        except PipelineError as error:
            texts.append(str(error))
    return texts


@pytest.mark.slow
@pytest.mark.parametrize("seed", corpora.seeds("MODULES"))
def test_a_made_up_module_does_what_python_does_and_is_explained(seed):
    source, args = Writer(seed).module(), arguments(seed)
    wanted = outcome(functions(source, bare)["program"], args)
    program = functions(source, cutaway.jit)["program"]
    compilation = program.trace(*args)
    if compilation.error is not None:
        assert not isinstance(compilation.error, InternalError), source
        assert isinstance(compilation.error, TypingError), source
        assert not MADE_UP.search(compilation.error.message), compilation.error
        assert "common type" in str(compilation.error) or "computed" in str(compilation.error)
        return
    assert alike(outcome(program, args), wanted), source
    assert alike(outcome(compilation.at("typed").run, args), wanted), source
    for text in explanations(compilation, source, seed):
        assert not MADE_UP.search(text), (source, text)
