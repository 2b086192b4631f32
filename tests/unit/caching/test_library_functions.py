"""Library functions are compiled once: to machine code of their own, and for later processes."""

from __future__ import annotations

import functools
import operator
import os
import re
import textwrap

import numpy as np
import pytest

import cutaway
from caching.processes import run, write
from cutaway.caching import library_functions
from cutaway.compiling import compilable, compiler
from cutaway.lowering import linked

pytestmark = pytest.mark.sampled(test=3, others=9, fast=0)

COUNTED = """
    import math
    from cutaway.compiling import compilable, compiler
    compiled = []
    front = compiler.compile_unit
    def counted(unit, pipeline, observers=()):
        if unit.pyfunc.__module__.startswith("cutaway."):
            compiled.append(unit.name)
        return front(unit, pipeline, observers)
    compiler.compile_unit = counted
"""
PROGRAM = (
    COUNTED
    + """
    def f(a, n):
        return (any(a), all(a), np.nansum(a), np.nanprod(a), np.nanmax(a), sum(range(n)),
                np.arange(n)[1], np.nanmean(a), math.prod(a), n in a, np.eye(3)[1, 1])
    @jit(OPTIONS)
    def g(a, n):
        return f_compiled(a, n)
    f_compiled = jit(OPTIONS)(f)
    result = [float(x) for x in f_compiled(np.arange(1.0, 5), 3)]
    try:
        jit(OPTIONS)(lambda a: np.nanmax(a))(np.zeros(0))
        error = ""
    except ValueError as caught:
        error = str(caught)
    tell(result=result, library=compiled, error=error,
         wanted=[float(x) for x in f(np.arange(1.0, 5), 3)])
"""
)


@pytest.fixture
def program(tmp_path):
    return write(tmp_path, textwrap.dedent(PROGRAM).replace("OPTIONS", ""))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def test_a_second_process_runs_the_front_end_for_none_of_them(program, home):
    first, second = run(program, home), run(program, home)
    assert first["library"] and not second["library"]
    assert first["result"] == second["result"] == first["wanted"]
    assert first["error"] == second["error"] != ""


def test_a_record_loads_the_area_of_a_function_that_it_calls(tmp_path, home):
    text = (
        COUNTED
        + """
    result = float(jit(lambda a: np.cov(a))(np.arange(5.0)))
    tell(result=result, library=compiled)
"""
    )
    program = write(tmp_path, textwrap.dedent(text))
    first, second = run(program, home), run(program, home)
    assert first["library"] and not second["library"]
    assert first["result"] == second["result"]


# A module that stands in the library, with a function that passes its own options on.
STRANGER = """
from cutaway.extending import overload, register_jitable

@register_jitable
def half_of_all(a):
    total = 0.0
    for x in a:
        total += x / 2.0
    return total

def halved(a):
    raise NotImplementedError

@overload(halved)
def _halved(a):
    @register_jitable(error_model="numpy", boundscheck=True)
    def inner(a):
        return half_of_all(a) + half_of_all(a[1:])
    return lambda a: inner(a) + 1.0

def halved_twice(a):
    raise NotImplementedError

@overload(halved_twice)
def _halved_twice(a):
    return lambda a: halved(a) + halved(a)
"""
CALLED = (
    COUNTED
    + f"""
    import os, sys, types, cutaway.library
    module = types.ModuleType("cutaway.library.stranger")
    sys.modules[module.__name__] = module
    place = os.path.join(cutaway.library.__path__[0], "stranger.py")
    exec(compile({STRANGER!r}, place, "exec"), module.__dict__)
    halved = module.FUNCTION
    result = jit(lambda a: halved(a))(np.arange(5.0))
    tell(result=result, library=compiled)
"""
)


def test_what_an_embedded_function_calls_has_the_options_of_that_one(tmp_path, home):
    program = write(tmp_path, textwrap.dedent(CALLED).replace("FUNCTION", "halved"))
    first, second = run(program, home), run(program, home)
    assert first["library"] and not second["library"]
    assert first["result"] == second["result"] == 11.0


def test_a_record_can_be_made_of_what_came_from_one(tmp_path, home):
    program = write(tmp_path, textwrap.dedent(CALLED).replace("FUNCTION", "halved"))
    run(program, home)
    program = write(tmp_path, textwrap.dedent(CALLED).replace("FUNCTION", "halved_twice"))
    second, third = run(program, home), run(program, home)
    assert second["library"] and not third["library"]
    assert second["result"] == third["result"] == 22.0


