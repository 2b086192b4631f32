"""The fuzzers from a shell, in the folder `tests`: `python -m fuzz programs 20000 --seed 7`."""

from __future__ import annotations

import argparse
import secrets

from fuzz import (
    across,
    array_faults,
    arrays,
    containers,
    control,
    examples,
    fused,
    handlers,
    indexed,
    kernels,
    lifted,
    lists,
    objects,
    odd_objects,
    other_objects,
    outliving,
    parallel,
    prange,
    programs,
    ranges,
    walks,
)
from fuzz.batches import FINDING, Verdict, run

CHECKS = {
    "across": across.check,
    "programs": programs.check,
    "levels": programs.check_levels,
    "arrays": arrays.check,
    "indexed": indexed.check,
    "array-levels": arrays.check_levels,
    "array-faults": array_faults.looked_for,
    "array-fault-search": array_faults.searched_for,
    "containers": containers.check,
    "control": control.check,
    "examples": examples.check,
    "fused": fused.check,
    "handlers": handlers.check,
    "kernels": kernels.check,
    "lifted": lifted.check,
    "lists": lists.check,
    "objects": objects.check,
    "object-levels": objects.check_levels,
    "odd-objects": odd_objects.check,
    "object-others": other_objects.check,
    "outliving": outliving.check,
    "parallel": parallel.check,
    "prange": prange.check,
    "ranges": ranges.check,
    "walks": walks.check,
}


def main() -> int:
    """Run a fuzzer; the status says whether it found anything."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("what", choices=CHECKS)
    parser.add_argument("count", type=int, nargs="?", help="how many programs; of faults, all")
    parser.add_argument("--seed", type=int, help="the first seed; otherwise any")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="show each program and its verdict")
    given = parser.parse_args()
    if given.count is None:
        if given.what != "array-faults":
            parser.error("how many programs?")
        given.count, given.seed = len(array_faults.FAULTS), 0
    first = secrets.randbelow(10**9) if given.seed is None else given.seed
    command = f"python -m fuzz {given.what} 1 --seed"
    print(f"seeds {first} to {first + given.count - 1}", flush=True)

    def seen(seed: int, verdict: Verdict) -> None:
        if verdict.kind == FINDING or given.show:
            print(
                f"\n--- {command} {seed}: {verdict.kind} {verdict.words}\n{verdict.source}",
                flush=True,
            )

    report = run(CHECKS[given.what], range(first, first + given.count), given.workers, seen)
    print(f"\n{report}")
    for words, count in report.reasons.most_common(20):
        print(f"{count:6}  {words}")
    return 1 if report.findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
