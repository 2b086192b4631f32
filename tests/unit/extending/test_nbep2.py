"""Every example of NBEP 2, the seed of the extension API, as it is written there.

Those that show what was there before the proposal use its names by the ones they have now:
`builtin` is `infer`, `impl_attribute(Kind(T), name, ty)` is `lower_getattr`, and so on.
"""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
import cutaway.compiling.compiler  # loads the library, which the examples add to
from cutaway import types
from cutaway.extending import (
    AbstractTemplate,
    AttributeTemplate,
    CallableTemplate,
    ConcreteTemplate,
    NativeValue,
    box,
    infer,
    infer_getattr,
    infer_global,
    lower_builtin,
    lower_cast,
    lower_getattr,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    signature,
    type_callable,
    typeof_impl,
    unbox,
)
from cutaway.extending.registry import CONTEXT
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call

pytestmark = pytest.mark.sampled(fast=5)


def signature_of(function, *given):
    found = CONTEXT.resolve(function, Call(Arguments(given, (MISSING,) * len(given))))
    return None if found is None else found.signature


# --- high-level API ---------------------------------------------------------------------------


def register_where():
    @overload(np.where)
    def where(cond, x, y):
        """
        Implement np.where().
        """
        # Choose implementation based on argument types.
        if isinstance(cond, types.Array):
            # Array where() => return an array of the same shape
            if all(ty.layout == "C" for ty in (cond, x, y)):

                def where_impl(cond, x, y):
                    """
                    Fast implementation for C-contiguous arrays
                    """
                    shape = cond.shape
                    if x.shape != shape or y.shape != shape:
                        raise ValueError("all inputs should have the same shape")
                    res = np.empty_like(x)
                    cf = cond.flat
                    xf = x.flat
                    yf = y.flat
                    rf = res.flat
                    for i in range(cond.size):
                        rf[i] = xf[i] if cf[i] else yf[i]
                    return res
            else:

                def where_impl(cond, x, y):
                    """
                    Generic implementation for other arrays
                    """
                    shape = cond.shape
                    if x.shape != shape or y.shape != shape:
                        raise ValueError("all inputs should have the same shape")
                    res = np.empty_like(x)
                    for idx, c in np.ndenumerate(cond):
                        res[idx] = x[idx] if c else y[idx]
                    return res

        else:

            def where_impl(cond, x, y):
                """
                Scalar where() => return a 0-dim array
                """
                scal = x if cond else y
                return np.full_like(scal, scal)

        return where_impl


@pytest.mark.parametrize("layout", ["C", "A", "2-d"])
def test_where_of_arrays(layout):
    register_where()

    @cutaway.jit
    def choose(cond, x, y):
        return np.where(cond, x, y)

    n = 24
    cond, x, y = np.arange(n) % 3 == 0, np.arange(n) * 1.0, -np.arange(n) * 2.0
    if layout == "A":
        cond, x, y = cond[::2], x[::2], y[::2]
    if layout == "2-d":
        cond, x, y = (a.reshape(4, 6) for a in (cond, x, y))
    np.testing.assert_array_equal(choose(cond, x, y), np.where(cond, x, y))
    with pytest.raises(ValueError, match="all inputs should have the same shape"):
        choose(cond, x[:3], y)


def test_where_of_numbers():
    register_where()

    @cutaway.jit
    def choose(cond, x, y):
        return np.where(cond, x, y)

    found = choose(True, 1.5, 2.5)
    assert found.shape == () and found == 1.5
    assert choose(False, 1.5, 2.5) == 2.5


def test_the_length_of_a_tuple():
    @overload(len)
    def tuple_len(x):
        if isinstance(x, types.BaseTuple):
            # The tuple length is known at compile-time, so simply reify it
            # as a constant.
            n = len(x)

            def len_impl(x):
                return n

            return len_impl

    @cutaway.jit
    def length(t):
        return len(t)

    assert length((1, 2.0, "three")) == 3
    assert length(()) == 0
    assert length(np.zeros(4)) == 4  # the library's own


