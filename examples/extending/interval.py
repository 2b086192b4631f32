"""An interval of floats: a Python class that compiled code accepts, returns and computes with.

Run it: `python examples/extending/interval.py`
"""

import operator

import cutaway
from cutaway import extending, types


class Interval:
    """The numbers from `lo` to `hi`."""

    def __init__(self, lo, hi):
        self.lo = lo
        self.hi = hi

    def contains(self, x):
        return self.lo <= x <= self.hi

    def __repr__(self):
        return f"Interval({self.lo}, {self.hi})"


# --- 1. its type, and how to know it by a value -----------------------------------------------


class IntervalType(types.Type):
    def __init__(self):
        super().__init__(name="Interval")


interval_type = IntervalType()


# The class alone decides: calls find the type in C.
@extending.typeof_impl.register(Interval, fingerprint=())
def typeof_interval(value, c):
    return interval_type


# --- 2. what a value is made of, and how it crosses the border --------------------------------


@extending.register_model(IntervalType)
class IntervalModel(extending.models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("lo", types.float64), ("hi", types.float64)])


extending.make_attribute_wrapper(IntervalType, "lo", "lo")
extending.make_attribute_wrapper(IntervalType, "hi", "hi")


@extending.unbox(IntervalType)
def unbox_interval(typ, obj, c):
    interval = extending.cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for name in ("lo", "hi"):
        number = c.pyapi.object_getattr_string(obj, name)
        setattr(interval, name, c.unbox(types.float64, number).value)
        c.pyapi.decref(number)
    failed = extending.cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return extending.NativeValue(interval._getvalue(), is_error=failed)


@extending.box(IntervalType)
def box_interval(typ, val, c):
    interval = extending.cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Interval))
    lo, hi = c.box(types.float64, interval.lo), c.box(types.float64, interval.hi)
    result = c.pyapi.call_function_objargs(cls, (lo, hi))
    for used in (lo, hi, cls):
        c.pyapi.decref(used)
    return result


# --- 3. what compiled code can do with it -----------------------------------------------------


@extending.type_callable(Interval)
def type_interval(context):
    def typer(lo, hi):
        if all(isinstance(ty, types.Number) for ty in (lo, hi)):
            return interval_type

    return typer


@extending.lower_builtin(Interval, types.Number, types.Number)
def make_interval(context, builder, sig, args):
    interval = extending.cgutils.create_struct_proxy(sig.return_type)(context, builder)
    interval.lo = context.cast(builder, args[0], sig.args[0], types.float64)
    interval.hi = context.cast(builder, args[1], sig.args[1], types.float64)
    return interval._getvalue()


@extending.overload_method(IntervalType, "contains")
def interval_contains(interval, x):
    return lambda interval, x: interval.lo <= x <= interval.hi


@extending.overload(operator.add)
def add_intervals(a, b):
    if a is interval_type and b is interval_type:
        return lambda a, b: Interval(a.lo + b.lo, a.hi + b.hi)


@cutaway.jit
def widened(interval, by):
    """An interval that is wider on both sides, and whether 0 is in it, and how wide it is."""
    wider = interval + Interval(-by, by)
    return wider, wider.contains(0), wider.hi - wider.lo


if __name__ == "__main__":
    print(widened(Interval(1.0, 2.0), 2))
