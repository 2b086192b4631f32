"""Settings come from one table, the environment, and what is assigned to them."""

from __future__ import annotations

import warnings

import pytest

from cutaway import config


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting is made by the environment that the tests run in."""
    for row in config.SETTINGS.values():
        for variable in (row.variable, *row.also):
            monkeypatch.delenv(variable, raising=False)


def test_a_setting_has_its_default() -> None:
    assert config.DUMP_IR is False
    assert config.PRINT_AFTER == ()
    assert config.requested() == frozenset()


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("CUTAWAY_DUMP_IR", "1", "DUMP_IR", True),
        ("CUTAWAY_DUMP_IR", "0", "DUMP_IR", False),
        ("NUMBA_DUMP_IR", "1", "DUMP_IR", True),
        ("NUMBA_DEBUG", "1", "DUMP_LLVM", True),
        ("NUMBA_DEBUG_FRONTEND", "1", "DUMP_CFG", True),
        ("CUTAWAY_PRINT_AFTER", "ssa, simplify", "PRINT_AFTER", ("ssa", "simplify")),
        ("NUMBA_DEBUG_PRINT_AFTER", "none", "PRINT_AFTER", ()),
        ("CUTAWAY_VERIFY", "structure", "VERIFY", "structure"),
        ("CUTAWAY_FILTER", "kernel*", "FILTER", "kernel*"),
    ],
)
def test_a_variable_makes_its_setting(monkeypatch, variable, text, name, value) -> None:
    monkeypatch.setenv(variable, text)
    assert config.value(name) == value


def test_a_change_of_the_environment_counts_at_the_next_reading(monkeypatch) -> None:
    assert not config.DUMP_SSA
    monkeypatch.setenv("CUTAWAY_DUMP_SSA", "1")
    assert config.requested() == {"DUMP_SSA"}
    monkeypatch.delenv("CUTAWAY_DUMP_SSA")
    assert config.requested() == frozenset()


def test_our_own_name_goes_before_the_other_one(monkeypatch) -> None:
    monkeypatch.setenv("NUMBA_DUMP_IR", "1")
    monkeypatch.setenv("CUTAWAY_DUMP_IR", "0")
    assert not config.DUMP_IR


def test_what_is_assigned_goes_before_the_environment(monkeypatch) -> None:
    monkeypatch.setenv("CUTAWAY_DUMP_IR", "1")
    with config.using(DUMP_IR=False, DUMP_CFG=True):
        assert config.requested() == {"DUMP_CFG"}
    assert config.requested() == {"DUMP_IR"}


def test_an_unknown_variable_is_warned_about_once(monkeypatch) -> None:
    monkeypatch.setenv("CUTAWAY_DUMP_BYTECOD", "1")
    with pytest.warns(UserWarning, match="did you mean CUTAWAY_DUMP_BYTECODE?"):
        config.requested()
    monkeypatch.setenv("CUTAWAY_DUMP_IR", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config.requested()


def test_a_value_that_means_nothing_is_warned_about(monkeypatch) -> None:
    monkeypatch.setenv("CUTAWAY_VERIFY", "everything")
    with pytest.warns(UserWarning, match="must be structure or execute"):
        assert config.VERIFY == ""


def test_an_unknown_setting_is_an_error() -> None:
    with pytest.raises(AttributeError, match="DUMP_NOTHING"):
        _ = config.DUMP_NOTHING
    with pytest.raises(AttributeError, match="DUMP_NOTHING"), config.using(DUMP_NOTHING=1):
        pass
