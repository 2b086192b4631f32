"""The names by which users of the reference know errors and warnings."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import cutaway
from cutaway import errors
from cutaway.errors import ALIASES, WARNING_ALIASES, CutawayError, CutawayWarning, TypingError


@pytest.mark.parametrize("name", ALIASES)
def test_a_name_of_the_reference_catches_and_raises_one_of_our_errors(name):
    cls = getattr(errors, name)
    assert issubclass(cls, CutawayError)
    with pytest.raises(errors.NumbaError, match="what is wrong"):
        raise cls("what is wrong", loc=None)


@pytest.mark.parametrize("name", WARNING_ALIASES)
def test_a_warning_of_the_reference_can_be_filtered(name):
    cls = getattr(errors, name)
    assert issubclass(cls, CutawayWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=cls)
        warnings.warn("silenced", cls, stacklevel=1)


def test_a_warning_is_made_with_a_place_as_errors_are():
    with pytest.warns(errors.NumbaPerformanceWarning, match="^slow$") as given:
        warnings.warn(errors.NumbaPerformanceWarning("slow", loc=None), stacklevel=1)
    assert pickle.loads(pickle.dumps(given[0].message)).args == ("slow",)


def test_a_filter_for_a_warning_that_is_not_given_leaves_ours_alone():
    for name in WARNING_ALIASES.keys() - {"NumbaWarning"}:
        assert not issubclass(errors.CacheWarning, getattr(errors, name))


def test_what_a_typer_refuses_is_caught_by_the_name_it_is_raised_by():
    def stub(x):
        raise NotImplementedError

    @cutaway.extending.overload(stub)
    def typer(x):
        raise errors.NumbaTypeError("only for numbers of another kind")

    with pytest.raises(errors.NumbaTypeError, match="only for numbers of another kind"):
        cutaway.jit(lambda x: stub(x))(1)


def test_a_call_that_no_signature_takes_is_a_type_error():
    closed = cutaway.jit("int64(int64)")(lambda x: x)
    with pytest.raises(TypeError, match="no signature of") as refused:
        closed("text")
    assert isinstance(refused.value, TypingError)
    once = cutaway.jit(lambda x: x)
    once(1)
    once.disable_compile()
    with pytest.raises(TypeError, match="no specialization of"):
        once("text")


def test_a_call_that_two_signatures_take_equally_well_is_a_type_error():
    both = cutaway.jit(["int64(int64, float64)", "int64(float64, int64)"])(lambda x, y: 1)
    with pytest.raises(TypeError, match="equally well") as refused:
        both(1, 2)
    assert isinstance(refused.value, TypingError)


class Thing:
    """Nothing that compiled code knows."""


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda x: Thing(), (1,)),
        (lambda x: x.nope, (1,)),
        (lambda x: x.nope(), (np.ones(2),)),
        (lambda x: np.sum(x, nope=1), (np.ones(2),)),
        (lambda x: [x, "a"], (1,)),
        (lambda x: lambda: x, (1,)),
        (lambda x: x + "a", (1,)),
        (lambda x: 1, (Thing(),)),
        (lambda x: 1, ({1: 2, "a": 3},)),
    ],
)
def test_what_depends_on_types_is_caught_as_an_error_of_typing(function, args):
    with pytest.raises(errors.TypingError):
        cutaway.jit(function)(*args)


def test_syntax_that_is_not_compiled_is_no_error_of_typing():
    def f(x):
        import os

        return os.sep

    with pytest.raises(errors.UnsupportedBytecodeError) as refused:
        cutaway.jit(f)(1)
    assert not isinstance(refused.value, errors.TypingError)


def refusing(raised):
    """What a call of a function is refused with whose typer raises something."""

    def stub(x):
        raise NotImplementedError

    @cutaway.extending.overload(stub)
    def typer(x):
        raise raised

    with pytest.raises(errors.CompileError, match="the reason") as refused:
        cutaway.jit(lambda x: stub(x))(1)
    return refused.value


@pytest.mark.parametrize(
    "name", ["UnsupportedError", "LoweringError", "RequireLiteralValue", "NumbaValueError"]
)
def test_whatever_error_a_typer_raises_the_call_has_no_type(name):
    error = refusing(getattr(errors, name)("the reason"))
    assert isinstance(error, errors.TypingError)
    assert isinstance(error, getattr(errors, name))
    assert error.msg == error.message == "the reason"


@pytest.mark.parametrize("raised", errors.EXTENSION_ERRORS)
def test_an_exception_of_python_in_a_typer_is_caught_as_what_it_is(raised):
    error = refusing(raised("the reason"))
    assert isinstance(error, raised)
    assert isinstance(error, errors.ExtensionError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
