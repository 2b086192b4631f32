"""The pipelines that have a name.

    f = cutaway.jit(pipeline=cutaway.pipelines.nopython.without("simplify"))(f)

compiles one function with a pipeline of its own.
"""

from __future__ import annotations

from cutaway.ir.levels import Level
from cutaway.stages.pipeline import Pipeline

# From a function to machine code that runs without the interpreter.
nopython = Pipeline.parse(
    """
    decode_bytecode, control_flow, build_ir, lift_objmode,
    inline_closures, fuse_generators, unroll_tuples, declare_locals, check_unbound,
    insert_dels, ssa,
    rewrite_untyped, prune_branches, simplify,
    infer_types, prune_unreachable, argument_effects, bounds_checks,
    array_expressions, fuse_arrays, refcounts,
    lower_llvm, optimize_llvm, emit_object, link
    """
)

# For all cores: loops whose iterations do not depend on each other, and operations on whole arrays,
# become parfors.
parallel = Pipeline.parse(
    """
    decode_bytecode, control_flow, build_ir, lift_objmode,
    inline_closures, fuse_generators, unroll_tuples, declare_locals, check_unbound,
    insert_dels, ssa,
    rewrite_untyped, prune_branches, simplify,
    infer_types, prune_unreachable, argument_effects, bounds_checks,
    simplify_cfg, canonicalize_methods, array_expressions, fuse_arrays,
    prange_to_parfor, numpy_to_parfor, setitem_to_parfor, array_analysis,
    fuse_parfors, simplify_parfors, push_constants, refcounts,
    lower_llvm, optimize_llvm, emit_object, link
    """
)

# From a kernel, or a function that kernels call, to the code of a GPU.
ptx = Pipeline.parse(
    """
    decode_bytecode, control_flow, build_ir, lift_objmode,
    inline_closures, fuse_generators, unroll_tuples, declare_locals, check_unbound,
    insert_dels, ssa,
    rewrite_untyped, prune_branches, simplify,
    infer_types, prune_unreachable, check_kernel, bounds_checks,
    array_expressions, fuse_arrays, refcounts,
    lower_llvm, optimize_llvm, check_selection, emit_ptx
    """
)

# From a function to machine code in which every value is a Python object.
object_mode = Pipeline.parse(
    """
    decode_bytecode, control_flow, build_ir,
    lift_loops, count_references, pair_refcounts, lower_objects,
    optimize_llvm, emit_object, link
    """
)

# Object mode with all loops left where they are.
objects_alone = object_mode.without("lift_loops")

# From a loop that is lifted out of object mode to machine code with types.
lifted_loop = Pipeline(nopython.passes[nopython.position("inline_closures") :], Level.ir)

# From a block of `with objmode` to machine code in which every value is a Python object.
object_block = Pipeline(
    objects_alone.passes[objects_alone.position("count_references") :], Level.ir
)

# Only the required passes: the plainest code, and the least to read.
plain = Pipeline(tuple(p for p in nopython if p.required))

# The passes before types are known, the same for every signature of a function.
untyped = nopython.until("simplify")

# The passes on our own IR, up to where LLVM takes over.
own_ir = nopython.until("refcounts")
