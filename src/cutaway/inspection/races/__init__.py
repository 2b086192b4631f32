"""The race check: the interpreter runs a program and records the memory accesses of iterations."""
