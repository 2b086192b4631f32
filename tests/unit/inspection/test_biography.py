"""A variable of the user's is told through all passes."""

from __future__ import annotations

import json
import re

import pytest
from records import compilation_of, everything

import cutaway
from cutaway.errors import PipelineError
from cutaway.foundation.dataclass import replace
from cutaway.inspection.llvm.following import followed
from cutaway.inspection.record.biography import is_llvm_name, variables_of
from cutaway.inspection.record.lives import life_of, with_lives

pytestmark = pytest.mark.sampled(others=3, fast=8)


def test_a_variable_is_born_has_versions_and_types_and_ends_somewhere() -> None:
    life = compilation_of("total").biography("s")
    record = compilation_of("total").record
    first = record.function.source.first_line
    assert life.born[0] == first + 2
    assert len(life.bytecode) == 2 and all("STORE_FAST" in text for text in life.bytecode)
    assert [(v.name, v.type) for v in life.versions] == [
        ("s", "int64"),
        ("s.1", "float64"),
        ("s.2", "float64"),
    ]
    assert all(is_llvm_name(name.strip("%"), "s") for name in life.llvm_names)
    assert life.llvm_names
    assert "asm" in life.last_seen or "llvm" in life.last_seen
    assert ("4.5", "10.5") in [seen.values for seen in life.values]


def test_what_passes_and_rules_did_to_it_is_told_in_order() -> None:
    events = [(e.when, e.what) for e in compilation_of("total").biography("s").events]
    names = list(dict.fromkeys(when for when, _ in events))
    assert names[:4] == ["build_ir", "ssa", "simplify", "infer_types"]
    assert "lower_llvm" in names
    assert any("becomes s.2 = s.1 + " in what for _, what in events)
    assert ("infer_types", "s.1 is float64") in events


def test_the_rule_that_did_it_is_named() -> None:
    life = everything().biography("s")
    assert ("fold", "s = a + $0 becomes s = a + 2 by fold") in [
        (e.when, e.what) for e in life.events
    ]
    assert ("LLVM InstCombine", "%s.3 becomes %s.3.i") in [(e.when, e.what) for e in life.events]
    assert life.last_seen == "after optimize_llvm (llvm_opt)"  # the assembly tells nothing of it


def test_a_life_ends_in_a_register() -> None:
    def held(name: str) -> str:
        life = compilation_of("total").record.function.lives[name]
        assert "gone" not in [event.kind for event in life]
        return next(event.text for event in life if event.kind == "held")

    assert held("s").startswith("is in `%xmm")
    assert "put there by `v" in held("s") or "put there by `add" in held("s")
    assert re.match(r"is in `%r\w+`", held("i"))
    assert re.match(r"is in `%r\w+`, `%r\w+`", held("a"))  # where the data are, and the length


def test_values_of_llvm_are_found_under_any_name() -> None:
    life = {e.kind: e.text for e in compilation_of("total").record.function.lives["a"]}
    assert life["named"].startswith("is `%arg.")
    values = [e.text for e in compilation_of("total").record.function.lives["a"]]
    assert (
        "is `%arg.a.owner`, `%arg.a.data`, `%arg.a.shape.0`, `%arg.a.strides.0` in LLVM" in values
    )


def test_constants_and_what_nothing_uses_are_told_from_each_other() -> None:
    def f(x):
        known = 3
        unused = x * 2  # noqa: F841
        for k in range(3):
            x += known * k
        return x

    lives = cutaway.trace(f, 1.0).record.function.lives
    assert [e.text for e in lives["unused"]][-1].startswith("is gone")
    known = [e.text for e in lives["known"]]
    assert any("constant `3`" in text for text in known)
    assert not any("gone" in text for text in known)


def test_a_record_without_lives_is_told_by_names_alone() -> None:
    record = everything()
    assert not record.function.lives
    assert life_of(record.function, "s")[-1].text == "is `%s.3.i`"
    assert with_lives(record.function).lives["a"]


def test_the_copy_that_is_followed_is_the_program_that_runs() -> None:
    unit = compilation_of("total").at("asm").unit
    found = followed(unit, {n: p for n, p in unit.llvm_values.items() if not n.startswith("$")})
    assert found.is_known and found.has_places
    other = unit.copy()
    other.llvm_opt = unit.llvm_opt.replace("fadd double", "fsub double")
    other.asm = unit.asm.replace("ret", "nop")
    assert not followed(other, dict(unit.llvm_values)).is_known


def test_a_program_that_llvm_refuses_is_not_followed() -> None:
    unit = compilation_of("total").at("asm").unit
    wrong = {"s": (replace(unit.llvm_values["s.1"][0], kind="no_type"),)}
    assert not followed(unit, wrong).is_known


def test_it_is_a_table_and_plain_data() -> None:
    life = everything().biography("s")
    assert "born" in str(life) and "line 2, column 5" in str(life)
    assert json.loads(json.dumps(life.to_dict()))["values"] == [
        {"line": 2, "count": 2, "values": ["3", "4"], "last": "4"}
    ]


def test_an_argument_has_a_life_too() -> None:
    assert compilation_of("total").biography("scale").born[0]


def test_an_unknown_variable_says_which_there_are() -> None:
    assert variables_of(everything().function) == ["a", "s"]
    with pytest.raises(PipelineError, match="did you mean scale"):
        compilation_of("total").biography("scala")
    with pytest.raises(PipelineError, match="variables: a, s"):
        everything().biography("zzz")


def test_a_compilation_that_failed_tells_as_far_as_it_came() -> None:
    life = compilation_of("wrong").biography("s")
    assert life.last_seen.endswith("(ssa)")
    assert not life.llvm_names


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [("s.2.14", "s", True), ("arg.s", "s", True), ("arg.s.data", "s", True), ("s2", "s", False),
     ("t.1", "s", False)],
)  # fmt: skip
def test_names_of_llvm_are_known_again(text, name, found) -> None:
    assert is_llvm_name(text, name) is found
