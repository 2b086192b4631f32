"""No broken module ends the process: each comes back as an error.

Modules as we make them, debug information included, are broken in many ways and places, and each is
taken through the engine in a child process of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import cutaway
from cutaway.errors import InternalError
from cutaway.foundation.sandbox import in_child
from cutaway.targets.cpu.engine import Module, Plan

pytestmark = pytest.mark.sampled(others=4)

AT_LEAST = 200
SPREAD = 6  # places per way of breaking and module


def total(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


def collatz(n):
    count = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        count += 1
    return count


def made(n):
    a = np.zeros(n)
    for i in range(1, n):
        a[i] = a[i - 1] * 0.5 + i
    return a[1:]


PROGRAMS = {total: (np.ones(3),), collatz: (7,), made: (4,)}

Lines = list[str]
BREAKS: list[Callable[[Lines, int], Lines | None]] = []
ODD: list[Callable[[Lines, int], Lines | None]] = []


def breaking(function):
    """A way to break a module at a line; None where it does not apply to that line."""
    BREAKS.append(function)
    return function


def odd(function):
    """A way to change a module that LLVM may accept, but must not end the process over."""
    ODD.append(function)
    return function


def _result(line: str) -> str:
    found = re.match(r"  (%\S+|%\".*?\") = ", line)
    return found[1] if found else ""


def _with(lines: Lines, k: int, *new: str) -> Lines:
    return [*lines[:k], *new, *lines[k + 1 :]]


@breaking
def a_block_without_an_end(lines, k):
    return _with(lines, k) if re.match(r"  (br|ret) ", lines[k]) else None


@breaking
def a_second_definition(lines, k):
    return _with(lines, k, lines[k], lines[k]) if _result(lines[k]) else None


@breaking
def a_use_before_the_definition(lines, k):
    if not _result(lines[k]) or " phi " in lines[k] or lines[k + 1][:2] != "  ":
        return None
    if _result(lines[k]) not in lines[k + 1] or " phi " in lines[k + 1]:
        return None
    return _with(_with(lines, k, lines[k + 1]), k + 1, lines[k])


@breaking
def a_value_that_is_nowhere(lines, k):
    name = _result(lines[k])
    return _with(lines, k) if name and any(name in other for other in lines[k + 1 :]) else None


@breaking
def a_label_that_is_nowhere(lines, k):
    if not lines[k].startswith("  br "):
        return None
    return _with(lines, k, re.sub(r"label %\S+?(?=,|$)", "label %nowhere", lines[k], count=1))


@breaking
def a_way_back_to_the_entry(lines, k):
    if not lines[k].startswith("  br label"):
        return None
    return _with(lines, k, re.sub(r"label %[^\s,]+", "label %entry", lines[k]))


@breaking
def a_phi_without_one_of_its_values(lines, k):
    if " phi " not in lines[k]:
        return None
    return _with(lines, k, re.sub(r"\[[^\]]*\], ", "", lines[k], count=1))


@breaking
def a_phi_with_a_value_too_many(lines, k):
    if " phi " not in lines[k]:
        return None
    return _with(
        lines, k, re.sub(r"(\[[^\]]*\])", r"\1, \1", lines[k], count=1) + ", [ 0, %entry ]"
    )


@breaking
def a_phi_without_values(lines, k):
    if " phi " not in lines[k]:
        return None
    return _with(lines, k, re.sub(r" \[.*\]", "", lines[k]))


@breaking
def a_phi_after_other_instructions(lines, k):
    name = _result(lines[k])
    if not name or " phi " in lines[k]:
        return None
    return _with(lines, k, lines[k], "  %late = phi i64 [ 0, %entry ]")


@odd
def another_type(lines, k):
    if " = add i64 " not in lines[k] and " = icmp " not in lines[k]:
        return None
    return _with(lines, k, lines[k].replace(" i64 ", " double ", 1))


@odd
def a_call_with_an_argument_too_many(lines, k):
    if "call " not in lines[k] or "()" in lines[k]:
        return None
    return _with(lines, k, re.sub(r"\((?=[^()]*\)[^()]*$)", "(i8 0, ", lines[k]))


@breaking
def a_status_of_another_type(lines, k):
    return _with(lines, k, "  ret i64 0") if lines[k].startswith("  ret i32") else None


@odd
def an_end_in_the_middle(lines, k):
    if not _result(lines[k]) or " phi " in lines[k]:
        return None
    return _with(lines, k, "  ret i32 0", lines[k])


@breaking
def a_place_that_is_no_place(lines, k):
    if "!dbg" not in lines[k] or lines[k].startswith("define"):
        return None
    return _with(lines, k, re.sub(r"!dbg !\d+", "!dbg !0", lines[k]))


@odd
def a_place_of_another_function(lines, k):
    if not lines[k].startswith("!") or "DILocation" not in lines[k]:
        return None
    other = 'distinct !DISubprogram(name: "x", spFlags: DISPFlagDefinition, unit: null)'
    return [*_with(lines, k, re.sub(r"scope: !\d+", "scope: !9999", lines[k])), f"!9999 = {other}"]


@breaking
def a_function_without_a_unit(lines, k):
    if "DISubprogram" not in lines[k]:
        return None
    return _with(lines, k, re.sub(r", unit: !\d+", "", lines[k]))


@breaking
def a_node_that_is_nowhere(lines, k):
    if not re.match(r"!\d+ = .*(DILocation|DISubprogram|DICompileUnit)", lines[k]):
        return None
    number = lines[k].split(" ", 1)[0]
    used = any(re.search(rf"{number}\b", line) for line in lines if line != lines[k])
    return _with(lines, k) if used else None


@breaking
def a_text_that_stops(lines, k):
    return lines[:k] if re.match(r"  (br|ret|%)", lines[k]) else None


@breaking
def a_pointer_that_is_a_number(lines, k):
    return _with(lines, k, lines[k].replace("ptr %", "i64 %", 1)) if " load " in lines[k] else None


@breaking
def an_intrinsic_of_another_shape(lines, k):
    if not lines[k].startswith("declare "):
        return None
    return [*_with(lines, k), "declare i32 @llvm.ctpop.i64(i64)"] + [lines[k] + " nonsense"]


@breaking
def an_entry_that_is_defined_twice(lines, k):
    if not lines[k].startswith("define "):
        return None
    header = re.sub(r" !dbg !\d+", "", lines[k])
    return [*lines, header, "entry:", "  ret i32 0", "}"]


def changed(ways: list[Callable[[Lines, int], Lines | None]]) -> Iterator[tuple[str, str]]:
    """A name and a text for each change; the places are spread over the module."""
    for function, args in PROGRAMS.items():
        lines = cutaway.trace(function, *args).at("llvm").text.splitlines()
        assert any("Debug Info Version" in line for line in lines)
        for how in ways:
            texts = [text for k in range(len(lines) - 1) if (text := how(lines, k)) is not None]
            step = max(1, len(texts) // SPREAD)
            for n, text in enumerate(texts[::step][:SPREAD]):
                yield f"{function.__name__}: {how.__name__} {n}", "\n".join(text) + "\n"


def taken(text: str) -> str:
    """What the engine says of a module; an empty text where it makes machine code of it."""
    try:
        module = Module(text)
        module.optimize(Plan())
        module.object_code()
    except InternalError as error:
        return error.message
    return ""


def answers(ways):
    """What became of each changed module, in a process of its own."""
    modules = dict(changed(ways))
    return {name: in_child(lambda text=text: taken(text), 60) for name, text in modules.items()}


@pytest.mark.slow
def test_every_broken_module_comes_back_as_an_error():
    found = answers(BREAKS)
    assert len(found) >= AT_LEAST
    assert {name: one.words for name, one in found.items() if not one.is_returned} == {}
    assert [name for name, one in found.items() if not one.value] == []
    assert [how.__name__ for how in BREAKS if how.__name__ not in " ".join(found)] == []


@pytest.mark.slow
def test_no_odd_module_ends_the_process():
    found = answers(ODD)
    assert {name: one.words for name, one in found.items() if not one.is_returned} == {}
    assert [how.__name__ for how in ODD if how.__name__ not in " ".join(found)] == []
