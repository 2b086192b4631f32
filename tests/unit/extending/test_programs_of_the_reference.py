"""Programs as users of the reference write them: pointers, memory, struct models, boxing.

Each is the kind of code that its manual shows, or that packages have, with `cutaway` where theirs
has the reference's name.
"""

from __future__ import annotations

import ctypes
import math
import operator
import sys
from contextlib import ExitStack

import numpy as np
import pytest
from llvmlite import ir

import cutaway
from cutaway import njit, types
from cutaway.errors import ExtensionError, RequireLiteralValue, TypingError, UnsupportedError
from cutaway.extending import (
    AttributeTemplate,
    NativeValue,
    as_numba_type,
    box,
    cgutils,
    get_cython_function_address,
    infer_getattr,
    infer_global,
    intrinsic,
    lower_builtin,
    lower_cast,
    lower_getattr,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)

pytestmark = pytest.mark.sampled(fast=4)

# --- pointers ---------------------------------------------------------------------------------


@intrinsic
def cast_int_to_byte_ptr(typingctx, src):
    if isinstance(src, types.Integer):
        result_type = types.CPointer(types.uint8)
        sig = result_type(types.uintp)

        def codegen(context, builder, signature, args):
            [src] = args
            llrtype = context.get_value_type(signature.return_type)
            return builder.inttoptr(src, llrtype)

        return sig, codegen


@intrinsic
def deref_byte(typingctx, ptr, offset):
    if isinstance(ptr, types.CPointer):
        sig = ptr.dtype(ptr, types.intp)

        def codegen(context, builder, signature, args):
            ptr, offset = args
            return builder.load(builder.gep(ptr, [offset]))

        return sig, codegen


def test_an_integer_as_a_pointer_to_bytes():
    @njit("void(int64)")
    def foo(x):
        cast_int_to_byte_ptr(x)

    assert foo(0) is None

    @njit
    def second(address):
        return deref_byte(cast_int_to_byte_ptr(address), 1)

    data = np.array([7, 200, 9], np.uint8)
    assert second(data.ctypes.data) == 200


def test_a_pointer_cannot_be_returned():
    with pytest.raises(UnsupportedError, match=r"type uint8\* cannot be passed to Python"):
        njit(lambda x: cast_int_to_byte_ptr(x))(0)


def test_types_of_pointers_are_known_by_what_they_point_to():
    assert types.CPointer(types.int64) is types.CPointer(types.int64)
    assert types.CPointer(types.int64) is not types.CPointer(types.int32)
    assert types.CPointer(types.CPointer(types.int64)).dtype.dtype is types.int64
    assert str(types.CPointer(types.float64)) == "float64*"


@intrinsic
def address_as_void_pointer(typingctx, src):
    sig = types.voidptr(src)

    def codegen(cgctx, builder, sig, args):
        return builder.inttoptr(args[0], cgutils.voidptr_t)

    return sig, codegen


@intrinsic
def carray_of(typingctx, ptr, size, like):
    """An array of memory that somebody else keeps."""
    if not isinstance(like, types.DType | types.Class):
        raise RequireLiteralValue("the dtype must be a constant")
    dtype = like.dtype if isinstance(like, types.DType) else like.instance_type
    returns = types.Array(dtype, 1, "C")

    def codegen(context, builder, sig, args):
        ptr, size, _ = args
        ary = context.make_array(returns)(context, builder)
        data = builder.bitcast(ptr, context.get_data_type(dtype).as_pointer())
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(data.type.pointee))
        context.populate_array(
            ary,
            data=data,
            shape=[size],
            strides=[itemsize],
            itemsize=itemsize,
            meminfo=None,
            parent=None,
        )
        return ary._getvalue()

    return returns(ptr, types.intp, like), codegen


def test_an_array_of_memory_that_somebody_else_keeps():
    @njit
    def doubled(address, n):
        a = carray_of(address_as_void_pointer(address), n, np.float64)
        s = 0.0
        for k in range(n):
            a[k] *= 2
            s += a[k]
        return s, len(a), a.strides

    memory = (ctypes.c_double * 4)(1, 2, 3, 4)
    assert doubled(ctypes.addressof(memory), 4) == (20.0, 4, (8,))
    assert list(memory) == [2, 4, 6, 8]


