"""`@jit(cache=True)`: later processes run what was compiled before, and never what is stale."""

from __future__ import annotations

import os
import stat
import textwrap

import pytest

from caching.processes import run, start, write

pytestmark = pytest.mark.sampled(test=3, others=9, fast=0)

PROGRAM = """
K = 3
@jit
def scaled(x):
    return x * K
@jit(cache=True)
def total(a, start=0.5):
    s = start
    for x in a:
        s += scaled(x)
    if s > 1000:
        raise ValueError("too large", s)
    return s
result = total(np.ones(4))
tell(total, result=result)
"""


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def test_a_second_process_finds_the_code_and_loads_neither_compiler_nor_llvm(tmp_path, home):
    program = write(tmp_path, PROGRAM)
    first, second = run(program, home), run(program, home)
    assert first["misses"] == [1] and first["hits"] == [0] and first["compiler"]
    assert second["hits"] == [1] and second["misses"] == [0]
    assert not second["llvm"] and not second["compiler"]
    assert first["result"] == second["result"] == 12.5
    assert os.path.dirname(second["files"][0][0]) == str(tmp_path / "__pycache__")


EDITS = {
    "the function": ("s = start", "s = start + 1", 13.5),
    "a function that it calls": ("return x * K", "return x * K + 1", 16.5),
    "a global of that": ("K = 3", "K = 4", 16.5),
    "a default": ("start=0.5", "start=1.5", 13.5),
    "the type of a global": ("K = 3", "K = 3.0", 12.5),
    "an option": ("jit(cache=True)", "jit(cache=True, error_model='numpy')", 12.5),
    "the lines": ("K = 3", "K = 3\n", 12.5),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_makes_code_of_its_own(edit, tmp_path, home):
    run(write(tmp_path, PROGRAM), home)
    before, after, result = EDITS[edit]
    found = run(write(tmp_path, PROGRAM.replace(before, after)), home)
    assert (found["hits"], found["misses"], found["result"]) == ([0], [1], result)
    assert run(write(tmp_path, PROGRAM), home)["hits"] == [1]  # and the old code is there still


def test_what_does_not_concern_a_function_leaves_its_code_alone(tmp_path, home):
    run(write(tmp_path, PROGRAM), home)
    assert run(write(tmp_path, PROGRAM + "\nOTHER = 5\n"), home)["hits"] == [1]


def test_attributes_of_modules_closures_and_inner_functions_count(tmp_path, home):
    text = """
    import settings
    def make(n):
        @jit(cache=True)
        def f(x):
            def inner(y):
                return y + n + settings.K
            return inner(x)
        return f
    one, two = make(1), make(2)
    tell(one, two, result=[one(1), two(1)])
    """
    program = write(tmp_path, textwrap.dedent(text))
    (tmp_path / "settings.py").write_text("K = 10\n")
    assert run(program, home)["result"] == [12, 13]
    again = run(program, home)
    assert again["hits"] == [1, 1] and again["result"] == [12, 13]
    (tmp_path / "settings.py").write_text("K = 200\n")
    changed = run(program, home)
    assert changed["misses"] == [1, 1] and changed["result"] == [202, 203]


def test_every_kind_of_argument_and_result_comes_back(tmp_path, home):
    text = """
    import collections, enum
    Point = collections.namedtuple("Point", "x y")
    class Color(enum.Enum):
        red = 1
        blue = 2
    @jit(cache=True)
    def same(a):
        return a
    record = np.array([(1, 2.0)], [("n", "i8"), ("x", "f8")])
    values = [1, 1.5, 2j, True, None, "text", (1, (2.0, "x")), np.float32(2), np.arange(3),
              np.ones((2, 2)).T, np.ones(4)[::2], Point(1, 2.0), Color.blue, record,
              np.datetime64("2020-01-01"), b"bytes", range(3), slice(1, 2), len, np.sin]
    bad = []
    for value in values:
        found = same(value)
        if repr(found) != repr(value) and found != value:
            bad.append(str(value))
    tell(same, bad=bad, count=len(values), signatures=len(same.signatures))
    """
    program = write(tmp_path, textwrap.dedent(text))
    first, second = run(program, home), run(program, home)
    assert first["bad"] == second["bad"] == []
    assert first["reasons"] == [[]]
    assert second["hits"] == [first["count"]] and not second["llvm"]
    assert second["signatures"] == first["count"]


def test_calls_by_keyword_with_defaults_and_star_find_the_same_code(tmp_path, home):
    text = """
    @jit(cache=True)
    def f(a, b=2, *rest, c=3):
        return a + b + c + len(rest)
    results = [f(1), f(1, 5), f(1, b=5), f(b=1, a=2), f(1, 2, 3, 4, c=5)]
    tell(f, result=results)
    """
    program = write(tmp_path, textwrap.dedent(text))
    first, second = run(program, home), run(program, home)
    assert first["result"] == second["result"] == [6, 9, 9, 6, 10]
    assert second["misses"] == [0] and not second["compiler"]


def test_explicit_signatures_come_from_the_cache_without_llvm(tmp_path, home):
    text = """
    @jit("float64(float64)", cache=True)
    def half(x):
        return x / 2
    tell(half, result=half(3))
    """
    program = write(tmp_path, textwrap.dedent(text))
    first, second = run(program, home), run(program, home)
    assert first["result"] == second["result"] == 1.5
    assert second["hits"] == [1] and second["misses"] == [0]


def test_an_exception_of_cached_code_has_the_right_lines_and_values(tmp_path, home):
    text = (
        PROGRAM.replace("tell(", "").replace("total, result=result)", "")
        + """
import traceback
try:
    total(np.full(4, 1000.0))
except ValueError as error:
    frames = [(f.name, f.line) for f in traceback.extract_tb(error.__traceback__)]
    tell(total, args=list(error.args), frames=frames)
"""
    )
    program = write(tmp_path, text)
    first, second = run(program, home), run(program, home)
    assert second["hits"] == [1] and not second["compiler"]
    for found in (first, second):
        assert found["args"] == ["too large", 12000.5]
        assert found["frames"][-1] == ["total", 'raise ValueError("too large", s)']


def test_cached_code_can_be_inspected(tmp_path, home):
    text = (
        PROGRAM
        + """
import pickle
signature = total.signatures[0]
tell(
    total,
    llvm_text=total.inspect_llvm(signature)[:15],
    asm=len(total.inspect_asm(signature)) > 100,
    types=[str(ty) for ty in signature],
    records=len(total.specializations),
    stats=[total.stats.compilations, len(total.stats.cache_hits), total.stats.cache_path],
    explained=str(total.explain_dispatch(np.ones(3)))[:5],
    traced=total.trace(np.ones(3)).at("ssa").text[:3],
    again=pickle.loads(pickle.dumps(total))(np.ones(4)),
    more=total(np.ones(3, np.float32)),
)
total.forget()
tell(total, result=total(np.ones(4)), overloads=len(total.signatures))
"""
    )
    program = write(tmp_path, text)
    run(program, home)
    process = start(program, home)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert '"llvm_text": "source_filename"' in out and '"asm": true' in out
    assert '"stats": [0, 1, "' in out
    last = out.splitlines()[-1]
    assert '"result": 12.5' in last and '"overloads": 1' in last


def test_more_signatures_than_are_tried_first_all_come_from_the_cache(tmp_path, home):
    text = """
    @jit(cache=True)
    def f(x):
        return x
    values = [1, 1.5, 2j, True, None, "s", np.float32(1), np.int8(1), np.arange(3), (1, 2)]
    for _ in range(3):
        for value in values:
            f(value)
    tell(f, calls=f.stats.calls)
    """
    program = write(tmp_path, textwrap.dedent(text))
    run(program, home)
    second = run(program, home)
    assert second["misses"] == [0] and second["calls"] == 30


def test_what_cannot_be_cached_is_compiled_and_says_why(tmp_path, home):
    text = """
    class Odd:
        def __call__(self):
            return 1
    odd = Odd()
    @jit
    def one():
        return 1
    @jit(cache=True)
    def names_odd(x):
        if x > 5:
            odd
        return x
    @jit(cache=True)
    def calls(f):
        return f()
    tell(names_odd, calls, result=[calls(one)])
    """
    found = run(write(tmp_path, textwrap.dedent(text)), home)
    assert found["result"] == [1]
    assert "compiled(one)" in found["reasons"][1][0]


def test_a_function_without_a_file_is_cached_for_the_user_by_its_content(tmp_path, home):
    text = """
    source = "from cutaway import jit\\n@jit(cache=True)\\ndef f(x):\\n    return x / 0\\n"
    for name in ("<cell 1>", "/tmp/cells_%d.py" % __import__("os").getpid()):
        space = {"__name__": "cells"}
        exec(compile(source, name, "exec"), space)
        try:
            space["f"](1)
        except ZeroDivisionError as error:
            where = error.__traceback__.tb_next.tb_frame.f_code.co_filename
    tell(space["f"], same=where == name)
    """
    program = write(tmp_path, textwrap.dedent(text))
    first, second = run(program, home), run(program, home)
    assert first["same"] and second["same"] and second["hits"] == [1]
    assert str(home) in second["files"][0][0]


def test_the_folder_can_be_chosen(tmp_path, home):
    program = write(tmp_path, PROGRAM)
    for name in ("CUTAWAY_CACHE_DIR", "NUMBA_CACHE_DIR"):
        found = run(program, home, **{name: str(tmp_path / name)})
        assert found["misses"] == [1] and str(tmp_path / name) in found["files"][0][0]
    assert not (tmp_path / "__pycache__").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no such rights")
def test_folders_that_cannot_be_written_to_are_warned_of_once(tmp_path, home):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, no folder")
    text = PROGRAM + "total(np.ones(3, np.float32))\ntell(total, result=total(np.ones(4)))"
    found = run(write(tmp_path, text), home, CUTAWAY_CACHE_DIR=str(blocked))
    assert found["result"] == 12.5
    assert found["warned"].count("nothing is cached there") == 1
    assert "program.py" in found["warned"]  # the line of the user's program


def test_without_a_place_beside_the_source_the_users_folder_is_taken(tmp_path, home):
    (tmp_path / "__pycache__").write_text("a file, no folder")
    program = write(tmp_path, PROGRAM)
    assert str(home) in run(program, home)["files"][0][0]
    assert run(program, home)["hits"] == [1]


DAMAGES = {
    "cut": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "a bit": lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
    "another magic": lambda data: b"x" + data[1:],
    "foreign": lambda data: b"something else entirely" * 100,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_ignored_with_a_warning_and_written_anew(damage, tmp_path, home):
    program = write(tmp_path, PROGRAM)
    (path,) = run(program, home)["files"][0]
    with open(path, "rb") as file:
        good = file.read()
    with open(path, "wb") as file:
        file.write(DAMAGES[damage](good))
    found = run(program, home)
    assert found["result"] == 12.5 and found["misses"] == [1]
    assert "CacheWarning" in found["warned"] and "damaged" in found["warned"]
    assert run(program, home)["hits"] == [1]


def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path, home):
    program = write(tmp_path, PROGRAM)
    processes = [start(program, home) for _ in range(5)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and '"result": 12.5' in out, err
        assert "Warning" not in err
    assert run(program, home)["hits"] == [1]
    names = os.listdir(tmp_path / "__pycache__")
    assert len(names) == 1
    assert stat.S_IMODE(os.stat(tmp_path / "__pycache__" / names[0]).st_mode) == 0o600


def test_threads_and_forked_processes_share_what_is_loaded(tmp_path, home):
    text = (
        PROGRAM
        + """
import os, threading
total.forget()
results = []
threads = [threading.Thread(target=lambda: results.append(total(np.ones(4)))) for _ in range(8)]
for thread in threads: thread.start()
child = os.fork()
if not child:
    os._exit(0 if total(np.ones(4)) == 12.5 and total(np.ones(2, np.float32)) == 6.5 else 1)
for thread in threads: thread.join()
tell(total, result=results, child=os.waitpid(child, 0)[1])
"""
    )
    program = write(tmp_path, text)
    run(program, home)
    found = run(program, home)
    assert found["result"] == [12.5] * 8 and found["child"] == 0


def test_nogil_holds_for_cached_code(tmp_path, home):
    text = """
    import threading, time
    @jit(cache=True, nogil=True)
    def spin(n):
        s = 0.0
        for i in range(n):
            s += 1.0 / (s + i + 1)
        return s
    spin(1)
    ticks, stop = [], threading.Event()
    thread = threading.Thread(target=lambda: (spin(50_000_000), stop.set()))
    thread.start()
    while not stop.is_set():
        ticks.append(1)
        time.sleep(0.001)
    tell(spin, ticks=len(ticks))
    """
    program = write(tmp_path, textwrap.dedent(text))
    run(program, home)
    found = run(program, home)
    assert found["hits"] == [1] and found["ticks"] > 5
