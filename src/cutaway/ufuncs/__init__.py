"""`vectorize` and `guvectorize`: NumPy's ufuncs, with loops that are compiled."""
