"""Code is made for the processor that the settings name, and runs only where it can."""

from __future__ import annotations

import os
import platform
import re
import sys

import numpy as np
import pytest

import cutaway
import warm
from caching.processes import run, write
from cutaway import config
from cutaway.compiling import compilable
from cutaway.errors import SettingError
from cutaway.targets.cpu import processors
from cutaway.targets.cpu.engine import Module, host
from cutaway.targets.cpu.llvm_binding import DirectBinding, open_library
from cutaway.targets.cpu.llvm_fallback import LlvmliteBinding
from cutaway.targets.cpu.optimization import HOST, Cpu, Plan

pytestmark = [
    pytest.mark.sampled(others=3, fast=0),
    pytest.mark.skipif(
        platform.machine().lower() not in ("x86_64", "amd64"), reason="these are names of x86-64"
    ),
]
NOWHERE = "+xop,+avx512fp16"  # one is AMD's of old, the other Intel's of late
ADD = """
define void @f(ptr %a, ptr %b) {
  %x = load <4 x double>, ptr %a
  %y = load <4 x double>, ptr %b
  %z = fadd <4 x double> %x, %y
  store <4 x double> %z, ptr %a
  ret void
}
"""


@cutaway.jit
def total(a):
    """A loop that is made of vectors."""
    s = 0
    for x in a:
        s += x
    return s


def registers(text: str) -> set[str]:
    """The kinds of vector registers in assembly."""
    return set(re.findall(r"%([xyz]mm)\d", text))


@pytest.mark.parametrize("binding", ["direct", "fallback"])
def test_both_ways_to_llvm_obey(binding):
    llvm = DirectBinding(open_library()) if binding == "direct" else LlvmliteBinding()
    handle = llvm.parse(ADD)
    assert llvm.host.name == host()[1].name
    assert sorted(llvm.host.features.split(",")) == sorted(host()[1].features.split(","))
    for name, kinds in (("x86-64-v2", {"xmm"}), ("x86-64-v3", {"ymm"}), ("generic", {"xmm"})):
        text = llvm.emit(handle, Plan(cpu=Cpu(name)), False).decode()
        assert registers(text) == kinds, name
    text = llvm.emit(handle, Plan(cpu=Cpu("x86-64-v3", "-avx")), False).decode()
    assert registers(text) == {"xmm"}
    llvm.free(handle)
    elsewhere = Cpu("generic", "", "aarch64-unknown-linux-gnu")
    assert llvm.data_layout(elsewhere) != llvm.data_layout(HOST)
    handle = llvm.parse(ADD)
    assert "fadd\tv" in llvm.emit(handle, Plan(cpu=elsewhere), False).decode()
    llvm.free(handle)


def test_a_setting_chooses_and_features_come_on_top():
    array = np.arange(9)
    for name, features, kinds in (
        ("x86-64-v2", "", {"xmm"}),
        ("x86-64-v2", "+avx2", {"xmm", "ymm"}),
        ("x86-64-v3", "", {"xmm", "ymm"}),
        ("x86-64-v3", "-avx", {"xmm"}),
        ("host", "-avx", {"xmm"}),
        ("", "-avx", {"xmm"}),
    ):
        with config.using(CPU=name, CPU_FEATURES=features):
            assert registers(total.trace(array).at("asm").text) == kinds, (name, features)


def test_without_one_it_is_this_machine():
    with config.using(CPU="", CPU_FEATURES=""):
        assert compilable.chosen_target().machine == HOST == processors.checked("Host", " , ")
    assert HOST.whole(host()[1]) == host()[1]
    assert processors.missing(HOST) == ()


@pytest.mark.parametrize(
    ("name", "features", "message", "hint"),
    [
        ("nonsense", "", "LLVM knows no processor 'nonsense'", "usual names: generic, x86-64"),
        ("skylak", "", "LLVM knows no processor 'skylak'", "did you mean skylake?"),
        ("i386", "", "LLVM makes no 64-bit code for i386", "usual names"),
        ("a b", "", "LLVM knows no processor 'a b'", "usual names"),
        ("-v", "", "LLVM knows no processor '-v'", "usual names"),
        ("", "avx2", "'avx2' begins with neither + nor -", "+avx2,-fma"),
        ("", "+avx2,+fmaa", "LLVM knows no feature 'fmaa'", "did you mean fma"),
        ("", "+qqqq", "LLVM knows no feature 'qqqq'", "this one has"),
        ("", "+help", "LLVM knows no feature 'help'", ""),
        ("", "+soft-float", "LLVM knows no feature 'soft-float'", ""),
        ("", "-64bit", "code cannot be made without 64bit", "leave -64bit out"),
        ("generic", "-sse2", "code cannot be made without sse2", "leave -sse2 out"),
    ],
)
def test_what_llvm_does_not_know_is_an_error(name, features, message, hint):
    with config.using(CPU=name, CPU_FEATURES=features):
        with pytest.raises(SettingError) as error:
            cutaway.jit(lambda x: x + 1)(1)
    assert message in error.value.message and hint in error.value.hint


