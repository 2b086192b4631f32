"""Functions that take one element of each array at a time, and the methods of ufuncs."""
