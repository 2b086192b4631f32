"""Decisions of passes, done or missed, with their reasons: the remarks of a compilation."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc

DONE = "done"
MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a pass about a piece of the user's program.

    `subject` is the piece and `reason` the cause, in the user's words; `rule` names the rule that
    was applied, or would have been.  `verdict` is "done" or "missed"; `hint` suggests a change that
    would make a missed one possible, if there is any.  `places` are other related locations of the
    program. `cure` may help: a statement in front of the location, or an option as in
    `@jit(fastmath=True)`; inspection tries it before it is shown.
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
