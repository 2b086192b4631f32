"""Functions that a GPU does not have, in the words of users."""

from __future__ import annotations

from cutaway.foundation.patterns import Pattern
from cutaway.runtime import NUMPY_LOOP
from cutaway.targets.ptx.toolkit import EXTRA

# The pattern of a function's name, its effect, and the hint for users.
_ROWS = (
    (
        r"cutaway_alloc|cutaway_new_frame|cutaway_free_frame|cutaway_lend|calloc|realloc|PyMem_|PyObject_Malloc",
        "allocates memory, which a thread of a GPU cannot do",
        "use cuda.local.array or cuda.shared.array, or write into an array that is an argument",
    ),
    (
        r"cutaway_(?:text|compare_texts|describe|matches)",
        "computes with text, which a GPU cannot do",
        "compare numbers, or compute the text before the launch",
    ),
    (
        r"cutaway_(?:new_generator|close_generator|generator|frame)",
        "waits in a generator, which a GPU cannot do",
        "use the generator in one loop",
    ),
    (
        r"cutaway_(?:catch|exception|reraise|set_cause)",
        "handles an exception, which a GPU cannot do",
        "test for the case with `if`",
    ),
    (
        r"cutaway_(?:call_python|run_block|parts)|_?Py[A-Z_]",
        "needs Python's interpreter, which a GPU does not have",
        "do it before the launch, or after it",
    ),
    (
        r"cutaway_(?:thread|most_threads|parallel|do_scheduling|chunk|set_chunk|set_thread|least_work)",
        "asks for the threads of a CPU",
        "a launch says how many threads run a kernel",
    ),
    (
        rf"{NUMPY_LOOP}|cutaway_numpy|cutaway_operands",
        "calls a loop of NumPy's, which a GPU does not have",
        "write the loop in the kernel",
    ),
    (
        r"__nv_|__nvvm_",
        "needs libdevice, NVIDIA's library of mathematics, which is not installed",
        EXTRA,
    ),
)
_KNOWN = tuple((Pattern(pattern), words, hint) for pattern, words, hint in _ROWS)


def absent(name: str) -> tuple[str, str]:
    """Return the effect of a missing function, as the end of a sentence, and a hint."""
    for pattern, words, hint in _KNOWN:
        if pattern.match(name):
            return words, hint
    return f"calls {name}, a function that a GPU does not have", "write it in Python"
