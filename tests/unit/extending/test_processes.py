"""Extension types and threads, forks, pickles, caches, and packages that name entry points."""

from __future__ import annotations

import os
import pickle
import sys
import textwrap
import threading
import warnings

import pytest

import cutaway
import warm
from cutaway import types
from cutaway.errors import ExtensionWarning
from cutaway.extending import (
    entry_points,
    overload,
)
from extending.point import Point, make_point, point_type

pytestmark = pytest.mark.sampled(others=3, fast=6)


def distance_of():
    def distance(p, q):
        raise NotImplementedError

    @overload(distance)
    def typer(p, q):
        if p is point_type and q is point_type:
            return lambda p, q: ((p.x - q.x) ** 2 + (p.y - q.y) ** 2) ** 0.5

    return distance


def test_many_threads_call_first():
    distance = distance_of()

    @cutaway.jit
    def f(p, q):
        return distance(p, q), make_point(p.x, q.y), p

    found, failed = [], []
    barrier = threading.Barrier(8)

    def work(k):
        barrier.wait()
        try:
            for _ in range(50):
                found.append(f(Point(0.0, 0.0), Point(3.0, 4.0)))
        except BaseException as error:  # noqa: BLE001  it is told below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert all(one == (5.0, Point(0.0, 4.0), Point(0.0, 0.0)) for one in found)
    assert len(found) == 400 and len(f.signatures) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_process_compiles_and_calls():
    distance = distance_of()
    f = cutaway.jit(lambda p, q: distance(p, q))
    assert f(Point(0.0, 0.0), Point(3.0, 4.0)) == 5.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        g = cutaway.jit(lambda p: (make_point(p.y, p.x), p))
        fine = g(Point(1.0, 2.0))[0] == Point(2.0, 1.0)
        fine = fine and f(Point(0.0, 0.0), Point(0.0, 2.0)) == 2.0
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_types_are_the_same_behind_a_pickle():
    assert pickle.loads(pickle.dumps(point_type)) is point_type
    pair = types.Tuple((point_type, types.int64))
    assert pickle.loads(pickle.dumps(pair)) is pair
    signature = cutaway.jit(lambda p: p)
    signature(Point(1.0, 2.0))
    assert pickle.loads(pickle.dumps(signature.signatures)) == signature.signatures


@cutaway.jit
def mirrored(p):
    """Is pickled by its name."""
    return make_point(p.y, p.x)


def test_a_function_that_uses_an_extension_is_pickled():
    again = pickle.loads(pickle.dumps(mirrored))
    assert again(Point(1.0, 2.0)) == Point(2.0, 1.0)


# --- entry points -----------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path, monkeypatch):
    """What makes a package with metadata in a folder that programs find packages in."""

    def make(name, code, entries):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(code))
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(textwrap.dedent(entries))

    monkeypatch.syspath_prepend(str(tmp_path))
    return make


def run_program(tmp_path, program):
    """The output of a program in a process of its own that finds packages in a folder."""
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = warm.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, timeout=100,
        check=False,
    )  # fmt: skip
    return done


def test_a_package_extends_compiled_code_without_being_imported(package, tmp_path):
    package(
        "far_away",
        """
        import math
        from cutaway import types
        from cutaway.extending import overload

        def init():
            @overload(math.comb)
            def comb(n, k):
                return lambda n, k: 1234
        """,
        "[cutaway_extensions]\ninit = far_away:init\n",
    )
    done = run_program(
        tmp_path,
        """
        import math, sys
        import cutaway
        assert "far_away" not in sys.modules
        @cutaway.jit
        def f(n):
            return math.comb(n, 2)
        print(f(5), "far_away" in sys.modules)
        """,
    )
    assert done.stdout.split() == ["1234", "True"], done.stderr


@pytest.mark.parametrize(
    ("code", "entry", "said"),
    [
        ("def init():\n    raise ValueError('broken')", "broken_one:init", "ValueError: broken"),
        ("def init(): pass", "broken_one:missing", "AttributeError"),
        ("def init(): pass", "no_such_module_at_all:init", "ModuleNotFoundError"),
        ("init = 3", "broken_one:init", "TypeError"),
        ("import sys\nsys.exit(3)", "broken_one:init", "SystemExit"),
    ],
)
def test_a_package_that_fails_is_told_of_and_the_others_are_called(
    package, tmp_path, code, entry, said
):
    package("broken_one", code, f"[cutaway_extensions]\ninit = {entry}\n")
    package(
        "working_one", "def init():\n    print('called')",
        "[console_scripts]\nx = y:z\n[cutaway_extensions]\ninit = working_one:init\n",
    )  # fmt: skip
    done = run_program(
        tmp_path,
        """
        import cutaway
        print(cutaway.jit(lambda x: x + 1)(1))
        """,
    )
    assert done.stdout.split() == ["called", "2"], done.stderr
    assert "ExtensionWarning" in done.stderr and said in done.stderr
    assert "broken_one" in done.stderr


def test_the_packages_of_this_process(package):
    package(
        "odd_one", "def init():\n    raise OSError('odd')", "[cutaway_extensions]\ni = odd_one:init"
    )
    with pytest.warns(ExtensionWarning, match="odd_one.*OSError: odd"):
        entry_points.load_all()
