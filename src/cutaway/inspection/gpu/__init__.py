"""Kernels of GPUs: what they take of one."""
