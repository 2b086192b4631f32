"""Kernels in whole-array NumPy style, and what times them side by side."""
