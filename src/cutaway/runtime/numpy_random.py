"""What draws random numbers for compiled code, by the names that it has for it.

    numpy.random.generator.normal     draws one number of a distribution from a Generator
    numpy.random.state.normal         the same, from a RandomState
    numpy.random.filler.fill          fills an array
    numpy.random.streams.enter        gives iterations of a parallel loop streams of their own
    numpy.random.source.global        the RandomState that `np.random.normal` draws from

NumPy's own functions are found by name in the extension that exports them.  What its objects look
like is learned from two of each, and compared with what they tell: where NumPy is another than
those that are known, nothing is found, and programs that need it are not compiled.
"""

from __future__ import annotations

from functools import cache

from cutaway.foundation.loading import load
from cutaway.runtime import _numpy_random  # type: ignore[attr-defined]

_SOURCES = {"generator": False, "state": True}  # whether its numbers are frozen


@cache
def address(place: str, name: str) -> int | None:
    """The address of what has the name `numpy.random.<place>.<name>`; None where there is none."""
    if not _is_known():
        return None
    match place, name:
        case "generator" | "state", _:
            return _numpy_random.distribution(name, _SOURCES[place])
        case "filler", _:
            return _numpy_random.filler(name)
        case "streams", _:
            return _numpy_random.streams(name)
        case "source", _ if name in _KEPT:
            return _numpy_random.kept_source(_KEPT[name])
        case "source", "global":
            return _numpy_random.kept_source(_mtrand()._rand)
    return None


# Objects that are constants of programs, by what compiled code calls them.
_KEPT: dict[str, object] = {}


def kept(value: object) -> str:
    """The name of a source of random numbers that is a constant of a program: it is kept for good.

    NumPy's own RandomState has one that holds in every process.
    """
    name = "global"
    if value is not _mtrand()._rand:
        name = str(id(value))
        _KEPT[name] = value
    return f"numpy.random.source.{name}"


def is_kept_state(name: str) -> bool:
    """True if what is kept under a name is a RandomState."""
    value = _KEPT.get(name.rpartition(".")[2], _mtrand()._rand)
    return isinstance(value, _mtrand().RandomState)


stream_key, seed_stream = _numpy_random.stream_key, _numpy_random.seed_stream


def _mtrand():  # a module
    return load("numpy.random.mtrand")


@cache
def _is_known() -> bool:
    """True if NumPy's objects look as expected, and its functions are there."""
    exporting = load("numpy.random._generator")
    if not _numpy_random.open_library(exporting.__file__):
        return False
    random = load("numpy.random")
    lock = type(random.PCG64(1).lock)()
    _numpy_random.learn_lock(lock)  # where it cannot be seen, it is taken each time
    _learn_twister(random.MT19937(1))
    return all(_learned_from(random, kind) for kind in (random.PCG64, random.MT19937))


def _learn_twister(bits) -> None:  # an MT19937
    """Have numbers drawn from such states in place, if one is found to be as it tells."""
    for _ in range(3):
        told = bits.state["state"]
        if not _numpy_random.learn_twister(bits.capsule, told["key"], told["pos"]):
            return
        bits.random_raw(7)


def _learned_from(random, kind) -> bool:  # a module, a class
    """True if a source of each class has what is looked for, at the same places as others."""
    generator, bits = random.Generator(kind(1)), kind(2)
    own = generator.bit_generator
    state = random.RandomState(bits)
    return (
        _numpy_random.learn_layout(generator, False, own.capsule, own.lock)
        and _numpy_random.learn_layout(state, True, bits.capsule, bits.lock)
        and _has_pairs(state)
    )


def _has_pairs(state) -> bool:  # a RandomState
    """True if the second normal number of a pair is read as NumPy tells it."""
    for _ in range(3):
        state.standard_normal()
        told = state.get_state(legacy=False)
        pending = told["gauss"] if told["has_gauss"] else None
        if _numpy_random.pending_normal(state) != pending:
            return False
    return True
