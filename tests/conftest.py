"""Shared by all tests."""

from __future__ import annotations

import gc
import importlib
import os
import platform
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
# NVIDIA's packages, which benchmarks need, put a module of that name there in every process.
sys.modules.pop("cuda", None)
corpora = importlib.import_module("corpora")
os.environ[corpora.TURN] = str(corpora.turn())  # of all processes of this run

# Modules of many cases, of which `make fast` runs one in so many; 0: none.
SAMPLED = {
    "test_programs": 200,
    "test_bad": 80,
    "test_battery": 0,
    "test_extremes": 10,
    "test_overflow": 5,
    "test_numbers": 5,
    "test_ledger": 8,
    "test_errors": 6,
    "test_engine": 12,
    "test_memory": 15,
    "test_random_calls": 8,
    "test_random_choices": 8,
    "test_threads": 8,
    "test_profiling": 20,
    "test_pickling": 8,
    "test_user_functions": 0,
    "test_library_functions": 0,
    "test_dependencies": 0,
    "test_made_up_globals": 0,
    "test_odd_files": 8,
    "test_programs_simulated": 100,
    "test_processors": 0,
    "test_global_arrays": 6,
    "test_corpora": 4,
    "test_calls": 15,
    "test_objects": 40,
    "test_numpy_kinds": 8,
    "test_library": 200,
    "test_random_arrays": 40,
    "test_ufuncs": 20,
    "test_promotion": 0,
    "test_outputs": 24,
    "test_options_and_types": 0,
    "test_references": 20,
    "test_processes": 6,
    "test_why": 20,
    "test_choices_of_functions": 8,
    "test_functions_as_values": 8,
    "test_literal_unroll": 6,
    "test_inline_option": 6,
    "test_imports": 40,
    "test_command_line": 4,
    "test_like_a_function": 8,
    "test_numeric": 4,
    "test_numpy_loops": 10,
    "test_codes": 4,
    "test_witness": 0,
    "test_bisect": 0,
    "test_sandbox": 4,
    "test_edit": 0,
    "test_install": 0,
    "test_browser": 0,
    "test_clicks": 0,
    "test_sentences": 10,
    "test_page_text": 0,
    "test_notebook": 0,
    "test_lessons": 6,
    "test_reports": 8,
    "test_remarks": 0,
    "test_llvm_history": 0,
    "test_linking": 0,
    "test_graphs": 5,
    "test_layout": 6,
    "test_recorded": 10,
    "test_record_files": 0,
    "test_comparing": 8,
    "test_biography": 8,
    "test_commands": 0,
    "test_screen": 0,
    "test_model": 6,
    "test_frames": 0,
    "test_replay": 31,
    "test_editing": 16,
    "test_regions_compiled": 9,
    "test_fusion": 5,
    "test_fusion_page": 0,
    "test_loop_graphs": 8,
    "test_whole_arrays": 12,
    "test_everyday": 8,
    "test_odd_functions": 16,
    "test_examples": 5,
    "test_malformed": 4,
    "test_leaks": 0,
    "test_left_out": 24,
    "test_library_calls": 20,
    "test_comparisons": 12,
    "test_cgutils": 6,
    "test_programs_of_the_reference": 4,
    "test_halves": 20,
    "test_budgets": 30,
    "test_option": 6,
    "test_bad_extensions": 5,
    "test_methods": 8,
    "test_arrays": 4,
    "test_unused": 8,
    "test_settings": 4,
    "test_one_type": 6,
    "test_declared_returns": 4,
    "test_lowered": 6,
    "test_intrinsic": 6,
    "test_overload": 6,
    "test_interpreted": 6,
    "test_pyapi": 5,
    "test_nested": 5,
    "test_nbep2": 5,
    "test_levels": 4,
    "test_dumps": 4,
    "test_stack_arrays": 6,
    "test_in_compiled_code": 5,
    "test_private_loops": 8,
    "test_sources": 5,
    "test_growing": 4,
    "test_passes_over_arrays": 5,
    "test_ranges": 4,
    "test_usual_programs": 15,
    "test_ptx_level": 12,
    "test_kernels_in_ptx": 20,
    "test_questions": 6,
    "test_ptx_page": 0,
    "test_kernel_figures": 6,
    "test_figures": 6,
    "test_emitted": 0,
    "test_words": 20,
    "test_refused": 15,
    "test_simulated": 30,
}


