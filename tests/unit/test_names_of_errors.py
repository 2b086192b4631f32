"""The names by which users of the reference know errors and warnings."""

from __future__ import annotations

import warnings

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
