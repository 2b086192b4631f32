"""Kernels of a few lines for each kind of value, operation and function."""

# ruff: noqa

from __future__ import annotations

import cmath
import enum
import math
from collections import namedtuple

import numpy as np

import cutaway
from cuda.language.programs import FIELDS, INTEGERS, PACKED, F, each, kernel
from cutaway import cuda

# --- numbers ----------------------------------------------------------------------------------


@each(INTEGERS, "void(T[::1])", "popc.b")
def counted_bits(a):
    a[0], a[1], a[2] = cuda.popc(a[0]), cuda.clz(a[1]), cuda.ffs(a[2])


@each("int32 uint32 int64 uint64", "void(T[::1])", "popc.b", "clz.b", "brev.b")
def bits(a):
    a[0], a[1], a[2], a[3] = cuda.popc(a[0]), cuda.clz(a[1]), cuda.ffs(a[2]), cuda.brev(a[3])


@kernel(
    "void(float64[::1], float32[::1])",
    "fma.rn.f64",
    "fma.rn.f32",
    "rsqrt.approx.f32",
    "rsqrt.approx",
    "selp",
)
def floats(a, b):
    a[0], b[0] = cuda.fma(a[0], a[1], a[2]), cuda.fma(b[0], b[1], b[2])
    a[3], b[3] = cuda.rsqrt(a[3]), cuda.rsqrt(b[3])
    a[4], b[4] = cuda.cbrt(a[3]), cuda.cbrt(b[3])
    a[5], a[6] = cuda.sincos(a[5])
    b[5], b[6] = cuda.sincos(b[5])
    a[7] = cuda.selp(a[0] > 1, a[1], 3)


@kernel("void(uint16[::1], float32[::1])", "cvt.rn.bf16.f32", "shl.b32")
def bfloat16s(a, b):
    held = cuda.local.array(3, cuda.bfloat16)
    held[0] = cuda.float32_to_bf16(b[1])
    a[0] = held[0]
    b[2] = cuda.bf16_to_float32(a[3])


@kernel("void(float16[::1], float64[::1])", "cvt.f32.f16", "cvt.rn.f16.f32")
def halves(a, b):
    a[0] = a[1] * a[2] + a[3]
    a[1], a[2], a[3] = a[1] / a[2], -a[1], abs(a[3])
    a[4], a[5] = math.sqrt(a[4]), math.sin(a[5])
    a[6] = min(a[6], a[7]) if a[7] > a[6] else a[5]
    a[8], b[8] = np.float16(b[0]), a[8]
    a[9] = int(a[9])


@kernel("void(complex128[::1], complex64[::1])")
def complex_numbers(a, b):
    a[0] = a[1] * a[2] + a[3] / a[4] - a[5]
    b[1] = b[2] * b[3] / b[4]
    a[1], a[2], a[3] = abs(a[1]), cmath.exp(a[2]), cmath.sqrt(a[3])
    a[4], a[5], a[6], a[7] = a[4].conjugate(), complex(a[5].imag, 2), a[6] * a[6], -a[7]
    a[8], a[9], a[10], b[2] = cmath.phase(a[8]), np.conj(a[9]), cmath.log(a[10]), np.exp(b[2])


@kernel("void(float64[::1], float32[::1], int32[::1])")
def functions_of_one(a, b, c):
    for f in (
        math.sin,
        math.cos,
        math.tan,
        math.asin,
        math.acos,
        math.atan,
        math.sinh,
        math.cosh,
        math.tanh,
        math.asinh,
        math.acosh,
        math.atanh,
        math.exp,
        math.exp2,
        math.expm1,
        math.log,
        math.log2,
        math.log10,
        math.log1p,
        math.sqrt,
        math.cbrt,
        math.fabs,
        math.erf,
        math.erfc,
        math.gamma,
        math.lgamma,
        math.degrees,
        math.radians,
    ):
        a[0] = f(a[0])
        b[0] = f(b[0])
        a[1] = f(c[0])
    for g in (math.isnan, math.isinf, math.isfinite, math.floor, math.ceil, math.trunc):
        c[0] = g(a[2])
        c[1] = g(b[2])


