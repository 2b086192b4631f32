"""Every planted fault is pinned to its pass, and to its rewrite where it is in one."""

from __future__ import annotations

import pytest

from cutaway.stages import pipelines
from witness import parallel_faults
from witness.faults import FAULTS, REAL

pytestmark = pytest.mark.sampled(test=10, others=30)

MOST_RUNS = 15  # of the program; a pipeline with parallel loops has a third more passes
LONGEST_SCRIPT = 30


def test_there_is_a_fault_for_each_pass():
    assert len(FAULTS) >= 80 and len(parallel_faults.ROWS) >= 40
    # What only kernels go through refuses programs and changes none.
    of_gpus = {step.name for step in pipelines.ptx} - {step.name for step in pipelines.nopython}
    assert {fault.pass_name for fault in FAULTS} == set(REAL) - of_gpus


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.pass_name}-{fault.name}")
def test_a_planted_fault_is_pinned_to_its_pass(fault):
    args = fault.arguments()
    found = fault.compiled().trace(*args).bisect(*args, seconds=20, shrink=False)
    assert found.pass_name == fault.pass_name, str(found)
    if fault.rule:
        assert found.rule == fault.rule, str(found)
    assert found.executions <= MOST_RUNS, str(found)
    assert len(found.reproducer().splitlines()) <= LONGEST_SCRIPT
    assert found.to_dict()["pass"] == fault.pass_name


@pytest.mark.slow
def test_faults_that_end_the_process_are_marked_by_the_signal():
    fault = next(fault for fault in FAULTS if fault.name == "code_reads_from_nowhere")
    args = fault.arguments()
    found = fault.compiled().trace(*args).witness(*args)
    assert found.first_different.name == "lower_llvm"
    assert found.first_different.words == "died of SIGSEGV"
