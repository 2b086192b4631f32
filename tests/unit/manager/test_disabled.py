"""With DISABLE_JIT, decorators give the Python function; what looks into compilation still can."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

import cutaway
from cutaway import config
from cutaway.errors import OptionError

SPELLINGS = [
    lambda f: cutaway.jit(f),
    lambda f: cutaway.njit(f),
    lambda f: cutaway.jit(nogil=True, fastmath=True)(f),
    lambda f: cutaway.jit("float64(float64)")(f),
    lambda f: cutaway.jit(["int64(int64)", "float64(float64)"], cache=True)(f),
    lambda f: cutaway.jit(cutaway.int64(cutaway.int64))(f),
    lambda f: cutaway.jit(pipeline=cutaway.pipelines.nopython)(f),
]


@pytest.fixture
def disabled():
    with config.using(DISABLE_JIT=True):
        yield


@pytest.mark.parametrize("decorate", SPELLINGS)
def test_a_decorator_gives_the_function_itself(disabled, decorate):
    def f(x):
        return {"not": "compiled", "x": x}

    assert decorate(f) is f
    assert f.py_func(1) == {"not": "compiled", "x": 1}


def test_functions_call_each_other_as_python_functions(disabled):
    @cutaway.jit
    def inner(x):
        return [x]

    @cutaway.jit
    def outer(x):
        return inner(x) + inner(2)

    assert outer(1) == [1, 2]


def test_wrong_options_are_refused_all_the_same(disabled):
    with pytest.raises(OptionError, match="nogill"):
        cutaway.jit(nogill=True)(lambda x: x)
    with pytest.raises(OptionError, match="not a number|not 3|3"):
        cutaway.jit(3)


def test_it_is_asked_when_a_function_is_decorated():
    def f(x):
        return x + 1

    with config.using(DISABLE_JIT=True):
        plain = cutaway.jit(f)
    made = cutaway.jit(f)
    assert plain is f
    with config.using(DISABLE_JIT=True):
        assert made(1) == 2
        assert made.signatures


def test_a_compilation_can_still_be_looked_into(disabled):
    @cutaway.jit
    def f(a):
        return a[0] + 1

    c = cutaway.trace(f, np.arange(3.0))
    assert c.witness().ok
    assert c.at("asm").run(np.arange(3.0)) == 1.0


def test_what_was_left_as_it_is_counts_as_no_compiled_function():
    def inner(x):
        return x + 1

    with config.using(DISABLE_JIT=True):
        plain = cutaway.jit(inner)

    @cutaway.jit
    def outer(x):
        return plain(x)

    with pytest.raises(cutaway.errors.CutawayError, match="inner|plain"):
        outer(1)


@pytest.mark.parametrize("variable", ["CUTAWAY_DISABLE_JIT", "NUMBA_DISABLE_JIT"])
def test_the_environment_disables(monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    assert cutaway.jit(len_of) is len_of
    monkeypatch.setenv(variable, "0")
    assert cutaway.jit(len_of) is not len_of


def len_of(a):
    return len(a)


def test_a_disabled_program_loads_neither_compiler_nor_llvm(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, cutaway\n@cutaway.jit\ndef f(x):\n    return x\nf(1)\n"
        "assert 'llvmlite' not in sys.modules\n"
        "from cutaway.foundation.loading import has_run\n"
        "assert not has_run('cutaway.dispatch.resolution')\n"
    )
    environment = {"CUTAWAY_DISABLE_JIT": "1", "PATH": ""}
    subprocess.run([sys.executable, script], check=True, env=environment)


@pytest.mark.parametrize("name", ["NUMBA_OPT", "NUMBA_SLP_VECTORIZE", "NUMBA_CUDA_LOG_LEVEL"])
def test_a_setting_of_the_reference_without_effect_is_warned_about_once(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    with pytest.warns(UserWarning, match=f"{name} has no effect"):
        config.requested()
    monkeypatch.setenv("NUMBA_DUMP_IR", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.requested()


def test_what_to_use_in_its_place_is_said(monkeypatch):
    monkeypatch.setenv("NUMBA_DIFF_IR", "1")
    with pytest.warns(UserWarning, match="use CUTAWAY_PRINT_CHANGED"):
        config.requested()


def test_names_that_nobody_knows_are_passed_over(monkeypatch):
    monkeypatch.setenv("NUMBA_FAVORITE_COLOR", "1")
    monkeypatch.setenv("NUMBA_DEBUG_TYPEINFER", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.requested()


def test_no_setting_is_both_honored_and_without_effect():
    honored = {other for row in config.SETTINGS.values() for other in row.also}
    assert not honored & {f"NUMBA_{name}" for name in config.UNSUPPORTED}
