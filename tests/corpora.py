"""How much of each large corpus a run of the tests takes, and which part of it.

`make test` takes the first few of each corpus: the same ones on every machine and every day.
`make full` takes all of everything, or with `SHARD=3/20` the third of twenty parts: of a corpus
that is counted a twentieth, of all other tests those whose names have that hash. pytest's header
says which, and how to repeat it. `python tests/corpora.py [NAME]` runs all of some.

For a corpus of your own add a row to CORPORA. Its test asks `seeds("NAME")` for as many numbers as
a run takes, no two shards the same, or `seed("NAME")` for one and `count("NAME")`; of a list
`sample(every, items)` takes one in so many.
"""

from __future__ import annotations

import os
import subprocess
import sys
from binascii import crc32
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).parent.parent
FIRST = (3, 11)  # the Python that tests most
SHARD = "CUTAWAY_TEST_SHARD"  # "3/20"; "1/1" for all


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
            ("tests/fuzz/test_generated.py",),
            *(24, 6, 20_000),
        ),
        Corpus(
            "FUZZED",
            "made-up programs that go wrong everywhere, beside Python",
            ("tests/fuzz/test_programs.py",),
            *(52, 13, 20_000),
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
            ("tests/unit/inspection/test_hints.py",),
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
            *(4, 1, 20_000),
        ),
        Corpus(
            "PRANGE",
            "made-up loops over prange on four threads, beside Python",
            ("tests/fuzz/test_parallel.py",),
            *(20, 5, 20_000),
        ),
        Corpus(
            "CONTROL",
            "made-up exceptions, managers and generators at ir and ssa, beside Python",
            ("tests/fuzz/test_control.py",),
            *(30, 7, 20_000),
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
            *(8, 2, 20_000),
        ),
        Corpus(
            "LISTS",
            "courses of a machine that changes lists, beside Python",
            ("tests/fuzz/test_lists.py",),
            *(32, 8, 20_000),
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
            ("tests/unit/cuda/ufuncs/test_made_up_calls.py",),
            *(150, 30, 20_000),
        ),
        Corpus(
            "OBJECTS",
            "made-up programs with objects in object mode, beside Python",
            ("tests/fuzz/test_object_programs.py",),
            *(4, 1, 20_000),
        ),
        Corpus(
            "OBJECT_LEVELS",
            "the same at the levels ir and objects",
            ("tests/fuzz/test_object_programs.py",),
            *(1, 1, 500),
        ),
        Corpus(
            "OBJECT_OTHERS",
            "the made-up programs of other corpora in object mode, beside Python",
            ("tests/fuzz/test_object_programs.py",),
            *(3, 1, 20_000),
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
            ("tests/unit/ir/test_editing.py",),
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
            ("tests/fuzz/test_generated_calls.py",),
            *(8, 2, 2_000),
        ),
        Corpus(
            "WITNESSED",
            "made-up programs that each pass is tried on",
            ("tests/unit/witness/test_no_false_alarm.py",),
            *(9, 4, 1_000),
        ),
        Corpus(
            "ARRAYS",
            "random arrays for each function of NumPy",
            ("tests/unit/library/test_random_arrays.py",),
            *(1, 1, 20),
        ),
        Corpus(
            "UFUNCS",
            "loops of NumPy's ufuncs, with arrays of all layouts",
            ("tests/unit/library/elements/test_ufuncs.py",),
            *(26, 6, 900),
        ),
        Corpus(
            "UFUNCS_MEMORY",
            "loops of NumPy's ufuncs, with operands in memory of all kinds",
            ("tests/unit/library/elements/test_memory.py",),
            *(14, 3, 900),
        ),
        Corpus(
            "STREAMS",
            "distributions of random numbers beside NumPy's, a million of each",
            ("tests/unit/random_numbers/test_streams.py",),
            *(6, 1, 66),
        ),
        Corpus(
            "METHODS",
            "methods of NumPy's ufuncs, with arrays of all dtypes and layouts",
            ("tests/unit/library/elements/test_methods.py",),
            *(12, 3, 1500),
        ),
        Corpus(
            "CALLS",
            "made-up calls and dispatchers",
            (
                "tests/unit/dispatch/test_random_calls.py",
                "tests/unit/dispatch/test_random_choices.py",
            ),
            *(12000, 8000, 1_000_000),
        ),
        Corpus(
            "VALUES",
            "made-up numbers for each function of the runtime",
            ("tests/unit/runtime/test_numeric.py",),
            *(12000, 8000, 1_000_000),
        ),
        Corpus(
            "KERNELS",
            "made-up kernels as PTX, by ptxas, and in the simulator beside Python",
            ("tests/fuzz/test_kernels.py",),
            *(3, 1, 600),
        ),
        Corpus(
            "SELECTED",
            "modules that LLVM makes code of for a GPU, or ends the process over",
            ("tests/unit/cuda/selection/test_experiments.py",),
            *(120, 20, 30_000),
        ),
        Corpus(
            "GLOBALS",
            "made-up globals that change between two processes",
            ("tests/unit/caching/test_made_up_globals.py",),
            *(1, 1, 100),
        ),
    )
}


