"""Options of `@jit`: taken where they ask for nothing, else they say what is missing."""

from __future__ import annotations

import types

import pytest

import cutaway
from cutaway.errors import OptionError, OptionWarning
from cutaway.foundation import options
from cutaway.foundation.options import _WITHOUT_FLAG, Flags, flags_from_options

# Every option of the reference with its default there.
DEFAULTS = {
    "nopython": True,
    "forceobj": False,
    "looplift": True,
    "debug": False,
    "boundscheck": None,
    "nogil": False,
    "no_rewrites": False,
    "no_cpython_wrapper": False,
    "no_cfunc_wrapper": False,
    "parallel": False,
    "fastmath": False,
    "error_model": "python",
    "float_to_int": "raise",
    "inline": "never",
    "forceinline": False,
    "locals": {},
    "cache": False,
    "pipeline_class": None,
    "_target": "cpu",
    "_dbg_extend_lifetimes": False,
    "_dbg_optnone": False,
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_an_option_at_its_default_asks_for_nothing(name):
    assert flags_from_options({name: DEFAULTS[name]}) == Flags()


def test_a_function_with_every_option_at_its_default_is_compiled():
    assert cutaway.jit(**DEFAULTS)(lambda x: x + 1)(1) == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nopython", False),  # there is nothing to fall back to, in the reference either
        ("no_cpython_wrapper", True),
        ("no_cfunc_wrapper", True),
        ("debug", True),
        ("debug", None),
        ("no_rewrites", True),
        ("_nrt", False),
        ("target", "cpu"),
        ("locals", types.MappingProxyType({})),
    ],
)
def test_a_value_that_asks_for_what_is_so_anyway_is_taken(name, value):
    assert flags_from_options({name: value}) == Flags()


def test_a_value_that_has_no_effect_is_taken_with_one_warning(monkeypatch):
    monkeypatch.setattr(options, "_warned", set())
    with pytest.warns(OptionWarning, match="option _dbg_optnone: ") as given:
        assert flags_from_options({"_dbg_optnone": True}) == Flags()
        assert flags_from_options({"_dbg_optnone": True}) == Flags()
    assert len(given) == 1


ASKING = {
    "target": "cuda",
    "_target": "cuda",
    "writable_args": True,
    "pipeline_class": object,
}


def test_each_option_without_a_flag_that_can_ask_for_something_is_among_these():
    assert ASKING.keys() == {name for name, option in _WITHOUT_FLAG.items() if option.what}


@pytest.mark.parametrize("name", ASKING)
def test_an_option_that_asks_for_what_is_missing_says_what_that_is(name):
    with pytest.raises(OptionError, match=f"option {name}=.* requests ") as refused:
        flags_from_options({name: ASKING[name]})
    assert refused.value.hint


@pytest.mark.parametrize("name", ["nopython", "forceobj", "looplift"])
def test_a_switch_is_on_or_off(name):
    for value in (1, "yes", 0):
        with pytest.raises(OptionError, match=f"option {name} must be True or False, not"):
            flags_from_options({name: value})


def test_forced_inlining_leaves_no_call():
    @cutaway.jit(forceinline=True)
    def inner(x, depth):
        return x + 1 if depth == 0 else inner(x, depth - 1) + x

    @cutaway.jit
    def outer(x):
        return inner(x, 0) * 2

    assert outer(3) == 8 and inner(3, 4) == 16
    (text,) = outer.inspect_llvm().values()
    assert any("inner" in line and "alwaysinline" in line for line in text.splitlines())
    for value in (1, None, "yes"):
        with pytest.raises(OptionError, match="forceinline must be True or False"):
            cutaway.jit(forceinline=value)
