"""Large constants that compiled code refers to by address: one copy of each content, kept as long
as code that reads it.

    cutaway.frozen.<digest>     the bytes with this digest

Frozen contents never change: they are copies, like constants in the code.
"""

from __future__ import annotations

from _blake2 import blake2b
from weakref import WeakValueDictionary

import numpy as np

PREFIX = "cutaway.frozen."
# Larger ones are by address: as text, LLVM needs 0.3 µs per byte, and rarely folds loads of them.
LARGEST_IN_CODE = 4096
ALIGNMENT = 64


class FrozenMemory:
    """Bytes at an address that is a multiple of ALIGNMENT, with their symbol."""

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


class HeldOwner(FrozenMemory):
    """The address of the owner of a native container, which is kept as long."""

    __slots__ = ("value",)

    def __init__(self, name: str, value: object, owner: int) -> None:
        super().__init__(name, owner.to_bytes(8, "little"))
        self.value = value

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a native container of this process")


_LIVE: WeakValueDictionary[str, FrozenMemory] = WeakValueDictionary()


def name_of(digest: str) -> str:
    """Return the symbol of bytes with a digest of 16 bytes."""
    return f"{PREFIX}{digest}"


def freeze(content: bytes | bytearray) -> FrozenMemory:
    """Return memory with a content: existing memory, or a copy."""
    name = name_of(blake2b(content, digest_size=16).hexdigest())
    memory = _LIVE.get(name)
    return _LIVE.setdefault(name, FrozenMemory(name, content)) if memory is None else memory


def hold(value: object, owner: int) -> HeldOwner:
    """Return memory with the address of an object's owner."""
    name = f"{PREFIX}{id(value)}"
    memory = _LIVE.get(name) or _LIVE.setdefault(name, HeldOwner(name, value, owner))
    assert isinstance(memory, HeldOwner)
    return memory


def live() -> dict[str, FrozenMemory]:
    """Return all memory that is in use, by symbol."""
    return dict(_LIVE)


def memory(name: str) -> FrozenMemory | None:
    """Return the memory of a symbol; None if it is not in use in this process."""
    return _LIVE.get(name)
