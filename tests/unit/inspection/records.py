"""Records for tests: of small functions, and one made up that has everything."""

from __future__ import annotations

from functools import cache

import numpy as np

import cutaway
from cutaway.inspection.record import model
from cutaway.inspection.record.model import Line
from cutaway.inspection.record.recorded import Record
from cutaway.inspection.trace import Compilation


def add(a, b):
    return a + b


@cutaway.njit
def twice(x):
    return x * 2.0


@cutaway.njit
def total(a, scale):
    s = 0
    for i in range(len(a)):
        if a[i] > 0.5:
            s = s + twice(a[i]) * scale
    return s


def wrong(a):
    s = a + 1
    return s.nothing


def never(a):
    x = 1
    if a:
        x = 2
    return x


@cache
def compilation_of(name: str) -> Compilation:
    """A compilation of one of these functions, made once."""
    arguments = {
        "add": (1, 2.5),
        "total": (np.arange(5.0) / 4, 3),
        "twice": (1.5,),
        "wrong": (1,),
        "never": (True,),
    }[name]
    found = globals()[name]
    return (found if hasattr(found, "trace") else cutaway.njit(found)).trace(*arguments)


_IR = (
    Line("func f(a):", (1, 0, 0, 0)),
    Line("label 0:", block="0"),
    Line("    a = arg(0, name=a)  ['a']", (1, 6, 1, 7), "0", "1", ("a",), ("a",)),
    Line("    $0 = const(2)  ['$0']", (2, 8, 2, 9), "0", "2", ("$0",), ("$0",)),
    Line("    s = a + $0  ['$0', 'a', 's']", (2, 4, 2, 9), "0", "3", ("s",), ("s", "a", "$0")),
    Line("    return s  ['s']", (3, 4, 3, 12), "0", "4", (), ("s",)),
)
_FOLDED = (
    *_IR[:3],
    Line("    s = a + 2  ['a', 's']", (2, 4, 2, 9), "0", "3", ("s",), ("s", "a")),
    _IR[5],
)
_LLVM = tuple(
    map(
        Line,
        (
            "define i64 @f$1(i64 %arg.a) {",
            "entry:",
            "  %t.1 = alloca i64, align 8",
            "  %s.3 = add i64 %arg.a, 2, !dbg !7",
            "  ret i64 %s.3, !dbg !8",
            "}",
            "!7 = !DILocation(line: 2, column: 5, scope: !1)",
        ),
    )
)
_OPTIMIZED = tuple(
    map(
        Line,
        (
            "define i64 @f$1(i64 %arg.a) local_unnamed_addr {",
            "entry:",
            "  %s.3.i = add i64 %arg.a, 2, !dbg !12",
            "  ret i64 %s.3.i, !dbg !13",
            "}",
        ),
    )
)
_GRAPH = {
    "kind": "cfg",
    "name": "f",
    "nodes": [
        {"id": "0", "title": "label 0", "lines": ["s = a + 2"], "kind": "block", "line": 1},
        {"id": "1", "title": "label 1", "lines": [], "kind": "block", "line": 3},
    ],
    "boxes": {"0": [0, 0, 100, 40], "1": [0, 60, 100, 20]},
    "edges": [
        {"source": "0", "target": "1", "mark": "true", "kind": "", "points": [[0, 0]]},
        {"source": "1", "target": "0", "mark": "", "kind": "back", "points": []},
    ],
    "width": 100,
    "height": 80,
}


def everything() -> Record:
    """A record that was never compiled, with a part of every kind."""
    source = tuple(map(Line, ("def f(a):", "    s = a + 2", "    return s")))
    states = (
        model.State("source", "python", source),
        model.State("ir", "cutaway", _IR, "build_ir", True, {"cfg": 0}),
        model.State("ir", "cutaway", (*_IR[:3], _IR[4], _IR[3], _IR[5]), "swap", False),
        model.State("ir", "cutaway", _FOLDED, "fold", True),
        model.State("llvm", "llvm", _LLVM, "lower_llvm"),
        model.State("llvm", "llvm", (*_LLVM[:2], *_LLVM[3:]), "SROA"),
        model.State("llvm_opt", "llvm", _OPTIMIZED, "optimize_llvm"),
        model.State("asm", "gas", (Line("f:"), Line("\tlea\t2(%rdi), %rax"), Line("\tret"))),
    )
    span = (2, 8, 2, 9)
    rewrites = (
        model.Rewrite("swap", "two ops change places", span, "stages/fold.py:12", 2, False),
        model.Rewrite("fold", "`2` is known", span, "stages/fold.py:30", 3),
        model.Rewrite("unseen", "", model.NOWHERE, "", -1),
    )
    decision = model.Decision("fold", "`a + 2`", "done", "2 is a constant", span, "")
    entries = (
        model.PassEntry("build_ir", "2 ir", "Make IR", 0, 1, True),
        model.PassEntry("quiet", "3 rewrite", "Do nothing", 1, 1, False),
        model.PassEntry(
            "fold", "3 rewrite", "Fold", 1, 3, True, rewrites=rewrites,
            decisions=(decision,), nested=(1,), seconds=0.5, own_seconds=0.25,
            objects=5, bytes=100, peak=200,
            broken=("a value is used before it is made",),
        ),
        model.PassEntry("lower_llvm", "6 lower", "Lower", 3, 4, True),
        model.PassEntry("optimize_llvm", "6 lower", "Optimize", 4, 6, True),
        model.PassEntry("emit_object", "7 machine", "Emit", 6, 7, True),
    )  # fmt: skip
    inner = model.FunctionRecord(
        "g", "g(int64)", 0, (), "int64", "", ("build_ir",),
        model.Source("f.py", 7, ("def g(x):", "    return x")),
        (model.State("source", "python", (Line("def g(x):"), Line("    return x"))),),
        (model.PassEntry("build_ir", "2 ir", "", 0, 0, False, True),),
        model.Failure("TypingError", "no", (8, 4, 8, 5), "try", ("a note",)),
    )  # fmt: skip
    change = model.TypeChange("s", "s", "", "int64", (("a", "int64"),))
    seen = model.Seen("3", "s", (2, 4, 2, 9), 2, ("3", "4"), "4", "3", "4")
    function = model.FunctionRecord(
        "f", "f(int64)", -1, (model.Argument("a", "int64", "1"),), "int64", "Flags(a=1, b=2)",
        tuple(entry.name for entry in entries),
        model.Source("f.py", 1, tuple(line.text for line in source)),
        states, entries,
        steps=(model.TypeStep(1, "s = a + $0", (2, 4, 2, 9), (change,)),),
        types={"a": "int64", "s": "int64"},
        values=model.Values((seen,), "returns 3"),
        llvm=(
            model.LlvmStep("SROA", "f$1", 5, "splits memory"),
            model.LlvmStep("InstCombine", "f$1", 6),
        ),
        remarks=(model.Decision("Inliner", "g", "missed", "too large", span, "make it smaller"),),
        graphs=(_GRAPH,),
        cost=(model.Cost(2, 2, 1, 1),),
    )  # fmt: skip
    times = (model.Timed("fold", "f(int64)", 0, "pass", 0.5, 0.25),)
    return Record(model.RecordData({"cutaway": "1"}, (function, inner), times))
