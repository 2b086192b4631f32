"""`cutaway verify` and `cutaway bisect`."""

from __future__ import annotations

import pytest

from cutaway.__main__ import main

pytestmark = [pytest.mark.sampled(others=3, fast=0), pytest.mark.usefixtures("one_processor")]

PROGRAM = """\
import cutaway
from cutaway.foundation.dataclass import replace
from cutaway.stages.catalog import PASSES
from witness.wrong_passes import operands_exchanged

def sound(n):
    return n * n

simplify = next(step for step in PASSES if step.name == "simplify")
wrong = replace(simplify, run=operands_exchanged)

@cutaway.jit(pipeline=cutaway.pipelines.nopython.replace("simplify", wrong))
def unsound(a, b):
    return a - b
"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


def test_verify_shows_each_pass(program, capsys):
    assert main(["verify", f"{program}:sound", "--args", "2**40"]) == 0
    assert "declared difference: int64-wrap" in capsys.readouterr().out
    assert main(["verify", f"{program}:unsound", "--args", "7, 2", "--repeat", "2"]) == 1
    assert "different from pass simplify on" in capsys.readouterr().out


def test_bisect_ends_at_the_rewrite(program, capsys, tmp_path):
    assert main(["bisect", f"{program}:sound", "--types", "int64"]) == 0
    assert "does what Python does" in capsys.readouterr().out
    script = tmp_path / "script.py"
    given = [f"{program}:unsound", "--args", "7, 2", "--reproducer", str(script)]
    assert main(["bisect", *given]) == 1
    assert "exchange" in capsys.readouterr().out
    assert "cutaway.jit" in script.read_text()
