"""New arrays, filled with numbers or made from other objects, and queries about dtypes."""
