"""What a process loads that compiles a kernel."""

from __future__ import annotations

import subprocess
import sys

from cutaway.foundation.loading import environment_of_child

PROGRAM = """
import sys
import cutaway
from cutaway.foundation.loading import has_run
before = set(sys.modules)
from cutaway import cuda
light = set(sys.modules) - before
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]
cuda.compile_ptx(saxpy, "void(float64, float64[::1], float64[::1])", cc=(8, 0))
heavy = "cutaway.library.rest", "cutaway.cuda.driver.access", "cutaway.cuda.simulator.simulating"
print(len([name for name in light if name.startswith("cutaway") and has_run(name)]) < 10)
print([name for name in heavy if has_run(name)])
"""


def test_a_kernel_loads_neither_all_of_the_library_nor_a_driver_nor_the_simulator():
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env=environment_of_child(),
        check=True,
    )
    assert ran.stdout.split("\n")[1] == "[]" and ran.stdout.startswith("True")
