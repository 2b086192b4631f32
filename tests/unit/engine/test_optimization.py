"""Plans by what a module has, and LLVM's report of times."""

from __future__ import annotations

import pytest

from cutaway.targets.cpu.optimization import LIGHT, Plan, pass_times, plan_for

pytestmark = pytest.mark.usefixtures("one_processor")

REPORT = """
===-------------------------------------------------------------------------===
                          Pass execution timing report
===-------------------------------------------------------------------------===
  Total Execution Time: 0.0040 seconds (0.0200 wall clock)

   ---User Time---   --User+System--   ---Wall Time---  --- Name ---
   0.0010 ( 30.0%)   0.0010 ( 30.0%)   0.0020 ( 10.0%)  SROAPass
   0.0010 ( 30.0%)   0.0010 ( 30.0%)   0.0020 ( 10.0%)  SROAPass
   0.0010 ( 20.0%)   0.0010 ( 20.0%)   0.0080 ( 40.0%)  Require<llvm::AA, llvm::Module>
   0.0010 ( 20.0%)   0.0010 ( 20.0%)   0.0080 ( 40.0%)  Require<llvm::AA, llvm::Module>
   0.0040 (100.0%)   0.0040 (100.0%)   0.0200 (100.0%)  Total

===-------------------------------------------------------------------------===
                        Analysis execution timing report
===-------------------------------------------------------------------------===
  Total Execution Time: 0.0011 seconds (0.0011 wall clock)

   ---User Time---   ---Wall Time---  --- Name ---
   0.0001 (  8.0%)   0.0001 (  8.0%)  DominatorTreeAnalysis
   0.0011 (100.0%)   0.0011 (100.0%)  Total
"""


def test_the_wall_time_of_each_pass_is_read_once_and_analyses_are_left_out():
    assert pass_times(REPORT) == [
        ("Require<llvm::AA, llvm::Module>", pytest.approx(0.008)),
        ("SROAPass", pytest.approx(0.002)),
    ]


def test_a_report_of_nothing_has_no_rows():
    assert pass_times("") == []


@pytest.mark.parametrize(
    ("loops", "loops_over_arrays", "calls", "expected"),
    [
        (False, False, False, LIGHT),
        (False, False, True, LIGHT),
        (True, False, False, Plan("full", speed=1, vectorize=False, slp=False)),
        (True, True, False, Plan("full", speed=1, vectorize=True, slp=True)),
        (True, False, True, Plan("full", speed=2, vectorize=False, slp=False)),
        (True, True, True, Plan("full", speed=2, vectorize=True, slp=True)),
    ],
)
def test_effort_follows_loops_and_calls(loops, loops_over_arrays, calls, expected):
    assert plan_for(loops=loops, loops_over_arrays=loops_over_arrays, calls=calls) == expected
