"""Explanations of types as objects: data, drawings, steps, and the network as a graph.  What they
say is in tests/unit/why."""

from __future__ import annotations

import json

import numpy as np
import pytest

import cutaway
from cutaway.__main__ import main
from cutaway.errors import PipelineError, TypingError
from cutaway.inspection.trace import Compilation
from cutaway.typing import types

pytestmark = pytest.mark.sampled(others=3, fast=20)


@cutaway.jit
def total(a):
    s = 0
    for i in range(len(a)):
        s = s + a[i]
    return s


LINE = total.py_func.__code__.co_firstlineno + 4


@pytest.fixture(scope="module")
def traced() -> Compilation:
    return total.trace(np.ones(3))


def test_a_chain_goes_to_the_arguments_and_constants(traced):
    (cause,) = traced.why("s", line=LINE).causes
    assert cause.type is types.float64
    start, element = cause.causes
    assert (start.what, start.type, start.causes) == ("s", types.int64, ())
    assert [below.what for below in element.causes] == ["a"]


def test_an_explanation_is_plain_data_with_spans(traced):
    data = json.loads(json.dumps(traced.why("s", line=LINE).to_dict()))
    (cause,) = data["causes"]
    assert cause["source"] == "s + a[i]"
    assert cause["span"]["line"] == LINE
    assert cause["span"]["file"] == __file__
    assert cause["causes"][1]["causes"][0]["rule"] == "argument 1 of total"


def test_each_version_is_explained_where_no_line_is_given(traced):
    assert [cause.type for cause in traced.why("s").causes] == [types.int64, types.float64]


def test_a_variable_that_is_not_there_is_said_so(traced):
    with pytest.raises(PipelineError, match="no variable 'b'"):
        traced.why("b")
    with pytest.raises(PipelineError, match="no value in line"):
        traced.why("s", line=10_000)


def test_fixes_are_plain_data_and_were_tried(traced):
    answer = traced.why_not("s", "int64", line=LINE)
    lines = answer.to_dict()["fixes"][0]["lines"]
    assert lines == {LINE: "        s = s + int(a[i])"}
    assert [str(fix.returns) for fix in answer.fixes] == ["int64"] * len(answer.fixes)
    json.dumps(answer.to_dict())


def test_a_type_that_it_has_needs_no_fix(traced):
    answer = traced.why_not("s", types.float64, line=LINE)
    assert (answer.forbidden_by, answer.fixes) == ((), ())
    assert "is float64" in str(answer)


def test_call_sites_are_plain_data(traced):
    (element, addition) = json.loads(json.dumps(traced.why_call(LINE).to_dict()))["sites"]
    assert element["source"] == "a[i]"
    assert addition["returns"] == "float64"
    assert sum(candidate["chosen"] for candidate in addition["candidates"]) == 1


def test_all_explanations_draw_themselves(traced):
    shown = (
        traced.why("s"),
        traced.why_not("s", "int64"),
        traced.why_call(),
        traced.typing,
        traced.typing[0],
        traced.typing.walk(),
    )
    for explanation in shown:
        bundle = explanation._repr_mimebundle_()
        assert bundle["text/plain"] == str(explanation)
        assert "<pre" in bundle["text/html"]
        assert repr(explanation)


def less(x, t):
    y = t if x < 3 else x
    return y


def test_source_is_escaped_in_html():
    html = cutaway.trace(less, 1, 2.0).why_call()._repr_mimebundle_()["text/html"]
    assert "x &lt; 3" in html
    assert "x < 3" not in html


def test_a_record_and_an_explanation_of_a_failure():
    def fails(x):
        y = None
        return y + x

    traced = cutaway.trace(fails, 1)
    explanation = traced.why("y")
    assert isinstance(explanation.error, TypingError)
    assert explanation.type is types.none
    assert "`y` is none: a constant" in traced.error.notes[0]


