"""The C dispatcher, against the rules in plain Python, without the compiler."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.dispatch_c import _dispatch, reference_guards
from cutaway.lowering.layout import descriptor, slot_types
from cutaway.typing import types
from cutaway.typing.values.typeof import typeof


def address(native, name: str) -> int:
    return ctypes.cast(getattr(native, name), ctypes.c_void_p).value


def frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


ROUNDS = 200
VALUES: list[Any] = [
    0,
    -1,
    2**63 - 1,
    -(2**63),
    True,
    False,
    0.0,
    -0.0,
    float("inf"),
    1.5,
    2 - 3j,
    None,
    np.int8(-3),
    np.uint8(200),
    np.int32(-5),
    np.uint64(2**64 - 1),
    np.int64(7),
    np.float32(0.1),
    np.float64(2.5),
    np.complex64(1 + 2j),
    np.complex128(3 - 4j),
    np.bool_(True),
    np.arange(4.0),
    np.arange(4.0)[::2],
    np.arange(6, dtype=np.int32).reshape(2, 3),
    np.asfortranarray(np.ones((2, 3), np.float32)),
    np.ones((2, 3, 4), np.complex128)[:, ::-1],
    np.array(5.0),
    np.zeros((0, 3)),
    frozen(np.arange(3)),
    np.array([True, False]),
    (1, 2.5),
    (),
    ((1, (None, True)), 2.0),
    (np.arange(2.0), 3),
    range(3),
    range(10, -5, -3),
]


def describe(value: Any) -> tuple[bytes, tuple[Any, ...], types.Type]:
    constants: list[Any] = []
    ty = typeof(value)
    return descriptor(ty, constants), tuple(constants), ty


def specialize(native, name: str, values: tuple[Any, ...], result: bytes = b"N"):
    described = [describe(value) for value in values]
    slots = sum(len(slot_types(ty)) for _, _, ty in described)
    ctypes.c_int64.in_dll(native, "count").value = slots
    descriptors = tuple(text for text, _, _ in described)
    return _dispatch.Specialization(address(native, name), descriptors, result, ()), descriptors


class Half:
    """A Python half that says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Any]] = []

    def resolve(self, args, kwargs):
        self.asked.append((args, kwargs))
        raise LookupError("slow path")


def dispatcher(spec, count: int = 1, names: tuple[str, ...] = ("a", "b", "c")):
    half = Half()
    made = _dispatch.Dispatcher(half, names[:count], count)
    made._add(spec)
    return made, half


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_goes_into_the_slots_that_the_reference_says(native, value):
    spec, descriptors = specialize(native, "nothing", (value,))
    call, _ = dispatcher(spec)
    assert call(value) is None
    expected = reference_guards.match(descriptors, (), (value,))
    seen = (ctypes.c_int64 * 1024).in_dll(native, "seen")
    assert list(seen[: len(expected)]) == expected
    assert spec.calls == 1


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_from_its_slots(native, value):
    spec, _ = specialize(native, "echo", (value,), describe(value)[0])
    if isinstance(value, np.ndarray) or (
        isinstance(value, tuple) and value and isinstance(value[0], np.ndarray)
    ):
        return  # a returned owner is a new reference, which echo does not take
    call, _ = dispatcher(spec)
    result = call(value)
    plain = value.item() if isinstance(value, np.generic) else value
    assert result == plain or result != result
    assert type(result) is type(plain)


def test_each_value_fits_exactly_the_specializations_that_the_reference_says(native):
    for made_for in VALUES:
        spec, descriptors = specialize(native, "nothing", (made_for,))
        for value in VALUES:
            call, half = dispatcher(spec)
            fits = reference_guards.match(descriptors, (), (value,)) is not None
            try:
                call(value)
            except LookupError:
                assert not fits, (made_for, value)
            else:
                assert fits and not half.asked, (made_for, value)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(range(len(VALUES))), min_size=1, max_size=3), st.data())
def test_calls_of_several_arguments_agree_with_the_reference(native, chosen, data):
    values = tuple(VALUES[k] for k in chosen)
    spec, descriptors = specialize(native, "nothing", values)
    given_values = tuple(
        VALUES[data.draw(st.sampled_from([k, k, data.draw(st.sampled_from(range(len(VALUES))))]))]
        for k in chosen
    )
    call, half = dispatcher(spec, len(values))
    fits = reference_guards.match(descriptors, (), given_values) is not None
    try:
        call(*given_values)
    except LookupError:
        assert not fits
    else:
        assert fits


