"""Machine code on disk, for later processes.

A specialization is one file, found by a digest of all that its code depends on.  The modules of a
hit (`dependencies`, `identity`, `machine`, `argument_names`, `files`, `calls`) load neither the
compiler nor LLVM; `saving` and `library_functions` are the compiler's side.
"""
