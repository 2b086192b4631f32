"""The table of rules: every kind of rewrite that a pass reports, with the file that makes it.

A rule is a constant in the file of its pass, or a row of a table there.  This table collects them:
a rewrite by a rule that is not in it is a bug.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import dataclass
from cutaway.ir.editing import Rule
from cutaway.stages.arrays import array_expressions, fuse_arrays, fusing, making
from cutaway.stages.catalog import PASSES
from cutaway.stages.parallel import (
    comprehensions,
    converting,
    fuse_parfors,
    numpy_to_parfor,
    prange_to_parfor,
    raising,
    range_loops,
)
from cutaway.stages.parallel import fusing as parfor_fusing
from cutaway.stages.typed import decided, delegation, infer_types
from cutaway.stages.untyped import (
    fuse_generators,
    fusion,
    inline_closures,
    inlining,
    prune_branches,
    rewrite_untyped,
)

# Tables of rules on single ops, by the module of the pass that has them.
_TABLES = {
    rewrite_untyped: rewrite_untyped.RULES,
    prune_branches: prune_branches.rules_for(()),  # those for the types of a call are made then
}


# Modules that do the work of a pass.
_PARTS: dict[ModuleType, tuple[ModuleType, ...]] = {
    inline_closures: (inlining,),
    fuse_generators: (fusion,),
    infer_types: (delegation, decided),
    array_expressions: (making,),
    fuse_arrays: (fusing,),
    prange_to_parfor: (range_loops, comprehensions, raising),
    numpy_to_parfor: (converting,),
    fuse_parfors: (parfor_fusing,),
}


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule: its equation, the pass that it belongs to, and its file relative to the package."""

    name: str
    equation: str
    step: str
    file: str


def _rows() -> Iterator[RuleRow]:
    for step in PASSES:
        module = sys.modules[step.function.__module__]
        for part in (module, *_PARTS.get(module, ())):
            for rule in _rules_of(part):
                own = part if rule.rewrite is None else sys.modules[rule.rewrite.__module__]
                file = "/".join(own.__name__.split(".")[1:]) + ".py"
                yield RuleRow(rule.name, rule.equation, step.name, file)


def _rules_of(module: ModuleType) -> Iterator[Rule]:
    """Yield the rules that a module defines, alone or in a table."""
    yield from (value for value in vars(module).values() if isinstance(value, Rule))
    yield from _TABLES.get(module, ())


RULES: dict[str, RuleRow] = {row.name: row for row in _rows()}


def described(rule: str) -> RuleRow:
    """Return the row of a rule; raises InternalError for one that is missing."""
    if rule not in RULES:
        raise InternalError(
            f"the rule {rule} is not in the table of rules",
            hint="this is a bug of the pass that reports it: a rule is a constant of its file",
        )
    return RULES[rule]
