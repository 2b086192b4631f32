"""A pickled function carries its machine code, which runs where it fits and nowhere else."""

from __future__ import annotations

import json
import os
import pickle
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest

import cutaway
import warm
from caching.processes import TELL, run, write
from cutaway.caching import carried, identity, machine
from cutaway.caching.dependencies import OF_PROCESS
from cutaway.caching.digests import digest
from cutaway.dispatch import pickling
from cutaway.foundation.dataclass import replace

pytestmark = pytest.mark.sampled(test=3, others=9)

cloudpickle = pytest.importorskip("cloudpickle")


class Point(NamedTuple):
    x: int
    y: float


def scaled(factor: Any) -> Any:  # Any: what is closed over; a compiled function
    @cutaway.jit
    def total(a, start=0.5):
        s = start
        for x in a:
            s += x * factor
        if s > 1000:
            raise ValueError("too large", s)
        return s

    return total


def called(factor: Any = 3) -> Any:  # Any: see `scaled`
    f = scaled(factor)
    assert f(np.ones(4)) == 0.5 + 4 * factor
    return f


def anew(data: bytes) -> Any:  # Any: a compiled function
    """What a process that does not know the function makes of a pickle of it."""
    with pickling._COPIES.lock:
        pickling._COPIES.recent.clear()
        known = dict(pickling._COPIES.known)
        pickling._COPIES.known.clear()
    try:
        return pickle.loads(data)
    finally:
        pickling._COPIES.known.clear()
        pickling._COPIES.known.update(known)


def records(f: Any) -> dict[str, Any]:  # Any: a compiled function; records
    return pickling.leaving(f.half)


def with_records(f: Any, given: dict[str, Any]) -> Any:  # Any: see `records`
    """A copy of the function that came with other records."""
    restore, (name, parcel, _) = f.__reduce__()
    return anew(pickle.dumps(Given(restore, (name, parcel, given))))


class Given:
    """What is pickled as a function and what it is called with."""

    def __init__(self, *reduced: Any) -> None:
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced


# --- into another process ----------------------------------------------------------------------

READ = TELL + "import pickle, numpy as np\nf = pickle.loads(sys.stdin.buffer.read())\n"


def told_by(script: str, data: bytes, **settings: str) -> dict[str, Any]:  # Any: JSON
    """What a script tells that reads a pickle."""
    path = os.pathsep.join(os.path.abspath(place) for place in sys.path if place)
    done = warm.run(
        [sys.executable, "-c", READ + textwrap.dedent(script)],
        compiler=False,
        input=data,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, **settings},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    return {**json.loads(done.stdout.splitlines()[-1]), "warned": done.stderr.decode()}


CALL = "result = f(np.ones(4)); info = f.cache_info()\n"
TOLD = CALL + "tell(f, result=result, carried=info.carried)\n"


def test_another_process_runs_the_code_and_loads_neither_compiler_nor_llvm():
    f = called()
    told = told_by(TOLD, cloudpickle.dumps(f))
    assert told["result"] == 12.5 and told["carried"] == 1
    assert not told["compiler"] and not told["llvm"] and told["warned"] == ""
    told = told_by(CALL + "tell(f, compilations=f.stats.compilations)", pickle.dumps(f))
    assert told["compilations"] == 0 and not told["llvm"]


def test_a_function_without_machine_code_is_as_it_was():
    told = told_by(TOLD, pickle.dumps(scaled(3)))
    assert (told["result"], told["carried"], told["compiler"]) == (12.5, 0, True)


def test_another_processor_gets_code_of_its_own_without_a_word():
    told = told_by(TOLD, pickle.dumps(called()), CUTAWAY_CPU="x86-64-v2")
    assert (told["result"], told["carried"], told["compiler"]) == (12.5, 0, True)
    assert told["warned"] == "" and told["reasons"] == [[]]


def test_types_that_did_not_come_are_compiled():
    script = CALL + "other = f(np.ones(4, np.float32)); s = f.stats\n"
    script += "tell(f, other=other, compilations=s.compilations, hits=len(s.cache_hits))"
    told = told_by(script, pickle.dumps(called()))
    assert (told["other"], told["compilations"]) == (12.5, 1)


def test_errors_have_their_tracebacks():
    script = """
    import traceback
    try: f(np.full(4, 1000.0))
    except ValueError as error: text = "".join(traceback.format_exception(error))
    tell(f, text=text)
    """
    text = told_by(script, pickle.dumps(called()))["text"]
    assert "('too large', 12000.5)" in text and ", in total\n" in text
    assert __file__ in text or "<dynamic-code>" in text  # as cloudpickle from 3.1.3 on calls it


