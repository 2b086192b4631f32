"""Compiled code is looked at under the names that users of other compilers know."""

from __future__ import annotations

import inspect
import io

import numpy as np
import pytest

import cutaway
from cutaway.errors import CutawayError, NotCompiledError, OptionError
from cutaway.inspection.showing import everyday

pytestmark = [pytest.mark.sampled(others=3, fast=8), pytest.mark.usefixtures("one_processor")]


@cutaway.jit
def scaled(n, b=2):
    s = 0
    for i in range(n):
        s += i * b
    return s


@pytest.fixture(scope="module")
def function():
    scaled(3)
    scaled(3, 4.0)
    return scaled


INSPECTORS = (
    "inspect_llvm",
    "inspect_asm",
    "inspect_cfg",
    "inspect_disasm_cfg",
    "inspect_types",
    "get_annotation_info",
)


def test_the_names_of_arguments_are_those_that_users_know(function):
    known = {
        "inspect_llvm": ["signature"],
        "inspect_asm": ["signature"],
        "inspect_cfg": ["signature", "show_wrapper", "options"],
        "inspect_disasm_cfg": ["signature"],
        "inspect_types": ["file", "signature", "pretty", "style", "options"],
        "get_annotation_info": ["signature"],
        "parallel_diagnostics": ["signature", "level"],
    }
    for name, arguments in known.items():
        assert list(inspect.signature(getattr(function, name)).parameters) == arguments


@pytest.mark.parametrize("name", INSPECTORS)
def test_a_signature_that_was_not_compiled_is_an_error(function, name):
    with pytest.raises(NotCompiledError, match=r"was not compiled for \(float32\)") as caught:
        getattr(function, name)(signature="(float32,)")
    assert isinstance(caught.value, KeyError)
    assert caught.value.hint


@pytest.mark.parametrize("name", INSPECTORS[:4])
def test_without_a_signature_there_is_one_of_each(function, name):
    found = getattr(function, name)()
    assert list(found) == function.signatures
    one = getattr(function, name)(function.signatures[0])
    assert str(one) == str(found[function.signatures[0]])


@pytest.mark.parametrize("name", INSPECTORS[:4])
def test_what_was_never_called_has_nothing_to_show(name, capsys):
    @cutaway.jit
    def fresh(x):
        return x

    assert getattr(fresh, name)() == {}
    assert fresh.inspect_types() is None
    assert capsys.readouterr().out == ""
    assert fresh.nopython_signatures == []
    assert fresh.get_annotation_info() == {}


def test_signatures_tell_what_is_returned(function):
    assert [str(s.return_type) for s in function.nopython_signatures] == ["int64", "float64"]
    assert [s.args for s in function.nopython_signatures] == function.signatures


# --- types --------------------------------------------------------------------------------------


def test_types_are_printed_with_a_head_and_an_end(function, capsys):
    assert function.inspect_types() is None
    out = capsys.readouterr().out
    assert out.startswith("scaled (int64, omitted(default=2))\n" + "-" * 80 + "\n# File: ")
    assert out.count("=" * 80) == 2
    assert "i * b  :: float64" in out


def test_types_of_one_signature_go_to_a_file(function, capsys):
    paper = io.StringIO()
    function.inspect_types(paper, function.signatures[1])
    assert "i * b  :: float64" in paper.getvalue()
    assert "omitted" not in paper.getvalue()
    assert capsys.readouterr().out == ""


def test_pretty_types_show_themselves_in_a_notebook(function):
    shown = function.inspect_types(pretty=True, style="default")
    bundle = shown._repr_mimebundle_()
    assert bundle["text/html"].count("<details>") >= 8
    assert "i * b  :: float64" in bundle["text/html"]
    assert "i * b  :: float64" in bundle["text/plain"]
    assert "<script" not in bundle["text/html"]
    assert "http" not in bundle["text/html"]


def test_pretty_types_escape_what_html_would_read(function):
    def less(a, b):
        return a < b

    compiled = cutaway.jit(less)
    compiled(1, 2)
    text = compiled.inspect_types(pretty=True)._repr_html_()
    assert "a &lt; b" in text
    assert "a < b" not in text


