"""A compiled function behaves like a Python function: each test runs on both.

What compiled functions do not share is in the tests that take no `decorate`.
"""

from __future__ import annotations

import copy
import doctest
import functools
import gc
import inspect
import pydoc
import sys
import types
import typing
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import cutaway

pytestmark = pytest.mark.sampled(fast=8)

ROUNDS = 200
Decorator = Callable[[types.FunctionType], Any]  # Any: a function of either kind


def plain(function: types.FunctionType) -> types.FunctionType:
    return function


@pytest.fixture(params=[plain, cutaway.jit], ids=["python", "compiled"])
def decorate(request) -> Decorator:
    return request.param


def made(decorate: Decorator) -> Any:  # Any: a function of either kind
    @decorate
    def scale(x: float, by: float = 2.0, *, shift: int = 1) -> float:
        """Scale a number.

        >>> 1 + 1
        2
        """
        return x * by + shift

    return scale


# --- attributes --------------------------------------------------------------------------------


def test_it_has_the_names_and_the_documentation_of_its_definition(decorate):
    f = made(decorate)
    assert f.__name__ == "scale"
    assert f.__qualname__ == "made.<locals>.scale"
    assert f.__module__ == __name__
    assert f.__doc__.startswith("Scale a number.")
    assert inspect.getdoc(f).startswith("Scale a number.\n\n>>>")


def test_it_has_what_its_definition_consists_of(decorate):
    f = made(decorate)
    assert f.__defaults__ == (2.0,) and f.__kwdefaults__ == {"shift": 1}
    assert f.__code__.co_varnames == ("x", "by", "shift")
    assert f.__globals__ is globals() and f.__builtins__ is made.__builtins__
    assert f.__closure__ is None
    assert f.__annotations__ == {"x": "float", "by": "float", "shift": "int", "return": "float"}
    assert getattr(f, "__type_params__", ()) == ()


def test_a_closure_has_its_cells(decorate):
    k = 3

    @decorate
    def f(x):
        return x + k

    assert [cell.cell_contents for cell in f.__closure__] == [3]
    assert f(1) == 4


def test_attributes_are_set_read_and_deleted(decorate):
    f = made(decorate)
    assert vars(f) == {} and not hasattr(f, "color")
    f.color = "red"
    f.__dict__["size"] = 3
    assert vars(f) == {"color": "red", "size": 3} and f.size == 3
    del f.color
    assert vars(f) == {"size": 3} and not hasattr(f, "color")
    with pytest.raises(AttributeError):
        del f.color
    f.__dict__ = {"new": 1}
    assert f.new == 1 and not hasattr(f, "size")
    with pytest.raises(TypeError):
        f.__dict__ = 1
    assert f(1.0) == 3.0


def test_a_missing_attribute_is_named(decorate):
    with pytest.raises(AttributeError, match="'function' object has no attribute 'color'"):
        made(decorate).color  # noqa: B018


def test_names_and_documentation_are_set(decorate):
    f = made(decorate)
    f.__name__, f.__qualname__, f.__module__, f.__doc__ = "n", "q.n", "m", "d"
    assert (f.__name__, f.__qualname__, f.__module__, f.__doc__) == ("n", "q.n", "m", "d")
    assert "q.n" in repr(f) and vars(f) == {}
    f.__annotations__ = {"x": int}
    assert f.__annotations__ == {"x": int}
    f.__annotations__ = None
    assert f.__annotations__ == {}
    f.__annotations__["x"] = float
    del f.__annotations__
    assert f.__annotations__ == {}
    del f.__doc__
    assert f.__doc__ is None
    f.__doc__, f.__module__ = 1, None
    assert (f.__doc__, f.__module__) == (1, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("__name__", 1), ("__qualname__", None), ("__annotations__", ["x"])],
)
def test_what_is_no_name_is_refused(decorate, name, value):
    f = made(decorate)
    with pytest.raises(TypeError, match=f"{name} must be set to a"):
        setattr(f, name, value)
    if name != "__annotations__":
        with pytest.raises(TypeError, match=f"{name} must be set to a"):
            delattr(f, name)
    assert f.__name__ == "scale"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="functions have none")
