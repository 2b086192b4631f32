"""Polynomials, interpolation, and differences of samples."""
