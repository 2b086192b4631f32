"""Types of extensions that are iterated over, by getiter and iternext, in all kinds of loops."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.errors import CompileError, ExtensionError
from cutaway.extending import (
    NativeValue,
    RefType,
    call_getiter,
    call_iternext,
    cgutils,
    for_iter,
    impl_ret_borrowed,
    impl_ret_new_ref,
    impl_ret_untracked,
    intrinsic,
    iternext_impl,
    lower_builtin,
    models,
    register_model,
    typeof_impl,
    unbox,
)

pytestmark = pytest.mark.sampled(fast=6)


class Rows:
    """The rows of an array, the first `count` of them."""

    def __init__(self, array, count=None):
        self.array = array
        self.count = len(array) if count is None else count

    def __iter__(self):
        return iter(self.array[: self.count])


class RowsType(types.IterableType):
    def __init__(self):
        super().__init__("Rows")

    @property
    def iterator_type(self):
        return RowsIterator(self)


class RowsIterator(types.SimpleIteratorType):
    def __init__(self, rows):
        super().__init__(f"iter({rows.name})", types.float64[:])
        self.rows = rows


rows_type, array_type = RowsType(), types.float64[:, ::1]


@typeof_impl.register(Rows, fingerprint=())
def typeof_rows(value, c):
    return rows_type


@register_model(RowsType)
class RowsModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("array", array_type), ("count", types.int64)])


@register_model(RowsIterator)
class RowsIteratorModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        at = types.EphemeralPointer(types.int32)
        super().__init__(dmm, fe_type, [("rows", fe_type.rows), ("at", at)])


@unbox(RowsType)
def unbox_rows(typ, obj, c):
    rows = c.context.make_helper(c.builder, typ)
    array, count = (c.pyapi.object_getattr_string(obj, name) for name in ("array", "count"))
    rows.array = c.unbox(array_type, array).value
    rows.count = c.pyapi.number_as_ssize_t(count)
    c.pyapi.decref(array)
    c.pyapi.decref(count)
    return NativeValue(rows._getvalue(), is_error=c.pyapi.c_api_error())


@lower_builtin("getiter", RowsType)
def begin(context, builder, sig, args):
    found = context.make_helper(builder, sig.return_type)
    found.rows = args[0]
    found.at = cgutils.alloca_once_value(builder, context.get_constant(types.int32, 0))
    context.nrt.incref(builder, sig.args[0], args[0])
    return impl_ret_new_ref(context, builder, sig.return_type, found._getvalue())


@lower_builtin("iternext", RowsIterator)
@iternext_impl(RefType.BORROWED)
def advance(context, builder, sig, args, result):
    iterator = context.make_helper(builder, sig.args[0], args[0])
    rows = context.make_helper(builder, rows_type, iterator.rows)
    at = builder.load(iterator.at)
    wide = builder.sext(at, cgutils.intp_t)
    there = builder.icmp_signed("<", wide, rows.count)
    result.set_valid(there)
    with builder.if_then(there):
        array = context.make_helper(builder, array_type, rows.array)
        row = context.make_array(types.float64[:])(context, builder)
        offset = builder.mul(wide, builder.extract_value(array.strides, 0))
        row.populate(
            data=cgutils.pointer_add(builder, array.data, offset),
            shape=[builder.extract_value(array.shape, 1)],
            strides=[builder.extract_value(array.strides, 1)],
            meminfo=array.meminfo,
        )
        result.yield_(row._getvalue())
        builder.store(cgutils.increment_index(builder, at), iterator.at)


def plain(rows):
    total = 0.0
    for row in rows:
        total = 2 * total + row.sum()
    return total


def nested(rows):
    total = 0.0
    for one in rows:
        for other in rows:
            total += (one * other).sum()
            if total > 1e6:
                break
    return total


def numbered(rows):
    total = 0.0
    for k, row in enumerate(rows):
        total += k * row[0]
    return total


def side_by_side(rows):
    total = 0.0
    for k, (row, other), x in zip(range(9), zip(rows, rows), np.arange(3.0)):
        total += row[0] * other[1] * x + k
    return total


def left(rows):
    for row in rows:
        if row[0] > 2.0:
            break
    else:
        return -1.0
    return row[1]


def comprehension(rows):
    found = [row[0] * 2 for row in rows]
    return found[-1], len(found)


def generated(rows):
    return sum(row[0] for row in rows)


def kept(rows):
    last = np.zeros(2)
    for row in rows:
        last = row
    return last


LOOPS = [plain, nested, numbered, side_by_side, left, comprehension, generated, kept]


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
def test_a_loop_is_pythons(loop):
    f = cutaway.jit(loop)
    for count in (3, 4, 1):
        given = Rows(np.arange(8.0).reshape(4, 2), count)
        np.testing.assert_equal(f(given), loop(given))


def test_a_generator_keeps_where_it_is():
    @cutaway.jit
    def walk(rows):
        for row in rows:
            for k, other in enumerate(rows):
                yield row[0] * 10 + other[1] * k

    given = Rows(np.arange(6.0).reshape(3, 2))
    assert list(walk(given)) == list(walk.py_func(given))


def test_rows_are_views_that_own_the_array():
    given = Rows(np.arange(6.0).reshape(3, 2))
    last = cutaway.jit(kept)(given)
    del given.array
    assert last.tolist() == [4.0, 5.0]


# --- from code --------------------------------------------------------------------------------


@intrinsic
def last_sum(typingctx, rows):
    """The sum of the first elements of all rows, in code."""

    def code(context, builder, sig, args):
        total = cgutils.alloca_once_value(builder, context.get_constant(types.float64, 0.0))
        with for_iter(context, builder, sig.args[0], args[0]) as loop:
            row = context.make_helper(builder, types.float64[:], loop.index)
            builder.store(builder.fadd(builder.load(total), builder.load(row.data)), total)
        return impl_ret_untracked(context, builder, sig.returns, builder.load(total))

    return types.float64(rows), code


@intrinsic
def second_row(typingctx, rows):
    """The second row, by two steps."""

    def code(context, builder, sig, args):
        iterator = call_getiter(context, builder, rows, args[0])
        first = call_iternext(context, builder, rows.iterator_type, iterator)
        context.nrt.decref(builder, types.float64[:], first.yielded_value())
        second = call_iternext(context, builder, rows.iterator_type, iterator)
        found = impl_ret_borrowed(context, builder, sig.returns, second.yielded_value())
        context.nrt.decref(builder, types.float64[:], second.yielded_value())
        context.nrt.decref(builder, rows.iterator_type, iterator)
        return found

    return types.float64[:](rows), code


def test_loops_in_code():
    given = Rows(np.arange(8.0).reshape(4, 2))
    assert cutaway.jit(lambda rows: last_sum(rows))(given) == 12.0
    f = cutaway.jit(lambda rows: second_row(rows))
    for _ in range(20):
        assert f(given).tolist() == [2.0, 3.0]
    assert given.array.sum() == 28.0


# --- what is refused --------------------------------------------------------------------------


class Silent(types.IterableType):
    """A type of which nobody says how it is iterated over."""

    def __init__(self):
        super().__init__("Silent")

    @property
    def iterator_type(self):
        return types.SimpleIteratorType("SilentIterator", types.int64)


SILENT = type("SilentValue", (), {})


@typeof_impl.register(SILENT, fingerprint=())
def typeof_silent(value, c):
    return Silent()


@register_model(Silent)
class SilentModel(models.IntegerModel):
    pass


@unbox(Silent)
def unbox_silent(typ, obj, c):
    return NativeValue(c.context.get_constant(types.int64, 0))


def test_a_loop_that_nobody_wrote():
    def f(x):
        total = 0
        for item in x:
            total += item
        return total

    with pytest.raises(CompileError, match="getiter|data model") as caught:
        cutaway.jit(f)(SILENT())
    assert __file__ in str(caught.value)


def test_an_item_of_another_type():
    @lower_builtin("iternext", RowsIterator)
    @iternext_impl(RefType.BORROWED)
    def wrong(context, builder, sig, args, result):
        result.yield_(context.get_constant(types.int64, 1))

    try:
        with pytest.raises(ExtensionError, match="the item is .*, not i64") as caught:
            cutaway.jit(plain)(Rows(np.ones((2, 2))))
        assert __file__ in str(caught.value)
    finally:
        lower_builtin("iternext", RowsIterator)(advance)


def test_a_kind_of_reference_that_is_none():
    with pytest.raises(ExtensionError, match="expects a RefType"):
        iternext_impl("borrowed")