def test_who_was_given_code_gives_it_on_without_the_compiler():
    script = "again = pickle.dumps(f).hex(); tell(again=again); "
    for use in ("", CALL):
        told = told_by(use + script, pickle.dumps(called(5)))
        assert not told["compiler"]
        g = anew(bytes.fromhex(told["again"]))
        assert g(np.ones(4)) == 20.5 and g.stats.compilations == 0


def test_closed_functions_and_signatures_need_no_llvm():
    @cutaway.jit(["float64(float64)", "int32(int64)"])
    def written(x):
        return x * 2

    closed = scaled(2)
    closed(np.ones(3))
    closed.disable_compile()
    script = """
    written, closed = f
    result = [written(1.5), written(4), closed(np.ones(3)), len(written.signatures)]
    compiled = [g.stats.compilations for g in f]
    tell(result=result, compiled=compiled, mode=closed._mode)
    """
    told = told_by(script, pickle.dumps((written, closed)))
    assert told["result"] == [3.0, 8, 6.5, 2] and told["compiled"] == [0, 0]
    assert told["mode"] == "closed" and not told["llvm"]


MODULE = """
import numpy as np
from cutaway import jit, vectorize
K = 3
@jit
def scaled(x):
    return x * K
@jit
def total(a):
    s = 0.0
    for x in a:
        s += scaled(x)
    return s
@vectorize
def plus(x, y):
    return x + y * K
"""


def test_functions_that_go_by_name_carry_code_too(tmp_path):
    (tmp_path / "kernels.py").write_text(MODULE)
    text = """
    import pickle, sys, kernels
    one, two = kernels.total(np.ones(4)), kernels.plus(np.ones(2), 2.0)[0]
    data = pickle.dumps([kernels.total, kernels.plus])
    open("data", "wb").write(data)
    tell(kernels.total, size=len(data))
    """
    told = run(write(tmp_path, textwrap.dedent(text)), tmp_path / "home")
    assert 1000 < told["size"] < 50_000
    reading = """
    import pickle, kernels
    f, g = pickle.load(open("data", "rb"))
    assert f is kernels.total and g is kernels.plus
    result = [f(np.ones(4)), float(g(np.ones(2), 2.0)[0])]
    carried = [f.cache_info().carried, g.cache_info().carried]
    tell(f, result=result, carried=carried)
    """
    program = write(tmp_path, textwrap.dedent(reading), "reading.py")
    told = run(program, tmp_path / "home")
    assert told["result"] == [12.0, 7.0] and told["carried"] == [1, 1] and not told["llvm"]
    # Another program under the same name compiles its own. Its text has another length: Python
    # tells a stale .pyc file by the size of the source and by its time in whole seconds.
    (tmp_path / "kernels.py").write_text(MODULE.replace("K = 3", "K = 2 + 3"))
    told = run(program, tmp_path / "home")
    assert told["result"] == [20.0, 11.0] and told["carried"] == [0, 0] and told["warned"] == ""


def test_code_from_the_disk_goes_along(tmp_path):
    text = """
    import pickle
    @jit(cache=True)
    def f(a):
        return a[0] + 1
    f(np.ones(2))
    tell(f, data=pickle.dumps(f).hex(), names=sorted(f.cache.carried))
    """
    program = write(tmp_path, textwrap.dedent(text), "__init__.py")
    assert run(program, tmp_path / "home")["misses"] == [1]
    told = run(program, tmp_path / "home")
    assert told["hits"] == [1] and told["names"] == ["(float64[1C])"] and not told["compiler"]


WORKERS = """
import multiprocessing, os, threading
@jit
def total(a):
    s = 0.0
    for x in a:
        s += np.sqrt(x)
    return s
def work(job):
    f, a = job
    results = []
    threads = [threading.Thread(target=lambda: results.append(f(a))) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return results, f.stats.compilations, f is total, os.getpid() == {parent}
if __name__ == "__main__":
    total(np.ones(3))
    with multiprocessing.get_context("{way}").Pool(2) as pool:
        told = pool.map(work, [(total, np.full(8, 4.0))] * 6, 1)
    tell(total, told=told)
"""


@pytest.mark.parametrize("way", ["spawn", "fork", "forkserver"])
def test_workers_compile_nothing(way, tmp_path):
    text = WORKERS.replace("{way}", way).replace("{parent}", "0")
    told = run(write(tmp_path, text), tmp_path / "home")["told"]
    compiled = 1 if way == "fork" else 0  # what the parent has compiled is there
    assert told == [[[16.0] * 3, compiled, True, False]] * 6


