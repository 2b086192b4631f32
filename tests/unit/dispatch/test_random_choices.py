"""Made-up dispatchers, signatures and calls: C chooses what the rules in plain Python say.

How many calls are made up, and which, is the corpus CALLS of `tests/corpora.py`.
"""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest

import corpora
from cutaway.dispatch import resolution
from cutaway.dispatch_c import _dispatch, reference_guards
from cutaway.dispatch_c._dispatch import ABSENT
from cutaway.dispatch_c.reference import Rules
from cutaway.errors import CutawayError
from cutaway.lowering.layout import descriptor
from cutaway.typing import types
from cutaway.typing.types import Type, interning
from cutaway.typing.types.conversions import conversion
from cutaway.typing.values.typeof import typeof
from dispatch.test_random_calls import a_value

pytestmark = pytest.mark.sampled(fast=8)

CALLS = corpora.count("CALLS")
PARTS = 8
CALLS_EACH = 60  # of one made-up dispatcher
NAMES = ("alpha", "beta", "gamma", "delta")
KEPT: set[Type] = set()  # types of which codes are in use
DEFAULTS = (1, 2.5, None, True, (1, 2))
assert resolution is not None, "sets the hook for conversions"


class Half:
    def resolve(self, args: Any, kwargs: Any) -> Any:
        raise LookupError("slow path")


def type_of(value: Any) -> Type | None:
    try:
        return typeof(value)
    except CutawayError:
        return None


def by_code(source: int, wanted: int) -> int:
    return conversion(interning.BY_CODE[source], interning.BY_CODE[wanted])


def code_of(value: Any) -> int:
    """The code of a value's type, which the C half learns with it; 0 where it has none."""
    ty = type_of(value)
    if ty is None:
        return 0
    KEPT.add(ty)
    _dispatch.learn(value, ty.typecode)
    return ty.typecode


class MadeUp:
    """A dispatcher of made-up parameters and signatures, and the same as the rules see it."""

    def __init__(self, rng: random.Random, entry: int, pool: list[tuple[Any, Type | None]]) -> None:
        self.rng, self.pool = rng, pool
        count = rng.choice([0, 1, 1, 2, 2, 3, 4])
        names = NAMES[:count]
        positional = rng.choice([count, count, rng.randint(0, count)])
        star, mode = rng.random() < 0.25, rng.choice(["open", "written", "closed"])
        unnamed = rng.choice([0, 0, rng.randint(0, positional)])
        defaults = tuple(rng.choice([ABSENT, *DEFAULTS]) for _ in names)
        self.call = _dispatch.Dispatcher(Half(), names, positional, star, unnamed, defaults)
        self.call._set_mode(mode)
        self.defaults = [types.omitted(d) for d in defaults if d is not ABSENT]
        omitted = [0 if d is ABSENT else types.omitted(d).typecode for d in defaults]
        self.rules = Rules(
            names, positional, unnamed, star, mode, by_code, code_of, defaults, omitted
        )
        self.types: list[tuple[Type, ...]] = []
        self.texts: list[tuple[tuple[bytes, ...], tuple[Any, ...]]] = []
        for place, code in enumerate(omitted):
            if code:
                self.call._learn_omitted(place, code)
        for _ in range(rng.choice([1, 1, 2, 3, 6])):
            self.add(entry, self.a_signature(len(names), star))

    def a_type(self) -> Type:
        if self.rng.random() < 0.1 and self.defaults:
            return self.rng.choice(self.defaults)
        while True:
            ty = self.rng.choice(self.pool)[1]
            if ty is not None:
                return self.near(ty)

    def near(self, ty: Type) -> Type:
        """The type, or one that it converts to."""
        if self.rng.random() < 0.5:
            return ty
        if types.is_number(ty):
            return self.rng.choice([*types.SCALARS.values(), types.Optional(ty)])
        if type(ty) is types.Array:
            layout = self.rng.choice([ty.layout, "A"])
            return types.Array(ty.dtype, ty.ndim, layout, self.rng.random() < 0.5, ty.aligned)
        if type(ty) is types.Tuple and ty.items:
            return types.Tuple(tuple(map(self.near, ty.items)))
        return ty

    def a_signature(self, count: int, star: bool) -> tuple[Type, ...]:
        fixed = tuple(self.a_type() for _ in range(count))
        if not star:
            return fixed
        rest = tuple(self.a_type() for _ in range(self.rng.choice([0, 1, 2])))
        plain = tuple(ty for ty in rest if not isinstance(ty, types.Omitted))
        return (*fixed, types.Tuple(plain))

    def add(self, entry: int, argtypes: tuple[Type, ...]) -> None:
        codes = tuple(ty.typecode for ty in argtypes)
        if codes in self.rules.signatures:
            return
        constants: list[Any] = []
        texts = tuple(descriptor(ty, constants) for ty in argtypes)
        spec = _dispatch.Specialization(entry, texts, b"N", tuple(constants))
        self.call._add(spec, codes)
        self.rules.signatures.append(codes)
        self.types.append(argtypes)
        self.texts.append((texts, tuple(constants)))

    def some_arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """Often ones that a signature fits, or nearly."""
        rng = self.rng
        wanted = rng.choice(self.types)
        fixed = len(self.rules.names)
        values = [self.a_value_of(ty) for ty in wanted[:fixed]]
        if self.rules.star and isinstance(wanted[-1], types.Tuple):
            values += [self.a_value_of(ty) for ty in wanted[-1].items]
        split = rng.choice([len(values), len(values), rng.randint(0, len(values))])
        names = self.rules.names[split:]
        kwargs = dict(zip(names, values[split:]))
        for name in list(kwargs):
            if rng.random() < 0.3:
                del kwargs[name]
        if rng.random() < 0.05:
            kwargs[rng.choice([*NAMES, "omega"])] = 1
        if rng.random() < 0.2:  # not the interned name
            kwargs = {"".join(list(name)): value for name, value in kwargs.items()}
        if rng.random() < 0.1 and split:
            return values[: split - 1], kwargs
        return values[:split], kwargs

    def a_value_of(self, ty: Type) -> Any:
        if self.rng.random() < 0.6:
            fitting = self.by_type().get(ty)
            if fitting:
                return self.rng.choice(fitting)
        return self.rng.choice(self.pool)[0]

    def by_type(self) -> dict[Type | None, list[Any]]:
        return POOLS[id(self.pool)]


