"""Compiled library functions on disk: later processes load them instead of running their front end.

A record has the LLVM text of the function, its type, its raise table, references to its library
callees, and for one with a loop its machine code.  The key is the compiler itself with all of the
library (`environment`), the function, the types and the flags.
"""

from __future__ import annotations

import importlib
import itertools
import os
import pickle
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from cutaway import config
from cutaway.caching import files
from cutaway.caching.dependencies import UnstableError
from cutaway.caching.digests import digest
from cutaway.caching.identity import environment, flags_text
from cutaway.caching.implementations import name_of
from cutaway.caching.type_names import names_of_types, pickled
from cutaway.foundation.options import Flags
from cutaway.foundation.source import is_at_top
from cutaway.ir.levels import Level
from cutaway.lowering import linked
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.callee import Callee
from cutaway.stages.unit import CompileUnit
from cutaway.targets.target import Target
from cutaway.typing.types import Closure, Dispatcher, Functions, Type

# The fewest LLVM lines of a function with its own machine code. A caller's caller may have a loop,
# where calling a few instructions or a loop over a few elements costs twice the inlined code.
FEWEST_LINES = 40
FEWEST_WITHOUT_LOOP = 300  # they take longer to compile than to call


class Named(NamedTuple):
    """A record's reference to a library function by module and name; `inlined`: its code is in its
    caller's module. It has the flags of its caller, which need not be those of the record: an
    embedded function may have options of its own."""

    module: str
    name: str
    argtypes: tuple[Type, ...]
    flags: Flags
    inlined: bool


class Embedded(NamedTuple):
    """A record's reference to a function without such a name: the content of its own record."""

    symbol: str
    argtypes: tuple[Type, ...]
    inlined: bool
    facts: tuple[Any, ...]
    object_code: bytes


Reference = Named | Embedded
Resolve = Callable[[FunctionType, tuple[Type, ...], Flags], Callee]


def is_kept(py_func: FunctionType) -> bool:
    """True if a function belongs to our library and has a name that other processes know."""
    return bool(name_of(py_func))


def is_worth_linking(callee: Callee) -> bool:
    """True if a finished library function pays for machine code of its own: it has a loop or many
    lines, takes no user's function (which is worth inlining), and hides its raise tables."""
    if callee.linked is not None or not _is_finished(callee):
        return False
    members = [member for member in callee.closure() if member.linked is None]
    if any(_has_function(ty) for member in members for ty in (*member.argtypes, member.returns)):
        return False
    lines = sum(len(member.code.lines) for member in members if member.code is not None)
    has_loop = any(member.loops for member in members)
    return lines >= (FEWEST_LINES if has_loop else FEWEST_WITHOUT_LOOP) and all(
        member.table is not None and member.table.hidden for member in members
    )


def _is_finished(callee: Callee) -> bool:
    """True if a function is lowered with all its callees: one in a recursive cycle may have to be
    compiled once more."""
    members = [member for member in callee.closure() if member.linked is None]
    return all(member.code is not None and member.returns is not None for member in members)


def _has_function(ty: Type | None) -> bool:
    if ty is None or isinstance(ty, Closure | Dispatcher | Functions):
        return True
    return any(map(_has_function, ty.inner_types))


def symbol_of(
    py_func: FunctionType, flags: Flags, argtypes: tuple[Type, ...], target: Target
) -> str | None:
    """Return an LLVM name that is the same in every process; None where there is none."""
    key = _key(py_func, flags, argtypes, target)
    return None if key is None else f"{py_func.__name__}${digest(key)[:16]}"


def _key(
    py_func: FunctionType, flags: Flags, argtypes: tuple[Type, ...], target: Target
) -> str | None:
    try:
        names = f"{name_of(py_func)} {names_of_types(argtypes)}"
        return f"{names} {flags_text(flags)} {target} {target.machine}"
    except UnstableError:
        return None


def _place(unit: CompileUnit) -> tuple[str, str, str] | None:
    """Return folder, file name and key of a unit's record; None where it has none."""
    assert unit.argtypes is not None and unit.callee is not None
    key = _key(unit.pyfunc, unit.flags, unit.argtypes, unit.target)
    if key is None or not config.value("LIBRARY_CACHE"):
        return None
    key = f"{environment()} {key}"
    return files.library_folder(), files.file_name(unit.pyfunc.__qualname__, key), key


