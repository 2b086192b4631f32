"""Machine code of the CPU beside PTX, for one source, line by line."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cuda.inspection.kernels import DOUBLES, saxpy
from cutaway import cuda
from cutaway.__main__ import main
from cutaway.errors import RecordError


def squares(x, out):
    s = 0.0
    for k in range(x.size):
        s += x[k] * x[k]
    out[0] = s


@pytest.fixture(scope="module")
def beside():
    kernel = cuda.jit(cc=(8, 0))(squares)
    return cutaway.diff(cutaway.trace(squares, DOUBLES, DOUBLES), kernel.trace(DOUBLES, DOUBLES))


def test_each_line_has_the_instructions_of_both(beside):
    first = squares.__code__.co_firstlineno
    row = beside.code().at(first + 3)
    assert row.source.strip() == "s += x[k] * x[k]"
    assert any(text.startswith("fma.rn.f64 %rd") for text in row.right)
    assert any("mul" in text or "fmla" in text for text in row.left)


def test_it_is_text_and_drawn(beside):
    shown = beside.code()
    assert "st.global.b64 [%rd" in str(shown)
    assert "(asm) | squares" in str(shown).splitlines()[0]
    assert "fma.rn.f64" in shown._repr_mimebundle_()["text/html"]


def test_what_cannot_stand_beside_each_other_is_refused(beside):
    other = saxpy.trace(np.float32(2), *[np.ones(2, np.float32)] * 3)
    with pytest.raises(RecordError, match="are not of one source"):
        cutaway.diff(beside.left, other).code()
    with pytest.raises(RecordError, match="line 1 became no instruction"):
        beside.code().at(1)
    failed = cutaway.trace(squares, "text", DOUBLES)
    with pytest.raises(RecordError, match="reached no machine code"):
        cutaway.diff(beside.left, failed).code()


def test_the_command_line_compiles_one_source_for_both(tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text("def f(x):\n    x[0] = x[1] * 2.0\n")
    types = ["--types", "float64[::1]"]
    subject = f"{file}:f"
    assert main(["diff", subject, subject, *types, "--cc2", "9.0", "--code"]) == 1
    assert "x[0] = x[1] * 2.0" in capsys.readouterr().out
    assert main(["inspect", subject, *types, "--cc", "9.0", "--level", "ptx"]) == 0
    assert ".target sm_90" in capsys.readouterr().out
    assert main(["inspect", subject, *types, "--cc", "3.0"]) == 1
    assert "there is no code for compute capability 3.0" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["inspect", subject, *types, "--cc", "9"])
    assert "'9' is no compute capability, as 9.0 is one" in capsys.readouterr().err
