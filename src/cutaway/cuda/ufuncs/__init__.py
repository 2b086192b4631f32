"""`vectorize`, `guvectorize` and `reduce` on a GPU: kernels around functions of elements."""