class Shard(NamedTuple):
    """One of so many parts of everything; the first one has number 1."""

    number: int
    count: int

    def part_of(self, whole: int) -> range:
        """Its numbers, of so many: one at the least."""
        first = whole * (self.number - 1) // self.count
        return range(first, max(whole * self.number // self.count, first + 1))


def shard() -> Shard | None:
    """The shard that this run takes; None where it takes the fixed samples.

    Raises ValueError where the environment names one that there cannot be.
    """
    text = os.environ.get(SHARD)
    return _shard(text) if text else None


@cache
def _shard(text: str) -> Shard:
    number, _, count = text.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise ValueError(f"{SHARD}={text} is no shard: write 3/20 for the third of twenty")
    return Shard(int(number), int(count))


def is_of_shard(name: str, path: Path, is_part: bool = False) -> bool:
    """True if a test is in the shard of this run.  The modules of a corpus, and tests that are a
    part already, have only what is in it."""
    part = shard()
    if part is None or is_part or str(path.relative_to(ROOT)) in _COUNTED:
        return True
    return is_of_hash(name)


def is_of_hash(name: str) -> bool:
    """True if a name has the hash of this run's shard; without a shard all have."""
    part = shard()
    return part is None or crc32(name.encode()) % part.count == part.number - 1


_COUNTED = {path for corpus in CORPORA.values() for path in corpus.tests}


def are_named(config: Any) -> bool:  # Any: pytest's, which the command line does not need
    """True if somebody asks for tests by name, and wants those."""
    return bool(config.option.keyword) or any(".py" in word for word in config.args)


def is_whole() -> bool:
    """Whether all of every corpus is asked for."""
    part = shard()
    return part is not None and part.count == 1


def seeds(name: str) -> range:
    """The numbers that this run takes of a corpus."""
    corpus, part = CORPORA[name], shard()
    asked = os.environ.get(f"CUTAWAY_TEST_{name}")
    if asked:
        return range(int(asked))
    if part is not None:
        return part.part_of(corpus.whole)
    return range(corpus.here if sys.version_info[:2] == FIRST else corpus.elsewhere)


def count(name: str) -> int:
    """How many of a corpus this run takes."""
    return len(seeds(name))


def seed(name: str, part: int | str = 0) -> str:
    """What the random numbers of a corpus start from, or of a part of it."""
    return f"{name} {seeds(name).start} {part}"


def sample(every: int, items: Sequence[T]) -> list[T]:
    """One in so many of a list, or a shard's part of it.  A test with these parameters, that is in
    no module of a corpus, has the mark `part`."""
    part = shard()
    return list(items[::every]) if part is None else list(items[part.number - 1 :: part.count])


def spread(name: str, items: Sequence[T]) -> list[T]:
    """As many items of a list as this run takes of a corpus, from all parts of the list."""
    part = shard()
    if part is not None:
        return [items[k] for k in part.part_of(len(items))]
    return list(items[:: -(-len(items) // count(name))])


def header() -> str:
    """What pytest says of it."""
    part = shard()
    if part is None:
        return "corpora: the fixed samples; `make full` takes all"
    if is_whole():
        return "corpora: all of each"
    text = f"{part.number}/{part.count}"
    return f"corpora: shard {text} of all; `make full SHARD={text}` takes the same again"


def main(names: list[str]) -> int:
    """Run the whole of the corpora of these names, or of all."""
    unknown = [name for name in names if name.upper() not in CORPORA]
    if unknown:
        print(f"no corpus {unknown[0]}: there are {', '.join(CORPORA)}", file=sys.stderr)
        return 1
    chosen = [CORPORA[name.upper()] for name in names] or list(CORPORA.values())
    tests = [path for corpus in chosen for path in corpus.tests]
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal", *tests]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, SHARD: "1/1"}).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
