"""Texts in capital letters: `upper`, by Python's own table of characters."""

from __future__ import annotations

import functools

import numpy as np

from cutaway.extending.overloads import overload_method
from cutaway.library.arrays.kit.typers import private
from cutaway.library.text.characters import code_point, empty_text, put_code_point, width_of
from cutaway.typing import types
from cutaway.typing.types import Str

_END = 0x1F000  # no character from here on has a capital letter
_MOST = 3  # characters that one becomes: the one that is written like "ffi"


@functools.cache
def _capitals() -> tuple[np.ndarray, np.ndarray]:
    """The characters that change, in order, and what becomes of each: a row, filled up by zeros."""
    changed = [n for n in range(_END) if chr(n).upper() != chr(n)]
    rows = [[*map(ord, chr(n).upper().ljust(_MOST, "\0"))] for n in changed]
    return np.array(changed, np.int32), np.array(rows, np.int32)


@private
def place_of(number, changed):
    """The row of a character; the number of rows where it does not change."""
    place = np.searchsorted(changed, number)
    return place if place < len(changed) and changed[place] == number else len(changed)


@overload_method(Str, "upper")
def _upper(text):
    if types.text_classes(text) != {str}:
        return None
    changed, rows = _capitals()

    def upper(text):
        length, largest = 0, 0
        for k in range(len(text)):
            number = code_point(text, k)
            place = place_of(number, changed)
            if place == len(changed):
                length += 1
                largest = max(largest, number)
            else:
                for capital in rows[place]:
                    length += capital != 0
                    largest = max(largest, capital)
        result, at = empty_text(width_of(largest), length), 0
        for k in range(len(text)):
            number = code_point(text, k)
            place = place_of(number, changed)
            if place == len(changed):
                put_code_point(result, at, number)
                at += 1
            else:
                for capital in rows[place]:
                    if capital:
                        put_code_point(result, at, capital)
                        at += 1
        return result

    return upper