def test_an_attribute_of_arrays():
    @overload_attribute(types.Array, "nbytes")
    def array_nbytes(arr):
        def get(arr):
            return arr.size * arr.itemsize

        return get

    @cutaway.jit
    def size(a):
        return a.nbytes

    assert size(np.zeros((3, 4), np.float32)) == 48


def test_a_method_of_arrays():
    @overload_method(types.Array, "take")
    def array_take(arr, indices):
        if isinstance(indices, types.Array):

            def take_impl(arr, indices):
                n = indices.shape[0]
                res = np.empty(n, arr.dtype)
                for i in range(n):
                    res[i] = arr[indices[i]]
                return res

            return take_impl

    @cutaway.jit
    def take(a, indices):
        return a.take(indices)

    found = take(np.arange(5) * 1.5, np.array([4, 0, 2]))
    np.testing.assert_array_equal(found, [6.0, 0.0, 3.0])


class PdIndex:
    """Stands for an index of pandas."""

    def __init__(self, data):
        self._data = data


class PdIndexType(types.Type):
    def __init__(self, as_array):
        self.as_array = as_array
        super().__init__(name=f"PdIndex({as_array})")


@register_model(PdIndexType)
class PdIndexModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [
            ("values", fe_type.as_array),
        ]
        models.StructModel.__init__(self, dmm, fe_type, members)


make_attribute_wrapper(PdIndexType, "values", "_data")


def test_members_of_a_struct_as_attributes():
    @typeof_impl.register(PdIndex)
    def typeof_index(val, c):
        return PdIndexType(cutaway.typeof(val._data))

    @unbox(PdIndexType)
    def unbox_index(typ, obj, c):
        data = c.pyapi.object_getattr_string(obj, "_data")
        native = c.unbox(typ.as_array, data)
        index = c.context.make_helper(c.builder, typ)
        index.values = native.value
        c.pyapi.decref(data)
        return NativeValue(index._getvalue(), is_error=native.is_error)

    @cutaway.jit
    def total(index):
        return index._data.sum()

    assert total(PdIndex(np.arange(4.0))) == 6.0


# --- types ------------------------------------------------------------------------------------


class MyClass:
    def __init__(self, good):
        self.good = good


class MyType(types.Type):
    def __init__(self):
        super().__init__(name="MyType")


def test_the_type_of_a_value():
    @typeof_impl(MyClass)
    def _typeof_myclass(val, c):
        if val.good:
            return MyType()

    assert cutaway.typeof(MyClass(True)) is MyType()
    with pytest.raises(cutaway.errors.TypingError, match="a value of type MyClass"):
        cutaway.typeof(MyClass(False))


def test_a_concrete_template():
    builtin = infer

    @builtin
    class BinOpMod(ConcreteTemplate):
        key = "%"
        cases = [signature(op, op, op) for op in sorted(types.signed_domain)]
        cases += [signature(op, op, op) for op in sorted(types.unsigned_domain)]
        cases += [signature(op, op, op) for op in sorted(types.real_domain)]

    import operator

    assert signature_of(operator.mod, types.int64, types.int64).returns is types.int64
    assert signature_of(operator.mod, types.float32, types.float32).returns is types.float32


def test_an_abstract_template():
    builtin = infer

    @builtin
    class GetItemUniTuple(AbstractTemplate):
        key = "getitem"

        def generic(self, args, kws):
            tup, idx = args
            if isinstance(tup, types.UniTuple) and isinstance(idx, types.Integer):
                return signature(tup.dtype, tup, idx)

    import operator

    given = (types.UniTuple(types.float32, 3), types.int64)
    assert signature_of(operator.getitem, *given).returns is types.float32


def test_an_attribute_template():
    builtin_attr = infer_getattr

    @builtin_attr
    class ComplexAttribute(AttributeTemplate):
        key = types.Complex

        def resolve_real(self, ty):
            return ty.underlying_float

        def resolve_imag(self, ty):
            return ty.underlying_float

    @cutaway.jit
    def parts(z):
        return z.real, z.imag

    assert parts(1 + 2j) == (1.0, 2.0)
    found = CONTEXT.resolve_attribute(types.complex64, "real")
    assert found.signature.returns is types.float32


