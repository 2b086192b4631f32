"""The table of rules: every rewrite that a pass reports, in one line, and where it is made.

What is reported under a name that has no row here is a bug.  Rows of patterns come from the
tables of the passes that apply them.
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import dataclass
from cutaway.stages.catalog import PASSES
from cutaway.stages.untyped import prune_branches, rewrite_untyped

# The folder of each pass, relative to the package.
_ROOMS = {step.name: "/".join(step.run.__module__.split(".")[1:-1]) for step in PASSES}


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule: what it does, the pass that it belongs to, and the function that makes it, in the
    pass's own file or another one."""

    name: str
    what: str
    step: str
    function: str
    module: str = ""

    @property
    def file(self) -> str:
        """The file, relative to the package."""
        room = _ROOMS[self.step]
        return f"{room}/{self.module or self.step}.py"

    @property
    def where(self) -> str:
        """The file and the function."""
        return f"{self.file}: {self.function}"


# fmt: off
_ROWS = (
    RuleRow("lift_captured", "what an inner function closes over => its parameters",
            "inline_closures", "run"),
    RuleRow("find_recursion", "an inner function that calls itself => marked as such",
            "inline_closures", "_find_recursion"),
    RuleRow("inline_function", "a call => the body of the function",
            "inline_closures", "_report"),
    RuleRow("read_captured", "a function that is passed on carries a variable => it is read first",
            "inline_closures", "read_captured"),
    RuleRow("drop_function", "an inner function that nothing needs => None",
            "inline_closures", "drop_unused"),
    RuleRow("unroll_loop", "a loop over literal_unroll(t) => its body for each item",
            "unroll_tuples", "run"),
    RuleRow("convert_declared", "an assignment to a declared variable => a cast to its type",
            "declare_locals", "run"),
    RuleRow("missing_name", "a read of a name that does not exist => raise NameError",
            "check_unbound", "_raise_for_missing_names"),
    RuleRow("flag_bound", "a variable that may be unbound => a flag that says whether it is",
            "check_unbound", "_add_flags"),
    RuleRow("guard_read", "a read of it => raise UnboundLocalError where it is unbound",
            "check_unbound", "_guard_reads"),
    RuleRow("plain_read", "a read of a captured variable that is bound => a copy",
            "check_unbound", "_read_plainly"),
    RuleRow("define_default", "a default of an inner function => no value before it is made",
            "check_unbound", "_define_defaults"),
    RuleRow("insert_del", "the end of a variable's life => del",
            "insert_dels", "_insert"),
    RuleRow("order_blocks", "blocks => in the order in which they are reached",
            "ssa", "_begin"),
    RuleRow("drop_dels", "del => nothing: versions have lives of their own",
            "ssa", "_begin"),
    RuleRow("place_phi", "several values of a variable meet => phi",
            "ssa", "report", "ssa_steps"),
    RuleRow("rename_version", "a definition and its uses => a version of the variable",
            "ssa", "report", "ssa_steps"),
    RuleRow("unused_exception", "making an exception that a static raise needs not => nothing",
            "rewrite_untyped", "_drop_unused_exceptions"),
    RuleRow("drop_block", "a block that is never reached => nothing",
            "prune_branches", "drop_unreachable"),
    RuleRow("narrow_phis", "phi of edges that are gone => phi of those that are left",
            "prune_branches", "drop_unreachable"),
    RuleRow("name_result", "$1 = a + b; s = $1 => s = a + b",
            "simplify", "_name_results"),
    RuleRow("forward_copy", "a use of a copy => a use of what was copied",
            "simplify", "_forward_copies"),
    RuleRow("dead_op", "an op whose result nothing needs => nothing",
            "simplify", "_report_dead"),
    RuleRow("dead_cycle", "ops that only need each other => nothing",
            "simplify", "_report_dead"),
    RuleRow("join_blocks", "a block and the only one that follows => one block",
            "simplify", "_join_chains"),
    RuleRow("find_types", "variables => variables with types",
            "infer_types", "run"),
    RuleRow("check_none", "a value that may be None where none is wanted => checked",
            "infer_types", "_unwrap"),
    RuleRow("cast_return", "a value that is returned => of the type that is returned",
            "infer_types", "_cast_returns"),
    RuleRow("cast_phi_values", "phi of values of other types => phi of casts",
            "infer_types", "_cast_phi_values"),
    RuleRow("end_block", "what follows an op that always raises => unreachable",
            "prune_unreachable", "_end_blocks"),
    RuleRow("mark_bounds", "a[i] => a[i] with a word for each axis: proved, check or wrap",
            "bounds_checks", "seen", "bounds_remarks"),
    RuleRow("version_loop", "a loop with checks => a test, the loop without them, and the loop",
            "bounds_checks", "versioned", "bounds_remarks"),
    RuleRow("split_edges", "an edge from a branch to a merge => a block on it",
            "refcounts", "run"),
    RuleRow("place_incref", "a new reference to memory => incref",
            "refcounts", "run"),
    RuleRow("place_decref", "the end of a reference's life => decref",
            "refcounts", "run"),
    RuleRow("place_del", "the end of a variable's life => del",
            "refcounts", "run"),
)
# fmt: on

_PATTERNS = (
    (rewrite_untyped.RULES, "rewrite_untyped"),
    (prune_branches.rules_for(()), "prune_branches"),
)


def _rows() -> Iterator[RuleRow]:
    yield from _ROWS
    for rules, step in _PATTERNS:
        for rule in rules:
            function = rule.rewrite.__qualname__.partition(".")[0]
            yield RuleRow(rule.name, rule.equation, step, function)


RULES: dict[str, RuleRow] = {row.name: row for row in _rows()}


def described(rule: str) -> RuleRow:
    """The row of a rule; raises InternalError for one that is missing."""
    if rule not in RULES:
        raise InternalError(
            f"the rule {rule} is not in the table of rules",
            hint="this is a bug of the pass that reports it: add a row to stages/rules.py",
        )
    return RULES[rule]
