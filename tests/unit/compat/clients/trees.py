"""In the style of numba_celltree and pynndescent: records, tuples, explicit signatures."""

from collections import namedtuple

import numba as nb
import numpy as np
from numba.core import types
from numba.np.numpy_support import from_dtype

node_dtype = np.dtype([("low", np.float64), ("high", np.float64), ("child", np.int32)])
NodeType = from_dtype(node_dtype)
Box = namedtuple("Box", ["low", "high"])


@nb.njit(nb.types.boolean(nb.float64, nb.float64, nb.float64), cache=False)
def inside(x, low, high):
    return low <= x <= high


@nb.njit(cache=False)
def bounding(nodes):
    low, high = np.inf, -np.inf
    for node in nodes:
        low, high = min(low, node.low), max(high, node.high)
    return Box(low, high)


@nb.njit(locals={"found": nb.types.int32})
def locate(nodes, x):
    found = -1
    for i in range(len(nodes)):
        if inside(x, nodes[i]["low"], nodes[i]["high"]):
            found = nodes[i]["child"]
            break
    return found


@nb.njit(
    [
        "float32(float32[::1],float32[::1])",
        nb.float64(nb.types.Array(nb.float64, 1, "C", readonly=True), nb.float64[::1]),
    ],
    fastmath=True,
)
def squared_distance(x, y):
    result = 0.0
    for i in range(x.shape[0]):
        result += (x[i] - y[i]) ** 2
    return result


def nodes():
    return np.array([(0.0, 1.0, 5), (1.0, 2.0, 7)], dtype=node_dtype)


def test_records():
    assert isinstance(NodeType, types.Record)
    assert bounding(nodes()) == Box(0.0, 2.0) and locate(nodes(), 1.5) == 7
    assert locate(nodes(), 9.0) == -1


def test_distances():
    a, b = np.array([0.0, 3.0]), np.array([4.0, 0.0])
    assert squared_distance(a, b) == 25.0
    assert squared_distance(a.astype(np.float32), b.astype(np.float32)) == 25.0
