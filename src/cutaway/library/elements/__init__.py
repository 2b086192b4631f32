"""The element operations of NumPy ufuncs."""
