"""A user's program that a type checker accepts, and what it finds in it.

`assert_type` is checked by mypy and pyright; no test runs this.
"""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import cutaway
from cutaway import cuda, errors, extending, njit, prange, types
from cutaway.errors import CompileError
from cutaway.extending import intrinsic, models, overload, overload_method, register_jitable

Numbers = NDArray[np.float64]

# --- functions keep their parameters and their result -------------------------


@cutaway.jit
def bare(a: Numbers, factor: float = 2.0) -> float:
    return float(a.sum() * factor)


@cutaway.jit(parallel=True, fastmath={"nnan", "ninf"}, cache=True, error_model="numpy")
def with_options(a: Numbers) -> float:
    total = 0.0
    for i in prange(len(a)):
        total += a[i]
    return total


@cutaway.jit("float64(float64, int64)")
def with_signature(x: float, n: int) -> float:
    return x**n


@njit(["int64(int64)", types.float64(types.float64)], nogil=True)
def with_signatures(n: int) -> int:
    return n + 1


@njit(locals={"s": types.float32}, inline="always", boundscheck=False, overflow="raise")
def with_locals(n: int) -> float:
    s = 0.5
    return s * n


def plain(x: int, /, *rest: int) -> list[int]:
    return [x, *rest]


a = np.arange(3.0)
assert_type(bare(a), float)
assert_type(bare(a, factor=1.0), float)
assert_type(with_options(a), float)
assert_type(with_signature(2.0, 3), float)
assert_type(with_signatures(1), int)
assert_type(njit(plain)(1, 2), list[int])
assert_type(njit(plain, cache=True)(1), list[int])
assert_type(bare.py_func(a), float)


class Model:
    @njit
    def method(self, x: float) -> float:
        return x


assert_type(Model().method(1.0), float)

# --- what a compiled function is asked ----------------------------------------

compilation = bare.trace(a, level="rewrite")
text: str = compilation.at("ssa").text
reason: str = str(compilation.why("total"))
assert_type(bare.signatures, list[tuple[types.Type, ...]])
first: types.Type = bare.signatures[0][0]
assert_type(bare.stats.calls, int)
for signature, code in bare.overloads.items():
    assert_type(code.calls, int)
    print(signature)
bare.compile("float64(float64[:])")
bare.disable_compile()
bare.inspect_types()
print(bare.explain_dispatch(a), bare.specializations, bare.lifted_loops, bare.cache_info().hits)
bare.install(compilation.at("ssa").edit(text).resume())
print(bool(cutaway.check_races(with_options, a)), cutaway.trace(plain, 1).witness())
stepper = cutaway.step(bare, a)

# --- ufuncs, stencils ---------------------------------------------------------


@cutaway.vectorize
def doubled(x: float) -> float:
    return 2 * x


@cutaway.vectorize(["float64(float64)"], identity=0)
def closed(x: float) -> float:
    return 2 * x


@cutaway.guvectorize("(n)->()")
def total(row: Numbers, out: Numbers) -> None:
    out[0] = row.sum()


@cutaway.guvectorize(["void(float64[:], float64[:])"], "(n)->()", cache=True)
def closed_total(row: Numbers, out: Numbers) -> None:
    out[0] = row.sum()


@cutaway.stencil
def smooth(image: Numbers) -> float:
    return float(image[-1] + image[1])


@cutaway.stencil(cval=1.0, neighborhood=((-1, 1),))
def with_border(image: Numbers) -> float:
    return float(image[-1] + image[1])


print(doubled(a), doubled.reduce(a), doubled.types, total(a), smooth(a), with_border(a))
assert_type(closed, np.ufunc)
assert_type(closed_total, np.ufunc)

# --- types --------------------------------------------------------------------

array: types.Type = types.float64[:, ::1]
of_array = types.Array(types.int64, 2, "C")
call = types.float64(types.int64, cutaway.int32)
assert_type(call.args, tuple[types.Type, ...])
number: types.Type = cutaway.typeof(1)
if isinstance(number, types.Integer):
    assert_type(number.bitwidth, int)
print(types.Tuple((types.int64, types.boolean)), types.UniTuple(types.f8, 3), types.none)

# --- errors, settings, threads ------------------------------------------------

try:
    bare(a)
except CompileError as error:
    assert_type(error.hint, str)
    print(error.loc)
except errors.CutawayError:
    pass

cutaway.config.DUMP_IR = True
assert_type(cutaway.config.NUM_THREADS, int)
with cutaway.config.using(DUMP_LLVM=True):
    bare(a)
cutaway.set_num_threads(2)
assert_type(cutaway.get_num_threads(), int)
with cutaway.parallel_chunksize(8):
    with_options(a)
with cutaway.objmode(y="float64[:]"):
    y = a
assert_type(cutaway.literally(3), int)
assert_type(prange(3), range)
assert_type(cutaway.__version__, str)

# --- extensions ---------------------------------------------------------------


def clamp(x: float, low: float) -> float:
    return max(x, low)


@overload(clamp, inline="always")
def _clamp(x: types.Type, low: types.Type) -> Any:
    if not isinstance(x, types.Float):
        return None
    return lambda x, low: x if x > low else low


@overload_method(types.Array, "first")
def _first(array: types.Array) -> Any:
    return lambda array: array[0]


@intrinsic
def same(typingctx: Any, x: types.Type) -> Any:
    return x(x), lambda context, builder, sig, args: args[0]


@intrinsic(prefer_literal=True)
def constant(typingctx: Any, x: types.Type) -> Any:
    return None


@register_jitable
def helper(n: int) -> int:
    return n


@register_jitable(inline="always")
def inlined_helper(n: int) -> int:
    return n


class PointType(types.Type):
    def __init__(self) -> None:
        super().__init__("Point")


@extending.register_model(PointType)
class PointModel(models.StructModel):
    def __init__(self, dmm: models.DataModelManager, fe_type: types.Type) -> None:
        super().__init__(dmm, fe_type, [("x", types.float64)])


extending.make_attribute_wrapper(PointType, "x", "x")


@extending.typeof_impl.register(Model)
def _typeof(value: Model, context: Any) -> types.Type:
    return PointType()


assert_type(helper(1), int)
assert_type(inlined_helper(1), int)

# --- GPUs ---------------------------------------------------------------------


@cuda.jit
def saxpy(k: float, x: Numbers, y: Numbers) -> None:
    i = cuda.grid(1)
    if i < y.size:
        y[i] += k * x[i]
    cuda.syncthreads()
    print(cuda.threadIdx.x + cuda.blockDim.x)


@cuda.jit(fastmath=True, max_registers=32)
def with_registers(x: Numbers) -> None: ...


@cuda.jit("float64(float64)", device=True)
def on_device(x: float) -> float:
    return x


saxpy[2, 64](2.0, a, a)
with_registers.forall(100)(a)
cuda.simulate(saxpy, seed=1)[1, 32](2.0, a, a)
on_gpu = cuda.to_device(a)
print(on_gpu.copy_to_host(), saxpy.trace(2.0, a, a).at("ptx").text, cuda.is_available())
