"""Calls of library functions, compiled and in Python, with arguments of all dtypes and layouts.

    cd tests; python -m fuzz.library_calls 20000            # so many calls
    python -m fuzz.library_calls 1 --seed 7 --call 12       # one of them again, made smaller

A seed stands for one template with one form for each of its arguments, which is compiled once
and called with many values.  Everything runs in forked children: a call that takes its process
down, or hangs, is a finding, and the rest goes on in another one.
"""

from __future__ import annotations

import argparse
import cmath
import copy
import math
import mmap
import operator
import os
import pickle
import re
import resource
import secrets
import signal
import struct
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import cutaway
from cutaway.errors import CompileError
from fuzz.batches import time_of
from fuzz.call_templates import TEMPLATES
from fuzz.call_values import KINDS, Form, laid_out, value
from fuzz.comparing_calls import Outcome, allowed, difference, outcome

CALLS = 40  # with each compiled function
BATCH = 25  # seeds to a child
SECONDS = 20  # of the processor's time for one call; then it hangs
WAITING = 120  # seconds that it may take however busy the machine is
MEMORY = 2 << 30
ARRAYS = "ABCGLMTSVIJWU"  # a letter that is there twice is one argument
NUMBERS = 0.1  # of the calls have a number in the place of an array
_LETTER = re.compile(r"(?<![\w.'])([A-Z])(?![\w'])")


# --- what is called ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """A template with one form for each of its arguments."""

    template: str
    source: str
    forms: tuple[Form, ...]

    @property
    def close(self) -> bool:
        """Whether floats may differ in their last bits."""
        return self.template.startswith("~")

    def function(self) -> Callable[..., Any]:
        """The Python function."""
        space: dict[str, Any] = {"np": np, "math": math, "cmath": cmath, "operator": operator}
        exec(compile(self.source, "<call>", "exec"), space)  # noqa: S102
        found: Callable[..., Any] = space["f"]
        return found

    def arguments(self, seed: int, number: int) -> list[Any]:
        """The arguments of one call; arrays mostly have shapes that fit each other."""
        random = np.random.default_rng((seed, number + 1))
        whole = tuple(int(random.choice((0, 1, 2, 3, 3, 4))) for _ in range(3))
        alike = random.random() < 0.6
        return [
            value(random, form, whole[3 - form.ndim :] if alike else None) for form in self.forms
        ]


def call_of(seed: int) -> Call:
    """The call that a seed stands for."""
    random = np.random.default_rng((seed, 0))
    template = TEMPLATES[int(random.integers(len(TEMPLATES)))]
    names: dict[str, str] = {}
    forms: list[Form] = []
    arrays = sorted(set(_LETTER.findall(template)) & set(ARRAYS) - set("U"))
    number = random.choice(arrays) if arrays and random.random() < NUMBERS else ""

    def parameter(match: re.Match[str]) -> str:
        letter = match[1]
        if letter in ARRAYS and letter in names:
            return names[letter]
        plain = "np." not in template and not set(ARRAYS) & set(_LETTER.findall(template))
        form = KINDS["X" if letter == number else letter](random)
        while plain and form.what == "element":
            form = KINDS[letter](random)
        forms.append(form)
        names[letter] = f"p{len(forms)}"
        return names[letter]

    body = _LETTER.sub(parameter, template.lstrip("~="))
    if "return" not in body:
        body = f"return {body}"
    given = ", ".join(f"p{k + 1}" for k in range(len(forms)))
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return Call(template, f"def f({given}):\n{lines}", tuple(forms))


# --- one seed ---------------------------------------------------------------------------------


@dataclass
class Result:
    """What the calls of one seed came to: how many there were, and were left out since NumPy does
    not survive them, why they were refused, how many differences the ledger allows, and findings
    (kind, number of the call, words)."""

    seed: int
    template: str
    calls: int = 0
    left_out: int = 0
    refused: str = ""
    allowed: int = 0
    findings: list[tuple[str, int, str]] = field(default_factory=list)


def copied(args: list[Any]) -> list[Any]:
    """The arguments in other memory, laid out as they are."""
    return [_copy(one) if isinstance(one, np.ndarray) else copy.deepcopy(one) for one in args]


