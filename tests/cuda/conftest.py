"""Before the tests of kernels: the library as the CPU's tests expect it."""

from __future__ import annotations

import cutaway.library.rest  # noqa: F401  first, since candidates are listed as they were registered
from library.registered import load_everything

load_everything()  # in the usual order; kernels alone would load some of it before the rest
