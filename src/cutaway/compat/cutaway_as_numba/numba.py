"""`import numba` where Cutaway runs in the place of Numba; the layer replaces this module."""

from cutaway.compat import install

install()
