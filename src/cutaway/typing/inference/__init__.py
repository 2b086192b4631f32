"""Type inference: type variables, constraints, and their queries."""
