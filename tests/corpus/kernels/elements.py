"""Right kernels whose threads do not talk to each other."""

from __future__ import annotations

import enum
import math
from collections import namedtuple

import numpy as np

from corpus.kernels.corpus import numbers, right
from cutaway import cuda


@right(
    grid=4,
    block=32,
    given=lambda: {
        "a": np.float32(2.5),
        "x": numbers(100, dtype=np.float32),
        "y": numbers(100, dtype=np.float32, seed=2),
    },
    answer=lambda a, x, y: {"y": y + a * x},
    close=1e-5,
)
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] += a * x[i]


@right(
    grid=2,
    block=32,
    given=lambda: {"x": numbers(300), "y": np.zeros(300)},
    answer=lambda x, y: {"y": 3 * x * x + 2 * x + 1},
)
def grid_stride(x, y):
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        y[i] = (3 * x[i] + 2) * x[i] + 1


@right(
    grid=(2, 2, 2),
    block=(2, 3, 4),
    given=lambda: {"a": np.zeros((4, 5, 6))},
    answer=lambda a: {"a": np.fromfunction(lambda i, j, k: i * 100 + j * 10 + k, a.shape)},
)
def three_dimensions(a):
    x, y, z = cuda.grid(3)
    if x < a.shape[0] and y < a.shape[1] and z < a.shape[2]:
        a[x, y, z] = x * 100 + y * 10 + z


@right(
    grid=(2, 3, 2),
    block=(4, 2, 2),
    given=lambda: {"a": np.zeros((4, 6, 8), np.int32)},
    answer=lambda a: {"a": np.arange(a.size, dtype=np.int32).reshape(a.shape)},
)
def places_by_hand(a):
    x = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    y = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    z = cuda.blockIdx.z * cuda.blockDim.z + cuda.threadIdx.z
    width = cuda.gridDim.x * cuda.blockDim.x
    height = cuda.gridDim.y * cuda.blockDim.y
    a[z, y, x] = (z * height + y) * width + x


def _escape_times(low, high, out, most):
    height, width = out.shape
    x = low.real + np.arange(width) * (high.real - low.real) / width
    y = low.imag + np.arange(height) * (high.imag - low.imag) / height
    c = x[None, :] + 1j * y[:, None]
    z, times = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(most):
        inside = abs(z) <= 2
        times += inside
        z[inside] = z[inside] ** 2 + c[inside]
    return {"out": times}


@right(
    grid=(2, 2),
    block=(8, 4),
    given=lambda: {"low": -2 - 1j, "high": 1 + 1j, "out": np.zeros((8, 16), np.int32), "most": 30},
    answer=_escape_times,
)
def mandelbrot(low, high, out, most):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        c = complex(
            low.real + x * (high.real - low.real) / out.shape[1],
            low.imag + y * (high.imag - low.imag) / out.shape[0],
        )
        z, times = 0j, 0
        while times < most and abs(z) <= 2:
            z = z * z + c
            times += 1
        out[y, x] = times


def _darts(seed, hits, throws):
    found = np.zeros_like(hits)
    mask = 0xFFFFFFFF
    for i in range(hits.size):
        state = (int(seed) + i * 2654435761) & mask or 1
        for _ in range(throws):
            place = []
            for _ in range(2):
                state ^= (state << 13) & mask
                state ^= state >> 17
                state ^= (state << 5) & mask
                place.append(state / 4294967296.0)
            found[i] += place[0] ** 2 + place[1] ** 2 < 1.0
    return {"hits": found}


@cuda.jit(device=True)
def xorshift(state):
    state = np.uint32(state ^ (state << np.uint32(13)))
    state = np.uint32(state ^ (state >> np.uint32(17)))
    return np.uint32(state ^ (state << np.uint32(5)))


@right(
    grid=2,
    block=16,
    given=lambda: {"seed": np.uint32(7), "hits": np.zeros(32, np.int64), "throws": 40},
    answer=_darts,
)
def monte_carlo(seed, hits, throws):
    i = cuda.grid(1)
    state = np.uint32(seed + np.uint32(i) * np.uint32(2654435761))
    count = 0
    for _ in range(throws):
        state = xorshift(state)
        x = state / 4294967296.0
        state = xorshift(state)
        y = state / 4294967296.0
        if x * x + y * y < 1.0:
            count += 1
    hits[i] = count


