"""New arrays: of numbers, of a shape, of other objects; and questions about dtypes."""
