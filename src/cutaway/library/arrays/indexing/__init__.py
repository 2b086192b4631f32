"""Indexing: elements and views, by arrays, through NumPy functions, and in place."""
