"""What options, literal arguments and choices of functions do to cached code."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path

import pytest

from caching.processes import run, start, write
from cutaway.caching import machine

pytestmark = pytest.mark.sampled(test=3, others=9, fast=0)

TWICE = """
    @jit(OPTIONS)
    def helper(x):
        s = x
        return s + s
    @jit(cache=True)
    def f(x):
        return helper(x) * 2
    tell(f, result=f(3), kind=type(f(3)).__name__)
"""
LITERAL = """
    from cutaway import literally
    MIXED = (1, 2.5, True)
    @jit(cache=True)
    def f(i):
        return MIXED[literally(i)]
    tell(f, result=[f(0), f(1), f(2)])
"""
CHOICES = """
    import math
    @jit
    def twice(x):
        return x + x
    @jit(cache=True)
    def f(k, x):
        g = None
        if k == 1:
            g = twice
        if k == 2:
            g = math.sqrt
        if k == 3:
            g = lambda v: v - x
        return x if g is None else g(x)
    tell(f, result=[f(k, 4.0) for k in range(4)])
"""
RETURNS = """
    @jit("SIGNATURE", cache=True)
    def f(x):
        return x + 1
    @jit(cache=True)
    def g(x):
        return f(x) * 2
    tell(f, g, result=[f(3), g(3)], kind=type(f(3)).__name__)
"""
OVERLOADED = """
    import cutaway
    from cutaway.extending import overload
    def pick(n):
        pass
    @overload(pick)
    def typed(n):
        return lambda n: (1, 2.5)[cutaway.literally(n)]
    @jit(cache=True)
    def f(n):
        return pick(n), pick(0)
    tell(f, result=[f(0), f(1)])
"""


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def program(folder, text, **changes):
    for name, value in changes.items():
        text = text.replace(name, value)
    return write(folder, textwrap.dedent(text))


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ("", "int"),
        ("inline='always'", "int"),
        ("inline='never'", "int"),
        ("locals={'s': 'float64'}", "float"),
        ("locals={'s': 'int32'}", "int"),
    ],
)
def test_each_option_of_a_called_function_has_code_of_its_own(options, kind, tmp_path, home):
    run(program(tmp_path, TWICE, OPTIONS="boundscheck=False"), home)
    changed = program(tmp_path, TWICE, OPTIONS=options)
    first, second = run(changed, home), run(changed, home)
    assert first["misses"] == [1] and second["hits"] == [1] and not second["compiler"]
    assert first["result"] == second["result"] == 12
    assert first["kind"] == second["kind"] == kind


def test_each_literal_value_is_found_again(tmp_path, home):
    text = program(tmp_path, LITERAL)
    first, second = run(text, home), run(text, home)
    assert first["result"] == second["result"] == [1, 2.5, True]
    assert first["misses"] == [3] and second["hits"] == [3] and second["misses"] == [0]


def test_a_choice_of_functions_is_found_again(tmp_path, home):
    text = program(tmp_path, CHOICES)
    first, second = run(text, home), run(text, home)
    assert first["result"] == second["result"] == [4.0, 8.0, 2.0, 0.0]
    assert second["hits"] == [1] and not second["compiler"]


def test_a_return_type_belongs_to_the_code_and_to_that_of_callers(tmp_path, home):
    for signature, kind in (("float64(int64)", "float"), ("(int64,)", "int")):
        text = program(tmp_path, RETURNS, SIGNATURE=signature)
        first, second = run(text, home), run(text, home)
        assert first["result"] == second["result"] == [4, 8]
        assert first["kind"] == second["kind"] == kind
        assert first["misses"] == [1, 1] and second["hits"] == [1, 1]


def test_what_an_extension_makes_of_a_value_is_found_for_that_value(tmp_path, home):
    text = program(tmp_path, OVERLOADED)
    first, second = run(text, home), run(text, home)
    assert first["result"] == second["result"] == [[1, 1], [2.5, 1]]
    assert first["misses"] == second["hits"] and second["reasons"] == [[]]


def test_processes_that_fill_the_librarys_folder_at_once_do_not_disturb_each_other(tmp_path, home):
    text = """
    @jit
    def f(a):
        return np.sum(a), np.mean(a), np.max(a), np.argsort(a)[0], np.cumsum(a)[-1]
    tell(f, result=[float(x) for x in f(np.arange(1.0, 5))])
    """
    path = program(tmp_path, text)
    processes = [start(path, home) for _ in range(4)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and '"result": [10.0, 2.5, 4.0, 0.0, 10.0]' in out, err
        assert "Warning" not in err
    assert run(path, home)["result"] == [10.0, 2.5, 4.0, 0.0, 10.0]


def test_an_edit_of_any_file_of_the_library_makes_its_code_unknown(tmp_path):
    source = Path(machine.__file__).parent.parent
    for folder in ("library", "typing"):
        shutil.copytree(source / folder, tmp_path / folder)
    before = machine.package(str(tmp_path))
    for name in ("library/containers/tuples.py", "typing/types/base.py"):
        path = tmp_path / name
        path.write_text(path.read_text() + "\n")
        after = machine.package(str(tmp_path))
        assert after != before
        before = after
