"""LLVM IR is read from its text alone."""

from __future__ import annotations

from cutaway.inspection.llvm.text import definitions, functions_of

MODULE = """
declare void @gone(i64)

define internal i32 @"loop$1"(i64 %n) nounwind !dbg !4 {
  %c = icmp sgt i64 %n, 0
  br i1 %c, label %body, label %"the end", !prof !0
body:                                      ; preds = %body, %0
  switch i64 %n, label %body [
    i64 1, label %"the end"
  ]
"the end":
  ret i32 0, !dbg !7
}

define i32 @other() {
entry:
  ret i32 1
}
"""


def test_functions_are_split_into_blocks_by_label() -> None:
    functions = dict(functions_of(MODULE))
    assert list(functions) == ["loop$1", "other"]
    assert list(functions["loop$1"]) == ["entry", "body", "the end"]
    assert functions["other"] == {"entry": ["ret i32 1"]}


def test_definitions_are_left_when_declarations_and_metadata_go() -> None:
    lines = definitions(MODULE).splitlines()
    assert lines[0] == 'define internal i32 @"loop$1"(i64 %n) nounwind {'
    assert '  br i1 %c, label %body, label %"the end"' in lines
    assert "  ret i32 0" in lines
    assert lines[-1] == "}"
    assert not any(line.startswith("declare") for line in lines)
