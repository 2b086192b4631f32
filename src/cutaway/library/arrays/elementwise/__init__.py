"""Element-wise functions, and the methods of ufuncs."""
