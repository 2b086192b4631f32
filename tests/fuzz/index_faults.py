"""Faults that are planted where indices are read: the fuzzer of indices has to find each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutaway.foundation.dataclass import replace
from cutaway.library.arrays.indexing import gathering
from cutaway.library.arrays.indexing.gathering import IndexedElements
from cutaway.stages.arrays import fusing
from cutaway.typing.analysis import indices
from fuzz.batches import FINDING, SAME, Verdict
from fuzz.indexed import check

TRIED = 40  # programs at most

# What is put in the place of what, until a search ends.
Planted = tuple[Any, str, Any]  # Any: a module or a class; a function
Plant = Callable[[], Planted]


@dataclass(frozen=True)
class Fault:
    """A fault: what is said of it, what plants it in this process, and the seed from which on
    programs are tried, not far from one that finds it."""

    said: str
    plant: Plant
    first: int = 0


def _places_first() -> Planted:
    counted = indices._counted
    return indices, "_counted", lambda items: replace(counted(items), before=0)


def _parted_by_nothing() -> Planted:
    counted = indices._counted

    def without_nothing(items: Any) -> Any:
        return counted(tuple(item for item in items if item.kind != "nothing"))

    return indices, "_counted", without_nothing


def _strides_as_given() -> Planted:
    strides = IndexedElements.strides_of

    def as_given(self: IndexedElements, value: Any) -> tuple[str, ...]:
        last = strides(self, value)
        count, before = len(self.shape), self.found.before
        return (*last[count : count + before], *last[:count], *last[count + before :])

    return IndexedElements, "strides_of", as_given


def _numbers_cut_off() -> Planted:
    return gathering, "fitted", lambda build, value, wanted, always=False: build.cast(value, wanted)


def _masks_as_others() -> Planted:
    return gathering, "is_mask_of", lambda index, array: False


def _numbers_do_not_choose() -> Planted:
    kinds = ("places", "mask", "bool")
    return indices.Item, "chooses", property(lambda item: item.kind in kinds)


def _any_count_of_values() -> Planted:
    return gathering, "_step_of_values", lambda build, given, count: "0"


def _copies_are_parts() -> Planted:
    return fusing, "gives_copy", lambda op, table: False


FAULTS = (
    Fault("places always come first", _places_first),
    Fault("an ellipsis of no axes parts nothing", _parted_by_nothing, 3540),
    Fault("strides are in the order of the result", _strides_as_given, 150),
    Fault("a number that does not fit is cut off", _numbers_cut_off),
    Fault("one mask of all axes is like others", _masks_as_others),
    Fault("a number beside arrays does not choose", _numbers_do_not_choose, 1270),
    Fault("the first value is assigned everywhere", _any_count_of_values),
    Fault("what was chosen and changed is not assigned", _copies_are_parts),
)


def looked_for(number: int) -> Verdict:
    """Whether a fault is found."""
    fault = FAULTS[number]
    owner, name, planted = fault.plant()
    own = vars(owner)[name]
    setattr(owner, name, planted)
    try:
        for seed in range(fault.first, fault.first + TRIED):
            if check(seed).kind == FINDING:
                return Verdict(SAME, f"{fault.said}: seed {seed}")
    finally:
        setattr(owner, name, own)
    return Verdict(FINDING, f"nobody found that {fault.said}")