def _copy(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if a.flags.c_contiguous or a.flags.f_contiguous:
        b = a.copy(order="K")
        b.flags.writeable = a.flags.writeable
        return b
    return laid_out(np.ascontiguousarray(a), "reversed" if a.strides[0] < 0 else "strided")


def check(
    seed: int,
    numbers: range = range(CALLS),
    report: Callable[[int, str], object] = lambda number, phase: None,
) -> Result:
    """Make some of the calls of a seed; `report` is told of each before it is made, and whether
    Python makes it or compiled code."""
    call = call_of(seed)
    result, function = Result(seed, call.template), call.function()
    compiled = cutaway.jit(function)
    for number in numbers:
        args = call.arguments(seed, number)
        if ends_numpy(call.template, args):
            result.left_out += 1
            continue
        report(number, "python")
        expected = outcome(function, copied(args))
        report(number, "compiled")
        found = outcome(compiled, copied(args))
        result.calls += 1
        if isinstance(found.error, CompileError):
            result.refused = str(found.error).partition("\n")[0]
            break
        kind = difference(expected, found, call.template)
        if kind and allowed(call.template, args, expected, found, kind):
            result.allowed += 1
        elif kind:
            result.findings.append((kind, number, told(call, args, expected, found)))
    return result


def ends_numpy(template: str, args: list[Any]) -> bool:
    """Whether NumPy itself writes or reads memory that is not its own, or does not return."""
    numbers = [one for one in args if isinstance(one, int)]
    if "bincount" in template:
        return any(np.size(one) and np.abs(one).max() >= 1 << 60 for one in args[:1])
    if "diag" in template or "trace" in template:
        return -(1 << 31) in numbers
    if "tril_indices(" in template or "triu_indices(" in template:
        return max(numbers, default=0) > 1 << 12
    # Their loops read an element that is not there.
    if "einsum('ii" in template or ".irfft" in template or ".hfft" in template:
        return any(0 in one.shape for one in args if isinstance(one, np.ndarray))
    return "diff" in template and max(numbers, default=0) > 1 << 20


def told(call: Call, args: list[Any], expected: Outcome, found: Outcome) -> str:
    """A finding in words."""
    given = ", ".join(shown(one) for one in args)
    return f"{call.source}    f({given})\n    Python:   {expected}\n    compiled: {found}"


def shown(one: Any) -> str:
    """An argument as a program would write it."""
    if not isinstance(one, np.ndarray):
        return repr(one)
    layout = "" if one.flags.c_contiguous else " F" if one.flags.f_contiguous else " strided"
    if not one.flags.writeable:
        layout += " read-only"
    size = f" {one.shape}" if not one.size else ""
    return f"array({one.tolist()}, {one.dtype.str[1:]}{layout}{size})"


# --- many seeds -------------------------------------------------------------------------------


def run(seeds: list[int], workers: int = 2) -> Iterator[Result]:
    """What the calls of all seeds come to, in children."""
    waiting = [seeds[k : k + BATCH] for k in range(0, len(seeds), BATCH)][::-1]
    running: list[_Child] = []
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                running.append(_Child(waiting.pop()))
            time.sleep(0.02)
            for child in list(running):
                yield from child.results()
                if child.ended():
                    running.remove(child)
                    yield from child.results()
                    left, lost = child.left()
                    yield from lost
                    if left:
                        waiting.append(left)
    finally:
        for child in running:
            os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)


class _Child:
    """A process that checks some seeds.  Shared memory tells which call it has begun."""

    def __init__(self, seeds: list[int], first: int = 0) -> None:
        self.seeds, self.done = seeds, 0
        self.memory, self.data = mmap.mmap(-1, 32), b""
        self.heard, self.used, self.place = time.monotonic(), 0.0, (-1, -1, 0)
        self.pipe, write = os.pipe()
        os.set_blocking(self.pipe, False)
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            _serve(seeds, write, self.memory)
        os.close(write)

    def results(self) -> Iterator[Result]:
        """What has been said since last time."""
        try:
            while more := os.read(self.pipe, 1 << 16):
                self.data += more
        except BlockingIOError:
            pass
        while len(self.data) >= 4:
            (size,) = struct.unpack_from("<I", self.data)
            if len(self.data) < 4 + size:
                return
            yield pickle.loads(self.data[4 : 4 + size])  # noqa: S301
            self.data, self.done = self.data[4 + size :], self.done + 1

    def ended(self) -> bool:
        """Whether the process is gone; one that hangs is ended."""
        place = struct.unpack_from("<qqq", self.memory)
        if place != self.place:
            self.place, self.heard, self.used = place, time.monotonic(), time_of(self.pid)
        elif time.monotonic() - self.heard > WAITING or time_of(self.pid) - self.used > SECONDS:
            os.kill(self.pid, signal.SIGKILL)
        pid, self.status = os.waitpid(self.pid, os.WNOHANG)
        return pid != 0

    def left(self) -> tuple[list[int], list[Result]]:
        """The seeds that were not checked, and what is to be said of the one that ended it."""
        os.close(self.pipe)
        if self.done == len(self.seeds):
            return [], []
        seed, number, in_compiled = struct.unpack_from("<qqq", self.memory)
        code = os.waitstatus_to_exitcode(self.status)
        how = "hung" if code == -signal.SIGKILL else f"ended its process with {code}"
        call = call_of(seed)
        lost = Result(seed, call.template, calls=number)
        if in_compiled:
            given = ", ".join(map(shown, call.arguments(seed, number)))
            lost.findings.append((how, number, f"{call.source}    f({given})\n    {how}"))
        return self.seeds[self.done + 1 :], [lost]


