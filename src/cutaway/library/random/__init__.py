"""Methods of NumPy random number sources, which are loaded together."""

from cutaway.foundation import loading
from cutaway.library.random import by_python, choosing, drawing, integers

loading.run(by_python, choosing, drawing, integers)
