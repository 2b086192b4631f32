"""The meaning of operations for types: the context, signatures, and the choice among them."""
