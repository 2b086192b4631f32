"""Faults that are planted where indices are read: the fuzzer of indices has to find each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutaway.foundation.dataclass import replace
from cutaway.library.arrays import gathering
from cutaway.library.arrays.gathering import Places
from cutaway.stages.arrays import fusing
from cutaway.typing.analysis import indices
from fuzz.batches import FINDING, SAME, Verdict
from fuzz.indexed import check

TRIED = 60  # programs at most

Plant = Callable[[], None]


@dataclass(frozen=True)
class Fault:
    """A fault: what is said of it, what plants it in this process, and the seed from which on
    programs are tried, not far from one that finds it."""

    said: str
    plant: Plant
    first: int = 0


def _places_first() -> None:
    counted = indices._counted
    indices._counted = lambda items: replace(counted(items), before=0)


def _parted_by_nothing() -> None:
    counted = indices._counted
    indices._counted = lambda items: counted(
        tuple(item for item in items if item.kind != "nothing")
    )


def _strides_as_given() -> None:
    strides = Places.strides_of

    def as_given(self: Places, value: Any) -> tuple[str, ...]:
        last = strides(self, value)
        count = len(self.shape)
        before = self.found.before
        return (*last[count : count + before], *last[:count], *last[count + before :])

    Places.strides_of = as_given  # type: ignore[method-assign]


def _numbers_cut_off() -> None:
    gathering.fitted = lambda build, value, wanted, always=False: build.cast(value, wanted)


def _masks_as_others() -> None:
    gathering.is_mask_of = lambda index, array: False


def _numbers_do_not_choose() -> None:
    indices.Item.chooses = property(  # type: ignore[method-assign,assignment]
        lambda item: item.kind in ("places", "mask", "bool")
    )


def _any_count_of_values() -> None:
    gathering._step_of_values = lambda build, given, count: "0"


def _copies_are_parts() -> None:
    fusing.gives_copy = lambda op, table: False


FAULTS = (
    Fault("places always come first", _places_first),
    Fault("an ellipsis of no axes parts nothing", _parted_by_nothing),
    Fault("strides are in the order of the result", _strides_as_given, 150),
    Fault("a number that does not fit is cut off", _numbers_cut_off),
    Fault("one mask of all axes is like others", _masks_as_others),
    Fault("a number beside arrays does not choose", _numbers_do_not_choose),
    Fault("the first value is assigned everywhere", _any_count_of_values),
    Fault("what was chosen and changed is not assigned", _copies_are_parts),
)


def looked_for(number: int) -> Verdict:
    """Whether a fault is found: in a process of its own, as all checks are."""
    fault = FAULTS[number]
    fault.plant()
    for seed in range(fault.first, fault.first + TRIED):
        if check(seed).kind == FINDING:
            return Verdict(SAME, f"{fault.said}: seed {seed}")
    return Verdict(FINDING, f"nobody found that {fault.said}")
