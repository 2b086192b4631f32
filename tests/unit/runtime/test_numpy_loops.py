"""NumPy's inner loops by address: each gives the bits that its ufunc gives."""

from __future__ import annotations

import ctypes
import importlib
import os
import platform
import sys

import numpy as np
import pytest

import warm
from caching import processes
from cutaway import config
from cutaway.caching import records
from cutaway.errors import InternalError
from cutaway.runtime import _numpy_loops, numpy_loops, symbols
from cutaway.targets.cpu import engine
from cutaway.targets.cpu.engine import Library, Module, Plan, address_in_process
from cutaway.targets.cpu.llvm_fallback import LlvmliteBinding

pytestmark = pytest.mark.sampled(fast=10)

WORD, POINTER = ctypes.c_int64, ctypes.c_void_p
LOOP = ctypes.CFUNCTYPE(None, POINTER, POINTER, POINTER, POINTER)
NUMBERS = "?bBhHiIlLqQefdgFDG"
COUNT = 1000


def parts(name: str) -> tuple[int, int]:
    """The function of a loop, and its last argument."""
    address = numpy_loops.address(name)
    assert address is not None, name
    pair = (ctypes.c_uint64 * 2).from_address(address)
    return pair[0], pair[1]


def words(*numbers: int) -> ctypes.Array:
    return (WORD * len(numbers))(*numbers)


def run(name: str, arrays: list[np.ndarray], sizes: list[int], steps: list[int]) -> None:
    """Call a ufunc's loop."""
    function, data = parts(name)
    places = words(*(array.ctypes.data for array in arrays))
    LOOP(function)(places, words(*sizes), words(*steps), data)


def bits(array: np.ndarray) -> bytes:
    """The bytes of an array that say something: a long double has six that do not."""
    data = np.ascontiguousarray(array)
    if data.dtype.char in "gG":
        return data.view(np.uint8).reshape(-1, 16)[:, :10].tobytes()
    return data.tobytes()


# --- values -----------------------------------------------------------------------------------

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 1e-40, 5e-324, 88.8, 709.9, -745.2, 1e30]
FLOATS += [1e300, np.inf, -np.inf, np.nan, -np.nan, 2.0**52 + 0.5, 65504.0, 1e-8, np.pi]


def made_up(kind: str, count: int = COUNT) -> np.ndarray:
    """Random and special values of a dtype."""
    rng = np.random.default_rng(ord(kind))
    dtype = np.dtype(kind)
    if kind == "?":
        return rng.random(count) < 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = rng.integers(limits.min, limits.max, count, dtype, endpoint=True)
        values[::3] = rng.integers(0 if dtype.kind == "u" else -9, 10, len(values[::3]))
        values[:2] = limits.min, limits.max
        return values
    if dtype.kind == "c":
        return (floats(rng, count) + 1j * floats(rng, count)).astype(dtype)
    return floats(rng, count).astype(dtype)


def floats(rng: np.random.Generator, count: int) -> np.ndarray:
    values = rng.normal(size=count) * 10.0 ** rng.integers(-5, 6, count)
    values[::2] = rng.normal(size=len(values[::2]))
    values[rng.permutation(count)[: 3 * len(FLOATS)]] = FLOATS * 3
    return values


with np.errstate(all="ignore"):
    VALUES = {kind: [made_up(kind), made_up(kind)[::-1].copy()] for kind in NUMBERS}