def test_processes_can_be_forked_while_pickles_are_read(tmp_path):
    text = """
    import os, pickle, threading
    def made(k):
        @jit
        def f(x):
            return x + k
        f(1)
        return f
    data = [pickle.dumps(made(k)) for k in range(3)]
    done = threading.Event()
    def reading():
        from cutaway.dispatch import pickling
        while not done.is_set():
            for one in data:
                pickling._COPIES.recent.clear()
                assert pickle.loads(one)(1) > 0
    threads = [threading.Thread(target=reading) for _ in range(2)]
    for thread in threads: thread.start()
    codes = []
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(0 if [pickle.loads(one)(1) for one in data] == [1, 2, 3] else 1)
        codes.append(os.waitpid(child, 0)[1])
    done.set()
    for thread in threads: thread.join()
    tell(codes=codes)
    """
    assert run(write(tmp_path, textwrap.dedent(text)), tmp_path / "home")["codes"] == [0] * 20


# --- what fits ---------------------------------------------------------------------------------


def test_a_later_pickle_brings_code_for_more_types_to_a_function_that_is_here():
    f = called(7)
    g = anew(pickle.dumps(f))
    f(np.ones(4, np.float32))
    carried.offer(g.half, records(f))
    assert g(np.ones(4)) == g(np.ones(4, np.float32)) == 28.5
    assert g.stats.compilations == 0 and len(g.signatures) == 2


def test_tuples_arrays_and_other_objects_come_back():
    @cutaway.jit
    def same(p, a):
        return p, a, None, "text"

    given = Point(1, 2.5), np.arange(3)
    assert same(*given)[0] == given[0]
    g = anew(pickle.dumps(same))
    found = g(*given)
    assert found[0] == given[0] and type(found[0]) is Point and found[1] is given[1]
    assert g.stats.compilations == 0


@contextmanager
def other_facts(**told: Any) -> Iterator[None]:  # Any: Fact's functions
    """As where the facts of one name are others."""
    before = identity.OF_PROCESS
    try:
        identity.OF_PROCESS = tuple(
            replace(fact, **told["told"]) if fact.name == told["name"] else fact for fact in before
        )
        identity.process_digest.cache_clear()
        identity.digest_anywhere.cache_clear()
        yield
    finally:
        identity.OF_PROCESS = before
        identity.process_digest.cache_clear()
        identity.digest_anywhere.cache_clear()


@pytest.mark.parametrize("name", [fact.name for fact in OF_PROCESS])
def test_another_kind_of_process_compiles(name):
    data = pickle.dumps(called())
    other = {"tell": lambda: "another", "anywhere": lambda: "another"}
    with other_facts(name=name, told=other):
        g = anew(data)
        assert g(np.ones(4)) == 12.5
        assert g.stats.compilations == 1 and not g.half.cache.carried


@pytest.mark.parametrize("name", [fact.name for fact in OF_PROCESS if fact.anywhere])
def test_another_place_of_the_same_runs_the_code(name):
    data = pickle.dumps(called())
    with other_facts(name=name, told={"tell": lambda: "elsewhere"}):
        g = anew(data)
        assert g(np.ones(4)) == 12.5 and g.stats.compilations == 0


def test_what_is_in_an_installed_package_says_which_it_is(tmp_path, monkeypatch):
    package, info = tmp_path / "cutaway", tmp_path / "cutaway-0.1.0.dist-info"
    package.mkdir()
    info.mkdir()
    monkeypatch.setattr(machine, "_PACKAGE", str(package))
    (package / "code.py").write_text("one")
    first = machine.compiler_content()
    assert first == [f"code.py {digest(b'one')}"]
    lines = ["cutaway/code.py,sha256=abc,3\n", "../../bin/cutaway,sha256=x,9\n"]
    (info / "RECORD").write_text("".join(lines))
    assert machine.compiler_content() == lines[:1] and machine.compiler() != first


def test_a_program_that_changed_since_it_was_compiled_is_compiled_anew():
    f = called(3)
    f.py_func.__closure__[0].cell_contents = 10
    g = anew(pickle.dumps(f))
    assert g(np.ones(4)) == 40.5 and g.stats.compilations == 1
    assert f(np.ones(4)) == 12.5  # as before


