"""Random numbers of compiled code, beside NumPy's."""
