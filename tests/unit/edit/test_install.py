"""An edited program runs in the place of a specialization, and the original comes back."""

from __future__ import annotations

import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import cutaway
from cutaway.errors import InstallError

pytestmark = pytest.mark.sampled(others=3, fast=0)


def scaled_sum(n, b=2):
    s = 0
    for i in range(n):
        s += i * b
    return s


@pytest.fixture
def compiled():
    return cutaway.jit(scaled_sum)


def edited_sum(function, *args, new="i + b"):
    """An edited specialization of the function above."""

    def change(text: str) -> str:
        assert "i * b" in text
        return text.replace("i * b", new)

    return function.trace(*args).at("typed").edit(change).resume(unsafe=True)


def test_calls_of_its_signature_run_what_is_installed(compiled):
    assert compiled(3, 4) == 12
    compiled.install(edited_sum(compiled, 3, 4))
    assert compiled(3, 4) == 15
    assert compiled(n=3, b=4) == 15
    assert compiled(3, 4.0) == 12.0
    compiled.uninstall()
    assert compiled(3, 4) == 12


def test_it_is_installed_before_any_call_as_well(compiled):
    compiled.install(edited_sum(compiled, 3))
    assert compiled(3) == 9
    assert [str(s) for s in compiled.signatures] == ["(int64, omitted(default=2))"]
    compiled.uninstall()
    assert compiled.signatures == []
    assert compiled(3) == 6


def test_several_signatures_are_installed_side_by_side(compiled):
    whole, real = edited_sum(compiled, 3, 4), edited_sum(compiled, 3, 4.0)
    compiled.install(whole)
    compiled.install(real)
    assert (compiled(3, 4), compiled(3, 4.0)) == (15, 15.0)
    compiled.uninstall(whole.signature)
    assert (compiled(3, 4), compiled(3, 4.0)) == (12, 15.0)
    compiled.uninstall("int64, float64")
    assert (compiled(3, 4), compiled(3, 4.0)) == (12, 12.0)


def test_installing_again_replaces_and_uninstalling_gives_the_original_back(compiled):
    compiled(3, 4)
    compiled.install(edited_sum(compiled, 3, 4))
    compiled.install(edited_sum(compiled, 3, 4, new="b - i"))
    assert compiled(3, 4) == 9
    compiled.uninstall()
    assert compiled(3, 4) == 12


def test_what_is_installed_may_return_another_type(compiled):
    view = compiled.trace(3, 4).at("ssa")
    edited = view.edit(lambda text: text.replace("const(0)", "const(0.5)")).resume(unsafe=True)
    compiled.install(edited)
    assert compiled(3, 4) == 12.5
    assert str(compiled.specializations[0].returns) == "float64"
    assert str(compiled.nopython_signatures[0].returns) == "float64"


def test_a_signature_with_a_return_type_is_kept():
    closed = cutaway.jit("float64(int64, int64)")(scaled_sum)
    good = edited_sum(closed, 3, 4)
    closed.install(good)
    assert closed(3, 4) == 15.0
    other = cutaway.jit(scaled_sum)
    bad = edited_sum(other, 3, 4)
    assert bad.py_func is closed.py_func
    with pytest.raises(
        InstallError, match="says that it returns float64, but the edited program returns int64"
    ):
        closed.install(bad)


def test_what_runs_is_said_to_be_installed_by_hand(compiled):
    compiled(3, 4)
    assert not compiled.specializations[0].installed
    compiled.install(edited_sum(compiled, 3, 4))
    assert compiled.specializations[0].installed
    assert "installed by hand" in str(compiled.specializations)
    assert "installed by hand" in compiled.specializations._repr_mimebundle_()["text/html"]
    told = compiled.explain_dispatch(3, 4)
    assert told.installed
    assert told.to_dict()["installed"]
    assert "installed by hand" in str(told)
    assert not compiled.explain_dispatch(3, 4.0).installed
    edited = compiled.specializations[0]
    compiled.uninstall()
    assert edited.installed
    assert "installed by hand" not in str(compiled.explain_dispatch(3, 4))


def test_the_code_that_is_shown_is_the_one_that_runs(compiled):
    compiled(3, 4)
    before = compiled.inspect_asm(compiled.signatures[0])
    compiled.install(edited_sum(compiled, 3, 4))
    assert compiled.inspect_asm(compiled.signatures[0]) != before


