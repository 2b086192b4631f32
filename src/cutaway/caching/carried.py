"""Machine code in pickles of compiled functions.

A function carries, for each specialization, what its file on disk would have.  Who unpickles it
looks at that when it is called with such arguments, and not before: only then is all there that
its code depends on.  What was compiled for another processor, by another version or of another
program is as if it had not come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cutaway.caching import files
from cutaway.caching.identity import (
    check_has_extensions,
    digest_anywhere,
    process_digest,
    without_extensions,
)
from cutaway.caching.records import CacheRecord

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half

# Digests of what it was compiled by, as this computer and as any other tells them, and the bytes of
# a file.
Carried = tuple[str, str, bytes]


def pack(content: tuple[Any, ...], key: str) -> Carried:
    """A record as a pickle has it."""
    return process_digest(), digest_anywhere(), files.packed(key, content)


def key_of(content: tuple[Any, ...], identity: str, names: str) -> str:
    """The key of a record in a pickle: where there is no code of an extension in it, another
    process need not have registered the same ones.

    Raises UnstableError where there is, and the identity says nothing of extensions.
    """
    if not CacheRecord(*content).is_extended:
        return f"{without_extensions(identity)}{names}"
    check_has_extensions(identity)
    return f"{identity}{names}"


def content(given: Carried, key: str) -> tuple[Any, ...] | None:
    """What is in a record, where it is of this key and runs here; None for any other."""
    here, anywhere, data = given
    # The second takes a while where Cutaway was not installed by a package.
    fits = here == process_digest() or anywhere == digest_anywhere()
    return files.unpacked(data, key) if fits else None


def offer(half: Half, given: dict[str, Carried]) -> None:
    """Let a function use what came with a pickle of it."""
    if given:
        half.cache.carried.update(given)


def stored(half: Half) -> dict[str, Carried]:
    """What a pickle of a function takes along of machine code that other processes have made, by
    the names of argument types."""
    cache = half._cache
    if cache is None:
        return {}
    for names, (path, identity) in list(cache.sources.items()):
        entry = files.read([path], f"{process_digest()} {identity}{names}")
        if entry is not None:  # else it was removed meanwhile
            cache.carried[names] = pack(entry[1], key_of(entry[1], identity, names))
        cache.sources.pop(names, None)
    return dict(cache.carried)
