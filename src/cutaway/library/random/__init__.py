"""Methods of NumPy's sources of random numbers, which are loaded together."""

from cutaway.library.random import distributions, integers, standard  # noqa: F401
