"""bfloat16: a float32 without its lower half.  Arrays hold its bits; arithmetic uses float32.

    b[i] = cuda.float32_to_bf16(cuda.bf16_to_float32(a[i]) * 2)

Kernels have these functions as instructions; on the host they work on numbers and arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

bfloat16 = np.uint16


def float32_to_bf16(x: Any) -> Any:
    """Return the bits of the nearest bfloat16, a uint16; ties go to even."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), 0x7FFF, nearest).astype(np.uint16)[()]


def bf16_to_float32(bits: Any) -> Any:
    """Return the float32 of a bfloat16's bits, exactly."""
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)[()]
