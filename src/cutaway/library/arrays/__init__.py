"""Arrays: attributes, indexing, methods, creation."""
