"""What the threads of a warp tell each other: shuffles, votes, matches."""

from __future__ import annotations

from typing import Any

from cutaway.cuda.simulator.program import Wait

Given = dict[int, tuple[Any, ...]]  # Any: values of the program, by lane: mask, value, ...
ALL = 0xFFFFFFFF


def wants(mask: int, lanes: int) -> set[int]:
    """The lanes that a mask names, of those that the warp has: what it names beyond the end of the
    block is not there."""
    return {lane for lane in range(lanes) if mask >> lane & 1}


def results(wait: Wait, given: Given) -> dict[int, Any]:  # Any: values of the program
    """What each lane is told."""
    return _RESULTS[wait.kind](given)


def _shuffled(source: Any) -> Any:  # Any: a function
    def result(given: Given) -> dict[int, Any]:  # Any: values of the program
        told = {}
        for lane, (_, value, by) in given.items():
            place = source(lane, by)
            told[lane] = given[place][1] if place in given else value
        return told

    return result


def _down(lane: int, by: int) -> int:
    place = lane + (by & ALL)
    return place if place < 32 else lane


def _up(lane: int, by: int) -> int:
    place = lane - (by & ALL)
    return place if place >= 0 else lane


def _vote(answer: Any) -> Any:  # Any: a function
    def result(given: Given) -> dict[int, Any]:  # Any: values of the program
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
    "shfl_sync": _shuffled(lambda lane, by: by & 31),
    "shfl_up_sync": _shuffled(_up),
    "shfl_down_sync": _shuffled(_down),
    "shfl_xor_sync": _shuffled(lambda lane, by: (lane ^ by) & 31),
    "all_sync": _vote(lambda votes: all(votes.values())),
    "any_sync": _vote(lambda votes: any(votes.values())),
    "eq_sync": _vote(lambda votes: len(set(votes.values())) == 1),
    "ballot_sync": _vote(lambda votes: sum(1 << lane for lane, yes in votes.items() if yes)),
    "match_any_sync": _match_any,
    "match_all_sync": _match_all,
}


def told_at_barrier(kind: str, votes: list[bool]) -> int | None:
    """What a barrier tells."""
    if kind == "syncthreads_and":
        return int(all(votes))
    if kind == "syncthreads_or":
        return int(any(votes))
    return sum(votes) if kind == "syncthreads_count" else None