@intrinsic
def array_ptr_at(typingctx, arr, ind):
    """The address of an element, as ufuncs and BLAS wrappers take it."""
    if not isinstance(arr, types.Array) or not isinstance(ind, types.UniTuple):
        return None
    ret = types.CPointer(arr.dtype)

    def codegen(context, builder, sig, args):
        aryty = sig.args[0]
        ary = context.make_array(aryty)(context, builder, args[0])
        inds = cgutils.unpack_tuple(builder, args[1], aryty.ndim)
        return cgutils.get_item_pointer(
            context, builder, aryty, ary, inds, wraparound=True, boundscheck=True
        )

    return ret(arr, ind), codegen


@intrinsic
def load_at(typingctx, ptr):
    def codegen(context, builder, sig, args):
        return builder.load(args[0])

    return ptr.dtype(ptr), codegen


@intrinsic
def store_at(typingctx, ptr, value):
    def codegen(context, builder, sig, args):
        builder.store(args[1], args[0])

    return types.void(ptr, ptr.dtype), codegen


@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_the_address_of_an_element(layout):
    a = np.arange(12.0).reshape(3, 4)
    a = {"C": a, "F": np.asfortranarray(a), "A": np.repeat(a, 2, axis=1)[:, ::2]}[layout]

    @njit
    def swapped(a, x):
        p = array_ptr_at(a, (-1, 1))
        before = load_at(p)
        store_at(p, x)
        return before

    assert swapped(a, 100) == 9.0
    assert a[2, 1] == 100.0

    @njit
    def outside(a, k):
        return load_at(array_ptr_at(a, (0, k)))

    assert outside(a, -4) == 0.0
    for k in (4, -5):
        with pytest.raises(IndexError, match="out of bounds for axis 1"):
            outside(a, k)


@intrinsic
def address_of_data(typingctx, arr):
    def codegen(context, builder, sig, args):
        ary = context.make_array(sig.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(ary.data, context.get_value_type(types.uintp))

    return types.uintp(arr), codegen


def test_the_address_of_the_data_of_an_array():
    a = np.arange(3.0)
    assert njit(lambda a: address_of_data(a))(a) == a.ctypes.data


# --- functions by their address ---------------------------------------------------------------


def called_by_address(address, restype, *argtypes):
    """An intrinsic that calls the C function at an address."""

    @intrinsic
    def call(typingctx, *args):
        def codegen(context, builder, sig, args):
            kinds = [context.get_value_type(ty) for ty in argtypes]
            fnty = ir.FunctionType(context.get_value_type(restype), kinds)
            pointer = context.add_dynamic_addr(builder, address, info="a C function")
            return builder.call(builder.bitcast(pointer, fnty.as_pointer()), args)

        return restype(*argtypes), codegen

    return call


def test_a_c_function_by_its_address():
    address = ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p).value
    absolute = called_by_address(address, types.int32, types.int32)
    assert njit(lambda x: absolute(x))(-5) == 5


def test_a_function_of_cython_by_its_address(monkeypatch):
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: x * 3)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    signature = b"double (double)"
    capsule = new(ctypes.cast(function, ctypes.c_void_p), signature, None)
    module = type(math)("made_by_cython")
    module.__pyx_capi__ = {"tripled": capsule}
    monkeypatch.setitem(sys.modules, "made_by_cython", module)

    address = get_cython_function_address("made_by_cython", "tripled")
    tripled = called_by_address(address, types.float64, types.float64)
    assert njit(lambda x: tripled(x))(1.5) == 4.5
    with pytest.raises(ExtensionError, match="exports no C function 'triple'") as refused:
        get_cython_function_address("made_by_cython", "triple")
    assert refused.value.hint == "did you mean tripled?"
    with pytest.raises(ExtensionError, match="exports no C functions"):
        get_cython_function_address("math", "sin")


# --- a struct with overloads and boxing: the interval of the manual ----------------------------


class Interval:
    def __init__(self, lo, hi):
        self.lo = lo
        self.hi = hi

    @property
    def width(self):
        return self.hi - self.lo


class IntervalType(types.Type):
    def __init__(self):
        super().__init__(name="Interval")


interval_type = IntervalType()
as_numba_type.register(Interval, interval_type)


@typeof_impl.register(Interval)
def typeof_interval(val, c):
    return interval_type