def test_an_integer_beyond_64_bits_raises(native):
    spec, _ = specialize(native, "nothing", (1,))
    with pytest.raises(OverflowError, match="does not fit in int64"):
        spec(2**63)
    with pytest.raises(TypeError, match="do not fit"):
        spec.exactly(2**63)


def test_keywords_find_their_places_and_others_go_to_the_python_half(native):
    spec, descriptors = specialize(native, "nothing", (1, 2.5, None))
    call, half = dispatcher(spec, 3)
    call(c=None, a=1, b=2.5)
    call(1, c=None, b=2.5)
    assert not half.asked
    for args, kwargs in [((1,), {"d": 2}), ((1, 2.5, None, 4), {}), ((1,), {"a": 1, "b": 2.5})]:
        with pytest.raises(LookupError):
            call(*args, **kwargs)
        assert half.asked[-1] == (args, kwargs)


def test_an_absent_argument_fits_only_its_own_descriptor(native):
    spec = _dispatch.Specialization(address(native, "nothing"), (b"i8", b"O"), b"N", ())
    call, _ = dispatcher(spec, 2)
    assert call(1) is None and call(a=1) is None
    with pytest.raises(LookupError):
        call(1, 2)


def test_a_constant_is_recognized_by_identity(native):
    constant = object()
    spec = _dispatch.Specialization(address(native, "nothing"), (b"K\0",), b"K\0", (constant,))
    call, _ = dispatcher(spec)
    assert call(constant) is constant
    with pytest.raises(LookupError):
        call(object())


def test_the_hottest_specialization_moves_to_the_front(native):
    first, _ = specialize(native, "nothing", (1,))
    second, _ = specialize(native, "nothing", (1.5,))
    call, _ = dispatcher(first)
    call._add(second)
    call(2.5)
    assert call._hot == (second, first)
    call(3)
    assert call._hot == (first, second)
    call._clear()
    assert call._hot == ()


def test_an_explicit_call_converts_where_the_chain_does_not(native):
    spec, _ = specialize(native, "echo", (1.5,), b"f8")
    call, _ = dispatcher(spec)
    assert spec(3) == 3.0
    with pytest.raises(LookupError):
        call(3)
    narrow = _dispatch.Specialization(address(native, "echo"), (b"i1",), b"i1", ())
    assert narrow(100) == 100
    with pytest.raises(OverflowError, match="int8"):
        narrow(128)


CONVERTED = [
    (b"i8", 2.0, 2),
    (b"i8", np.float32(-3), -3),
    (b"i8", np.float64(2**53), 2**53),
    (b"i8", True, 1),
    (b"i8", np.True_, 1),
    (b"i1", np.int64(100), 100),
    (b"u8", 5.0, 5),
    (b"f8", np.uint8(3), 3.0),
    (b"f4", 0.5, 0.5),
    (b"f4", float("inf"), float("inf")),
    (b"f4", 1e-300, 0.0),
    (b"c8", 1, 1 + 0j),
    (b"?", 1, True),
    (b"?", 0.0, False),
    (b"?", np.int8(1), True),
]


@pytest.mark.parametrize(("text", "value", "result"), CONVERTED, ids=repr)
def test_an_explicit_call_converts_what_keeps_its_value(native, text, value, result):
    spec = _dispatch.Specialization(address(native, "echo"), (text,), text, ())
    ctypes.c_int64.in_dll(native, "count").value = 2 if text == b"c8" else 1
    before = sys.getrefcount(value)
    for _ in range(ROUNDS):
        found = spec(value)
    assert found == result and type(found) is type(result)
    assert abs(sys.getrefcount(value) - before) < ROUNDS // 2