POOLS: dict[int, dict[Type | None, list[Any]]] = {}


def a_pool(rng: random.Random) -> list[tuple[Any, Type | None]]:
    """Values with their types."""
    values = [v for v in (a_value(rng) for _ in range(400)) if v is not ABSENT]
    pool = [(value, type_of(value)) for value in values]
    by_type: dict[Type | None, list[Any]] = {}
    for value, ty in pool:
        by_type.setdefault(ty, []).append(value)
    POOLS[id(pool)] = by_type
    return pool


def outcome(call: Any, *args: Any, **kwargs: Any) -> Any:
    """None where the call came through, else what it raised."""
    try:
        return call(*args, **kwargs)
    except Exception as error:
        return "slow path" if error.args == ("slow path",) else type(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(PARTS))
def test_calls_find_what_the_rules_say(native, part):
    rng = random.Random(corpora.seed("CALLS", part))
    entry = ctypes.cast(native.nothing, ctypes.c_void_p).value
    ctypes.c_int64.in_dll(native, "count").value = 0
    called = converted = 0
    for round_ in range(max(1, CALLS // PARTS // CALLS_EACH)):
        if round_ % 50 == 0:
            pool = a_pool(rng)
        made = MadeUp(rng, entry, pool)
        for _ in range(CALLS_EACH):
            args, kwargs = made.some_arguments()
            place = made.rules.find(args, kwargs)
            before = [spec.calls for spec in made.call._made]
            planned = made.call._plan(*args, **kwargs)
            found = outcome(made.call, *args, **kwargs)
            after = [spec.calls for spec in made.call._made]
            hit = [k for k, (a, b) in enumerate(zip(before, after)) if a != b]
            shown = (made.rules, made.types, args, kwargs, place, found, hit)
            if place is None:
                assert found == "slow path" and not hit, shown
                assert planned is None or planned["specialization"] is None, shown
                continue
            assert planned["specialization"] is made.call._made[place], shown
            called += 1
            slots = matched(made, place, args, kwargs)
            if isinstance(slots, type):
                assert found is slots and not hit, shown
            else:
                assert found is None and hit == [place], shown
                converted += planned["way"] == "conversion"
    if CALLS // PARTS >= 1000:  # of fewer there may be none
        assert called > CALLS // PARTS // 16 and converted


def matched(made: MadeUp, place: int, args: Any, kwargs: Any) -> Any:
    """The slots of the arguments for a signature, or the exception that unboxing raises."""
    laid, texts = made.rules.lay_out(args, kwargs), made.texts[place][0]
    for k, default in enumerate(made.rules.defaults):
        if laid[k] is ABSENT and texts[k] != b"O":
            laid[k] = default
    return outcome(reference_guards.match, *made.texts[place], laid, True)
