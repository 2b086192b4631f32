"""Programs with parfors can be written down and read again."""

from __future__ import annotations

import numpy as np
import pytest
from test_array_reductions import PROGRAMS as ARRAYS
from test_choices import PROGRAMS as CHOICES
from test_nests import NESTS
from test_steps_and_tuples import TUPLES

import cutaway
from cutaway.ir.parser import parse
from cutaway.ir.printer import known_objects, to_text
from cutaway.typing.overloads.notation import parse_type


def arguments(program):
    if program in NESTS:
        return np.ones((3, 4)), np.ones((3, 4))
    return (np.ones((5, 6)),) if program in ARRAYS else (np.ones(5),)


@pytest.mark.parametrize("program", [*ARRAYS, *CHOICES, *NESTS, *TUPLES], ids=lambda f: f.__name__)
def test_what_is_printed_is_read_again(program):
    unit = cutaway.trace(cutaway.jit(program, parallel=True), *arguments(program)).at("parfor").unit
    text = to_text(unit.fn, types=unit.types, spans=True)
    assert "parfor " in text
    by_name = {str(ty): ty for ty in unit.types.values()}

    def read(name):
        return by_name[name] if name in by_name else parse_type(name)

    parsed = parse(text, names=known_objects(unit.fn), parse_type=read)
    assert parsed.fn == unit.fn
    assert to_text(parsed.fn, types=unit.types, spans=True) == text
