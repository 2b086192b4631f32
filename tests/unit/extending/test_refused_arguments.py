"""What an extension passes in the wrong place is an ExtensionError."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import cutaway
from cutaway import extending, types
from cutaway.errors import ExtensionError


class Held:
    """An object whose type holds itself."""


class HeldType(types.Type):
    """The type of `Held`."""

    def __init__(self) -> None:
        super().__init__(name="HeldInItself")


@pytest.mark.parametrize(
    "register",
    [
        lambda: extending.overload_method(types.float64, "m"),
        lambda: extending.overload_attribute(types.float64, "m"),
        lambda: extending.overload_classmethod(3, "m"),  # type: ignore[arg-type]
        lambda: extending.register_model(types.float64),
        lambda: extending.make_attribute_wrapper(types.float64, "a", "b"),
        lambda: extending.intrinsic(3),
        lambda: extending.overload(len)(3),  # type: ignore[type-var]
    ],
)
def test_a_value_that_is_no_class_of_types_is_refused(register: Callable[[], object]) -> None:
    """The error comes where it is registered, and says what it was."""
    with pytest.raises(ExtensionError, match="float64|3"):
        register()


def test_a_model_with_a_member_of_its_own_type_is_refused() -> None:
    """Its values would have no end."""
    held = HeldType()
    extending.typeof_impl.register(Held)(lambda value, context: held)

    @extending.register_model(HeldType)
    class Model(extending.models.StructModel):
        def __init__(self, dmm, fe_type):  # type: ignore[no-untyped-def]
            super().__init__(dmm, fe_type, [("inner", fe_type)])

    with pytest.raises(ExtensionError, match="a member of itself"):
        cutaway.jit(lambda value: 1)(Held())


def test_a_parameter_may_have_any_name() -> None:
    """A typer's parameters may be called as those of the function that calls it."""

    def named(function, role):  # type: ignore[no-untyped-def]
        return function + role

    @extending.overload(named)
    def _named(function, role):  # type: ignore[no-untyped-def]
        return lambda function, role: function + role

    assert cutaway.jit(lambda x: named(function=x, role=1))(2) == 3