# Modules whose cases are about what the compiler does behind the front end, which is the same on
# every Python: of these, the others than the first run one in so many, others at each turn
# (`corpora.py`), unless CUTAWAY_TEST_ALL is set, or files or tests are named.
ELSEWHERE = {
    "test_figures": 6,
    "test_usual_programs": 20,
    "test_programs": 3,
    "test_library": 8,
    "test_random_arrays": 5,
    "test_promotion": 3,
    "test_outputs": 4,
    "test_leaks": 2,
    "test_user_functions": 5,
    "test_options_and_types": 3,
    "test_dependencies": 3,
    "test_odd_files": 3,
    "test_processors": 3,
    "test_processes": 3,
    "test_witness": 5,
    "test_faults": 6,
    "test_no_false_alarm": 6,
    "test_bisect": 4,
    "test_edit": 5,
    "test_browser": 12,
    "test_clicks": 8,
    "test_sentences": 5,
    "test_page_text": 4,
    "test_lessons": 6,
    "test_notebooks": 8,
    "test_linking": 3,
    "test_remarks": 3,
    "test_llvm_history": 3,
    "test_graphs": 4,
    "test_layout": 4,
    "test_recorded": 3,
    "test_commands": 3,
    "test_screen": 2,
    "test_memory": 6,
    "test_extremes": 3,
    "test_engine": 4,
    "test_imports": 4,
    "test_library_functions": 3,
    "test_odd_functions": 3,
    "test_objects": 6,
    "test_threads": 5,
    "test_command_line": 3,
    "test_bad": 2,
    "test_notebook": 3,
    "test_why": 3,
    "test_calls": 4,
    "test_codes": 3,
    "test_references": 3,
    "test_reports": 4,
    "test_record_files": 4,
    "test_biography": 3,
    "test_everyday": 3,
    "test_install": 3,
    "test_editing": 4,
    "test_regions_compiled": 4,
    "test_broken_modules": 4,
    "test_halves": 4,
    "test_budgets": 6,
    "test_option": 3,
    "test_stack_arrays": 3,
    "test_fusion": 3,
    "test_fusion_page": 4,
    "test_loop_graphs": 4,
    "test_numbers": 3,
    "test_overflow": 3,
    "test_replay": 3,
    "test_pickling": 2,
    "test_left_out": 3,
    "test_numpy_kinds": 2,
    "test_profiling": 2,
    "test_battery": 3,
    "test_ptx_level": 4,
    "test_kernels_in_ptx": 20,
    "test_questions": 5,
    "test_ptx_page": 7,
    "test_kernel_figures": 4,
    "test_line_tables": 3,
    "test_registers": 3,
    "test_elements_on_gpu": 4,
    "test_parts_on_gpu": 4,
    "test_programs_simulated": 24,
    "test_reductions_on_gpu": 4,
    "test_kernels_around": 4,
    "test_emitted": 7,
    "test_words": 6,
    "test_refused": 4,
    "test_simulated": 5,
}

# Modules of so many cases that the first Python, too, runs one in so many, others at each turn.
HERE = {
    "test_programs": 2,
    "test_library": 3,
    "test_regions_compiled": 2,
    "test_user_functions": 2,
    "test_sentences": 2,
    "test_random_arrays": 2,
    "test_engine": 2,
    "test_leaks": 2,
    "test_usual_programs": 10,
    "test_generated": 2,
    "test_editing": 2,
    "test_kernels_in_ptx": 3,
    "test_programs_simulated": 12,
}

# Modules that look at machine code, or at what LLVM did: they run for one processor, so that they
# see the same on every machine. CUTAWAY_CPU in the environment comes before it.
LOOK_AT_CODE = frozenset(
    "test_linking test_remarks test_llvm_history test_recorded test_edit test_odd_functions"
    " test_optimization test_everyday test_page_text test_notebooks test_lessons test_commands"
    " test_dumps test_examples test_graphs test_record_files test_comparing test_battery"
    " test_loop_marks test_vector_loops test_slow_loops".split()
)
PROCESSOR = "x86-64-v2" if platform.machine().lower() in ("x86_64", "amd64") else "generic"


@pytest.fixture(scope="module", autouse=True)
def one_processor(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compile for the same processor everywhere, where that can be seen."""
    if request.path.stem not in LOOK_AT_CODE or "CUTAWAY_CPU" in os.environ:
        yield
        return
    os.environ["CUTAWAY_CPU"] = PROCESSOR
    yield
    del os.environ["CUTAWAY_CPU"]


@pytest.fixture(scope="session", autouse=True)
def no_cache_of_the_user() -> Iterator[None]:
    """What is cached goes to a folder of the tests, and with it when they end."""
    folder = os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="cutaway-tests-")
    yield
    shutil.rmtree(folder, ignore_errors=True)


def pytest_report_header() -> str:
    return corpora.header()


def _sampled(items: list[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that this Python runs, others at each turn, and those that it leaves out."""
    rates = HERE if sys.version_info[:2] == corpora.FIRST else ELSEWHERE
    seen: Counter[str] = Counter()
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        module = item.path.stem
        place = seen[module] - corpora.turn()
        (left if place % rates.get(module, 1) else kept).append(item)
        seen[module] += 1
    return kept, left


def chosen(config: pytest.Config) -> bool:
    """True if somebody asks for tests by name, and wants those."""
    asked = [word for word in config.args if ".py" in word]
    return bool(asked) or bool(config.option.keyword) or bool(os.environ.get(corpora.WHOLE))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without looking for garbage, and keep what was collected out of later searches: each
    of the many in a run would go through all tests again, and copy them in a forked child."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not os.environ.get("CUTAWAY_TEST_ALL") and not chosen(config):
        items[:], left = _sampled(items)
        config.hook.pytest_deselected(items=left)
    seen: Counter[str] = Counter()
    for item in items:
        module = item.path.stem
        every = SAMPLED.get(module, 1)
        if not every or seen[module] % every:
            item.add_marker(pytest.mark.slow)
        seen[module] += 1
