"""Whatever a kernel and its compilation can be asked works, or is refused in one sentence."""

from __future__ import annotations

import io
import pickle

import pytest

import cutaway
from cuda.inspection.kernels import CALLS, doubled, saxpy, total
from cutaway import cuda
from cutaway.errors import CudaError, CutawayError, InstallError, InternalError, PipelineError

pytestmark = pytest.mark.sampled(others=5, fast=6)

NAMES = [kernel.__name__ for kernel, _ in CALLS]

# Of a kernel that has been compiled, with arguments.
OF_KERNELS = {
    "signatures": lambda k, a: k.signatures,
    "explain_dispatch": lambda k, a: k.explain_dispatch(*a),
    "specializations": lambda k, a: k.specializations,
    "stats": lambda k, a: k.stats,
    "step": lambda k, a: k.step(*a).run_until("ptx"),
    "check_races": lambda k, a: k.check_races(*a),
    "lifted_loops": lambda k, a: k.lifted_loops,
    "why_not_lifted": lambda k, a: k.why_not_lifted(),
    "nopython_signatures": lambda k, a: k.nopython_signatures,
    "inspect_llvm": lambda k, a: k.inspect_llvm(),
    "inspect_ptx": lambda k, a: k.inspect_ptx(),
    "inspect_cfg": lambda k, a: k.inspect_cfg(),
    "inspect_disasm_cfg": lambda k, a: k.inspect_disasm_cfg(),
    "inspect_types": lambda k, a: k.inspect_types(io.StringIO()),
    "pretty": lambda k, a: k.inspect_types(pretty=True),
    "get_annotation_info": lambda k, a: k.get_annotation_info(),
    "parallel_diagnostics": lambda k, a: k.parallel_diagnostics(),
    "uninstall": lambda k, a: k.uninstall(),
    "cache_info": lambda k, a: k.cache_info(),
    "cutaway.trace": lambda k, a: cutaway.trace(k, *a),
    "cutaway.step": lambda k, a: cutaway.step(k, *a),
    "cutaway.check_races": lambda k, a: cutaway.check_races(k, *a),
}

# Of a compilation.
OF_COMPILATIONS = {
    "why": lambda c: c.why(),
    "why_not": lambda c: c.why_not(c.unit.pyfunc.__code__.co_varnames[0], "int64"),
    "why_call": lambda c: c.why_call(),
    "typing": lambda c: c.typing,
    "lifted_loops": lambda c: c.lifted_loops,
    "why_not_lifted": lambda c: c.why_not_lifted(),
    "why_fused": lambda c: c.why_fused(),
    "why_not_fused": lambda c: c.why_not_fused(),
    "parallel": lambda c: c.parallel,
    "why_parallel": lambda c: c.why_parallel(),
    "why_not_parallel": lambda c: c.why_not_parallel(),
    "iterations": lambda c: c.iterations(),
    "graph": lambda c: c.graph(),
    "remarks": lambda c: c.remarks,
    "llvm_history": lambda c: c.llvm_history,
    "cost": lambda c: c.cost,
    "timings": lambda c: c.timings,
    "record": lambda c: c.record,
    "asm": lambda c: c.at("asm"),
}


def asked(question):
    """The answer as text, or the refusal: a sentence in the user's words."""
    try:
        return str(question())
    except CutawayError as refusal:
        assert not isinstance(refusal, InternalError)
        assert "\n" not in refusal.message and refusal.message
        return ""


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_answers_or_refuses(name):
    kernel, args = next(call for call in CALLS if call[0].__name__ == name)
    fresh = cuda.jit(cc=(8, 0), device=kernel.half.options.device)(kernel.py_func)
    fresh.compile(tuple(map(cutaway.typeof, args)))
    answers = {what: asked(lambda: ask(fresh, args)) for what, ask in OF_KERNELS.items()}
    assert {"signatures", "inspect_ptx", "inspect_cfg", "inspect_types", "step"} <= {
        what for what, answer in answers.items() if answer
    }
    assert not answers["check_races"] and not answers["parallel_diagnostics"]


@pytest.mark.parametrize("name", NAMES)
def test_a_compilation_answers_or_refuses(traced, name):
    answers = {what: asked(lambda: ask(traced[name])) for what, ask in OF_COMPILATIONS.items()}
    assert {"why", "remarks", "llvm_history", "cost", "record"} <= {
        what for what, answer in answers.items() if answer
    }
    assert not answers["iterations"] and not answers["asm"]


def test_kernels_are_not_run_by_the_witness(traced):
    for question in (traced["total"].witness, traced["total"].bisect):
        with pytest.raises(CudaError, match="total is a kernel, which needs many threads"):
            question()


def test_functions_of_kernels_are_run_up_to_machine_code(traced):
    witness = traced["doubled"].witness(2.5)
    assert witness.ok
    assert [row.mark.value for row in witness.rows[-3:]].count("not run") >= 2
    assert "3 not run" in witness.summary or "4 not run" in witness.summary
    assert "does what Python does up to" in str(traced["doubled"].bisect(2.5))


def test_the_simulator_is_named_where_it_helps(traced):
    with pytest.raises(CudaError) as caught:
        saxpy.check_races(*CALLS[0][1])
    assert "cuda.simulate(kernel)" in caught.value.hint
    with pytest.raises(PipelineError, match="each thread of the GPU runs them"):
        _ = traced["total"].parallel


def test_an_edited_kernel_is_not_installed(traced):
    edited = traced["saxpy"].at("typed").edit(lambda text: text).resume()
    with pytest.raises(InstallError, match="nothing can be installed in saxpy"):
        saxpy.install(edited)


def test_the_settings_that_verify_hold_for_kernels(monkeypatch):
    monkeypatch.setenv("CUTAWAY_VERIFY", "execute")
    kernel = cuda.jit(cc=(8, 0))(total.py_func)
    kernel.compile("void(float64[:], float64[:])")
    assert "bar.sync" in next(iter(kernel.inspect_ptx().values()))


def test_kernels_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(saxpy)) is saxpy  # noqa: S301
    assert pickle.loads(pickle.dumps(doubled)) is doubled  # noqa: S301
