"""What `python -m numba.runtests test` runs under the layer: unittest."""

import unittest

unittest.main(module=None)
