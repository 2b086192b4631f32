"""Arrays: attributes, indexing, methods, and the functions of NumPy by subject."""
