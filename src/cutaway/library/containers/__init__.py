"""Tuples, ranges and slices, and iteration over them."""
