"""The catalog: every pass with the levels that it reads and leaves, why passes stand in an order,
and which of them cannot do without which.

The tables are checked whenever a pipeline is constructed (`stages/pipeline.py`).  To add a pass,
write `stages/<room>/<name>.py` with one public `run(unit)`, add its row here, a row of `ORDER` for
each pass that it must come before or after, where the levels do not imply that, a row of `NEEDS`
for each pass that cannot do without it, and name it in the pipelines that run it.
"""

from __future__ import annotations

from cutaway.ir.levels import Level
from cutaway.stages.arrays import array_expressions, fuse_arrays
from cutaway.stages.conditions import (
    declares_locals,
    has_arrays,
    has_constants,
    has_entries,
    has_items,
    may_decide,
    may_read_functions,
    surely_raises,
    takes_containers,
)
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
from cutaway.stages.passes import Need, Order, Own, Pass
from cutaway.stages.typed import (
    argument_effects,
    bounds_checks,
    check_kernel,
    infer_types,
    insert_dels,
    refcounts,
)
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
    Pass("decode_bytecode", Own(decode_bytecode), Level.source,   Level.bytecode, _1),
    Pass("control_flow",    Own(control_flow),    Level.bytecode, Level.cfg,      _1),
    Pass("build_ir",        Own(build_ir),        Level.cfg,      Level.ir,       _2),
    Pass("lift_objmode",    Own(lift_objmode, has_entries), Level.ir, Level.ir, _3),
    Pass("inline_closures", Own(inline_closures, may_read_functions), Level.ir, Level.ir, _3),
    Pass("fuse_generators", Own(fuse_generators, may_read_functions), Level.ir, Level.ir, _3),
    Pass("unroll_tuples",   Own(unroll_tuples, may_read_functions), Level.ir, Level.ir, _3),
    Pass("declare_locals",  Own(declare_locals, declares_locals), Level.ir, Level.ir, _3),
    Pass("check_unbound",   Own(check_unbound),   Level.ir,       Level.ir,       _2),
    Pass("insert_dels",     Own(insert_dels),     Level.ir,       Level.ir,     _2, required=False),
    Pass("ssa",             Own(ssa),             Level.ir,       Level.ssa,      _2),
    Pass("rewrite_untyped", Own(rewrite_untyped, has_constants), Level.ssa, Level.ssa, _3),
    Pass("prune_branches",  Own(prune_branches, may_decide), Level.ssa, Level.ssa, _3),
    Pass("simplify",        Own(simplify),        Level.ssa,      Level.ssa,    _3, required=False),
    Pass("infer_types",     Own(infer_types),     Level.ssa,      Level.typed,    _4),
    Pass("prune_unreachable", Own(prune_unreachable, surely_raises), Level.typed, Level.typed, _4),
    Pass("check_kernel",    Own(check_kernel),    Level.typed,    Level.typed,    _4),
    Pass("argument_effects", Own(argument_effects, takes_containers), Level.typed, Level.typed, _5,
         required=False),
    Pass("bounds_checks",   Own(bounds_checks, has_items), Level.typed, Level.typed, _5,
         required=False),
    Pass("simplify_cfg",    Own(simplify_cfg),    Level.typed,    Level.typed, _5b, required=False),
    Pass("canonicalize_methods", Own(canonicalize_methods), Level.typed, Level.typed, _5b,
         required=False),
    Pass("array_expressions", Own(array_expressions, has_arrays), Level.typed, Level.arrayexpr, _5),
    Pass("fuse_arrays", Own(fuse_arrays, has_arrays), Level.arrayexpr, Level.arrayexpr, _5,
         required=False),
    Pass("prange_to_parfor", Own(prange_to_parfor), Level.arrayexpr, Level.parfor, _5b),
    Pass("numpy_to_parfor", Own(numpy_to_parfor), Level.arrayexpr, Level.parfor, _5b),
    Pass("setitem_to_parfor", Own(setitem_to_parfor), Level.arrayexpr, Level.parfor, _5b),
    Pass("array_analysis",  Own(array_analysis),  Level.parfor, Level.parfor, _5b, required=False),
    Pass("fuse_parfors",    Own(fuse_parfors),    Level.parfor, Level.parfor, _5b, required=False),
   Pass("simplify_parfors", Own(simplify_parfors), Level.parfor, Level.parfor, _5b, required=False),
    Pass("push_constants",  Own(push_constants),  Level.parfor, Level.parfor, _5b, required=False),
    Pass("refcounts", Own(refcounts), Level.typed, Level.arrayexpr, _5, keeps=Level.parfor),
    Pass("lift_loops",      Own(lift_loops),      Level.ir,       Level.ir,    _6b, required=False),
    Pass("count_references", Own(count_references), Level.ir,     Level.objects,  _6b),
    Pass("pair_refcounts", Own(pair_refcounts), Level.objects, Level.objects, _6b, required=False),
    Pass("lower_objects",   Own(lower_objects),   Level.objects,  Level.llvm,     _6b),
    Pass("lower_llvm",      Own(lower_llvm),      Level.typed,    Level.llvm,     _6),
    Pass("optimize_llvm",   Own(optimize_llvm),   Level.llvm,     Level.llvm_opt, _6),
    Pass("emit_object",     Own(emit_object),     Level.llvm_opt, Level.asm,      _7),
    Pass("link",            Own(link),            Level.asm,      Level.asm,      _7),
    Pass("check_selection", Own(check_selection), Level.llvm_opt, Level.llvm_opt, _7),
    Pass("emit_ptx",        Own(emit_ptx),        Level.llvm_opt, Level.ptx,      _7),
)
# fmt: on

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
        "argument_effects",
        "code that is never reached changes nothing",
    ),
    Order(
        "argument_effects",
        "refcounts",
        "ops of whole arrays and of references are no concern of containers",
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
