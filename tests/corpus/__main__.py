"""Runs programs of the collection, or of a file, in all modes.

python -m corpus list [--tag TAG]...     names, calls and tags
python -m corpus run NAME... [--mode M]  each mode beside Python, a row each
python -m corpus run FILE.py             the functions there that `@CASES.case(...)` adds
python -m corpus modes                   the modes, and how many programs each has
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import traceback
from pathlib import Path

from corpus.collection import TABLES, Program, of_cases, program, programs
from corpus.executors import EXECUTORS, run


def listed(tags: list[str]) -> int:
    """Print the programs that have all of some tags."""
    for one in programs():
        if one.tags.issuperset(tags):
            print(f"{one.name:60} {len(one.calls):3}  {' '.join(sorted(one.tags))}")
    return 0


def modes() -> int:
    """Print the modes."""
    for name, executor in EXECUTORS.items():
        count = sum(name in one.modes for one in programs())
        print(f"{name:15} {count:5}  {executor.what}")
    return 0


def of_file(path: Path) -> list[Program]:
    """The programs of a file, for all modes."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return list(of_cases("file", module.CASES))


def compared(one: Program, only: list[str]) -> bool:
    """Run a program in its modes, and print a row for each; False if one differs."""
    print(one.name)
    fine = True
    for mode in only or one.modes:
        if mode in one.without:
            said = f"left out: {one.without[mode]}"
        else:
            try:
                reason = run(one, mode)
                said = f"not here: {reason}" if reason else "same"
            except Exception as error:  # whatever the program raises, or the compiler
                fine = False
                text = traceback.format_exception_only(error)[-1].strip()
                said = f"DIFFERS: {text}"
        print(f"  {mode:15} {said}")
    return fine


def main() -> int:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m corpus", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    what = parser.add_subparsers(dest="what", required=True)
    names = what.add_parser("list")
    names.add_argument("--tag", action="append", default=[], help=f"one of {', '.join(TABLES)}, …")
    running = what.add_parser("run")
    running.add_argument("names", nargs="+", metavar="NAME")
    running.add_argument("--mode", action="append", default=[], choices=EXECUTORS)
    what.add_parser("modes")
    options = parser.parse_args()
    if options.what == "list":
        return listed(options.tag)
    if options.what == "modes":
        return modes()
    fine = True
    for name in options.names:
        try:
            found = of_file(Path(name)) if name.endswith(".py") else [program(name)]
        except LookupError as error:
            print(error.args[0], file=sys.stderr)
            return 1
        for one in found:
            fine &= compared(one, options.mode)
    return not fine


if __name__ == "__main__":
    sys.exit(main())
