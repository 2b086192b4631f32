"""One cached specialization: its file's content, and how it is loaded."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from cutaway.caching import frozen_constants, saving
from cutaway.dispatch_c._dispatch import Specialization
from cutaway.foundation.dataclass import dataclass, fields
from cutaway.runtime import load_object, made_up, numpy_loops, symbols
from cutaway.runtime.pending_tables import PendingTables

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half

# Object code, its exported function, and the functions whose tables it names.
Part = tuple[bytes, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CacheRecord:
    """The parts of a specialization, as they are in its file.

    `parts` are objects, each of which may call those before it; the last has the entry point.
    `loops` are the symbols of the NumPy loops that any part calls.  `frozen` are the constants
    that they take by address, with their bytes unless an array that the function names has them.
    `constants`, `tables` and `types` are pickles: of the objects that the descriptors refer to, of
    the raise tables of all parts, and of the argument types, with None for an omitted argument.
    Where a type belongs to an extension, `result_type` is that of the result, and the descriptors
    are made anew; `is_extended` says whether code of an extension is in any part.
    """

    parts: tuple[Part, ...]
    loops: tuple[str, ...]
    frozen: tuple[tuple[str, bytes | None], ...]
    arguments: tuple[bytes, ...]
    result: bytes
    constants: bytes
    tables: bytes
    types: bytes
    result_type: bytes
    filename: str
    is_extended: bool

    def content(self) -> tuple[Any, ...]:
        """Return the fields for a file."""
        return tuple(getattr(self, one.name) for one in fields(self))


class UnloadableError(Exception):
    """A record cannot be loaded here: the reason."""


def load(half: Half, record: CacheRecord) -> Specialization:
    """Load the code of a record.

    Raises UnloadableError where this process lacks something that it needs.
    """
    stems = [stem for _, _, stems in record.parts for stem in stems]
    filename = half.py_func.__code__.co_filename
    tables = PendingTables(stems, record.tables, (record.filename, filename))
    available = {**symbols, **made_up}
    for stem, address in zip(stems, tables.addresses, strict=True):
        available[f"{stem}.table"] = address
    if record.loops:
        available.update(_addresses_of(record.loops))
    constant_memories = frozen_constants.held(half, record.frozen) if record.frozen else {}
    available.update((name, one.address) for name, one in constant_memories.items())
    missing = [name for name, _ in record.frozen if name not in constant_memories]
    if missing:
        raise UnloadableError("an array that it reads is not found here")
    memories = []
    try:
        for code, export, _ in record.parts:
            memory, (entry,) = load_object(code, (export,), available)
            memories.append(memory)
            available[export] = entry
        # this user's own processes wrote the file, and its digest was right
        constants = pickle.loads(record.constants) if record.constants else ()  # noqa: S301
        arguments, result = record.arguments, record.result
        if record.result_type:
            arguments, result, constants = saving.boxed_descriptors(
                half, record.types, record.result_type
            )
        return Specialization(
            entry,
            arguments,
            result,
            constants,
            (memories, tables, constant_memories),
            half.flags.nogil,
        )
    except (ValueError, TypeError, *_PICKLE_ERRORS) as error:
        raise UnloadableError(str(error)) from None


def _addresses_of(loops: tuple[str, ...]) -> dict[str, int]:
    address = numpy_loops.address
    found = {name: address(name) for name in loops}
    missing = [name for name in loops if found[name] is None]
    if missing:
        raise UnloadableError(f"NumPy has no {missing[0]} here")
    return found


_PICKLE_ERRORS = (pickle.UnpicklingError, AttributeError, ImportError, EOFError, IndexError)
