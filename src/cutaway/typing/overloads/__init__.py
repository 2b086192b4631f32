"""What operations mean for types: the context, signatures, and the choice among them."""
