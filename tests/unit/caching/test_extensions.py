"""`cache=True` for functions that use extensions: later processes never run what is stale."""

from __future__ import annotations

import textwrap

import pytest

from caching.processes import run, write

pytestmark = pytest.mark.sampled(test=3, others=9, fast=0)

EXTENSION = """
import functools
import numpy as np
import cutaway
from cutaway import types
from cutaway.extending import intrinsic, overload, overload_method, register_jitable
from llvmlite import ir

K = 3
TABLE = {"width": 64}

@functools.lru_cache
def factor(ty):
    return K if ty is types.int64 else 10 * K

@register_jitable
def shifted(x):
    return x + 1000

def scaled(x, y=5):
    raise NotImplementedError

@overload(scaled)
def scaled_typer(x, y=5):
    n = factor(x)
    if isinstance(x, types.Integer):
        return lambda x, y=5: shifted(x * n + y)
    return None

@intrinsic
def doubled(typingctx, x):
    def code(context, builder, sig, args):
        return builder.mul(args[0], ir.Constant(ir.IntType(TABLE["width"]), 2))
    return x(x), code

@overload_method(types.Array, "first_and")
def first_and(a, x):
    return lambda a, x: a[0] + x
"""
PROGRAM = """
from extension import doubled, scaled
@jit(cache=True)
def f(x):
    return doubled(scaled(x))
@jit(cache=True)
def g(a):
    return a.first_and(1)
tell(f, g, result=[f(7), g(np.arange(3) + 7)])
"""


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def written(folder, extension, program=PROGRAM):
    """A program, and the extension that it imports."""
    (folder / "extension.py").write_text(textwrap.dedent(extension))
    # Python's own file of a text as long as this one, of the same second, would be taken for it.
    for known in folder.glob("__pycache__/extension.*.pyc"):
        known.unlink()
    return write(folder, textwrap.dedent(program))


def test_a_second_process_finds_the_code(tmp_path, home):
    program = written(tmp_path, EXTENSION)
    first, second = run(program, home), run(program, home)
    assert first["misses"] == [1, 1] and first["reasons"] == [[], []]
    assert second["hits"] == [1, 1] and second["misses"] == [0, 0]
    assert first["result"] == second["result"] == [2 * (7 * 3 + 5 + 1000), 8]


def test_a_class_whose_annotations_are_texts_is_identified(tmp_path, home):
    members = '    first: "int"\n    other: "int"\n'
    pair = f"from typing import NamedTuple\nclass Pair(NamedTuple):\n{members}"
    factor = EXTENSION.replace("return K if", "return Pair(K, 1).first if")
    extension = factor.replace("@functools.lru_cache", pair + "@functools.lru_cache")
    program = written(tmp_path, extension)
    first, second = run(program, home), run(program, home)
    assert first["reasons"] == [[], []] and second["hits"] == [1, 1]


