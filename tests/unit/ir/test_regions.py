"""Ops with regions in the text, in the interpreter and in the verifier."""

from __future__ import annotations

import pytest
from region_ops import known

from cutaway.ir import nodes
from cutaway.ir.editing import Editor
from cutaway.ir.effects import Effect
from cutaway.ir.interpreter import interpret
from cutaway.ir.levels import Level
from cutaway.ir.nodes import OPS, Block, replace
from cutaway.ir.parser import parse
from cutaway.ir.printer import to_text
from cutaway.ir.region_views import places, renew_regions, views
from cutaway.ir.regions import Region
from cutaway.ir.traversal import (
    bound_names,
    definitions,
    effects,
    is_droppable,
    regions,
    rename_uses,
    uses,
    walk,
    walk_block,
)
from cutaway.ir.verifier import verify


@pytest.fixture(autouse=True)
def ops():
    with known():
        yield


REPEATED = """func f(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    $two = const(2)
    repeat(n)
    body(k):
    label 1:
        t = x[k]
        branch t, 2, 3
    label 2:
        u = t + $two
        x[k] = u
        jump 3
    label 3:
        yield ()
    end
    return x
"""

NESTED = """func f(n, x):
label 0:
    n = arg(0, name=n)
    x = arg(1, name=x)
    zero = const(0.0)
    total = carry(n)
    body(k; s = zero):
    label 1:
        row = x[k]
        inner = carry(n)
        body(j; r = s):
        label 2:
            item = row[j]
            branch item, 3, 4
        label 3:
            more = r + item
            yield (more)
        label 4:
            yield (r)
        end
        yield (inner)
    end
    return total
"""
GETITEM = ("t = x[k]", "row = x[k]", "item = row[j]")
for line in GETITEM:
    result, value, index = line.replace("[", " ").replace("]", "").replace("=", "").split()
    made = f"{result} = getitem(value={value}, index={index})"
    REPEATED, NESTED = REPEATED.replace(line, made), NESTED.replace(line, made)


@pytest.mark.parametrize("text", [REPEATED, NESTED])
def test_the_text_is_parsed_back(text):
    fn = parse(text).fn
    for spans in (False, True):
        printed = to_text(fn, spans=spans)
        assert parse(printed).fn == fn and to_text(parse(printed).fn, spans=spans) == printed


@pytest.mark.parametrize("text", [REPEATED, NESTED])
@pytest.mark.parametrize("level", [Level.ir, Level.ssa])
def test_a_function_with_regions_is_clean(text, level):
    assert verify(parse(text).fn, level) == []


def test_regions_are_run_by_the_interpreter():
    assert interpret(parse(REPEATED).fn, 2, [1, 0, 5]) == [3, 0, 5]
    assert interpret(parse(NESTED).fn, 2, [[1.0, 2.0], [0.0, 4.0]]) == 7.0
    assert interpret(parse(NESTED).fn, 0, []) == 0.0


def test_what_an_op_uses_and_defines_is_derived():
    outer = parse(REPEATED).fn.entry.ops[3]
    assert definitions(outer) == () and uses(outer) == ("n", "x", "$two")
    renamed = rename_uses(outer, lambda name: {"x": "y"}.get(name, name))
    assert uses(renamed) == ("n", "y", "$two") and uses(outer) == ("n", "x", "$two")
    outer = parse(NESTED).fn.entry.ops[3]
    assert definitions(outer) == ("total",) and uses(outer) == ("n", "zero", "x", "n")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("branch item, 3, 4", "branch item, 3, 9", "label 2, op 1: there is no label 9 in this"),
        ("branch item, 3, 4", "branch item, 3, 0", "label 2, op 1: there is no label 0 in this"),
        ("branch item, 3, 4", "branch item, 3, 2", "label 2, op 1: control goes back to the entry"),
        ("label 4:", "label 0:", "two blocks have the label 0"),
        ("yield (r)", "x2 = r", "label 4, op 1: the block does not end with a terminator"),
        ("yield (r)", "return r", "label 4, op 0: a return in a region"),
        ("return total", "yield (total)", "label 0, op 4: a yield outside of a region"),
        ("yield (r)", "yield ()", "yield () does not fit the 1 variables that are carried"),
        ("return total", "return inner", "label 0, op 4: the definition of inner does not reach"),
        ("yield (r)", "yield (more)", "label 4, op 0: the definition of more does not reach"),
        ("yield (r)", "yield (nothing)", "label 4, op 0: nothing is used and never defined"),
        ("r = s", "r = item", "label 1, op 1: the definition of item does not reach every use"),
        ("k; s", "n; s", "label 0, op 3: n is defined a second time"),
        ("more = r", "x = r", "label 3, op 0: x is defined a second time"),
        ("yield (more)", "del s\n            yield (more)", "label 3, op 1: s is deleted in a reg"),
        ("more = r", "del r\n            more = r", "label 3, op 1: r is used after its del"),
        ("more = r", "incref r\n            more = r", "label 3, op 0: Incref is not legal at"),
    ],
)
def test_faults_in_a_region_are_found(old, new, words):
    assert old in NESTED
    found = verify(parse(NESTED.replace(old, new)).fn, Level.ssa)
    assert any(words in str(violation) for violation in found), list(map(str, found))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("yield (r)", "yield ($r)", "label 4, op 0: $r is used and defined on no path to here"),
        ("more = r", "x = r", "label 3, op 0: x is defined inside of a region and outside of it"),
    ],
)
def test_faults_in_front_of_ssa_are_found(old, new, words):
    found = verify(parse(NESTED.replace(old, new)).fn, Level.ir)
    assert any(words in str(violation) for violation in found), list(map(str, found))