@kernel("void(float64[::1], float32[::1], int32[::1])")
def functions_of_two(a, b, c):
    for f in (
        math.atan2,
        math.pow,
        math.hypot,
        math.fmod,
        math.remainder,
        math.copysign,
        math.nextafter,
    ):
        a[0] = f(a[0], a[1])
        b[0] = f(b[0], b[1])
        a[1] = f(c[0], c[1])
    a[2], c[2] = math.frexp(a[2])
    a[3], a[4] = math.modf(a[3])
    a[5], c[3] = math.ldexp(a[5], c[1]), math.gcd(c[1], c[2])


@kernel("void(float64[::1], int64[::1])")
def functions_of_integers(a, c):
    c[0], c[1] = math.comb(c[1], c[2]), math.factorial(c[0])
    c[2], c[3], c[4] = math.isqrt(c[0]), math.perm(c[0], c[1]), math.lcm(c[0], c[1])
    c[5], c[6] = pow(c[0], c[1], 97), round(c[0], -2)
    a[0], a[1] = math.dist((a[0], a[1]), (a[2], a[3])), math.ulp(a[0])
    a[3] = round(a[1], 2)


@kernel("void(float64[::1], float32[::1], int32[::1])")
def functions_of_numpy(a, b, c):
    a[0] = np.sin(a[0]) + np.sqrt(a[1]) + np.abs(a[2]) + np.maximum(a[3], a[4]) + np.exp(a[5])
    a[1] = (
        np.floor(a[6])
        + np.sign(a[1])
        + np.clip(a[0], 0, 1)
        + np.arctan2(a[0], a[1])
        + np.round(a[2])
    )
    b[0] = np.sin(b[0]) + np.float32(2) * np.log(b[1]) + np.power(b[0], b[1])
    c[0] = (
        np.int32(c[1])
        + np.abs(c[1])
        + np.minimum(c[0], c[1])
        + round(a[0])
        + int(a[1])
        + divmod(c[0], c[1])[0]
    )


@kernel("void(float64[::1], float32[::1], int32[::1])")
def operators(a, b, c):
    a[3] = a[3] // a[2] + a[3] % a[2] + a[4] ** c[0] + a[5] ** 0.5
    c[3] = c[3] ** c[4] + c[3] // c[4] + c[3] % c[5]
    a[6] = c[3] / c[4]
    b[3] = b[3] ** 2 + b[4] ** b[3] + b[5] // b[4] + b[6] % b[5]
    c[0], c[1], c[2] = c[0] << c[1], c[0] >> c[1], ~c[2] ^ c[1] & 1 | 2
    c[4], c[5], c[6] = not c[4], c[5] and c[6], 1 < c[6] < 3


@kernel(
    "void(int8,uint8,int16,uint16,int32,uint32,int64,uint64,float16,float32,float64,boolean,complex64,complex128,int64[::1])",
    ".param .u8",
    ".param .f32",
)
def scalars_of_all_types(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o):
    o[0] = a + b + c + d + e + f + g
    o[1], o[2] = h, int(i + j + k)
    if l:
        o[3] = int(m.real + n.imag)


# --- values and functions ---------------------------------------------------------------------

Pair = namedtuple("Pair", "x y")


@kernel((cutaway.float64[::1], cutaway.typeof(Pair(1, (2.0, Pair(1.0, 2))))))
def named_tuples(a, p):
    x, (y, q) = p
    a[0] = p.x + p.y[0] + p.y[1].x + p[1][1][1] + x + y + q.y
    a[1] = Pair(1, 2).y


@kernel((cutaway.typeof(np.zeros(2, FIELDS)), cutaway.typeof(np.zeros(1, FIELDS)[0])), "!.b8")
def records(a, r):
    p = a[1]
    p.x += r["x"] * r.y
    p["z"][0] = a[0].z[1]
    a[0].y = a["y"][1]
    a.z[0, 1] = a["x"][0]


