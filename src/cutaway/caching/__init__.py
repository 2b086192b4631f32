"""Machine code on disk, for the processes that come later.

A specialization is one file, found by a digest of all that its code depends on.  What a hit needs
(`dependencies`, `identity`, `machine`, `argument_names`, `files`, `calls`) loads neither the
compiler nor LLVM; `saving` and `library_functions` are the compiler's side.
"""
