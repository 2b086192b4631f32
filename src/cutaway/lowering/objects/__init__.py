"""Object mode in LLVM IR: every value is a pointer to a Python object."""
