"""What made-up programs have found (tests/fuzz/objects.py): the smallest programs of each."""

# ruff: noqa: B006, B023, B035, F821, F841  programs as they may be written

from corpus.control.cases import Cases

CASES = Cases()


@CASES.case((1,), (3,))
def handles_that_a_shared_variable_is_unbound(q):
    """Nothing else in the `try` raises."""
    if q == 3:
        n = 1
    try:
        m = n
    except NameError as error:
        m = str(error)

    def inner():
        nonlocal n
        n = 3

    n = 2
    inner()
    return n, m


@CASES.case((1,), (0,))
def handles_that_an_inner_function_has_deleted_a_variable(q):
    """The variable is bound on all ways through the function itself."""
    n = 1

    def inner():
        nonlocal n
        del n

    if q:
        inner()
    try:
        m = n
    except NameError:
        return "none"
    return m


def given(*args, **named):
    return args, named


@CASES.case((5,), (None,), ([1],), ({"a": 2},))
def stars_before_what_is_no_iterable(a):
    """What stands beside a star is asked for its items when it is that one's turn."""
    found = []
    for display in (
        lambda: [*a],
        lambda: [0, *a],
        lambda: (*a, 0),
        lambda: {*a, 1},
        lambda: given(*a),
        lambda: given(0, *a),
        lambda: given(*a, *a),
    ):
        try:
            found.append(display())
        except TypeError as error:
            found.append(str(error))
    try:
        found.append([*a, 0])
    except TypeError as error:
        found.append(str(error))
    try:
        found.append(given(0, *a, 1, *a))
    except TypeError as error:
        found.append(str(error))
    return found


class Iterated:
    """What is wrong with its iterator."""

    def __init__(self, how):
        self.how = how

    def __repr__(self):
        return self.how

    def __iter__(self):
        if self.how == "none":
            return 3
        if self.how == "raises":
            raise TypeError("its own")
        return iter((1, 2))

    def __len__(self):
        if self.how == "length":
            raise ValueError("no length")
        return 2


@CASES.case((Iterated("none"),), (Iterated("raises"),), (Iterated("length"),), (Iterated(""),))
def stars_before_iterators_that_raise(a):
    found = []
    try:
        found.append([0, *a])
    except Exception as error:
        found.append((type(error), str(error)))
    try:
        found.append((*a, *a))
    except Exception as error:
        found.append((type(error), str(error)))
    return found


@CASES.case(({"a": 2},), ({"b": 2},))
def keywords_given_twice_while_an_exception_is_handled(named):
    """CPython 3.11 says less then."""
    found = []
    try:
        raise OSError
    except OSError:
        try:
            found.append(given(a=1, **named))
        except Exception as error:
            found.append((type(error), error.args))
    try:
        found.append(given(a=1, **named))
    except Exception as error:
        found.append((type(error), error.args))
    return found


@CASES.case((1,), (0,))
def deletes_what_a_comprehension_reads(n):
    m = n
    if n:
        del m
    try:
        return {i: m for i in (1, 2)}
    except NameError:
        return "none"


@CASES.case(([1, 2],), ([],))
def names_of_builtins_that_mean_something_else(a):
    global tuple, list, len, AssertionError
    tuple = list = len = AssertionError = None
    found = [[*a], (*a, 0)]
    try:
        match a:
            case [first, *rest]:
                found.append((first, rest))
        try:
            assert not a
        except Exception as error:
            found.append(str(type(error)))
    finally:
        del tuple, list, len, AssertionError
    return found


@CASES.case((1,), (0,))
def comprehensions_that_read_what_is_unbound(n):
    """On 3.11 they are functions, and say so."""
    if not n:
        m = k = 1
    found = []
    for j in range(3):
        try:
            if j == 0:
                found.append([m for _ in range(2)])
            elif j == 1:
                found.append({m: [k for _ in range(2)] for _ in range(2)})
            else:
                found.append([k + m for k in range(2)])
        except NameError as error:
            found.append((type(error), str(error)))
    try:
        found.append(m)
    except NameError as error:
        found.append((type(error), str(error)))
    m = 5
    return found, [m for _ in range(2)]


@CASES.case((1,), (0,))
def comprehensions_that_read_what_an_inner_function_deletes(n):
    m = 3

    def inner():
        nonlocal m
        del m

    if n:
        inner()
    try:
        return [m for _ in range(2)]
    except NameError as error:
        return type(error), str(error)


@CASES.case((3,), ("a",))
def inner_functions_with_annotations(n):
    """Their values are those at the definition."""
    kind = type(n)

    def one(a: kind, b: list = [], *rest: n, k: "later" = n, **named: None) -> kind:
        return a, n

    def two() -> n if n else None:
        return n

    kind = None
    one.__annotations__["more"] = n
    return one.__annotations__, two.__annotations__, one.__defaults__, one.__kwdefaults__, two()
