"""`cutaway doctor --compare script.py`: the first call whose result differs from Numba's."""

from __future__ import annotations

import linecache
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from cutaway.compat.installing import real_numba
from cutaway.compat.recording import RecordedCall
from cutaway.errors import CutawayError

_TOLERANCE = {"f": 1e-9, "c": 1e-9}  # sums may be in another order
_TOLERANCE_OF_SMALL = 1e-4  # for numbers of 32 bits, and of 16
_ERROR = re.compile(r"[\w.]*[A-Z]\w*(:|$)")  # the line of a traceback that names the error
_RECORDING = "import cutaway.compat.recording as r; r.main()"  # by its name, so that it pickles


def compare(script: str, arguments: Sequence[str]) -> int:
    """Run a script under Numba and Cutaway, and print the first difference; return 0 if none."""
    if not real_numba():
        raise CutawayError("Numba is not installed here", hint="install both, and compare again")
    if not Path(script).is_file():
        raise CutawayError(f"there is no file {script}")
    with tempfile.TemporaryDirectory() as folder:
        numba, layer = (
            _recorded(under, Path(folder) / under, script, arguments)
            for under in ("numba", "layer")
        )
    for number, (theirs, ours) in enumerate(zip_longest(numba.calls, layer.calls), 1):
        said = list(_difference(theirs, ours))
        if said:
            print(f"call {number} of {len(numba.calls)} differs: {said[0]}")
            print(*(f"  {line}" for line in said[1:]), sep="\n")
            return 1
    print(f"{len(numba.calls)} calls from Python of functions of jit give the same")
    print(*_other_output(numba, layer), sep="\n", end="")
    return int(numba.code != layer.code)


@dataclass(frozen=True)
class _ScriptRun:
    """The outcome of a script under one of the two."""

    calls: list[RecordedCall]
    output: str
    code: int


def _recorded(under: str, record: Path, script: str, arguments: Sequence[str]) -> _ScriptRun:
    """Run a script in a process of its own, and read its record."""
    command = [sys.executable, "-c", _RECORDING, under, str(record), script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        name = "Numba" if under == "numba" else "Cutaway"
        print(f"under {name} the script ends with exit code {done.returncode}:", file=sys.stderr)
        print(_last_error(done.stderr), file=sys.stderr)
    calls = list(_calls(record)) if record.exists() else []
    return _ScriptRun(calls, done.stdout, done.returncode)


def _last_error(text: str) -> str:
    """Return the error at the end of a traceback, with all its lines."""
    lines = text.rstrip().splitlines()
    starts = [at for at, line in enumerate(lines) if _ERROR.match(line)]
    return "\n".join(lines[starts[-1] :] if starts else lines[-1:])


def _other_output(numba: _ScriptRun, layer: _ScriptRun) -> Iterator[str]:
    """Yield the first line that the two print differently, though their calls are the same."""
    pairs = zip_longest(numba.output.splitlines(), layer.output.splitlines(), fillvalue="")
    for number, (theirs, ours) in enumerate(pairs, 1):
        if theirs != ours:
            yield f"but line {number} of what the script prints is another one:"
            yield from (f"  Numba:   {theirs}", f"  Cutaway: {ours}", "")
            return


def _calls(record: Path) -> Iterator[RecordedCall]:
    with record.open("rb") as file:
        while True:
            try:
                yield pickle.load(file)  # noqa: S301  it is ours
            except EOFError:
                return


def _difference(theirs: RecordedCall | None, ours: RecordedCall | None) -> Iterator[str]:
    """Yield the lines that describe the difference of two calls; none if they are the same."""
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
        yield from (where, f"{'Numba' if raised is theirs else 'Cutaway'} raises {raised.raised}")
        yield f"the other one gives {without.result!r}"
    elif theirs.raised != ours.raised:
        yield f"{call.name} raises something else"
        yield from (where, f"Numba:   {theirs.raised}", f"Cutaway: {ours.raised}")
    elif not same(theirs.result, ours.result):
        yield f"{call.name} has another result"
        yield from (where, f"Numba:   {theirs.result!r}", f"Cutaway: {ours.result!r}")
    elif not same(theirs.after, ours.after):
        yield f"{call.name} changes its arguments in another way"
        yield from (where, f"Numba:   {theirs.after!r}", f"Cutaway: {ours.after!r}")


def same(theirs: Any, ours: Any) -> bool:
    """True if two values are the same but for the last digits of floats."""
    if isinstance(theirs, tuple | list) and type(theirs) is type(ours):
        return len(theirs) == len(ours) and all(map(same, theirs, ours))
    numbers = (bool, int, float, complex, np.ndarray)
    if not isinstance(theirs, numbers) or not isinstance(ours, numbers):
        return type(theirs) is type(ours) and bool(theirs == ours)
    one, other = np.asarray(theirs), np.asarray(ours)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.names is not None:
        return all(same(one[name], other[name]) for name in one.dtype.names)
    if one.dtype.kind not in _TOLERANCE:
        return one.tobytes() == other.tobytes()
    is_small = np.real(one).dtype.itemsize < 8 or (one.ndim == 0 and _are_small(one, other))
    tolerance = _TOLERANCE_OF_SMALL if is_small else _TOLERANCE[one.dtype.kind]
    return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True))


def _are_small(*numbers: np.ndarray) -> bool:
    """True if numbers are not integers and may come from 32 bits, which Python has no type for."""
    return all(one == one.astype(np.complex64) and one != np.round(one) for one in numbers)
