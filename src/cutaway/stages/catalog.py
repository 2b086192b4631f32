"""The catalog: every pass with the level that it reads and gives, why passes stand in an order,
and which of them cannot do without which.

The tables are checked whenever a pipeline is constructed (`stages/pipeline.py`).  To add a pass,
write `stages/<room>/<name>.py` with one public `run(unit)`, add its row here, say in a row of
`ORDER` what it must come before or after, where the levels do not say so already, in a row of
`NEEDS` which pass cannot do without it, and name it in the pipelines that run it.
"""

from __future__ import annotations

from cutaway.ir.levels import Level
from cutaway.stages.arrays import array_expressions, fuse_arrays
from cutaway.stages.machine import (
    check_selection,
    emit_object,
    emit_ptx,
    link,
    lower_llvm,
    optimize_llvm,
)
from cutaway.stages.objects import count_references, lift_loops, lower_objects, pair_refcounts
from cutaway.stages.parallel import (
    array_analysis,
    canonicalize_methods,
    fuse_parfors,
    numpy_to_parfor,
    prange_to_parfor,
    push_constants,
    setitem_to_parfor,
    simplify_cfg,
    simplify_parfors,
)
from cutaway.stages.passes import Need, Order, Pass
from cutaway.stages.typed import bounds_checks, check_kernel, infer_types, insert_dels, refcounts
from cutaway.stages.untyped import (
    build_ir,
    check_unbound,
    control_flow,
    declare_locals,
    decode_bytecode,
    fuse_generators,
    inline_closures,
    lift_objmode,
    prune_branches,
    prune_unreachable,
    rewrite_untyped,
    simplify,
    ssa,
    unroll_tuples,
)

_5b = "5b parallelize"
_1, _2, _3 = "1 bytecode", "2 ir", "3 rewrite untyped"
_6b = "6b object mode"
_4, _5, _6, _7 = "4 types", "5a rewrite typed", "6a lower", "7 machine code"

# fmt: off
PASSES = (
    Pass("decode_bytecode", decode_bytecode.run, Level.source,   Level.bytecode, _1),
    Pass("control_flow",    control_flow.run,    Level.bytecode, Level.cfg,      _1),
    Pass("build_ir",        build_ir.run,        Level.cfg,      Level.ir,       _2),
    Pass("lift_objmode",    lift_objmode.run,    Level.ir,       Level.ir,       _3),
    Pass("inline_closures", inline_closures.run, Level.ir,       Level.ir,       _3),
    Pass("fuse_generators", fuse_generators.run, Level.ir,       Level.ir,       _3),
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
    Pass("check_kernel",    check_kernel.run,    Level.typed,    Level.typed,    _4),
    Pass("bounds_checks",   bounds_checks.run,   Level.typed,    Level.typed,   _5, required=False),
    Pass("simplify_cfg",    simplify_cfg.run,    Level.typed,    Level.typed, _5b, required=False),
    Pass("canonicalize_methods", canonicalize_methods.run, Level.typed, Level.typed, _5b,
         required=False),
    Pass("array_expressions", array_expressions.run, Level.typed, Level.arrayexpr, _5),
    Pass("fuse_arrays", fuse_arrays.run, Level.arrayexpr, Level.arrayexpr, _5, required=False),
    Pass("prange_to_parfor", prange_to_parfor.run, Level.arrayexpr, Level.parfor, _5b),
    Pass("numpy_to_parfor", numpy_to_parfor.run, Level.arrayexpr, Level.parfor, _5b),
    Pass("setitem_to_parfor", setitem_to_parfor.run, Level.arrayexpr, Level.parfor, _5b),
    Pass("array_analysis",  array_analysis.run,  Level.parfor, Level.parfor, _5b, required=False),
    Pass("fuse_parfors",    fuse_parfors.run,    Level.parfor, Level.parfor, _5b, required=False),
    Pass("simplify_parfors", simplify_parfors.run, Level.parfor, Level.parfor, _5b, required=False),
    Pass("push_constants",  push_constants.run,  Level.parfor, Level.parfor, _5b, required=False),
    Pass("refcounts", refcounts.run, Level.typed, Level.arrayexpr, _5, keeps=Level.parfor),
    Pass("lift_loops",      lift_loops.run,      Level.ir,       Level.ir,     _6b, required=False),
    Pass("count_references", count_references.run, Level.ir,     Level.objects,  _6b),
    Pass("pair_refcounts", pair_refcounts.run, Level.objects, Level.objects, _6b, required=False),
    Pass("lower_objects",   lower_objects.run,   Level.objects,  Level.llvm,     _6b),
    Pass("lower_llvm",      lower_llvm.run,      Level.typed,    Level.llvm,     _6),
    Pass("optimize_llvm",   optimize_llvm.run,   Level.llvm,     Level.llvm_opt, _6),
    Pass("emit_object",     emit_object.run,     Level.llvm_opt, Level.asm,      _7),
    Pass("link",            link.run,            Level.asm,      Level.asm,      _7),
    Pass("check_selection", check_selection.run, Level.llvm_opt, Level.llvm_opt, _7),
    Pass("emit_ptx",        emit_ptx.run,        Level.llvm_opt, Level.ptx,      _7),
)
# fmt: on

