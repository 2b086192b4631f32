"""Series of polynomials: NumPy's `numpy.polynomial`."""
