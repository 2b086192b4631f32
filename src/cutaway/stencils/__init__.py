"""Stencils: kernels that compute an element from its neighbors."""
