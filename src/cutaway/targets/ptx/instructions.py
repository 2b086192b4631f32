"""Instructions that a GPU supports with some types, orders and scopes only."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

from cutaway.foundation.patterns import Pattern
from cutaway.targets.ptx import selectable
from cutaway.targets.ptx.refusals import NAME, Refusal, lacking, size_of, unknown

Check = Callable[[str, int], Refusal | None]
CHECKS: dict[str, Check] = {}


def _checks(*opcodes: str) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        CHECKS.update(dict.fromkeys(opcodes, check))
        return check

    return register


_NAMED = Pattern(rf"[^@\n]*@{NAME}\(")
_ADDRESS = Pattern(rf"[^@\n\"]* %{NAME}\(")


@_checks("call", "tail", "musttail", "notail")
def _call(text: str, capability: int) -> Refusal | None:
    head = text.partition('"')[0]
    if head.endswith((" asm ", " sideeffect ", " alignstack ", " inteldialect ", " unwind ")):
        return None if _is_known(text[text.index(" asm ") + 1 :]) else unknown(text)
    return None if _NAMED.match(text) or _ADDRESS.match(text) else unknown(text)


_TEXTS = Pattern(r'asm ("[^"]*", "[^"]*")\(')


def _is_known(assembly: str) -> bool:
    texts = _TEXTS.match(assembly)
    if texts is None:
        return False
    known = selectable.ASSEMBLY.match(assembly) is not None
    return known or zlib.crc32(texts[1].encode()) in selectable.ASSEMBLY_SUMS


_CONVERTED = Pattern(r"\w+ (?:[a-z]+ )*(?:<\d+ x )?(\w+)>? .* to (?:<\d+ x )?(\w+)>?")


@_checks("uitofp", "sitofp", "fptoui", "fptosi")
def _conversion(text: str, capability: int) -> Refusal | None:
    found = _CONVERTED.match(text)
    if found is None:
        return unknown(text)
    kinds = [kind for kind in found.groups() if re.fullmatch(r"i\d+", kind)]
    if all(int(kind[1:]) <= selectable.WIDEST_CONVERTED for kind in kinds):
        return None
    return Refusal(
        "an integer of more than 64 bits cannot become a float on a GPU, nor a float one", _SPLIT
    )


_SPLIT = "compute with its parts of 64 bits"


_ALLOCATED = Pattern(
    r"alloca (inalloca )?(.*?)(?:, (i\d+) (%?[^,]+))?(?:, align \d+)?"
    r"(?:, addrspace\((\d+)\))?(?:, !.*)?$"
)


@_checks("alloca")
def _alloca(text: str, capability: int) -> Refusal | None:
    found = _ALLOCATED.match(text)
    if found is None:
        return unknown(text)
    inalloca, kind, _, count, space = found.groups()
    if inalloca or (count is not None and not count.isdecimal()):
        return Refusal(
            "memory on the stack whose size the program computes cannot be had on a GPU",
            "use cuda.local.array with a constant size",
        )
    if space not in (None, str(selectable.LOCAL)):
        return Refusal(f"memory on the stack cannot be in address space {space}")
    nbytes = size_of(kind) * int(count or 1)
    if nbytes > selectable.MOST_LOCAL:
        return Refusal(
            f"a thread would need {nbytes} bytes of local memory, and has at most"
            f" {selectable.MOST_LOCAL}",
            "make the array smaller, or pass one in global memory",
        )
    return None


# --- atomic operations --------------------------------------------------------------------------

_SCOPED = r'(?: syncscope\("([^"]*)"\))?'
_CHANGED = Pattern(
    rf"atomicrmw (?:volatile )?(?:elementwise )?(\w+) .*?, (.+?) \S+{_SCOPED} (\w+), align"
)
_SWAPPED = Pattern(
    rf"cmpxchg (?:weak )?(?:volatile )?.*?, (.+?) \S+, .+?{_SCOPED} (\w+) (\w+), align"
)
_ACCESSED = Pattern(rf"(load|store) atomic (?:volatile )?(.+?)[ ,].*?{_SCOPED} (\w+), align")
_FENCED = Pattern(rf"fence{_SCOPED} (\w+)")


@_checks("atomicrmw")
def _atomic_change(text: str, capability: int) -> Refusal | None:
    found = _CHANGED.match(text)
    if found is None or found[1] not in selectable.ATOMIC_OPERATIONS:
        return unknown(text)
    _, kind, scope, order = found.groups()
    refusal = _atomic_type(kind) or _of_thread(text) or _scope(scope, capability)
    if not scope:
        return Refusal(
            "an atomic operation for the whole system cannot be had on a GPU", _SCOPE_HINT
        )
    if refusal is None and order not in selectable.WEAK_ORDERS:
        return Refusal(
            f"an atomic operation with the order {order} would have none on a GPU",
            "use the order monotonic, with cuda.threadfence() before or after it",
        )
    return refusal


@_checks("cmpxchg")
def _atomic_swap(text: str, capability: int) -> Refusal | None:
    found = _SWAPPED.match(text)
    if found is None:
        return unknown(text)
    kind, scope, *orders = found.groups()
    refusal = _atomic_type(kind) or _of_thread(text) or _scope(scope, capability)
    return refusal or _orders(orders, capability)


@_checks("load", "store")
def _atomic_access(text: str, capability: int) -> Refusal | None:
    found = _ACCESSED.match(text)
    if found is None:
        return unknown(text)
    _, kind, scope, order = found.groups()
    return _atomic_type(kind) or _scope(scope, capability) or _orders([order], capability)


@_checks("fence")
def _fence(text: str, capability: int) -> Refusal | None:
    found = _FENCED.match(text)
    return unknown(text) if found is None else _scope(found[1], capability)


def _atomic_type(kind: str) -> Refusal | None:
    if kind.partition(" addrspace")[0] in selectable.ATOMIC_TYPES:
        return None
    return Refusal(
        f"an atomic operation on a value of LLVM's type {kind} cannot be had on a GPU",
        "elements of atomic operations have up to 64 bits",
    )


def _of_thread(text: str) -> Refusal | None:
    """Refuse an atomic operation on a thread's own memory, which is not selected."""
    if f"addrspace({selectable.LOCAL})" not in text:
        return None
    return Refusal(
        "an atomic operation on a thread's own memory cannot be had on a GPU",
        "no other thread sees it: compute without one",
    )


def _scope(scope: str | None, capability: int) -> Refusal | None:
    since = selectable.ATOMIC_SCOPES.get(scope or "")
    if since is None:
        return Refusal(f"an atomic operation with the scope {scope} cannot be had", _SCOPE_HINT)
    return None if since <= capability else lacking(f"the scope {scope}", since, capability)


_SCOPE_HINT = 'write syncscope("device") or syncscope("block")'


def _orders(orders: list[str], capability: int) -> Refusal | None:
    strong = [order for order in orders if order not in selectable.WEAK_ORDERS]
    if not strong or capability >= selectable.ORDERS_SINCE:
        return None
    return lacking(f"the order {strong[0]}", selectable.ORDERS_SINCE, capability)