def test_long_chains_neither_overflow_nor_explode():
    lines = ["def f(x):", *(f"    x = max(x, x + {k})" for k in range(1500)), "    return x"]
    space: dict[str, object] = {}
    exec("\n".join(lines), space)  # noqa: S102
    explanation = cutaway.trace(space["f"], 1.0).why()
    assert len(str(explanation).splitlines()) < 200
    json.dumps(explanation.to_dict())


# --- inference, step by step --------------------------------------------------------------------


def test_a_step_tells_the_types_before_and_after(traced):
    step = traced.typing.of("s")[-1]
    assert step.before["s.1"] is types.int64
    assert step.after["s.1"] is types.float64
    assert dict(step.inputs) == {"s": types.int64, "s.2": types.float64}
    assert [change.variable for change in step.changes] == ["s.1"]


def test_steps_go_on_from_one_another(traced):
    steps = traced.typing
    for earlier, later in zip(steps, steps[1:], strict=False):
        assert earlier.after == later.before
    assert {n: ty for n, ty in steps[-1].after.items() if n != "return"} == {
        name: ty for name, ty in traced.at("typed").unit.types.items() if name in steps[-1].after
    }


def test_the_network_is_a_graph_with_what_has_changed(traced):
    graph = traced.typing.of("s")[-1].network()
    changed = [node for node in graph.nodes if node.has("changed")]
    assert [(node.title, node.text) for node in changed] == [("s.1", ("float64",))]
    assert [node.has("constraint") for node in graph.nodes if node.has("visited")] == [True]
    assert sum(edge.has("changed") for edge in graph.edges) > 1
    assert not any(node.has("changed") for node in traced.typing.network().nodes)
    assert "s.1\\nfloat64" in traced.typing.of("s")[-1].graph().source
    assert "s.1\\nfloat64" in traced.at("typed").network().source
    assert "s.1\\n?" in traced.at("ssa").network().source


def test_a_level_without_variables_has_no_network(traced):
    with pytest.raises(PipelineError, match="no type variables"):
        traced.at("bytecode").network()


def test_the_stepper_goes_into_inference():
    stepper = cutaway.step(total, np.ones(3))
    walk = stepper.into()
    assert stepper.passes[-1].name == "infer_types"
    assert walk.run_until("s").after["s"] is types.int64
    first = walk.position
    assert walk.run_until("i").number > first
    assert walk.back().number == walk.position
    while not walk.finished:
        walk.next()
    assert walk.types["s.1"] is types.float64
    with pytest.raises(PipelineError, match="ended"):
        walk.next()
    with pytest.raises(PipelineError, match="does not change"):
        walk.run_until("s")


def test_a_walk_ends_at_its_beginning(traced):
    walk = traced.typing.walk()
    assert (walk.current, walk.types) == (None, {})
    with pytest.raises(PipelineError, match="no step"):
        walk.back()


def test_nothing_is_recorded_when_nobody_asks(monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("recorded")

    monkeypatch.setattr("cutaway.typing.inference.events.TypeEvent", refuse)

    def f(x):
        return x + 1

    assert cutaway.jit(f)(1) == 2


# --- the command line ---------------------------------------------------------------------------

PROGRAM = """\
def f(a):
    s = 0
    for x in a:
        s = s + x
    return s
"""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--why", "s", "--line", "4"], "`s` is float64: `+` of int64 and float64"),
        (["--why", "s", "--not", "int64"], "line 4: s = int(s + x)"),
        (["--calls", "--line", "4"], "[exact, exact]: chosen"),
        (["--steps"], "s.1: int64 -> float64"),
        ([], "the result is float64"),
    ],
)
def test_the_command_line_explains(tmp_path, capsys, options, said):
    path = tmp_path / "sums.py"
    path.write_text(PROGRAM)
    assert main(["explain", f"{path}:f", "--types", "float64[:]", *options]) == 0
    assert said in capsys.readouterr().out
