"""The GPU code of a kernel for argument types, compiled or read from the cache on disk.

With `cache=True` the file is in the folder of those of `@jit(cache=True)`. Its key is the same as
for a CPU, and in addition the options of the kernel, the compute capability and the `ptxas` that
assembles its machine code.
"""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Any

from cutaway.caching import files
from cutaway.caching.calls import file_key, paths_of, store
from cutaway.caching.dependencies import UnstableError
from cutaway.caching.identity import identity_of
from cutaway.caching.saving import check_stable
from cutaway.caching.type_names import names_of_types, pickled
from cutaway.cuda.compiling import assembled, capability_of, compiled
from cutaway.foundation.dataclass import dataclass, fields
from cutaway.lowering.build.raising import RaiseSite
from cutaway.stages.unit import CompileUnit
from cutaway.targets.ptx.assembling import Version
from cutaway.targets.ptx.entry import kernel_name
from cutaway.targets.ptx.exceptions import Explanations
from cutaway.targets.ptx.toolkit import ptxas_for

if TYPE_CHECKING:
    from cutaway.cuda.kernels import KernelHalf
    from cutaway.typing.types import Type


@dataclass(frozen=True, slots=True)
class KernelCode:
    """The code of one kernel for one signature.

    `name` is that of the entry point. `cubin` is machine code for the compute capability `cc`,
    empty if no `ptxas` for it is installed: then the driver compiles the `ptx`. `raised` is a
    pickle of the sites that may raise.
    """

    name: str
    ptx: str
    cubin: bytes
    cc: Version
    raised: bytes

    @property
    def explanations(self) -> Explanations:
        """The function that converts an exception record to the exception."""
        sites: tuple[RaiseSite, ...] = pickle.loads(self.raised)  # noqa: S301  made here
        return Explanations(self.name, sites)


def code_of(half: KernelHalf, argtypes: tuple[Type, ...]) -> KernelCode:
    """Return the code of a kernel for argument types: known, read from the cache, or compiled.

    Raises CompileError if the kernel does not compile, CudaError if `ptxas` refuses it.
    """
    place = argtypes, capability_of(half.options)
    known = half.codes.get(place)
    if known is None:
        known = half.codes[place] = _read(half, argtypes) or _made(half, argtypes)
    return known


def _made(half: KernelHalf, argtypes: tuple[Type, ...]) -> KernelCode:
    options = half.options
    cc = capability_of(options)
    before = half.units.get(argtypes)
    if before is not None and before.target is not half.target:  # made for another GPU
        del half.units[argtypes]
    unit = compiled(half, argtypes)
    cubin = b"" if ptxas_for(cc) is None else assembled(unit, options)
    assert unit.callee is not None
    sites = pickled(_sites(unit), "what it raises")
    code = KernelCode(kernel_name(unit.callee), unit.ptx, cubin, cc, sites)
    if half.flags.cache:
        _write(half, argtypes, unit, code)
    return code


def _sites(unit: CompileUnit) -> tuple[RaiseSite, ...]:
    """Return the sites in a kernel and its callees that may raise."""
    assert unit.callee is not None
    tables = [member.table for member in unit.callee.closure() if member.table is not None]
    return tuple(site for table in tables for site in table.sites if site.exception is not None)


# --- on disk ----------------------------------------------------------------------------------


def _key(half: KernelHalf, argtypes: tuple[Type, ...]) -> str | None:
    identity = identity_of(half)
    if identity is None:
        return None
    try:
        names = names_of_types(argtypes)
    except UnstableError as error:
        half.cache.give_up(str(error))
        return None
    words = [f"{name}={value}" for name, value in _option_words(half)]
    return file_key(identity, f"{names} ptx {' '.join(words)} ")


def _option_words(half: KernelHalf) -> list[tuple[str, Any]]:
    words = [(one.name, getattr(half.options, one.name)) for one in fields(half.options)]
    return [*words, ("cc", capability_of(half.options)), ("ptxas", _ptxas_text(half))]


def _ptxas_text(half: KernelHalf) -> str:
    """Return a text that changes with the installed `ptxas`."""
    path = ptxas_for(capability_of(half.options))
    if path is None:
        return ""
    stat = os.stat(path)
    return f"{path} {stat.st_size} {stat.st_mtime_ns}"


def _read(half: KernelHalf, argtypes: tuple[Type, ...]) -> KernelCode | None:
    key = _key(half, argtypes) if half.flags.cache else None
    if key is None:
        return None
    found = files.read(paths_of(half, key), key)
    if found is None:
        return None
    path, content = found
    half.cache.counts["hits"] += 1
    half.cache.note_file(path)
    name, ptx, cubin, cc, raised = content
    return KernelCode(name, ptx, cubin, cc, raised)


def _write(
    half: KernelHalf, argtypes: tuple[Type, ...], unit: CompileUnit, code: KernelCode
) -> None:
    assert unit.callee is not None
    try:
        check_stable(unit.callee)
    except UnstableError as error:
        half.cache.give_up(str(error))
        return
    key = _key(half, argtypes)
    if key is None:
        return
    half.cache.counts["misses"] += 1
    store(half, key, (code.name, code.ptx, code.cubin, code.cc, code.raised))
