"""The table of what compiled code depends on, `changes.txt`, as programs."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

PREFACE = """
import abc, collections, enum, math, numbers
import numpy as np
import cutaway, helper
from cutaway import jit
arguments = ()
"""
# A module whose attributes are made when they are asked for.
HELPER = """
name = "helper"
MADE = {}
def __getattr__(name):
    if name not in MADE:
        raise AttributeError(name)
    return MADE[name]
"""
_CHANGED = re.compile(r"\{\{(.*?)\|(.*?)\}\}")


class Change(NamedTuple):
    """Something that a function depends on, what about it is changed, and the program."""

    of: str
    what: str
    text: str

    def module(self, changed: bool) -> str:
        """The module with the function f in the first process, or in the second."""
        text = _CHANGED.sub(lambda found: found[1 + changed], self.text).strip()
        if not re.search(r"^(def f\(|f =)", text, re.MULTILINE):
            text = _completed(text.splitlines())
        return PREFACE + text + "\n"


def _completed(lines: list[str]) -> str:
    """A program with what the table leaves out: a global's name, and the function."""
    *before, last = lines
    if len(before) == 1 and isinstance(ast.parse(before[0]).body[0], ast.Expr):
        before = [f"K = {before[0]}"]
    return "\n".join([*before, "@jit(cache=True)", f"def f(): return {last}"])


def read() -> list[Change]:
    """The table."""
    blocks = (Path(__file__).parent / "changes.txt").read_text().split("\n== ")[1:]
    heads = (block.partition("\n") for block in blocks)
    return [Change(*head.split(": ", 1), text) for head, _, text in heads]
