"""The ledger of permitted differences: where compiled code may differ from Python.

Any other difference is a bug.

Each entry has an id, which tests and messages cite, and a small program that shows the difference.
`docs/ledger.md` is generated from these entries, and the test suite runs every program.

    import cutaway
    print(cutaway.ledger.ENTRIES["int64-wrap"])
"""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One permitted difference.

    `program` defines a function `f`; `call` is evaluated with it.  The outcome is `python` in
    Python, and `compiled` if f is compiled with `options`.  `switch` says how to avoid the
    difference; with the options `off` the outcome is `without` (Python's if empty).  A difference
    that no small program can show has a test instead.
    """

    id: str
    what: str
    why: str
    program: str = ""
    call: str = ""
    python: str = ""
    compiled: str = ""
    switch: str = ""
    options: tuple[tuple[str, Any], ...] = ()
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
        "container-items",
        "The items of a list or a set have one type, and so have the keys and the values of a dict:"
        " where ints, bools and floats meet they become the widest of them",
        "values of one type lie side by side, and need no objects",
        "def f(n):\n    return [n, 0.5]",
        "f(1)",
        "[1, 0.5]",
        "[1.0, 0.5]",
        switch="make all items of one type, or use a tuple",
    ),
    Entry(
        "set-order",
        "A set has the order in which its items were added",
        "one table serves dicts and sets; Python's order depends on the hashes, which differ from"
        " process to process for strings",
        "def f(n):\n    s = {n, 1}\n    return [x for x in s]",
        "f(2)",
        "[1, 2]",
        "[2, 1]",
        switch="sort the items",
    ),
    Entry(
        "container-copies",
        "Compiled code works on copies of lists, dicts and sets that are passed to it, and writes"
        " changes back after the call: what other code does with them meanwhile is not seen, and is"
        " overwritten where the call changed them, and NaN as a key is found by value only",
        "a copy without objects is what makes containers fast",
    ),
    Entry(
        "int64-wrap",
        "Integers have 64 bits and wrap around; a constant, an argument or a conversion that"
        " does not fit raises instead",
        "machine integers make integer code fast; Python's integers have no upper bound",
        "def f(n):\n    return n * n",
        *("f(2**40)", "1208925819614629174706176", "0"),
        'overflow="raise" raises OverflowError if the result does not fit',
        off=(("overflow", "raise"),),
        without="OverflowError: the result does not fit in 64 bits",
    ),
    Entry(
        "one-type",
        "A variable, a result or an item that is an int on one path and a float on another is a"
        " float on both (complex if one of them is complex, int if both are ints or bools)",
        "each variable has one machine type",
        "def f(c):\n    x = 1\n    if c:\n        x = 0.5\n    return x",
        *("f(False)", "1", "1.0"),
        "write the constants with one type",
    ),
    Entry(
        "parts-in-tuples",
        "Where NumPy gives a list of arrays, as np.split and np.histogramdd do, there is a tuple,"
        " whose length is known when compiling; np.unstack and np.trim_zeros give an array",
        "arrays of different types have no list, and a tuple is not allocated",
        "import numpy as np\n\ndef f(a):\n    return np.split(a, 2)",
        *("f(np.arange(4))", "[array([0, 1]), array([2, 3])]", "(array([0, 1]), array([2, 3]))"),
        "take the parts apart, or go through them: that is the same for all",
    ),
    Entry(
        "complex-polynomials",
        "np.poly of complex zeros gives complex coefficients, and np.roots complex numbers",
        "whether they are real depends on the values, and a result has one type",
        "import numpy as np\n\ndef f(z):\n    return np.poly(z)",
        *("f(np.array([1j, -1j]))", "array([1., 0., 1.])", "array([1.+0.j, 0.+0.j, 1.+0.j])"),
        "write .real where the coefficients are known to be real",
    ),
    Entry(
        "declared-locals",
        "A variable in `locals=` converts every assigned value to the declared type, even if part"
        " of the value is lost",
        "the option requests it",
        "def f(x):\n    y = x\n    return y",
        *("f(2.75)", "2.75", "2"),
        "remove the variable from locals",
        options=(("locals", {"y": "int64"}),),
    ),
    Entry(
        "numpy-scalars",
        "An element of an array is a plain number: integers compute in 64 bits (but bits, signs and"
        " shifts to the right have NumPy's type), a division by zero raises, and returned or"
        " printed numbers are Python numbers; functions of math compute in float32 for a float32;"
        " every number has methods of NumPy's numbers, as in `(x > 0).any()` and `x.astype('i1')`",
        "there is one kind of number with one set of rules, instead of two similar ones",
        "import numpy as np\n\ndef f(a):\n    return a[0] - a[1]",
        *("f(np.array([1, 2], dtype=np.uint8))", "np.uint8(255)", "-1"),
        "with error_model='numpy' a division by zero results in infinity or NaN",
    ),
    Entry(
        "weak-numbers",
        "A computed int64, float64 or complex128, or an argument of one of these types, takes on"
        " the dtype of an array of its kind beside it, as Python's numbers do; NumPy's own scalars,"
        " such as the result of `np.exp(2.0)` or the argument `np.float64(2.0)`, keep theirs",
        "there is one kind of number with one set of rules, instead of two similar ones",
        "import numpy as np\n\ndef f(a):\n    return a * np.exp(0.0)",
        *("f(np.ones(2, dtype=np.float32))", "array([1., 1.])", "array([1., 1.], dtype=float32)"),
        "convert the array: a.astype(np.float64)",
    ),
    Entry(
        "store-wrap",
        "A computed integer that is stored in one element of an array of narrower integers"
        " keeps its lowest bits (a constant that does not fit raises OverflowError, and so does a"
        " number that is stored in many elements or passed to a function of NumPy)",
        "NumPy truncates its own integers and raises for Python's, but here they are one kind; a"
        " check per element would cost more than the store",
        "import numpy as np\n\ndef f(a, n):\n    a[0] = n\n    return a",
        "f(np.zeros(1, dtype=np.uint8), 300)",
        "OverflowError: Python integer 300 out of bounds for uint8",
        "array([44], dtype=uint8)",
        'overflow="raise" raises OverflowError as NumPy does',
        off=(("overflow", "raise"),),
    ),
    Entry(
        "store-float",
        "A float stored in an integer array raises OverflowError if the type cannot hold it, and"
        " NaN raises ValueError, even if the float was an element of an array",
        "NumPy raises for Python's floats; for its own it stores a result that depends on the"
        " processor",
        "import numpy as np\n\ndef f(a, b):\n    a[0] = b[0]\n    return a",
        "f(np.zeros(1, dtype=np.uint8), np.array([300.0]))",
        "array([44], dtype=uint8)",
        "OverflowError: Python integer 300 out of bounds for uint8",
        "write a[0] = int(b[0]) to keep the lowest bits",
    ),
    Entry(
        "class-wrap",
        "An integer class of NumPy, called with a computed integer that does not fit, keeps its"
        " lowest bits (a constant or a float that does not fit raises OverflowError)",
        "NumPy truncates its own integers and raises for Python's, but here they are one kind",
        "import numpy as np\n\ndef f(n):\n    return np.uint8(n)",
        *("f(300)", "OverflowError: Python integer 300 out of bounds for uint8", "44"),
        'overflow="raise" raises OverflowError as NumPy does',
        off=(("overflow", "raise"),),
    ),
    Entry(
        "record-attributes",
        "Fields of records are attributes, too: `a[i].x`, and `a.x` of an array of records",
        "nothing but a field can be meant; NumPy has this for np.record and np.recarray only",
        "import numpy as np\n\ndef f(a):\n    return a[0].x",
        "f(np.ones(1, dtype=[('x', float)]))",
        "AttributeError: 'numpy.void' object has no attribute 'x'",
        "1.0",
        "write the field: a[0]['x']",
    ),
    Entry(
        "flat-store",
        "A number that does not fit in `a.flat[k]` is treated as in `a[k]`",
        "NumPy raises ValueError in every case and does not say what does not fit",
        "import numpy as np\n\ndef f(a, x):\n    a.flat[0] = x\n    return a",
        "f(np.zeros(1, dtype=np.uint8), 300.0)",
        "ValueError: Error setting single item of array.",
        "OverflowError: Python integer 300 out of bounds for uint8",
    ),
    Entry(
        "overlapping-assignment",
        "In an assignment between overlapping parts of one array, in `np.place` and"
        " `np.fill_diagonal`, and in `np.concatenate`, `np.stack`, `np.ptp` and a generalized ufunc"
        " with `axes` whose `out` overlaps, everything is read before anything is written",
        "for some overlaps NumPy reads elements that it has already overwritten",
        "import numpy as np\n\ndef f(a):\n    a[::2] = a[:3]\n    return a",
        *("f(np.array([3, 4, 6, 4, 5]))", "array([3, 4, 4, 4, 4])", "array([3, 4, 4, 4, 6])"),
    ),
    Entry(
        "reshaped-copies",
        "`reshape` and `ravel` of an array that is read-only or not aligned, and not known to be in"
        " C order, give a new array, even where NumPy gives a view; so do functions that ask for an"
        " order, such as `np.asfortranarray`, and `np.diff` for a computed n of 0",
        "a copy is in C order, aligned and not read-only, and loops over it are compiled for that;"
        " nobody can store through such a view, so only changes of the array tell them apart",
        "import numpy as np\n\ndef f(a):\n    b = np.broadcast_to(a, (2, 3)).reshape(2, 3, 1)\n"
        "    a[0] = 9\n    return float(b[0, 0, 0])",
        *("f(np.zeros(3))", "9.0", "0.0"),
        "reshape the array after it is changed",
    ),
    Entry(
        "extreme-sizes",
        "An axis, an offset or a size of any magnitude is handled exactly, and an array that"
        " is too large raises ValueError or MemoryError",
        "NumPy stores some of them in 32 bits, or computes with 64 bits that wrap around; then it"
        " raises other exceptions or returns other results",
        "import numpy as np\n\ndef f(a, k):\n    return np.diagonal(a, k)",
        "f(np.ones((2, 2)), 2**40)",
        "OverflowError: signed integer is greater than maximum",
        "array([], dtype=float64)",
    ),
    Entry(
        "fixed-types",
        "The type of a result does not depend on the contents of an array: `np.polyval` without"
        " coefficients and `np.bincount` of an empty array with weights have the same dtype as for"
        " other arrays, `np.poly` without zeros is an array, `np.cov` and `np.corrcoef` of a table"
        " with one row are tables, and `np.cross` of vectors of length two raises ValueError;"
        " the edges of `np.histogramdd` of float32 are float32 also where it has no elements, and"
        " `chebval` of float32 coefficients at bools is float64 for any number of them;"
        " `np.nanquantile` of an empty integer array would be NaN, which is not an"
        " integer, and raises IndexError",
        "types are inferred before values are known",
        "import numpy as np\n\ndef f(p, x):\n    return np.polyval(p, x)",
        *("f(np.array([]), np.array([1, 2]))", "array([0, 0])", "array([0., 0.])"),
    ),
    Entry(
        "which-fault",
        "If a call has several errors, a different one may be reported; if several indices are"
        " out of bounds, a different one may be named",
        "the order in which NumPy checks arguments and indices is not documented",
        "import numpy as np\n\ndef f(a, k):\n    return np.take_along_axis(a, k, 0)",
        "f(np.ones((1, 2)), np.array([[0, 7], [8, 0]]))",
        "IndexError: index 7 is out of bounds for axis 0 with size 1",
        "IndexError: index 8 is out of bounds for axis 0 with size 1",
    ),
    Entry(
        "unused-strides",
        "`strides` of an array in C or Fortran order follow from its shape, even along axes of"
        " length one or zero, where NumPy may have any value",
        "these strides reach no element, and the type already determines where elements are",
        "import numpy as np\n\ndef f(a):\n    return a.strides",
        *("f(np.zeros((2, 0)))", "(0, 0)", "(0, 8)"),
    ),
    Entry(
        "undefined-cast",
        "If `astype`, `np.full` or an assignment of arrays converts NaN, or floats that do not"
        " fit, to integers, the numbers may differ from NumPy's",
        "NumPy's results depend on the processor and on the position in the array",
    ),
    Entry(
        "open-order",
        "If NumPy does not define an order, it may differ: the elements on each side of a"
        " `partition` and equal elements in `argsort` without kind='stable', where NumPy's own"
        " functions are not called (CUTAWAY_NUMPY_LOOPS=0), the elements of `unique_values` and of"
        " `unique` with sorted=False (they are sorted here), and 0.0 and -0.0, which are equal, in"
        " sorting, sets, medians, `fmax`, `fmin` and `clip`; and what `overwrite_input=True` leaves"
        " in an array",
        "NumPy's order depends on the processor",
    ),
    Entry(
        "uint64-mix",
        "An operation on a uint64 and an int64 variable results in a float64, as it does for"
        " arrays (NumPy's `intersect1d` and `setxor1d` convert only after the first comparison)",
        "no integer type holds the values of both; NumPy has the same rule for arrays",
        "import numpy as np\n\ndef f(a, n):\n    return a[0] + n",
        *("f(np.array([2], dtype=np.uint64), 3)", "np.uint64(5)", "5.0"),
        "convert one of them: np.int64(a[0])",
    ),
    Entry(
        "shifts",
        "A shift loses all bits beyond 64, for any count",
        "machine integers have 64 bits; a processor would take the count modulo 64",
        "def f(n):\n    return 1 << n",
        *("f(64)", "18446744073709551616", "0"),
        'overflow="raise" raises OverflowError if the result does not fit',
        off=(("overflow", "raise"),),
        without="OverflowError: the result does not fit in 64 bits",
    ),
    Entry(
        "int-power",
        "An integer to a negative power raises ValueError unless the power is a constant",
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
        "Globals and closure variables, including arrays, are constants: the function uses their"
        " values at the time it is compiled. Two uses of an array may lie in different memory",
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
        "A global array whose items are far apart (more than a megabyte of gaps, and more gaps"
        " than items) is C-contiguous in compiled code",
        "a global array is part of the code; otherwise all memory between its items would be too",
        "import numpy as np\n\n"
        "A = np.zeros(10_000_000)[::1_000_000]\n\n"
        "def f():\n    return A.strides",
        *("f()", "(8000000,)", "(8,)"),
        "pass the array as an argument",
    ),
    Entry(
        "integer-matrix-powers",
        "A negative power of a matrix of integers, whose exponent is known when the program runs,"
        " raises ValueError",
        "the inverse has floats: the type of the result would depend on the exponent",
        "import numpy as np\n\ndef f(a, n):\n    return np.linalg.matrix_power(a, n)[0, 0]",
        "f(np.array([[2, 0], [0, 1]]), -1)",
        "np.float64(0.5)",
        "ValueError: a negative power of integers is one of floats: convert the matrix first",
        "write a.astype(np.float64), or a constant exponent",
    ),
    Entry(
        "linspace-step",
        "The step of `linspace` between arrays is an array of NaN where there is none",
        "NumPy gives one NaN in its place: the type of the result would depend on `num`",
        "import numpy as np\n\ndef f(a, n):\n    return np.linspace(a, a + 1, n, retstep=True)[1]",
        *("f(np.zeros(2), 1)", "nan", "array([nan, nan])"),
        "ask for two numbers at least",
    ),
    Entry(
        "starred-tuple",
        "A starred target takes a tuple, not a list",
        "the length and the item types of a tuple are known, those of a list are not",
        "def f(t):\n    first, *rest = t\n    return rest",
        *("f((1, 2.5, 3))", "[2.5, 3]", "(2.5, 3)"),
    ),
    Entry(
        "reduction-order",
        "The last bits may differ from NumPy's for `mean` of integers along an axis beyond 2**53,"
        " `prod` of complex64, float16 along several axes of an array with gaps, what a mask in"
        " another order than the array selects, sums of products (`dot inner vdot matmul"
        " einsum tensordot multi_dot convolve correlate cov corrcoef`), products of complex"
        " numbers, and powers (`logspace geomspace`, an exponent that is repeated along an axis);"
        " an operation on several NaNs or infinities may result in another one of them; the result"
        " of a reduction along an axis is always in C order; sums of expressions of arrays of which"
        " only some are in C order; and sums and products of floats over the iterations of a"
        " parallel loop, which each thread computes of some of them: they are the same run after"
        " run for one number of threads",
        "NumPy chooses the order of operations by the strides of the array and the instructions by"
        " the processor, and leaves products to a library with an order of its own",
    ),
    Entry(
        "zero-times-nan",
        "`dot` and `inner` of an array and a single zero are NaN where the array is NaN",
        "the library that NumPy leaves products to skips a factor of zero",
        "import numpy as np\n\ndef f(a, x):\n    return np.dot(a, x)",
        *("f(np.array([1.0, np.nan]), np.array(0.0))", "array([0., 0.])", "array([ 0., nan])"),
    ),
    Entry(
        "parallel-exception",
        "Where an iteration of a parallel loop raises, iterations after it may have been executed."
        " The exception is that of the first iteration that raises, in the order of the loop. What"
        " stands under a comparison with a variable that iterations have in common (`if x < best:`)"
        " may be executed, and raise, where the loop in order would have left it out. Errors about"
        " sizes that do not fit name the arrays besides",
        "threads run iterations at once, and an iteration that has stored something cannot be"
        " taken back",
        switch="write range in the place of prange",
    ),
    Entry(
        "parallel-own",
        "A variable that may have no value before a parallel loop, and that an iteration sets on"
        " some paths only, is each iteration's own: one that reads it without having set it raises"
        " UnboundLocalError, though an earlier iteration may have left a value in Python",
        "what an earlier iteration left depends on the order in which threads run them",
        "from cutaway import prange\n\ndef f(n):\n    s = 0\n    for i in prange(n):\n"
        "        if i % 2 == 0:\n            k = i\n        s += k\n    return s",
        "f(4)",
        "4",
        "UnboundLocalError: cannot access local variable 'k' where it is not associated with a"
        " value; each iteration of a parallel loop has its own",
        "set the variable on every path of an iteration, or write range in the place of prange",
        (("parallel", True),),
        (("parallel", False),),
    ),
    Entry(
        "parallel-races",
        "Where an iteration of a parallel loop writes an element that another one reads or writes,"
        " the result depends on the threads. What is certain to do so when it is compiled is an"
        " error, what may do so is a warning, and"
        ' neither is said with `parallel={"races": "allowed"}`',
        "iterations run at once and in any order; whether two of them meet may depend on data",
        switch='write range in the place of prange, or `parallel="check"`, which raises',
    ),
    Entry(
        "parallel-random",
        "Iterations of a parallel loop draw other random numbers than those of the loop in order:"
        " each has a stream of its own, `Philox(key=key, counter=[0, i, 0, 0])`, for a key of two"
        " words that each source draws when the loop begins. A source that is seeded in an"
        " iteration is seeded for the rest of that iteration",
        "so the numbers depend neither on the number of threads nor on who ran what",
        "import numpy as np\nfrom cutaway import prange\n\ndef f(seed):\n"
        "    a, rng = np.zeros(2), np.random.default_rng(seed)\n    for i in prange(2):\n"
        "        a[i] = rng.integers(1000)\n    return a",
        *("f(1).tolist()", "[473.0, 511.0]", "[299.0, 997.0]"),
        "write range in the place of prange",
        (("parallel", True),),
        (("parallel", False),),
    ),
    Entry(
        "complex-eigenvalues",
        "`np.linalg.eig` and `eigvals` give complex numbers always; NumPy, before 2.5, gives real"
        " ones where all of them are real",
        "a type is known before values are",
        switch="`.real`, or `np.linalg.eigvalsh` of a matrix that is symmetric",
    ),
    Entry(
        "result-order",
        "An array that is computed of others lies in C order without gaps; one that is computed"
        " element by element, copied or put together by `np.concatenate` lies in Fortran order if"
        " all of them are known to. NumPy's has the order that the others have in memory, and gaps"
        " where it is a part of a larger one, as in `np.nonzero`",
        "the order of an array is a part of its type",
        "import numpy as np\n\ndef f(a):\n    return a[:, ::2].T * 2.0",
        *("f(np.ones((2, 4))).flags.c_contiguous", "False", "True"),
        "np.asfortranarray(...) has Fortran order",
    ),
    Entry(
        "array-classes",
        "An `np.recarray` or `np.memmap` is taken as an array, and what is given back is a plain"
        " one; fields are attributes of every array whose elements are of class `np.record`",
        "the class of an array is no part of its type",
        "import numpy as np\n\ndef f(a):\n    return a[1:]",
        "type(f(np.zeros(2, [('x', 'f8')]).view(np.recarray))).__name__",
        "'recarray'",
        "'ndarray'",
        "`.view(np.recarray)` of the result",
    ),
    Entry(
        "loop-strides",
        "The last bit of functions that NumPy's own loops compute, such as `expm1`, may differ for"
        " elements that do not lie side by side",
        "NumPy computes several at once or one by one, as the strides are; here they are in blocks",
    ),
    Entry(
        "nan-identity",
        "Equality of tuples, `in`, `count` and `index` compare only values; Python first checks"
        " whether both are the same object, which matters for NaN",
        "a number in a register is not an object",
        "def f(x):\n    return (x, 1) == (x, 1)",
        *("f(float('nan'))", "True", "False"),
    ),
    Entry(
        "no-warnings",
        "NumPy's RuntimeWarnings (overflow, invalid value) are not issued, and `np.errstate` does"
        " not make exceptions of them, also around a function that `vectorize` made",
        "a warning would need the interpreter in the middle of a loop, and the processor's flags"
        " are also set by what code computes and then does not use",
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
        "Recursion is limited by the thread's stack, not by sys.getrecursionlimit(); at the"
        " limit, RecursionError is raised as in Python",
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
        "Ctrl-C and other signals are handled when the compiled function returns",
        "a check in every loop would cost more than many loops themselves",
    ),
    Entry(
        "traceback-lines",
        "A traceback shows file, line and function of compiled code, but no columns, and its"
        " frames have no local variables; an inner function shares the frame of the enclosing"
        " function",
        "compiled code has no Python frames",
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
        "the option gains a few percent of speed if indices are known to be valid",
        "import numpy as np\n\ndef f(a):\n    return a[4]",
        "f(np.arange(10)[:3])",
        "IndexError: index 4 is out of bounds for axis 0 with size 3",
        "4",
        "keep boundscheck=True, the default",
        (("boundscheck", False),),
        (),
    ),
    Entry(
        "error-model",
        "With error_model='numpy' divisions by zero result in infinity or NaN (0 for integers"
        " with // and %), and functions of math return these instead of raising",
        "checks for zero prevent vectorization of loops",
        "def f(x):\n    return 1.0 / x",
        *("f(0.0)", "ZeroDivisionError: float division by zero", "inf"),
        "keep error_model='python', the default",
        (("error_model", "numpy"),),
        (),
    ),
    Entry(
        "float-to-int",
        "With float_to_int='astype' NaN, and a float that an integer cannot hold, become the"
        " smallest integer of 32 or 64 bits, as where whole arrays are converted, by `int(x)` and"
        " where they are stored in an array of integers",
        "programs that were written for Numba may store NaN where the result is not looked at",
        "import numpy as np\n\ndef f(a, x):\n    a[:] = x\n    return a",
        "f(np.zeros(1, np.int32), np.nan)",
        "ValueError: cannot convert float NaN to integer",
        "array([-2147483648], dtype=int32)",
        "keep float_to_int='raise', the default",
        (("float_to_int", "astype"),),
        (),
    ),
    Entry(
        "fastmath",
        "With fastmath LLVM may use the optimizations that its flags name: reorder sums, fuse"
        " products into them, ignore NaN or the sign of zero",
        "LLVM vectorizes float reductions only if it may reorder them",
        switch="do not set fastmath, the default",
    ),
    Entry(
        "vector-math",
        "With vector_math, which fastmath turns on, functions such as `exp` and `sin` of floats are"
        " polynomials, off by a few units in the last place; each has a budget, which tests hold"
        " (`library/polynomials/table.py`)",
        "LLVM makes vectors of polynomials, and of no call",
        switch="do not set vector_math, or with fastmath set vector_math=False",
    ),
    Entry(
        "signature-conversion",
        "With explicit signatures an argument is converted to the type in the signature if its"
        " value is kept, and the result to the return type. A conversion that would lose the value"
        " raises TypeError, such as 2.7 for int64; calls from compiled code do the same",
        "a signature states the types that the function computes with",
        "def f(x):\n    return x + x",
        *("f(3)", "6", "6.0"),
        "write no signature",
        (("signature", "float64(float64)"),),
        (),
    ),
    Entry(
        "empty-comprehension",
        "An array made of a comprehension has the element type and the dimensions of its items,"
        " also where there are none",
        "NumPy makes one of float64 with one dimension, and compiled code has one type for an array"
        " whatever its length",
        "import numpy as np\n\ndef f(n):\n    return np.array([(i, i) for i in range(n)]).ndim",
        *("f(0)", "1", "2"),
    ),
    Entry(
        "objmode-outputs",
        "What comes out of a block of `with objmode` has the types that it declares",
        "the code behind the block is compiled for these types",
        "import cutaway\n\n"
        "def f(n):\n"
        "    with cutaway.objmode(y='float64'):\n"
        "        y = n\n"
        "    return y",
        *("f(3)", "3", "3.0"),
        "assign a value of the declared type in the block",
    ),
    Entry(
        "object-lifetimes",
        "In object mode an argument is kept by whoever passed it until the call ends",
        "arguments are lent from C function to C function, without counting",
        "def f(log):\n"
        "    class Noted:\n"
        "        def __del__(self):\n"
        "            log.append('dropped')\n\n"
        "    def takes(x):\n"
        "        x = None\n"
        "        log.append('replaced')\n\n"
        "    takes(Noted())\n"
        "    return log",
        *("f([])", "['dropped', 'replaced']", "['replaced', 'dropped']"),
        options=(("forceobj", True),),
    ),
    Entry(
        "object-frames",
        "In object mode a traceback has the function's line, and a frame without local variables",
        "compiled code has no frame of Python's; one is made for the traceback alone",
        "def f():\n"
        "    secret = 1\n"
        "    try:\n"
        "        return secret / 0\n"
        "    except ZeroDivisionError as error:\n"
        "        return 'secret' in error.__traceback__.tb_frame.f_locals",
        *("f()", "True", "False"),
        options=(("forceobj", True),),
    ),
    Entry(
        "lent-buffers",
        "The bytearray or array.array of a generator that has not ended cannot be resized",
        "compiled code reads the memory itself, which must not move",
        "def f(b):\n    for x in b:\n        yield x",
        "[b.clear() for b in [bytearray(b'ab')] for _ in f(b)]",
        "[None]",
        "BufferError: Existing exports of data: object cannot be re-sized",
    ),
    Entry(
        "object-generators",
        "A generator of object mode has all methods of Python's, but a class of its own",
        "Python's generators run bytecode",
        "def f():\n    yield 1",
        *("__import__('inspect').isgenerator(f())", "True", "False"),
        options=(("forceobj", True),),
    ),
    Entry(
        "lifted-int64",
        "Integers wrap in a loop that is lifted out of object mode, as in all code with types;"
        " `looplift=False` leaves loops where they are",
        "a lifted loop is compiled for the types of the values that it begins with",
        "def f(n):\n    x = 1\n    for k in range(n):\n        x = x * 2\n    return x",
        *("f(70)", "1180591620717411303424", "0"),
        options=(("forceobj", True),),
    ),
    Entry(
        "lifted-values",
        "What a lifted loop gives has the types of compiled code, and variables of the module are"
        " read when it begins",
        "the loop runs apart, and what it gives becomes objects at its end",
        "import numpy as np\n\n"
        "def f(a):\n    s = 0\n    for x in a:\n        s = s + x\n    return type(s).__name__",
        *("f(np.ones(3))", "'float64'", "'float'"),
        options=(("forceobj", True),),
    ),
    Entry(
        "lent-pointers",
        "A C function whose parameter is a pointer to numbers takes `a.ctypes` of an array of"
        " these, where ctypes wants `a.ctypes.data_as(...)`",
        "the type of the array says what the pointer points to",
        "import ctypes\nimport numpy as np\n\n"
        "modf = ctypes.CDLL(None).modf\n"
        "modf.argtypes = [ctypes.c_double, ctypes.POINTER(ctypes.c_double)]\n"
        "modf.restype = ctypes.c_double\n\n"
        "def f(x):\n    whole = np.empty(1)\n    return modf(x, whole.ctypes)",
        "f(5.25)",
        "ArgumentError: argument 2: TypeError: expected LP_c_double instance instead of c_void_p",
        "0.25",
        "pass `a.ctypes.data_as(...)`",
    ),
    Entry(
        "gpu-functions",
        "In code for a GPU, functions of math, cmath and NumPy on floats are those of NVIDIA's"
        " libdevice, whose results differ by a few units in the last place; with `fastmath` those"
        " of float32 have fewer correct digits",
        "a GPU has no C library, and NumPy's loops run on the CPU",
        switch="sums, products, quotients and square roots are exact without `fastmath`",
    ),
    Entry(
        "gpu-fma",
        "In code for a GPU a product and a sum may be one instruction, which rounds once",
        "it is what the hardware does in the time of one of them",
        switch="`fma=False` of `@cuda.jit` and `compile_ptx`",
    ),
    Entry(
        "gpu-exceptions",
        "An exception in a kernel ends the thread that raises it, and the others go on; it is"
        " raised when the host next waits for the kernel, the first one only, with block and thread"
        " in a note",
        "threads of a GPU cannot stop each other or the host",
        switch="`cuda.simulate` raises at once",
    ),
    Entry(
        "gpu-checks",
        "Without `debug=True` a kernel checks neither indices nor divisors: what lies beyond an"
        " array is read or written, and a division by zero gives what the hardware gives",
        "checks cost registers and branches in each thread",
        switch='`debug=True`, or `boundscheck=True` and `error_model="python"`; `cuda.simulate`'
        " checks indices and divisors that are integers always",
    ),
)
ENTRIES = {row.id: row for row in _ROWS}
