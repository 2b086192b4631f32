"""`jit_module`, and further names at the top."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import cutaway
from cutaway.errors import OptionError

MODULE = """
from os.path import join
import numpy as np
import cutaway

ADDED = 1

@cutaway.jit(boundscheck=True)
def decorated(x):
    return x

def inner(x):
    return x + ADDED

def outer(a):
    return inner(a[5])

class Kept:
    pass

cutaway.jit_module(boundscheck=False)

def later(x):
    return x
"""


def test_a_module_compiles_its_functions(tmp_path, monkeypatch):
    (tmp_path / "mine_of_functions.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("mine_of_functions")
    monkeypatch.delitem(sys.modules, "mine_of_functions")
    assert module.outer(np.arange(10)) == 6
    assert module.inner.targetoptions == module.outer.targetoptions == {"boundscheck": False}
    assert module.decorated.targetoptions == {}
    for name in ("join", "later", "Kept"):
        assert not hasattr(getattr(module, name), "py_func")


def test_only_a_module_compiles_its_functions():
    with pytest.raises(OptionError, match="called by a module"):
        cutaway.jit_module()


def test_the_version_is_numbers_too():
    assert ".".join(map(str, cutaway.version_info)) == cutaway.__version__
    assert cutaway.version_info >= (0, 1)


@cutaway.jit(parallel=True)
def summed(a):
    s = 0.0
    for at in cutaway.pndindex(a.shape):
        s += a[at]
    return s


def test_pndindex_goes_over_all_places():
    assert summed(np.ones((2, 3))) == summed.py_func(np.ones((2, 3))) == 6.0