def test_a_value_id_in_a_region_is_unique_in_the_function():
    fn = parse(NESTED).fn
    ops = fn.entry.ops
    ops[0] = replace(ops[0], id=ops[3].body.blocks[0].ops[1].body.blocks[1].ops[0].id)
    assert [str(one) for one in verify(fn, Level.ssa)] == [
        f"label 3, op 0: value id {ops[0].id} is not unique"
    ]


def test_every_variable_of_a_region_has_a_type():
    fn = parse(NESTED).fn
    names = "n x zero total k s row inner j r item more".split()
    table = dict.fromkeys(names, object())
    assert verify(fn, Level.typed, table) == []
    for name in names:
        less = {k: v for k, v in table.items() if k != name}
        assert any(f"{name} has no type" in str(one) for one in verify(fn, Level.typed, less))


def test_labels_ids_and_names_are_new_in_the_whole_function():
    fn = parse(NESTED).fn
    assert fn.new_label() == 5
    (outer,) = views(fn)
    (inner,) = views(outer)
    assert outer.new_label() == inner.new_label() == 5
    made = [one.new_id() for one in (fn, outer, inner, fn)]
    assert len({*made, *(op.id for op in walk(fn))}) == len(list(walk(fn))) + 4
    assert len({one.fresh("x") for one in (fn, outer, inner, fn)}) == 4

    def add_blocks(editor):
        label = editor.fn.new_label()
        editor.add_block(Block(label, [nodes.Unreachable(id=editor.fn.new_id())]))
        editor.in_regions(add_blocks)

    add_blocks(Editor(fn))
    add_blocks(Editor(fn))
    assert verify(fn, Level.ssa) == []
    assert fn.new_label() == 11


def test_an_edit_does_not_show_in_earlier_copies():
    fn = parse(NESTED).fn
    copy, text = fn.copy(), to_text(fn)
    assert not Editor(fn).in_regions(lambda editor: editor.in_regions(lambda inner: None))
    assert fn.entry.ops[3] is copy.entry.ops[3]
    changed = Editor(fn).in_regions(lambda editor: editor.replace(editor.fn.entry, 0))
    assert changed and to_text(copy) == text and "row = " not in to_text(fn)
    place = next(one for one in places(copy) if isinstance(one.op, nodes.Binary))
    place.put(replace(place.op, lhs="item"))
    assert "more = item + item" in to_text(copy) and "row = " not in to_text(fn)


def test_what_an_op_may_do_is_what_its_regions_may_do():
    repeat, carry = parse(REPEATED).fn.entry.ops[3], parse(NESTED).fn.entry.ops[3]
    assert effects(repeat) == {Effect.READS, Effect.WRITES, Effect.ALLOCATES, Effect.RAISES}
    assert effects(carry) == {Effect.READS, Effect.ALLOCATES, Effect.RAISES}
    assert not is_droppable(carry)
    dropped = rename_uses(carry, lambda name: name)
    assert dropped is carry
    assert is_droppable(replace(carry, body=Region(("k",), ("s",), ("zero",), ())))


def test_ops_that_nobody_misses_are_those_without_an_effect_that_is_seen():
    values = {"Arg", "Const", "Global", "FreeVar", "Undef", "Copy", "Deref", "Cast", "Phi", "Move"}
    made = {"MakeFunction", "BuildTuple", "BuildList", "BuildSlice", "BuildString", "MakeList"}
    known = {"Repeat", "Carry", "Parfor", "Load", "Line"}
    assert {name for name, cls in OPS.items() if cls.DROPPABLE} == values | made | known


def test_copies_of_blocks_get_regions_of_their_own():
    fn = parse(NESTED).fn
    fn.blocks[5] = Block(5, [fn.entry.ops[3], fn.entry.ops[4]])
    origin: dict[str, str] = {}
    renew_regions(fn, [5], origin)
    labels = [block.label for one in fn.blocks.values() for block in _blocks(one)]
    assert len(set(labels)) == len(labels) == 10
    assert sorted(origin.values()) == sorted("k s row inner j r item more".split())
    old, new = fn.entry.ops[3], fn.blocks[5].ops[0]
    assert not {one.id for one in walk_block(Block(0, [old]))} & {
        one.id for one in walk_block(Block(0, [new])) if one is not new
    }
    assert set(bound_names(old)) & set(bound_names(new)) == {"total"}


def _blocks(block):
    yield block
    for op in block.ops:
        for region in regions(op):
            for inner in region.blocks:
                yield from _blocks(inner)
