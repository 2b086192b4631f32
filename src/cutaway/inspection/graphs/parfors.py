"""Describe each parallel loop in a line: its iteration space, its reductions and its schedule.

parfor 1, line 8: i in 0 .. len(points); nearest by min; dynamic
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from cutaway.foundation.source import span_text
from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import makers_of, walk

_PLAIN = re.compile(r"[\w.]+(\[[^\]]*\])?$")
_MADE = re.compile(r"\$(part|\d|[a-z]+\.\d+$)")  # names of temporary variables
_LETTERS = "ijklmn"
_LONGEST = 48  # characters of an expression


def parfor_heads(fn: Function) -> dict[int, str]:
    """Return the numbered description of each parallel loop of a function, by the id of its op."""
    parfors = [op for op in walk(fn) if isinstance(op, nodes.Parfor)]
    makers = makers_of(fn) if parfors else {}
    return {op.id: f"parfor {k}, {_head(op, makers)}" for k, op in enumerate(parfors, 1)}


def _head(op: nodes.Parfor, makers: Mapping[str, Op]) -> str:
    rows = zip(index_names(op), op.starts, op.stops, op.steps, strict=True)
    spaces = []
    for index, *bounds in rows:
        start, stop, step = (text_of(name, makers) for name in bounds)
        by = "" if step == "1" else f" by {step}"
        spaces.append(f"{index} in {start} .. {stop}{by}")
    pairs = zip(carried_names(op), op.operators, strict=True)
    common = [f"{name} by {how}" for name, how in pairs]
    parts = [", ".join(spaces), *([", ".join(common)] if common else []), op.schedule]
    where = f"line {op.loc.line}: " if op.loc.line else ""
    return f"{where}{'; '.join(parts)}"


def index_names(op: nodes.Parfor) -> tuple[str, ...]:
    """The user's names of the indices; letters in turn if a pass gave several the same name."""
    names = tuple(map(shown_name, op.body.indices))
    if len(set(names)) == len(names):
        return names
    return tuple(_LETTERS[k] if k < len(_LETTERS) else f"i{k}" for k in range(len(names)))


def carried_names(op: nodes.Parfor) -> tuple[str, ...]:
    """The user's names of the carried variables: where a pass made one, that of its result, or "the
    result" if that is a temporary too."""
    pairs = zip(op.body.carried, op.results, strict=True)
    names = (own if not is_temporary(own) else result for own, result in pairs)
    return tuple("the result" if _MADE.match(name) else shown_name(name) for name in names)


def text_of(name: str, makers: Mapping[str, Op]) -> str:
    """Return a variable as in the user's source; `makers` are the ops that define variables."""
    maker = makers.get(name)
    if isinstance(maker, nodes.Const):  # perhaps of a user variable
        return repr(maker.value)
    if not is_temporary(name):
        return user_name(name)
    if isinstance(maker, nodes.SizesOf) and maker.texts:
        text = str(maker.texts[-1])
        whole = text if _PLAIN.match(text) else f"({text})"
        return f"{whole}.shape[{maker.results.index(name)}]"
    if maker is None or not maker.loc.line:
        return name
    text = span_text(maker.loc) or name
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def shown_name(name: str) -> str:
    """Return the user's name of a variable, or of the variable that a pass copied."""
    return user_name(name.lstrip("$"))
