"""The engine, with each of its two ways to LLVM: text in, callable machine code out."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
import weakref
from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p
from pathlib import Path

import pytest

from cutaway.errors import InternalError
from cutaway.targets.cpu import engine, llvm_binding
from cutaway.targets.cpu.engine import LIGHT, NOTHING, Library, Module, Plan
from cutaway.targets.cpu.llvm_binding import DirectBinding, UnknownLibrary, open_library
from cutaway.targets.cpu.llvm_fallback import LlvmliteBinding
from engine.kernels import ADD, AXPY, LOOP, TOTAL

pytestmark = pytest.mark.sampled(test=2, others=4, fast=12)

PLANS = {
    "full": Plan(),
    "O2": Plan(speed=2, vectorize=False, slp=False, unroll=False),
    "light": LIGHT,
    "quick": Plan("light", codegen=0),
    "none": NOTHING,
}
BINDINGS = {"direct": DirectBinding(open_library()), "fallback": LlvmliteBinding()}


LOADERS = {"direct": None, "direct linker": "direct", "fallback": None, "linker": "fallback"}


def refuse(*_: object) -> None:
    raise ValueError("left to LLVM's linker")


@pytest.fixture(params=LOADERS, autouse=True)
def binding(request, monkeypatch):
    """Run every test with both ways to LLVM, and with the runtime's loader and LLVM's linker."""
    found = BINDINGS[LOADERS[request.param] or request.param]
    monkeypatch.setattr(engine, "_binding", lambda: found)
    monkeypatch.setattr(engine, "_linkers", [])
    if LOADERS[request.param]:
        monkeypatch.setattr(engine, "load_object", refuse)
    return found


def built(text: str, plan: Plan = NOTHING) -> bytes:
    module = Module(text)
    module.optimize(plan)
    return module.object_code()


def resident() -> int:
    """The memory of this process, in kB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def in_new_process(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- modules ----------------------------------------------------------------------------------


def test_text_that_is_not_ir_is_refused_with_its_line():
    with pytest.raises(InternalError, match=r":3:11: error: .*undefined value '%x'\n  ret i64 %x"):
        Module("define i64 @f() {\nentry:\n  ret i64 %x\n}\n")


def test_text_with_a_null_character_is_not_read_up_to_it():
    with pytest.raises(InternalError, match="null character"):
        Module(ADD + "\0" + LOOP)


def test_a_module_that_breaks_a_rule_is_refused_before_anything_runs_on_it():
    text = "define i64 @f() {\n  %a = add i64 %b, 1\n  %b = add i64 %a, 1\n  ret i64 %a\n}"
    with pytest.raises(InternalError, match="not valid: Instruction does not dominate all uses"):
        Module(text)


def test_text_read_back_says_the_same():
    text = Module(LOOP).text
    assert Module(text).text == text
    assert "target triple" in text and "target datalayout" in text


def test_names_may_be_any_text():
    entry = '"größe.entry"'
    code = built(f"define i64 @{entry}() {{\n  ret i64 7\n}}")
    library = Library.load(code, ("größe.entry",), {})
    assert CFUNCTYPE(c_int64)(library.address("größe.entry"))() == 7


def test_assembly_and_object_can_be_made_in_any_order_and_leave_the_text_alone():
    first, second = Module(TOTAL), Module(TOTAL)
    for module in (first, second):
        module.optimize(Plan())
    before = first.text
    assembly, code = first.assembly, first.object_code()
    assert (second.object_code(), second.assembly) == (code, assembly)
    assert first.text == before
    assert "total:" in assembly


def test_the_full_plan_vectorizes_and_unrolls_only_where_it_is_told_to():
    text = AXPY.replace("readonly", "noalias readonly")
    plain = Module(text)
    plain.optimize(Plan(vectorize=False, slp=False, unroll=False))
    vector = Module(text)
    vector.optimize(Plan())
    assert " x double>" in vector.text
    assert " x double>" not in plain.text and plain.text.count("fmul") == 1


def test_the_light_plan_leaves_nothing_in_memory_that_fits_a_register():
    module = Module(LOOP)
    module.optimize(LIGHT)
    assert "alloca" not in module.text


def test_the_light_plan_makes_one_function_of_a_wrapper_and_what_it_calls():
    module = Module(
        ADD.replace("define", "define internal").replace("nounwind", "alwaysinline")
        + "define i64 @entry(i64 %a) {\n  %b = call i64 @add(i64 %a, i64 1)\n  ret i64 %b\n}"
    )
    module.optimize(LIGHT)
    assert "@add" not in module.text and "add i64 %a, 1" in module.text


@pytest.mark.parametrize("plan", [Plan(), LIGHT], ids=["full", "light"])
def test_timing_names_each_pass_once_with_the_slowest_first(plan):
    rows = Module(LOOP).optimize(plan, timing=True)
    names = [row.name for row in rows]
    assert "SROAPass" in names and "InstCombinePass" in names
    assert len(set(names)) == len(names) and not any("%" in n for n in names)
    assert [row.seconds for row in rows] == sorted((row.seconds for row in rows), reverse=True)
    assert 0 < sum(row.seconds for row in rows) < 1
    assert Module(LOOP).optimize(plan) == []


def test_modules_are_freed():
    for _ in range(50):
        built(LOOP, LIGHT)
    gc.collect()
    before = resident()
    for _ in range(400):
        built(LOOP, LIGHT)
    assert resident() - before < 1_000


# --- machine code -----------------------------------------------------------------------------


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_every_plan_computes_the_same(plan):
    data = (c_double * 100)(*range(100))
    other = (c_double * 100)(*[0.5] * 100)
    place = (c_double * 100)()
    make = CFUNCTYPE(c_void_p, c_int64)(lambda size: ctypes.addressof(place))
    symbols = {"make": ctypes.cast(make, c_void_p).value}
    libraries = {
        name: Library.load(built(text, plan), (name,), symbols)
        for name, text in (("add", ADD), ("loop", LOOP), ("total", TOTAL), ("axpy", AXPY))
    }
    address = {name: library.address(name) for name, library in libraries.items()}
    assert CFUNCTYPE(c_int64, c_int64, c_int64)(address["add"])(2**62, 2**62) == -(2**63)
    assert CFUNCTYPE(c_int64, c_int64)(address["loop"])(1000) == sum(i * i for i in range(1000))
    assert CFUNCTYPE(c_double, c_void_p, c_int64)(address["total"])(data, 100) == sum(range(100))
    axpy = CFUNCTYPE(c_void_p, c_double, c_void_p, c_void_p, c_int64)(address["axpy"])
    assert axpy(2.0, data, other, 100) == ctypes.addressof(place)
    assert list(place) == [2.0 * i + 0.5 for i in range(100)]


CALLER = "declare i64 @{0}()\ndefine i64 @f() {{\n  %a = call i64 @{0}()\n  ret i64 %a\n}}"


@pytest.mark.parametrize("name", ["nowhere_to_be_found", "getpid"])
def test_a_missing_symbol_is_named_also_when_the_process_has_one_of_that_name(name):
    with pytest.raises(InternalError, match=f"calls {name}, whose address is not known"):
        Library.load(built(CALLER.format(name)), ("f",), {})


def test_a_symbol_is_where_it_is_said_to_be():
    answer = CFUNCTYPE(c_int64)(lambda: 42)
    symbols = {"getpid": ctypes.cast(answer, c_void_p).value, "unused": 1}
    library = Library.load(built(CALLER.format("getpid")), ("f",), symbols)
    assert CFUNCTYPE(c_int64)(library.address("f"))() == 42


def test_a_missing_export_is_named():
    with pytest.raises(InternalError, match="nothing"):
        Library.load(built(ADD), ("nothing",), {})


def test_calls_that_llvm_makes_up_are_found():
    text = TOTAL.replace("%item = load double, ptr %at", "store double 0.0, ptr %at")
    text = text.replace("fadd double %s, %item", "fadd double %s, 1.0").replace(" readonly", "")
    module = Module(text)
    module.optimize(Plan())
    assert "llvm.memset" in module.text
    library = Library.load(module.object_code(), ("total",), {})
    data = (c_double * 3)(1, 2, 3)
    assert CFUNCTYPE(c_double, c_void_p, c_int64)(library.address("total"))(data, 2) == 2.0
    assert list(data) == [0, 0, 3]


def broken_objects() -> dict[str, bytes]:
    good = built(ADD)
    return {
        "empty": b"",
        "text": b"not an object",
        "cut": good[: len(good) // 2],
        "no sections": good[:64],
        "header only": b"\x7fELF\x02\x01" + bytes(58),
    }


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "no sections", "header only"])
def test_a_damaged_object_is_refused(kind):
    with pytest.raises(InternalError):
        Library.load(broken_objects()[kind], ("add",), {})


