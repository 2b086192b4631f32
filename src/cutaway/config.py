"""All settings, in one table.

A setting is an attribute of this module: `cutaway.config.DUMP_IR`.  Its value is the assigned
one, else that of the environment variable `CUTAWAY_<name>` at the time of reading, else that of
one of its other names, else its default.  What else programs read by Numba's names is in `FACTS`.
An unknown name that starts with `CUTAWAY_` causes one warning; so does a Numba setting that
has no effect here (`UNSUPPORTED`).

Only observers and the public API read settings; passes never do.  Before each compilation they
call `requested()`, which is almost free while the environment does not change.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cutaway.errors import did_you_mean
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.loading import load

PREFIX = "CUTAWAY_"
_OFF = frozenset({"", "0", "no", "false", "off"})


def _flag(text: str) -> bool:
    return text.strip().lower() not in _OFF


def _text(text: str) -> str:
    return text.strip()


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return () if names == ("none",) else names


def _check(text: str) -> str:
    word = text.strip().lower()
    if word in _OFF:
        return ""
    if word not in ("1", "structure", "execute"):
        raise ValueError("structure or execute")
    return "structure" if word == "1" else word


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise ValueError("a number from 1 on")
    return count


def _level(text: str) -> int:
    if text.strip() not in ("", "0", "1", "2", "3", "4"):
        raise ValueError("a number from 0 to 4")
    return int(text.strip() or 0)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    `read` turns the text of an environment variable into a value; it raises ValueError with
    the accepted values.  `also` are further environment variables that set it, such as
    Numba's.  `what` describes its effect in one line.
    """

    name: str
    read: Callable[[str], Any]
    default: Any
    what: str
    also: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The name of its environment variable."""
        return PREFIX + self.name


def _dump(name: str, what: str, *implied_by: str) -> Setting:
    return Setting(name, _flag, False, what, (f"NUMBA_{name}", *implied_by))


_FRONTEND, _ALL = "NUMBA_DEBUG_FRONTEND", "NUMBA_DEBUG"
_PRINT = ("NUMBA_DEBUG_PRINT_AFTER", "NUMBA_DEBUG_PRINT_WRAP")
_PRINT_BEFORE = ("NUMBA_DEBUG_PRINT_BEFORE", "NUMBA_DEBUG_PRINT_WRAP")

SETTINGS: dict[str, Setting] = {
    row.name: row
    for row in (
        _dump("DUMP_BYTECODE", "the decoded bytecode", _FRONTEND),
        _dump("DUMP_CFG", "blocks, dominators and loops of the bytecode", _FRONTEND),
        _dump("DUMP_IR", "the IR, and what each rewrite changes", _FRONTEND, _ALL),
        _dump("DUMP_SSA", "the IR in SSA form", _FRONTEND, _ALL),
        _dump("DUMP_ANNOTATION", "each source line with its typed IR"),
        _dump("DUMP_LLVM", "the LLVM IR as lowered", _ALL),
        _dump("DUMP_FUNC_OPT", "the optimized LLVM IR, functions only", _ALL),
        _dump("DUMP_OPTIMIZED", "the LLVM IR of the whole module, optimized", _ALL),
        _dump("DUMP_ASSEMBLY", "the machine code, as assembly", _ALL),
        _dump("DUMP_PTX", "the PTX of kernels, and of functions that only GPUs run", _ALL),
        _dump("DEBUG_ARRAY_OPT", "the IR after each pass that makes parallel loops"),
        _dump("DEBUG_ARRAY_OPT_STATS", "what became a parallel loop, what was fused, what not"),
        Setting(
            "PARALLEL_DIAGNOSTICS",
            _level,
            0,
            "what became of each loop of functions with parallel=True, in detail from 1 to 4",
            ("NUMBA_PARALLEL_DIAGNOSTICS",),
        ),
        _dump("DEBUG_TYPEINFER", "every change of a type variable and its cause", _ALL),
        Setting("PRINT_BEFORE", _names, (), "IR before these passes, or `all`", _PRINT_BEFORE),
        Setting("PRINT_AFTER", _names, (), "IR after these passes, or `all`", _PRINT),
        Setting("PRINT_CHANGED", _flag, False, "what each pass changed, as a diff"),
        Setting(
            "TIME_PASSES", _flag, False, "the time of each pass, including LLVM's own, as a tree"
        ),
        Setting("VERIFY", _check, "", "check the IR after each pass: structure or execute"),
        Setting("REPORT", _text, "", "a folder for pages, one per compilation"),
        Setting(
            "AS_NUMBA",
            _names,
            (),
            "words for Numba's layer: beside (stand in where Numba is installed, too), astype",
        ),
        Setting("CACHE_DIR", _text, "", "the folder of cached code", ("NUMBA_CACHE_DIR",)),
        Setting(
            "LIBRARY_CACHE",
            _flag,
            True,
            "store compiled library functions and loops over arrays on disk",
        ),
        Setting(
            "CPU",
            _text,
            "",
            "the processor to compile for, by LLVM's name: x86-64-v3, generic, host",
            ("NUMBA_CPU_NAME",),
        ),
        Setting(
            "CPU_FEATURES",
            _text,
            "",
            "its features to use or not, in LLVM's notation: +avx2,-fma",
            ("NUMBA_CPU_FEATURES",),
        ),
        Setting(
            "NUMPY_LOOPS",
            _flag,
            True,
            "call NumPy's own inner loops; where off, loops of our own stand in for some",
        ),
        Setting(
            "NUM_THREADS",
            _count,
            0,
            "the most threads that run a parallel loop; 0, as many as there are usable cores",
            ("NUMBA_NUM_THREADS",),
        ),
        Setting("FILTER", _text, "", "only functions whose names match: `kernel*`, `Cls.*`"),
        Setting("DUMP_DIR", _text, "", "a folder for the dumps, instead of standard output"),
        Setting(
            "CUDA_DRIVER",
            _text,
            "",
            "the driver's library, libcuda.so.1, or its folder, where it is not found by itself",
            ("NUMBA_CUDA_DRIVER",),
        ),
        Setting(
            "CUDA_SIMULATOR",
            _flag,
            False,
            "run kernels in the simulator, with all else of a GPU imitated on the host",
            ("NUMBA_ENABLE_CUDASIM",),
        ),
        Setting(
            "DISABLE_JIT",
            _flag,
            False,
            "`@jit` returns the Python function itself; read when a function is decorated",
            ("NUMBA_DISABLE_JIT",),
        ),
    )
}

if TYPE_CHECKING:  # the rows of the table, whose types checkers need; a test holds them against it
    DUMP_BYTECODE: bool
    DUMP_CFG: bool
    DUMP_IR: bool
    DUMP_SSA: bool
    DUMP_ANNOTATION: bool
    DUMP_LLVM: bool
    DUMP_FUNC_OPT: bool
    DUMP_OPTIMIZED: bool
    DUMP_ASSEMBLY: bool
    DUMP_PTX: bool
    DEBUG_ARRAY_OPT: bool
    DEBUG_ARRAY_OPT_STATS: bool
    PARALLEL_DIAGNOSTICS: int
    DEBUG_TYPEINFER: bool
    PRINT_BEFORE: tuple[str, ...]
    PRINT_AFTER: tuple[str, ...]
    PRINT_CHANGED: bool
    TIME_PASSES: bool
    VERIFY: str
    REPORT: str
    AS_NUMBA: tuple[str, ...]
    CACHE_DIR: str
    LIBRARY_CACHE: bool
    CPU: str
    CPU_FEATURES: str
    NUMPY_LOOPS: bool
    NUM_THREADS: int
    FILTER: str
    DUMP_DIR: str
    CUDA_DRIVER: str
    CUDA_SIMULATOR: bool
    DISABLE_JIT: bool

# Numba's settings that have no effect here, without the prefix `NUMBA_`.
UNSUPPORTED = frozenset(
    """
    ALWAYS_WARN_UNINIT_VAR BOUNDSCHECK CACHE_LOCATOR_CLASSES CHROME_TRACE COLOR_SCHEME
    CUDA_ARRAY_INTERFACE_SYNC CUDA_DEBUGINFO CUDA_DEFAULT_PTX_CC
    CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY CUDA_INCLUDE_PATH CUDA_LOG_API_ARGS CUDA_LOG_LEVEL
    CUDA_LOG_SIZE CUDA_LOW_OCCUPANCY_WARNINGS CUDA_MAX_PENDING_DEALLOCS_COUNT
    CUDA_MAX_PENDING_DEALLOCS_RATIO CUDA_MEMORY_MANAGER CUDA_PER_THREAD_DEFAULT_STREAM
    CUDA_USE_NVIDIA_BINDING CUDA_VERBOSE_JIT_LOG CUDA_WARN_ON_IMPLICIT_COPY
    DEBUGINFO DEBUG_ARRAY_OPT_RUNTIME DEBUG_CACHE
    DEBUG_INLINE_CLOSURE DEBUG_JIT DEBUG_NRT DEBUG_NRT_STACK_LIMIT DEVELOPER_MODE DIFF_IR
    DISABLE_CUDA DISABLE_ERROR_MESSAGE_HIGHLIGHTING DISABLE_INTEL_SVML DISABLE_PERFORMANCE_WARNINGS
    DISABLE_TYPEINFER_FAIL_CACHE DUMP_HTML
    ENABLE_AVX ENABLE_PROFILING ENABLE_SYS_MONITORING EXTEND_VARIABLE_LIFETIMES
    FORCE_CUDA_CC FULL_TRACEBACKS FUNCTION_CACHE_SIZE GDB_BINARY HIGHLIGHT_DUMPS JIT_COVERAGE
    LLVM_PASS_TIMINGS LLVM_REFPRUNE_FLAGS LLVM_REFPRUNE_PASS LOOP_VECTORIZE NRT_STATS
    OPT PARFOR_MAX_TUPLE_SIZE SHOW_HELP SLP_VECTORIZE THREADING_LAYER
    THREADING_LAYER_PRIORITY TRACE USE_LLVMLITE_MEMORY_MANAGER
    """.split()
)
_REFERENCE = "NUMBA_"
# Replacements for some of them.
_INSTEAD = {
    "BOUNDSCHECK": "@jit(boundscheck=...)",
    "DIFF_IR": "CUTAWAY_PRINT_CHANGED",
    "DUMP_HTML": "CUTAWAY_REPORT, a folder",
    "LLVM_PASS_TIMINGS": "CUTAWAY_TIME_PASSES",
}

# Other settings that programs read, by Numba's names, and their values here.
_FACTS: dict[str, Callable[[], Any]] = {
    "NUMBA_NUM_THREADS": lambda: value("NUM_THREADS") or _usable_cores(),
    "NUMBA_DEFAULT_NUM_THREADS": lambda: _usable_cores(),
    "ENABLE_CUDASIM": lambda: int(value("CUDA_SIMULATOR")),
    "CPU_NAME": lambda: value("CPU") or None,
    # There is one threading layer, and no choice.
    "THREADING_LAYER": lambda: "default",
    "THREADING_LAYER_PRIORITY": lambda: ["tbb", "omp", "workqueue"],
    "PYVERSION": lambda: sys.version_info[:2],
    "MACHINE_BITS": lambda: 64,
    "IS_WIN32": lambda: sys.platform == "win32",
    "IS_OSX": lambda: sys.platform == "darwin",
    "OPT": lambda: 3,
    "LOOP_VECTORIZE": lambda: 1,
    "SLP_VECTORIZE": lambda: 1,
    "ENABLE_AVX": lambda: True,
    "CAPTURED_ERRORS": lambda: "new_style",
    "COLOR_SCHEME": lambda: "no_color",
    "BOUNDSCHECK": lambda: None,  # each function has its own
}
_OFF_HERE = """
    DEBUG DEBUG_FRONTEND DEBUG_JIT DEBUG_NRT DEBUG_CACHE DEBUG_INLINE_CLOSURE DEVELOPER_MODE
    DEBUGINFO_DEFAULT DISABLE_CUDA DISABLE_INTEL_SVML DISABLE_PERFORMANCE_WARNINGS DIFF_IR
    ALWAYS_WARN_UNINIT_VAR ANNOTATE ENABLE_PROFILING ENABLE_SYS_MONITORING EXTEND_VARIABLE_LIFETIMES
    FULL_TRACEBACKS HIGHLIGHT_DUMPS IS_32BITS JIT_COVERAGE LLVM_PASS_TIMINGS NRT_STATS
    RUNNING_UNDER_PROFILER SHOW_HELP TRACE USING_SVML
