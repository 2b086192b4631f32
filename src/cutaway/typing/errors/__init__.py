"""Type errors and explanations of types, in source terms."""
