"""`cutaway.types`: what extensions and packages ask of types by the names of the reference."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import cutaway
from cutaway import types
from cutaway.foundation import options

NAMES = """
abstract ArrayCompatible ArrayCTypes ArrayFlags BaseFunction ClassInstanceType ClassType common
ConstSized Container Conversion DeferredType DictType DTypeSpec ExceptionClass ffi FunctionType
Generator ListType ListTypeIteratorType misc MutableSequence NestedArray np_float32 np_intp
npy_rng NumberClass NumPyRandomGeneratorType Object Pair Phantom py_int Sequence Set SetType Sized
StarArgTuple StarArgUniTuple string StructRef TypeRef UnionType UniTupleIter unknown WeakType
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_reference_is_there(name):
    assert getattr(types, name) is not None
    assert name in types.__all__


@pytest.mark.parametrize(
    ("ty", "cls"),
    [
        (types.Tuple((types.int64, types.float64)), types.ConstSized),
        (types.Tuple((types.int64, types.float64)), types.Sized),
        (types.UniTuple(types.int64, 2), types.Sequence),
        (types.UniTuple(types.int64, 2), types.StarArgUniTuple),
        (types.float64[:], types.ArrayCompatible),
        (cutaway.typeof(np.float32), types.NumberClass),
        (cutaway.typeof(np.float32), types.DTypeSpec),
        (cutaway.typeof(np.dtype("int8")), types.DTypeSpec),
        (types.npy_rng, types.NumPyRandomGeneratorType),
        (types.int64, types.abstract.Number),
    ],
    ids=str,
)
def test_a_type_is_of_the_kinds_that_it_has_in_the_reference(ty, cls):
    assert isinstance(ty, cls)


@pytest.mark.parametrize(
    ("ty", "cls"),
    [
        (types.Tuple((types.int64, types.float64)), types.Sequence),
        (types.int64, types.Sized),
        (cutaway.typeof(ValueError), types.NumberClass),
        (cutaway.typeof(np.dtype("int8")), types.NumberClass),
        (types.float64[:], types.ListType),
        (types.List(types.int64), types.ListType),
        (types.ListType(types.int64), types.DictType),
        (types.float64[:], types.TypeRef),
    ],
    ids=str,
)
def test_a_type_is_of_no_other_kind(ty, cls):
    assert not isinstance(ty, cls)


def test_extensions_build_on_kinds():
    class Numbers(types.IterableType, types.Sized):
        def __init__(self):
            super().__init__(name="Numbers")

    assert isinstance(Numbers(), types.Sized)
    assert not isinstance(types.UniTuple(types.int64, 2), Numbers)
    assert Numbers() is Numbers()


def test_types_without_values_are_written_and_told_apart():
    ty = types.UnionType(types.int64, types.SetType(types.float64))
    assert ty is types.UnionType(types.int64, types.SetType(types.float64))
    assert ty is not types.UnionType(types.int64, types.float64)
    assert str(ty) == "UnionType[int64, SetType[float64]]"
    assert pickle.loads(pickle.dumps(ty)) is copy.deepcopy(ty) is ty


def test_signatures_that_no_call_can_fit_are_left_out_with_a_warning(monkeypatch):
    monkeypatch.setattr(options, "_warned", set())
    of_list = types.SetType(types.float64)
    with pytest.warns(cutaway.errors.OptionWarning, match="f is not compiled for SetType") as given:

        @cutaway.jit([types.float64(of_list), types.float64(types.float64)])
        def f(x):
            return x

        never = cutaway.jit((types.Tuple((types.int64, of_list)),))(lambda x: x)
    assert len(given) == 1
    assert (f.signatures, f(1.5)) == ([(types.float64,)], 1.5)
    with pytest.raises(TypeError, match="no signature"):
        never((1, 2))


def test_a_class_of_numbers_says_which_number():
    ty = types.NumberClass(types.float32)
    assert ty is cutaway.typeof(np.float32)
    assert ty.dtype is ty.instance_type is types.float32


def test_integers_say_their_bounds():
    assert (types.int8.minval, types.int8.maxval) == (-128, 127)
    assert (types.uint64.minval, types.uint64.maxval) == (0, 2**64 - 1)
    assert types.Integer.from_bitwidth(16) is types.int16
    assert types.Integer.from_bitwidth(8, signed=False) is types.uint8


def test_a_value_becomes_one_of_the_type():
    assert type(types.float32.cast_python_value(1)) is np.float32
    assert types.boolean.cast_python_value(2) is True
    assert not types.int64.is_internal
    assert types.int64.mangling_args == ("int64", ())
    assert types.int64.is_precise() and not types.undefined.is_precise()


@pytest.mark.parametrize(
    "fields",
    [
        [("a", "int8"), ("b", "float64"), ("c", "int16")],
        [("a", "int32"), ("b", "int32")],
        [("a", "complex128"), ("b", "bool")],
    ],
    ids=str,
)
def test_a_record_is_laid_out_as_c_does(fields):
    ty = types.Record.make_c_struct([(name, getattr(types, kind)) for name, kind in fields])
    assert ty.dtype == np.dtype([(name, kind) for name, kind in fields], align=True)
    for name, kind in fields:
        assert ty.typeof(name) is getattr(types, kind)
        assert ty.offset(name) == ty.dtype.fields[name][1]
    with pytest.raises(KeyError):
        ty.offset("missing")


def test_numbers_have_the_names_of_python_and_numpy():
    assert types.np_float32 is types.c_float32 is types.float32
    assert (types.py_int, types.py_float, types.py_bool) == (
        types.int64,
        types.float64,
        types.boolean,
    )
    assert types.np_number_domain == types.py_number_domain == types.number_domain
