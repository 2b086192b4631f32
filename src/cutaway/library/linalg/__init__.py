"""Linear algebra: NumPy's `numpy.linalg`."""
