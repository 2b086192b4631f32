"""What each class of types says of itself; where one says nothing, the reason is here."""

from __future__ import annotations

import pickle

import pytest
from typing_samples import TYPES

from cutaway.errors import CutawayError
from cutaway.lowering.layout import descriptor
from cutaway.lowering.models import MachineType
from cutaway.typing import types
from cutaway.typing.inference.literals import KnownInteger
from cutaway.typing.types import Type, functions, kinds
from cutaway.typing.types.combined import Combined
from cutaway.typing.types.containers import Collection
from cutaway.typing.types.conversions import unify
from cutaway.typing.types.functions import ToldMethod
from cutaway.typing.types.opaque import ObjectReference
from cutaway.typing.types.structure import Compound, Holder, members_of

# Classes that have no types of their own: others are derived from them.
BASES = {
    *(Type, Holder, Compound, types.Dated, types.Constant, types.Literal, types.Number),
    *(types.Container, Collection, Combined, ObjectReference, types.ListLike, types.SetLike),
    functions.LentArray,
    KnownInteger,  # of a parameter alone: no value has it
    *(types.BufferType, types.CallableType, types.IterableType, types.IteratorType),
    *(
        types.FixedString,
        types.OpaqueType,
        types.RandomSource,
        types.Tuple,
        types.AnonymousTuple,
        types.NamedTuple,
    ),
}
OF_EXTENSIONS = {
    *(kinds.AnyType, kinds.PyObject, kinds.VarArg, kinds.Dummy, kinds.List, kinds.RawPointer),
    *(kinds.CPointer, kinds.EphemeralPointer, kinds.MemInfoPointer, MachineType),
    *(types.FunctionType, ToldMethod),
    *(kinds.SimpleIterableType, kinds.SimpleIteratorType),
}
MORE = (types.Tuple((types.int64,) * 2), types.constant_type(types.Dispatcher, print))
EACH = {type(ty): ty for ty in (*TYPES, *MORE) if type(ty) not in OF_EXTENSIONS}


def is_passed(ty) -> bool:
    try:
        return bool(descriptor(ty, []))
    except CutawayError:
        return False


FACTS = {
    "members": lambda ty: members_of(ty) is not None,
    "a descriptor": is_passed,
    "a Python class": lambda ty: ty.value_class is not None,
    "a sample": lambda ty: ty.sample() is not None or ty.value_class is type(None),
    "a union with None": lambda ty: unify(ty, types.none) is not None,
}
PASSING = "it is only there on the way to something else"
ELEMENT = "elements of arrays of texts are not taken out"
NO_ONE_CLASS = "its values are of several classes"
WAYS = (types.Indices, types.Enumerated, types.Zipped, types.Reversed)
ON_THE_WAY = (
    types.Flat,
    types.ArrayFlags,
    types.NdIter,
    types.Iterator,
    types.Text,
    types.BoundMethod,
    types.ArrayCTypes,
    types.ArrayAddress,
    types.FieldArray,
    types.Window,
    types.DictView,
    *WAYS,
)
TEXTS = dict.fromkeys((types.UnicodeCharSeq, types.CharSeq), ELEMENT)
# What a class of types does without, and why.
WITHOUT: dict[str, dict[type[Type], str]] = {
    "members": dict.fromkeys(WAYS, "an iterator over it has them"),
    "a descriptor": {
        **dict.fromkeys(ON_THE_WAY, PASSING),
        **TEXTS,
        **dict.fromkeys((types.ListDisplay, types.Collected), "Python gets no lists"),
        types.Undefined: "there is no value",
        types.Closure: "Python gets no inner functions",
    },
    "a Python class": {
        **dict.fromkeys(ON_THE_WAY, PASSING),
        **TEXTS,
        **dict.fromkeys((types.Choice, types.Functions, types.Optional), NO_ONE_CLASS),
        **dict.fromkeys(
            (types.CaughtException, types.ExceptionPart, types.PythonObject),
            "what class it has shows when the program runs",
        ),
        types.Undefined: "there is no value",
        types.EllipsisType: "nothing asks for it",
        types.Generator: "only compiled code makes one",
        types.Generator: "only compiled code makes one",
        types.Closure: "it is a function of ours",
    },
    "a sample": {
        **dict.fromkeys(ON_THE_WAY, PASSING),
        **TEXTS,
        **dict.fromkeys((types.Choice, types.Functions, types.Closure), NO_ONE_CLASS),
        types.Undefined: "there is no value",
        types.EllipsisType: "no message is about it",
        types.Generator: "only compiled code makes one",
        **dict.fromkeys((types.Slice, types.Span), "its bounds decide what is said"),
        types.Record: "its fields decide what is said",
    },
    "a union with None": {
        **dict.fromkeys(ON_THE_WAY, PASSING),
        **TEXTS,
        **dict.fromkeys(
            (types.Module, types.TypeConstant, types.CLibrary, types.DType, types.EllipsisType),
            "there is one value",
        ),
        types.IndexTool: "there is one value",
        types.Span: "the bounds of each are of other types",
        types.Record: "it would have no memory to be a view of",
        types.Class: "exceptions are made in their own way",
        types.Omitted: "its default decides",
    },
}


def ours(of: type[Type] = Type) -> set[type[Type]]:
    """All our classes of types."""
    found = {of} if of.__module__.startswith("cutaway.") else set()
    return found.union(*(ours(cls) for cls in of.__subclasses__()))


def test_each_class_of_types_is_looked_at():
    # `GridIndex` of kernels is a Dummy, as extensions have them; of what is asked are no values.
    without = ("pairs", "gpu.grid", "types.asked", "extending.external")
    given = {cls for cls in ours() if not cls.__module__.endswith(without)}
    missing = given - EACH.keys() - BASES - OF_EXTENSIONS
    assert not missing, "add a type to typing_samples.TYPES"


@pytest.mark.parametrize("cls", EACH, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("fact", FACTS)
def test_a_class_of_types_has_each_fact_or_a_reason(fact, cls):
    said, excused = FACTS[fact](EACH[cls]), cls in WITHOUT[fact]
    assert said or excused, f"{cls.__name__} has no {fact}"
    assert not (said and excused), f"{cls.__name__} has {fact} by now"


# Their values are found by other means: inner functions have code, modules a name.
NOT_PICKLED = (types.Closure, types.Functions, types.Module, types.CFunction, types.CLibrary)


@pytest.mark.parametrize("ty", [ty for ty in TYPES if not isinstance(ty, NOT_PICKLED)], ids=str)
def test_a_type_is_the_same_out_of_a_pickle(ty):
    assert pickle.loads(pickle.dumps(ty)) is ty
