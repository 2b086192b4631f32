"""Large constants of cached code: their names in a record, and their memory in another process."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cutaway.caching.dependencies import UnstableError
from cutaway.caching.identity import walked
from cutaway.foundation.frozen_arrays import frozen, memory_of
from cutaway.runtime.frozen import FrozenMemory, HeldOwner, freeze, memory, name_of

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half


def told(half: Half, names: Iterable[str]) -> tuple[tuple[str, bytes | None], ...]:
    """Return a record's entries for the constants of these names: the bytes of those that are not
    in an array that the function names. The function's code holds all of them."""
    plain = dict.fromkeys(names)
    found = _of_arrays(half, plain)
    entries = []
    for name in plain:
        held = None if name in found else memory(name)
        if isinstance(held, HeldOwner):
            raise UnstableError("it names a native container, which is one of this process")
        entries.append((name, None if held is None else held.data.tobytes()))
    return tuple(entries)


def held(half: Half, record: Iterable[tuple[str, bytes | None]]) -> dict[str, FrozenMemory]:
    """Return the memory of the constants that a record names, as far as it is available here."""
    found = {name: freeze(content) for name, content in record if content is not None}
    return found | _of_arrays(half, [name for name, content in record if content is None])


def _of_arrays(half: Half, names: Iterable[str]) -> dict[str, FrozenMemory]:
    """Return those constants that are the memory of an array that the function names."""
    wanted, found = set(names), {}
    arrays = walked(half).arrays if wanted else {}
    for digest, array in arrays.items():
        # The memory of a C-contiguous array has the digest of its items.
        if name_of(digest) in wanted or not array.flags.c_contiguous:
            one = freeze(memory_of(frozen(array))[0])
            if one.name in wanted:
                found[one.name] = one
    return found