def test_a_failed_load_leaves_the_linker_usable():
    with pytest.raises(InternalError):
        Library.load(built(ADD), ("nothing",), {})
    assert Library.load(built(ADD), ("add",), {}).address("add")


def is_executable(address: int) -> bool:
    """Whether the address lies in a part of memory that can be executed; neighboring parts of
    several libraries may be listed as one."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, access = line.split()[:2]
        low, high = (int(bound, 16) for bound in span.split("-"))
        if low <= address < high:
            return "x" in access
    return False


def test_a_library_is_unmapped_with_its_last_reference():
    library = Library.load(built(ADD), ("add",), {})
    address = library.address("add")
    assert is_executable(address)
    gone = weakref.ref(library)
    del library
    gc.collect()
    assert gone() is None
    assert not is_executable(address)


def test_loading_and_freeing_leaves_memory_flat():
    code = built(LOOP)
    for _ in range(600):
        Library.load(code, ("loop",), {})
    gc.collect()
    before = resident()
    for _ in range(2_000):
        Library.load(code, ("loop",), {})
    gc.collect()
    assert resident() - before < 1_000


def test_a_library_outlives_the_linkers_that_come_after_its_own():
    code = built(LOOP)
    kept = Library.load(code, ("loop",), {})
    for _ in range(2 * engine._LIBRARIES_PER_LINKER):
        Library.load(code, ("loop",), {})
    assert CFUNCTYPE(c_int64, c_int64)(kept.address("loop"))(10) == 285


# --- threads and processes --------------------------------------------------------------------


def test_threads_compile_load_and_free_together():
    results, kept = [], []

    def work(number: int) -> None:
        for i in range(15):
            text = f"define i64 @f() {{\n  ret i64 {number * 100 + i}\n}}"
            library = Library.load(built(text, LIGHT), ("f",), {})
            results.append(CFUNCTYPE(c_int64)(library.address("f"))())
            kept.append(library)
            if len(kept) > 5:
                kept.pop(0)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [n * 100 + i for n in range(4) for i in range(15)]


def test_the_collector_waits_for_no_other_thread():
    module = Module(ADD)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with engine._llvm():
            entered.set()
            leave.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait()
    del module
    assert len(engine._WAITING) == 1
    leave.set()
    holder.join()
    Module(ADD)
    assert not engine._WAITING


def test_a_child_process_can_compile_whatever_other_threads_were_doing():
    printed = in_new_process(
        "import os, threading\n"
        "from cutaway.targets.cpu.engine import Library, Module, Plan\n"
        f"text = {LOOP!r}\n"
        "def work():\n"
        "    module = Module(text)\n"
        "    module.optimize(Plan())\n"
        "    return Library.load(module.object_code(), ('loop',), {})\n"
        "thread = threading.Thread(target=lambda: [work() for _ in range(20)])\n"
        "thread.start()\n"
        "for _ in range(5):\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        os._exit(0 if work().address('loop') else 1)\n"
        "    print(os.waitpid(child, 0)[1])\n"
        "thread.join()\n"
    )
    assert printed.split() == ["0"] * 5


# --- opening LLVM -----------------------------------------------------------------------------


@pytest.fixture
def empty_binding(monkeypatch):
    """`engine._binding` with nothing opened yet."""
    monkeypatch.undo()
    engine._binding.cache_clear()
    yield engine._binding
    engine._binding.cache_clear()


def test_llvmlite_is_not_imported():
    assert (
        in_new_process(
            "import sys\n"
            "from cutaway.targets.cpu.engine import Module\n"
            f"Module({ADD!r}).object_code()\n"
            "print([name for name in sys.modules if name.startswith('llvmlite')])\n"
        )
        == "[]\n"
    )


def test_another_version_of_llvmlite_is_used_through_its_python_interface(
    empty_binding, monkeypatch
):
    monkeypatch.setattr(llvm_binding, "VERSIONS", ("0.1.",))
    with pytest.raises(UnknownLibrary, match="llvmlite is 0.50"):
        open_library()
    assert isinstance(empty_binding(), LlvmliteBinding)


def test_a_library_that_lacks_a_function_is_used_through_its_python_interface(
    empty_binding, monkeypatch
):
    monkeypatch.setitem(llvm_binding._FUNCTIONS, "NoSuchFunction", (None, ()))
    with pytest.raises(UnknownLibrary, match="LLVMPY_NoSuchFunction"):
        open_library()
    assert isinstance(empty_binding(), LlvmliteBinding)


def test_a_missing_llvmlite_is_said_with_a_hint(empty_binding, monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setitem(sys.modules, "cutaway.targets.cpu.llvm_fallback", None)
    with pytest.raises(InternalError, match="llvmlite is not installed") as found:
        empty_binding()
    assert "pip install" in found.value.hint


def test_a_function_that_is_not_in_the_table_is_named():
    with pytest.raises(InternalError, match="LLVMPY_Nonsense"):
        open_library().Nonsense()
