"""Processes of tests that are forked from a warm one, which has imported NumPy and the compiler:
what a new Python needs 0.3 s of the processor for is there after milliseconds.

    warm.run([sys.executable, "-c", program], capture_output=True, text=True)
    warm.popen([sys.executable, str(path)], stdout=subprocess.PIPE)

are `subprocess.run` and `subprocess.Popen`, with their arguments.  A process that might see the
difference is a new Python as before: one with options (`-X`, `-W`), of another interpreter, with
another environment than settings of Cutaway and places (`_MAY_DIFFER`), or with a place in
`PYTHONPATH` that changes how Python starts.  Tests of what is imported, of how Python starts, and
of how much memory a process has use `subprocess` itself.

There are two warm processes, and they take turns: addresses and the hashes of texts differ between
a process and the next one, so that an address in cached code is found out as before.
`CUTAWAY_TEST_WARM=0` in the environment starts a new Python each time.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import pickle
import re
import select
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import warm_server

_IS_THERE = hasattr(os, "pidfd_open") and hasattr(socket, "send_fds")
IS_USED = _IS_THERE and os.environ.get("CUTAWAY_TEST_WARM") != "0"
_FOLDER, _PYTHON = Path(__file__).parent, sys.executable


def run(
    args: Any,
    *,
    input: Any = None,
    capture_output: bool = False,
    timeout: float | None = None,
    check: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end, as `subprocess.run` does."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with popen(args, **options) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    done = subprocess.CompletedProcess(args, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


def popen(args: Any, *, compiler: bool = True, **options: Any) -> subprocess.Popen[Any]:
    """Start a program, as `subprocess.Popen` does.  Without `compiler`, it and LLVM are not loaded
    yet: for programs that find their code in a cache, and for tests that look whether they do."""
    if not is_forked(args, **options):
        return subprocess.Popen(args, **options)
    return _Forked(args, server=_next(compiler), **options)


def spent() -> float:
    """The CPU seconds of the warm processes and of those that were forked from them and have
    ended, which are no children of this process."""
    return _SPENT[0]


_SPENT = [0.0]


# --- which processes can be forked ----------------------------------------------------------------

_OPTIONS = frozenset("stdin stdout stderr text encoding errors cwd env".split())
_MAY_DIFFER = re.compile(
    "(CUTAWAY|NUMBA|XDG|PYTEST)_.*|PYTHONPATH|HOME|PATH|PWD|TMPDIR|COLUMNS|LINES|TERM|NO_COLOR"
)
_COUNTS = re.compile("PYTHON|LD_|LC_|LANG|TZ|MALLOC|GLIBC|.*(BLAS|OMP|MKL|NPY|NUMPY|SAN)")  # or not
_AT_THE_START = ("CUTAWAY_AS_NUMBA",)  # what is read when Python starts
_IMPORTED_THEN = ("sitecustomize.py", "usercustomize.py", "numpy", "cutaway", "llvmlite")


def is_forked(args: Any, **options: Any) -> bool:
    """True if a forked process does what a new one does."""
    if not IS_USED or isinstance(args, str | bytes | os.PathLike) or options.keys() - _OPTIONS:
        return False
    words, cwd = [os.fsdecode(word) for word in args], options.get("cwd") or "."
    return words[0] == _PYTHON and _is_plain(words[1:], cwd) and _is_usual(options)


def _is_plain(words: list[str], cwd: Any) -> bool:
    """True if words begin with a text, a module or a file, after no options."""
    words = words[1:] if words[:1] == ["-P"] else words  # what it leaves out is left out here too
    if len(words) > 1 and words[0] in ("-c", "-m"):
        return os.path.isdir(cwd)
    return bool(words) and words[0][:1] != "-" and os.path.isfile(os.path.join(cwd, words[0]))


def _is_usual(options: Mapping[str, Any]) -> bool:
    """True if the environment has nothing that counts when Python starts, or when NumPy and the
    compiler are imported, but what that of the warm processes has."""
    given = options.get("env")
    wanted = os.environ if given is None else given
    usual = _environment()
    new = {name for name in wanted if wanted[name] != usual.get(name)}
    if not all(_MAY_DIFFER.fullmatch(name) for name in new) or not new.isdisjoint(_AT_THE_START):
        return False
    if any(_COUNTS.match(name) for name in usual.keys() - wanted.keys()):
        return False
    places = wanted.get("PYTHONPATH", "").split(os.pathsep)
    return not any(_changes_the_start(place) for place in places if place not in sys.path)


def _changes_the_start(place: str) -> bool:
    return any(os.path.exists(os.path.join(place, name)) for name in _IMPORTED_THEN)


# --- the warm processes ---------------------------------------------------------------------------


class _Server:
    """A warm process, and the socket through which it gets files."""

    def __init__(self, compiler: bool) -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = (
            f"import sys; sys.path.insert(1, {str(_FOLDER)!r}); import warm_server;"
            f" warm_server.serve({theirs.fileno()}, {compiler})"
        )
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", program],
                env=_environment(),
                cwd=_FOLDER,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def end(self) -> None:
        """Let the process see that nobody asks any more, and wait for its end."""
        self.channel.close()
        self.process.wait()


_PAIRS: dict[tuple[int, bool], Iterator[_Server]] = {}  # by the process that asks, maybe a fork


def _next(compiler: bool) -> _Server:
    """The warm process whose turn it is."""
    key = os.getpid(), compiler
    if key not in _PAIRS:
        pair = _Server(compiler), _Server(compiler)
        _PAIRS[key] = itertools.cycle(pair)
        atexit.register(_end, key[0], pair)
    return next(_PAIRS[key])


def _end(owner: int, pair: Iterable[_Server]) -> None:
    if owner == os.getpid():
        for server in pair:
            server.end()


@functools.cache
def _environment() -> dict[str, str]:
    """What all warm processes start with."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}


class _Forked(subprocess.Popen):
    """A process that a warm one forks: all but its start and its end is as with `Popen`."""

    def __init__(self, args: Any, *, server: _Server, **options: Any) -> None:
        self._server = server
        super().__init__(args, **options)

    def _execute_child(self, args: Any, *more: Any) -> None:
        cwd, env, handles = more[4], more[5], more[9:15]
        theirs_of_three = enumerate((handles[0], handles[3], handles[5]))
        files = [usual if file == -1 else file for usual, file in theirs_of_three]
        request = {
            "args": [os.fsdecode(word) for word in args],
            "cwd": os.path.abspath(os.fsdecode(cwd or ".")),
            "env": dict(os.environ if env is None else env),
        }
        self._socket, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._server.channel, [b"?"], [theirs.fileno(), *files])
        warm_server.send(self._socket, pickle.dumps(request))
        self.pid = pickle.loads(warm_server.receive(self._socket))
        self._child_created = True
        self._close_pipe_fds(*handles)

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid == self.pid:
                self._handle_exitstatus(status)
        return self.returncode

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._socket], [], [], 0)[0]:
            return 0, 0
        with self._socket:
            status, seconds = pickle.loads(warm_server.receive(self._socket))
        _SPENT[0] += seconds
        return self.pid, status
