"""`import numba` where Cutaway replaces Numba; the layer replaces this module."""

from cutaway.compat import install

install()
