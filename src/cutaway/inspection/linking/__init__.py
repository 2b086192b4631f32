"""Links between the source and the lines of each level."""