def _forces(place, mass, force):
    away = place[None, :, :] - place[:, None, :]
    distance = np.sqrt((away**2).sum(-1) + 0.01)
    return {"force": (mass[None, :, None] * away / distance[..., None] ** 3).sum(1)}


@right(
    grid=2,
    block=16,
    given=lambda: {
        "place": numbers(24, 3),
        "mass": abs(numbers(24, seed=3)),
        "force": np.zeros((24, 3)),
    },
    answer=_forces,
    close=1e-9,
)
def n_body(place, mass, force):
    i = cuda.grid(1)
    if i >= mass.size:
        return
    fx = fy = fz = 0.0
    for k in range(mass.size):
        dx = place[k, 0] - place[i, 0]
        dy = place[k, 1] - place[i, 1]
        dz = place[k, 2] - place[i, 2]
        near = cuda.rsqrt(dx * dx + dy * dy + dz * dz + 0.01)
        weight = mass[k] * near * near * near
        fx += weight * dx
        fy += weight * dy
        fz += weight * dz
    force[i, 0] = fx
    force[i, 1] = fy
    force[i, 2] = fz


@cuda.jit(device=True)
def normal_below(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def _option_prices(price, strike, years, call, put):
    erf = np.vectorize(math.erf)
    d1 = (np.log(price / strike) + (0.02 + 0.045) * years) / (0.3 * np.sqrt(years))
    d2 = d1 - 0.3 * np.sqrt(years)
    below1, below2 = (0.5 * (1 + erf(d / math.sqrt(2))) for d in (d1, d2))
    later = strike * np.exp(-0.02 * years)
    bought = price * below1 - later * below2
    return {"call": bought, "put": bought - price + later}


@right(
    grid=2,
    block=32,
    given=lambda: {
        "price": 10 + abs(numbers(50)) * 20,
        "strike": 10 + abs(numbers(50, seed=2)) * 20,
        "years": 0.2 + abs(numbers(50, seed=3)),
        "call": np.zeros(50),
        "put": np.zeros(50),
    },
    answer=_option_prices,
    close=1e-9,
)
def black_scholes(price, strike, years, call, put):
    i = cuda.grid(1)
    if i < price.size:
        rate, volatility = 0.02, 0.3
        spread = volatility * math.sqrt(years[i])
        d1 = math.log(price[i] / strike[i]) + (rate + 0.5 * volatility**2) * years[i]
        d1 /= spread
        later = strike[i] * math.exp(-rate * years[i])
        bought = price[i] * normal_below(d1) - later * normal_below(d1 - spread)
        call[i] = bought
        put[i] = bought - price[i] + later


def _scaled(image, out):
    y, x = (np.arange(n) * (m - 1) / (n - 1) for n, m in zip(out.shape, image.shape))
    top, left = y.astype(int), x.astype(int)
    below, after = (np.minimum(a + 1, n - 1) for a, n in zip((top, left), image.shape))
    fy, fx = (y - top)[:, None], (x - left)[None, :]
    upper = image[np.ix_(top, left)] * (1 - fx) + image[np.ix_(top, after)] * fx
    lower = image[np.ix_(below, left)] * (1 - fx) + image[np.ix_(below, after)] * fx
    return {"out": upper * (1 - fy) + lower * fy}


@right(
    grid=(2, 2),
    block=(8, 8),
    given=lambda: {"image": numbers(5, 7), "out": np.zeros((11, 13))},
    answer=_scaled,
)
def bilinear(image, out):
    x, y = cuda.grid(2)
    if y < out.shape[0] and x < out.shape[1]:
        v = y * (image.shape[0] - 1) / (out.shape[0] - 1)
        u = x * (image.shape[1] - 1) / (out.shape[1] - 1)
        top, left = int(v), int(u)
        below, after = min(top + 1, image.shape[0] - 1), min(left + 1, image.shape[1] - 1)
        fy, fx = v - top, u - left
        upper = image[top, left] * (1 - fx) + image[top, after] * fx
        lower = image[below, left] * (1 - fx) + image[below, after] * fx
        out[y, x] = upper * (1 - fy) + lower * fy


Vector = namedtuple("Vector", "x y z")


@cuda.jit(device=True)
def dot3(a, b):
    return a.x * b.x + a.y * b.y + a.z * b.z


@cuda.jit(device=True)
def minus(a, b):
    return Vector(a.x - b.x, a.y - b.y, a.z - b.z)


@cuda.jit(device=True)
def way_to_sphere(origin, direction, center, radius):
    toward = minus(center, origin)
    along = dot3(toward, direction)
    beside = dot3(toward, toward) - along * along
    if along < 0.0 or beside > radius * radius:
        return math.inf
    return along - math.sqrt(radius * radius - beside)


def _depths(eye, center, radius, depth):
    n = depth.shape[0]
    u = (np.arange(n) - n / 2) / n
    d = np.stack([*np.broadcast_arrays(u[None, :], u[:, None], 1.0)], -1)
    d /= np.sqrt((d**2).sum(-1, keepdims=True))
    toward = np.array(center) - np.array(eye)
    along = (d * toward).sum(-1)
    beside = (toward**2).sum() - along**2
    hit = (along >= 0) & (beside <= radius**2)
    root = np.sqrt(np.where(hit, radius**2 - beside, 0))
    return {"depth": np.where(hit, along - root, np.inf)}


@right(
    grid=(2, 2),
    block=(8, 4),
    given=lambda: {
        "eye": Vector(0.0, 0.0, -3.0),
        "center": Vector(0.1, 0.0, 1.0),
        "radius": 1.2,
        "depth": np.zeros((8, 8)),
    },
    answer=_depths,
    close=1e-9,
)
def ray_sphere(eye, center, radius, depth):
    x, y = cuda.grid(2)
    n = depth.shape[0]
    if y < n and x < n:
        u, v = (x - n / 2) / n, (y - n / 2) / n
        length = math.sqrt(u * u + v * v + 1.0)
        direction = Vector(u / length, v / length, 1.0 / length)
        depth[y, x] = way_to_sphere(eye, direction, center, radius)


@right(
    grid=2,
    block=32,
    given=lambda: {
        "a": np.float16(0.5),
        "x": numbers(40, dtype=np.float16),
        "y": np.ones(40, np.float16),
    },
    answer=lambda a, x, y: {"y": a * x + y},
    close=2e-3,
)
def half_axpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


PARTICLE = np.dtype(
    [("x", np.float64), ("v", np.float64), ("steps", np.int32), ("alive", np.bool_)]
)


def _particles():
    made = np.zeros(20, PARTICLE)
    made["x"], made["v"] = numbers(20), numbers(20, seed=2)
    return {"particles": made, "dt": 0.5}


def _moved(particles, dt):
    after = particles.copy()
    after["x"] += dt * after["v"]
    after["alive"] = abs(after["x"]) < 1
    after["v"][~after["alive"]] = 0
    after["steps"] += 1
    return {"particles": after}


@right(grid=1, block=32, given=_particles, answer=_moved)
def particles_move(particles, dt):
    i = cuda.grid(1)
    if i < particles.size:
        p = particles[i]
        p.x += dt * p.v
        p.alive = abs(p.x) < 1.0
        if not p.alive:
            p.v = 0.0
        particles[i].steps += 1


@right(
    grid=1,
    block=32,
    given=lambda: {"lines": ((1.0, 2.0), (3, 4.5)), "x": numbers(30), "out": np.zeros((30, 2))},
    answer=lambda lines, x, out: {"out": np.stack([2 * x + 1, 4.5 * x + 3], 1)},
)
def nested_tuples(lines, x, out):
    i = cuda.grid(1)
    if i < x.size:
        (a, b), (c, d) = lines
        out[i, 0] = a + b * x[i]
        out[i, 1] = c + d * x[i]


@right(
    grid=1,
    block=32,
    given=lambda: {
        "arrays": (numbers(20), numbers(20, seed=2), numbers(20, seed=3)),
        "out": np.zeros(20),
    },
    answer=lambda arrays, out: {"out": arrays[0] + arrays[1] + arrays[2]},
)
def tuple_of_arrays(arrays, out):
    i = cuda.grid(1)
    if i < out.size:
        total = 0.0
        for a in arrays:
            total += a[i]
        out[i] = total


WEIGHTS = np.array([0.5, 0.25, 0.125, 0.0625])
POWERS = tuple(float(2**k) for k in range(4))


@right(
    grid=1,
    block=32,
    given=lambda: {"kinds": numbers(30, dtype=np.int32) % 4, "out": np.zeros(30)},
    answer=lambda kinds, out: {"out": WEIGHTS[kinds] * np.array(POWERS)[kinds]},
)
def table_lookup(kinds, out):
    table = cuda.const.array_like(WEIGHTS)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = table[kinds[i]] * POWERS[kinds[i]]


@right(
    grid=(2, 2),
    block=(4, 8),
    given=lambda: {
        "a": np.asfortranarray(numbers(6, 10)),
        "b": numbers(12, 20, seed=2)[::2, ::-2],
        "out": np.zeros((10, 6)).T,
    },
    answer=lambda a, b, out: {"out": a - b},
)
def layouts(a, b, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i, j] - b[i, -10 + j]


@right(
    grid=1,
    block=32,
    given=lambda: {"x": numbers(20, dtype=np.complex128), "y": np.zeros(20, np.complex128)},
    answer=lambda x, y: {"y": np.exp(1j * x) / (x + 2) * np.conj(x)},
    close=1e-9,
)
def complex_numbers(x, y):
    i = cuda.grid(1)
    if i < x.size:
        z = x[i]
        turned = math.exp(-z.imag) * complex(math.cos(z.real), math.sin(z.real))
        y[i] = turned / (z + 2) * z.conjugate()


def _bits(x, out):
    rows = []
    for value in map(int, x):
        text = f"{value:032b}"
        lowest = text[::-1].find("1") + 1
        rows.append(
            [text.count("1"), len(text) - len(text.lstrip("0")), lowest, int(text[::-1], 2)]
        )
    return {"out": np.array(rows, np.uint32)}


@right(
    grid=1,
    block=32,
    given=lambda: {
        "x": np.array([0, 1, 2, 3, 0x80000000, 0xFFFFFFFF, 0x00F0F000, 12345], np.uint32),
        "out": np.zeros((8, 4), np.uint32),
    },
    answer=_bits,
)
def bits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = cuda.popc(x[i])
        out[i, 1] = cuda.clz(x[i])
        out[i, 2] = cuda.ffs(x[i])
        out[i, 3] = cuda.brev(x[i])


class Shape(enum.IntEnum):
    SQUARE = 1
    CIRCLE = 2
    LINE = 3


@right(
    grid=1,
    block=32,
    given=lambda: {
        "shapes": 1 + numbers(25, dtype=np.int8) % 3,
        "r": numbers(25),
        "out": np.zeros(25),
    },
    answer=lambda shapes, r, out: {"out": np.choose(shapes - 1, [r * r, math.pi * r * r, 0 * r])},
)
def enums(shapes, r, out):
    i = cuda.grid(1)
    if i < out.size:
        kind = shapes[i]
        if kind == Shape.SQUARE:
            out[i] = r[i] ** 2
        elif kind == Shape.CIRCLE:
            out[i] = math.pi * r[i] ** 2
        else:
            out[i] = 0.0


def _steps(n):
    count = 0
    while n != 1:
        n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
    return count


@right(
    grid=1,
    block=32,
    given=lambda: {"out": np.zeros(30, np.int64)},
    answer=lambda out: {"out": np.array([_steps(i + 1) for i in range(out.size)])},
)
def collatz(out):
    i = cuda.grid(1)
    if i < out.size:
        n, count = i + 1, 0
        while n != 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            count += 1
        out[i] = count


@right(
    grid=1,
    block=16,
    given=lambda: {"x": numbers(16, 6), "out": np.zeros(16)},
    answer=lambda x, out: {"out": np.median(x[:, :5], axis=1)},
)
def median_in_local(x, out):
    i = cuda.grid(1)
    held = cuda.local.array(5, np.float64)
    for k in range(5):
        held[k] = x[i, k]
    for k in range(1, 5):
        value, at = held[k], k
        while at > 0 and held[at - 1] > value:
            held[at] = held[at - 1]
            at -= 1
        held[at] = value
    out[i] = held[2]
