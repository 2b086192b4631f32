"""Object mode in LLVM IR: every value is a pointer to an object of Python's."""
