"""Runs where a test of Numba's starts a Python: that finds the tests, and their runner."""

import os
import sys

if os.environ.get("CUTAWAY_AS_NUMBA"):
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    __import__("reference_plugin")
