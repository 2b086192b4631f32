"""The figures that are to be held: their goals, how they are measured, and the table of them."""
