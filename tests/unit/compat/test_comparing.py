"""`cutaway doctor --compare`, with a stub in place of Numba that runs Python and has a fault."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway.compat.comparing import same

STUB = {
    "real/numba/__init__.py": """
        from numba.core.dispatcher import Dispatcher
        def njit(function=None, **options):
            return Dispatcher(function) if function else Dispatcher
    """,
    "real/numba/core/__init__.py": "",
    "real/numba/core/dispatcher.py": """
        class Base:
            def __init__(self, function):
                self.py_func = function
            def __call__(self, *args):
                if self.py_func.__name__ == "faulty":
                    return 0
                if self.py_func.__name__ == "fails":
                    raise OverflowError
                return self.py_func(*args)
        class Dispatcher(Base):
            pass
    """,
}
PROGRAM = """
    import enum
    import sys
    import numpy as np
    import numba

    @numba.njit
    def fill(a, x):
        a[:] = x

    @numba.njit
    def total(a, scale):
        return (a * scale).sum()

    @numba.njit
    def faulty(n):
        return n + 1

    @numba.njit
    def refuses(n):
        if n > 1:
            raise ValueError("too large")

    @numba.njit
    def numbers(n):
        for i in range(n):
            yield i

    class Color(enum.Enum):
        RED = 1

    @numba.njit
    def which(color):
        return color

    @numba.njit
    def fails(n):
        return 1 // n

    a = np.zeros(3)
    fill(a, 1.5)
    total(a, 2.0)
    refuses(0)
    try:
        refuses(2)
    except ValueError:
        pass
    [*numbers(3)]
    which(Color.RED)
    if sys.argv[1:] == ["fails"]:
        try:
            fails(0)
        except ArithmeticError:
            pass
    if sys.argv[1:] == ["prints"]:
        print("the same")
        print(numba.__name__, hasattr(numba, "typed"))
    if sys.argv[1:] == ["faulty"]:
        print(faulty(int(a[0])))   # here
"""


@pytest.fixture
def compare(run, tmp_path):
    def compared(*words: str, files: dict[str, str]):
        places = (tmp_path / "real",)
        return run("-m", "cutaway", "doctor", "--compare", *words, files=files, places=places)

    return compared


def test_what_is_the_same_is_said(compare):
    done = compare("program.py", files=STUB | {"program.py": PROGRAM})
    assert done.stdout == "6 calls from Python of functions of jit give the same\n", done.stderr
    assert done.returncode == 0


def test_the_first_call_with_another_result_is_shown_with_its_line(compare):
    done = compare("program.py", "faulty", files=STUB | {"program.py": PROGRAM})
    assert done.returncode == 1
    first, place, line, theirs, ours = done.stdout.splitlines()
    assert first == "call 7 of 7 differs: faulty has another result"
    assert 'program.py", line' in place and line.strip().startswith("print(faulty(")
    assert theirs.split() == ["Numba:", "0"] and ours.split() == ["Cutaway:", "2"]


def test_another_exception_is_a_difference(compare):
    done = compare("program.py", "fails", files=STUB | {"program.py": PROGRAM})
    first, _, _, theirs, ours = done.stdout.splitlines()
    assert first == "call 7 of 7 differs: fails raises something else"
    assert theirs.split()[1] == "OverflowError" and ours.split()[1] == "ZeroDivisionError"


def test_what_the_script_prints_is_compared_too(compare):
    done = compare("program.py", "prints", files=STUB | {"program.py": PROGRAM})
    assert done.stdout.splitlines() == [
        "6 calls from Python of functions of jit give the same",
        "but line 2 of what the script prints is another one:",
        "  Numba:   numba False",
        "  Cutaway: numba True",
    ]
    assert done.returncode == 0  # scripts print times, too


def test_how_the_script_ended_is_told_with_the_whole_error(compare):
    program = (
        PROGRAM + "\n    if hasattr(numba, 'typed'):\n        numba.typed.listobject.new_list()\n"
    )
    done = compare("program.py", files=STUB | {"program.py": program})
    assert done.returncode == 1 and "under Cutaway the script ends with exit code 1" in done.stderr
    assert (
        "UnsupportedError: numba.typed.listobject.new_list" in done.stderr
        and "  hint:" in done.stderr
    )


def test_without_numba_or_a_script_it_says_so(compare, run):
    done = compare("none.py", files=STUB)
    assert "there is no file none.py" in done.stderr and done.returncode == 1
    done = run("-m", "cutaway", "doctor", "--compare")
    assert "which script?" in done.stderr


def test_values_are_the_same_but_for_last_digits():
    assert same((1.0, "a", None), (1.0 + 1e-12, "a", None)) and not same(1, 1.0)
    assert same(np.array([np.nan, 1]), np.array([np.nan, 1]))
    assert not same(np.zeros(2), np.zeros(2, np.float32)) and not same(np.zeros(2), np.zeros(3))
    assert not same(0.1, 0.1 + 2**-25) and not same(2.0**24, 2.0**24 - 4096)
    assert same(float(np.float32(0.1)), float(np.nextafter(np.float32(0.1), np.float32(1))))
    assert same(np.inf, np.inf) and same(complex(np.nan, 1), complex(np.nan, 1))
    assert same([1.0], [1.0]) and not same([1.0], (1.0,))
    record = np.zeros(2, [("a", int), ("b", float)])
    assert same(record, record.copy()) and not same(record["a"], record["b"])
    assert same(np.float32([0.1]), np.float32([0.10001])) and not same(0.1, 0.10001)
