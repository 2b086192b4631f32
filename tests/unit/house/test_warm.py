"""A process that is forked from a warm one does what a new Python does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import warm

pytestmark = pytest.mark.skipif(not warm.IS_USED, reason="all processes are new Pythons")

NAMES = """
import sys
print(sys.argv, sys.orig_argv, sys.path, __name__, sorted(globals()), globals().get("__file__"))
print(sys.stdin, sys.stdout, sys.stderr, sys.stdout.line_buffering, sys.stderr.line_buffering)
print(sys.stdin.read())
sys.stderr.write("words")
"""
ENDS = """
import atexit, os, pickle, threading
class Mine: pass
atexit.register(print, "at exit")
thread = threading.Thread(target=print, args=("a thread",))
thread.start()
thread.join()
print(pickle.dumps(Mine()), type(pickle.loads(pickle.dumps(Mine()))))
print(sorted(os.listdir("/proc/self/fd")), os.getcwd(), os.umask(0))
for name in sorted(os.environ.keys() - {"LINES", "COLUMNS"}): print(name)  # as readline sets
"""
FUTURE = "def f(x: nothing_of_that_name): pass\n"  # is an error where annotations are values
COMPILED = """
import cutaway, numpy as np
@cutaway.jit(parallel=True)
def f(a): return (a * 2).sum()
print(f(np.ones(100_000)))
"""
PROGRAMS = {
    "names": NAMES,
    "ends": ENDS,
    "future": FUTURE,
    "compiled": COMPILED,
    "status": "import sys; sys.exit(3)",
    "words": "raise SystemExit('words')",
    "error": "def f(x):\n    return 1 / x\nf(0)",
    "error in a hook": "import sys; sys.excepthook = lambda *error: print(error[0]); 1 / 0",
    "syntax": "def f(:",
    "interrupt": "raise KeyboardInterrupt",
    "signal": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "fault": "import ctypes; ctypes.string_at(0)",
}


def outcome(run: Any, *words: str, **options: Any) -> tuple[int, list[str], list[str]]:
    options = {"capture_output": True, "text": True, "input": "given", "timeout": 100, **options}
    done = run([sys.executable, *words], **options)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_and_says_the_same(name, tmp_path, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(PROGRAMS[name])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), "/tmp"]))
    for words in (["-c", PROGRAMS[name]], [str(program)], ["-m", "program"]):
        options = {"cwd": tmp_path}
        assert warm.is_forked([sys.executable, *words], **options)
        expected = outcome(subprocess.run, *words, "one", "-two", **options)
        assert outcome(warm.run, *words, "one", "-two", **options) == expected
    assert expected[0] == {"signal": -signal.SIGTERM, "fault": -signal.SIGSEGV}.get(
        name, expected[0]
    )


def test_the_environment_is_the_programs_alone(monkeypatch):
    monkeypatch.setenv("CUTAWAY_TEST_MINE", "1")
    program = "import ctypes, os; c = ctypes.CDLL(None); c.getenv.restype = ctypes.c_char_p;"
    program += "print(c.getenv(b'CUTAWAY_TEST_MINE'), os.environ.get('CUTAWAY_TEST_MINE'))"
    words = [sys.executable, "-c", program]
    assert warm.run(words, capture_output=True).stdout == b"b'1' 1\n"
    monkeypatch.delenv("CUTAWAY_TEST_MINE")
    assert warm.run(words, capture_output=True).stdout == b"None None\n"


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["-X", "dev", "-c", "pass"], {}),
        (["-W", "error", "-c", "pass"], {}),
        (["-c", "pass"], {"env": {**os.environ, "PYTHONHASHSEED": "1"}}),
        (["-c", "pass"], {"env": {**os.environ, "LD_PRELOAD": "another"}}),
        (["-c", "pass"], {"env": {**os.environ, "OMP_NUM_THREADS": "1"}}),
        (["-c", "pass"], {"env": {**os.environ, "CUTAWAY_AS_NUMBA": "all"}}),
        (["-c", "pass"], {"preexec_fn": os.setsid}),
        (["-c", "pass"], {"cwd": "/nowhere"}),
        (["/nowhere/program.py"], {}),
    ],
)
def test_a_process_that_may_see_the_difference_is_a_new_one(words, options):
    assert not warm.is_forked([sys.executable, *words], **options)


def test_nor_is_one_forked_that_finds_other_modules(tmp_path):
    words, options = [sys.executable, "-c", "pass"], {"env": {**os.environ}}
    options["env"]["PYTHONPATH"] = str(tmp_path)
    assert warm.is_forked(words, **options)
    assert not warm.is_forked(["/usr/bin/python3", "-c", "pass"], **options)
    Path(tmp_path, "sitecustomize.py").touch()
    assert not warm.is_forked(words, **options)


def test_without_the_compiler_neither_it_nor_llvm_is_there():
    program = "from cutaway.foundation.loading import has_run;"
    program += "print(has_run('cutaway.dispatch.resolution'), end=' ');"
    program += "print('llvmlite' in open('/proc/self/maps').read())"
    words = [sys.executable, "-c", program]
    assert warm.run(words, compiler=False, capture_output=True).stdout == b"False False\n"
    assert warm.run(words, capture_output=True).stdout.startswith(b"True ")


def test_one_process_and_the_next_have_other_addresses_and_hashes():
    program = "import numpy, random; print(id(numpy), hash('a text'), end=' ');"
    program += "print(numpy.random.random(), random.random())"
    words = [sys.executable, "-c", program]
    told = [warm.run(words, capture_output=True, text=True).stdout.split() for _ in range(3)]
    assert all(a != b for one, other in zip(told, told[1:]) for a, b in zip(one, other))  # noqa: B905, RUF007
    assert told[0][2:] != told[2][2:]


def test_a_process_that_takes_too_long_is_ended():
    words = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(100)"]
    with pytest.raises(subprocess.TimeoutExpired):
        warm.run(words, capture_output=True, timeout=0.5)
    process = warm.popen(words, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"1\n" and process.poll() is None
    process.terminate()
    assert process.wait(100) == -signal.SIGTERM
    process.stdout.close()


def test_a_process_that_nobody_waits_for_is_ended():
    words = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(100)"]
    process = warm.popen(words, stdout=subprocess.PIPE)
    process.stdout.readline()
    process._socket.close()
    assert process.stdout.read() == b""  # which ends with it
    process.stdout.close()
    process.returncode = 0


def test_several_at_once_are_told_apart():
    words = [sys.executable, "-c", "import sys; sys.exit(int(sys.stdin.read()))"]
    running = [warm.popen(words, stdin=subprocess.PIPE, text=True) for _ in range(6)]
    for number, process in enumerate(running):
        process.communicate(str(number))
    assert [process.returncode for process in running] == list(range(6))


def test_what_they_take_is_counted():
    before = warm.spent()
    warm.run([sys.executable, "-c", "sum(range(3_000_000))"])
    assert warm.spent() - before > 0.02
