"""Loops over arrays that are functions of their own, one for each LLVM text, in all programs.

The machine code follows from the text, from its raise table and from the compiler itself, which
together form the key.  A process remembers the latest ones, and later ones load them from disk.
"""

from __future__ import annotations

import os

from cutaway import config
from cutaway.caching import files
from cutaway.caching.digests import digest
from cutaway.caching.identity import environment
from cutaway.lowering import linked
from cutaway.lowering.arrays.apart import renamed
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.callee import Callee
from cutaway.lowering.module import exported_text

MOST_REMEMBERED = 256
_REMEMBERED: dict[str, Callee] = {}


def finished(callee: Callee) -> Callee:
    """Return the function for a callee's text with its own machine code, compiled or loaded."""
    text = f"{exported_text(callee)}\n{callee.target} {callee.cpu}\n{_raised(callee.table)}"
    name = f"{callee.symbol}${digest(text)}"
    known = _REMEMBERED.pop(name, None)
    if known is None:
        renamed(callee, name)
        _give_machine_code(callee)
        known = callee
    _REMEMBERED[name] = known  # move it to the end: the first entries are dropped
    while len(_REMEMBERED) > MOST_REMEMBERED:
        del _REMEMBERED[next(iter(_REMEMBERED))]
    return known


def _raised(table: RaiseTable | None) -> str:
    assert table is not None
    return repr([(site.exception, site.args, site.formatted, site.types) for site in table.sites])


def _give_machine_code(callee: Callee) -> None:
    if not config.value("LIBRARY_CACHE"):
        linked.link(callee)
        return
    key = f"{environment()} {callee.symbol}"
    name = files.file_name(callee.symbol.partition("$")[0], key)
    found = files.read([os.path.join(files.library_folder(), name)], key)
    if found is not None:
        linked.load(callee, found[1][0])
        return
    linked.link(callee)
    assert callee.linked is not None
    code = callee.linked.parts[callee.symbol].object_code
    files.write([files.library_folder()], name, files.packed(key, (code,)))
