"""Functions, methods and attributes of compiled code that are written in Python (SPEC D1, D2).

The decorated function, the *typer*, has the parameters of the function that it implements.  It is
called with the types of a call's arguments when the call is compiled, and returns the Python
function to compile instead, or None if it does not support these types.  A parameter missing in the
call has its default.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from cutaway.errors import ExtensionError, ForceLiteralArg, OptionError
from cutaway.extending.registry import CONTEXT, method
from cutaway.extending.users import ask_overload, call_extension, check_type_class, extension_error
from cutaway.foundation import registrations
from cutaway.foundation.marks import literally
from cutaway.foundation.options import OWN_OPTIONS, flags_from_options, shown
from cutaway.foundation.source import is_ours
from cutaway.typing.overloads.context import (
    AttributeDeleter,
    AttributeSetter,
    ClassMethod,
    call_key,
)
from cutaway.typing.overloads.parameters import Parameters, parameters_of
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Overload
from cutaway.typing.types import Type, describe

if TYPE_CHECKING:
    from typing import Unpack

    from cutaway.foundation.option_types import JitOptions

F = TypeVar("F", bound=Callable[..., Any])


def overload(
    function: Any,
    *,
    jit_options: Mapping[str, Any] | None = None,
    strict: bool = True,
    prefer_literal: bool = False,
    inline: Any = "never",
) -> Callable[[F], F]:
    """Register a typer for calls of `function` in compiled code (SPEC D1).

    The most recently registered typer is tried first, the library's own last.  With `strict` an
    implementation must have the typer's parameters.  With `prefer_literal` the typer is called with
    literal types first, otherwise last.  `jit_options` are options of `jit` for the implementation;
    with `inline="always"` LLVM inlines it (with "never", and with a function that estimates what
    inlining would cost, LLVM decides).

    Raises OptionError for an unknown option.  If the typer raises, or returns something that is not
    an implementation, the compilation of a call raises ExtensionError.
    """
    template = _Template.maker(describe(function), jit_options, strict, prefer_literal, inline)
    options = (*sorted((jit_options or {}).items()), strict, prefer_literal, inline)
    return _registered(function, template, (function, options))


def overload_method(owner: type[Type], name: str, **options: Any) -> Callable[[F], F]:
    """Register a typer for a method of values whose types are of class `owner` (SPEC D2); its first
    parameter is the value.  Options and errors as for `overload`."""
    check_type_class(owner, "overload_method")
    template = _Template.maker(f"method {name} of {owner.__name__}", **options)
    return _registered(method(owner, name), template, (owner, name, "method", options))


def overload_attribute(owner: type[Type], name: str, **options: Any) -> Callable[[F], F]:
    """Register a typer for an attribute of values whose types are of class `owner` (SPEC D2).

    It takes the type of the value and returns the getter, a function of the value; or a tuple of
    getter, setter and deleter (None if missing), where the setter takes the value and the assigned
    value.  Options and errors as for `overload`.
    """
    check_type_class(owner, "overload_attribute")
    template = _Template.maker(f"attribute {name} of {owner.__name__}", **options)

    def register(typer: F) -> F:
        ask_overload, first = template(typer), not is_ours(typer)
        registrations.register("attribute", typer, owner, name, options, is_told=True)
        CONTEXT.add_attribute(owner, name, _overload(_Accessor(ask_overload, owner, 0)), first)
        CONTEXT.add(AttributeSetter(name), _overload(_Accessor(ask_overload, owner, 1)), first)
        CONTEXT.add(AttributeDeleter(name), _overload(_Accessor(ask_overload, owner, 2)), first)
        return typer

    return register


def overload_classmethod(owner: type[Type], name: str, **options: Any) -> Callable[[F], F]:
    """Register a typer for a method of the Python classes that have a type of class `owner` by
    `as_cutaway_type.register`: programs call it of the class (SPEC D2).

    Its first parameter is the class.  Options and errors as for `overload`.
    """
    check_type_class(owner, "overload_classmethod")
    template = _Template.maker(f"class method {name} of {owner.__name__}", **options)
    return _registered(ClassMethod(owner, name), template, (owner, name, "class", options))


def _registered(
    key: Any, template: Callable[[Any], _Template], parts: tuple[object, ...]
) -> Callable[[F], F]:
    def register(typer: F) -> F:
        registrations.register("overload", typer, *parts, is_told=True)
        CONTEXT.add(key, _overload(template(typer)), first=not is_ours(typer))
        return typer

    return register


@typing.overload
def register_jitable(function: F, /) -> F: ...


@typing.overload
def register_jitable(**options: Unpack[JitOptions]) -> Callable[[F], F]: ...


def register_jitable(*given: Any, **options: Any) -> Any:
    """Let compiled code call a Python function, which is then compiled; Python calls it as before.

    Use it bare or with options of `jit`.  Raises OptionError for an unknown option.
    """
    flags_from_options(options)

    def register(function: F) -> F:
        if not isinstance(function, FunctionType):
            raise OptionError(f"register_jitable expects a Python function, not {shown(function)}")
        if options:
            function.__dict__[OWN_OPTIONS] = options
        registrations.register("register_jitable", function, options, is_told=True)
        CONTEXT.add(function, _overload(lambda call: function), first=True)
        return function  # pyright: ignore[reportReturnType]

    return register(*given) if given else register


def _overload(template: Callable[[Call], FunctionType | None]) -> Overload:
    return Overload(None, (), None, any_elements=True, template=template)


class _Template:
    """Calls a typer for the implementation of a call, once per kind of call."""

    def __init__(
        self,
        typer: Callable[..., Any],
        name: str,
        options: Mapping[str, Any],
        strict: bool,
        prefer_literal: bool,
    ) -> None:
        self.typer = typer
        self.role = f"the typer of {name}"
        self.options = dict(options)
        self.strict = strict
        self.prefer_literal = prefer_literal
        self.parameters: Parameters | None = None  # the typer's; they need the compiler
        self.known: dict[Any, FunctionType | None] = {}

    @classmethod
    def maker(
        cls,
        name: str,
        jit_options: Mapping[str, Any] | None = None,
        strict: bool = True,
        prefer_literal: bool = False,
        inline: Any = "never",
    ) -> Callable[[Callable[..., Any]], _Template]:
        """Return a function that makes the template of a typer with these options."""
        if inline not in ("never", "always") and not callable(inline):
            raise OptionError(
                f"option inline of an overload must be 'never' or 'always', not {inline!r}"
            )
        if not isinstance(jit_options, Mapping | None):
            raise OptionError(f"jit_options must be a dict of options, not {shown(jit_options)}")
        options = {**(jit_options or {}), **({"inline": inline} if inline == "always" else {})}
        flags_from_options(options)

        def made(typer: Callable[..., Any]) -> _Template:
            if not callable(typer):
                raise ExtensionError(f"the typer of {name} is {shown(typer)}, not a function")
            return cls(typer, name, options, strict, prefer_literal)

        return made

    def __call__(self, call: Call) -> FunctionType | None:
        key = call_key(call)
        if key not in self.known:
            self.known[key] = self._implementation(call)
        return self.known[key]

    def _implementation(self, call: Call) -> FunctionType | None:
        found = self.ask(call)
        if found is None:
            return None
        implementation = self.checked(found)
        if self.strict:
            self._check_parameters(implementation)
        return implementation

    def ask(self, call: Call) -> Any:
        """Return the typer's result for a call; None if the call does not fit its parameters."""
        if self.parameters is None:
            self.parameters = parameters_of(self.typer)
        if self.parameters.lay_out(call) is None:
            return None
        try:
            return ask_overload(
                call,
                self.prefer_literal,
                lambda given, named: call_extension(self.typer, self.role, *given, **named),
            )
        except ForceLiteralArg as error:
            return self._asking_for_values(error)

    def _asking_for_values(self, error: ForceLiteralArg) -> FunctionType:
        """Return an implementation that requests the values of arguments: the call is typed again
        with those."""
        assert self.parameters is not None
        names = self.parameters.names
        if not all(0 <= place < len(names) for place in error.places):
            raise extension_error(
                self.typer, f"{self.role} has no parameters {error.places}", "count from 0"
            )
        written = ", ".join(self.parameters.written())
        wanted = "".join(f"    literally({names[place]})\n" for place in error.places)
        space: dict[str, Any] = {"literally": literally}
        exec(f"def needing({written}):\n{wanted}", space)  # noqa: S102
        needing: FunctionType = space["needing"]
        own = self.typer
        needing.__defaults__, needing.__kwdefaults__ = own.__defaults__, own.__kwdefaults__
        return needing

    def checked(self, found: Any) -> FunctionType:
        """Return an implementation, with the options to compile it with."""
        if not isinstance(found, FunctionType):
            raise extension_error(
                self.typer,
                f"{self.role} returned {shown(found)}",
                "return a Python function, or None if the types are not supported",
            )
        if self.options:
            found.__dict__[OWN_OPTIONS] = self.options
        registrations.made_by(found, self.typer)
        return found

    def _check_parameters(self, implementation: FunctionType) -> None:
        wanted, found = self.parameters, parameters_of(implementation)
        assert wanted is not None
        if _shape(wanted) != _shape(found):
            raise extension_error(
                implementation,
                f"{found} does not have the parameters of {self.role}, {wanted}",
                "give both the same names, in the same order, with the same defaults",
            )


