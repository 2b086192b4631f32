"""The table of Numba's names, and the modules that look names up in it."""

from __future__ import annotations

import pickle

import pytest

import cutaway
from cutaway import compat, types
from cutaway.compat import numba
from cutaway.compat.absent import REASONS, stand_in
from cutaway.compat.layer import FINDER, MissingNameError, module
from cutaway.compat.table import folders, sections
from cutaway.errors import ALIASES, WARNING_ALIASES, TypingError, UnsupportedError

PATHS = sorted(sections())


def test_the_layer_has_numbas_modules_with_names_of_ours():
    assert numba.njit is cutaway.njit
    assert numba.core.types.float64 is types.float64 is numba.float64
    assert numba.types.Array is types.Array
    assert numba.extending.overload is cutaway.extending.overload
    assert numba.core.config is cutaway.config is numba.config
    assert numba.cuda.jit is cutaway.cuda.jit
    assert numba.np.numpy_support.from_dtype is cutaway.from_dtype
    assert numba.core.typing.templates.Signature is type(types.int64(types.int64))
    assert numba.core.cgutils.alloca_once is cutaway.extending.cgutils.alloca_once


def test_looking_at_the_layer_installs_nothing():
    assert FINDER not in __import__("sys").meta_path
    assert not compat.is_installed()


def test_the_version_is_numbas():
    assert numba.__version__ == "0.68.1"
    assert numba.version_info.short == (0, 68) and numba.version_info.string == "0.68.1"


@pytest.mark.parametrize("home", ["numba", "numba.errors", "numba.core.errors"])
def test_errors_and_warnings_have_numbas_names(home):
    layer = module(home)
    for name, cls in {**ALIASES, **WARNING_ALIASES}.items():
        assert getattr(layer, name) is cls
    assert issubclass(TypingError, layer.NumbaError) and layer.TypingError is TypingError


@pytest.mark.parametrize("path", PATHS)
def test_each_section_says_what_is_and_what_is_not(path):
    section = sections()[path]
    assert set(section.absent.values()) <= set(REASONS)
    parent, _, name = path.rpartition(".")
    assert path == "numba" or name in folders()[parent]
    assert path == "numba" or parent in sections()


@pytest.mark.parametrize("path", PATHS)
def test_each_name_that_a_module_lists_can_be_had(path):
    layer = module(path)
    for name in dir(layer):
        getattr(layer, name)


def test_each_reason_for_an_absent_name_is_one_that_some_name_has():
    used = {why for section in sections().values() for why in section.absent.values()}
    assert set(REASONS) == used


def test_what_stands_in_for_a_class_can_be_asked_about_and_not_used():
    absent = stand_in("numba.x", "Y", "types")
    assert not isinstance(3, absent) and not issubclass(int, absent)
    assert repr(absent) == "<numba.x.Y: not in Cutaway>"

    class derived(absent):
        there = 3

    assert derived.there == 3
    for use in (
        lambda: absent(1),
        lambda: absent[1],
        lambda: absent.anything,
        lambda: derived(),
        lambda: derived.anything,
    ):
        with pytest.raises(UnsupportedError, match=r"numba\.x\.Y: Cutaway has no such type"):
            use()


def test_an_unknown_name_says_where_it_is_missing_and_what_there_is():
    with pytest.raises(AttributeError, match=r"numba\.core\.types has no 'Arrray'.*mean Array\?"):
        _ = numba.core.types.Arrray
    with pytest.raises(MissingNameError, match=r"numba has no 'qqq'.*docs/from_numba\.md"):
        _ = numba.qqq
    assert not hasattr(numba, "qqq")


def test_a_function_is_hidden_by_no_module_of_the_same_name():
    assert module("numba.experimental.jitclass").jitclass.__name__ == "jitclass"
    assert numba.experimental.jitclass.__name__ == "jitclass"


def test_a_module_of_the_layer_is_pickled_by_its_name():
    assert pickle.dumps(numba.core)


def test_compiled_code_reads_names_of_the_layer():
    @numba.njit
    def f(x):
        return numba.int64(x) + numba.core.types.int32(2.5)

    assert f(1.5) == 3


def test_what_has_no_type_is_a_value_error_as_for_numba():
    for value in (object(), (1, object()), [1, "a"]):
        with pytest.raises(ValueError, match="compiled"):
            numba.typeof(value)
