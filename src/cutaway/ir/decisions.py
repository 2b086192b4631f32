"""Decisions of passes, done or missed, with their reasons: the remarks of a compilation."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc

DONE = "done"
MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a pass about a piece of the user's program.

    `subject` is what it is about and `reason` why, in the user's words; `rule` names what was
    applied, or would have been.  `verdict` is "done" or "missed"; `hint` says what to change so
    that a missed one would be done, where there is something.  `places` are other places of the
    program that have to do with it.  `cure` may help: a statement in front of the
    place, or an option as in `@jit(fastmath=True)`; inspection tries it before anybody reads it.
    """

    subject: str
    verdict: str
    rule: str
    reason: str
    loc: Loc
    hint: str = ""
    places: tuple[Loc, ...] = ()
    cure: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.rule} {self.verdict}: {self.subject}: {self.reason}{hint}"