def test_what_is_set_in_the_other_process_counts():
    g = anew(pickle.dumps(called(3)))
    g.py_func.__closure__[0].cell_contents = 10
    assert g(np.ones(4)) == 40.5 and g.stats.compilations == 1


def test_a_function_that_was_forgotten_leaves_nothing():
    f = called()
    assert len(records(f)) == 1
    f.forget()
    assert records(f) == {}
    g = anew(pickle.dumps(called(4)))
    g(np.ones(4))
    g.forget()
    assert records(g) == {} and g(np.ones(4)) == 16.5 and g.stats.compilations == 1


def test_code_of_an_edited_function_stays_here():
    f = called()
    edited = f.trace(np.ones(4)).at("typed").edit(lambda text: text).resume()
    f.install(edited)
    assert records(f) == {}
    f.uninstall()
    assert len(records(f)) == 1


def test_a_function_that_names_much_says_why_its_code_stays_here():
    table = np.zeros(300_000)

    @cutaway.jit
    def at(k):
        return table[k]

    assert at(3) == 0.0 and records(at) == {}
    (reason,) = at.cache_info().reasons
    assert "'table'" in reason and "cache=True" in reason
    assert anew(pickle.dumps(at))(3) == 0.0


# --- damage ------------------------------------------------------------------------------------


def test_damaged_code_is_not_run():
    f = called()
    ((names, (here, anywhere, data)),) = records(f).items()
    places = range(0, len(data), max(1, len(data) // 40))
    damaged = [data[:k] + bytes([data[k] ^ 0x10]) + data[k + 1 :] for k in places]
    damaged += [data[:k] for k in (0, 5, 30, len(data) // 2, len(data) - 1)]
    for one in damaged:
        g = with_records(f, {names: (here, anywhere, one)})
        assert g(np.ones(4)) == 12.5 and g.stats.compilations == 1
    g = with_records(f, {names: (here, anywhere, data)})
    assert g(np.ones(4)) == 12.5 and g.stats.compilations == 0


def test_code_for_other_types_or_of_another_function_is_not_run():
    f, other = called(3), called(4)
    ((names, one),) = records(other).items()
    for given in ({names: one}, {"(int64 omitted)": one}):
        g = with_records(f, given)
        assert g(np.ones(4)) == 12.5 and g(np.ones(4, np.int64)) == 12.5
        assert g.stats.compilations == 2


def test_a_record_of_another_form_is_not_loaded():
    f = called()
    ((names, one),) = records(f).items()
    key = f"{identity.without_extensions(identity.told(f.half))}{names}"
    content = carried.content(one, key)
    for other in (
        (),
        content[:-1],
        (*content, 1),
        (((b"x", "y", ()),), *content[1:]),
    ):
        g = with_records(f, {names: carried.pack(other, key)})
        assert g(np.ones(4)) == 12.5 and g.stats.compilations == 1
        assert g.cache_info().reasons[0].startswith("what came in its pickle: ")


# --- ufuncs and threads ------------------------------------------------------------------------


def test_loops_of_ufuncs_go_along():
    def kernel(x, y):
        return x * 2 + y

    f = cutaway.vectorize(kernel)
    wanted = f(np.arange(3.0), 1.0)

    @cutaway.guvectorize("(n),()->(n)")
    def add(a, b, out):
        for k in range(len(a)):
            out[k] = a[k] + b

    out = np.empty(3)
    add(np.arange(3.0), 1.0, out)
    script = """
    f, add = f
    out = np.empty(3)
    add(np.arange(3.0), 1.0, out)
    results = [f(np.arange(3.0), 1.0).tolist(), out.tolist()]
    tell(results=results, carried=[f.cache_info().carried, add.cache_info().carried])
    """
    told = told_by(script, pickle.dumps((f, add)))
    assert told["results"] == [wanted.tolist(), out.tolist()]
    assert told["carried"] == [1, 2] and not told["llvm"]  # arrays with gaps and without


def test_threads_pickle_compile_and_forget_at_once():
    f, failed = called(), []
    arrays = [np.ones(4, code) for code in "bhilfd"]

    def work(k: int) -> None:
        for turn in range(12):
            if k == 0 and turn % 4 == 3:
                f.forget()
            f(arrays[(k + turn) % len(arrays)])
            g = with_records(f, records(f))
            if [g(a) for a in arrays[:2]] != [12.5, 12.5]:
                failed.append(turn)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_a_function_pickled_twice_is_one_function():
    f = called()
    first = anew(pickle.dumps([f, f]))
    assert first[0] is first[1] and pickle.loads(pickle.dumps(f)) is f
