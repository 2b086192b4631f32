"""Type inference: type variables, constraints, and what they ask."""
