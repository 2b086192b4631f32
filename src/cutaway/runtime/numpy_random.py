"""The functions that draw random numbers for compiled code, by its symbols.

    numpy.random.generator.normal     draws one number of a distribution from a Generator
    numpy.random.state.normal         the same, from a RandomState
    numpy.random.filler.fill          fills an array
    numpy.random.streams.enter        sets up streams for iterations of a parallel loop
    numpy.random.source.global        the RandomState that `np.random.normal` draws from

NumPy's own functions are looked up by name in the extension that exports them.  The layout of its
objects is learned from two of each, and compared with their public attributes: if NumPy is not one
of the known versions, nothing is found, and programs that need it are not compiled.
"""

from __future__ import annotations

from functools import cache

from cutaway.foundation.loading import load
from cutaway.runtime import _numpy_random  # type: ignore[attr-defined]

_SOURCES = {"generator": False, "state": True}  # whether its numbers are frozen


@cache
def address(place: str, name: str) -> int | None:
    """Return the address of the symbol `numpy.random.<place>.<name>`; None if it does not exist."""
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


# Objects that are constants of programs, by their names in compiled code.
_KEPT: dict[str, object] = {}


def kept(value: object) -> str:
    """Return the symbol of a source of random numbers that is a constant of a program, and keep it
    for good.

    NumPy's own RandomState has one that is the same in every process.
    """
    name = "global"
    if value is not _mtrand()._rand:
        name = str(id(value))
        _KEPT[name] = value
    return f"numpy.random.source.{name}"


def is_kept_state(name: str) -> bool:
    """True if the object with a symbol is a RandomState."""
    value = _KEPT.get(name.rpartition(".")[2], _mtrand()._rand)
    return isinstance(value, _mtrand().RandomState)


stream_key, seed_stream = _numpy_random.stream_key, _numpy_random.seed_stream


def _mtrand():  # a module
    return load("numpy.random.mtrand")


@cache
def _is_known() -> bool:
    """True if NumPy's objects have the expected layout, and its functions exist."""
    exporting = load("numpy.random._generator")
    if not _numpy_random.open_library(exporting.__file__):
        return False
    random = load("numpy.random")
    lock = type(random.PCG64(1).lock)()
    _numpy_random.learn_lock(lock)  # if its state cannot be read, it is taken each time
    _learn_twister(random.MT19937(1))
    return all(_learned_from(random, kind) for kind in (random.PCG64, random.MT19937))


def _learn_twister(bits) -> None:  # an MT19937
    """Enable drawing numbers from such states in place, if their layout matches their state."""
    for _ in range(3):
        state = bits.state["state"]
        if not _numpy_random.learn_twister(bits.capsule, state["key"], state["pos"]):
            return
        bits.random_raw(7)


def _learned_from(random, kind) -> bool:  # a module, a class
    """True if a source of each class has the expected fields, at the same offsets as others."""
    generator, bits = random.Generator(kind(1)), kind(2)
    own = generator.bit_generator
    state = random.RandomState(bits)
    return (
        _numpy_random.learn_layout(generator, False, own.capsule, own.lock)
        and _numpy_random.learn_layout(state, True, bits.capsule, bits.lock)
        and _has_pairs(state)
    )


def _has_pairs(state) -> bool:  # a RandomState
    """True if the second normal number of a pair is read as NumPy reports it."""
    for _ in range(3):
        state.standard_normal()
        state_dict = state.get_state(legacy=False)
        pending = state_dict["gauss"] if state_dict["has_gauss"] else None
        if _numpy_random.pending_normal(state) != pending:
            return False
    return True
