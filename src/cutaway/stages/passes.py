"""What a pass is, the table of all passes, and the table of why they stand in that order.

Both tables are checked whenever a pipeline is made (`stages/pipeline.py`).  To add a pass,
write `stages/<name>.py` with one public `run(unit)`, add its row here, and say in a row of
`ORDER` what it must come before or after, where the levels do not say so already.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.levels import Level
from cutaway.stages.machine import emit_object, link, lower_llvm, optimize_llvm
from cutaway.stages.typed import bounds_checks, infer_types, insert_dels, refcounts
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import (
    build_ir,
    check_unbound,
    control_flow,
    declare_locals,
    decode_bytecode,
    inline_closures,
    prune_branches,
    prune_unreachable,
    rewrite_untyped,
    simplify,
    ssa,
    unroll_tuples,
)


@dataclass(frozen=True, slots=True)
class Pass:
    """One step of the compiler.

    `name` is the word used everywhere: file, dump header, command line, docs.  `reads` is the
    level that the pass needs, `gives` the level that it leaves, never a lower one.  `stage` is
    the chapter it belongs to.  A pass that is not `required` only makes the code better or
    easier to read, and may be left out.
    """

    name: str
    run: Callable[[CompileUnit], None]
    reads: Level
    gives: Level
    stage: str
    required: bool = True

    @property
    def summary(self) -> str:
        """One line: what the docstring of the pass's module, or of its function, begins with."""
        if self.run.__name__ == "run":
            doc = getattr(self.run, "__globals__", {}).get("__doc__")
        else:
            doc = self.run.__doc__
        return re.sub(r" \(stage \w+\)\.$", "", (doc or "").strip().partition("\n")[0])


@dataclass(frozen=True, slots=True)
class Order:
    """Where both are present, pass `before` runs before pass `after`, for this reason."""

    before: str
    after: str
    reason: str


_1, _2, _3 = "1 bytecode", "2 ir", "3 rewrite untyped"
_4, _5, _6, _7 = "4 types", "5a rewrite typed", "6a lower", "7 machine code"

# fmt: off
PASSES = (
    Pass("decode_bytecode", decode_bytecode.run, Level.source,   Level.bytecode, _1),
    Pass("control_flow",    control_flow.run,    Level.bytecode, Level.cfg,      _1),
    Pass("build_ir",        build_ir.run,        Level.cfg,      Level.ir,       _2),
    Pass("inline_closures", inline_closures.run, Level.ir,       Level.ir,       _3),
    Pass("unroll_tuples",   unroll_tuples.run,   Level.ir,       Level.ir,       _3),
    Pass("declare_locals",  declare_locals.run,  Level.ir,       Level.ir,       _3),
    Pass("check_unbound",   check_unbound.run,   Level.ir,       Level.ir,       _2),
    Pass("insert_dels",     insert_dels.run,     Level.ir,       Level.ir,      _2, required=False),
    Pass("ssa",             ssa.run,             Level.ir,       Level.ssa,      _2),
    Pass("rewrite_untyped", rewrite_untyped.run, Level.ssa,      Level.ssa,      _3),
    Pass("prune_branches",  prune_branches.run,  Level.ssa,      Level.ssa,      _3),
    Pass("simplify",        simplify.run,        Level.ssa,      Level.ssa,     _3, required=False),
    Pass("infer_types",     infer_types.run,     Level.ssa,      Level.typed,    _4),
    Pass("prune_unreachable", prune_unreachable.run, Level.typed, Level.typed, _4),
    Pass("bounds_checks",   bounds_checks.run,   Level.typed,    Level.typed,   _5, required=False),
    Pass("refcounts",       refcounts.run,       Level.typed,    Level.typed,    _5),
    Pass("lower_llvm",      lower_llvm.run,      Level.typed,    Level.llvm,     _6),
    Pass("optimize_llvm",   optimize_llvm.run,   Level.llvm,     Level.llvm_opt, _6),
    Pass("emit_object",     emit_object.run,     Level.llvm_opt, Level.asm,      _7),
    Pass("link",            link.run,            Level.asm,      Level.asm,      _7),
)
# fmt: on

ORDER = (
    Order(
        "inline_closures",
        "check_unbound",
        "an inlined body may be what binds, or reads, a variable of the outer function",
    ),
    Order(
        "inline_closures",
        "insert_dels",
        "a variable lives on in the bodies that are inlined",
    ),
    Order(
        "inline_closures",
        "unroll_tuples",
        "an inner function that is inlined may hold such a loop, or make its tuple",
    ),
    Order(
        "unroll_tuples",
        "declare_locals",
        "each copy of an assignment converts what it assigns",
    ),
    Order(
        "declare_locals",
        "check_unbound",
        "that a variable is unbound is no value to convert",
    ),
    Order(
        "unroll_tuples",
        "check_unbound",
        "a loop of known length binds its variable surely, or never",
    ),
    Order(
        "check_unbound",
        "insert_dels",
        "a dead variable that is deleted would look unbound",
    ),
    Order(
        "rewrite_untyped",
        "prune_branches",
        "constants folded by the rules decide branches",
    ),
    Order(
        "prune_branches",
        "simplify",
        "pruning leaves dead definitions and straight-line blocks behind",
    ),
    Order(
        "prune_unreachable",
        "bounds_checks",
        "what is never reached needs no check, and its values mean nothing",
    ),
    Order(
        "prune_unreachable",
        "refcounts",
        "lifetimes end where an op surely raises",
    ),
    Order(
        "bounds_checks",
        "refcounts",
        "hoisted checks split blocks; lifetimes are counted on the final blocks",
    ),
)
