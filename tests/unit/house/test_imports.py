"""The import law: who may import whom, what is loaded by name and why, and no circles."""

from __future__ import annotations

import ast

import pytest

from house.source import PATHS, Edge, edges, every_edge, tree

pytestmark = pytest.mark.sampled(others=0, fast=40)

BASE = {"foundation", "errors", "config"}
# Each folder (or module at the top) and what it may import beside the base.
MAY_IMPORT: dict[str, set[str]] = {
    "foundation": set(),
    "errors": set(),
    "config": set(),
    "ledger": set(),
    "drawing": set(),  # it knows no program
    "ir": set(),
    "runtime": set(),
    "dispatch_c": {"runtime"},
    "driver_c": set(),
    "frontend": {"ir"},
    "typing": {"ir"},
    "types": {"typing"},
    "targets": {"runtime"},
    "targets.cpu.target": {"runtime", "extending", "lowering"},  # it is made of them
    "targets.cpu.looping": {"lowering"},  # the same
    "targets.ptx.entry": {"lowering", "typing"},  # the same
    "targets.ptx.exceptions": {"lowering"},  # the same
    "targets.ptx.target": {"library"},  # the same
    "targets.ptx.libdevice": {"caching"},  # it keeps what it has pruned
    "gpu": set(),  # words, which everything above knows by identity
    "lowering": {"ir", "typing", "runtime", "targets"},
    "extending": {"ir", "typing", "lowering", "targets", "dispatch_c"},  # of classes it learns
    "threads": {"runtime"},
    "typed": {"dispatch_c", "lowering", "typing"},
    "library": {"extending", "gpu", "typing", "lowering", "ir", "threads", "typed"},
    "stages": {"ir", "frontend", "typing", "lowering", "runtime", "extending", "targets"},
    # It shows the overloads of `extending`, the blocks that `frontend` finds in bytecode, the
    # threads of `runtime` at work, and runs a thread of `gpu`.
    "inspection": {
        *("drawing", "extending", "frontend", "gpu", "ir", "lowering", "runtime", "stages"),
        *("targets", "typing"),
    },
    # A hit needs the first line; what the compiler leaves and finds, the second.
    "caching": {"dispatch_c", "runtime", "lowering", "typing", "stages", "ir", "targets"},
    "caching.extensions": {"extending", "typing"},  # it knows their code
    "compiling": {
        *("caching", "dispatch_c", "frontend", "inspection", "ir", "library", "lowering"),
        *("runtime", "stages", "targets", "typing"),
    },
    "dispatch": {
        *("caching", "compiling", "dispatch_c", "extending", "inspection", "ir", "lowering"),
        *("stages", "targets", "typing"),
    },
    "ufuncs": {"caching", "compiling", "dispatch", "dispatch_c", "inspection", "typing"},
    "stencils": {"compiling", "dispatch", "dispatch_c", "ir", "stages", "typing"},
    "cuda": {
        *("api", "caching", "compiling", "dispatch", "dispatch_c", "driver_c", "gpu"),
        *("inspection", "ir", "lowering", "stages", "targets", "typing", "ufuncs"),
    },
    "api": {"dispatch", "dispatch_c"},
    "lessons": {"api", "inspection", "ir", "stages"},
    "commands": {"api", "cuda", "inspection", "typing"},
    "compat": {"extending", "runtime", "typing"},
    "as_numba": {"compat"},
}
TOP = {"", "__main__"}  # the package itself and its command line may import everything

# Single imports against the law, with the reason.
PERMITTED = {
    ("typing.types.containers", "typed"): "it has the classes of native containers",
    ("foundation.options", "errors"): "a wrong option is an error of the user's",
    ("inspection.record.making", ""): "a record says which version made it",
    ("ufuncs.decorators", "cuda"): "what they decorate may run on a GPU",
    ("targets.cpu.objects", "lowering"): "it is made of the entry point of object mode",
}

