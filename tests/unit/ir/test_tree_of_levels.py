"""Levels form a tree with one question: does one come before another."""

from __future__ import annotations

import pickle

import pytest

from cutaway.ir.levels import Level

WAY = "source bytecode cfg ir ssa typed arrayexpr parfor llvm llvm_opt asm".split()


def test_a_level_comes_before_all_that_are_further_on_its_way():
    for place, name in enumerate(WAY):
        for later in WAY[place + 1 :]:
            level, other = Level.named(name), Level.named(later)
            assert level.comes_before(other) and level.leads_to(other)
            assert not other.comes_before(level) and not other.leads_to(level)
        assert Level.named(name).leads_to(Level.named(name))
        assert not Level.named(name).comes_before(Level.named(name))


def test_levels_on_two_branches_do_not_come_before_each_other():
    assert Level.llvm_opt.comes_before(Level.asm) and Level.llvm_opt.comes_before(Level.ptx)
    assert not Level.asm.leads_to(Level.ptx) and not Level.ptx.leads_to(Level.asm)
    assert not Level.objects.leads_to(Level.ssa) and not Level.parfor.leads_to(Level.objects)


def test_objects_and_types_meet_at_llvm():
    assert Level.ir.comes_before(Level.objects)
    assert all(Level.objects.comes_before(one) for one in (Level.llvm, Level.llvm_opt, Level.asm))


def test_a_level_is_one_object_wherever_it_goes():
    assert pickle.loads(pickle.dumps(Level.typed)) is Level.typed
    every = [*WAY[:4], "objects", *WAY[4:], "ptx"]
    assert [str(level) for level in Level.known.values()] == list(Level.known) == every
    with pytest.raises(ValueError, match="already"):
        Level("typed", Level.ssa, "cutaway")