def save(unit: CompileUnit) -> None:
    """Write the record of a finished library function."""
    entry = _place(unit)
    callee = unit.callee
    if entry is None or callee is None or not _is_finished(callee):
        return
    folder, name, key = entry
    try:
        facts, object_code = _content(callee)
        content = pickled(facts, callee.symbol), object_code
    except UnstableError:
        return
    files.write([folder], name, files.packed(key, content))


def _content(callee: Callee) -> tuple[tuple[Any, ...], bytes]:
    assert callee.table is not None and callee.code is not None
    if any(_has_function(ty) for ty in (*callee.argtypes, callee.returns)):
        raise UnstableError("it takes functions")
    facts = (
        callee.returns,
        callee.never_returns,
        callee.recursive,
        callee.loops,
        callee.loops_over_arrays,
        callee.table.sites,
        callee.table.calls,
        callee.code,
        [_reference(called) for called in callee.callees],
    )
    code = b"" if callee.linked is None else callee.linked.parts[callee.symbol].object_code
    return facts, code


def _reference(callee: Callee) -> Reference:
    origin, inlined = callee.origin, callee.linked is None
    if origin is None and callee.symbol in _REFERENCES:  # it came from a record
        return _REFERENCES[callee.symbol]._replace(inlined=inlined)
    if origin is None or not is_kept(origin) or not callee.is_lasting:
        raise UnstableError("it calls a function outside the library")
    if is_at_top(origin):
        assert callee.flags is not None, "it is lasting, so it was compiled as a function of ours"
        return Named(origin.__module__, origin.__name__, callee.argtypes, callee.flags, inlined)
    return Embedded(callee.symbol, callee.argtypes, inlined, *_content(callee))


def restore(unit: CompileUnit, resolve: Resolve) -> bool:
    """Fill a fresh unit of a library function from its record; False if there is none.

    `resolve` returns the callees for the record's references.
    """
    entry = _place(unit)
    if entry is None:
        return False
    folder, name, key = entry
    contents = files.read([os.path.join(folder, name)], key)
    if contents is None:
        return False
    facts, object_code = contents[1]
    try:
        # the file's digest was right
        facts = pickle.loads(facts)  # noqa: S301
        assert unit.callee is not None
        called = [_resolved(reference, resolve, unit.target) for reference in facts[-1]]
    except (pickle.UnpicklingError, AttributeError, ImportError, LookupError):
        return False
    _fill(unit.callee, facts, called)
    unit.return_type = facts[0]
    unit.level, unit.done = Level.llvm, frozenset({"infer_types", "lower_llvm"})
    if object_code:
        linked.load(unit.callee, object_code)
    return True


def _resolved(reference: Reference, resolve: Resolve, target: Target) -> Callee:
    if isinstance(reference, Named):
        # It may belong to an area of the library that no call has loaded yet.
        function = getattr(importlib.import_module(reference.module), reference.name)
        callee = resolve(function, reference.argtypes, reference.flags)
    else:
        callee = _embedded(reference, resolve, target)
    return callee.inlined() if reference.inlined else callee


# The embedded functions of records loaded in this process, by symbol.
_EMBEDDED: WeakValueDictionary[str, Callee] = WeakValueDictionary()
_REFERENCES: dict[str, Embedded] = {}


def _embedded(reference: Embedded, resolve: Resolve, target: Target) -> Callee:
    known = _EMBEDDED.get(reference.symbol)
    if known is not None:
        return known
    symbol, argtypes, _, facts, object_code = reference
    table = RaiseTable(f"{symbol}.{next(_SERIAL)}", hidden=True)
    callee = Callee(symbol, argtypes, table=table, is_lasting=True, target=target)
    _fill(callee, facts, [_resolved(inner, resolve, target) for inner in facts[-1]])
    if object_code:
        linked.load(callee, object_code)
    _EMBEDDED[symbol] = callee
    _REFERENCES[symbol] = reference
    return callee


_SERIAL = itertools.count(1)


def _fill(callee: Callee, facts: tuple[Any, ...], called: list[Callee]) -> None:
    assert callee.table is not None
    callee.returns, callee.never_returns, callee.recursive, *rest = facts
    callee.loops, callee.loops_over_arrays, sites, calls, callee.code, _ = rest
    callee.table.sites += sites
    callee.table.calls += calls
    callee.callees += called