@type_callable(Interval)
def type_interval(context):
    def typer(lo, hi):
        if isinstance(lo, types.Float) and isinstance(hi, types.Float):
            return interval_type

    return typer


@register_model(IntervalType)
class IntervalModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [("lo", types.float64), ("hi", types.float64)]
        models.StructModel.__init__(self, dmm, fe_type, members)


make_attribute_wrapper(IntervalType, "lo", "lo")
make_attribute_wrapper(IntervalType, "hi", "hi")


@overload_attribute(IntervalType, "width")
def get_width(interval):
    def getter(interval):
        return interval.hi - interval.lo

    return getter


@overload_method(IntervalType, "stretched")
def stretched(interval, by=2.0):
    return lambda interval, by=2.0: Interval(interval.lo * by, interval.hi * by)


@lower_builtin(Interval, types.Float, types.Float)
def impl_interval(context, builder, sig, args):
    typ = sig.return_type
    lo, hi = args
    interval = cgutils.create_struct_proxy(typ)(context, builder)
    interval.lo = lo
    interval.hi = hi
    return interval._getvalue()


@unbox(IntervalType)
def unbox_interval(typ, obj, c):
    is_error_ptr = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    interval = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    with ExitStack() as stack:
        for name in ("lo", "hi"):
            member = c.pyapi.object_getattr_string(obj, name)
            with cgutils.early_exit_if_null(c.builder, stack, member):
                c.builder.store(cgutils.true_bit, is_error_ptr)
            native = c.unbox(types.float64, member)
            c.pyapi.decref(member)
            with cgutils.early_exit_if(c.builder, stack, native.is_error):
                c.builder.store(cgutils.true_bit, is_error_ptr)
            setattr(interval, name, native.value)
    return NativeValue(interval._getvalue(), is_error=c.builder.load(is_error_ptr))


@box(IntervalType)
def box_interval(typ, val, c):
    interval = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    lo_obj = c.box(types.float64, interval.lo)
    hi_obj = c.box(types.float64, interval.hi)
    class_obj = c.pyapi.unserialize(c.pyapi.serialize_object(Interval))
    res = c.pyapi.call_function_objargs(class_obj, (lo_obj, hi_obj))
    for obj in (lo_obj, hi_obj, class_obj):
        c.pyapi.decref(obj)
    return res


def test_intervals():
    @njit
    def inside(i, x):
        return i.lo <= x < i.hi, i.width

    @njit
    def twice(i):
        return i.stretched()

    assert inside(Interval(1.0, 3.0), 2.0) == (True, 2.0)
    found = twice(Interval(1.0, 3.0))
    assert (type(found), found.lo, found.hi) == (Interval, 2.0, 6.0)
    with pytest.raises(AttributeError):
        inside(type("Half", (Interval,), {"__init__": lambda self: None})(), 1.0)


# --- a type whose type depends on what it holds -------------------------------------------------


class Holder:
    def __init__(self, held):
        self.held = held


class HolderType(types.Type):
    def __init__(self, held):
        self.held = held
        super().__init__(name=f"Holder({held})")


@typeof_impl.register(Holder)
def typeof_holder(val, c):
    held = typeof_impl(val.held, c)
    return None if held is None else HolderType(held)


@register_model(HolderType)
class HolderModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("held", fe_type.held)])


make_attribute_wrapper(HolderType, "held", "held")


@unbox(HolderType)
def unbox_holder(typ, obj, c):
    held = c.pyapi.object_getattr_string(obj, "held")
    holder = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    native = c.unbox(typ.held, held)
    holder.held = native.value
    c.pyapi.decref(held)
    return NativeValue(holder._getvalue(), is_error=native.is_error)


def test_the_type_of_a_value_that_holds_another():
    f = njit(lambda h: h.held)
    assert f(Holder(3)) == 3
    assert f(Holder(2.5)) == 2.5
    assert list(f(Holder(np.arange(3)))) == [0, 1, 2]
    with pytest.raises(TypingError):
        f(Holder(object()))
    assert [str(ty) for (ty,) in f.signatures][:2] == ["Holder(int64)", "Holder(float64)"]


# --- models -----------------------------------------------------------------------------------


def of_model(name, model, **attributes):
    """A new type with attributes and a model."""
    cls = type(name, (types.Type,), {})
    register_model(cls)(model)
    ty = cls(name)
    for key, value in attributes.items():
        setattr(ty, key, value)
    return ty


