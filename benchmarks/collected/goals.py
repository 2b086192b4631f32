"""All goals, in the order of the table. A number to be held stands here and nowhere else."""

from __future__ import annotations

from collected.figures import Goal

PYTHON = "of the time of a call of the Python function"
ELSEWHERE = "benchmarks/containers.py measures containers"

DISPATCH = (
    Goal("dispatch.add", "a call `add(1, 2)`", 0.18, short=True),
    Goal("dispatch.add_in_python", "a call `add(1, 2)` beside Python's", 1.0, PYTHON),
    Goal("dispatch.array", "a call with an array of one dimension", 0.15, short=True),
    Goal("dispatch.arrays", "a call with an array of another layout, worst of four", 0.15),
    Goal("dispatch.further_array", "what each further array adds to a call", 0.1),
    Goal("dispatch.keyword", "a call with keywords, worst of two", 0.12),
    Goal("dispatch.tuple", "a call with a tuple, worst of two", 0.15),
    Goal("dispatch.str", "a call with a str, worst of two", 0.03),
    Goal("dispatch.function", "a call with a compiled function", 0.02),
    Goal("dispatch.list", "a call with a typed list", 0.05, absent=ELSEWHERE),
    Goal("dispatch.longest", "the slowest kind of call that returns", 1000.0, "ns"),
)

LATENCY = (
    Goal("latency.import", "import, beyond NumPy", 0.04, short=True),
    Goal("latency.first_add", "first compilation in a process: `a + b`", 0.15, short=True),
    Goal("latency.first_loop", "first compilation: a loop over integers", 0.15),
    Goal("latency.first_sum", "first compilation: the sum of an array", 0.15),
    Goal("latency.first_update", "first compilation: `a * x + y` into a new array", 0.15),
    Goal("latency.second_add", "another signature: `a + b`", 0.15),
    Goal("latency.second_loop", "another signature: a loop over integers", 0.28),
    Goal("latency.second_sum", "another signature: the sum of an array", 0.2),
    Goal("latency.second_update", "another signature: `a * x + y` into a new array", 0.15),
    Goal("latency.first_reductions", "first compilation: seven reductions", 0.05),
    Goal("latency.second_reductions", "another signature: seven reductions", 0.2),
    Goal("latency.second_expression", "another signature: an array expression", 0.2),
    Goal("latency.first_containers", "first compilation: dict, list, str", 0.05, absent=ELSEWHERE),
    Goal("latency.second_containers", "another signature: dict, list, str", 0.2, absent=ELSEWHERE),
)

CACHING = (
    Goal("caching.first_call", "first call from the cache on disk, after the import", 1.0, "ms",
         short=True),
    Goal("caching.beside", "first call from the cache on disk, beside Numba's", 0.005),
    Goal("caching.first_ten", "first compilation with ten library functions", 0.05),
    Goal("caching.second_ten", "another function with the same ten", 0.2),
)  # fmt: skip

KERNELS = (
    Goal("kernels.numba", "loops, geometric mean", 1.15, "times as fast as Numba", "high", True),
    Goal("kernels.numba_worst", "loops, worst", 0.95, "times as fast as Numba", "high", True),
    Goal("kernels.c", "loops beside `gcc -O3 -march=native`, geometric mean", 1.1, "of C's time",
         short=True),
    Goal("kernels.checks", "loops with checks of indices, geometric mean", 1.05,
         "of the time without", short=True),
    Goal("kernels.compiling", "compiling loops, geometric mean", 0.2, short=True),
    Goal("kernels.compiling_worst", "compiling loops, worst", 0.4),
    Goal("kernels.wrong", "loops whose results are not those of C", 0.0, ""),
)  # fmt: skip

IDIOMS = (
    Goal("idioms.numba", "idioms of programs, geometric mean", 1.15, "times as fast as Numba",
         "high"),
    Goal("idioms.numba_worst", "idioms of programs, worst", 0.95, "times as fast as Numba",
         "high"),
    Goal("idioms.slower", "idioms of programs below 0.95 of Numba", 0.0, ""),
    Goal("idioms.numpy_worst", "single calls of NumPy's, worst", 1.2, "of NumPy's time"),
    Goal("idioms.wrong", "idioms whose results are not NumPy's", 0.0, ""),
)  # fmt: skip

CONTAINERS = (
    Goal("containers.numba", "lists, dicts and sets, geometric mean", 5.0,
         "times as fast as Numba", "high"),
    Goal("containers.python_worst", "lists, dicts and sets, worst", 1.0,
         "times as fast as CPython", "high"),
    Goal("containers.cpp", "lists and dicts beside C++ at -O3, geometric mean", 1.3,
         "of C++'s time"),
    Goal("containers.count_small", "`d[k] = d.get(k, 0) + 1`, 1,000 keys", 5.0, "ns"),
    Goal("containers.count_large", "`d[k] = d.get(k, 0) + 1`, 1,000,000 keys", 90.0, "ns"),
    Goal("containers.iterate", "a step of a loop over a dict's items", 0.5, "ns"),
    Goal("containers.append", "`append` to a list that grows to 1,000,000", 2.5, "ns"),
    Goal("containers.argument", "an item of a list of floats as an argument", 4.0, "ns"),
    Goal("containers.result", "an item of a list of floats as a result", 25.0, "ns"),
    Goal("containers.wrong", "programs of containers whose results are not Python's", 0.0, ""),
)  # fmt: skip

