"""A variable's life ends in registers of PTX, as LLVM itself reports them."""

from __future__ import annotations

import re

import pytest

from cuda.inspection.kernels import CALLS, DOUBLES, line_of
from cutaway import cuda
from cutaway.inspection.linking.lines import linked_lines
from cutaway.inspection.llvm.ptx_registers import places, register_names

pytestmark = pytest.mark.sampled(others=3)

PRINTED = """\
# *** IR Dump After NVPTX Assembly Printer (nvptx-asm-printer) ***:
# Machine code for function k: IsSSA, NoPHIs
bb.0.entry:
  %4:b64 = LD_i64 0
  %2:b32 = INT_PTX_SREG_TID_x
  DBG_VALUE %9:b64, $noreg
  %11:b64, %3:b1 = ADD64rr %4:b64, killed %4:b64

# End machine code for function k.
"""
TEXT = """\
.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.reg .pred \t%p<2>;
\t.reg .b32 \t%r<2>;
\t.reg .b64 \t%rd<3>;
\tadd.s64 \t%rd2, %rd1, %rd1;
\tret;
}
"""
SAID = TEXT.replace(
    "\tret;", "\t//DEBUG_VALUE: k$1:v0 <- %11\n\t//DEBUG_VALUE: k:v1 <- [DW_OP_deref] %4\n\tret;"
)


def last_words(compilation, name):
    """The last event in the life of a variable."""
    return compilation.biography(name).events[-1]


def test_registers_are_numbered_by_kind_as_they_come():
    assert register_names(PRINTED) == {"k": {"4": "%rd1", "11": "%rd2", "2": "%r1", "3": "%p1"}}


def test_a_comment_leads_to_a_register_and_a_row():
    found = places(SAID, register_names(PRINTED), TEXT)
    assert found == [(0, 8, ("%rd2", True)), (1, 8, ("%rd1", False))]


def test_other_instructions_or_registers_are_not_trusted():
    names = register_names(PRINTED)
    assert places(SAID.replace("add", "sub"), names, TEXT) is None
    assert places(SAID.replace("%rd<3>", "%rd<4>"), names, TEXT.replace("<3>", "<4>")) is None
    assert places(SAID, {}, TEXT) is None


@pytest.mark.parametrize(
    ("kernel", "name", "instruction"),
    [
        ("saxpy", "a", r"ld\.param\.b32 %r\d+, \[saxpy_param_0\]"),
        ("saxpy", "x", r"ld\.param\.b64 %rd\d+, \[saxpy_param_1\]"),
        ("total", "s", r"add\.f64 %rd\d+, %rd\d+, %rd\d+"),
        ("total", "i", r"mov\.u32 %r\d+, %tid\.x"),
        ("doubled", "v", r"ld\.param\.b64 %rd1, \[doubled_param_0\]"),
    ],
)
def test_a_life_ends_in_registers(traced, kernel, name, instruction):
    event = last_words(traced[kernel], name)
    assert (event.when, event.level, event.kind) == ("emit_ptx", "ptx", "held")
    assert re.search(rf"is in .*put there by .*{instruction}", event.what)


def test_registers_that_are_named_are_there(traced):
    """Each is declared, and given a value by an instruction of PTX."""
    for name, compilation in traced.items():
        rows = [row.text for row in linked_lines(compilation.at("ptx")) if row.is_instruction]
        given = {re.split(r"[\s,]+", text.strip())[1] for text in rows if "\t" in text.strip()}
        for variable in compilation.unit.pyfunc.__code__.co_varnames:
            event = last_words(compilation, variable)
            if event.kind == "held" and "is in" in event.what:
                for register in re.findall(r"%\w+\d", event.what.partition(", put")[0]):
                    assert register in given, (name, variable)


def test_the_value_in_the_register_is_that_of_the_variable(traced):
    """What is stored at the end of `total` is the register of the sum."""
    (register,) = re.findall(r"is in (%\w+),", last_words(traced["total"], "s").what)
    stores = [row for row in linked_lines(traced["total"].at("ptx")) if "st.shared" in row.text]
    first = next(row for row in stores if row.line == line_of("shared[i] = s"))
    assert first.text.endswith(f"{register};")


def test_what_became_a_constant_or_a_part_of_another_is_told(traced):
    assert "a constant everywhere" in last_words(traced["total"], "step").what
    assert "no register" in last_words(traced["saxpy"], "t").what


def test_an_array_of_a_thread_is_no_register():
    @cuda.jit(cc=(8, 0))
    def kept(x, out):
        a = cuda.local.array(8, "float64")
        for k in range(8):
            a[(k * 3) % 8] = x[k]
        out[0] = a[x.size % 8]

    compilation = kept.trace(DOUBLES, DOUBLES)
    assert last_words(compilation, "a").level in ("llvm", "llvm_opt", "ptx")
    assert compilation.biography("k").last_seen


def test_each_call_of_the_table_has_lives(traced):
    for kernel, _ in CALLS:
        lives = traced[kernel.__name__].record.data.functions[0].lives
        held = [event for life in lives.values() for event in life if event.kind == "held"]
        assert held


def test_an_argument_that_nothing_reads_has_no_register():
    compilation = cuda.jit(cc=(8, 0))(lambda a: None).trace(DOUBLES)
    assert last_words(compilation, "a").what.endswith("nothing loads it from the parameters")
