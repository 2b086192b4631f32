"""Every instruction of the running Python has a meaning here, is refused in words, or is not one of
functions; and a Python that is not known is refused when the package is imported."""

from __future__ import annotations

import dis
import subprocess
import sys

import pytest

from cutaway.errors import UnsupportedError
from cutaway.frontend import versions
from cutaway.frontend.build import build_function
from cutaway.frontend.stack import HANDLERS
from cutaway.ir import nodes

# In the code of modules, classes and coroutines alone, or nowhere before it runs.
OF_OTHERS = frozenset(
    """
    ANNOTATIONS_PLACEHOLDER ASYNC_GEN_WRAP BEFORE_ASYNC_WITH CALL_INTRINSIC_2 DELETE_NAME
    END_ASYNC_FOR ENTER_EXECUTOR EXIT_INIT_CHECK GET_ANEXT IMPORT_STAR INTERPRETER_EXIT
    JUMP_NO_INTERRUPT LOAD_CLASSDEREF LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_LOCALS
    LOAD_NAME PRINT_EXPR RESERVED STORE_FAST_MAYBE_NULL STORE_NAME TRACE_RECORD
    """.split()
)
# Of blocks while the compiler of Python works, which puts others in their place.
OF_COMPILERS = frozenset(
    """
    JUMP JUMP_IF_FALSE JUMP_IF_TRUE LOAD_SUPER_METHOD LOAD_ZERO_SUPER_ATTR LOAD_ZERO_SUPER_METHOD
    POP_BLOCK SETUP_CLEANUP SETUP_FINALLY SETUP_WITH STORE_FAST_MAYBE_NULL
    """.split()
)
# What `bytecode.py`, `contexts.py`, `delegation.py` and `reaches.py` take away or write in another
# way.
REWRITTEN = frozenset(
    """
    BINARY_SLICE CLEANUP_THROW END_SEND GET_YIELD_FROM_ITER LOAD_COMMON_CONSTANT LOAD_SMALL_INT
    LOAD_SPECIAL RETURN_CONST RETURN_GENERATOR SEND STORE_SLICE
    """.split()
)


def unknown() -> list[str]:
    known = {*HANDLERS, *OF_OTHERS, *OF_COMPILERS, *REWRITTEN}
    known |= {*versions.IGNORED, *versions.RENAMED, *versions.PAIRS, *versions.UNSUPPORTED}
    known |= versions.CONDITIONAL_JUMPS | versions.ENDS
    return sorted(
        name for name in dis.opmap if name not in known and not name.startswith("INSTRUMENTED_")
    )


def test_every_instruction_of_this_python_is_known():
    assert unknown() == []


def test_the_common_constants_are_those_of_this_python():
    theirs = getattr(dis, "_common_constants", ())
    assert tuple(theirs) == versions.COMMON_CONSTANTS[: len(theirs)]


def test_an_instruction_that_nothing_knows_is_named(monkeypatch):
    monkeypatch.setattr(dis, "opmap", {**dis.opmap, "LOAD_MOON": 300})
    assert unknown() == ["LOAD_MOON"]


def test_an_unknown_python_is_refused_in_a_sentence():
    with pytest.raises(ImportError, match=r"Cutaway does not know Python 3\.99: .* 3\.11, 3\.12"):
        versions.version_of((3, 99), False)
    with pytest.raises(ImportError, match="free-threaded build of Python 3.13: .* 3.14t or later"):
        versions.version_of((3, 13), True)
    assert versions.version_of((3, 14), True) is versions.version_of((3, 14), False)


def test_the_package_refuses_it_when_it_is_imported():
    program = "import sys; sys.version_info = (3, 99, 0, 'final', 0); import cutaway"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 1
    last = run.stderr.splitlines()[-1]
    assert last.startswith("ImportError: Cutaway does not know Python 3.99: ")


@pytest.mark.skipif(sys.version_info < (3, 14), reason="there are no template strings")
def test_a_template_string_is_refused_in_words():
    space = {}
    exec('def f(x):\n    return t"a {x}"\n', space)
    with pytest.raises(UnsupportedError, match="a template string is not supported") as caught:
        build_function(space["f"])
    assert "f-string" in str(caught.value)


def chosen(given):
    low, high = given if given is not None else (-1, 0)
    for item in (given, [low, *given]) if high else [low, high]:
        low = item
    return low, any(one > 1 for one in given)


def test_what_is_brought_into_one_form_is_no_target_of_jumps():
    function = build_function(chosen)
    unpacked = [op for block in function.blocks.values() for op in block.ops]
    assert sum(isinstance(op, nodes.Unpack) for op in unpacked) == 1
