"""The race check: a program run by the interpreter, with a look at what its iterations touch."""
