"""Builtins that look at the frame that calls them: `globals()` is right, the others are refused,
whichever way they are called; none finds the frame of the function's caller."""

from __future__ import annotations

import builtins
import functools
import linecache
from types import ModuleType

import numpy as np
import pytest

import cutaway
from cutaway.errors import UnsupportedError

PLACE = "here"
objects = cutaway.jit(forceobj=True)


def called_elsewhere(function, *args):
    """Call a function from a module, and a function, that have other variables."""
    module = ModuleType("elsewhere")
    module.__dict__["PLACE"] = "elsewhere"
    exec("def run(f, *args):\n    x = 'of the caller'\n    return f(*args)", module.__dict__)
    return module.run(function, *args)


def own_globals():
    return globals()


def own_globals_in_a_list():
    return [globals()["PLACE"] for _ in range(2)]


def own_globals_of_a_generator():
    yield globals()["PLACE"]


def given_namespaces(x):
    space = {}
    exec("y = PLACE", globals(), space)
    return eval("x + y", {"x": "1"}, space), eval("PLACE", globals()), eval("x", {"x": x})


def given_objects(x):
    return "append" in dir(x), vars(builtins)["len"] is len, list(map(vars, (UnsupportedError,)))


def given_a_namespace_by_star(x):
    return eval(*("x", {"x": x}))


def in_an_inner_function(x):
    def inner():
        y = x
        return sorted(locals()), eval("y"), globals()["PLACE"]

    return inner()


def in_a_class():
    class C:
        a = 1
        names = [k for k in locals() if k[0] != "_"]

    return C.names


RIGHT = [
    (own_globals_in_a_list, ()),
    (given_namespaces, (5,)),
    (given_objects, ([],)),
    (given_a_namespace_by_star, (3,)),
    (in_an_inner_function, (3,)),
    (in_a_class, ()),
]


@pytest.mark.parametrize(("function", "args"), RIGHT, ids=lambda one: getattr(one, "__name__", ""))
def test_these_are_right_wherever_they_are_called(function, args):
    wanted = function(*args)
    assert called_elsewhere(objects(function), *args) == wanted
    c = objects(function).trace(*args)
    for level in ("ir", "objects"):
        assert called_elsewhere(c.at(level).run, *args) == wanted


def test_globals_are_those_of_the_function():
    assert called_elsewhere(objects(own_globals)) is globals()
    assert called_elsewhere(objects(own_globals).trace().at("objects").run) is globals()
    assert list(called_elsewhere(objects(own_globals_of_a_generator))) == ["here"]

    @cutaway.njit
    def block(x):
        with cutaway.objmode(n="int64"):
            n = len(globals()["PLACE"])
        return n + x

    assert called_elsewhere(block, 1) == 5


def test_a_name_that_leads_elsewhere_is_followed():
    space = {"__name__": "of_a_test"}
    exec("def f():\n    return globals()", space)
    f = objects(space["f"])
    assert f() is space
    space["globals"] = lambda: "another"
    assert f() == "another"


def by_name(x):
    return eval("x")


def with_none(x):
    return eval("x", None)


def with_none_and_a_dictionary(x):
    return eval("PLACE", None, {"x": x})


def executed(x):
    exec("x = 1")


def variables(x):
    return locals()


def variables_by_another_name(x):
    return vars()


def names(x):
    return dir()


def of_the_module(x):
    return builtins.eval("x")


def globals_of_the_module(x):
    return builtins.globals()


def passed_on(x):
    return list(map(eval, ["PLACE"]))


def passed_on_under_a_name(x):
    e = exec
    return functools.partial(e, "pass")


SEEN = [by_name, with_none, with_none_and_a_dictionary, executed, variables, names]
SEEN += [variables_by_another_name, of_the_module, globals_of_the_module, passed_on]
SEEN += [passed_on_under_a_name]


@pytest.mark.parametrize("function", SEEN, ids=lambda one: one.__name__)
def test_what_shows_is_refused_with_its_line(function):
    with pytest.raises(UnsupportedError, match="looks at the frame that calls it") as refused:
        called_elsewhere(objects(function), 1)
    assert refused.value.hint
    line = linecache.getline(refused.value.loc.filename, refused.value.loc.line)
    assert any(name in line for name in ("eval", "exec", "locals", "vars", "dir", "globals", "e,"))


def under_a_name(x):
    e = eval
    return e("x")


def globals_under_a_name(x):
    g = globals
    return g()


def by_star(x):
    return eval(*("x",))


def no_arguments_by_star(x):
    return dir(*())


def by_names_and_star(x):
    return vars(*(), **{})


def a_namespace_that_is_none(x):
    space = {}.get("none")
    return eval("x", space)


def one_of_a_list(x):
    return [locals][0]()


def super_under_a_name(x):
    s = super
    return s()


def one_of_a_dictionary(x):
    return vars(builtins)["exec"]("x = 1")


RUN = [under_a_name, globals_under_a_name, by_star, no_arguments_by_star, by_names_and_star]
RUN += [a_namespace_that_is_none, one_of_a_list, super_under_a_name, one_of_a_dictionary]


@pytest.mark.parametrize("function", RUN, ids=lambda one: one.__name__)
def test_what_shows_when_it_runs_is_refused_then(function):
    compiled = objects(function)
    for _ in range(2):
        with pytest.raises(UnsupportedError, match="looks at the frame that calls it") as refused:
            called_elsewhere(compiled, 1)
        assert refused.value.hint
        assert any(entry.name == function.__name__ for entry in refused.traceback)


def test_other_builtins_are_called_as_ever():
    @objects
    def f(xs):
        return len(xs), sorted(xs), max(xs, key=abs), dir(xs) == dir([]), isinstance(xs, list)

    assert f([3, -4]) == (2, [-4, 3], -4, True, True)
    assert objects(lambda a: (np.sum(a), vars(UnsupportedError)["code"]))(np.ones(3))[0] == 3
