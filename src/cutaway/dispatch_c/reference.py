"""The rules of dispatch in plain Python: the specialization for a call (SPEC B1-B6).

The same tests run this and the C code.  It is written for readers: C uses tables and pointers, this
uses lists.  The guards of a specialization, and the slots of its values, are in
`reference_guards.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.dispatch_c._dispatch import ABSENT
from cutaway.foundation.dataclass import dataclass, field

EXACT, PROMOTION, SAFE, UNSAFE, NONE = range(5)
Codes = tuple[int, ...]


@dataclass
class Rules:
    """A dispatcher, as far as the rules need it.

    `names` are the parameters, of which `positional` can be passed by position and the first
    `unnamed` only so; `star` says that there is `*args`.  `mode` is "open", "written" or "closed".
    `conversion` returns the kind of the conversion between two type codes, `code_of` the code of a
    value's type, 0 for one that has none.  `defaults` are by parameter, and so are `omitted`, the
    type codes of omitted parameters.
    """

    names: tuple[str, ...]
    positional: int
    unnamed: int
    star: bool
    mode: str
    conversion: Callable[[int, int], int]
    code_of: Callable[[Any], int]
    defaults: Sequence[Any]
    omitted: Sequence[int]
    signatures: list[Codes] = field(default_factory=list)

    def find(self, args: Sequence[Any], kwargs: dict[str, Any]) -> int | None:
        """Return the index of the signature for a call; None if Python has to resolve it."""
        places = self.lay_out(args, kwargs)
        codes = None if places is None else self.codes_of(places)
        if codes is None:
            return None
        if codes in self.signatures:  # a signature that is exact in all arguments costs the least
            return self.signatures.index(codes)
        best = [] if self.mode == "open" else self.choose(codes)
        return best[0] if len(best) == 1 else None

    def lay_out(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any] | None:
        """Return the arguments one for each parameter, then those of `*args`; None if they do not
        fit the parameters.  An omitted argument is its default, or ABSENT."""
        if len(args) > self.positional and not self.star:
            return None
        values = dict(zip(self.names[: self.positional], args))
        for name, value in kwargs.items():
            if name in values or name not in self.names[self.unnamed :]:
                return None
            values[name] = value
        written = self.mode == "written"  # a signature omits nothing
        defaults = self.defaults if written else [ABSENT] * len(self.names)
        places = [values.get(name, default) for name, default in zip(self.names, defaults)]
        return [*places, tuple(args[self.positional :])] if self.star else places

    def codes_of(self, places: list[Any]) -> Codes | None:
        """Return the type codes of the arguments; None if one is not known."""
        codes = tuple(
            self.omitted[k] if value is ABSENT else self.code_of(value)
            for k, value in enumerate(places)
        )
        return codes if all(codes) else None

    def choose(self, codes: Codes) -> list[int]:
        """Return the indices of the signatures that match the codes best: usually one."""
        ranked = {}
        for place, wanted in enumerate(self.signatures):
            kinds = [self.conversion(one, other) for one, other in zip(codes, wanted)]
            if NONE in kinds or (UNSAFE in kinds and self.mode != "written"):
                continue
            ranked[place] = tuple(map(kinds.count, (UNSAFE, SAFE, PROMOTION, EXACT)))
        lowest = min(ranked.values(), default=None)
        return [place for place, counts in ranked.items() if counts == lowest]