LONG_FUNCTIONS = (
    # An exponent, from twice the code; n log n comes to 1.1 at such sizes, and the rest is noise.
    Goal("long_functions.growth", "growth of compile time with a function's length, worst of three",
         1.25, "as exponent"),
)  # fmt: skip

ARRAYS = (
    Goal("arrays.numpy", "whole arrays, geometric mean", 6.0, "times as fast as NumPy", "high",
         True),
    Goal("arrays.slower", "whole arrays: kernels slower than NumPy", 0.0, "", short=True),
    Goal("arrays.best", "whole arrays, worst beside the best of NumPy, Numba and JAX", 0.8,
         "of its speed", "high"),
    Goal("arrays.first_call", "whole arrays: first call, median", 0.3, "s"),
    Goal("arrays.loop", "an expression beside a loop by hand, worst", 0.9, "of its speed", "high"),
    Goal("arrays.function", "sort, argsort, argmax, nonzero, sum, exp, log, tanh; worst", 1.05,
         "of NumPy's time"),
)  # fmt: skip

NUMPY_LIBRARY = (
    Goal("numpy_library.slower", "functions over 5 % slower than NumPy at 1,000,000 elements", 0.0,
         "", short=True),
    Goal("numpy_library.first", "a library function: first call in a process, median", 0.05),
    Goal("numpy_library.second", "a library function: compiled again, median", 0.2),
    Goal("numpy_library.vectorize", "`vectorize` with one signature, slowest of eight", 15.0, "ms"),
    Goal("numpy_library.wrong", "library functions whose results are not NumPy's", 0.0, ""),
)  # fmt: skip

VECTOR_MATH = (
    Goal("vector_math.element", "exp, log, tanh, sin, cos with `vector_math`, slowest", 3.0,
         "ns for an element"),
)  # fmt: skip

OBSERVERS = (
    Goal("observers.off", "what observers cost that are off, mean", 1.0, "% of compile time",
         short=True),
    Goal("observers.pass", "what a trace of every pass costs, mean", 8.0, "% of compile time"),
    Goal("observers.rewrite", "what a trace of every rewrite costs, mean", 30.0,
         "% of compile time"),
)  # fmt: skip

BATTERY = (
    Goal("battery.compiling", "compiling a small construct, median", 0.2),
    Goal(
        "battery.wrong",
        "constructs with values that neither Python gives nor the ledger permits",
        0.0,
        "",
    ),
)

EXTENSIONS = (
    Goal("extensions.first", "a type of an extension: first compilation", 0.15),
    Goal("extensions.second", "a type of an extension: another function", 0.2),
    Goal("extensions.call", "a type of an extension: a call, worst of two", 1.0),
)

PARALLEL = (
    Goal("parallel.region", "a parallel loop of one element", 0.35),
    Goal("parallel.short", "a parallel loop of one element, beside the serial one", 1.1,
         "of its time"),
    Goal("parallel.numba", "parallel loops, geometric mean", 1.2,
         "times as fast as Numba's best layer", "high", True),
    Goal("parallel.numba_worst", "parallel loops, worst", 0.95,
         "times as fast as Numba's best layer", "high"),
    Goal("parallel.compiling", "compiling parallel loops, geometric mean", 0.25),
    Goal("parallel.wrong", "parallel loops whose results differ from C's", 0.0, ""),
)  # fmt: skip

GPU = "of numba-cuda's time"

TARGETS = (
    Goal("ptx.plain", "from LLVM IR to PTX, kernels without libdevice, geometric mean", 10.0,
         "ms"),
    Goal("ptx.libdevice", "from LLVM IR to PTX, kernels with libdevice, geometric mean", 30.0,
         "ms"),
    Goal("ptx.import", "import of `cutaway.cuda`, beyond `cutaway` and NumPy", 10.0, "ms"),
    Goal("ptx.first", "a kernel: first compilation in a process, with `ptxas`, geometric mean",
         150.0, "ms"),
    Goal("ptx.again", "a kernel compiled again, with `ptxas`, geometric mean", 55.0, "ms"),
    Goal("ptx.numba", "a kernel compiled again to PTX, geometric mean", 0.2, GPU),
    Goal("ptx.registers", "registers of a thread, geometric mean", 1.05, "of numba-cuda's"),
    Goal("ptx.spills", "kernels that spill registers where numba-cuda's do not", 0.0, ""),
    Goal("ptx.launch", "a launch without arguments", 2.7, "us"),
    Goal("ptx.launch_array", "a launch with an array", 2.8, "us"),
    Goal("ptx.speed", "saxpy, matrix product, reduction on a GPU, worst", 0.95,
         "times as fast as numba-cuda", "high"),
)  # fmt: skip

SECTIONS = {
    "Calls": DISPATCH,
    "Import and compilation": (*LATENCY, *CACHING, *LONG_FUNCTIONS, *OBSERVERS),
    "Loops": (*KERNELS, *IDIOMS),
    "Containers": CONTAINERS,
    "Parallel loops": PARALLEL,
    "Whole arrays": (*ARRAYS, *VECTOR_MATH),
    "Library and constructs": (*NUMPY_LIBRARY, *BATTERY, *EXTENSIONS),
    "Targets": TARGETS,
}
GOALS: dict[str, Goal] = {goal.key: goal for part in SECTIONS.values() for goal in part}
