"""Characters by their numbers: `ord`, `chr`, and texts that extensions write one by one."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.extending import overload
from cutaway.library.text.characters import code_point, empty_text, put_code_point, width_of

NUMBERS = (0, 65, 0xFF, 0x100, 0xD800, 0xFFFF, 0x10000, 0x10FFFF)


@cutaway.njit
def character(number):
    return chr(number)


@cutaway.njit
def number(text):
    return ord(text)


@pytest.mark.parametrize("n", NUMBERS)
def test_chr_and_ord_are_pythons(n):
    assert character(n) == character(np.uint32(n)) == chr(n)
    assert number(chr(n)) == n


def test_what_is_no_character_is_refused_as_by_python():
    for n in (-1, 0x110000):
        with pytest.raises(ValueError, match=r"chr\(\) arg not in range\(0x110000\)"):
            character(n)
    with pytest.raises(TypeError, match=r"expected a character, but string of length 2 found"):
        number("ab")
    with pytest.raises(TypeError, match="length 0"):
        number("")


def test_constants_have_numbers_too():
    @cutaway.njit
    def digits(n):
        text = ""
        for k in range(n):
            text += chr(ord("0") + k)
        return text

    assert digits(10) == "0123456789" and digits(0) == ""


def turned(text):
    """The same from its end on."""


@overload(turned)
def _turned(text):
    def of_text(text):
        last = len(text) - 1
        width = 1
        for k in range(len(text)):
            width = max(width, width_of(code_point(text, k)))
        result = empty_text(width, len(text))
        for k in range(len(text)):
            put_code_point(result, last - k, code_point(text, k))
        return result

    return of_text


@cutaway.njit
def turn(text):
    return turned(text)


@pytest.mark.parametrize("text", ["", "abc", "aé", "a€b", "a\U0001f600b"])
def test_texts_are_written_one_character_after_another(text):
    assert turn(text) == text[::-1]


def test_texts_that_are_too_wide_are_the_same_texts():
    @cutaway.njit
    def wide(text):
        copy = empty_text(4, len(text))
        for k in range(len(text)):
            put_code_point(copy, k, code_point(text, k))
        return copy == text, copy != text, copy == text + "x", copy, copy + "!"

    for text in ("ab", "", "é€"):
        assert wide(text) == (True, False, False, text, text + "!")


def test_capitals_are_pythons():
    @cutaway.njit
    def capitals(text):
        return text.upper()

    for text in ("", "abcZ 1", "straße", "ΐ\ufb03", "日本語🙂ȿ", "ÿ", "\0a"):
        assert capitals(text) == text.upper()
    every = "".join(map(chr, range(0x110000)))
    assert capitals(every) == every.upper()