def test_other_flags_have_code_of_their_own(tmp_path, home):
    text = textwrap.dedent(PROGRAM)
    run(write(tmp_path, text.replace("OPTIONS", "")), home)
    changed = write(tmp_path, text.replace("OPTIONS", "fastmath=True, boundscheck=False"))
    first, second = run(changed, home), run(changed, home)
    assert first["library"] and not second["library"]


def test_it_can_be_switched_off(program, home):
    found = run(program, home, CUTAWAY_LIBRARY_CACHE="0")
    assert found["library"] and found["result"] == found["wanted"]
    assert not (home / "cutaway" / "library").exists()


def test_damaged_records_are_ignored_and_written_anew(program, home):
    run(program, home)
    folder = home / "cutaway" / "library"
    for name in os.listdir(folder):
        (folder / name).write_bytes(b"nonsense")
    found = run(program, home)
    assert found["result"] == found["wanted"] and found["library"]
    assert "CacheWarning" in found["warned"]
    assert not run(program, home)["library"]


LINKED = re.compile(r"^declare i32 @(\w+)\$", re.MULTILINE)


def test_one_with_loops_is_called_by_address_and_a_small_one_is_in_the_callers_module():
    @cutaway.jit
    def f(a, x):
        return np.nansum(a), operator.contains((1, 2), x)

    f(np.ones(3), 1)
    text = f.inspect_llvm(f.signatures[0])
    assert LINKED.findall(text)
    assert re.search(r"define internal i32 @_?contains\$", text)


def test_in_a_loop_of_the_caller_all_of_them_are_in_the_module():
    @cutaway.jit
    def f(a, m):
        s = np.searchsorted(a, 0.5)
        for i in range(len(m)):
            s += any(m[i]) + np.searchsorted(m[i], 2.0)
        return s

    assert f(np.ones(3), np.ones((3, 2))) == 9
    text = f.inspect_llvm(f.signatures[0])
    assert "define internal i32 @_any_item$" in text
    assert "define internal i32 @searchsorted$" in text


def test_it_may_be_linked_when_the_text_of_a_caller_is_written_already():
    def f(a):
        total = 0.0
        for k in range(len(a)):
            total += np.median(a[k]) + np.nanmax(a[k])
        return total

    a = np.arange(12.0).reshape(3, 4) - 3.0
    jitted = cutaway.njit(f)
    unit = compiler.lower(jitted.half, (cutaway.typeof(a),))
    assert "define internal i32 @median$" in unit.llvm
    inside = [callee for callee in unit.callee.closure()[1:] if callee.linked is None]
    for callee in reversed(inside):  # as another program does that calls it in no loop
        linked.link(callee)
    assert len(unit.callee.closure()) < len(inside) + 1
    assert jitted(a) == f(a)
    with pytest.raises(ValueError, match="zero-size array"):
        jitted(a[:, :0])


def test_machine_code_of_a_library_function_is_made_once_in_a_process(monkeypatch):
    made = []

    def link(callee):
        made.append(callee.symbol)
        return original(callee)

    original = compiler.linked.link
    monkeypatch.setattr(compiler.linked, "link", link)
    monkeypatch.setattr(library_functions, "restore", lambda *_: False)
    fresh = functools.cache(compilable.LibraryFunction)
    monkeypatch.setattr(compilable, "library_function", fresh)
    for number in range(3):
        f = cutaway.jit(lambda a, n=number: np.nansum(a) + n)
        assert f(np.ones((2, 2, 2), np.float32)) == 8 + number
    assert made and len(made) == len(set(made))


def test_a_cached_function_brings_the_library_functions_that_it_calls(tmp_path, home):
    text = """
    @jit(cache=True)
    def f(a):
        return any(a), np.nansum(a), np.nanmax(a)
    result = [float(x) for x in f(np.ones(5))]
    try:
        f(np.ones(0))
    except ValueError as error:
        result.append(str(error))
        import traceback
        result.append([frame.name for frame in traceback.extract_tb(error.__traceback__)])
    tell(f, result=result)
    """
    program = write(tmp_path, textwrap.dedent(text))
    first, second = run(program, home), run(program, home)
    assert first["result"] == second["result"] and first["result"][:3] == [1.0, 5.0, 1.0]
    assert first["result"][-1][-1] == "f"  # frames of the library do not show
    assert second["hits"] == [1] and not second["compiler"]
