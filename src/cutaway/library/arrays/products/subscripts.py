"""The subscripts of `einsum`: letters for the axes of the operands and of the result."""

from __future__ import annotations

import string
from collections.abc import Sequence

from cutaway.errors import TypingError
from cutaway.foundation.dataclass import dataclass

Letters = tuple[str, ...]
_LETTERS = string.ascii_uppercase + string.ascii_lowercase


@dataclass(frozen=True, slots=True)
class Subscripts:
    """A letter for each axis of the operands and the result; axes under `...` have numbers, counted
    from the last."""

    operands: tuple[Letters, ...]
    result: Letters

    @property
    def summed(self) -> Letters:
        """The letters that the result does not contain."""
        every = dict.fromkeys(letter for letters in self.operands for letter in letters)
        return tuple(letter for letter in every if letter not in self.result)


def parse_subscripts(text: str, dimensions: Sequence[int]) -> Subscripts:
    """Parse subscripts for operands of these dimensions. Raises TypingError in NumPy's words."""
    inputs, arrow, output = text.replace(" ", "").partition("->")
    parts = inputs.split(",")
    if len(parts) != len(dimensions):
        more, fewer = ("more", "fewer") if len(parts) > len(dimensions) else ("fewer", "more")
        raise TypingError(
            f"{fewer} operands provided to einstein sum function than specified in the subscripts"
            " string",
            hint=f"the string has {more}",
        )
    operands = tuple(
        _operand_letters(part, number, ndim)
        for number, (part, ndim) in enumerate(zip(parts, dimensions, strict=True))
    )
    repeated = [letter for letters in operands for letter in letters]
    dots = max((sum(one.isdigit() for one in letters) for letters in operands), default=0)
    spread = tuple(str(k) for k in range(dots - 1, -1, -1))
    if arrow:
        return Subscripts(operands, _result_letters(output, spread, set(repeated)))
    once = sorted(one for one in set(repeated) if not one.isdigit() and repeated.count(one) == 1)
    return Subscripts(operands, (*spread, *once))


def in_letters(operands: Sequence[Sequence[int]], result: Sequence[int] | None = None) -> str:
    """The text for numbered axes: upper-case letters come first, as in NumPy. Raises TypingError in
    NumPy's words."""
    parts = ",".join(map(_letters_of, operands))
    return parts if result is None else f"{parts}->{_letters_of(result)}"


def _letters_of(numbers: Sequence[int]) -> str:
    if not all(0 <= one < len(_LETTERS) for one in numbers):
        raise TypingError(f"subscript is not within the valid range [0, {len(_LETTERS)})")
    return "".join(_LETTERS[one] for one in numbers)


def _operand_letters(part: str, number: int, ndim: int) -> Letters:
    before, dots, after = part.partition("...")
    _check_letters(before + after, f" in operand {number}")
    named = len(before) + len(after)
    if named > ndim:
        raise TypingError(
            f"einstein sum subscripts string contains too many subscripts for operand {number}"
        )
    if not dots and named < ndim:
        raise TypingError(
            "operand has more dimensions than subscripts given in einstein sum, but no '...'"
            " ellipsis provided to broadcast the extra dimensions."
        )
    extra = tuple(str(k) for k in range(ndim - named - 1, -1, -1))
    return (*before, *extra, *after)


def _result_letters(part: str, spread: Letters, known: set[str]) -> Letters:
    before, dots, after = part.partition("...")
    _check_letters(before + after, "")
    for letter in before + after:
        if letter not in known:
            raise TypingError(
                f"einstein sum subscripts string included output subscript '{letter}' which never"
                " appeared in an input"
            )
        if (before + after).count(letter) > 1:
            raise TypingError(
                f"einstein sum subscripts string includes output subscript '{letter}' multiple"
                " times"
            )
    if spread and not dots:
        raise TypingError(
            "output has more dimensions than subscripts given in einstein sum, but no '...'"
            " ellipsis provided to broadcast the extra dimensions."
        )
    return (*before, *spread, *after)


def _check_letters(text: str, where: str) -> None:
    for letter in text:
        if letter == ".":
            raise TypingError(
                "einstein sum subscripts string contains a '.' that is not part of an ellipsis"
                f" ('...'){where}"
            )
        if not (letter.isascii() and letter.isalpha()):
            raise TypingError(
                f"invalid subscript '{letter}' in einstein sum subscripts string, subscripts must"
                " be letters"
            )
