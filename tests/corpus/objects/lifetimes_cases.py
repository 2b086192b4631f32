"""When objects die: with the last name that held them, as CPython counts references."""

# ruff: noqa: B007, F841  programs as they may be written

from __future__ import annotations

import weakref

from corpus.control.cases import Cases

CASES = Cases()


class Mortal:
    """An object that notes its end."""

    def __init__(self, name, log):
        self.name, self.log = name, log

    def __del__(self):
        self.log.append(("gone", self.name))

    def __add__(self, other):
        self.log.append(("add", self.name, other.name))
        return Mortal(self.name + other.name, self.log)

    def same(self):
        return self

    def text(self):
        return self.name


class Keeps(Exception):
    """An exception that holds an object."""


def made(name, log):
    """Make one in a frame of its own."""
    kept = Mortal(name, log)
    log.append("made")
    return kept


@CASES.case(([],))
def lifetimes_end_when_a_variable_is_bound_again(log):
    """The old value goes after the new one was computed, and before the next statement."""
    x = Mortal("first", log)
    x = Mortal("second", log)
    log.append("next")
    x = x
    log.append("same")
    x = None
    log.append("end")
    return log[:]


@CASES.case(([],))
def lifetimes_end_with_del(log):
    """`del` of the last name, of one of two names, of an item and of an attribute."""
    x = y = Mortal("shared", log)
    items, named = [Mortal("item", log)], {"k": Mortal("key", log)}
    del x
    log.append("one name left")
    del y
    log.append("no name left")
    del items[0], named["k"]
    log.append("end")
    return log[:]


@CASES.case(([],))
def lifetimes_of_temporaries(log):
    """What has no name goes as soon as it was used."""
    Mortal("unused", log)
    log.append("statement")
    text = Mortal("method", log).same().same().text()
    log.append(text)
    size = len([Mortal("in a list", log), 1]) + 1
    log.append(size)
    total = Mortal("a", log) + Mortal("b", log) + Mortal("c", log)
    log.append(total.name)
    if Mortal("condition", log):
        log.append("then")
    return log[:]


@CASES.case(([],), ([0],))
def lifetimes_of_locals_end_with_their_function(log):
    """Locals of a called function go before its caller goes on, what it returns stays."""

    def helper(argument):
        inner = Mortal("inner", log)
        returned = Mortal("returned", log)
        log.append("in helper")
        return returned

    kept = helper(Mortal("argument", log))
    log.append("after helper")
    helper(kept)
    log.append("end")
    return log[:]


@CASES.case(([],))
def lifetimes_of_exceptions_end_with_their_handler(log):
    """The name of a handler, and what the exception holds, is gone after the handler."""
    try:
        raise Keeps(Mortal("in the exception", log))
    except Keeps as error:
        log.append("handler")
    log.append("after")
    try:
        try:
            raise Keeps(Mortal("inner", log))
        except Keeps as error:
            raise KeyError("outer") from error
    except KeyError as error:
        log.append(type(error.__cause__).__name__)
        error = None
        log.append("dropped")
    log.append("end")
    return log[:]


@CASES.case(([], 3), ([], 0))
def lifetimes_of_items_that_are_popped(log, n):
    """Each item goes when the next one takes its name."""
    items = [Mortal(k, log) for k in range(n)]
    while items:
        item = items.pop()
        log.append(("popped", item.name))
    log.append("end")
    item = None
    return log[:]


@CASES.case(([], 3), ([], 1))
def lifetimes_of_loop_variables(log, n):
    """A loop variable holds its last item until it is bound again."""
    for item in (Mortal(k, log) for k in range(n)):
        log.append(("turn", item.name))
    log.append("after the loop")
    for item in [Mortal("listed", log)]:
        log.append("second loop")
    log.append("after the second")
    del item
    log.append("end")
    return log[:]