def test_type_parameters_are_read_and_set(decorate):
    space: dict[str, Any] = {}
    exec("def f[T](x: T) -> T:\n return x", space)
    f = decorate(space["f"])
    assert [str(p) for p in f.__type_params__] == ["T"]
    f.__type_params__ = ()
    assert f.__type_params__ == ()
    with pytest.raises(TypeError, match="__type_params__ must be set to a tuple"):
        f.__type_params__ = 1


@pytest.mark.parametrize("name", ["__closure__", "__globals__", "__builtins__"])
def test_what_cannot_be_set_is_refused(decorate, name):
    with pytest.raises(AttributeError):
        setattr(made(decorate), name, None)


def test_functools_wraps_takes_it_for_a_function(decorate):
    f = made(decorate)
    f.color = "red"

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)

    assert wrapper.__name__ == "scale" and wrapper.__doc__ == f.__doc__
    assert wrapper.__wrapped__ is f and vars(wrapper) == {"color": "red", "__wrapped__": f}
    assert inspect.signature(wrapper) == inspect.signature(f)
    assert wrapper(2.0, shift=3) == 7.0


def test_functools_update_wrapper_makes_it_look_like_another(decorate):
    f = made(decorate)

    def other(a, b):
        """Other."""

    other.size = 1
    assert functools.update_wrapper(f, other) is f
    assert f.__name__ == "other" and f.__doc__ == "Other." and f.size == 1
    assert f.__wrapped__ is other and inspect.unwrap(f) is other
    assert list(inspect.signature(f).parameters) == ["a", "b"]
    assert f(2.0) == 5.0


def test_attributes_from_decorators_below_are_there(decorate):
    def tag(function):
        function.tagged = [1]
        return function

    @decorate
    @tag
    def f(x):
        return x

    assert f.tagged == [1] and vars(f) == {"tagged": [1]} and f(3) == 3


def test_all_attributes_of_a_function_are_listed(decorate):
    f = made(decorate)
    f.color = "red"
    missing = {*dir(made(plain)), "color"} - {*dir(f)} - {"__get__"}
    assert missing == set()
    assert {"__name__", "__code__", "color"} <= {name for name, _ in inspect.getmembers(f)}


def test_it_is_equal_to_itself_alone(decorate):
    f, g = made(decorate), made(decorate)
    assert f == f and f != g and hash(f) != hash(g) and len({f, g, f}) == 2
    assert not isinstance(f, type) and callable(f) and bool(f)


@pytest.mark.parametrize("name", ["__defaults__", "__kwdefaults__", "__code__"])
def test_what_code_was_compiled_from_cannot_change_unnoticed(name):
    f = made(cutaway.jit)
    for change in (lambda: setattr(f, name, getattr(f, name)), lambda: delattr(f, name)):
        with pytest.raises(AttributeError, match=f"the {name} of a compiled function cannot"):
            change()
    assert f(1.0) == 3.0


@pytest.mark.parametrize("name", ["py_func", "signatures", "compile", "flags"])
def test_what_compiled_functions_have_beyond_cannot_be_lost(name):
    f = made(cutaway.jit)
    before = getattr(f, name)
    with pytest.raises(AttributeError, match=f"attribute '{name}', which cannot be set; hint:"):
        setattr(f, name, 1)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        delattr(f, name)
    assert getattr(f, name) == before and name in dir(f)


def test_the_python_function_does_not_change_with_it():
    f = made(cutaway.jit)
    f.__name__, f.__doc__, f.color = "n", "d", 1
    f.__annotations__ = {}
    assert f.py_func.__name__ == "scale" and f.py_func.__doc__.startswith("Scale")
    assert f.py_func.__annotations__ and not hasattr(f.py_func, "color")


# --- introspection -----------------------------------------------------------------------------


