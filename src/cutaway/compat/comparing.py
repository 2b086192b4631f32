"""`cutaway doctor --compare script.py`: the first call whose result differs from Numba's."""

from __future__ import annotations

import linecache
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from cutaway.compat.installing import real_numba
from cutaway.compat.recording import Call
from cutaway.errors import CutawayError

_TOLERANCE = {"f": 1e-9, "c": 1e-9}  # sums may be in another order
_TOLERANCE_OF_SMALL = 1e-4  # numbers of 32 bits, and of 16
_RECORDING = "import cutaway.compat.recording as r; r.main()"  # by its name, so that it pickles


def compare(script: str, arguments: Sequence[str]) -> int:
    """Run a script under Numba and under Cutaway, and tell the first difference; 0 if none."""
    if not real_numba():
        raise CutawayError("Numba is not installed here", hint="install both, and compare again")
    if not Path(script).is_file():
        raise CutawayError(f"there is no file {script}")
    with tempfile.TemporaryDirectory() as folder:
        numba, layer = (
            _recorded(under, Path(folder) / under, script, arguments)
            for under in ("numba", "layer")
        )
    for number, (theirs, ours) in enumerate(zip_longest(numba, layer), 1):
        said = list(_difference(theirs, ours))
        if said:
            print(f"call {number} of {len(numba)} differs: {said[0]}")
            print(*(f"  {line}" for line in said[1:]), sep="\n")
            return 1
    print(f"{len(numba)} calls from Python of functions of jit give the same")
    return 0


def _recorded(under: str, record: Path, script: str, arguments: Sequence[str]) -> list[Call]:
    """The calls of a script, which runs in a process of its own."""
    command = [sys.executable, "-c", _RECORDING, under, str(record), script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        name = "Numba" if under == "numba" else "Cutaway"
        print(f"under {name} the script ends with exit code {done.returncode}:", file=sys.stderr)
        print(done.stderr.rstrip().rpartition("\n")[2], file=sys.stderr)
    return list(_calls(record)) if record.exists() else []


def _calls(record: Path) -> Iterator[Call]:
    with record.open("rb") as file:
        while True:
            try:
                yield pickle.load(file)  # noqa: S301  it is ours
            except EOFError:
                return


def _difference(theirs: Call | None, ours: Call | None) -> Iterator[str]:
    """The lines that tell how two calls differ; none if they are the same."""
    call = theirs or ours
    assert call is not None
    file, line = call.place
    where = f'File "{file}", line {line}\n      {linecache.getline(file, line).strip()}'
    if theirs is None or ours is None or theirs.name != ours.name:
        numba, cutaway = (one.name if one else "nothing" for one in (theirs, ours))
        yield f"Numba calls {numba}, Cutaway calls {cutaway}"
        yield where
    elif not same(theirs.given, ours.given):
        yield f"{call.name} is given other arguments, which come from outside of compiled code"
        yield from (where, f"Numba:   {theirs.given!r}", f"Cutaway: {ours.given!r}")
    elif bool(theirs.raised) != bool(ours.raised):
        raised, without = (theirs, ours) if theirs.raised else (ours, theirs)
        yield f"{call.name} raises in one of the two"
        kind = "" if raised.raised == "?" else f" {raised.raised}"
        yield from (where, f"{'Numba' if raised is theirs else 'Cutaway'} raises{kind}")
        yield f"the other one gives {without.result!r}"
    elif not same(theirs.result, ours.result):
        yield f"{call.name} has another result"
        yield from (where, f"Numba:   {theirs.result!r}", f"Cutaway: {ours.result!r}")
    elif not same(theirs.after, ours.after):
        yield f"{call.name} changes its arguments in another way"
        yield from (where, f"Numba:   {theirs.after!r}", f"Cutaway: {ours.after!r}")


def same(theirs: Any, ours: Any) -> bool:
    """True if two values are the same but for the last digits of floats."""
    if isinstance(theirs, tuple) and isinstance(ours, tuple):
        return len(theirs) == len(ours) and all(map(same, theirs, ours))
    numbers = (bool, int, float, complex, np.ndarray)
    if not isinstance(theirs, numbers) or not isinstance(ours, numbers):
        return type(theirs) is type(ours) and bool(theirs == ours)
    one, other = np.asarray(theirs), np.asarray(ours)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind not in _TOLERANCE:
        return one.tobytes() == other.tobytes()
    small = np.real(one).dtype.itemsize < 8
    tolerance = _TOLERANCE_OF_SMALL if small else _TOLERANCE[one.dtype.kind]
    return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True))
