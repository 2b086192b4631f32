"""Overload resolution: the typing context, signatures, and the choice among them."""
