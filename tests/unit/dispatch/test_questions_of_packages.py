"""What packages ask of compiled functions and of signatures by the names of the reference."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.errors import NotCompiledError, OptionError
from cutaway.foundation.options import Flags, flags_from_options, options_of


def test_each_overload_says_its_signature():
    f = cutaway.jit(lambda x: x * 2)
    assert f.overloads == {}
    f(1)
    f(1.5)
    assert [one.signature for one in f.overloads.values()] == f.nopython_signatures
    assert f.overloads[(types.float64,)].signature.return_type is types.float64
    assert str(f.overloads[(types.int64,)].signature) == "int64(int64)"


ADDED = 1


def test_a_function_is_compiled_afresh_with_what_has_changed(monkeypatch):
    f = cutaway.jit(lambda x: x + ADDED)
    assert (f(1), f(1.5)) == (2, 2.5)
    monkeypatch.setitem(globals(), "ADDED", 10)
    assert f(1) == 2
    f.recompile()
    assert (f(1), f(1.5)) == (11, 11.5)
    assert len(f.signatures) == 2


def test_changed_options_hold_after_compiling_afresh():
    f = cutaway.jit(boundscheck=False)(lambda a, i: a[i])
    assert f.targetoptions == {"boundscheck": False}
    f(np.ones(2), 1)
    f.targetoptions["boundscheck"] = True
    f.recompile()
    with pytest.raises(IndexError):
        f(np.ones(2), 2)
    f.targetoptions["bounds"] = True
    with pytest.raises(OptionError, match="no option 'bounds'"):
        f.recompile()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fastmath": True},
        {"fastmath": {"afn"}, "vector_math": False},
        {"vector_math": True},
        {"parallel": True},
        {"parallel": "check"},
        {"parallel": {"fusion": False, "races": "allowed"}},
        {"locals": {"x": "float32"}, "nogil": True, "cache": True},
        {"forceobj": True, "looplift": False},
        {"inline": "always", "error_model": "numpy"},
    ],
    ids=str,
)
def test_options_are_read_back(options):
    flags = flags_from_options(options)
    again = flags_from_options(options_of(flags))
    assert [getattr(again, one) for one in Flags.__match_args__] == [
        getattr(flags, one) for one in Flags.__match_args__
    ]
    assert options_of(flags).keys() <= options.keys()


def test_caching_can_be_turned_on_later(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))
    # Extensions of other tests, some of which no other process can identify.
    monkeypatch.setattr("cutaway.foundation.registrations.REGISTERED", [])
    f = cutaway.jit(lambda x: x + 1)
    f.enable_caching()
    f(1)
    assert f.cache_info().files


def test_a_signature_of_a_function_becomes_that_of_a_method_and_back():
    given = types.float64(types.unicode_type, types.int64)
    method = given.replace(pysig=inspect.signature(lambda this, x: None)).as_method()
    assert (method.recvr, method.args) == (types.unicode_type, (types.int64,))
    assert list(method.pysig.parameters) == ["x"]
    assert method.is_method and not given.is_method
    assert method.as_method() is method and given.as_function() is given
    assert method.as_function() == given


def test_a_signature_is_changed_in_a_copy():
    given = types.float64(types.int64)
    assert given.replace(return_type=types.int8) == types.int8(types.int64)
    assert given.replace(args=()) == types.float64()
    assert given.as_type().signature is given
    assert isinstance(given.as_type(), types.FunctionType)


@pytest.mark.parametrize("written", ["int64(optional(int64))", "int64(optional(int32))"])
def test_a_result_that_may_be_none_is_checked_where_the_signature_says_that_it_is_not(written):
    @cutaway.jit(written)
    def f(x):
        if x == 1:
            return 10
        return x

    assert [f(1), f(3)] == [10, 3]
    with pytest.raises(TypeError, match="must be int64, not None"):
        f(None)


def test_a_signature_that_is_given_by_name():
    assert cutaway.jit(signature_or_function="int64(int64)")(lambda x: x).signatures


def test_a_seed_may_be_none():
    @cutaway.jit("float64(optional(uint64))")
    def drawn(seed):
        np.random.seed(seed)
        return np.random.random()

    np.random.seed(7)
    expected = np.random.random()
    assert [drawn(7), drawn(7)] == [expected, expected]
    assert drawn(None) != expected


def test_one_of_the_overloads_and_what_is_known_of_it(capsys):
    @cutaway.jit(parallel=True)
    def f(a):
        return a + 1.0

    f(np.ones(3))
    (argtypes,) = f.signatures
    np.testing.assert_array_equal(f.get_overload(argtypes)(np.ones(2)), [2.0, 2.0])
    assert f.get_compile_result(argtypes).signature.args == argtypes
    assert list(f.get_metadata()) == [argtypes]
    f.get_metadata(argtypes)["parfor_diagnostics"].dump(level=1)
    assert "loop" in capsys.readouterr().out
    with pytest.raises(NotCompiledError):
        f.get_overload("int64")
