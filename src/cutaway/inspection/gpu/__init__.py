"""The resources that kernels use of a GPU."""