def inputs_of(ufunc: np.ufunc, kinds: str) -> list[np.ndarray]:
    values = [VALUES[kind][k % 2] for k, kind in enumerate(kinds)]
    if ufunc is np.power and np.dtype(kinds[1]).kind == "i":  # a negative power is an error
        values[1] = np.abs(values[1] // 2)
    return values


# --- ufuncs -----------------------------------------------------------------------------------

UFUNCS = sorted(
    {
        u.__name__: u
        for u in vars(np._core.umath).values()
        if isinstance(u, np.ufunc) and u.signature is None
    }.items()
)
ROWS = {
    name: [row.split("->") for row in dict.fromkeys(ufunc.types) if set(row) <= {*NUMBERS, *"->"}]
    for name, ufunc in UFUNCS
}
NUMERIC = [name for name, _ in UFUNCS if ROWS[name]]


@pytest.mark.parametrize("name", NUMERIC)
@np.errstate(all="ignore")
def test_a_loop_gives_the_bits_of_its_ufunc(name):
    ufunc = dict(UFUNCS)[name]
    for given, gives in ROWS[name]:
        values = inputs_of(ufunc, given)
        for count, apart in ((COUNT, 1), (COUNT // 2, 2), (0, 1), (1, 1), (7, 1), (7, 3)):
            arrays = [value[: count * apart : apart] for value in values]
            results = [
                np.zeros(max(count, 1) * apart, kind)[: count * apart : apart] for kind in gives
            ]
            ufunc(*arrays, out=tuple(results), signature=f"{given}->{gives}")
            wanted = [bits(result) for result in results]
            for result in results:
                result[...] = 0
            every = [*arrays, *results]
            steps = [array.itemsize * apart for array in every]
            run(f"numpy.{name}.{given}.{gives}", every, [count], steps)
            assert [bits(result) for result in results] == wanted, (given, gives, count, apart)


def test_there_are_loops_of_all_usual_ufuncs():
    assert len(NUMERIC) >= 80 and sum(map(len, ROWS.values())) >= 800
    assert {"exp", "add", "power", "isfinite", "modf", "clip", "conjugate"} <= set(NUMERIC)


@pytest.mark.parametrize("kind", "bHilqefdgFD")
def test_a_loop_with_an_output_that_stays_in_its_place_reduces(kind):
    for count in (1, 2, 7, 8, 9, 127, 129, COUNT):
        values = VALUES[kind][0][:count].copy()
        if np.dtype(kind).kind in "fc":
            values = np.random.default_rng(count).normal(size=count).astype(kind)
        total = values[:1].copy()
        run(
            f"numpy.add.{kind * 2}.{kind}",
            [total, values[1:], total],
            [count - 1],
            [0, values.itemsize, 0],
        )
        first = np.add.reduce(values[1:], dtype=kind, initial=values[0])
        assert bits(total) == bits(first)


def test_a_result_may_have_several_parts_and_types():
    mantissas, exponents = np.zeros(3), np.zeros(3, np.int32)
    run("numpy.frexp.d.di", [np.array([8.0, 3.0, 0.1]), mantissas, exponents], [3], [8, 8, 4])
    assert (mantissas * 2.0**exponents == [8.0, 3.0, 0.1]).all()


# --- generalized ufuncs -----------------------------------------------------------------------


def products():
    rng = np.random.default_rng(1)
    square, wide, vector = rng.normal(size=(9, 9)), rng.normal(size=(9, 5)), rng.normal(size=9)
    yield "matmul", (square, wide), (9, 9, 5), (9, 5)
    yield "matmul", (square.T, wide), (9, 9, 5), (9, 5)
    yield "matmul", (square, np.asfortranarray(wide)), (9, 9, 5), (9, 5)
    yield "matmul", (square[::2], wide), (5, 9, 5), (5, 5)
    yield "vecdot", (vector, square[:, 2]), (9,), ()
    yield "matvec", (wide.T, vector), (5, 9), (5,)
    yield "vecmat", (vector, wide), (9, 5), (5,)


@pytest.mark.parametrize("kind", "ilfdFDg")
@pytest.mark.parametrize("case", range(7))
def test_products_give_the_bits_of_numpy(case, kind):
    name, given, sizes, shape = list(products())[case]
    ufunc = getattr(np, name, None)
    if ufunc is None:
        pytest.skip(f"this NumPy has no {name}")
    with np.errstate(all="ignore"):
        arrays = [(array * (1 if kind in "fdg" else 9)).astype(kind, copy=False) for array in given]
        arrays = [
            array if array.dtype == given[k].dtype else array for k, array in enumerate(arrays)
        ]
    result = np.zeros(shape, kind)
    every = [*arrays, result]
    core = [stride for array in every for stride in array.strides]
    run(f"numpy.{name}.{kind * 2}.{kind}", every, [1, *sizes], [0, 0, 0, *core])
    assert bits(result) == bits(ufunc(*arrays))


FLAGS = ctypes.CFUNCTYPE(ctypes.c_int32, POINTER, POINTER, POINTER, POINTER)(
    symbols["cutaway_numpy_flags"]
)


def flags(name: str, arrays: list[np.ndarray], sizes: list[int], steps: list[int]) -> int:
    """What the operations of a loop have noted."""
    places = words(*(array.ctypes.data for array in arrays))
    return FLAGS(numpy_loops.address(name), places, words(*sizes), words(*steps))


def test_linear_algebra_tells_a_singular_matrix_by_a_flag():
    matrix = np.random.default_rng(2).normal(size=(6, 6))
    result = np.zeros((6, 6))
    shape = [1, 6], [0, 0, 48, 8, 48, 8]
    assert flags("numpy.log.d.d", [np.array([-1.0]), result], [1], [8, 8]) == 8
    assert flags("numpy.linalg.inv.d.d", [matrix, result], *shape) & 8 == 0
    assert bits(result) == bits(np.linalg.inv(matrix))
    assert flags("numpy.linalg.inv.d.d", [np.zeros((6, 6)), result], *shape) & 8
    assert flags("numpy.linalg.inv.d.d", [matrix, result], *shape) & 8 == 0


def test_flags_are_those_of_numpy():
    out = np.zeros(1)
    for name, values, flag in (
        ("divide", (1.0, 0.0), 1),
        ("multiply", (1e200, 1e200), 2),
        ("multiply", (1e-200, 1e-200), 4),
        ("subtract", (np.inf, np.inf), 8),
        ("add", (1.0, 2.0), 0),
    ):
        arrays = [*(np.array([value]) for value in values), out]
        assert flags(f"numpy.{name}.dd.d", arrays, [1], [8, 8, 8]) == flag


def test_flags_can_be_cleared():
    clear = ctypes.CFUNCTYPE(None)(symbols["cutaway_clear_float_flags"])
    asked = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(address_in_process("fetestexcept"))
    every = 0x3F if platform.machine() == "x86_64" else 0x1F  # FE_ALL_EXCEPT
    run("numpy.log.d.d", [np.array([-1.0]), np.zeros(1)], [1], [8, 8])
    assert asked(every)
    clear()
    assert not asked(every)


LINALG = """
cholesky_lo cholesky_up det eig eigh_lo eigh_up eigvals eigvalsh_lo eigvalsh_up inv lstsq
qr_complete qr_r_raw qr_reduced slogdet solve solve1 svd svd_f svd_s
""".split()
FFT = "fft ifft irfft rfft_n_even rfft_n_odd".split()


@pytest.mark.parametrize("place", ["linalg", "fft"])
def test_a_module_of_ufuncs_has_those_that_we_know(place):
    module = importlib.import_module(numpy_loops._PLACES[place])
    ufuncs = {u.__name__: u for u in vars(module).values() if isinstance(u, np.ufunc)}
    early = {"lstsq", "qr_r_raw", "svd", "svd_f", "svd_s"} if "svd_m" in ufuncs else set()
    assert set(LINALG if place == "linalg" else FFT) - early <= set(ufuncs)
    for name, ufunc in ufuncs.items():
        for given, gives in (row.split("->") for row in ufunc.types):
            assert numpy_loops.address(f"numpy.{place}.{name}.{given}.{gives}"), (name, given)


def test_a_fourier_transform_gives_the_bits_of_numpy():
    values = np.random.default_rng(3).normal(size=30) + 1j
    result = np.zeros(30, complex)
    run("numpy.fft.fft.Dd.D", [values, np.ones(1), result], [1, 30, 30], [0, 0, 0, 16, 16])
    assert bits(result) == bits(np.fft.fft(values))
    given, half = np.ascontiguousarray(values.real), np.zeros(16, complex)
    run("numpy.fft.rfft_n_even.dd.D", [given, np.ones(1), half], [1, 30, 16], [0, 0, 0, 8, 16])
    assert bits(half) == bits(np.fft.rfft(given))


# --- functions of dtypes ----------------------------------------------------------------------


def array_function(name: str, kind: str, *types: type):
    function, array = parts(f"numpy.dtype.{name}.{kind}")
    result = None if name == "dot" else ctypes.c_bool if name == "nonzero" else ctypes.c_int
    call = ctypes.CFUNCTYPE(result, *types, POINTER)(function)
    return lambda *args: call(*args, array)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("stability", ["", "stable_"])
def test_sorting_gives_the_bits_of_numpy(kind, stability):
    sort = array_function(f"{stability}sort", kind, POINTER, WORD)
    argsort = array_function(f"{stability}argsort", kind, POINTER, POINTER, WORD)
    way = "stable" if stability else "quicksort"
    for count in (0, 1, 7, COUNT):
        values, indices = VALUES[kind][0][:count].copy(), np.arange(count)
        assert argsort(values.ctypes.data, indices.ctypes.data, count) == 0
        assert indices.tolist() == np.argsort(values, kind=way).tolist()
        wanted = np.sort(values, kind=way)
        assert sort(values.ctypes.data, count) == 0
        assert bits(values) == bits(wanted)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_place_of_the_extreme_value_is_that_of_numpy(kind, name):
    function = array_function(name, kind, POINTER, WORD, POINTER)
    for values in (*VALUES[kind], VALUES[kind][0][:7], VALUES[kind][0][:1]):
        place = words(-1)
        assert function(values.ctypes.data, len(values), place) == 0
        assert place[0] == getattr(np, name)(values)


@pytest.mark.parametrize("kind", NUMBERS)
def test_an_element_is_nonzero_where_numpy_says_so(kind):
    function = array_function("nonzero", kind, POINTER)
    values = VALUES[kind][0]
    found = [k for k in range(COUNT) if function(values.ctypes.data + k * values.itemsize)]
    assert found == np.nonzero(values)[0].tolist()


@pytest.mark.parametrize("kind", NUMBERS)
@np.errstate(all="ignore")
def test_a_dot_product_gives_the_bits_of_numpy(kind):
    function = array_function("dot", kind, POINTER, WORD, POINTER, WORD, POINTER, WORD)
    first, second = VALUES[kind]
    for count, apart in ((COUNT, 1), (COUNT // 2, 2), (7, 1), (1, 1), (0, 1)):
        a, b, result = first[: count * apart : apart], second[:count], np.zeros(1, kind)
        where = a.ctypes.data, a.itemsize * apart, b.ctypes.data, b.itemsize
        function(*where, result.ctypes.data, count)
        assert bits(result) == bits(np.dot(a, b))


def test_elements_with_objects_or_sizes_of_their_own_have_no_functions():
    assert [kind for kind in "OSUV" if numpy_loops.address(f"numpy.dtype.sort.{kind}")] == []
    assert numpy_loops.address("numpy.dtype.sort.M") and numpy_loops.address("numpy.dtype.sort.m")


# --- names ------------------------------------------------------------------------------------

NOWHERE = """
numpy numpy. numpy.exp numpy.exp.d numpy.exp.d.f numpy.exp.i.d numpy.exp.O.O numpy.exp.d.d.d
numpy.nothing.d.d numpy.array.d.d numpy.linalg.exp.d.d numpy.random.exp.d.d numpy.__name__.d.d
numpy.dtype.sort numpy.dtype.sort.f8 numpy.dtype.sort.dd numpy.dtype.nothing.d numpy.dtype.sort.
sin exp.d.d
""".split()


@pytest.mark.parametrize("name", NOWHERE)
def test_an_unknown_name_has_no_address(name):
    assert numpy_loops.address(name) is None


def test_a_name_keeps_its_address():
    assert numpy_loops.address("numpy.exp.d.d") == numpy_loops.address("numpy.exp.d.d")


def test_a_function_that_a_user_puts_into_numpy_is_not_called(monkeypatch):
    monkeypatch.setattr(np, "cosh", np.frompyfunc(abs, 1, 1))
    function, _ = parts("numpy.cosh.d.d")
    result = np.zeros(1)
    run("numpy.cosh.d.d", [np.zeros(1), result], [1], [8, 8])
    assert function and result[0] == 1.0


# --- loops of our own -------------------------------------------------------------------------

ALIKE = {  # where to compare
    "arccos": (-1, 1), "arcsin": (-1, 1), "arctanh": (-0.99, 0.99), "arccosh": (1, 100),
    "power": (0.1, 10), "log1p": (-0.9, 50), "sqrt": (0, 100),
    "log": (0.01, 100), "log2": (0.01, 100), "log10": (0.01, 100),
}  # fmt: skip
ONE = """
absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh exp exp2 expm1 fabs floor
log log10 log1p log2 rint sin sinh sqrt tan tanh trunc
""".split()
TWO = "arctan2 copysign fmax fmin fmod hypot nextafter power".split()


@pytest.mark.parametrize("kind", "df")
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_a_loop_of_our_own_differs_by_a_few_ulps(name, kind):
    rng = np.random.default_rng(4)
    given = [rng.uniform(*ALIKE.get(name, (-10, 10)), 2 * COUNT).astype(kind) for _ in range(2)]
    given = given[: 1 + (name in TWO)]
    wanted = getattr(np, name)(*(value[::2] for value in given))
    result = np.zeros(COUNT, kind)
    with config.using(NUMPY_LOOPS=False):
        steps = [2 * value.itemsize for value in given] + [result.itemsize]
        run(f"numpy.{name}.{kind * len(given)}.{kind}", [*given, result], [COUNT], steps)
    assert (np.abs(result - wanted) <= 4 * np.spacing(np.abs(wanted))).all()


def is_our_own() -> bool:
    """Whether NumPy's loops are left alone."""
    own = _numpy_loops.own_loop("numpy.exp.d.d")
    others = (
        "numpy.add.dd.d",
        "numpy.dtype.sort.d",
        "numpy.linalg.inv.d.d",
        "numpy.logaddexp.ee.e",
    )
    assert own is not None
    if numpy_loops.address("numpy.exp.d.d") != own:
        return False
    return all(numpy_loops.address(name) is None for name in others)


def test_a_setting_leaves_numpy_alone():
    assert not is_our_own()
    with config.using(NUMPY_LOOPS=False):
        assert is_our_own()
    assert not is_our_own()


@pytest.mark.parametrize("version", ["3.0.0", "1.26.4", "20.1", ""])
def test_another_numpy_is_left_alone(version, monkeypatch):
    monkeypatch.setattr(np, "__version__", version)
    assert is_our_own()


def test_ufuncs_that_are_smaller_are_left_alone(monkeypatch):
    monkeypatch.setattr(_numpy_loops, "UFUNC_BYTES", np.ufunc.__basicsize__ + 8)
    assert is_our_own()


@pytest.mark.parametrize(
    "given",
    [(np.exp, 0, 2, 1, 0), (np.exp, 0, 1, 2, 0), (np.exp, 0, 1, 1, 1), (np.exp, -1, 1, 1, 0)],
)
def test_a_struct_that_says_other_counts_is_not_believed(given):
    *known, more = given
    rows = np.exp.ntypes + more
    assert _numpy_loops.ufunc_loop(*known, rows) is None
    assert _numpy_loops.ufunc_loop(np.exp, 0, 1, 1, np.exp.ntypes) is not None
    assert _numpy_loops.ufunc_loop(np.exp, np.exp.ntypes, 1, 1, np.exp.ntypes) is None


def test_what_is_no_ufunc_or_array_is_not_believed():
    assert _numpy_loops.ufunc_loop(5, 0, 1, 1, 1) is None
    assert _numpy_loops.array_function("sort", 5) is None
    assert _numpy_loops.array_function("sort", np.zeros(1, ">f8")) is None


# --- compiled code ----------------------------------------------------------------------------

CALL = """
@"{name}" = external constant {{ ptr, ptr }}
define void @loop(ptr %args, ptr %sizes, ptr %steps) {{
  %function = load ptr, ptr @"{name}"
  %data = load ptr, ptr getelementptr inbounds ({{ ptr, ptr }}, ptr @"{name}", i64 0, i32 1)
  call void %function(ptr %args, ptr %sizes, ptr %steps, ptr %data)
  ret void
}}
"""
EXP = "numpy.exp.d.d"


def built(text: str) -> bytes:
    module = Module(text)
    module.optimize(Plan())
    return module.object_code()


def exp_by(library: Library) -> np.ndarray:
    values, result = VALUES["d"][0], np.zeros(COUNT)
    places = words(values.ctypes.data, result.ctypes.data)
    call = ctypes.CFUNCTYPE(None, POINTER, POINTER, POINTER)(library.address("loop"))
    call(places, words(COUNT), words(8, 8))
    return result


def refuse(*_: object) -> None:
    raise ValueError("left to LLVM's linker")


@pytest.mark.parametrize("loader", ["runtime", "LLVM", "llvmlite"])
@np.errstate(all="ignore")
def test_a_symbol_is_found_when_code_is_loaded(loader, monkeypatch):
    if loader != "runtime":
        monkeypatch.setattr(engine, "load_object", refuse)
    if loader == "llvmlite":
        monkeypatch.setattr(engine, "_linkers", [])
        monkeypatch.setattr(engine, "_binding", LlvmliteBinding)
    code = built(CALL.format(name=EXP))
    first, second = (Library.load(code, ("loop",), {}) for _ in range(2))
    assert bits(exp_by(first)) == bits(exp_by(second)) == bits(np.exp(VALUES["d"][0]))


@np.errstate(all="ignore")
def test_the_same_code_calls_our_own_loops_where_numpy_is_left_alone():
    code = built(CALL.format(name=EXP))
    with config.using(NUMPY_LOOPS=False):
        ours = exp_by(Library.load(code, ("loop",), {}))
    assert np.allclose(ours, exp_by(Library.load(code, ("loop",), {})), 1e-15, 0, equal_nan=True)


def test_a_loop_that_is_nowhere_is_named():
    with pytest.raises(InternalError, match="numpy.exp.d.f") as caught:
        Library.load(built(CALL.format(name="numpy.exp.d.f")), ("loop",), {})
    assert caught.value.hint == "this NumPy has no numpy.exp.d.f"


LATER = """
import ctypes, sys
import numpy as np
from cutaway.targets.cpu.engine import Library
library = Library.load(open(sys.argv[1], "rb").read(), ("loop",), {})
values, result = np.linspace(-5, 5, 100), np.zeros(100)
words = lambda *numbers: (ctypes.c_int64 * len(numbers))(*numbers)
call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(library.address("loop"))
call(words(values.ctypes.data, result.ctypes.data), words(100), words(8, 8))
assert "llvmlite" not in sys.modules
print((result == np.exp(values)).all())
"""


def test_code_is_loaded_in_another_process(tmp_path):
    file = tmp_path / "exp.o"
    file.write_bytes(built(CALL.format(name=EXP)))
    path = os.pathsep.join(os.path.abspath(place) for place in sys.path if place)
    done = warm.run(
        [sys.executable, "-c", LATER, str(file)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stdout == "True\n", done.stderr


CACHED = '''
import sys
from cutaway.extending.registry import primitive
from cutaway.lowering.layout import Value

def my_exp(x):
    """e ** x by NumPy."""
    return float(np.exp(x))

@primitive(my_exp, "float64(float64)")
def lower(build, sig, args):
    name, (x,) = "numpy.exp.d.d", args[0].parts
    build.code.globals[name] = f'@"{name}" = external constant {{ ptr, ptr }}'
    given, result, sizes, steps = (build.alloca(kind, n) for kind, n in WORDS)
    args = build.alloca("ptr", 2)
    build.emit(f"store double {x}, ptr {given}")
    build.emit(f"store i64 1, ptr {sizes}")
    build.emit(f"store <2 x i64> <i64 8, i64 8>, ptr {steps}")
    build.emit(f"store ptr {given}, ptr {args}")
    build.emit(f"store ptr {result}, ptr {build.offset(args, '8')}")
    function = build.load("ptr", f'@"{name}"', 8)
    data = build.load("ptr", build.offset(f'@"{name}"', "8"), 8)
    build.emit(f"call void {function}(ptr {args}, ptr {sizes}, ptr {steps}, ptr {data})")
    return Value(sig.returns, (build.load("double", result, 8),))

WORDS = ("double", 1), ("double", 1), ("i64", 1), ("i64", 2)

@jit(cache=True)
def f(x):
    return my_exp(x)

value = f(1.5)
apart = abs(value - float(np.exp(1.5)))
tell(f, same=apart == 0, close=apart < 1e-14)
'''


def test_a_cached_function_calls_a_loop_in_another_process(tmp_path):
    program = processes.write(tmp_path, CACHED)
    told = [processes.run(program, tmp_path) for _ in range(2)]
    assert [(one["hits"], one["misses"], one["same"]) for one in told] == [
        ([0], [1], True),
        ([1], [0], True),
    ]
    assert not told[1]["llvm"] and told[0]["reasons"] == [[]]
    alone = processes.run(program, tmp_path, CUTAWAY_NUMPY_LOOPS="0")
    assert (alone["hits"], alone["misses"], alone["close"]) == ([0], [1], True)


def test_cached_code_that_calls_a_loop_that_is_nowhere_is_not_loaded():
    assert records._addresses_of((EXP,)) == {EXP: numpy_loops.address(EXP)}
    with pytest.raises(records.UnloadableError, match="NumPy has no numpy.exp.d.f here"):
        records._addresses_of((EXP, "numpy.exp.d.f"))


WITHOUT = """
@jit(cache=True)
def f(x):
    return x[0] + 1

f(np.ones(3))
from cutaway.foundation.loading import has_run
tell(f, loops=[n for n in sys.modules if "cutaway.runtime.numpy_loops" in n and has_run(n)])
"""


def test_cached_code_that_calls_no_loop_loads_none(tmp_path):
    told = [processes.run(processes.write(tmp_path, WITHOUT), tmp_path) for _ in range(2)]
    assert [one["loops"] for one in told] == [[], []]
    assert told[1]["hits"] == [1]


# --- errors -----------------------------------------------------------------------------------

POWER = (
    CALL.format(name="numpy.power.ll.l")
    + """
declare i32 @cutaway_numpy_failed()
declare i32 @PyGILState_Ensure()
declare void @PyErr_Clear()
declare void @PyGILState_Release(i32)
define i32 @powers(ptr %args, ptr %sizes, ptr %steps) {
  call void @loop(ptr %args, ptr %sizes, ptr %steps)
  %status = call i32 @cutaway_numpy_failed()
  %state = call i32 @PyGILState_Ensure()
  call void @PyErr_Clear()
  call void @PyGILState_Release(i32 %state)
  ret i32 %status
}
"""
)


@pytest.mark.parametrize("kind", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE], ids=["released", "held"])
def test_an_exception_that_a_loop_leaves_is_seen_with_and_without_the_gil(kind):
    names = "PyGILState_Ensure", "PyErr_Clear", "PyGILState_Release"
    known = {**symbols, **{name: address_in_process(name) for name in names}}
    library = Library.load(built(POWER), ("powers",), known)
    call = kind(ctypes.c_int32, POINTER, POINTER, POINTER)(library.address("powers"))
    result = np.zeros(1, int)
    for exponent, status in ((3, 0), (-1, 2), (2, 0)):
        arrays = np.array([5]), np.array([exponent]), result
        places = words(*(array.ctypes.data for array in arrays))
        assert call(places, words(1), words(8, 8, 8)) == status
    assert result[0] == 25
