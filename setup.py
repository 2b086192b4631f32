"""The C extensions; all else about the project is in pyproject.toml."""

import os
from glob import glob

import numpy
from setuptools import Extension, setup

PACKAGE = "src/cutaway"
FLAGS = [
    "-O3",
    "-std=c11",
    "-D_GNU_SOURCE",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Wno-missing-field-initializers",
    "-Wno-cast-function-type",
]

# The extensions by folder.  A C file belongs to the extension with None, the first of its folder,
# unless a later one names it.
EXTENSIONS = {
    "runtime": {
        "_runtime": None,
        "_numpy_loops": ["numpy_loops", "numpy_numbers"],
        "_numpy_random": [
            "numpy_random",
            "random_sources",
            "random_arrays",
            "random_streams",
            "legacy_random",
        ],
    },
    "dispatch_c": {"_dispatch": None},
    "driver_c": {"_driver": None},
}
IN_BOTH = {"_numpy_random": ["half"]}  # files of `_runtime` that another extension has, too
LIBRARIES = {
    "_runtime": ["m"],
    "_numpy_loops": ["m"],
    "_numpy_random": ["m", "dl"],
    "_driver": ["dl"],
}


def sources(folder: str, name: str) -> list[str]:
    """Return the C files of an extension."""
    named = EXTENSIONS[folder][name]
    if named is not None:
        return [f"{PACKAGE}/{folder}/{part}.c" for part in [*named, *IN_BOTH.get(name, [])]]
    apart = {part for parts in EXTENSIONS[folder].values() for part in parts or []}
    every = sorted(glob(f"{PACKAGE}/{folder}/*.c"))
    return [path for path in every if os.path.basename(path)[:-2] not in apart]


def headers(folder: str) -> list[str]:
    """Return the headers whose change rebuilds the extensions of a folder."""
    return sorted({*glob(f"{PACKAGE}/runtime/*.h"), *glob(f"{PACKAGE}/{folder}/*.h")})


setup(
    package_dir={"": "src"},  # known here too, for a build of the extensions alone
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=[
        Extension(
            f"cutaway.{folder}.{name}",
            sources(folder, name),
            depends=headers(folder),
            include_dirs=[numpy.get_include()],
            extra_compile_args=FLAGS,
            libraries=LIBRARIES.get(name, []),
        )
        for folder, names in EXTENSIONS.items()
        for name in names
    ],
)