# What is loaded by its name when it is first needed, with the reason.
LOADS = {
    ("compat.installing", "typing.types"): "whether types are loaded at all",
    (
        "library.arrays.indexing.choosing",
        "library.arrays.indexing.gathering",
    ): "few programs index by arrays",
    ("library.arrays.indexing.basic", "lowering.arrays.kernels"): "few programs convert in a slice",
    ("library.arrays.indexing.basic", "lowering.arrays.nests"): "few programs convert in a slice",
    ("cuda", "cuda.compiling"): "it loads the compiler",
    ("cuda", "cuda.simulator.plain"): "it loads the compiler",
    ("cuda", "cuda.simulator.simulating"): "it loads the compiler",
    ("cuda", "errors"): "users find them there",
    ("cuda", "gpu.bfloat16"): "it loads NumPy",
    ("cuda", "cuda.random"): "few programs draw numbers",
    ("cuda", "cuda.kernels"): "most names are loaded at their first use",
    ("cuda", "cuda.ufuncs.reducing"): "most names are loaded at their first use",
    ("cuda", "cuda.driver.*"): "most names are loaded at their first use",
    ("extending", "extending.*"): "most programs extend nothing",
    ("inspection.llvm.run", "inspection.llvm.child"): "it is run as a process of its own",
    ("inspection.witness.values", "ir.interpreter"): "a name to look for in tracebacks",
    ("typing.types.containers", "typed"): "few programs have native containers",
    ("library.areas", "library.*"): "an area is loaded when a program calls it",
    ("library.polynomials.table", "library.polynomials.emitting"): "only with vector_math",
    ("targets.cpu.engine", "targets.cpu.llvm_fallback"): "only for another llvmlite",
}
# Strings that look like names of modules and load none.
NAMES_ONLY = {
    ("gpu.words", "cuda"): "where users find the words",
    ("caching.dependencies", "typing.types.base"): "where a class stands",
}

# Loads that close a circle: what is behind them knows who asked.
DOORS = {
    ("typing.types.containers", "typed"): "it has the classes of native containers",
    ("caching.identity", "caching.type_names"): "types are named by what their classes are",
    ("caching.identity", "caching.extensions"): "extensions are walked through as functions are",
    ("caching.records", "caching.saving"): "it knows the types of what it has saved",
    ("cuda.kernels", "cuda.compiling"): "it compiles kernels",
    ("cuda.random", "cuda"): "it is a part of it",
    ("cuda.simulator.report", "cuda.simulator.drawing"): "it draws what displays",
    ("cuda.kernels", "cuda.driver.launching"): "it launches kernels",
    ("cuda.measured", "cuda.driver.occupancy"): "it asks of kernels",
    ("cuda.ufuncs.vectorized", "cuda.ufuncs.element_calls"): "elements are copied by a function",
    ("cuda.ufuncs.vectorized", "cuda.ufuncs.reductions"): "elements are copied by a function",
    ("extending.registry", "extending.external"): "an object with an address is a function",
    ("dispatch.dispatcher", "dispatch.installing"): "they work on dispatchers",
    ("dispatch.dispatcher", "dispatch.introspection"): "they work on dispatchers",
    ("dispatch.dispatcher", "dispatch.pickling"): "they work on dispatchers",
    ("dispatch.dispatcher", "dispatch.racing"): "they work on dispatchers",
    ("dispatch.dispatcher", "dispatch.resolution"): "they work on dispatchers",
    ("dispatch.dispatcher", "dispatch.signatures"): "they work on dispatchers",
    ("dispatch.dispatcher", "dispatch.tracing"): "they work on dispatchers",
    ("ufuncs.half", "ufuncs.pickling"): "they work on halves",
    ("inspection.recording.recording", "inspection.editing.editing"): "an edit is a view",
    ("inspection.showing.displayed", "inspection.showing.page.notebook"): "it shows what displays",
    ("inspection.showing.displayed", "inspection.showing.render"): "it draws what displays",
}

