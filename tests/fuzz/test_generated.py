"""Made-up programs through all levels."""

from __future__ import annotations

import pytest

from corpus.every_pass import EveryPass
from corpus.programs.compare import outcome, same
from cutaway import api
from cutaway.compiling import compiler
from cutaway.dispatch import binding, native
from cutaway.errors import TypingError
from cutaway.ir.levels import Level
from fuzz.generate import Program
from fuzz.parts import each_program

pytestmark = pytest.mark.sampled(test=2)

PARTS = 10  # which may run side by side


class Generated:
    """A generated program in the shape of a case."""

    def __init__(self, program: Program) -> None:
        self.function = program.function()
        self.name = "program"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_generated_programs_do_the_same_at_every_level(part):
    each_program(check, part, PARTS, "PROGRAMS")


def check(program):
    """The program at every level, and as machine code."""
    case = Generated(program)
    half = api.half_of(case.function)
    watch = EveryPass(case.function, program.fresh)
    unit = compiler.new_unit(half, binding.call_types(half, program.fresh()))
    try:
        with compiler.unpublished(half, unit):
            compiler.compile_unit(unit, half.pipeline, (watch,))
    except TypingError as error:
        # A variable that is an integer on one path and a float on another has no operator %
        # for bits; Python would raise on that path only.
        assert "does not work" in error.message, error
        return
    compiled = native.native_code(unit, Level.asm)
    found = outcome(compiled, program.fresh())
    assert same(found, watch.expected), (program.source, found, watch.expected)
