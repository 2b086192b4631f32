"""The communication of a warp's threads: shuffles, votes, matches."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from cutaway.cuda.simulator.places import Wait
from cutaway.errors import SimulationError

Given = dict[int, tuple[Any, ...]]
ALL = 0xFFFFFFFF


def wants(mask: int, lanes: int) -> set[int]:
    """Return the lanes in a mask that exist: the last warp of a block may have fewer."""
    return {lane for lane in range(lanes) if mask >> lane & 1}


def results(wait: Wait, given: Given, random: Random) -> dict[int, Any]:
    """Return the result of each lane.

    Raises SimulationError for a lane that reads from one that does not take part.
    """
    if wait.kind.startswith("shfl"):
        return _shuffled(wait, given, random)
    return _RESULTS[wait.kind](given)


def _shuffled(wait: Wait, given: Given, random: Random) -> dict[int, Any]:
    source, told = _SOURCES[wait.kind], {}
    for lane, (mask, value, by) in given.items():
        place = source(lane, by)
        if place in given:
            told[lane] = given[place][1]
        elif wait.kind in ("shfl_sync", "shfl_xor_sync"):
            raise SimulationError(
                f"lane {lane} asks lane {place} for its value by {wait.kind}, and that lane does"
                f" not take part: the mask is {mask:#010x}",
                wait.loc,
                "name both lanes in the mask, and let both come here",
            )
        else:  # as in the last lanes of a sum, whose results are not used
            told[lane] = _any_value(value, random)
    return told


def _any_value(like: Any, random: Random) -> Any:
    """Return an arbitrary value, for a lane that reads from one that does not take part."""
    if isinstance(like, float | complex):
        return type(like)("nan")
    return bool(random.getrandbits(1)) if isinstance(like, bool) else random.getrandbits(7)


def _down(lane: int, by: int) -> int:
    place = lane + (by & ALL)
    return place if place < 32 else lane


def _up(lane: int, by: int) -> int:
    place = lane - (by & ALL)
    return place if place >= 0 else lane


_SOURCES: dict[str, Callable[[int, int], int]] = {
    "shfl_sync": lambda lane, by: by & 31,
    "shfl_up_sync": _up,
    "shfl_down_sync": _down,
    "shfl_xor_sync": lambda lane, by: (lane ^ by) & 31,
}


def _vote(answer: Any) -> Any:
    def result(given: Given) -> dict[int, Any]:
        told = answer({lane: bool(one[1]) for lane, one in given.items()})
        return dict.fromkeys(given, told)

    return result


def _match_any(given: Given) -> dict[int, int]:
    return {
        lane: sum(1 << other for other, two in given.items() if two[1] == one[1])
        for lane, one in given.items()
    }


def _match_all(given: Given) -> dict[int, tuple[int, bool]]:
    same = len({one[1] for one in given.values()}) == 1
    mask = sum(1 << lane for lane in given)
    return dict.fromkeys(given, (mask if same else 0, same))


def _nothing(given: Given) -> dict[int, None]:
    return dict.fromkeys(given)


_RESULTS = {
    "syncwarp": _nothing,
    "all_sync": _vote(lambda votes: all(votes.values())),
    "any_sync": _vote(lambda votes: any(votes.values())),
    "eq_sync": _vote(lambda votes: len(set(votes.values())) == 1),
    "ballot_sync": _vote(lambda votes: sum(1 << lane for lane, yes in votes.items() if yes)),
    "match_any_sync": _match_any,
    "match_all_sync": _match_all,
}


def told_at_barrier(kind: str, votes: list[bool]) -> int | None:
    """Return the result of a barrier."""
    if kind == "syncthreads_and":
        return int(all(votes))
    if kind == "syncthreads_or":
        return int(any(votes))
    return sum(votes) if kind == "syncthreads_count" else None