REFUSED = [
    (b"i8", 1.5, TypeError, "1.5 is not an integer"),
    (b"i8", np.float32(1.5), TypeError, "1.5 is not an integer"),
    (b"i8", float("nan"), TypeError, "nan is not an integer"),
    (b"i8", float("inf"), TypeError, "inf is not an integer"),
    (b"i8", 1e30, OverflowError, "does not fit in int64"),
    (b"u8", -1.0, OverflowError, "does not fit in uint64"),
    (b"u1", 256.0, OverflowError, "does not fit in uint8"),
    (b"i8", 1j, TypeError, "do not fit"),
    (b"i8", "1", TypeError, "do not fit"),
    (b"f4", 1e300, OverflowError, "does not fit in float32"),
    (b"f4", -1e39, OverflowError, "does not fit in float32"),
    (b"f8", 2**2000, OverflowError, "int too large"),
    (b"f8", 1j, TypeError, "do not fit"),
    (b"f8", np.complex64(1), TypeError, "do not fit"),
    (b"c8", 1e300j, OverflowError, "does not fit in float32"),
    (b"?", 2, TypeError, "2 is neither 0 nor 1"),
    (b"?", 0.5, TypeError, "0.5 is neither 0 nor 1"),
    (b"?", float("nan"), TypeError, "nan is neither 0 nor 1"),
]


@pytest.mark.parametrize(("text", "value", "error", "words"), REFUSED, ids=repr)
def test_an_explicit_call_refuses_what_would_change(native, text, value, error, words):
    spec = _dispatch.Specialization(address(native, "nothing"), (text,), b"N", ())
    before = sys.getrefcount(value)
    for _ in range(ROUNDS):
        with pytest.raises(error, match=words):
            spec(value)
    assert abs(sys.getrefcount(value) - before) < ROUNDS // 2 and spec.calls == 0


def test_an_exception_that_the_python_half_gives_is_raised_at_the_call(native):
    spec, _ = specialize(native, "nothing", (1,))
    call, half = dispatcher(spec)
    half.resolve = lambda args, kwargs: KeyError("given")
    with pytest.raises(KeyError, match="given") as caught:
        call("a")
    assert len(caught.traceback) == 1


def test_a_status_is_raised_by_the_hook(native):
    spec, _ = specialize(native, "raises", (41,))
    described = []

    def hook(place, payload, values, frames):
        described.append((*place, payload))
        assert frames == ()
        return KeyError("from hook")

    from cutaway.lowering.build.raising import exception_at
    from cutaway.runtime import _runtime

    _runtime.set_raise_hook(hook)
    try:
        call, _ = dispatcher(spec)
        with pytest.raises(KeyError, match="from hook"):
            call(41)
        assert described == [("table", 7, (41, -1, 2, 3))]
    finally:
        _runtime.set_raise_hook(exception_at)


def test_it_binds_as_a_method_and_shows_its_half(native):
    spec, _ = specialize(native, "nothing", (None, 1))

    class Thing:
        method, _ = dispatcher(spec, 2)

    with pytest.raises(LookupError):
        Thing().method(1)
    call, half = dispatcher(spec, 2)
    half.color = "red"
    assert call.color == "red" and vars(call) == {}
    with pytest.raises(AttributeError, match="color.*cannot be set"):
        call.color = "blue"
    assert half.color == "red"
    with pytest.raises(AttributeError):
        call.nothing  # noqa: B018


def test_references_stay_flat_on_every_path(native):
    for value in VALUES:
        spec, _ = specialize(native, "nothing", (value,))
        call, _ = dispatcher(spec)
        before = sys.getrefcount(value), sys.getrefcount(spec)
        for _ in range(ROUNDS):
            call(value)
            call(a=value)
            with pytest.raises(LookupError):
                call(Half)
        after = sys.getrefcount(value), sys.getrefcount(spec)
        if type(value) is int and -6 < value < 257:  # shared with everything else that runs
            after = before[:1] + after[1:]
        assert all(abs(a - b) < ROUNDS // 2 for a, b in zip(after, before, strict=True)), value


def test_it_is_collected_with_its_half(native):
    spec, _ = specialize(native, "nothing", (1,))
    call, half = dispatcher(spec)
    half.cycle = call
    gone = weakref.ref(call)
    del call, half
    gc.collect()
    assert gone() is None


def test_threads_call_at_the_same_time(native):
    spec, _ = specialize(native, "nothing", (1,))
    call, _ = dispatcher(spec)
    threads = [threading.Thread(target=lambda: [call(k) for k in range(2000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert spec.calls == 8000


@pytest.mark.parametrize("text", [b"", b"x", b"(", b"A", b"i", b"K", b"(i8"])
def test_a_broken_descriptor_is_refused(native, text):
    with pytest.raises(ValueError, match="descriptor"):
        _dispatch.Specialization(address(native, "nothing"), (text,), b"N", ())
