"""Stencils: kernels that compute an element from those around it."""
