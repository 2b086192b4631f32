"""What LLVM selects for a GPU is what the tables say, tried module by module."""

from __future__ import annotations

import pytest

import corpora
from cuda.selection.experiments import NAMES, tried
from cuda.selection.writing import MODULES
from cutaway.targets.cpu.engine import Module
from cutaway.targets.ptx import selectable
from cutaway.targets.ptx.capabilities import machine_of
from cutaway.targets.ptx.selection import look
from fuzz.batches import FINDING, REFUSED, run

CAPABILITIES = ((8, 0), (7, 0), (9, 0), (10, 0), (7, 5), (12, 0), (8, 9), (8, 6))


def one(seed):
    """The experiment of a number: neighbors are far apart in the list of modules."""
    turn, place = divmod(seed * 611_953, len(NAMES))
    return tried(
        NAMES[place], CAPABILITIES[turn % len(CAPABILITIES)], seed % 10 == 0, 2 * (seed % 2)
    )


def test_what_passes_the_check_is_selected():
    report = run(one, corpora.seeds("SELECTED"))
    assert not report.findings, report.findings[0]
    needless = {words for words in report.reasons if words.startswith("refused without need")}
    assert len(needless) < 40, needless


@pytest.mark.parametrize(
    "name",
    [
        *("frem double", "fadd fp128", "intrinsic llvm.sin.f64", "intrinsic llvm.pow.f64"),
        *("alloca dynamic", "alias of a kernel", "indirectbr", "atomicrmw add i128 syncscope"),
        *('cmpxchg i32 syncscope("agent")', 'fence syncscope("cluster")', "invoke", "call unknown"),
        *("variable half", "variable named WARP_SZ", "kernel named a b", "545 parameters"),
        *("variable too much shared memory", "uitofp i128 double", "variable of a thread"),
    ],
)
def test_what_ends_the_process_or_is_wrong_is_refused(name):
    names = [one for one in NAMES if one.startswith(name)]
    machine = machine_of((8, 0))
    assert names
    for found in names:
        assert look(Module(MODULES[found], machine).text, machine).refusal is not None, found


def test_the_experiments_find_a_row_that_should_not_be_there(monkeypatch):
    rows = {"frem": selectable.REFUSED["frem"]}
    monkeypatch.setattr(selectable, "REFUSED", {})
    monkeypatch.setattr(selectable, "MATHEMATICS", frozenset())
    monkeypatch.setattr(selectable, "NEVER", selectable.Pattern("nothing"))
    places = [NAMES.index("intrinsic llvm.sin.f64"), NAMES.index("intrinsic llvm.vscale.i64")]
    assert rows

    def unaided(place):
        return tried(NAMES[place], (8, 0), False)

    report = run(unaided, places)
    assert report.counts[REFUSED] == 2 and not report.counts[FINDING]  # an attempt finds out
