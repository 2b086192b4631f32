"""Plans: the optimization effort for a module, and LLVM's report of its cost.

Three levels.  "full" is LLVM's own pipeline, whose time goes mostly to loops; "light" is the
handful of passes that make straight-line code as good as the full pipeline makes it (calls within 4
ns of each other, compiled in two thirds of the time); "none" is for modules that have been
optimized before.

Measured on 62 kernels with loops for the full pipeline, and on 8 functions without loops for code
generation:

    speed 3 for 2          a seventh more time in geometric mean, up to 1.7 times for nested loops;
                           the code is as fast but for one kernel (matrix product by rows: 5 %)
    speed 1 for 2          a third less time.  It omits the passes that find redundant computations
                           on different paths and thread jumps through implied conditions.
                           Lowering emits nothing twice (`Builder.once`), so that the code is as
                           fast but for three kernels (two sorts and the game of life: 20 %).
                           It does not analyze calls either: only for functions that call none.
    no unrolling           a fifth less time; an insertion sort takes 22 % longer, a matrix
                           product 5 %
    no vectorizers         up to 30 % less time, and no loss if no loop is over arrays
    codegen 0 for 2        half the time for straight-line code, which takes 3 to 12 ns longer a
                           call: regained only below some 300 000 calls; loops take 2 to 8 times
                           as long
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.patterns import Pattern

# LLVM's parser upgrades old debug information, for which it verifies the module that it has just
# parsed, and ends the process if that is invalid.  With this it only parses; the engine verifies
# the module by a function that returns an error.
QUIET_PARSER = "-disable-auto-upgrade-debug-info"

# A sum of floats has one order.  With this LLVM vectorizes the addends and adds their lanes in
# sequence, as a loop would; without it such a loop is not vectorized at all on x86. Distances over
# 8 columns take 0.7 of the time, sums of 16 products 0.6.
ORDERED_SUMS = "-force-ordered-reductions"

# LLVM's own options that hold for the whole process.
OPTIONS = (QUIET_PARSER, ORDERED_SUMS)

# The light pipeline: the wrapper is merged with its callees, memory is promoted to registers, then
# branches and instructions are simplified.
LIGHT_PASSES = (
    "always_inline",
    "sroa",
    "simplify_cfg",
    "instcombine",
    "simplify_cfg",
    "global_dce",
)

# Before each 64-bit division LLVM tests whether the numbers fit into 32 bits, and uses the shorter
# instruction then.  On these processors the long one is as fast with small numbers, and for a mix
# of both the branch is mispredicted: powers modulo a number took 1.36 times as long, remainders of
# a grid's indices 1.13 times.
QUICK_DIVIDERS = ("znver3", "znver4", "znver5")
NO_SHORT_DIVISION = "-idivq-to-divl"


@dataclass(frozen=True, slots=True)
class Cpu:
    """A processor that code is compiled for: its name and its features as LLVM writes them,
    `+avx2,-fma`.

    Without a name it is this machine's, with the features added to its own.  For another kind of
    machine it has a `triple`, LLVM's name of it: `nvptx64-nvidia-cuda`.
    """

    name: str = ""
    features: str = ""
    triple: str = ""

    def whole(self, host: Cpu) -> Cpu:
        """Return the processor with its full name and features, on a machine with this host."""
        if self.name or self.triple:
            return self
        return Cpu(host.name, ",".join(filter(None, (host.features, self.features))))

    def tuned(self, host: Cpu) -> Cpu:
        """Return the whole processor, with tuning flags for LLVM."""
        whole = self.whole(host)
        if whole.name not in QUICK_DIVIDERS:
            return whole
        return Cpu(whole.name, ",".join(filter(None, (whole.features, NO_SHORT_DIVISION))))

    def __str__(self) -> str:
        known = self.name or ("any processor" if self.triple else "this processor")
        return " ".join(filter(None, (known, self.features, self.triple)))


HOST = Cpu()


@dataclass(frozen=True, slots=True)
class Plan:
    """The way to optimize a module and generate its code, and the processor.

    `level`: "full" is LLVM's own pipeline at `speed` (0 to 3), "light" the passes above, "none"
    nothing.  `vectorize` is for loops, `slp` for neighboring statements; both, and `unroll`, are
    parts of the full pipeline.  `codegen` is the effort of the code generator, 0 or 2.
    """

    level: str = "full"
    speed: int = 2
    vectorize: bool = True
    slp: bool = True
    unroll: bool = True
    codegen: int = 2
    cpu: Cpu = HOST

    @property
    def inlines_marked_only(self) -> bool:
        """True if LLVM inlines only functions that are marked for it."""
        return self.level == "light" or self.speed < 2

    def on(self, cpu: Cpu) -> Plan:
        """Return the same plan for a processor."""
        return self if cpu == self.cpu else replace(self, cpu=cpu)


LIGHT = Plan("light", vectorize=False, slp=False, unroll=False)
NOTHING = Plan("none", codegen=0)
# The passes that coroutines require, and nothing else.
UNOPTIMIZED = Plan("full", 0, vectorize=False, slp=False, unroll=False, codegen=0)
COROUTINE = "@llvm.coro."


def plan_for(*, loops: bool, loops_over_arrays: bool, calls: bool) -> Plan:
    """Return the plan for a module whose code has loops or recursion, loops over arrays, and calls
    of functions in it.

    Straight-line code needs no loop passes, a loop without arrays no vectorizer, and a single
    function no decisions about inlining.
    """
    if not loops:
        return LIGHT
    return Plan(speed=2 if calls else 1, vectorize=loops_over_arrays, slp=loops_over_arrays)


def plan_of_repeated(*, loops: bool) -> Plan:
    """Return the plan for a module whose code is repeated for each element by an outer loop; it may
    have loops itself.

    Neighboring statements are not vectorized.  For code without loops a lower speed produces the
    same machine code, in an eighth less time.
    """
    return Plan(speed=2 if loops else 1, slp=False)


class PassTime(NamedTuple):
    """The time that all runs of one LLVM pass took together."""

    name: str
    seconds: float


_TOTAL = Pattern(r"Total Execution Time: .*\((\d+\.\d+) wall clock\)")
_ROW = Pattern(r".*\(\s*(\d+\.\d+)%\)\s+(\S.*)$")  # the last column: wall time


def pass_times(report: str) -> list[PassTime]:
    """Read the passes, the slowest first, from LLVM's report of their time.

    LLVM prints tenths of milliseconds, so times come from the finer percentages.  Every pass is
    listed twice with about the same time, and both count in the total: hence the mean, and the
    share of the sum of all rows.
    """
    if not report:
        return []
    passes, _, _ = report.partition("Analysis execution timing report")
    total = _TOTAL.search(passes)
    if total is None:
        return []
    percents: dict[str, list[float]] = {}
    for line in passes.splitlines():
        row = _ROW.match(line)
        if row is not None and row[2] != "Total":
            percents.setdefault(row[2], []).append(float(row[1]))
    return _sorted_times(percents.items(), float(total[1]))


def _sorted_times(percents: Iterable[tuple[str, list[float]]], total: float) -> list[PassTime]:
    times = [PassTime(name, sum(shares) / len(shares) / 100 * total) for name, shares in percents]
    return sorted(times, key=lambda row: row.seconds, reverse=True)
