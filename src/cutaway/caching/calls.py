"""Cache hits: from a call to code that another process compiled, and left on disk or in a pickle.

The dispatcher asks here before it loads the compiler.  A hit is added to the C half alone; once the
compiler is loaded, `adopt` of `resolution` registers its types.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from cutaway import config
from cutaway.caching import carried, files
from cutaway.caching.argument_names import names_of_values
from cutaway.caching.carried import Carried
from cutaway.caching.identity import identity_of, process_digest, without_extensions
from cutaway.caching.records import CacheRecord, UnloadableError, load
from cutaway.dispatch_c._dispatch import ABSENT, Specialization
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loading import guard_forks, has_run
from cutaway.lowering.build import raising
from cutaway.runtime import _runtime

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half
    from cutaway.typing.types import Type

LOCK = threading.RLock()  # guards the loaded code; a child process must not inherit it held
guard_forks(LOCK.acquire, LOCK.release)


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """Statistics of stored machine code for one function: hits and misses of the cache on disk,
    files read and written, why something was not cached or goes into no pickle, and how many
    specializations came with a pickle of the function and were used."""

    hits: int
    misses: int
    files: tuple[str, ...]
    reasons: tuple[str, ...]
    carried: int = 0


class FunctionCache:
    """The state of stored machine code for one function.

    `loaded` are the specializations found so far, by the names of their types; `pending` those
    whose types are not registered with the compiler's side yet.  For pickles: `carried` are the
    records that came with one, or go into the next, by names; `sources` are the files that were
    loaded, with their keys; `packed` are pickled forms of the specializations compiled here.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.files: list[str] = []
        self.reasons: list[str] = []
        self.loaded: dict[str, Specialization] = {}
        self.pending: list[tuple[Specialization, bytes]] = []
        self.carried: dict[str, Carried] = {}
        self.sources: dict[str, tuple[str, str]] = {}
        self.packed: dict[tuple[Type, ...], tuple[Specialization, str, Carried]] = {}

    def info(self) -> CacheInfo:
        """Return the statistics for users."""
        hits, misses = self.counts["hits"], self.counts["misses"]
        carried_along = self.counts["carried"]
        return CacheInfo(hits, misses, tuple(self.files), tuple(self.reasons), carried_along)

    @property
    def folder(self) -> str | None:
        """Return the folder of the files; None before there are any."""
        return os.path.dirname(self.files[-1]) if self.files else None

    def give_up(self, reason: str) -> None:
        """Record why something is not cached."""
        if reason not in self.reasons:
            self.reasons.append(reason)

    def forget(self, kept: set[Specialization]) -> None:
        """Drop all records of specializations that are not in `kept`."""
        for names in [names for names, one in self.loaded.items() if one not in kept]:
            for known in (self.loaded, self.sources, self.carried):
                known.pop(names, None)
        if not kept:
            self.carried.clear()  # including those that were never used
        self.packed = {t: one for t, one in self.packed.items() if one[0] in kept}

    def note_file(self, path: str) -> None:
        """Record a file that was read or written."""
        if path not in self.files:
            self.files.append(path)


# The C half's answer to a call: a specialization, and its positional arguments.
Answer = tuple[Specialization, tuple[Any, ...]]


