"""Methods of NumPy's sources of random numbers, which are loaded together."""

from cutaway.foundation import loading
from cutaway.library.random import (
    choosing,
    distributions,
    integers,
    several,
    shuffling,
    standard,
)

loading.run(choosing, distributions, integers, several, shuffling, standard)
