"""Generators whose values are taken in compiled code: what it does is what Python does."""

from __future__ import annotations

import textwrap
import traceback

import pytest

import cutaway

pytestmark = pytest.mark.sampled(test=2, others=6, fast=0)


BODIES = {
    "it is used elsewhere too": """
        values = (i for i in range(n))
        for x in values:
            return x + sum(values)
    """,
    "it is not made anew for each loop over it": """
        values = (i for i in range(n))
        for k in range(n):
            n += sum(values)
        return n
    """,
    "it is not made on every way to the loop": """
        if n:
            values = (i for i in range(n))
        return sum(values)
    """,
    "no loop takes its values": """
        return (i for i in range(n))
    """,
    "it may raise StopIteration": """
        def values():
            yield n
            raise StopIteration
        return sum(values())
    """,
}


@pytest.mark.parametrize("words", BODIES)
def test_why_a_generator_is_not_fused_is_said(words):
    space: dict[str, object] = {}
    body = textwrap.indent(textwrap.dedent(BODIES[words]), "    ")
    exec(f"def f(n):\n{body}", space)  # noqa: S102
    remarks = [str(one) for one in cutaway.jit(space["f"]).trace(3).remarks]
    assert any(words in one for one in remarks), remarks


def test_fusion_is_reported():
    def total(n):
        return sum(i * i for i in range(n))

    remarks = [one for one in cutaway.jit(total).trace(5).remarks if "generator" in str(one)]
    assert len(remarks) == 1
    assert "takes the place of each `yield`" in str(remarks[0])


def test_an_error_in_a_generator_names_its_line():
    @cutaway.jit
    def total(n):
        return sum(
            10 // (i - 2)  # here
            for i in range(n)
        )

    with pytest.raises(ZeroDivisionError) as raised:
        total(5)
    first = total.py_func.__code__.co_firstlineno
    lines = traceback.extract_tb(raised.value.__traceback__)
    assert lines[-1].lineno == first + 3