def test_inspect_describes_it(decorate):
    f = made(decorate)
    assert str(inspect.signature(f)).startswith("(x: 'float', by: 'float' = 2.0, *, shift")
    assert str(inspect.signature(f, eval_str=True)).startswith("(x: float, by: float = 2.0, *")
    assert inspect.signature(f, follow_wrapped=False) == inspect.signature(f)
    assert inspect.signature(f).bind(1.0, shift=2).arguments == {"x": 1.0, "shift": 2}
    assert inspect.getfullargspec(f).kwonlyargs == ["shift"]
    assert inspect.getsource(f).lstrip().startswith("@decorate\n    def scale(")
    assert inspect.unwrap(f).__name__ == "scale"
    assert inspect.getmodule(f) is sys.modules[__name__]
    assert inspect.isroutine(f) and not inspect.isclass(f) and not inspect.isbuiltin(f)
    assert not inspect.iscoroutinefunction(f) and not inspect.isgeneratorfunction(f)
    assert inspect.get_annotations(f, eval_str=True)["x"] is float
    assert typing.get_type_hints(f) == {"x": float, "by": float, "shift": int, "return": float}


def test_a_signature_of_its_own_is_used(decorate):
    f = made(decorate)
    f.__signature__ = inspect.Signature([inspect.Parameter("q", inspect.Parameter.KEYWORD_ONLY)])
    assert str(inspect.signature(f)) == "(*, q)"


def test_the_file_is_found_through_the_python_function():
    # inspect.getfile asks for the class, and answers for no callable that is made in C
    f = made(cutaway.jit)
    assert inspect.getsourcefile(inspect.unwrap(f)) == inspect.getsourcefile(made)
    for callable_in_c in (f, functools.lru_cache(made(plain))):
        with pytest.raises(TypeError):
            inspect.getfile(callable_in_c)


def test_help_shows_what_it_shows_of_a_function():
    f = made(cutaway.jit)
    of_python = pydoc.render_doc(made(plain), renderer=pydoc.plaintext)
    shown = pydoc.render_doc(f, renderer=pydoc.plaintext)
    assert shown.splitlines()[2:] == of_python.splitlines()[2:]
    assert "scale(x: 'float', by: 'float' = 2.0" in shown and "Scale a number." in shown


def test_help_of_a_class_shows_methods(decorate):
    class Thing:
        @decorate
        def area(self, width):
            """Compute."""
            return width

    shown = pydoc.render_doc(Thing, renderer=pydoc.plaintext)
    assert "area(self, width)\n |      Compute." in shown
    kinds = {found.name: found.kind for found in inspect.classify_class_attrs(Thing)}
    assert kinds["area"] == "method"
    assert dict(inspect.getmembers(Thing, inspect.isroutine))["area"] is Thing.area
    assert str(inspect.signature(Thing().area)) == "(width)"


def test_doctest_finds_its_examples(decorate):
    module = types.ModuleType("examples")
    f = made(decorate)
    f.__module__ = "examples"
    if decorate is plain:  # a function is where its globals are
        f = types.FunctionType(f.__code__, module.__dict__, "scale", f.__defaults__)
        f.__doc__ = made(plain).__doc__
    module.scale = f
    found = {test.name: test for test in doctest.DocTestFinder().find(module)}
    assert len(found["examples.scale"].examples) == 1
    assert doctest.DocTestRunner().run(found["examples.scale"]) == (0, 1)


# --- binding -----------------------------------------------------------------------------------


def test_it_is_a_method(decorate):
    class Length(float):
        @decorate
        def scaled(self, by=2.0):
            return self * by

    class Longer(Length):
        def scaled(self, by=2.0):
            return super().scaled(by) + 1

    bound = Length(3).scaled
    assert isinstance(bound, types.MethodType) and bound.__func__ is Length.scaled
    assert bound.__self__ == 3 and bound.__name__ == "scaled" and bound == bound.__self__.scaled
    assert bound() == 6.0 and bound(by=3.0) == 9.0 and Length.scaled(3.0) == 6.0
    assert Longer(3).scaled(4.0) == 13.0
    assert Length.scaled.__get__(None, Length) is Length.scaled
    assert Length.scaled.__get__(2.0)() == 4.0


