"""The compiler's side of the cache: saves a finished specialization for later processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cutaway.caching import carried, extensions, frozen_constants
from cutaway.caching.calls import file_key, find, store
from cutaway.caching.carried import Carried
from cutaway.caching.dependencies import UnstableError
from cutaway.caching.records import CacheRecord, Part
from cutaway.caching.type_names import names_of_types, pickled
from cutaway.dispatch_c._dispatch import Specialization
from cutaway.lowering.build.raising import table_name
from cutaway.lowering.callee import Callee, CodePart
from cutaway.lowering.layout import descriptor, is_extension
from cutaway.lowering.linked import linked_parts
from cutaway.lowering.module import entry_name
from cutaway.runtime import NUMPY_LOOP, made_up, symbols
from cutaway.runtime.frozen import PREFIX
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.object_file import undefined_symbols
from cutaway.typing.types import Omitted, Type, omitted

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half

Descriptors = tuple[tuple[bytes, ...], bytes, tuple[object, ...]]


def lookup(half: Half, argtypes: tuple[Type, ...]) -> Specialization | None:
    """Return the specialization for argument types if an earlier process has saved it."""
    try:
        return find(half, names_of_types(argtypes))
    except UnstableError as error:
        half.cache.give_up(str(error))
        return None


def save(half: Half, identity: str, unit: CompileUnit, descriptors: Descriptors) -> None:
    """Write the file of a finished specialization."""
    assert unit.argtypes is not None
    try:
        key = file_key(identity, names_of_types(unit.argtypes))
        half.cache.counts["misses"] += 1
        content = _record(half, unit, descriptors).content()
    except UnstableError as error:
        half.cache.give_up(str(error))
        return
    store(half, key, content)


def compiled_here(
    half: Half, descriptors_of: Callable[[CompileUnit], Descriptors]
) -> dict[str, Carried]:
    """Return the records of a function's specializations compiled in this process, for a pickle."""
    cache = half.cache
    for argtypes, (specialization, identity) in list(half.identities.items()):
        unit = half.units.get(argtypes)
        if half.by_types.get(argtypes) is not specialization or unit is None:
            cache.packed.pop(argtypes, None)  # forgotten, or replaced by an edited one
        elif argtypes not in cache.packed or cache.packed[argtypes][0] is not specialization:
            try:
                names = names_of_types(argtypes)
                content = _record(half, unit, descriptors_of(unit)).content()
                one = carried.pack(content, carried.key_of(content, identity, names))
            except UnstableError as error:
                cache.give_up(str(error))
                del half.identities[argtypes]  # it will fail the next time too
            else:
                cache.packed[argtypes] = specialization, names, one
    return {names: one for _, names, one in list(cache.packed.values())}


def _record(half: Half, unit: CompileUnit, descriptors: Descriptors) -> CacheRecord:
    assert unit.callee is not None and unit.argtypes is not None
    arguments, result, constants = descriptors
    members = [member for member in unit.callee.closure() if member.linked is None]
    extended = check_stable(unit.callee)
    # Boxing descriptors of an extension's types are made anew in each process.
    boxed = any(map(_has_extension, (*unit.argtypes, unit.return_type)))
    own = CodePart(
        unit.object_code,
        entry_name(unit.callee),
        tuple(member.symbol for member in members),
        tuple(member.table for member in members if member.table is not None),
    )
    code_parts = (*linked_parts(unit.callee).values(), own)
    tables = [(t.hidden, t.sites, t.calls) for part in code_parts for t in part.tables]
    parts, loops, constants_by_address = _checked(code_parts)
    argtypes = tuple(None if isinstance(ty, Omitted) else ty for ty in unit.argtypes)
    return CacheRecord(
        parts,
        loops,
        frozen_constants.told(half, constants_by_address),
        () if boxed else arguments,
        b"" if boxed else result,
        pickled(constants, "a constant") if constants and not boxed else b"",
        pickled(tables, "what it raises"),
        pickled(argtypes, "the type of an argument"),
        pickled(unit.return_type, "the type of its result") if boxed else b"",
        unit.pyfunc.__code__.co_filename,
        extended or boxed,
    )


def _has_extension(ty: Type) -> bool:
    return is_extension(ty) or any(map(_has_extension, ty.inner_types))


def check_stable(callee: Callee) -> bool:
    """True if a function contains code of extensions.

    Raises UnstableError for code that has a meaning in this process alone.
    """
    waiting, seen, extended = [callee], set[str](), False
    while waiting:
        one = waiting.pop()
        if one.symbol in seen:
            continue
        seen.add(one.symbol)
        waiting += one.callees  # a callee with its own machine code has callees too
        reason = one.unstable
        if one.extension is not None and not reason:
            reason = extensions.reason(one.extension)
        if reason:
            raise UnstableError(reason)
        extended = extended or one.extension is not None
    return extended


def _checked(
    code_parts: Iterable[CodePart],
) -> tuple[tuple[Part, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the parts in file form, checked for stability in later processes; with NumPy's loops
    and the constants that they take by address."""
    known = {*symbols, *made_up}
    parts, loops, constants = [], [], []
    for part in code_parts:
        known |= {part.export, *map(table_name, part.stems)}
        needed = undefined_symbols(part.object_code)
        if needed is None:
            raise UnstableError("machine code of this kind of computer cannot be cached")
        for name in needed:
            if name in known:
                continue
            if name.startswith(NUMPY_LOOP):
                loops.append(name)
            elif name.startswith(PREFIX):
                constants.append(name)
            else:
                raise UnstableError(f"it calls {name}, which is not a function of the runtime")
        parts.append((part.object_code, part.export, part.stems))
    return tuple(parts), tuple(dict.fromkeys(loops)), tuple(dict.fromkeys(constants))


def boxed_descriptors(half: Half, arguments: bytes, result: bytes) -> Descriptors:
    """Return the descriptors of the argument and result types of a record."""
    constants: list[object] = []
    texts = tuple(descriptor(ty, constants) for ty in types_of(half, arguments))
    returns = pickle.loads(result)  # noqa: S301  from a file whose digest was right
    return texts, descriptor(returns, constants, result=True), tuple(constants)


def types_of(half: Half, data: bytes) -> tuple[Type, ...]:
    """Return the argument types of a record."""
    defaults = half.parameters.defaults
    argtypes = pickle.loads(data)  # noqa: S301  from a file whose digest was right
    return tuple(omitted(defaults[k]) if ty is None else ty for k, ty in enumerate(argtypes))
