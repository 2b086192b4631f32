"""Layouts of generalized ufuncs: `(m,n),(n)->(m)`, parsed with errors that mark the position."""

from __future__ import annotations

import re

from cutaway.errors import SignatureError
from cutaway.foundation.dataclass import dataclass

_TOKEN = re.compile(r"\s*(->|[(),?]|[A-Za-z_]\w*|\d+|$)")


@dataclass(frozen=True, slots=True)
class Layout:
    """The core dimensions of each input and of each output, by name; a number is a size."""

    inputs: tuple[tuple[str, ...], ...]
    outputs: tuple[tuple[str, ...], ...]

    @property
    def operands(self) -> tuple[tuple[str, ...], ...]:
        """All operands, the inputs first."""
        return (*self.inputs, *self.outputs)

    @property
    def names(self) -> tuple[str, ...]:
        """The core dimensions in the order in which they first appear."""
        return tuple(dict.fromkeys(name for names in self.operands for name in names))

    def __str__(self) -> str:
        sides = (self.inputs, self.outputs) if self.outputs else (self.inputs,)
        return "->".join(",".join(f"({','.join(names)})" for names in side) for side in sides)


def parse_layout(text: object) -> Layout:
    """Parse a layout.

    Raises SignatureError with the position where something else was expected.
    """
    if not isinstance(text, str):
        raise SignatureError(
            f"a layout must be a string, not {text!r}", hint="for example '(m,n),(n)->(m)'"
        )
    return _Reader(text).layout()


class _Reader:
    """A left-to-right parser of one layout."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0  # behind the current token
        self.start = 0  # of the current token
        self.token = ""
        self._advance()

    def layout(self) -> Layout:
        inputs = () if self.token == "->" else self._operands()
        outputs: tuple[tuple[str, ...], ...] = ()
        if self.token:
            self._expect("->", "`->` and the outputs")
            outputs = self._operands()
        if self.token:
            raise self._error("the end")
        known = {name for names in inputs for name in names}
        for names in outputs:
            for name in names:
                if name not in known and not name.isdigit():
                    self.start = self.text.index("->") + 2
                    self.start += re.search(rf"\b{name}\b", self.text[self.start :]).start()  # type: ignore[union-attr]
                    raise self._error(f"a dimension of an input: {name} has no size")
        return Layout(inputs, outputs)

    def _operands(self) -> tuple[tuple[str, ...], ...]:
        found = [self._operand()]
        while self.token == ",":
            self._advance()
            found.append(self._operand())
        return tuple(found)

    def _operand(self) -> tuple[str, ...]:
        self._expect("(", "`(`")
        names: list[str] = []
        while self.token != ")":
            if names:
                self._expect(",", "`,` or `)`")
            if not (self.token.isalnum() or self.token.isidentifier()):
                raise self._error("the name of a dimension, or its size")
            names.append(self.token)
            self._advance()
            if self.token == "?":
                raise self._error("`,` or `)`: dimensions that may be missing are not supported")
        self._advance()
        return tuple(names)

    def _expect(self, token: str, what: str) -> None:
        if self.token != token:
            raise self._error(what)
        self._advance()

    def _advance(self) -> None:
        found = _TOKEN.match(self.text, self.place)
        if found is None:
            self.start = len(self.text) - len(self.text[self.place :].lstrip())
            raise self._error("a layout")
        self.token, self.start, self.place = found[1], found.start(1), found.end()

    def _error(self, wanted: str) -> SignatureError:
        marked = f"    {self.text}\n    {' ' * self.start}^"
        return SignatureError(
            f"the layout {self.text!r} cannot be read at position {self.start}: expected {wanted}",
            hint="for example '(m,n),(n)->(m)'",
            notes=(marked,),
        )
