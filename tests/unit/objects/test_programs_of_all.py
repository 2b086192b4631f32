"""Object mode does with the programs of all other corpora what Python does, and leaves nothing."""

from __future__ import annotations

import gc

import pytest

import corpora
from corpus.objects.held import growth
from corpus.objects.programs_of_all import Program, all_programs, in_object_mode, outcome, quiet

PROGRAMS = all_programs()


def sample(name: str) -> list[Program]:
    """As many as this run takes of a corpus, from all parts of it."""
    return corpora.spread(name, PROGRAMS)


@pytest.mark.parametrize("program", sample("AS_OBJECTS"), ids=lambda one: one.name)
def test_a_program_does_what_python_does(program: Program):
    compiled = in_object_mode(program)
    with quiet():
        for make in program.calls:
            assert outcome(compiled, program, make) == outcome(program.function, program, make)


@pytest.mark.parametrize("program", sample("OBJECTS_LEFT"), ids=lambda one: one.name)
def test_a_program_leaves_nothing_behind(program: Program):
    compiled = in_object_mode(program)
    gc.freeze()  # what other tests left need not be gone through again and again

    def grown(function: object) -> str:
        def run() -> None:
            for make in program.calls:
                outcome(function, program, make)

        return growth(run, [])

    with quiet():
        left = grown(compiled)
        # What Python leaves behind is the program's own.
        assert not left or grown(program.function)


def test_there_are_many():
    assert len(PROGRAMS) >= 1500
    for name in ("AS_OBJECTS", "OBJECTS_LEFT"):
        assert corpora.CORPORA[name].whole >= len(PROGRAMS)
