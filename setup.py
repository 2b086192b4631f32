"""The C extensions; all else about the project is in pyproject.toml."""

import os

import numpy
from setuptools import Extension, setup

ARGUMENTS = ["-O3", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wno-unused-parameter",
             "-Wno-missing-field-initializers", "-Wno-cast-function-type"]
RUNTIME = "src/cutaway/runtime"
DISPATCH = "src/cutaway/dispatch_c"
HEADERS = [f"{RUNTIME}/compat.h", f"{RUNTIME}/cutaway_runtime.h", f"{RUNTIME}/numeric.h", f"{RUNTIME}/loader.h",
           f"{RUNTIME}/half.h", f"{RUNTIME}/loop_address.h", f"{RUNTIME}/numpy_numbers.h", f"{RUNTIME}/memory.h",
           f"{RUNTIME}/exc.h", f"{RUNTIME}/gil.h", f"{RUNTIME}/team.h", f"{RUNTIME}/threads.h",
           f"{RUNTIME}/watching.h", f"{RUNTIME}/objects.h",
           f"{RUNTIME}/object_integers.h"]
RUNTIME_PARTS = ["_runtime", "memory", "numeric", "integers", "angles", "half", "assign", "axes",
                 "gather", "masks", "operands", "stacks", "texts", "loader", "gil", "threads",
                 "pieces", "team", "watching", "exceptions", "generators", "object_operators",
                 "object_items", "object_patterns", "object_calls", "object_globals", "object_loops", "object_generators", "object_exceptions",
                 "object_integers", "object_attributes", "object_instances"]
DISPATCH_PARTS = ["_dispatch", "words", "identities", "fingerprints", "codes", "selection", "kinds",
                  "descriptors", "unboxing", "buffers", "boxing", "generators", "numpy_kinds", "extensions",
                  "raising", "quick_guards", "specialization", "thread_lines", "dispatcher", "objects", "blocks", "quick_calls",
                  "dispatcher_methods", "attributes", "profiling", "ufuncs", "core_loops", "growing_ufuncs"]
DRIVER = "src/cutaway/driver_c"
DRIVER_PARTS = ["_driver", "entry_points", "failures", "contexts", "resources", "operations", "arrays",
                "exchange", "arguments", "resolving", "launching"]

setup(
    package_dir={"": "src"},  # known here too, for a build of the extensions alone
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=[
        Extension(
            "cutaway.runtime._runtime",
            [f"{RUNTIME}/{part}.c" for part in RUNTIME_PARTS],
            depends=HEADERS,
            extra_compile_args=ARGUMENTS,
            libraries=["m"],
        ),
        Extension(
            "cutaway.runtime._numpy_loops",
            [f"{RUNTIME}/numpy_loops.c", f"{RUNTIME}/numpy_numbers.c"],
            depends=HEADERS,
            include_dirs=[numpy.get_include()],
            extra_compile_args=ARGUMENTS,
            libraries=["m"],
        ),
        Extension(
            "cutaway.runtime._numpy_random",
            [f"{RUNTIME}/numpy_random.c", f"{RUNTIME}/random_sources.c", f"{RUNTIME}/random_arrays.c",
             f"{RUNTIME}/random_streams.c", f"{RUNTIME}/legacy_random.c", f"{RUNTIME}/half.c"],
            depends=[*HEADERS, f"{RUNTIME}/legacy_random.h", f"{RUNTIME}/random_sources.h"],
            include_dirs=[numpy.get_include()],
            extra_compile_args=ARGUMENTS,
            libraries=["m", "dl"],
        ),
        Extension(
            "cutaway.dispatch_c._dispatch",
            [f"{DISPATCH}/{part}.c" for part in DISPATCH_PARTS],
            depends=[*HEADERS, f"{DISPATCH}/dispatch.h", f"{DISPATCH}/dispatcher.h",
                     f"{DISPATCH}/entering.h", f"{DISPATCH}/quick_guards.h",
                     f"{DISPATCH}/ufunc_loops.h", f"{DISPATCH}/words.h"],
            include_dirs=[numpy.get_include()],
            extra_compile_args=ARGUMENTS,
        ),
        Extension(
            "cutaway.driver_c._driver",
            [f"{DRIVER}/{part}.c" for part in DRIVER_PARTS],
            depends=[*HEADERS, f"{DRIVER}/driver.h"],
            include_dirs=[numpy.get_include()],
            extra_compile_args=ARGUMENTS,
            libraries=["dl"],
        ),
    ]
)