def sorted_typer(iterable, key=None, reverse=None):
    if reverse is not None and not isinstance(reverse, types.Boolean):
        return
    if key is not None and not isinstance(key, types.Callable):
        return
    if not isinstance(iterable, types.Iterable):
        return
    return types.List(iterable.iterator_type.yield_type)


def test_a_callable_template():
    builtin = infer

    @builtin
    class Sorted(CallableTemplate):
        key = sorted

        def generic(self):
            def typer(iterable, key=None, reverse=None):
                if reverse is not None and not isinstance(reverse, types.Boolean):
                    return
                if key is not None and not isinstance(key, types.Callable):
                    return
                if not isinstance(iterable, types.Iterable):
                    return
                return types.List(iterable.iterator_type.yield_type)

            return typer

    given = types.Array(types.float32, 1, "C")
    assert signature_of(sorted, given).returns is types.List(types.float32)
    assert signature_of(sorted, given, types.int64) is None


def test_infer_global_as_a_decorator():
    @infer_global(len)
    class Len(AbstractTemplate):
        key = len

        def generic(self, args, kws):
            assert not kws
            (val,) = args
            if isinstance(val, (types.Buffer, types.BaseTuple)):
                return signature(types.intp, val)

    assert signature_of(len, types.float64[:]).returns is types.intp


def test_type_callable():
    @type_callable(sorted)
    def type_sorted(context):
        def typer(iterable, key=None, reverse=None):
            # [same function as above]
            return sorted_typer(iterable, key, reverse)

        return typer

    given = types.Array(types.int8, 1, "A")
    assert signature_of(sorted, given).returns is types.List(types.int8)


# --- code -------------------------------------------------------------------------------------


def test_an_implicit_cast():
    class Real(types.Float):
        def __init__(self):
            super().__init__(64)
            self.name = "Real"

    @lower_cast(types.Float, types.Integer)
    def float_to_integer(context, builder, fromty, toty, val):
        lty = context.get_value_type(toty)
        if toty.signed:
            return builder.fptosi(val, lty)
        else:
            return builder.fptoui(val, lty)

    @cutaway.jit("int64(int64)")
    def plain(x):
        return x

    @cutaway.jit(locals={"n": types.int64})
    def truncated(x):
        n = x
        return n

    assert truncated(-2.9) == -2
    assert "fptosi" in truncated.inspect_llvm((types.float64,))


def test_an_attribute_by_its_code():
    def impl_attribute(kind, name, returns):
        return lower_getattr(kind, name)

    def builtin_attr(code):
        return code

    def Kind(cls):
        return cls

    @builtin_attr
    @impl_attribute(Kind(types.Array), "ndim", types.intp)
    def array_ndim(context, builder, typ, value):
        return context.get_constant(types.intp, typ.ndim)

    @cutaway.jit
    def dimensions(a):
        return a.ndim

    assert dimensions(np.zeros((2, 3))) == 2


def test_a_function_by_its_code():
    implement, len_type = lower_builtin, len

    def builtin(code):
        return code

    def Kind(cls):
        return cls

    @builtin
    @implement(len_type, Kind(types.BaseTuple))
    def tuple_len(context, builder, sig, args):
        (tupty,) = sig.args
        retty = sig.return_type
        return context.get_constant(retty, len(tupty.types))

    @cutaway.jit
    def length(t):
        return len(t)

    assert length((1, 2.0)) == 2
    assert "tuple_len" not in length.py_func.__code__.co_names
    assert length((1,)) == 1


def test_boxing():
    from cutaway.extending.boxing_tables import BOX

    before = list(BOX.known)
    try:

        @box(types.Boolean)
        def box_bool(typ, val, c):
            longval = c.builder.zext(val, c.pyapi.long)
            return c.pyapi.bool_from_long(longval)

        @cutaway.jit
        def both(a, b):
            return a and b, a or b

        assert both(True, False) == (False, True)
    finally:
        BOX.known[:] = before
