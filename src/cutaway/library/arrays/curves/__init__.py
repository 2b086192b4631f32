"""Polynomials, interpolation, differences of samples."""
