"""Large constants that compiled code takes by address: one copy of each content, for as long as
code that reads it.

    cutaway.frozen.<digest>     the bytes of this digest

What is frozen never changes: it is a copy, as a constant in the code would be.
"""

from __future__ import annotations

from _blake2 import blake2b
from weakref import WeakValueDictionary

import numpy as np

PREFIX = "cutaway.frozen."
# More bytes are taken by address: as text, LLVM needs 0.3 µs for each, and folds loads of few.
LARGEST_IN_CODE = 4096
ALIGNMENT = 64


class FrozenMemory:
    """Bytes at an address that is a multiple of ALIGNMENT, under their name."""

    __slots__ = ("name", "data", "address", "__weakref__")

    def __init__(self, name: str, content: bytes | bytearray) -> None:
        room = np.empty(len(content) + ALIGNMENT, np.uint8)
        start = -room.ctypes.data % ALIGNMENT
        self.data = room[start : start + len(content)]
        self.data[...] = np.frombuffer(content, np.uint8)
        self.data.flags.writeable = False
        self.name, self.address = name, self.data.ctypes.data

    def __reduce__(self) -> tuple[object, ...]:
        return (freeze, (self.data.tobytes(),))


_LIVE: WeakValueDictionary[str, FrozenMemory] = WeakValueDictionary()


def name_of(digest: str) -> str:
    """Return the name of bytes that have a digest of 16 bytes."""
    return f"{PREFIX}{digest}"


def freeze(content: bytes | bytearray) -> FrozenMemory:
    """Return memory that has a content: what there is, or a copy."""
    name = name_of(blake2b(content, digest_size=16).hexdigest())
    memory = _LIVE.get(name)
    return _LIVE.setdefault(name, FrozenMemory(name, content)) if memory is None else memory


def live() -> dict[str, FrozenMemory]:
    """Return all memory that something holds, by name."""
    return dict(_LIVE)


def memory(name: str) -> FrozenMemory | None:
    """Return the memory of a name; None where nothing in this process holds it."""
    return _LIVE.get(name)