def test_a_name_that_is_not_usual_is_tried():
    assert processors.checked("skylake", "") == Cpu("skylake")
    with config.using(CPU="haswell"):
        assert registers(total.trace(np.arange(9)).at("asm").text) == {"xmm", "ymm"}


def test_features_that_a_processor_has_are_found_out():
    wanted = ["avx", "avx2", "avx512f", "fma", "popcnt", "sse4.2", "xop"]
    for name, found in (
        ("x86-64", []),
        ("x86-64-v2", ["popcnt", "sse4.2"]),
        ("x86-64-v3", ["avx", "avx2", "fma", "popcnt", "sse4.2"]),
        ("x86-64-v4", ["avx", "avx2", "avx512f", "fma", "popcnt", "sse4.2"]),
    ):
        assert processors._uses(Cpu(name), wanted) == found
    assert processors._uses(Cpu("x86-64-v3", "-avx2,+xop"), ["avx2", "fma", "xop"]) == [
        "fma",
        "xop",
    ]


def test_what_this_machine_cannot_run_can_be_looked_at():
    with config.using(CPU="generic", CPU_FEATURES=NOWHERE):
        function = cutaway.jit(total.py_func)
        compilation = function.trace(np.arange(9))
        assert compilation.error is None and "retq" in compilation.at("asm").text
        with pytest.raises(SettingError, match="cannot run on this machine, which has no"):
            function(np.arange(9))
        with pytest.raises(SettingError, match="cannot run on this machine"):
            compilation.at("llvm").edit(lambda text: text).resume()(np.arange(9))
    assert function(np.arange(9)) == 36
    assert processors.missing(Cpu("generic", NOWHERE))
    assert processors.missing(host()[1]) == ()


def test_the_process_ends_with_an_error_and_not_with_a_signal():
    program = "import cutaway\n@cutaway.jit\ndef f(x): return x\nf(1)"
    for name, features in (("nonsense", ""), ("i386", ""), ("", "-64bit"), ("generic", NOWHERE)):
        variables = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features}
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CUTAWAY_CPU")}
        done = warm.run(
            [sys.executable, "-c", program],
            env={**kept, **{k: v for k, v in variables.items() if v}},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1 and "SettingError" in done.stderr


def test_the_process_that_tells_llvms_remarks_compiles_for_it_too():
    for name, width in (("x86-64-v2", 2), ("x86-64-v3", 4)):
        with config.using(CPU=name):
            text = str(total.trace(np.arange(9)).remarks)
        assert f"the loop is vectorized: {width} items at once" in text, text


def test_a_record_tells_it(tmp_path):
    with config.using(CPU="x86-64-v2", CPU_FEATURES="+avx"):
        total.trace(np.arange(9)).save(tmp_path / "one.cutaway")
    made_with = cutaway.load(tmp_path / "one.cutaway").data.made_with
    assert (made_with["processor"], made_with["features"]) == ("x86-64-v2", "+avx")


PROGRAM = """
@jit(cache=True)
def total(a):
    return np.sum(np.sort(a)) + a[0]
tell(total, result=total(np.ones(9)))
"""


def test_each_processor_has_cached_code_of_its_own(tmp_path):
    home = tmp_path / "home"
    program = write(tmp_path, PROGRAM)
    choices = [
        {"CUTAWAY_CPU": ""},
        {"CUTAWAY_CPU": "x86-64-v2"},
        {"CUTAWAY_CPU": "x86-64-v2", "CUTAWAY_CPU_FEATURES": "+sse4a"},
        {"CUTAWAY_CPU": "x86-64"},
    ]
    if processors.missing(Cpu("x86-64-v2", "+sse4a")):
        del choices[2]
    kept = []
    for choice in choices:
        assert run(program, home, **choice)["misses"] == [1]
        kept.append(len(list((home / "cutaway" / "library").iterdir())))
    assert kept == [kept[0] * (k + 1) for k in range(len(choices))]
    for choice in choices:
        found = run(program, home, **choice)
        assert found["hits"] == [1] and found["result"] == 10.0 and not found["llvm"]
    assert run(program, home, CUTAWAY_CPU="host")["hits"] == [1]


def test_doctor_tells_it(capsys, monkeypatch):
    from cutaway.__main__ import main

    for name, shown in (
        ("", "[ok] code is for           this processor"),
        ("x86-64-v2", "[ok] code is for           x86-64-v2"),
        ("nonsense", "[!!] code is for           SettingError: CUTAWAY_CPU"),
    ):
        with config.using(CPU=name):
            main(["doctor"])
        assert shown in capsys.readouterr().out


def test_a_module_without_a_plan_is_for_this_machine():
    assert registers(Module(ADD).assembly) <= {"xmm", "ymm", "zmm"}
