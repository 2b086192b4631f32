"""Kernels, looked into: from the source to registers of PTX."""
