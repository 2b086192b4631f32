"""Every invariant is tripped by a function that breaks it."""

from __future__ import annotations

import pytest

from cutaway.ir.levels import Level
from cutaway.ir.nodes import replace
from cutaway.ir.parser import parse
from cutaway.ir.verifier import verify

GOOD = """func f(a):
label 0:
    a = arg(0, name=a)
    branch a, 3, 5
label 3:
    b = a + a
    jump 6
label 5:
    c = a - a
    jump 6
label 6:
    d = phi(3, 5: b, c)
    return d
"""


def test_a_good_function_is_clean():
    assert verify(parse(GOOD).fn, Level.ssa) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    return d\n", "    d2 = d\n", "does not end with a terminator"),
        ("    b = a + a\n", "    return a\n    b = a + a\n", "in the middle of a block"),
        ("branch a, 3, 5", "branch a, 3, 9", "there is no label 9"),
        ("    return d\n", "    jump 0\n", "back to the entry"),
        ("arg(0, name=a)", "arg(1, name=a)", "fits no parameter"),
        ("    c = a - a\n", "    b = a - a\n", "defined a second time"),
        ("    return d\n", "    return b\n", "does not reach every use"),
        ("    return d\n", "    return nothing\n", "never defined"),
        ("phi(3, 5: b, c)", "phi(3: b)", "does not fit the predecessors"),
        ("    d = phi", "    e = a\n    d = phi", "a phi behind other ops"),
        ("    return d\n", "    del d\n    return d\n", "used after its del"),
        ("    b = a + a\n", "    incref a\n    b = a + a\n", "not legal at level ssa"),
    ],
)
def test_each_guard_is_tripped(old, new, words):
    assert old in GOOD
    found = verify(parse(GOOD.replace(old, new)).fn, Level.ssa)
    assert any(words in str(violation) for violation in found), list(map(str, found))


def test_value_ids_are_unique():
    fn = parse(GOOD).fn
    ops = fn.blocks[3].ops
    ops[0] = replace(ops[0], id=ops[1].id)
    assert any("not unique" in str(violation) for violation in verify(fn, Level.ssa))


def test_before_ssa_a_use_needs_a_definition_on_some_path():
    text = GOOD.replace("    d = phi(3, 5: b, c)\n    return d\n", "    return b\n")
    assert verify(parse(text).fn, Level.ir) == []
    unbound = text.replace("return b", "return q")  # raises UnboundLocalError
    assert verify(parse(unbound).fn, Level.ir) == []
    text = text.replace("return b", "return $q")
    assert any("on no path" in str(v) for v in verify(parse(text).fn, Level.ir))


def test_from_typed_on_every_variable_has_a_type():
    fn = parse(GOOD).fn
    types = dict.fromkeys("abcd", object())
    assert verify(fn, Level.typed, types) == []
    del types["c"]
    assert any("c has no type" in str(v) for v in verify(fn, Level.typed, types))
