"""A package that defines classes for compiled code can be imported; they are refused in use."""

from __future__ import annotations

PROGRAM = """
    import numba
    from numba.experimental import jitclass, structref

    @jitclass([("x", numba.float64)])
    class A:
        "What it is for."

    @jitclass
    class B:
        pass

    @structref.register
    class T(numba.types.StructRef):
        pass

    class P(structref.StructRefProxy):
        pass

    structref.define_proxy(P, T, ["x"])

    @numba.njit
    def f(x):
        return A(x)

    for call in (lambda: A(1.0), B, P, lambda: f(1.0)):
        try:
            call()
        except numba.core.errors.UnsupportedError as error:
            print(str(error).partition(" [")[0])
    print(A.__doc__, numba.njit(lambda x: x + 1)(1))
"""


def test_classes_are_refused_where_they_are_used(run):
    done = run("-m", "cutaway.as_numba", "--beside", "p.py", files={"p.py": PROGRAM})
    why = "Cutaway compiles no classes yet"
    assert done.stdout.splitlines() == [
        f"__main__.A: {why}",
        f"__main__.B: {why}",
        f"numba.experimental.structref.StructRefProxy: {why}",
        f"__main__.A: {why}",
        "What it is for. 2",
    ], done.stderr
