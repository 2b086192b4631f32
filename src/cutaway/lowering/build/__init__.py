"""Writing LLVM IR: lines, blocks, constants, casts, ways out."""
