"""Kernels that are loops, by class of loop, each with the same loop in C."""
