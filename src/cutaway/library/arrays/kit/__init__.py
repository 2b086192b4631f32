"""NumPy's functions, by subject."""
