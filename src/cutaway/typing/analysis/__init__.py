"""Analyses of typed functions: ownership of memory, sizes of arrays, ranges of values."""
