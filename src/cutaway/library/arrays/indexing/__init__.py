"""Indexing: elements, parts, by arrays, through functions of NumPy, and in place."""
