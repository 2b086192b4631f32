"""The ledger of permitted differences: where compiled code may differ from Python.

Nowhere else may it.

Each entry has an id, which tests and messages cite, and a small program that shows it: the
document `docs/ledger.md` is written from these entries, and the test suite runs every one.

    import cutaway
    print(cutaway.ledger.ENTRIES["int64-wrap"])
"""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One permitted difference.

    `program` defines a function `f`, `call` is what is shown: its outcome is `python` in
    Python and `compiled` when f is compiled with `options`.  `switch` says how the difference
    is switched off where it can be; `off` are options under which the outcome is `without`
    (Python's, unless that is given).  What no small program shows has a test of its own.
    """

    id: str
    what: str
    why: str
    program: str = ""
    call: str = ""
    python: str = ""
    compiled: str = ""
    switch: str = ""
    options: tuple[tuple[str, Any], ...] = ()  # Any: values of options
    off: tuple[tuple[str, Any], ...] | None = None
    without: str = ""

    def __str__(self) -> str:
        lines = [f"{self.id}: {self.what}.", f"Why: {self.why}."]
        if self.switch:
            lines.append(f"Switch: {self.switch}.")
        if not self.program:
            return "\n".join(lines)
        lines += ["", self.program.strip(), ""]
        shown = "".join(f", {name}={value!r}" for name, value in self.options)
        lines.append(f"{self.call}  # Python: {self.python}")
        lines.append(f"{' ' * len(self.call)}  # compiled{shown}: {self.compiled}")
        return "\n".join(lines)


_ROWS = (
    Entry(
        "int64-wrap",
        "Integers have 64 bits and wrap around; a constant, an argument or a conversion that"
        " does not fit raises instead",
        "machine integers are what makes integer code fast; Python's grow without bound",
        "def f(n):\n    return n * n",
        "f(2**40)",
        "1208925819614629174706176",
        "0",
        'overflow="raise" raises OverflowError where the result does not fit',
        off=(("overflow", "raise"),),
        without="OverflowError: the result does not fit in 64 bits",
    ),
    Entry(
        "one-type",
        "A variable, a result or an item that is an int on one path and a float on another is a"
        " float on both (a complex number where one of them is, and an int where both are ints or"
        " bools)",
        "each variable has one machine type",
        "def f(c):\n    x = 1\n    if c:\n        x = 0.5\n    return x",
        "f(False)",
        "1",
        "1.0",
        "write the constants with one type",
    ),
    Entry(
        "declared-locals",
        "A variable of `locals=` holds what is left of a value in the declared type",
        "that is what the option asks for",
        "def f(x):\n    y = x\n    return y",
        "f(2.75)",
        "2.75",
        "2",
        "leave the variable out of locals",
        options=(("locals", {"y": "int64"}),),
    ),
    Entry(
        "numpy-scalars",
        "An element of an array is a plain number: integers compute in 64 bits, a division by"
        " zero raises, and what is returned or printed is a Python number; functions of math"
        " compute in float32 for a float32",
        "one kind of number, with one set of rules, instead of two that look alike",
        "import numpy as np\n\ndef f(a):\n    return a[0] - a[1]",
        "f(np.array([1, 2], dtype=np.uint8))",
        "np.uint8(255)",
        "-1",
        "error_model='numpy' gives infinities and NaN for a division by zero",
    ),
    Entry(
        "store-wrap",
        "An integer that is computed and stored in one element of an array of narrower integers"
        " keeps its lowest bits (a constant that does not fit raises OverflowError, and so does a"
        " number that is stored in many elements or given to a function of NumPy)",
        "NumPy does so for its own integers and raises for Python's, which are one kind here; a"
        " test for each element would cost more than storing it",
        "import numpy as np\n\ndef f(a, n):\n    a[0] = n\n    return a",
        "f(np.zeros(1, dtype=np.uint8), 300)",
        "OverflowError: Python integer 300 out of bounds for uint8",
        "array([44], dtype=uint8)",
        'overflow="raise" raises OverflowError as NumPy does',
        off=(("overflow", "raise"),),
    ),
    Entry(
        "store-float",
        "A float that is stored in an array of integers which cannot hold it raises"
        " OverflowError, and NaN ValueError, also where it was an element of an array",
        "NumPy does so for Python's floats; for its own it stores what the processor makes of them",
        "import numpy as np\n\ndef f(a, b):\n    a[0] = b[0]\n    return a",
        "f(np.zeros(1, dtype=np.uint8), np.array([300.0]))",
        "array([44], dtype=uint8)",
        "OverflowError: Python integer 300 out of bounds for uint8",
        "write a[0] = int(b[0]) to keep the lowest bits",
    ),
    Entry(
        "class-wrap",
        "A class of NumPy's integers, called with an integer that is computed and does not fit,"
        " keeps its lowest bits (a constant or a float that does not fit raises OverflowError)",
        "NumPy does so for its own integers and raises for Python's, which are one kind here",
        "import numpy as np\n\ndef f(n):\n    return np.uint8(n)",
        "f(300)",
        "OverflowError: Python integer 300 out of bounds for uint8",
        "44",
        'overflow="raise" raises OverflowError as NumPy does',
        off=(("overflow", "raise"),),
    ),
    Entry(
        "flat-store",
        "What does not fit in `a.flat[k]` is treated as in `a[k]`",
        "NumPy raises ValueError for all of it, and does not say what does not fit",
        "import numpy as np\n\ndef f(a, x):\n    a.flat[0] = x\n    return a",
        "f(np.zeros(1, dtype=np.uint8), 300.0)",
        "ValueError: Error setting single item of array.",
        "OverflowError: Python integer 300 out of bounds for uint8",
    ),
    Entry(
        "overlapping-assignment",
        "What is assigned to a part of the same array is read before anything is written",
        "NumPy reads elements that it has overwritten where the two parts overlap in some ways",
        "import numpy as np\n\ndef f(a):\n    a[::2] = a[:3]\n    return a",
        "f(np.array([3, 4, 6, 4, 5]))",
        "array([3, 4, 4, 4, 4])",
        "array([3, 4, 4, 4, 6])",
    ),
    Entry(
        "extreme-sizes",
        "An axis, an offset or a size means what it says however large it is, and an array that"
        " is too large raises ValueError or MemoryError",
        "NumPy holds some of them in 32 bits or computes with them in 64 bits that wrap around,"
        " and raises other exceptions then, or gives something else",
        "import numpy as np\n\ndef f(a, k):\n    return np.diagonal(a, k)",
        "f(np.ones((2, 2)), 2**40)",
        "OverflowError: signed integer is greater than maximum",
        "array([], dtype=float64)",
    ),
    Entry(
        "whole-quantiles",
        "`percentile`, `quantile` and their forms without NaN of narrow integers lie between the"
        " two elements that they are between",
        "NumPy subtracts the two in the array's type, where the difference may wrap around",
        "import numpy as np\n\ndef f(a):\n    return np.percentile(a, 50)",
        "f(np.array([-128, 127], dtype=np.int8))",
        "np.float64(127.5)",
        "-0.5",
    ),
    Entry(
        "fixed-types",
        "What an array holds does not decide the type of a result: `np.polyval` of no coefficients"
        " and `np.bincount` of nothing with weights have the dtype that they have of something,"
        " `np.cov` and `np.corrcoef` of a table with one row are tables, and `np.cross` of vectors"
        " of two raises ValueError; where a NaN would have to be an integer, in `np.nanquantile` of"
        " no integers, IndexError is raised",
        "types are found before values are there",
        "import numpy as np\n\ndef f(p, x):\n    return np.polyval(p, x)",
        "f(np.array([]), np.array([1, 2]))",
        "array([0, 0])",
        "array([0., 0.])",
    ),
    Entry(
        "which-fault",
        "Of several faults in one call another one may be reported, of several indices that are"
        " out of bounds another one named",
        "the order in which NumPy looks at arguments and indices is its own affair",
        "import numpy as np\n\ndef f(a, k):\n    return np.take_along_axis(a, k, 0)",
        "f(np.ones((1, 2)), np.array([[0, 7], [8, 0]]))",
        "IndexError: index 7 is out of bounds for axis 0 with size 1",
        "IndexError: index 8 is out of bounds for axis 0 with size 1",
    ),
    Entry(
        "unused-strides",
        "`strides` of an array in C or Fortran order are those of its shape, also along axes of"
        " one element or of none, where NumPy may have any",
        "no element is reached by them, and the type says where elements are",
        "import numpy as np\n\ndef f(a):\n    return a.strides",
        "f(np.zeros((2, 0)))",
        "(0, 0)",
        "(0, 8)",
    ),
    Entry(
        "undefined-cast",
        "Where `astype`, `np.full` and assignments of arrays convert floats that an integer type"
        " cannot hold, and NaN, to integers, the numbers may differ from NumPy's",
        "NumPy's depend on the processor, and on where in the array an element is",
    ),
    Entry(
        "open-order",
        "Where NumPy leaves an order open it may be another one: of what `partition` puts on one"
        " side, of equal elements in `argsort` without kind='stable', where theirs is kept, and of"
        " 0.0 and -0.0, which are equal, in sorting, sets, `maximum`, `minimum` and `clip`",
        "NumPy's own depends on the processor",
    ),
    Entry(
        "uint64-mix",
        "A uint64 with an int64 variable gives a float64, as arrays of both do together (which"
        " NumPy's `intersect1d` and `setxor1d` make of them only after the first comparison)",
        "no integer type holds the values of both; NumPy has the same rule for arrays",
        "import numpy as np\n\ndef f(a, n):\n    return a[0] + n",
        "f(np.array([2], dtype=np.uint64), 3)",
        "np.uint64(5)",
        "5.0",
        "convert one of them: np.int64(a[0])",
    ),
    Entry(
        "shifts",
        "Bits that a shift moves out of 64 are lost, however far it goes",
        "machine integers have 64 bits; a processor would take the count modulo 64",
        "def f(n):\n    return 1 << n",
        "f(64)",
        "18446744073709551616",
        "0",
        'overflow="raise" raises OverflowError where the result does not fit',
        off=(("overflow", "raise"),),
        without="OverflowError: the result does not fit in 64 bits",
    ),
    Entry(
        "int-power",
        "An integer to a negative power that is no constant raises ValueError",
        "the type of the result would depend on the value of the exponent",
        "def f(a, b):\n    return a ** b",
        "f(2, -1)",
        "0.5",
        "ValueError: a negative power of an integer is not an integer; use a float",
        "write float(a) ** b",
    ),
    Entry(
        "real-power",
        "A negative float to a fractional power raises ValueError",
        "the type of the result would depend on the values",
        "def f(a, b):\n    return a ** b",
        "f(-8.0, 0.5)",
        "(1.7319121124709868e-16+2.8284271247461903j)",
        ("ValueError: a fractional power of a negative number is complex; use complex(x)"),
        "write complex(a) ** b",
    ),
    Entry(
        "frozen-globals",
        "Globals and closure variables are constants, arrays among them: what they hold when"
        " the function is compiled is what it uses",
        "constants are folded into the code",
        "SCALE = 2\n\n"
        "def f(x):\n    return x * SCALE\n\n"
        "def before_and_after(x):\n"
        "    global SCALE\n"
        "    before, SCALE = f(x), 3\n"
        "    return before, f(x)",
        "before_and_after(1)",
        "(2, 3)",
        "(2, 2)",
        "pass the value as an argument",
    ),
    Entry(
        "packed-globals",
        "A global array whose items lie far apart (more than a megabyte of gaps, and more of them"
        " than items) is C-contiguous in compiled code",
        "a global array is part of the code, and so would be all the memory between its items",
        "import numpy as np\n\n"
        "A = np.zeros(10_000_000)[::1_000_000]\n\n"
        "def f():\n    return A.strides",
        "f()",
        "(8000000,)",
        "(8,)",
        "pass the array as an argument",
    ),
    Entry(
        "starred-tuple",
        "A starred target takes a tuple, not a list",
        "its length and the types of its items are known, which those of a list are not",
        "def f(t):\n    first, *rest = t\n    return rest",
        "f((1, 2.5, 3))",
        "[2.5, 3]",
        "(2.5, 3)",
    ),
    Entry(
        "reduction-order",
        "The last bits of `mean` of integers along an axis beyond 2**53, of `prod` of complex64"
        " and of `prod` along several axes may differ from NumPy's, as may those of products that"
        " are added up (`dot inner vdot matmul convolve correlate cov corrcoef`), of products of"
        " complex numbers, and of powers (`logspace geomspace`); which NaN or infinity an"
        " operation gives may too, where it has several of them in it; the result of a reduction"
        " along an axis is always in C order",
        "NumPy chooses its order of operations by the strides of the array and its instructions by"
        " the processor, and leaves products to a library that has an order of its own",
    ),
    Entry(
        "nan-identity",
        "Equality of tuples, `in`, `count` and `index` compare values alone; Python asks first"
        " whether two are the same object, which matters for NaN",
        "a number in a register is no object",
        "def f(x):\n    return (x, 1) == (x, 1)",
        "f(float('nan'))",
        "True",
        "False",
    ),
    Entry(
        "no-warnings",
        "NumPy's RuntimeWarnings (overflow, invalid value) are not issued",
        "a warning would need Python in the middle of a loop",
        "import warnings\nimport numpy as np\n\n"
        "def f(a):\n    return a[0] * a[0]\n\n"
        "def warned(a):\n"
        "    with warnings.catch_warnings(record=True) as found:\n"
        "        warnings.simplefilter('always')\n"
        "        f(a)\n"
        "    return len(found)",
        "warned(np.array([1e300]))",
        "1",
        "0",
    ),
    Entry(
        "recursion-depth",
        "Recursion goes as deep as the thread's stack allows, not to sys.getrecursionlimit();"
        " then RecursionError is raised as well",
        "compiled calls use the machine's stack",
        "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\n\n"
        "def reached(n):\n"
        "    try:\n        return f(n)\n"
        "    except RecursionError as error:\n        return type(error).__name__",
        "reached(5000)",
        "'RecursionError'",
        "5000",
    ),
    Entry(
        "late-signals",
        "Ctrl-C and other signals are seen when the compiled function returns",
        "a test in every loop would cost more than many loops do",
    ),
    Entry(
        "traceback-lines",
        "A traceback names file, line and function of compiled code, but no columns, and its"
        " frames have no local variables; an inner function shares the frame of the function"
        " around it",
        "compiled code keeps no frames",
        "def f(a):\n    x = a[0]\n    return 1 // x\n\n"
        "def local_names(a):\n"
        "    try:\n"
        "        f(a)\n"
        "    except ZeroDivisionError as error:\n"
        "        frame = error.__traceback__.tb_next.tb_frame\n"
        "        return frame.f_code.co_name, 'x' in frame.f_locals",
        "local_names((0,))",
        "('f', True)",
        "('f', False)",
    ),
    Entry(
        "no-bounds-check",
        "With boundscheck=False an index out of range reads or writes other memory",
        "the last few per cent of speed, where indices are known to be right",
        "import numpy as np\n\ndef f(a):\n    return a[4]",
        "f(np.arange(10)[:3])",
        "IndexError: index 4 is out of bounds for axis 0 with size 3",
        "4",
        "leave boundscheck on, as it is by default",
        (("boundscheck", False),),
        (),
    ),
    Entry(
        "error-model",
        "With error_model='numpy' divisions by zero give infinities and NaN (0 for integers"
        " with // and %), and functions of math give them in place of exceptions",
        "tests for zero keep loops from being vectorized",
        "def f(x):\n    return 1.0 / x",
        "f(0.0)",
        "ZeroDivisionError: float division by zero",
        "inf",
        "leave error_model='python', as it is by default",
        (("error_model", "numpy"),),
        (),
    ),
    Entry(
        "fastmath",
        "With fastmath LLVM takes the liberties that are named: sums in another order, products"
        " fused into them, no care for NaN or the sign of zero",
        "reductions of floats are vectorized only when they may be reordered",
        switch="leave fastmath out, as it is by default",
    ),
    Entry(
        "signature-conversion",
        "With explicit signatures an argument is converted to the type in the signature where"
        " that keeps its value, and the result to the return type that it says. A value that would"
        " be lost is refused with a TypeError: 2.7 where a signature says int64",
        "a signature says which types the function computes in",
        "def f(x):\n    return x + x",
        "f(3)",
        "6",
        "6.0",
        "leave the signatures out",
        (("signature", "float64(float64)"),),
        (),
    ),
)
ENTRIES = {row.id: row for row in _ROWS}