@kernel((cutaway.typeof(np.zeros(2, PACKED)),), "ld.global.b8")
def packed_records_are_read_by_bytes(a):
    a[0].x += 1


@kernel("void(float64[:], float64[:,:], float64[:,:,::1], float64[::1,:], boolean[::1])")
def layouts(a, b, c, d, e):
    i = cuda.grid(1)
    a[i] = b[i, 1] + c[1, i, 2] + d[i, 2] + b[-1, i]
    e[i] = a[i] > 0


@kernel("void(float64[:,::1], int64)")
def views(a, n):
    r, column = a[n], a[:, 1]
    part = a[1:, ::2]
    r[0] = part[0, 1] + column[2] + a.T[1, 0] + r.size + r.ndim + len(r) + a.shape[1] + a.strides[0]
    for x in a[0]:
        r[1] += x
    for i, x in enumerate(r):
        a[1, i] = x
    for x, y in zip(a[0], a[1]):
        r[2] += x * y
    r[2:4] = 1
    r[3] = r.sum() + r.max()


@kernel(f"void({F}, int64)")
def loops(a, n):
    for i in range(n, 0, -1):
        a[i] += 1
    while True:
        n += 1
        if a[n] > 3:
            break
        if n == 3:
            continue
        a[n] = n
    for x in (1, 2.0, 3j.imag):
        a[0] += x
    for i in range(4):
        if a[i] > 3:
            break
    else:
        a[0] = sum(x * x for x in range(10)) + max(i for i in range(3))


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@kernel(f"void({F}, int64)")
def enums(a, n):
    color = Color.RED if n > 1 else Color.BLUE
    if color is Color.RED:
        a[0] = Level.HIGH
    if n == Level.LOW:
        a[1] = 1


@kernel(f"void({F}, none)")
def none(a, n):
    if n is None:
        a[0] = 1


def with_closure() -> None:
    factor, table, powers = 3, np.arange(4.0), (1.0, 2.0, 3.0)

    @kernel(f"void({F}, int64)")
    def closures(a, n):
        def square(x):
            return x * x

        add = lambda x: x + factor
        a[n] = square(add(a[n])) + table[n] + powers[n]


with_closure()


@cutaway.jit
def on_both(x):
    return x * 2 + 1


@cutaway.njit
def with_default(x, y=3):
    return on_both(x) * y


@cuda.jit(device=True, inline="always")
def device(x):
    return with_default(x)


@cuda.jit("float64(float64)", device=True)
def device_with_signature(x):
    return device(x)


@kernel(f"void({F}, int64)")
def calls(a, n):
    a[n] = with_default(a[n]) + device(a[0]) + with_default(a[0], y=2) + device_with_signature(a[1])


@kernel("float64(float64, int32)", ".func  (.param .b64 func_retval0) device_function", device=True)
def device_function(a, b):
    return a * b


@kernel("Tuple((float64, int32))(float64, int32)", ".func", device=True)
def device_function_of_a_pair(a, b):
    return a * 2, b


# --- texts and exceptions ---------------------------------------------------------------------


@kernel(f"void({F}, int64)", "call.uni (retval0), vprintf")
def printing(a, n):
    print("hello", n, a[0], 1j, True, n > 2, (1, 2), None, sep=":", end="!\n")
    print()
    print(np.float32(2), "100%")


@kernel(f"void({F}, int64)", "cutaway_raise")
def exceptions(a, n):
    if n < 0:
        raise ValueError("negative")
    if n > 10:
        raise IndexError("too big", n)
    assert n != 5, "five"
    a[n] = 1


@kernel(f"void({F}, int64)", "cutaway_raise", debug=True)
def checks_of_debug(a, n):
    a[n] = 1 / n


@kernel(f"void({F}, int64)", "!cutaway_raise")
def no_checks_without_debug(a, n):
    a[n] = 1 / a[0] + 1 / n