# Functions that import, with the reason.
IMPORTING_FUNCTIONS: dict[tuple[str, str], str] = {}


def room(module: str) -> str:
    return module.split(".")[0]


def law(module: str) -> set[str]:
    """What a module may import beside the base."""
    return MAY_IMPORT.get(module, MAY_IMPORT[room(module)])


def violations(module: str, syntax: ast.Module | None = None) -> list[str]:
    """What a module does against the law."""
    syntax = syntax or tree(module)
    found = []
    for function in ast.walk(syntax):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = [n for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)]
            if inside and (module, function.name) not in IMPORTING_FUNCTIONS:
                found.append(f"{module}.{function.name} imports inside of a function")
    home = room(module)
    for edge in edges(module, syntax):
        key = (module, edge.target)
        if edge.load and key in NAMES_ONLY:
            continue
        if edge.load and module and key not in LOADS:
            found.append(f"{module} loads {edge.target} by name, and no reason is given")
        lawful = home in TOP or room(edge.target) in law(module) | BASE | {home}
        if home in BASE:
            lawful = room(edge.target) in MAY_IMPORT[home] | {home, "foundation"}
            lawful |= home == "config" and room(edge.target) == "errors"
        if not lawful and (module, room(edge.target)) not in PERMITTED:
            found.append(f"{module} imports {edge.target}")
    return found


@pytest.mark.parametrize("module", PATHS)
def test_a_module_imports_only_what_lies_below_it(module):
    assert violations(module) == []


def circles(links: set[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The circles among modules."""
    graph: dict[str, list[str]] = {module: [] for module in PATHS}
    for source, target in links:
        graph[source].append(target)
    done: set[str] = set()
    found: list[tuple[str, ...]] = []

    def visit(module: str, path: tuple[str, ...]) -> None:
        if module in path:
            found.append((*path[path.index(module) :], module))
        elif module not in done:
            for target in graph.get(module, ()):
                visit(target, (*path, module))
            done.add(module)

    for module in graph:
        visit(module, ())
    return found


def test_no_two_modules_import_each_other_in_a_circle():
    every = {(e.source, e.target) for e in every_edge() if not e.target.endswith("*")}
    loads = {(e.source, e.target) for e in every_edge() if e.load}
    names = {pair for pair in NAMES_ONLY if pair in loads}
    ours = {pair for pair in every if pair[0]} - names  # the package loads whatever is asked of it
    assert circles(ours - set(DOORS)) == []
    for door in DOORS:
        assert circles((ours - set(DOORS)) | {door}), f"{door} closes no circle, so it is no door"


def test_every_exception_is_one_that_is_made_use_of():
    every = set(every_edge())
    assert [k for k in LOADS if Edge(*k, load=True) not in every] == []
    assert [k for k in NAMES_ONLY if Edge(*k, load=True) not in every] == []
    rooms = {(e.source, room(e.target)) for e in every}
    assert [k for k in PERMITTED if k not in rooms] == []


def test_every_room_has_a_law():
    assert {room(module) for module in PATHS} - TOP == {room(name) for name in MAY_IMPORT}
    assert set(MAY_IMPORT) <= {*PATHS, *(room(module) for module in PATHS)}


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("ir.x", "from cutaway.typing import types"),
        ("frontend.x", "import cutaway.targets.cpu.engine"),
        ("typing.x", "from cutaway.compiling import compiler"),
        ("drawing.x", "from cutaway.ir import nodes"),
        ("errors", "from cutaway.ir import nodes"),
        ("library.x", "def f():\n    from cutaway.typing import types\n"),
        ("stages.x", "load('cutaway.stages.reporting')"),
        ("stages.x", "load(f'cutaway.stages.{name}')"),
    ],
)
def test_the_law_is_tripped(module, text):
    assert violations(module, ast.parse(text))