""".split()
FACTS = MappingProxyType(_FACTS | dict.fromkeys(_OFF_HERE, lambda: 0))


def _usable_cores() -> int:
    cores: int = load("cutaway.runtime._runtime").usable_cores()
    return cores


# These modify output, caching and code generation; all others request an observer.
_MODIFIERS = frozenset(
    """
    FILTER DUMP_DIR AS_NUMBA CACHE_DIR LIBRARY_CACHE CPU CPU_FEATURES DISABLE_JIT NUMPY_LOOPS
    NUM_THREADS CUDA_DRIVER CUDA_SIMULATOR
    """.split()
)


@dataclass(slots=True)
class _Environment:
    """The settings from the environment, and the state of the environment that they come from."""

    seen: dict[Any, Any] | None = None
    values: dict[str, Any] = field(default_factory=dict)
    warned: set[str] = field(default_factory=set)

    def current(self) -> dict[str, Any]:
        """Return the settings from the current environment.

        Comparing the raw table costs 0.3 us, a public look-up 0.7 us for each of fifty names; so
        the settings are read again only if the raw table has changed.
        """
        raw = os.environ._data  # type: ignore[attr-defined]
        if raw != self.seen:
            self.seen = dict(raw)
            self.values = self._read()
        return self.values

    def _read(self) -> dict[str, Any]:
        self._warn_of_unknown()
        values = {}
        for row in SETTINGS.values():
            variable = next((v for v in (row.variable, *row.also) if v in os.environ), None)
            if variable is None:
                continue
            try:
                values[row.name] = row.read(os.environ[variable])
            except ValueError as error:
                text = os.environ[variable]
                self._warn(variable, f"{variable}={text} is ignored: the value must be {error}")
        return values

    def _warn_of_unknown(self) -> None:
        known = [row.variable for row in SETTINGS.values()]
        for variable in os.environ:
            if variable.startswith(("CUTAWAY_TEST_", "CUTAWAY_HAMMER_", "CUTAWAY_BLESS")):
                continue  # of the test suite
            if variable.startswith(PREFIX) and variable not in known:
                hint = did_you_mean(variable, known, "see cutaway.config.SETTINGS")
                self._warn(variable, f"{variable} is not a setting of Cutaway; {hint}")
            elif variable.startswith(_REFERENCE):
                self._warn_of_unsupported(variable)

    def _warn_of_unsupported(self, variable: str) -> None:
        name = variable.removeprefix(_REFERENCE)
        if name in UNSUPPORTED:
            hint = f"; use {_INSTEAD[name]}" if name in _INSTEAD else ""
            self._warn(variable, f"{variable} has no effect: Cutaway does not support it{hint}")

    def _warn(self, variable: str, message: str) -> None:
        if variable not in self.warned:
            self.warned.add(variable)
            warnings.warn(message, stacklevel=2)


_ENVIRONMENT = _Environment()


def __getattr__(name: str) -> Any:
    """The value of a setting, or of a fact, that was not assigned."""
    if name in FACTS:
        return FACTS[name]()
    if name not in SETTINGS:
        raise AttributeError(f"cutaway.config has no setting {name!r}")
    return _ENVIRONMENT.current().get(name, SETTINGS[name].default)


def value(name: str) -> Any:
    """Return the value of a setting, by its name."""
    return globals()[name] if name in globals() else __getattr__(name)


def reload_config() -> None:
    """Forget assigned settings: their values are those of the environment."""
    module = globals()
    for name in module.keys() & (SETTINGS.keys() | FACTS.keys()):
        del module[name]


def requested() -> frozenset[str]:
    """Return the names of the settings that request an observer; usually none."""
    values = _ENVIRONMENT.current()
    assigned = globals().keys() & SETTINGS.keys()
    if not values and not assigned:
        return frozenset()
    return frozenset(n for n in SETTINGS if n not in _MODIFIERS and value(n))


@contextmanager
def using(**values: Any) -> Iterator[None]:
    """Assign settings for the duration of a `with` block."""
    unknown = values.keys() - SETTINGS.keys()
    if unknown:
        raise AttributeError(f"cutaway.config has no setting {sorted(unknown)[0]!r}")
    module = globals()
    before = {name: module[name] for name in values if name in module}
    module.update(values)
    try:
        yield
    finally:
        for name in values:
            del module[name]
        module.update(before)
