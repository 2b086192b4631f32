"""Runs a program that is written for Numba with Cutaway: `python -m cutaway.as_numba program.py`.

    python -m cutaway.as_numba [options] program.py [arguments]
    python -m cutaway.as_numba [options] -m module [arguments]
    python -m cutaway.as_numba [options] -c code [arguments]

Option --beside takes the layer where the real Numba is installed, too; with --astype NaN, and a
float that an integer cannot hold, becomes an integer as where whole arrays are converted.

The program and all Python processes that it starts find Cutaway where they import numba.
"""

from __future__ import annotations

import itertools
import os
import runpy
import sys
from collections.abc import Iterator, Sequence

from cutaway import config
from cutaway.compat.installing import ASTYPE, BESIDE, FOLDER, install
from cutaway.errors import CutawayError

_BAD_USAGE = 2
_USAGE = (__doc__ or "").partition("\n\n")[2]


def main(arguments: Sequence[str]) -> None:
    """Install the layer here and for child processes, then run the program."""
    words = list(arguments)
    chosen = set(_options(words))
    del words[: len(chosen)]
    if not words or words[0] in ("-h", "--help") or (words[0] in ("-m", "-c") and len(words) < 2):
        print(_USAGE, end="", file=sys.stderr)
        sys.exit(_BAD_USAGE)
    try:
        install(**dict.fromkeys(chosen, True))
    except CutawayError as error:
        sys.exit(f"cutaway.as_numba: {error}")
    _prepare_children(chosen)
    _run(words)


def _options(words: list[str]) -> Iterator[str]:
    known = {f"--{name}": name for name in (BESIDE, ASTYPE)}
    return (known[word] for word in itertools.takewhile(known.__contains__, words))


def _prepare_children(chosen: set[str]) -> None:
    """Make child processes find the layer, by the folder that has a module `numba`."""
    paths = [FOLDER, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    if chosen:
        os.environ["CUTAWAY_AS_NUMBA"] = ",".join({*chosen, *config.AS_NUMBA})


def _run(words: list[str]) -> None:
    """Run a program as Python does; `sys.path` begins with the current folder, as for any -m."""
    match words:
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            program = {"__name__": "__main__", "__builtins__": __builtins__}
            exec(compile(code, "<string>", "exec"), program)
        case [script, *rest]:
            if not os.path.isfile(script):
                sys.exit(f"cutaway.as_numba: there is no file {script}")
            sys.argv = [script, *rest]
            sys.path[0] = os.path.dirname(os.path.abspath(script))
            runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