# The passes at level typed that leave a resolution with each op that needs one.  After any other
# pass at that level, a user's included, all ops are resolved anew.
RESOLVING = frozenset(
    (
        *(infer_types.run, prune_unreachable.run, check_kernel.run, bounds_checks.run),
        *(simplify_cfg.run, canonicalize_methods.run, array_expressions.run, fuse_arrays.run),
        *(prange_to_parfor.run, numpy_to_parfor.run, setitem_to_parfor.run, array_analysis.run),
        *(fuse_parfors.run, simplify_parfors.run, push_constants.run, refcounts.run),
    )
)

ORDER = (
    Order(
        "lift_objmode",
        "inline_closures",
        "what is in a block that runs as Python is left as it is",
    ),
    Order(
        "inline_closures",
        "check_unbound",
        "an inlined body may bind or read a variable of the outer function",
    ),
    Order(
        "inline_closures",
        "insert_dels",
        "inlined bodies keep variables alive",
    ),
    Order(
        "inline_closures",
        "fuse_generators",
        "an inlined function may contain a loop over a generator, or give one",
    ),
    Order(
        "fuse_generators",
        "unroll_tuples",
        "a generator may contain such a loop, or its loop may",
    ),
    Order(
        "fuse_generators",
        "check_unbound",
        "the body of a generator may bind or read a variable of the function around it",
    ),
    Order(
        "inline_closures",
        "unroll_tuples",
        "an inlined function may contain such a loop, or build its tuple",
    ),
    Order(
        "unroll_tuples",
        "declare_locals",
        "each copy of an assignment converts what it assigns",
    ),
    Order(
        "declare_locals",
        "check_unbound",
        "an unbound variable has no value to convert",
    ),
    Order(
        "unroll_tuples",
        "check_unbound",
        "after unrolling it is certain whether a loop binds its variable",
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
        "pruning leaves dead definitions and straight-line blocks",
    ),
    Order(
        "prune_unreachable",
        "bounds_checks",
        "unreachable code needs no checks, and its values mean nothing",
    ),
    Order(
        "prune_unreachable",
        "refcounts",
        "lifetimes end at an operation that always raises",
    ),
    Order(
        "fuse_arrays",
        "refcounts",
        "an array that is not made any more has no owner",
    ),
    Order(
        "bounds_checks",
        "prange_to_parfor",
        "checks are proved and moved out of loops, and a parfor is none any more",
    ),
    Order(
        "fuse_arrays",
        "numpy_to_parfor",
        "what is one expression is one parfor",
    ),
    Order(
        "numpy_to_parfor",
        "refcounts",
        "new arrays and parfors have owners of their own",
    ),
    Order(
        "prange_to_parfor",
        "refcounts",
        "what a parfor carries has owners of its own",
    ),
    Order(
        "bounds_checks",
        "refcounts",
        "hoisted checks split blocks, and references are counted on the final blocks",
    ),
)

NEEDS = (
    Need(
        "infer_types",
        "lift_objmode",
        "what is in a block of `with objmode` has no types",
    ),
    Need(
        "ssa",
        "inline_closures",
        "inner functions bind variables of the outer one, and those bindings would be missed",
    ),
    Need(
        "ssa",
        "fuse_generators",
        "generators bind variables of the outer function, and those bindings would be missed",
    ),
    Need(
        "ssa",
        "unroll_tuples",
        "the items of a tuple may differ in type, and without unrolling one body serves them all",
    ),
    Need(
        "ssa",
        "declare_locals",
        "each assignment to a declared variable converts what it assigns",
    ),
    Need(
        "ssa",
        "check_unbound",
        "a variable that may be unbound has no version to read",
    ),
    Need(
        "infer_types",
        "rewrite_untyped",
        "items of tuples, exceptions and calls are typed by their constants",
    ),
    Need(
        "infer_types",
        "prune_branches",
        "a branch that is never taken may have no types",
    ),
    Need(
        "lower_llvm",
        "prune_unreachable",
        "an operation that always raises has no value to lower",
    ),
    Need(
        "emit_ptx",
        "check_selection",
        "LLVM ends the process for what it makes no code of",
    ),
    Need(
        "check_selection",
        "check_kernel",
        "what a thread cannot do is told best of the program as the user wrote it",
    ),
    Need(
        "lower_llvm",
        "refcounts",
        "memory would be freed too early, or never",
    ),
)
