"""A package in the style of awkward: views of nested lists that find their arrays by pointers in a
lookup, which is a Python object in the view; methods and attributes by templates; a builder."""

from __future__ import annotations

import operator

import numpy as np

from cutaway import types
from cutaway.errors import TypingError
from cutaway.extending import (
    AbstractTemplate,
    AttributeTemplate,
    NativeValue,
    RefType,
    bound_function,
    box,
    cgutils,
    impl_ret_new_ref,
    infer_getattr,
    infer_global,
    iternext_impl,
    lower_builtin,
    lower_constant,
    lower_getattr,
    models,
    register_model,
    typeof_impl,
    unbox,
)


class Lookup:
    """The addresses of the arrays of nested lists."""

    def __init__(self, *arrays):
        self.arrays = arrays
        self.pointers = np.array([a.ctypes.data for a in arrays], np.intp)


class Lists:
    """Lists of numbers one after the other: list k is `numbers[offsets[k]:offsets[k + 1]]`."""

    def __init__(self, offsets, numbers, start=0, stop=None, lookup=None):
        self.lookup = lookup or Lookup(np.asarray(offsets, np.int64), np.asarray(numbers, float))
        self.start = start
        self.stop = len(offsets) - 1 if stop is None else stop

    @classmethod
    def from_view(cls, lookup, start, stop):
        return cls((), (), start, stop, lookup)

    def tolist(self):
        offsets, numbers = self.lookup.arrays
        return [numbers[offsets[k] : offsets[k + 1]].tolist() for k in range(self.start, self.stop)]


class ListsType(types.IterableType):
    def __init__(self):
        super().__init__("Lists")

    @property
    def iterator_type(self):
        return ListsIterator()


class ListsIterator(types.SimpleIteratorType):
    def __init__(self):
        super().__init__("ListsIterator", item_type)


lists_type, item_type, pointers_type = ListsType(), types.float64[::1], types.intp[::1]


@typeof_impl.register(Lists, fingerprint=())
def typeof_lists(value, c):
    return lists_type


@register_model(ListsType)
class ListsModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [
            ("start", types.intp),
            ("stop", types.intp),
            ("pointers", types.CPointer(types.intp)),
            ("lookup", types.pyobject),
        ]
        super().__init__(dmm, fe_type, members)


@register_model(ListsIterator)
class ListsIteratorModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [("view", lists_type), ("at", types.EphemeralPointer(types.intp))]
        super().__init__(dmm, fe_type, members)


@unbox(ListsType)
def unbox_lists(typ, obj, c):
    made = c.context.make_helper(c.builder, typ)
    lookup = c.pyapi.object_getattr_string(obj, "lookup")
    pointers = c.pyapi.object_getattr_string(lookup, "pointers")
    native = c.pyapi.to_native_value(pointers_type, pointers).value
    made.pointers = c.context.make_helper(c.builder, pointers_type, native).data
    made.lookup = lookup
    for name in ("start", "stop"):
        number = c.pyapi.object_getattr_string(obj, name)
        setattr(made, name, c.pyapi.number_as_ssize_t(number))
        c.pyapi.decref(number)
    c.pyapi.decref(lookup)
    c.pyapi.decref(pointers)
    if c.context.enable_nrt:
        c.context.nrt.decref(c.builder, pointers_type, native)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(made._getvalue(), failed)


@box(ListsType)
def box_lists(typ, val, c):
    view = c.context.make_helper(c.builder, typ, val)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Lists))
    numbers = [c.pyapi.long_from_ssize_t(n) for n in (view.start, view.stop)]
    made = c.pyapi.call_method(cls, "from_view", (view.lookup, *numbers))
    for used in (cls, *numbers):
        c.pyapi.decref(used)
    return made


@lower_constant(ListsType)
def constant_lists(context, builder, typ, value):
    pointers = value.lookup.pointers
    array = context.make_constant_array(builder, typeof_impl(pointers), pointers)
    made = context.make_helper(builder, typ)
    made.start = context.get_constant(types.intp, value.start)
    made.stop = context.get_constant(types.intp, value.stop)
    made.pointers = context.make_helper(builder, typeof_impl(pointers), array).data
    made.lookup = context.add_dynamic_addr(builder, id(value.lookup), info="lookup")
    return made._getvalue()


def array_at(context, builder, view, place, dtype):
    """The address of one of the arrays."""
    address = builder.load(builder.gep(view.pointers, [context.get_constant(types.intp, place)]))
    return builder.inttoptr(address, context.get_value_type(types.CPointer(dtype)))


def item_of(context, builder, view, at):
    """List `at` of a view, as an array that nobody owns."""
    offsets = array_at(context, builder, view, 0, types.int64)
    numbers = array_at(context, builder, view, 1, types.float64)
    place = builder.add(view.start, at)
    after = cgutils.increment_index(builder, place)
    first, last = (builder.load(builder.gep(offsets, [k])) for k in (place, after))
    made = context.make_array(item_type)(context, builder)
    context.populate_array(
        made,
        data=builder.gep(numbers, [first]),
        shape=cgutils.pack_array(builder, [builder.sub(last, first)]),
        strides=cgutils.pack_array(builder, [context.get_constant(types.intp, 8)]),
        itemsize=context.get_constant(types.intp, 8),
        meminfo=None,
        parent=None,
    )
    return made._getvalue()


