"""Run programs written for Numba with Cutaway, unchanged: `import numba` imports a layer of names.

    import cutaway.compat

    cutaway.compat.install()                   # before the first `import numba`

    import numba                               # Cutaway, by Numba's names

`python -m cutaway.as_numba program.py` does the same for a whole program, and the wheel
`cutaway-as-numba` for an environment.  `cutaway.compat.numba` is the layer without installing
anything.  docs/from_numba.md lists the differences.
"""

from __future__ import annotations

from cutaway.compat.installing import install, is_installed

__all__ = ["install", "is_installed"]
