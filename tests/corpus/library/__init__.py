"""The case table of the library's functions, a file an area."""
