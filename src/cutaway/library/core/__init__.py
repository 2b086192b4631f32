"""Built-in functions, comparisons, conversions, classes."""
