"""How much of each large corpus a run of the tests takes, and which part of it.

Nobody waits for all of them, so a run takes a sample. Which one turns with the day of the last
commit: the next day brings others, and everybody who tests one commit runs the same. pytest's
header tells the turn and how to repeat it. `make whole` runs all: `python tests/corpora.py [NAME]`.

For a corpus of your own add a row to CORPORA. Its test asks `seeds("NAME")` for as many numbers as
a run takes, no two turns the same, or `seed("NAME")` for one and `count("NAME")`; of a list
`sample(every, items)` takes one in so many.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).parent.parent
FIRST = (3, 11)  # the Python that tests most
TURN, WHOLE = "CUTAWAY_TEST_TURN", "CUTAWAY_TEST_WHOLE"


class Corpus(NamedTuple):
    """A corpus: how many of it a run takes, on the first Python and on others, and how many whole.

    `CUTAWAY_TEST_<name>` in the environment says another number.
    """

    name: str
    what: str
    tests: tuple[str, ...]
    here: int
    elsewhere: int
    whole: int


CORPORA = {
    row.name: row
    for row in (
        Corpus(
            "PROGRAMS",
            "made-up programs at every level",
            ("tests/test_generated.py",),
            *(96, 12, 20_000),
        ),
        Corpus(
            "FUZZED",
            "made-up programs that go wrong everywhere, beside Python",
            ("tests/fuzz/test_programs.py",),
            *(208, 20, 20_000),
        ),
        Corpus(
            "LEVELS",
            "the same at every level",
            ("tests/fuzz/test_programs.py",),
            *(19, 4, 500),
        ),
        Corpus(
            "HINTS",
            "hints for the programs of the case table, each followed and compared with Python",
            ("tests/inspection/test_hints.py",),
            *(4, 1, 400),
        ),
        Corpus(
            "EXPRESSIONS",
            "made-up programs of whole arrays, beside Python",
            ("tests/fuzz/test_arrays.py",),
            *(3, 1, 20_000),
        ),
        Corpus(
            "EXPRESSION_LEVELS",
            "the same at every level",
            ("tests/fuzz/test_arrays.py",),
            *(1, 1, 500),
        ),
        Corpus(
            "PARALLEL",
            "the same with parallel=True, beside compiled code that is not parallel",
            ("tests/fuzz/test_parallel.py",),
            *(12, 3, 20_000),
        ),
        Corpus(
            "PRANGE",
            "made-up loops over prange on four threads, beside Python",
            ("tests/fuzz/test_parallel.py",),
            *(60, 10, 20_000),
        ),
        Corpus(
            "CONTROL",
            "made-up exceptions, managers and generators at ir and ssa, beside Python",
            ("tests/fuzz/test_control.py",),
            *(80, 20, 20_000),
        ),
        Corpus(
            "FUSED",
            "made-up loops over generators in compiled code, beside Python",
            ("tests/fuzz/test_fused_programs.py",),
            *(30, 10, 20_000),
        ),
        Corpus(
            "ACROSS",
            "made-up exceptions that cross functions, beside Python",
            ("tests/fuzz/test_across.py",),
            *(12, 4, 20_000),
        ),
        Corpus(
            "OUTLIVING",
            "made-up generators whose iterators outlive the function that makes them",
            ("tests/fuzz/test_outliving.py",),
            *(40, 10, 20_000),
        ),
        Corpus(
            "HANDLERS",
            "made-up handlers of exceptions in compiled code, beside Python",
            ("tests/fuzz/test_handlers.py",),
            *(30, 10, 20_000),
        ),
        Corpus(
            "CALLS_ON_GPU",
            "made-up calls of functions of elements on a GPU, beside the CPU",
            ("tests/cuda/ufuncs/test_made_up_calls.py",),
            *(150, 30, 20_000),
        ),
        Corpus(
            "AS_OBJECTS",
            "programs of the other corpora in object mode, beside Python",
            ("tests/objects/test_programs_of_all.py",),
            *(400, 300, 5_000),
        ),
        Corpus(
            "OBJECTS_LEFT",
            "the same, and what they leave in memory",
            ("tests/objects/test_programs_of_all.py",),
            *(100, 100, 5_000),
        ),
        Corpus(
            "OBJECTS",
            "made-up programs with objects in object mode, beside Python",
            ("tests/fuzz/test_object_programs.py",),
            *(16, 10, 20_000),
        ),
        Corpus(
            "OBJECT_LEVELS",
            "the same at the levels ir and objects",
            ("tests/fuzz/test_object_programs.py",),
            *(2, 1, 500),
        ),
        Corpus(
            "OBJECT_OTHERS",
            "the made-up programs of other corpora in object mode, beside Python",
            ("tests/fuzz/test_object_programs.py",),
            *(12, 6, 20_000),
        ),
        Corpus(
            "RANGES",
            "made-up nests of loops, with and without checks of indices that are proved",
            ("tests/fuzz/test_ranges.py",),
            *(12, 3, 5_000),
        ),
        Corpus(
            "WALKS",
            "made-up walks over arrays, with and without checks of indices that are proved",
            ("tests/fuzz/test_walks.py",),
            *(8, 2, 5_000),
        ),
        Corpus(
            "INDEXED",
            "made-up indices of arrays, beside Python",
            ("tests/fuzz/test_indexed.py",),
            *(20, 5, 20_000),
        ),
        Corpus(
            "EDITED",
            "the same with and without somebody who listens to rewrites",
            ("tests/ir/test_editing.py",),
            *(24, 4, 5_000),
        ),
        Corpus(
            "TEMPLATES",
            "calls of library functions, forty of each",
            ("tests/fuzz/test_library_calls.py",),
            *(9, 2, 500),
        ),
        Corpus(
            "EXAMPLES",
            "examples of NumPy's docstrings, compiled and beside NumPy",
            ("tests/fuzz/test_examples.py",),
            *(30, 6, 6_000),
        ),
        Corpus(
            "ODD_OBJECTS",
            "odd globals and arguments in every form of use, beside Python",
            ("tests/fuzz/test_odd_objects.py",),
            *(40, 10, 12_000),
        ),
        Corpus(
            "MODULES",
            "made-up modules of functions that call each other",
            ("tests/test_generated_calls.py",),
            *(8, 2, 2_000),
        ),
        Corpus(
            "WITNESSED",
            "made-up programs that each pass is tried on",
            ("tests/witness/test_no_false_alarm.py",),
            *(9, 4, 1_000),
        ),
        Corpus(
            "ARRAYS",
            "random arrays for each function of NumPy",
            ("tests/library/test_random_arrays.py",),
            *(1, 1, 20),
        ),
        Corpus(
            "UFUNCS",
            "loops of NumPy's ufuncs, with arrays of all layouts",
            ("tests/library/elements/test_ufuncs.py",),
            *(26, 6, 900),
        ),
        Corpus(
            "UFUNCS_MEMORY",
            "loops of NumPy's ufuncs, with operands in memory of all kinds",
            ("tests/library/elements/test_memory.py",),
            *(14, 3, 900),
        ),
        Corpus(
            "STREAMS",
            "distributions of random numbers beside NumPy's, a million of each",
            ("tests/random_numbers/test_streams.py",),
            *(6, 1, 66),
        ),
        Corpus(
            "METHODS",
            "methods of NumPy's ufuncs, with arrays of all dtypes and layouts",
            ("tests/library/elements/test_methods.py",),
            *(12, 3, 1500),
        ),
        Corpus(
            "CALLS",
            "made-up calls and dispatchers",
            ("tests/dispatch/test_random_calls.py", "tests/dispatch/test_random_choices.py"),
            *(12000, 8000, 1_000_000),
        ),
        Corpus(
            "VALUES",
            "made-up numbers for each function of the runtime",
            ("tests/runtime/test_numeric.py",),
            *(12000, 8000, 1_000_000),
        ),
        Corpus(
            "KERNELS",
            "made-up kernels as PTX, by ptxas, and in the simulator beside Python",
            ("tests/fuzz/test_kernels.py",),
            *(3, 1, 600),
        ),
        Corpus(
            "ON_THE_CPU",
            "programs of the case tables as functions for a GPU, run on this machine",
            ("tests/cuda/target/test_on_the_cpu.py",),
            *(12, 4, 4400),
        ),
        Corpus(
            "SELECTED",
            "modules that LLVM makes code of for a GPU, or ends the process over",
            ("tests/cuda/selection/test_experiments.py",),
            *(120, 20, 30_000),
        ),
        Corpus(
            "GLOBALS",
            "made-up globals that change between two processes",
            ("tests/caching/test_made_up_globals.py",),
            *(1, 1, 100),
        ),
    )
}


def is_whole() -> bool:
    """Whether all of every corpus is wanted."""
    return bool(os.environ.get(WHOLE))


@cache
def turn() -> int:
    """The number of the turn: that of the last commit's day, or of today where there is no git; or
    what the environment says."""
    if os.environ.get(TURN):
        return int(os.environ[TURN])
    try:
        told = subprocess.run(
            ["git", "-C", str(ROOT), "log", "-1", "--format=%cs"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return date.fromisoformat(told.strip()).toordinal()
    except (OSError, subprocess.CalledProcessError, ValueError):
        return date.today().toordinal()


def count(name: str) -> int:
    """How many of a corpus this run takes."""
    corpus = CORPORA[name]
    asked = os.environ.get(f"CUTAWAY_TEST_{name}")
    if asked:
        return int(asked)
    if is_whole():
        return corpus.whole
    return corpus.here if sys.version_info[:2] == FIRST else corpus.elsewhere


def seed(name: str, part: int | str = 0) -> str:
    """What the random numbers of a corpus start from, or of a part of it."""
    return f"{name} {turn()} {part}"


def seeds(name: str) -> range:
    """As many numbers as this run takes of a corpus; those of the next turn come after them."""
    each = count(name)
    return range(turn() * each, (turn() + 1) * each)


def sample(every: int, items: Sequence[T]) -> list[T]:
    """One in so many of a list, others at each turn; all of it where all is wanted."""
    return list(items) if is_whole() else list(items[turn() % every :: every])


def header() -> str:
    """What pytest says of it."""
    if is_whole():
        return "corpora: all of each"
    day = date.fromordinal(turn()) if turn() < date.max.toordinal() else "?"
    again = f"{TURN}={turn()} takes the same again, `make whole` all"
    return f"corpora: the samples of turn {turn()} ({day}); {again}"


def main(names: list[str]) -> int:
    """Run the whole of the corpora of these names, or of all."""
    unknown = [name for name in names if name.upper() not in CORPORA]
    if unknown:
        print(f"no corpus {unknown[0]}: there are {', '.join(CORPORA)}", file=sys.stderr)
        return 1
    chosen = [CORPORA[name.upper()] for name in names] or list(CORPORA.values())
    tests = [path for corpus in chosen for path in corpus.tests]
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal", *tests]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, WHOLE: "1"}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