class _Accessor:
    """Calls a typer of attributes for the getter, setter or deleter (0, 1, 2)."""

    def __init__(self, template: _Template, owner: type[Type], place: int) -> None:
        self.template = template
        self.owner = owner
        self.place = place
        self.known: dict[Type, tuple[FunctionType | None, ...]] = {}

    def __call__(self, call: Call) -> FunctionType | None:
        ty = call.arguments.types[0]
        if not isinstance(ty, self.owner):
            return None
        if ty not in self.known:
            self.known[ty] = self._accessors(ty)
        return self.known[ty][self.place]

    def _accessors(self, ty: Type) -> tuple[FunctionType | None, ...]:
        found = self.template.ask(Call(Arguments((ty,), (MISSING,))))
        given = found if isinstance(found, tuple) else (found,)
        if len(given) > 3:
            raise extension_error(
                self.template.typer,
                f"{self.template.role} returned {len(given)} functions",
                "return a getter, or a tuple of getter, setter and deleter",
            )
        made = tuple(None if one is None else self.template.checked(one) for one in given)
        return (*made, None, None, None)


def _shape(parameters: Parameters) -> tuple[Any, ...]:
    defaults = tuple(map(repr, parameters.defaults))
    counts = parameters.positional_only, parameters.keyword_only, parameters.star
    return (parameters.names, defaults, *counts)
