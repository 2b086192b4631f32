"""Every program of the collection, in every mode that applies to it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import corpora
from corpus.collection import MODES, NOT_FOR, Program, programs
from corpus.executors import EXECUTORS, run


def pairs(config: pytest.Config) -> list[object]:
    """The pairs that this run takes: of each mode one program in so many, and other programs than
    the mode before; of a shard those whose names have its hash; all where somebody names tests."""
    asked = os.environ.get("CUTAWAY_TEST_MODES")
    is_whole = corpora.shard() is not None or corpora.are_named(config)
    chosen = of_words(asked) if asked else of_each_mode(is_whole)
    rows = [pytest.param(one, mode, id=f"{mode}-{one.name}") for one, mode in chosen]
    return [row for row in rows if corpora.is_of_hash(row.id)]


def of_each_mode(is_whole: bool) -> Iterator[tuple[Program, str]]:
    for number, (mode, executor) in enumerate(EXECUTORS.items()):
        apt = [one for one in programs() if mode in one.modes]
        for one in apt if is_whole else apt[number % executor.every :: executor.every]:
            yield one, mode


def of_words(text: str) -> Iterator[tuple[Program, str]]:
    """The pairs of `machine:fused+compiled objects:control/3`: modes, tables or areas of the
    library, and one in how many."""
    for word in text.split():
        mode, _, rest = word.partition(":")
        tables, _, every = rest.partition("/")
        names = set(tables.split("+"))
        apt = [one for one in programs() if mode in one.modes]
        about = [one for one in apt if not names.isdisjoint(one.subjects)]
        for one in about[:: int(every or 1)]:
            yield one, mode


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "program" in metafunc.fixturenames:
        metafunc.parametrize(("program", "mode"), pairs(metafunc.config))


@pytest.mark.part
def test_a_program_does_what_python_does(program: Program, mode: str):
    reason = run(program, mode)
    if reason:
        pytest.skip(reason)


def test_there_are_many_programs_and_each_mode_has_some():
    assert len(programs()) >= 3000
    assert {mode for row in MODES.values() for mode in row.split()} == EXECUTORS.keys()
    assert {mode for row in NOT_FOR.values() for mode in row} <= EXECUTORS.keys()