def test_callers_that_are_compiled_keep_the_original(compiled):
    @cutaway.jit
    def caller(n):
        return compiled(n, 4)

    compiled.install(edited_sum(compiled, 3, 4))
    assert caller(3) == 12
    assert compiled(3, 4) == 15


@pytest.mark.parametrize("wrong", [scaled_sum, cutaway.jit(scaled_sum), 3, None, "text"])
def test_only_edited_programs_are_installed(compiled, wrong):
    with pytest.raises(InstallError, match="only an edited program can be installed") as caught:
        compiled.install(wrong)
    assert "resume()" in caught.value.hint
    assert isinstance(caught.value, TypeError)


def test_a_program_of_another_function_is_refused(compiled):
    @cutaway.jit
    def other(n, b):
        return n + b

    edited = other.trace(1, 2).at("typed").edit(lambda text: text).resume()
    with pytest.raises(InstallError, match="is an edit of .*other, another function"):
        compiled.install(edited)


def test_uninstalling_what_is_not_installed_is_refused(compiled):
    with pytest.raises(InstallError, match="nothing is installed in scaled_sum"):
        compiled.uninstall()
    compiled.install(edited_sum(compiled, 3, 4))
    with pytest.raises(InstallError, match=r"nothing is installed .* for \(float64, int64\)"):
        compiled.uninstall("float64, int64")
    compiled.uninstall()
    with pytest.raises(InstallError):
        compiled.uninstall()


def test_forgetting_a_specialization_forgets_what_is_installed(compiled):
    compiled.install(edited_sum(compiled, 3, 4))
    compiled.forget()
    assert compiled(3, 4) == 12
    with pytest.raises(InstallError):
        compiled.uninstall()


def test_a_closed_function_converts_to_what_is_installed(compiled):
    compiled(3, 4)
    compiled.disable_compile()
    compiled.install(edited_sum(compiled, 3, 4))
    assert compiled(np.int32(3), 4) == 15
    compiled.uninstall()
    assert compiled(np.int32(3), 4) == 12


def test_its_memory_is_freed_after_it_is_uninstalled(compiled):
    compiled(3, 4)
    edited = edited_sum(compiled, 3, 4)
    library = weakref.ref(edited.unit.library)
    compiled.install(edited)
    compiled(3, 4)
    del edited
    gc.collect()
    assert library() is not None
    compiled.uninstall()
    gc.collect()
    assert library() is None


def test_it_is_installed_while_other_threads_call(compiled):
    compiled(3, 4)
    edited = edited_sum(compiled, 3, 4)
    wrong, ended = [], threading.Event()

    def call() -> None:
        while not ended.is_set():
            found = compiled(3, 4)
            if found not in (12, 15):
                wrong.append(found)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        compiled.install(edited)
        compiled.uninstall()
    ended.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert compiled(3, 4) == 12
    assert len(compiled.signatures) == 1


@cutaway.jit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def test_a_recursion_runs_what_is_installed_and_pickles_do_not_carry_it():
    view = factorial.trace(5).at("typed")
    edited = view.edit(lambda text: text.replace("= n * ", "= n + ")).resume(unsafe=True)
    factorial.install(edited)
    try:
        assert factorial(5) == 15
        assert pickle.loads(pickle.dumps(factorial)) is factorial
    finally:
        factorial.uninstall()
    assert factorial(5) == 120


def test_a_copy_that_is_sent_elsewhere_is_the_original(compiled):
    compiled.install(edited_sum(compiled, 3, 4))
    content = compiled.__reduce__()
    assert "installed" not in repr(content)


CACHED = """
import cutaway, sys

@cutaway.jit(cache=True)
def total(n, b):
    s = 0
    for i in range(n):
        s += i * b
    return s

if sys.argv[1] == "install":
    view = total.trace(3, 4).at("typed")
    total.install(view.edit(lambda text: text.replace("i * b", "i + b")).resume(unsafe=True))
print(total(3, 4), total.cache_info().hits)
if sys.argv[1] == "install":
    total.uninstall()
    print(total(3, 4))
"""


def test_what_is_installed_is_not_cached_and_comes_before_what_is(tmp_path, run_program):
    assert run_program(CACHED, "install") == ["15 0", "12"]
    assert run_program(CACHED, "plain") == ["12 1"]
    assert run_program(CACHED, "install")[0] == "15 0"