@infer_global(len)
class TypeLen(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == 1 and isinstance(args[0], ListsType):
            return types.intp(args[0])


@lower_builtin(len, ListsType)
def lower_len(context, builder, sig, args):
    view = context.make_helper(builder, sig.args[0], args[0])
    return builder.sub(view.stop, view.start)


@infer_global(operator.getitem)
class TypeGetitem(AbstractTemplate):
    def generic(self, args, kws):
        view, where = args
        if not isinstance(view, ListsType):
            return None
        if isinstance(where, types.Integer):
            return item_type(view, types.intp)
        if isinstance(where, types.SliceType) and not where.has_step:
            return view(view, where)
        raise TypingError("lists are indexed by integers and slices without a step")


@lower_builtin(operator.getitem, ListsType, types.Integer)
def lower_getitem(context, builder, sig, args):
    view = context.make_helper(builder, sig.args[0], args[0])
    length = builder.sub(view.stop, view.start)
    with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", args[1], length)):
        context.call_conv.return_user_exc(builder, IndexError, ("no such list",))
    return item_of(context, builder, view, args[1])


@lower_builtin(operator.getitem, ListsType, types.slice2_type)
def lower_getitem_range(context, builder, sig, args):
    view = context.make_helper(builder, sig.args[0], args[0])
    bounds = context.make_helper(builder, sig.args[1], args[1])
    length = builder.sub(view.stop, view.start)

    def within(bound):
        inside = builder.select(builder.icmp_signed("<", bound, length), bound, length)
        zero = context.get_constant(types.intp, 0)
        return builder.select(builder.icmp_signed(">", inside, zero), inside, zero)

    start, stop = within(bounds.start), within(bounds.stop)
    stop = builder.select(builder.icmp_signed("<", stop, start), start, stop)
    first = view.start
    view.start, view.stop = builder.add(first, start), builder.add(first, stop)
    return view._getvalue()


@infer_getattr
class TypeAttributes(AttributeTemplate):
    key = ListsType

    def resolve_ndim(self, ty):
        return types.intp

    @bound_function("lists.total")
    def resolve_total(self, ty, args, kws):
        if not kws and len(args) <= 1 and all(isinstance(arg, types.Integer) for arg in args):
            return types.float64(*args)
        raise TypingError("total takes the number of a list, or nothing")

    def generic_resolve(self, ty, name):
        if not name.startswith("times_"):
            return None
        factor = int(name.removeprefix("times_"))

        class Times(AbstractTemplate):
            key = name

            def generic(self, args, kws):
                @lower_builtin(name, ListsType, types.Float)
                def lower_times(context, builder, sig, args):
                    number = context.get_constant(types.float64, float(factor))
                    return builder.fmul(args[1], number)

                return types.float64(*args) if len(args) == 1 else None

        return types.BoundFunction(Times, ty)


@lower_getattr(ListsType, "ndim")
def lower_ndim(context, builder, ty, value):
    return context.get_constant(types.intp, 2)


@lower_builtin("lists.total", ListsType, types.Integer)
def lower_total(context, builder, sig, args):
    view = context.make_helper(builder, sig.args[0], args[0])
    at = context.cast(builder, args[1], sig.args[1], types.intp)
    numbers = context.make_helper(builder, item_type, item_of(context, builder, view, at))
    total = cgutils.alloca_once_value(builder, context.get_constant(types.float64, 0.0))
    with cgutils.for_range(builder, numbers.nitems) as loop:
        number = builder.load(builder.gep(numbers.data, [loop.index]))
        builder.store(builder.fadd(builder.load(total), number), total)
    return builder.load(total)


@lower_builtin("lists.total", ListsType)
def lower_grand_total(context, builder, sig, args):
    def grand_total(lists):
        total = 0.0
        for k in range(len(lists)):
            total += lists.total(k)
        return total

    return context.compile_internal(builder, grand_total, sig, args)


@lower_builtin("getiter", ListsType)
def lower_getiter(context, builder, sig, args):
    made = context.make_helper(builder, sig.return_type)
    made.view = args[0]
    made.at = cgutils.alloca_once_value(builder, context.get_constant(types.intp, 0))
    return impl_ret_new_ref(context, builder, sig.return_type, made._getvalue())


@lower_builtin("iternext", ListsIterator)
@iternext_impl(RefType.BORROWED)
def lower_iternext(context, builder, sig, args, result):
    iterator = context.make_helper(builder, sig.args[0], args[0])
    view = context.make_helper(builder, lists_type, iterator.view)
    at = builder.load(iterator.at)
    there = builder.icmp_signed("<", at, builder.sub(view.stop, view.start))
    result.set_valid(there)
    with builder.if_then(there, likely=True):
        result.yield_(item_of(context, builder, view, at))
        builder.store(cgutils.increment_index(builder, at), iterator.at)
