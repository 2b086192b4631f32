"""What the settings for dumps show of a function in object mode."""

from __future__ import annotations

import re

import pytest

import cutaway
from cutaway import config


def may_be_unbound(a, b):
    if a:
        c = a + b
    return c


def dumped(setting, capsys):
    """What a setting has printed of one compilation."""
    with config.using(**{setting: True}):
        assert cutaway.jit(forceobj=True)(may_be_unbound)(1, 2) == 3
    return capsys.readouterr().out


def test_the_annotation_has_objects(capsys):
    text = dumped("DUMP_ANNOTATION", capsys)
    assert "a = arg(0, name=a)  :: pyobject" in text
    assert "incref" in text and "return c" in text


def test_llvm_has_names_texts_and_the_environment(capsys):
    for setting in ("DUMP_LLVM", "DUMP_OPTIMIZED"):
        text = dumped(setting, capsys)
        assert "cannot access local variable 'c' where it is not associated with a value" in text
        assert "@cutaway_py_no_environment()" in text
        assert "@cutaway_py_add(" in text


def test_code_that_is_called_without_its_environment_says_so():
    trace = cutaway.jit(forceobj=True)(may_be_unbound).trace(1, 2)
    change = re.compile(r"call ptr (\S+)\(ptr \S+\.env, ptr %args\)")
    edit = trace.at("llvm").edit(lambda text: change.sub(r"call ptr \1(ptr null, ptr %args)", text))
    with pytest.raises(SystemError, match="called without an environment"):
        edit.resume(unsafe=True)(1, 2)