@CASES.case(([],))
def lifetimes_seen_by_weak_references(log):
    """A weak reference gives the object as long as there is a name."""
    x = Mortal("x", log)
    one = weakref.ref(x, lambda _: log.append("callback"))
    found = [one() is x]
    y = [x]
    del x
    found.append(one() is y[0])
    y.clear()
    found.append(one() is None)
    keyed = weakref.WeakValueDictionary(k=made("kept nowhere", log))
    found.append(len(keyed))
    return found, log[:]


@CASES.case(([],))
def lifetimes_of_what_closures_keep(log):
    """A cell keeps its value as long as a function has it."""
    x = Mortal("captured", log)

    def read():
        return x.name

    other = read
    del read
    log.append(other())
    x = Mortal("second", log)
    log.append("bound again")
    del other
    log.append("no function")
    x = None
    log.append("end")
    return log[:]


@CASES.case(([],))
def lifetimes_of_arguments_and_results(log):
    """An argument that nobody else has goes when the call ends."""

    def taken(x):
        log.append(("taken", x.name))

    def replaced(x):
        x = None
        log.append("replaced")

    taken(Mortal("a", log))
    log.append("after a")
    replaced(Mortal("b", log))
    log.append("after b")
    taken(*[Mortal("c", log)])
    log.append("after c")
    list(map(taken, [Mortal("d", log), Mortal("e", log)]))
    log.append("end")
    return log[:]


@CASES.case(([],))
def lifetimes_of_what_is_unpacked(log):
    """Values on the way to their targets, and those that are replaced by them."""
    a, b = Mortal("a", log), Mortal("b", log)
    a, b = b, a
    log.append((a.name, b.name))
    a, b = b, None
    log.append("dropped one")
    *a, b = Mortal("c", log), a
    log.append("in a list")
    a = b = None
    log.append("end")
    return log[:]


@CASES.case(([],))
def lifetimes_of_generators(log):
    """A generator that is dropped runs its `finally`, and drops its locals."""

    def yields():
        inner = Mortal("inner", log)
        try:
            yield 1
            yield 2
        finally:
            log.append("finally")

    one = yields()
    next(one)
    log.append("waiting")
    del one
    log.append("dropped")
    for k in yields():
        log.append(k)
        break
    log.append("end")
    return log[:]


@CASES.case(([], 0), ([], 1))
def lifetimes_with_managers_and_finally(log, kind):
    """What a block held goes at its end, also where an exception left it."""

    class Manager:
        def __enter__(self):
            return Mortal("entered", log)

        def __exit__(self, *args):
            log.append("exit")
            return True

    with Manager():
        log.append("block")
        if kind:
            raise Keeps(Mortal("raised", log))
    log.append("after")
    try:
        x = Mortal("in try", log)
    finally:
        x = None
        log.append("finally")
    return log[:]


def closing(log, n):
    """Yield, and say when it is over."""
    try:
        yield from range(n)
    finally:
        log.append("closed")


@CASES.case(("break", []), ("return", []), ("raise", []), ("at once", []), ("end", []))
def lifetimes_of_the_iterators_of_loops(how, log):
    """An iterator goes where its loop is left: what comes before that runs first."""
    try:
        for i in closing(log, 3):
            if how == "end" or i == 0:
                continue
            log.append("leaves")
            if how == "break":
                log.append("breaks")
                break
            if how == "return":
                return log.append("value")
            if how == "raise":
                log.append("raises")
                raise KeyError(how)
        log.append("after")
        for i in closing(log, 2):
            log.append(("once", i))
            break
        for i in closing(log, 2):
            for _ in closing(log, 1):
                log.append("inner")
                try:
                    return i
                finally:
                    log.append("finally")
    except KeyError:
        log.append("handled")
    return None


class Slotted:
    """An object without a dictionary."""

    __slots__ = ("x",)


class Watching:
    """An object that looks at a slot when it dies."""

    def __init__(self, one, log):
        self.one = one
        self.log = log

    def __del__(self):
        self.log.append(("died", self.one.x))


@CASES.case()
def what_a_slot_held_dies_after_the_write():
    log = []
    one = Slotted()
    for k in range(4):
        one.x = Watching(one, log)
        log.append(k)
        one.x = k
        log.append(one.x)
    return log
