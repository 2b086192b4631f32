"""Methods of NumPy's sources of random numbers, which are loaded together."""

from cutaway.library.random import (  # noqa: F401
    choosing,
    distributions,
    integers,
    several,
    shuffling,
    standard,
)