def _serve(seeds: list[int], pipe: int, memory: mmap.mmap) -> None:
    # In a child, which never returns.
    try:
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        for seed in seeds:
            memory[:24] = struct.pack("<qqq", seed, 0, 1)

            def report(number: int, phase: str, seed: int = seed) -> None:
                memory[:24] = struct.pack("<qqq", seed, number, phase == "compiled")

            data = pickle.dumps(check(seed, report=report))
            view = memoryview(struct.pack("<I", len(data)) + data)
            while view:
                view = view[os.write(pipe, view) :]
        os._exit(0)
    except BaseException as error:  # noqa: BLE001  a fault of the fuzzer's own
        os.write(2, f"fuzz: {error!r}\n".encode())
        os._exit(3)


# --- smaller ----------------------------------------------------------------------------------


def smaller(seed: int, number: int) -> str:
    """A finding again, with arguments that have been made smaller as long as it stays."""
    call = call_of(seed)
    function = call.function()
    compiled = cutaway.jit(function)

    def kind(args: list[Any]) -> str:
        expected, found = outcome(function, copied(args)), outcome(compiled, copied(args))
        different = difference(expected, found, call.template)
        if different and allowed(call.template, args, expected, found, different):
            return ""
        return different

    args = call.arguments(seed, number)
    wanted = kind(args)
    if not wanted:
        return "no difference"
    going = True
    while going:
        going = False
        for candidate in _candidates(args):
            if kind(candidate) == wanted:
                args, going = candidate, True
                break
    expected, found = outcome(function, copied(args)), outcome(compiled, copied(args))
    return f"{wanted}\n{told(call, args, expected, found)}"


def _candidates(args: list[Any]) -> Iterator[list[Any]]:
    for k, one in enumerate(args):
        if not isinstance(one, np.ndarray):
            continue
        for axis in range(one.ndim):
            for part in (slice(0, -1), slice(1, None)):
                if one.shape[axis]:
                    cut = one[(slice(None),) * axis + (part,)]
                    yield [*args[:k], _copy(cut), *args[k + 1 :]]
        for place in np.ndindex(one.shape):
            for simple in (0, 1):
                if one.dtype.kind in "Mm" or one[place] in (0, simple):
                    continue
                new = _copy(one)
                new.flags.writeable = True
                new[place] = simple
                new.flags.writeable = one.flags.writeable
                yield [*args[:k], new, *args[k + 1 :]]


# --- from a shell -----------------------------------------------------------------------------


def main() -> int:
    """Run; the status says whether anything was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.library_calls", description=__doc__)
    parser.add_argument("calls", type=int)
    parser.add_argument("--seed", type=int, help="the first seed; otherwise any")
    parser.add_argument("--call", type=int, help="this one call of the seed, made smaller")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="every finding, not one of its kind")
    parser.add_argument("--only", default="", help="templates that have this in them")
    given = parser.parse_args()
    first = secrets.randbelow(10**9) if given.seed is None else given.seed
    if given.call is not None:
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        print(smaller(first, given.call))
        return 0
    return _report(first, given.calls, given.workers, given.all, given.only)


def _report(first: int, calls: int, workers: int, every: bool, only: str) -> int:
    print(f"seeds from {first}", flush=True)
    began, made, refused = time.monotonic(), 0, Counter[str]()
    permitted, kinds = 0, Counter[tuple[str, str]]()
    while made < calls:
        seeds, count = [], workers * BATCH * 4
        while len(seeds) < count:
            if only in call_of(first).template:
                seeds.append(first)
            first += 1
        for result in run(seeds, workers):
            made += result.calls
            permitted += result.allowed
            if result.refused:
                refused[result.template] += 1
            for kind, number, words in result.findings:
                kinds[result.template, kind] += 1
                if every or kinds[result.template, kind] == 1:
                    again = f"python -m fuzz.library_calls 1 --seed {result.seed} --call {number}"
                    print(f"\n--- {kind}: {again}\n{words}", flush=True)
    spent = time.monotonic() - began
    print(f"\n{made} calls in {spent:.0f} s ({made / spent:.0f} a second), {permitted} permitted")
    print(f"refused: {sum(refused.values())} seeds")
    print("   ", ", ".join(f"{name!r} {count}" for name, count in refused.most_common(20)))
    for (template, kind), count in kinds.most_common():
        print(f"{count:5}  {kind}: {template!r}")
    return 1 if kinds else 0


if __name__ == "__main__":
    raise SystemExit(main())