@pytest.mark.parametrize(
    ("model", "attributes", "members"),
    [
        ("PairModel", {"first_type": types.int64, "second_type": types.float32}, "first second"),
        ("OptionalModel", {"type": types.float64}, "data valid"),
        ("ComplexModel", {"underlying_float": types.float32}, "real imag"),
        ("UnionModel", {"types": (types.int64, types.float64)}, "tag payload"),
    ],
)
def test_models_of_members(model, attributes, members):
    ty = of_model(f"With{model}", getattr(models, model), **attributes)
    assert issubclass(getattr(models, model), models.CompositeModel)

    @intrinsic
    def through(typingctx, x):
        def codegen(context, builder, sig, args):
            made = cgutils.create_struct_proxy(ty)(context, builder)
            first, second = members.split()
            wanted = getattr(made, first).type
            value = args[0] if isinstance(wanted, ir.IntType) else builder.sitofp(args[0], wanted)
            setattr(made, first, value)
            again = context.make_helper(builder, ty, made._getvalue())
            found = getattr(again, first)
            assert (
                getattr(again, second).type
                == context.data_model_manager[ty].get_value_type().elements[1]
            )
            return found if found.type == args[0].type else builder.fptosi(found, args[0].type)

        return types.int64(types.int64), codegen

    assert njit(lambda x: through(x))(7) == 7


def test_a_model_that_is_an_array():
    ty = of_model("Series", models.ArrayModel, dtype=types.float64, ndim=1, layout="C")
    aryty = types.float64[::1]

    @intrinsic
    def as_series(typingctx, a):
        def codegen(context, builder, sig, args):
            context.nrt.incref(builder, aryty, args[0])
            return args[0]

        return ty(a), codegen

    @intrinsic
    def values_of(typingctx, s):
        def codegen(context, builder, sig, args):
            context.nrt.incref(builder, aryty, args[0])
            return args[0]

        return aryty(s), codegen

    @njit
    def f(n):
        s = as_series(np.arange(n * 1.0))
        np.zeros(n)
        return values_of(s)

    for _ in range(100):
        assert list(f(3)) == [0.0, 1.0, 2.0]


def test_a_model_that_is_a_pointer():
    ty = of_model("IntPointer", models.PointerModel, dtype=types.int64)

    @intrinsic
    def pointer_to(typingctx, a):
        def codegen(context, builder, sig, args):
            return context.make_array(a)(context, builder, args[0]).data

        return ty(a), codegen

    @intrinsic
    def item(typingctx, p, k):
        def codegen(context, builder, sig, args):
            return builder.load(cgutils.gep(builder, args[0], args[1]))

        return types.int64(p, k), codegen

    assert njit(lambda a: item(pointer_to(a), 2))(np.arange(5) * 10) == 20


def test_a_model_that_is_another_type():
    ty = of_model("Kind", models.EnumModel, dtype=types.int32)

    @intrinsic
    def kind(typingctx, x):
        return ty(types.int32), lambda context, builder, sig, args: args[0]

    @intrinsic
    def number(typingctx, k):
        return types.int32(ty), lambda context, builder, sig, args: args[0]

    assert njit(lambda x: number(kind(x)))(5) == 5


# --- memory with counted references -------------------------------------------------------------


class RefType(types.Type):
    pass


@register_model(RefType)
class RefModel(models.StructRefModel):
    pass


class PayloadType(types.Type):
    pass


@register_model(PayloadType)
class PayloadModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("count", types.int64), ("on", types.boolean)])


ref_type, payload_type = RefType("Ref"), PayloadType("Payload")


def payload_of(context, builder, value):
    ref = cgutils.create_struct_proxy(ref_type)(context, builder, value=value)
    data = context.nrt.meminfo_data(builder, ref.meminfo)
    data = builder.bitcast(data, context.get_data_type(payload_type).as_pointer())
    return context.make_data_helper(builder, payload_type, ref=data)


