"""Products of vectors, matrices and stacks."""
