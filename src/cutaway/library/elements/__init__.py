"""What operations of NumPy's do with single elements."""