def test_pretty_types_go_to_no_file(function):
    with pytest.raises(OptionError, match="`file` must be None if `pretty=True`"):
        function.inspect_types(file=io.StringIO(), pretty=True)


def test_annotations_are_plain_data(function):
    found = function.get_annotation_info()
    first = scaled.py_func.__code__.co_firstlineno
    ((place, signature), info), _ = found.items()
    assert place == f"{__file__}:{first}"
    assert signature == "(int64, omitted(default=2)) -> int64"
    assert set(info) == {
        "num_lifted_loops",
        "filename",
        "funcname",
        "python_lines",
        "python_indent",
        "python_tags",
        "ir_lines",
        "ir_indent",
    }
    assert (first + 4, "s += i * b") in info["python_lines"]
    assert info["python_indent"][first + 4] == 8
    assert ("$10.1 = i * b  :: int64", "") in info["ir_lines"][first + 4]
    assert set(info["ir_indent"][first + 4]) == {0, 2}
    one = function.get_annotation_info(function.signatures[1])
    assert len(one) == 1


# --- control flow -------------------------------------------------------------------------------


def test_a_graph_shows_itself_and_is_written(function, tmp_path):
    graph = function.inspect_cfg(function.signatures[1])
    assert graph.dot.startswith("digraph")
    assert str(graph) == graph.dot
    assert "phi double" in graph.text
    source = graph.display(str(tmp_path / "flow"), format="svg")
    assert source.source == graph.dot
    assert "<svg" in (tmp_path / "flow.svg").read_text()
    assert "<svg" in graph._repr_svg_()
    bundle = graph._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/svg+xml"}
    assert "control flow of" in bundle["text/plain"]
    assert list(inspect.signature(graph.display).parameters) == ["filename", "format", "view"]


def test_a_graph_is_of_the_function_or_of_its_entry_point():
    @cutaway.jit
    def deep(n):
        return 1 if n < 2 else deep(n - 1) + deep(n - 2)

    deep(3)
    signature = deep.signatures[0]
    entry = deep.inspect_cfg(signature, show_wrapper="python")
    assert entry.graph.name.endswith(".entry")
    own = deep.inspect_cfg(signature)
    assert repr(own).startswith("<control flow of deep$")
    assert not own.graph.name.endswith(".entry")


def test_the_machine_code_has_a_graph(function):
    graph = function.inspect_disasm_cfg(function.signatures[1])
    assert len(graph.graph.nodes) > 2
    assert "<svg" in graph._repr_svg_()
    assert "ret" in graph.text


def test_the_instructions_are_left_out_on_demand(function):
    signature = function.signatures[0]
    whole = function.inspect_cfg(signature).dot
    bare = function.inspect_cfg(signature, strip_ir=True, fontsize=8, interleave=False).dot
    assert "load i64" in whole
    assert "load i64" not in bare
    assert whole.count("->") == bare.count("->")


def test_an_unknown_option_of_a_graph_is_an_error(function):
    with pytest.raises(OptionError, match="did you mean strip_ir"):
        function.inspect_cfg(stripir=True)


def test_a_graph_is_written_where_the_options_say(function, tmp_path):
    name = str(tmp_path / "flow")
    function.inspect_cfg(function.signatures[0], filename=name, render_format="svg")
    assert (tmp_path / "flow.svg").exists()


def test_without_graphviz_there_is_a_drawing_all_the_same(function, monkeypatch, tmp_path):
    graph = function.inspect_cfg(function.signatures[0])
    monkeypatch.setenv("PATH", "")
    assert "<svg" in graph._repr_svg_()
    graph.display(str(tmp_path / "flow"), format="svg")
    with pytest.raises(CutawayError, match="drawing pdf needs Graphviz, which is not installed"):
        graph.display(str(tmp_path / "flow"))


# --- the rest -----------------------------------------------------------------------------------


def test_that_nothing_is_parallel_is_said(function, capsys):
    function.parallel_diagnostics(level=4)
    assert "0 of 1 loop is parallel" in capsys.readouterr().out


def test_one_type_is_listed_as_a_tuple_of_one():
    @cutaway.jit
    def total(a):
        return a.sum()

    total(np.ones(3))
    ((_, signature),) = total.get_annotation_info()
    assert signature == "(array(float64, 1d, C),) -> float64"
    assert everyday._listed(()) == "()"