@intrinsic
def new_ref(typingctx, count):
    def codegen(context, builder, sig, args):
        size = context.get_abi_sizeof(context.get_data_type(payload_type))
        ref = cgutils.create_struct_proxy(ref_type)(context, builder)
        ref.meminfo = context.nrt.meminfo_alloc(builder, context.get_constant(types.uintp, size))
        cgutils.guard_memory_error(context, builder, ref.meminfo, "no room for a Ref")
        payload = payload_of(context, builder, ref._getvalue())
        payload.count = args[0]
        payload.on = cgutils.true_bit
        return ref._getvalue()

    return ref_type(types.int64), codegen


@intrinsic
def increased(typingctx, ref, by):
    def codegen(context, builder, sig, args):
        payload = payload_of(context, builder, args[0])
        with builder.if_then(payload.on):
            payload.count = builder.add(payload.count, args[1])
        return payload.count

    return types.int64(ref_type, types.int64), codegen


def test_a_struct_that_two_variables_refer_to():
    @njit
    def f(n):
        first = new_ref(n)
        second = first
        increased(first, 1)
        return increased(second, 10)

    for _ in range(100):
        assert f(5) == 16


# --- attributes, casts, literals ----------------------------------------------------------------


class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees


class CelsiusType(types.Type):
    def __init__(self):
        super().__init__("Celsius")

    def can_convert_to(self, typingctx, other):
        if other is types.float64:
            return cutaway.extending.Conversion.safe


celsius = CelsiusType()
register_model(CelsiusType)(type("CelsiusModel", (models.FloatModel,), {}))


@typeof_impl.register(Celsius)
def typeof_celsius(val, c):
    return celsius


@unbox(CelsiusType)
def unbox_celsius(typ, obj, c):
    degrees = c.pyapi.object_getattr_string(obj, "degrees")
    value = c.pyapi.float_as_double(degrees)
    c.pyapi.decref(degrees)
    return NativeValue(value, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class CelsiusAttributes(AttributeTemplate):
    key = CelsiusType

    def resolve_kelvin(self, ty):
        return types.float64


@lower_getattr(CelsiusType, "kelvin")
def celsius_kelvin(context, builder, typ, value):
    return builder.fadd(value, context.get_constant(types.float64, 273.15))


@lower_cast(CelsiusType, types.Float)
def celsius_to_float(context, builder, fromty, toty, val):
    return val


@overload(operator.add)
def celsius_plus(a, b):
    if isinstance(a, CelsiusType) and isinstance(b, types.Number):
        return lambda a, b: math.fabs(a) + b


def test_attributes_and_casts():
    @njit
    def f(t):
        return t.kelvin, math.sqrt(t), t + 1

    assert f(Celsius(4.0)) == (277.15, 2.0, 5.0)


def power_of(x, n):
    return x**n


@overload(power_of, prefer_literal=True)
def overload_power_of(x, n):
    if not isinstance(n, types.IntegerLiteral):
        raise RequireLiteralValue("n must be a literal")
    if n.literal_value == 2:
        return lambda x, n: x * x
    return lambda x, n: x**n


def test_a_literal_that_is_required():
    assert njit(lambda x: power_of(x, 2) + power_of(x, 3))(2.0) == 12.0
    with pytest.raises(TypingError, match="n must be a literal"):
        njit(lambda x, n: power_of(x, n))(2.0, 2)


class Doubling:
    """A class that programs call."""


class DoublingType(types.Callable):
    def __init__(self):
        super().__init__("doubling")

    def get_call_type(self, context, args, kws):
        return types.float64(args[0]) if len(args) == 1 else None


infer_global(Doubling, DoublingType())


@lower_builtin(Doubling, types.Number)
def doubling(context, builder, sig, args):
    x = context.cast(builder, args[0], sig.args[0], sig.return_type)
    return builder.fadd(x, x)


def test_a_type_says_what_calls_result_in():
    assert njit(lambda x: Doubling(x))(1.5) == 3.0
    with pytest.raises(TypingError, match="Doubling"):
        njit(lambda x: Doubling(x, x))(1.5)


def test_an_intrinsic_says_what_its_function_said():
    @intrinsic
    def passed(typingctx, a: int):
        """Pass it on."""
        return a(a), lambda context, builder, sig, args: args[0]

    assert (passed.__doc__, passed.__annotations__) == ("Pass it on.", {"a": "int"})


def test_a_function_that_a_module_does_not_export_is_a_wrong_value():
    with pytest.raises(ValueError, match="exports no C functions"):
        get_cython_function_address("math", "sin")
