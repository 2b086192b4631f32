"""Machine code in pickles of compiled functions.

A function carries, for each specialization, the content of its file on disk.  The unpickling
process checks a record at the first call with such arguments, and not before: only then is
everything loaded that its code depends on.  Records for another processor, version or program are
ignored.
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

# Digests of the compiler, of this computer and of any, and the bytes of a file.
Carried = tuple[str, str, bytes]


def pack(content: tuple[Any, ...], key: str) -> Carried:
    """Return a record in its pickled form."""
    return process_digest(), digest_anywhere(), files.packed(key, content)


def key_of(content: tuple[Any, ...], identity: str, names: str) -> str:
    """Return the key of a record in a pickle: without code of an extension in it, another process
    need not have registered the same ones.

    Raises UnstableError for code of an extension if the identity leaves extensions out.
    """
    if not CacheRecord(*content).is_extended:
        return f"{without_extensions(identity)}{names}"
    check_has_extensions(identity)
    return f"{identity}{names}"


def content(given: Carried, key: str) -> tuple[Any, ...] | None:
    """Return the content of a record that has this key and runs here; None for any other."""
    here, anywhere, data = given
    # The second takes a while where Cutaway was not installed by a package.
    fits = here == process_digest() or anywhere == digest_anywhere()
    return files.unpacked(data, key) if fits else None


def offer(half: Half, given: dict[str, Carried]) -> None:
    """Let a function use the records that came with a pickle of it."""
    if given:
        half.cache.carried.update(given)


def stored(half: Half) -> dict[str, Carried]:
    """Return the records for a pickle of a function that other processes compiled, by the names of
    argument types."""
    cache = half._cache
    if cache is None:
        return {}
    for names, (path, identity) in list(cache.sources.items()):
        entry = files.read([path], f"{process_digest()} {identity}{names}")
        if entry is not None:  # else it was removed meanwhile
            cache.carried[names] = pack(entry[1], key_of(entry[1], identity, names))
        cache.sources.pop(names, None)
    return dict(cache.carried)
