"""Writing LLVM IR: lines, blocks, constants, casts, exits."""
