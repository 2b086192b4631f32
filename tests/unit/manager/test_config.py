"""Settings come from one table, the environment, and what is assigned to them."""

from __future__ import annotations

import os
import sys
import warnings

import pytest

import cutaway
import warm
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


def test_what_programs_read_by_the_names_of_the_reference_is_there() -> None:
    assert config.NUMBA_NUM_THREADS == cutaway.get_num_threads()
    assert config.NUMBA_DEFAULT_NUM_THREADS >= 1
    assert config.THREADING_LAYER == "default"
    assert config.BOUNDSCHECK is None
    for name in config.FACTS:
        getattr(config, name)


def test_facts_can_be_assigned_and_are_forgotten(monkeypatch) -> None:
    config.THREADING_LAYER, config.DUMP_IR = "omp", True
    assert (config.THREADING_LAYER, config.DUMP_IR) == ("omp", True)
    config.reload_config()
    assert (config.THREADING_LAYER, config.DUMP_IR) == ("default", False)
    monkeypatch.setenv("NUMBA_DUMP_IR", "1")
    assert config.DUMP_IR


SAYS_THREADS = """
import sys
import cutaway
import cutaway
from cutaway import config

@cutaway.jit(cache=True)
def threads():
    return config.NUMBA_NUM_THREADS, config.IS_32BITS

print(*threads(), threads.cache_info().hits)
"""


def test_compiled_code_has_what_the_settings_say_also_out_of_the_cache(tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SAYS_THREADS)
    said = []
    for count in "313":
        env = {**os.environ, "CUTAWAY_NUM_THREADS": count, "CUTAWAY_CACHE_DIR": str(tmp_path)}
        run = warm.run([sys.executable, program], env=env, capture_output=True, check=True)
        said.append(run.stdout.decode().strip())
    assert said == ["3 0 0", "1 0 0", "3 0 1"]