def test_it_is_a_static_method_a_class_method_and_a_property(decorate):
    @decorate
    def twice(x):
        return 2 * x

    class Length(float):
        static = staticmethod(twice)
        of_class = classmethod(twice)
        double = property(twice)
        __slots__ = ()

        def both(self):
            return self.static(self) + self.double

    assert Length.static(2.0) == Length(2).static(2.0) == Length(2).double == 4.0
    assert Length(2).both() == 8.0
    assert Length.of_class.__self__ is Length and Length.of_class.__func__ is twice
    assert Length.__dict__["static"].__wrapped__ is twice
    assert Length.__dict__["of_class"].__name__ == "twice"


def test_it_is_bound_by_functools(decorate):
    class Length(float):
        double = functools.cached_property(decorate(lambda self: self * 2.0))
        tripled = functools.partialmethod(decorate(lambda self, by: self * by), 3.0)

    length = Length(2)
    assert length.double == length.double == 4.0 and vars(length) == {"double": 4.0}
    assert length.tripled() == 6.0


def test_functools_takes_it(decorate):
    f = made(decorate)
    assert functools.partial(f, 2.0, shift=5)() == 9.0
    assert functools.reduce(decorate(lambda a, b: a + b), [1, 2, 3]) == 6
    cached = functools.lru_cache(f)
    assert cached(1.0) == cached(1.0) == 3.0 and cached.cache_info().hits == 1
    assert cached.__wrapped__ is f and cached.__name__ == "scale"
    assert sorted([3, 1, 2], key=decorate(lambda x: -x)) == [3, 2, 1]
    assert list(map(decorate(lambda x: x + 1), [1, 2])) == [2, 3]


def test_single_dispatch_registers_it(decorate):
    general = functools.singledispatch(decorate(lambda x: 0))

    @general.register(int)
    @decorate
    def whole(x):
        return x + 1

    @decorate
    def real(x: float):
        return x + 0.5

    general.register(real)
    assert general(1) == 2 and general(1.0) == 1.5 and general.dispatch(int) is whole


# --- life --------------------------------------------------------------------------------------


def test_it_is_referred_to_weakly(decorate):
    f, gone = made(decorate), []
    f.cycle = f
    reference = weakref.ref(f, gone.append)
    weakref.finalize(f, gone.append, "finalized")
    assert reference() is f and weakref.getweakrefcount(f) >= 1
    del f
    gc.collect()
    assert reference() is None and gone.count("finalized") == 1 and reference in gone


def test_a_method_is_referred_to_weakly(decorate):
    class Thing:
        @decorate
        def method(self):
            return 1

    thing = Thing()
    method = weakref.WeakMethod(thing.method)
    assert method() == thing.method
    del thing
    gc.collect()
    assert method() is None


def test_its_copies_are_itself(decorate):
    f = made(decorate)
    assert copy.copy(f) is f and copy.deepcopy(f) is f
    assert copy.deepcopy([f, {"f": f}]) == [f, {"f": f}]


def test_what_is_set_on_it_is_collected_with_it(decorate):
    class Thing:
        pass

    f = made(decorate)
    f.thing = Thing()
    f.thing.back = f
    f.__doc__ = f.thing
    gone = weakref.ref(f.thing)
    del f
    gc.collect()
    assert gone() is None


def test_references_stay_flat(decorate):
    f, value = made(decorate), "text that nothing else has"

    def use() -> None:
        f.color = value
        f.__doc__ = value
        f.__name__ = value
        f.__annotations__ = {"x": value}
        assert f.color is f.__doc__ is f.__name__ is value
        for wrong in (lambda: setattr(f, "__name__", 1), lambda: f.missing):
            with pytest.raises((TypeError, AttributeError)):
                wrong()
        f.__get__(value), f.__get__(None, str), copy.copy(f), dir(f), vars(f), repr(f)
        del f.color, f.__doc__
        f.__name__ = "short"
        f.__annotations__ = None

    use()
    before = sys.getrefcount(f), sys.getrefcount(value), sys.getrefcount(f.__code__)
    for _ in range(ROUNDS):
        use()
    gc.collect()
    after = sys.getrefcount(f), sys.getrefcount(value), sys.getrefcount(f.__code__)
    assert all(abs(a - b) < ROUNDS // 10 for a, b in zip(after, before, strict=True))
