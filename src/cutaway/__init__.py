"""Cutaway: a just-in-time compiler for numerical Python that you can look into.

    import cutaway

    @cutaway.jit
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

    total(data)                                # the first call compiles it
    print(total.trace(data).at("ssa").text)    # every stage can be inspected

Importing this package loads neither the compiler nor LLVM; the first compilation does.
"""

from __future__ import annotations

from typing import Any

from cutaway.foundation import loading
from cutaway.frontend import versions

loading.run(versions)  # refuses a Python that it does not know

__version__ = "0.1.0"
version_info = tuple(map(int, __version__.split(".")))

# Names whose modules are loaded at their first use.
_LATER: dict[str, tuple[str, str | None]] = {
    "errors": ("cutaway.errors", None),
    "jit": ("cutaway.api", "jit"),
    "njit": ("cutaway.api", "njit"),
    "jit_module": ("cutaway.api", "jit_module"),
    "vectorize": ("cutaway.ufuncs.decorators", "vectorize"),
    "guvectorize": ("cutaway.ufuncs.decorators", "guvectorize"),
    "prange": ("cutaway.foundation.loops", "prange"),
    "pndindex": ("numpy", "ndindex"),  # in order
    "stencil": ("cutaway.stencils.decorator", "stencil"),
    "literally": ("cutaway.foundation.marks", "literally"),
    "objmode": ("cutaway.foundation.marks", "objmode"),
    "literal_unroll": ("cutaway.foundation.marks", "literal_unroll"),
    "set_num_threads": ("cutaway.threads", "set_num_threads"),
    "get_num_threads": ("cutaway.threads", "get_num_threads"),
    "get_thread_id": ("cutaway.threads", "get_thread_id"),
    "set_parallel_chunksize": ("cutaway.threads", "set_parallel_chunksize"),
    "get_parallel_chunksize": ("cutaway.threads", "get_parallel_chunksize"),
    "parallel_chunksize": ("cutaway.threads", "parallel_chunksize"),
    "threading_layer": ("cutaway.threads", "threading_layer"),
    "config": ("cutaway.config", None),
    "ledger": ("cutaway.ledger", None),
    "extending": ("cutaway.extending", None),
    "typed": ("cutaway.typed", None),
    "types": ("cutaway.types", None),
    "carray": ("cutaway.library.data.pointers", "carray"),
    "farray": ("cutaway.library.data.pointers", "farray"),
    "from_dtype": ("cutaway.typing.values.typeof", "from_dtype"),
    "typeof": ("cutaway.typing.values.typeof", "typeof"),
    "Pass": ("cutaway.stages.passes", "Pass"),
    "Pipeline": ("cutaway.stages.pipeline", "Pipeline"),
    "pipelines": ("cutaway.stages.pipelines", None),
    "trace": ("cutaway.api", "trace"),
    "step": ("cutaway.api", "step"),
    "check_races": ("cutaway.api", "check_races"),
    "cuda": ("cutaway.cuda", None),
    "compile_ptx": ("cutaway.cuda.compiling", "compile_ptx"),
    "load": ("cutaway.inspection.record.recorded", "load"),
    "diff": ("cutaway.inspection.record.comparison", "diff"),
    "load_ipython_extension": ("cutaway.inspection.showing.magic", "load"),  # %load_ext cutaway
}

# Types that are used so often that they are here too.
_TYPES = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp intc uintc ssize_t size_t"
    " float16 float32 float64 complex64 complex128 boolean bool_ byte char uchar short ushort"
    " int_ uint long_ ulong longlong ulonglong double float_ void none b1 i1 i2 i4 i8 u1 u2 u4 u8"
    " f2 f4 f8 c8 c16 optional"
).split()
_LATER |= {name: ("cutaway.types", name) for name in _TYPES}

__all__ = list(_LATER)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'cutaway' has no attribute {name!r}")
    module, attribute = _LATER[name]
    loaded = loading.load(module)
    value = loaded if attribute is None else getattr(loaded, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])
