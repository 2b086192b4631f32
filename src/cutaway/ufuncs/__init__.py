"""`vectorize` and `guvectorize`: NumPy ufuncs with compiled loops."""
