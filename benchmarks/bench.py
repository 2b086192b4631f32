"""All benchmarks in one table: each row a figure that is to be held, its goal, and the verdict.

python benchmarks/bench.py [--only NAME ...] [--quick] [--again]

`results/table.md`, `results/table.json` and the README's table are written after each benchmark, so
that a run may be interrupted. Figures of benchmarks that do not run are kept if they are of this
machine. If they are of another one, a run of all begins anew, and `--only` writes nothing.
`--again` measures nothing: it makes the tables anew, of what is stored and of the goals of now.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from collected.collecting import SCRIPTS, collect, merged, told_again
from collected.goals import GOALS
from collected.machine import machine
from collected.tables import Stored, between_marks, short, whole

RESULTS = Path(__file__).parent / "results"
README = Path(__file__).parent.parent / "README.md"


def main() -> None:
    """Measure, write, and print the table."""
    options = arguments()
    path = RESULTS / "table.json"
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    if options.again:
        write(told_again(old, GOALS), RESULTS, README)
        return
    is_same = old is None or old["machine"] == machine()
    stored = old if is_same else None
    for name in options.only or SCRIPTS:
        found = collect([SCRIPTS[name]], GOALS, options.quick)
        stored = merged(stored, found, GOALS)
        if is_same or not options.only:
            write(stored, RESULTS, README)
    print(f"\n{whole(stored)}")
    if options.only and not is_same:
        print("Not written: what is stored was measured on another machine.")


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="All figures that are to be held, in one table.")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(SCRIPTS))
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds")
    parser.add_argument("--again", action="store_true", help="only write the tables anew")
    return parser.parse_args()


def write(stored: Stored, results: Path, readme: Path) -> None:
    """Write the two tables and the README's."""
    results.mkdir(exist_ok=True)
    text = json.dumps(stored, indent=1) + "\n"
    (results / "table.json").write_text(text, encoding="utf-8")
    (results / "table.md").write_text(whole(stored), encoding="utf-8")
    page = readme.read_text(encoding="utf-8")
    readme.write_text(between_marks(page, short(stored)), encoding="utf-8")


if __name__ == "__main__":
    main()