def answer(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Answer | None:
    """Return the specialization for a call and its arguments from the cache; None where the
    compiler is needed."""
    bound = _bound(half, args, kwargs)
    names = None if bound is None else names_of_values(bound)
    if bound is None or names is None or names in half.cache.loaded or config.requested():
        return None
    specialization = find(half, names)
    return None if specialization is None else (specialization, bound)


def find(half: Half, names: str) -> Specialization | None:
    """Load the specialization for types of these names, and register it with the C half."""
    started = perf_counter()
    with LOCK:
        known = half.cache.loaded.get(names)
        if known is not None:
            return known
        entry = _read(half, names)
        if entry is None:
            return None
        specialization, types = entry
        specialization.seconds = perf_counter() - started
        half.cache.loaded[names] = specialization
        half.cache.pending.append((specialization, types))
        half.dispatcher._add(specialization)
        return specialization


def _read(half: Half, names: str) -> tuple[Specialization, bytes] | None:
    identity = identity_of(half)
    if identity is None:
        return None
    for path, content in _contents(half, identity, names):
        _hook()
        try:
            record = CacheRecord(*content)
            specialization = load(half, record)
        except (TypeError, UnloadableError) as error:
            half.cache.give_up(f"{path or 'what came in its pickle'}: {error}")
            half.cache.carried.pop(names, None)
            continue
        half.cache.counts["hits" if path else "carried"] += 1
        if path:
            half.cache.note_file(path)
            half.cache.sources[names] = path, identity
        return specialization, record.types
    return None


def _contents(half: Half, identity: str, names: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the records for types of these names: the one that came in a pickle, or else the one on
    disk, with its path."""
    came = half.cache.carried.get(names)
    keys = (f"{each}{names}" for each in (identity, without_extensions(identity)))
    found = () if came is None else (carried.content(came, key) for key in keys)
    content = next((one for one in found if one is not None), None)
    if content is not None:
        yield "", content
    elif came is not None:  # compiled on another kind of computer, or of another program
        del half.cache.carried[names]
    if half.flags.cache:
        key = file_key(identity, names)
        entry = files.read(paths_of(half, key), key)
        if entry is not None:
            yield entry


def file_key(identity: str, names: str) -> str:
    """Return the key of a specialization's file."""
    return f"{process_digest()} {identity}{names}"


def paths_of(half: Half, key: str) -> list[str]:
    """Return the paths at which a specialization may be stored."""
    name = name_of(half, key)
    folders = files.folders(half.py_func.__code__.co_filename)
    return [f"{folder}/{name}" for folder in folders]


def name_of(half: Half, key: str) -> str:
    """Return the name of a specialization's file."""
    function = half.py_func
    return files.file_name(f"{function.__module__}.{function.__qualname__}", key)


def store(half: Half, key: str, content: tuple[Any, ...]) -> None:
    """Write the file of compiled code."""
    folders = files.folders(half.py_func.__code__.co_filename)
    path = files.write(folders, name_of(half, key), files.packed(key, content))
    if path is None:
        half.cache.give_up("there is no writable folder")
    else:
        half.cache.note_file(path)


# --- arguments --------------------------------------------------------------------------------


def _bound(half: Half, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return one argument for each parameter; None where a call does not fit."""
    code = half.py_func.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    positional = args[: code.co_argcount]
    rest = args[code.co_argcount :]
    star = bool(code.co_flags & 4)  # CO_VARARGS
    names = code.co_varnames[:count]
    known = names[max(len(positional), code.co_posonlyargcount) :]
    if (rest and not star) or not all(name in known for name in kwargs):
        return None
    bound = [*positional, *(kwargs.get(name, ABSENT) for name in names[len(positional) :])]
    if any(value is ABSENT and name not in _defaults(half) for name, value in zip(names, bound)):
        return None
    return (*bound, rest) if star else tuple(bound)


def _defaults(half: Half) -> set[str]:
    function = half.py_func
    count = len(function.__defaults__ or ())
    last = function.__code__.co_argcount
    return {
        *function.__code__.co_varnames[last - count : last],
        *(function.__kwdefaults__ or {}),
    }


# --- Python callbacks of compiled code ---------------------------------------------------------


def _hook() -> None:
    """Have exceptions made from raise tables that are read when the first one is raised."""
    # If that module has run, it has set the hooks.
    if not has_run(raising.__name__):
        _runtime.set_raise_hook(lambda *given: raising.exception_at(*given))
        _runtime.set_frames_hook(lambda *given: raising.add_frames(*given))
        _runtime.set_site_hook(lambda *given: raising.known_site(*given))
        _runtime.set_call_hook(lambda *given: raising.call_python(*given))
        _runtime.set_drop_hook(lambda *given: raising.drop_values(*given))