EDITS = {
    "the implementation": ("x * n + y", "x * n - y", [2 * (21 - 5 + 1000), 8]),
    "a function that compiled code calls": ("x + 1000", "x + 2000", [2 * 2026, 8]),
    "a default": ("y=5", "y=6", [2 * (21 + 6 + 1000), 8]),
    "a function that the typer calls": ("return K if", "return 2 * K if", [2 * 1047, 8]),
    "a global of that": ("K = 3", "K = 4", [2 * 1033, 8]),
    "the typer": ("n = factor(x)", "n = 4", [2 * 1033, 8]),
    "the code of an intrinsic": ("]), 2))", "]), 3))", [3 * 1026, 8]),
    "a global of that code": ('"width": 64', '"other": 1, "width": 64', [2052, 8]),
    "a method": ("a[0] + x", "a[1] + x", [2052, 9]),
    "an option": ("overload(scaled)", "overload(scaled, strict=False)", [2052, 8]),
    "one more extension": (
        "@overload_method",
        "@overload(scaled)\ndef newer(x, y=5):\n    return lambda x, y=5: 50\n@overload_method",
        [100, 8],
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_makes_code_of_its_own(edit, tmp_path, home):
    run(written(tmp_path, EXTENSION), home)
    before, after, result = EDITS[edit]
    assert before in EXTENSION
    found = run(written(tmp_path, EXTENSION.replace(before, after)), home)
    assert (found["hits"], found["misses"], found["result"]) == ([0, 0], [1, 1], result)
    assert run(written(tmp_path, EXTENSION), home)["hits"] == [1, 1]  # and the old code is there


def test_an_extension_of_a_function_of_the_library_counts(tmp_path, home):
    program = """
    from extension import *
    @jit(cache=True)
    def f(a):
        return np.ptp(a)
    tell(f, result=f(np.arange(5)))
    """
    assert run(written(tmp_path, "", program), home)["result"] == 4
    own = """
    import numpy as np
    from cutaway.extending import overload
    @overload(np.ptp)
    def ptp(a):
        return lambda a: 77
    """
    found = run(written(tmp_path, own, program), home)
    assert (found["hits"], found["result"]) == ([0], 77)
    assert run(written(tmp_path, "", program), home)["result"] == 4


def test_extensions_that_differ_in_what_they_close_over_are_told_apart(tmp_path, home):
    extension = """
    from cutaway.extending import intrinsic, overload
    from cutaway import types
    def stub_of(n):
        def stub(x):
            raise NotImplementedError
        @overload(stub)
        def typer(x):
            return lambda x: x + n
        return stub
    def intrinsic_of(n):
        @intrinsic
        def added(typingctx, x):
            def code(context, builder, sig, args):
                return builder.add(args[0], context.get_constant(types.int64, n))
            return x(x), code
        return added
    """
    program = """
    from extension import intrinsic_of, stub_of
    def user_of(called):
        @jit(cache=True)
        def f(x):
            return called(x)
        return f
    all = [user_of(one(n)) for one in (stub_of, intrinsic_of) for n in (10, 20)]
    tell(*all, result=[f(1) for f in all])
    """
    program = written(tmp_path, extension, program)
    first, second = run(program, home), run(program, home)
    assert first["result"] == second["result"] == [11, 21, 11, 21]
    assert first["misses"] == second["hits"] == [1] * 4


def test_a_global_that_changes_while_the_process_runs_counts(tmp_path, home):
    program = """
    import extension
    from extension import scaled
    def made():
        @jit(cache=True)
        def f(x):
            return scaled(x)
        return f
    one = made()
    first = one(7)
    extension.K = 4
    extension.factor.cache_clear()
    extension.scaled_typer.__defaults__ = extension.scaled_typer.__defaults__
    two = made()
    tell(one, two, result=[first, two(7.0 if 0 else np.int32(7))])
    """
    program = written(tmp_path, EXTENSION, program)
    first, second = run(program, home), run(program, home)
    assert first["result"] == second["result"] == [1026, 7 * 40 + 5 + 1000]
    assert second["hits"] == [1, 1]
    (tmp_path / "program.py").write_text(program.read_text().replace("K = 4", "K = 5"))
    found = run(program, home)
    assert found["result"] == [1026, 7 * 50 + 5 + 1000] and found["hits"] == [1, 0]


POINT = """
import cutaway
from cutaway import types
from cutaway.extending import *
from cutaway.extending import models

class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

class PointType(types.Type):
    def __init__(self):
        super().__init__(name="Point")

point_type = PointType()

@typeof_impl.register(Point)
def typeof_point(value, c):
    return point_type

@register_model(PointType)
class PointModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("x", types.float64), ("y", types.float64)])

make_attribute_wrapper(PointType, "x", "x")
make_attribute_wrapper(PointType, "y", "y")

@unbox(PointType)
def unbox_point(typ, obj, c):
    point = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for name in ("x", "y"):
        number = c.pyapi.object_getattr_string(obj, name)
        setattr(point, name, c.unbox(types.float64, number).value)
        c.pyapi.decref(number)
    return NativeValue(point._getvalue(), is_error=cgutils.is_not_null(
        c.builder, c.pyapi.err_occurred()))

@box(PointType)
def box_point(typ, val, c):
    point = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Point))
    x, y = c.box(types.float64, point.x), c.box(types.float64, point.y)
    result = c.pyapi.call_function_objargs(cls, (x, y))
    for used in (x, y, cls):
        c.pyapi.decref(used)
    return result

@intrinsic
def make_point(typingctx, x, y):
    def code(context, builder, sig, args):
        point = context.make_helper(builder, sig.return_type)
        point.x, point.y = args
        return point._getvalue()
    return point_type(types.float64, types.float64), code
"""
POINTS = """
from extension import Point, make_point
@jit(cache=True)
def turned(p):
    return make_point(p.y, p.x)
@jit(cache=True)
def in_pairs(pair, k):
    p, q = pair
    return (p.x + q.x, (q, k))
@jit(cache=True)
def made(x):
    return make_point(x, 2 * x)
def shown(p):
    return [p.x, p.y]
sum_, (q, k) = in_pairs((Point(1.0, 2.0), Point(3.0, 4.0)), 8)
try:
    turned(Point(1.0, "text"))
except TypeError as error:
    failed = str(error)
tell(turned, in_pairs, made, failed=failed, result=[
    shown(turned(Point(1.0, 2.0))), sum_, shown(q), k, shown(made(1.5))])
"""


def test_values_of_an_extension_are_boxed_by_code_of_each_process(tmp_path, home):
    program = written(tmp_path, POINT, POINTS)
    first, second = run(program, home), run(program, home)
    assert first["result"] == second["result"] == [[2.0, 1.0], 4.0, [3.0, 4.0], 8, [1.5, 3.0]]
    assert first["reasons"] == [[], [], []] and first["failed"] == second["failed"]
    assert first["misses"] == second["hits"] == [1, 1, 1]


@pytest.mark.parametrize(
    ("before", "after", "result"),
    [
        ('for name in ("x", "y"):', 'for name in ("y", "x"):', [2.0, 1.0]),
        ("(x, y))\n    for used", "(y, x))\n    for used", [1.0, 2.0]),
        ('[("x", types.float64), ("y"', '[("y", types.float64), ("x"', [2.0, 1.0]),
        ('make_attribute_wrapper(PointType, "x", "x")',
         'make_attribute_wrapper(PointType, "y", "x")', [2.0, 2.0]),
        ("self.x, self.y = x, y", "self.x, self.y = x + 0, y", [2.0, 1.0]),
    ],
)  # fmt: skip
def test_an_edit_of_a_type_makes_code_of_its_own(before, after, result, tmp_path, home):
    run(written(tmp_path, POINT, POINTS), home)
    assert before in POINT
    found = run(written(tmp_path, POINT.replace(before, after), POINTS), home)
    assert found["hits"] == [0, 0, 0] and found["result"][0] == result


UNSTABLE = {
    "an object that the typer asks": (
        """
        import threading
        LOCK = threading.Lock()
        @overload(stub)
        def typer(x):
            with LOCK:
                return lambda x: x + 1
        """,
        "extension.typer.<locals>.<lambda>, an extension: global 'LOCK'",
    ),
    "an address that the implementation closes over": (
        """
        def address():
            return id(globals())
        @overload(stub)
        def typer(x):
            place = address()
            return lambda x: x + place - place
        """,
        "an extension: 'place', which it closes over, is ",
    ),
    "the address of a C function": (
        """
        import ctypes
        labs = ctypes.cast(ctypes.CDLL(None).labs, ctypes.c_void_p).value
        from llvmlite import ir
        def address():
            return globals()["labs"]
        @intrinsic
        def stub(typingctx, x):
            def code(context, builder, sig, args):
                whole = ir.IntType(64)
                kind = ir.FunctionType(whole, [whole]).as_pointer()
                place = builder.inttoptr(ir.Constant(whole, address()), kind)
                return builder.call(place, args)
            return x(x), code
        """,
        "may be an address of this process, in code of an extension, written in",
    ),
}


@pytest.mark.parametrize("kind", UNSTABLE)
def test_what_no_other_process_can_identify_is_not_cached(kind, tmp_path, home):
    text, reason = UNSTABLE[kind]
    head = "from cutaway.extending import intrinsic, overload\ndef stub(x): pass\n"
    program = """
    from extension import stub
    @jit(cache=True)
    def f(x):
        return stub(x)
    @jit(cache=True)
    def other(x):
        return x + 1
    tell(f, other, result=[f(7), other(7)])
    """
    program = written(tmp_path, head + textwrap.dedent(text), program)
    first, second = run(program, home), run(program, home)
    assert first["result"] == second["result"]
    assert second["hits"] == [0, 1]  # a function that uses none of it is found
    ((said,), ()) = second["reasons"]
    assert reason in said


def test_a_type_that_no_other_process_can_identify_is_told_of(tmp_path, home):
    unstable = POINT.replace("class PointModel(models.StructModel):", (
        "class PointModel(models.StructModel):\n    made_at = object()"
    ))  # fmt: skip
    found = [run(written(tmp_path, unstable, POINTS), home) for _ in range(2)]
    assert found[1]["hits"] == [0, 0, 0]
    (reason,) = found[1]["reasons"][0]
    assert "extension.PointModel, an extension: PointModel.made_at is an object" in reason
