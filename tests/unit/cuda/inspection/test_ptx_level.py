"""The level ptx: text, places in the source, graphs, checks, comparisons, edits."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest

import cutaway
from cuda.inspection.kernels import CALLS, DOUBLES, doubled, line_of, saxpy, total
from cutaway import cuda
from cutaway.errors import CudaError, EditError, PipelineError
from cutaway.inspection.graphs.kinds import graph_of
from cutaway.inspection.linking.lines import linked_lines
from cutaway.inspection.llvm import ptx_text
from cutaway.targets.ptx.toolkit import ptxas_for

pytestmark = pytest.mark.sampled(others=4, fast=12)

LEVELS = ("source", "bytecode", "cfg", "ir", "ssa", "typed", "arrayexpr", "llvm", "llvm_opt", "ptx")
NAMES = [kernel.__name__ for kernel, _ in CALLS]
needs_ptxas = pytest.mark.skipif(ptxas_for((8, 0)) is None, reason="no ptxas has code for sm_80")


def rows_of(compilation, text):
    return [row for row in linked_lines(compilation.at("ptx")) if text in row.text]


def code(text):
    """The instructions of PTX, whatever is said of their lines."""
    return [row for _, row in ptx_text.shown(text)]


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_ends_in_ptx(traced, name):
    compilation = traced[name]
    assert compilation.levels == LEVELS
    assert f"{name}(" in compilation.at("ptx").text
    assert compilation.record.at("ptx").language == "ptx"


def test_types_stand_for_arguments():
    compilation = total.trace(cutaway.types.float32[:], cutaway.types.float32[::1])
    assert compilation.levels[-1] == "ptx"


# --- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_linked_lines_are_the_text(traced, name):
    view = traced[name].at("ptx")
    assert "\n".join(row.text for row in linked_lines(view)) == view.text.removesuffix("\n")


@pytest.mark.parametrize("name", NAMES)
def test_instructions_lead_to_values_of_llvm_and_to_the_source(traced, name):
    llvm = linked_lines(traced[name].at("llvm_opt"))
    rows = [row for row in linked_lines(traced[name].at("ptx")) if row.is_instruction]
    assert all(row.line for row in rows)
    for row in rows:
        if row.origin:
            origin = llvm[row.origin - 1]
            assert origin.is_instruction or origin.text.startswith("  ]")  # the end of a switch
            assert llvm[row.origin - 1].op == row.op
    assert sum(row.origin > 0 or "param" in row.text for row in rows) >= 0.75 * len(rows)


def test_a_sum_is_followed_from_bytecode_to_ptx(traced):
    (row,) = rows_of(traced["saxpy"], "fma.rn.f32")
    line = line_of("out[i] = t + y[i]")
    assert (row.line, row.column, row.end_column) == (line, 17, 25)


def test_parameters_are_at_their_names(traced):
    rows = rows_of(traced["saxpy"], "saxpy_param_1")
    line = line_of("def saxpy(")
    assert {(row.line, row.column, row.variable, row.op) for row in rows} == {
        (line, 13, "x", "x.data")
    }
    loads = [row for row in rows if row.is_instruction]
    assert loads and not loads[0].near


def test_what_was_inlined_is_at_its_call(traced):
    row = rows_of(traced["total"], "add.f64")[0]
    assert row.line == line_of("s += doubled(x[k])")
    assert f":{line_of('return v + v')}:" in row.inner


def test_the_listing_has_the_instructions_that_run(traced):
    for name in NAMES:
        unit = traced[name].at("ptx").unit
        assert "\t.loc\t" in unit.ptx_listing
        assert code(unit.ptx_listing) == code(unit.ptx)


def test_a_listing_with_other_instructions_is_not_trusted(traced):
    unit = traced["saxpy"].at("ptx").unit
    assert ptx_text.origins(unit.ptx, unit.ptx_listing.replace("fma.rn", "add.rn")) is None


# --- graphs --------------------------------------------------------------------------------------


def graph(compilation):
    return graph_of(compilation.at("ptx").unit, "cfg")


def test_blocks_begin_at_labels_and_behind_branches(traced):
    drawn = graph(traced["total"])
    titles = [node.title.partition(" ")[0] for node in drawn.nodes]
    assert titles[0] == "total" and "total+1" in titles
    assert any(node.has("loop") for node in drawn.nodes)
    assert sum(edge.has("back") for edge in drawn.edges) == 1
    assert {node.loc for node in drawn.nodes} >= {line_of("s += doubled(x[k])")}


def test_a_branch_and_what_follows_it_have_opposite_conditions(traced):
    first, second = graph(traced["saxpy"]).edges[:2]
    assert {first.mark, second.mark} == {"%p1", "!%p1"}


def test_a_branch_through_a_table_leads_to_all_its_labels(traced):
    drawn = graph(traced["pick"])
    by_table = next(n for n in drawn.nodes if n.lines and n.lines[-1].startswith("brx.idx"))
    assert sum(edge.source == by_table.id for edge in drawn.edges) == 6


def test_the_graph_is_drawn_and_has_a_dominator_tree(traced):
    assert "bra $L__BB0_2" in traced["saxpy"].at("ptx").graph().source
    assert traced["saxpy"].at("ptx").graph("dominators").source.startswith("digraph")
    with pytest.raises(PipelineError, match="level ptx has no graph 'network'"):
        traced["saxpy"].at("ptx").graph("network")


# --- checks, comparisons, edits ------------------------------------------------------------------


@needs_ptxas
def test_ptxas_verifies(traced):
    view = traced["saxpy"].at("ptx")
    assert view.verify() == ()
    broken = view.unit.copy()
    broken.ptx = view.unit.ptx.replace("fma.rn.f32", "fma.rn.f99")
    (problem,) = dataclasses.replace(view, unit=broken).verify()
    assert "ptxas refuses" in problem


def test_a_kernel_is_not_run_by_a_call(traced):
    compilation = traced["saxpy"]
    for level in LEVELS:
        with pytest.raises(
            CudaError, match="saxpy is a kernel, which needs many threads"
        ) as caught:
            compilation.at(level).run(*CALLS[0][1])
        assert "cuda.simulate(saxpy)[blocks, threads](...)" in caught.value.hint


def test_a_function_of_kernels_runs_up_to_machine_code(traced):
    for level in LEVELS[:-3]:
        assert traced["doubled"].at(level).run(2.5) == 5.0
    with pytest.raises(CudaError, match="cannot run here at level ptx"):
        traced["doubled"].at("ptx").run(2.5)


def test_two_capabilities_are_compared():
    old, new = (cuda.jit(cc=cc)(saxpy.py_func).trace(*CALLS[0][1]) for cc in ((8, 0), (9, 0)))
    comparison = cutaway.diff(old, new)
    assert "processor: sm_80 | sm_90" in str(comparison)
    size = sum(row.is_instruction for row in linked_lines(old.at("ptx")))
    assert f"ptx (instructions): {size} | {size}" in str(comparison)
    assert "+ .target sm_90" in str(comparison.at("ptx"))


def test_registers_with_other_numbers_are_no_difference():
    one, other = "\tadd.s64 \t%rd4, %rd8;", "\tadd.s64 \t%rd5, %rd9;  // %bb.1"
    assert ptx_text.unnumbered(one) == ptx_text.unnumbered(other)
    assert ptx_text.unnumbered("\tmov.u32 \t%r1, %tid.x;") == "\tmov.u32 \t%r, %tid.x;"


@pytest.mark.parametrize("level", ["ssa", "typed", "llvm", "llvm_opt"])
def test_an_edited_kernel_ends_in_ptx(traced, level):
    word, other = ("= t + $", "= t - $") if level in ("ssa", "typed") else ("= fadd", "= fsub")
    edited = traced["saxpy"].at(level).edit(lambda text: text.replace(word, other)).resume()
    assert edited.edits == (f"edited at level {level}: not checked: a GPU runs it",)
    assert "neg.f32" in edited.compilation.at("ptx").text
    with pytest.raises(CudaError, match="the edited saxpy is compiled for a GPU"):
        edited()


def test_the_parameters_of_a_kernel_stay_in_an_edit(traced):
    view = traced["saxpy"].at("llvm_opt")
    fewer = view.edit(lambda text: text.replace("(float %a, ptr", "(ptr"))
    assert "undefined value '%a'" in str(fewer.verify())
    changed = view.edit(lambda text: text.replace("(float %a,", "(float %a, i32 %more,"))
    with pytest.raises(EditError) as caught:
        changed.resume()
    assert "must have the parameters (float, ptr, i64" in str(caught.value)


# --- records, dumps ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES[:2])
def test_the_same_kernel_gives_the_same_page(name, tmp_path):
    kernel, args = next(call for call in CALLS if call[0].__name__ == name)
    pages = [
        kernel.trace(*args).report(tmp_path / f"{k}.html", times=False).read_bytes()
        for k in range(2)
    ]
    assert pages[0] == pages[1]


def test_a_record_is_saved_and_read_back(traced, tmp_path):
    traced["total"].save(tmp_path / "total.cutaway")
    record = cutaway.load(tmp_path / "total.cutaway")
    assert record.at("ptx").text == traced["total"].record.at("ptx").text
    assert record.data == traced["total"].record.data
    assert "depend on the thread" in record.data.functions[0].values.note


def test_costs_count_instructions_of_ptx(traced):
    rows = {row.line: row for row in traced["total"].cost}
    assert rows[line_of("s += doubled(x[k])")].machine == 3


def test_the_setting_prints_ptx(monkeypatch, capsys):
    monkeypatch.setenv("CUTAWAY_DUMP_PTX", "1")
    monkeypatch.setenv("CUTAWAY_FILTER", "dou*")
    cuda.jit(cc=(8, 0))(saxpy.py_func).compile("void(float32, float32[:], float32[:], float32[:])")
    assert capsys.readouterr().out == ""
    cuda.jit(device=True, cc=(8, 0))(doubled.py_func).compile("float64(float64)")
    out = capsys.readouterr().out
    assert " PTX: doubled " in out and "add.f64" in out


def test_types_are_inspected_of_what_was_compiled():
    kernel = cuda.jit(cc=(8, 0))(saxpy.py_func)
    kernel.compile("void(float32, float32[:], float32[:], float32[:])")
    file = io.StringIO()
    kernel.inspect_types(file)
    assert ":: float32" in file.getvalue()
    (drawn,) = kernel.inspect_disasm_cfg().values()
    assert "fma.rn.f32" in drawn.dot
    assert set(kernel.inspect_cfg()) == set(kernel.signatures)


def test_arrays_of_many_kinds_lead_to_the_source():
    @cuda.jit(cc=(8, 0))
    def mixed(a, b, flag):
        i, j = cuda.grid(2)
        if flag and i < a.shape[0] and j < a.shape[1]:
            a[i, j] += b[j].real

    compilation = mixed.trace(np.ones((3, 4), np.float16), DOUBLES * 1j, True)
    rows = [row for row in linked_lines(compilation.at("ptx")) if row.is_instruction]
    assert rows and all(row.line for row in rows)


def test_a_kernel_that_is_refused_is_shown_as_far_as_it_got():
    compilation = cuda.jit(cc=(8, 0))(lambda a: 3).trace(DOUBLES)
    assert "a kernel returns nothing" in str(compilation.error)
    assert compilation.record.levels[-1] == "typed"
