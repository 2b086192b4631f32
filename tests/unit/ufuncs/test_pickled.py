"""Pickles of ufuncs that a function has made: by value, with kernel, signatures and options."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest

import cutaway
import warm

cloudpickle = pytest.importorskip("cloudpickle")


def made(k):
    @cutaway.vectorize
    def growing(x):
        return x + k

    @cutaway.vectorize(["float64(float64, float64)", "int64(int64, int64)"], identity=0)
    def closed(x, y):
        return x + y * k

    @cutaway.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def parts(a, out):
        for i in range(len(a)):
            out[i] = a[i] + k

    @cutaway.guvectorize("(n)->()")
    def growing_parts(a, out):
        out[0] = a[-1] * k

    return growing, closed, parts, growing_parts


def test_a_process_gives_the_function_that_it_has():
    for function in made(3):
        assert pickle.loads(pickle.dumps(function)) is function
        assert pickle.loads(cloudpickle.dumps(function)) is function
        assert copy.copy(function) is function
        assert copy.deepcopy(function) is function


READS = """
import pickle, sys
import numpy as np
growing, closed, parts, growing_parts = pickle.load(sys.stdin.buffer)
a, out = np.arange(3.0), np.zeros(())
growing_parts(a, out)
print(type(closed).__name__, closed.types, closed.identity, closed.__name__, parts.signature)
print(growing(a).tolist(), closed(a, a).tolist(), closed(2, 3), parts(a).tolist(), float(out))
print(pickle.loads(pickle.dumps(closed)) is closed)
"""


def test_another_process_makes_it_again():
    functions = made(3)
    functions[0](1.0)
    data = cloudpickle.dumps(functions)
    code = [sys.executable, "-c", READS]
    done = warm.run(code, input=data, capture_output=True, check=False)
    assert done.stdout.decode().splitlines() == [
        "ufunc ['dd->d', 'll->l'] 0 closed (n)->(n)",
        "[3.0, 4.0, 5.0] [0.0, 4.0, 8.0] 11.0 [3.0, 4.0, 5.0] 6.0",
        "True",
    ], done.stderr.decode()


def test_those_of_numpy_go_by_their_names():
    for function in (np.add, np.linalg.det, np.frompyfunc):
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
