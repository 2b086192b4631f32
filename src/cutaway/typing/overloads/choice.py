"""Selects among signatures: candidates, their costs, and reasons for rejection (SPEC B6).

The C half selects by type codes (dispatch_c/selection.c); this is the same rule over types, for
overloads at compile time and for the explanation of a choice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.errors import AmbiguousCallError, NoMatchError
from cutaway.foundation.dataclass import dataclass
from cutaway.typing.types import Type, shortened
from cutaway.typing.types.conversions import Conversion, conversion

COUNTED = (Conversion.UNSAFE, Conversion.SAFE, Conversion.PROMOTION, Conversion.EXACT)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One signature, the kind of conversion for each argument, and the reason of its rejection.

    `counts` are the numbers of unsafe, safe, promotion and exact conversions: the lowest wins.
    `reason` is empty for a signature that may be chosen.
    """

    argtypes: tuple[Type, ...]
    kinds: tuple[Conversion, ...]
    reason: str = ""
    is_best: bool = False

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of conversions of each kind, the worst first."""
        return tuple(self.kinds.count(kind) for kind in COUNTED)

    def described(self) -> str:
        """Return the signature and its cost or reason of rejection, in one line."""
        listed = f"({', '.join(map(str, self.argtypes))})"
        return f"{shortened(listed)}: {self.reason or self.cost()}"

    def cost(self) -> str:
        """Return the number of conversions by kind, as `1 unsafe, 2 exact`."""
        pairs = zip(self.counts, COUNTED, strict=True)
        return ", ".join(f"{n} {kind.name.lower()}" for n, kind in pairs if n) or "no arguments"


def candidates(
    argtypes: tuple[Type, ...], signatures: Iterable[tuple[Type, ...]], unsafe: bool
) -> list[Candidate]:
    """Return the cost of each signature for arguments of these types; `unsafe` allows unsafe
    conversions."""
    rows = [_candidate(argtypes, wanted, unsafe) for wanted in signatures]
    lowest = min((c.counts for c in rows if not c.reason), default=None)
    return [
        Candidate(c.argtypes, c.kinds, c.reason, not c.reason and c.counts == lowest) for c in rows
    ]


def _candidate(argtypes: tuple[Type, ...], wanted: tuple[Type, ...], unsafe: bool) -> Candidate:
    if len(argtypes) != len(wanted):
        return Candidate(
            wanted, (), f"wrong number of arguments: {len(argtypes)} instead of {len(wanted)}"
        )
    kinds = tuple(map(conversion, argtypes, wanted))
    for kind in (Conversion.NONE, Conversion.UNSAFE)[: 1 if unsafe else 2]:
        if kind in kinds:
            position = kinds.index(kind)
            how = "does not convert" if kind is Conversion.NONE else "converts only unsafely"
            source, target = shortened(str(argtypes[position])), shortened(str(wanted[position]))
            return Candidate(wanted, kinds, f"argument {position + 1}: {source} {how} to {target}")
    return Candidate(wanted, kinds)


def lost_argument(wanted: Any, name: str) -> str:
    """Return the message about a number outside the range of the type in a signature."""
    return f"the signature asks for {wanted}, which does not hold the argument {name!r}"


def refusal(
    name: str, argtypes: tuple[Type, ...], candidates: list[Candidate], written: bool
) -> NoMatchError | AmbiguousCallError:
    """Return the error for a call of a function that is not compiled for further types, if no
    candidate is the single best; `written`: they are explicit signatures."""
    shown = ", ".join(map(str, argtypes))
    best = [candidate for candidate in candidates if candidate.is_best]
    if best:
        return AmbiguousCallError(
            f"several signatures of {name} accept ({shown}) equally well",
            hint=f"add the signature ({shown}), or convert an argument",
            notes=tuple(f"candidate: {candidate.described()}" for candidate in best),
        )
    what = "signature" if written else "specialization"
    return NoMatchError(
        f"no {what} of {name} accepts ({shown})",
        hint="remove the signatures to compile for any types"
        if written
        else "f.disable_compile(False) allows it to compile again",
        notes=tuple(f"{what}: {candidate.described()}" for candidate in candidates),
    )


def rank(argtypes: tuple[Type, ...], wanted: tuple[Type, ...]) -> tuple[int, ...] | None:
    """Return the cost of a signature, with unsafe conversions allowed; None if it is rejected."""
    candidate = _candidate(argtypes, wanted, unsafe=True)
    return None if candidate.reason else candidate.counts
