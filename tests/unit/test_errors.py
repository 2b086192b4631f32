"""What users are told: in their words, at their line, with a hint, and never a crash."""

from __future__ import annotations

import functools
import math
import traceback

import numpy as np
import pytest

import cutaway
from cutaway.errors import (
    CompileError,
    CutawayError,
    OptionError,
    SignatureError,
    TypingError,
    UnsupportedError,
)
from cutaway.foundation.options import FASTMATH

pytestmark = pytest.mark.sampled(fast=6)

UNCOMPILED = {"a": 1}


def not_compiled(x):
    return x


def strings(x):
    return f"{x}"


def with_statement(x):
    with x:
        return 1


def class_inside(x):
    class A:
        pass

    return x


def import_inside(x):
    import math

    return math.sqrt(x)


def global_write(x):
    global UNCOMPILED
    UNCOMPILED = x


def raise_from(x):
    raise ValueError("a") from x


def raises_an_array(a):
    raise ValueError(a)


def keywords_of_dict(x):
    return not_compiled(**x)


UNSUPPORTED = [
    (with_statement, 1, "`with`"),
    (class_inside, 1, "classes"),
    (import_inside, 1, "imports"),
    (global_write, 1, "globals"),
    (raise_from, 1, "a cause of type int64"),
    (keywords_of_dict, 1, "**kwargs"),
    (raises_an_array, np.zeros(2), "an exception with an argument of type array"),
    (strings, 1, "cannot be returned"),
]


@pytest.mark.parametrize(("function", "argument", "words"), UNSUPPORTED, ids=lambda v: str(v)[:20])
def test_what_is_not_compiled_is_named_in_the_users_words(function, argument, words):
    with pytest.raises(UnsupportedError) as caught:
        cutaway.jit(function)(argument)
    text = str(caught.value)
    assert words in text
    assert f'File "{__file__}"' in text and "^" in text
    assert "$" not in text


def adds_none(x):
    return x + None


def no_attribute(x):
    return x.nothing


def no_such_item(x):
    return x["a"]


def calls_a_number(x):
    return x(1)


def two_types(x):
    y = 1
    if x:
        y = (1, 2)
    return y


def two_returns(x):
    if x > 0:
        return 1
    return (1, 2)


def never_returns(n):
    return never_ends(n + 1)


never_ends = cutaway.jit(never_returns)


def calls_uncompiled(x):
    return not_compiled(x)


def dict_global(x):
    return UNCOMPILED


def sqrt_of_array(a):
    return math.sqrt(a)


def tuple_of_float_index(t, x):
    return t[x]


def too_many_arguments(x):
    return helper(x, x, x, x)


@cutaway.jit
def helper(a, b=1):
    return a + b


ARRAY = np.zeros(3)
TYPE_ERRORS = [
    (adds_none, (1,), "+ does not work between int64 and none"),
    (no_attribute, (1,), "no attribute 'nothing'"),
    (no_such_item, (ARRAY,), "cannot be indexed"),
    (calls_a_number, (1,), "cannot be called"),
    (two_types, (1,), "no common type"),
    (two_returns, (1,), "the function returns both"),
    (never_returns, (1,), "recursive call"),
    (calls_uncompiled, (1,), "decorate it with @cutaway.jit"),
    (dict_global, (1,), "which compiled code cannot use"),
    (sqrt_of_array, (ARRAY,), "sqrt does not accept"),
    (tuple_of_float_index, ((1, 2), 0.5), "cannot be indexed"),
    (too_many_arguments, (1,), "do not match helper(a, b=...)"),
]


@pytest.mark.parametrize(("function", "arguments", "words"), TYPE_ERRORS, ids=lambda v: str(v)[:20])
def test_a_type_error_says_what_does_not_fit(function, arguments, words):
    with pytest.raises(CompileError) as caught:
        cutaway.jit(function)(*arguments)
    text = str(caught.value)
    assert words in text, text
    assert "$" not in text and f'File "{__file__}"' in text


def test_arguments_that_cannot_be_passed_are_named():
    with pytest.raises(TypingError, match="argument 'a' of helper"):
        helper(object())
    with pytest.raises(TypingError, match="cannot be passed"):
        helper(np.zeros(2, dtype=object))


REFUSED_ARRAYS = [
    (np.zeros(2, np.longdouble), "an array of ", "a.astype(np.float64)"),
    (np.zeros(2, np.clongdouble), "an array of ", "a.astype(np.complex128)"),
    (np.zeros(2, ">i4"), "an array of big-endian int32", "a.dtype.newbyteorder('=')"),
    (np.zeros(2, object), "an array of Python objects", "astype(np.float64)"),
    (np.zeros(2, np.dtypes.StringDType()), "an array of text", "arrays"),
    (np.zeros(2, ">M8[s]"), "an array of big-endian datetime64[s]", "newbyteorder"),
    (np.zeros(2, [("x", ">f8")]), "a structured array whose field 'x' is big-endian", "newbyteo"),
    (
        np.zeros(2, [("x", ">f8", 2)]),
        "a structured array whose field 'x' is big-endian",
        "newbyteo",
    ),
    (np.zeros(2, [("x", "O")]), "a structured array whose field 'x' is of object", "its other"),
    (np.zeros(2, [(("t", "x"), "f8")]), "a structured array whose field 'x' has a title", "names"),
    (np.zeros(2, "V3"), "an array of void", "arrays"),
    (np.ma.masked_array([1.0]), "a masked array", "a.filled"),
    (np.zeros((2, 2)).view(np.matrix), "an array of class matrix", "np.asarray(a)"),
]


@pytest.mark.parametrize(("array", "what", "hint"), REFUSED_ARRAYS, ids=lambda v: str(v)[:20])
def test_an_array_that_cannot_be_passed_is_named_by_what_is_in_it(array, what, hint):
    closed = cutaway.jit("(float64[:], float64)")(lambda a, b: b)
    helper(2.0, 1.0)
    for function in (helper, helper, closed, closed):
        with pytest.raises(TypingError, match="cannot be passed to a compiled function") as caught:
            function(array, 1.0)
        assert what in caught.value.message and hint in caught.value.hint
    with pytest.raises(TypingError, match=r"item 1 of item 0 of the tuple: an? .*array"):
        helper(((1, array), 2))


def test_a_memory_map_passes_as_an_array(tmp_path):
    mapped = np.memmap(tmp_path / "numbers", mode="w+", shape=(3,), dtype=np.float64)
    mapped[:] = 1.5
    total = cutaway.jit(lambda a: a[0] + a[2])
    assert total(mapped) == total(mapped) == 3.0


def test_a_tuple_that_is_nested_too_deeply_is_refused():
    @cutaway.jit
    def innermost(t):
        return 1

    def nested(depth):
        return functools.reduce(lambda inner, _: (inner,), range(depth), 1)

    assert innermost(nested(100)) == 1
    for depth in (101, 500, 5000):
        with pytest.raises(TypingError, match="nested more than 100 levels deep"):
            innermost(nested(depth))


def test_an_explicit_signature_converts_only_what_keeps_its_value():
    integer = cutaway.jit("int64(int64)")(not_compiled)
    assert integer(2.0) == 2 and type(integer(2.0)) is int
    assert integer(np.float32(3)) == 3 and integer(True) == 1
    with pytest.raises(TypeError, match="1.5 is not an integer"):
        integer(1.5)
    with pytest.raises(OverflowError, match="does not fit in float32"):
        cutaway.jit("float32(float32)")(not_compiled)(1e300)
    truth = cutaway.jit("boolean(boolean)")(not_compiled)
    assert truth(1) is True and truth(0.0) is False
    with pytest.raises(TypeError, match="2 is neither 0 nor 1"):
        truth(2)
    with pytest.raises(TypingError, match="no signature"):
        cutaway.jit("float64(float64)")(not_compiled)(1j)
    nested = cutaway.jit("int64(UniTuple(int64, 2))")(lambda t: t[1])
    assert nested((1, 2.0)) == 2
    with pytest.raises(TypeError, match="2.5 is not an integer"):
        nested((1, 2.5))


def test_errors_of_a_call_show_no_frames_of_ours():
    wrong = cutaway.jit(adds_none)
    closed = cutaway.jit("float64(float64)")(not_compiled)
    calls = [(wrong, (1,)), (helper, ({},)), (helper, ()), (closed, (1j,)), (closed, (1, 2))]
    for function, arguments in calls:
        for _ in range(2):
            with pytest.raises((CutawayError, TypeError)) as caught:
                function(*arguments)
            frames = traceback.extract_tb(caught.value.__traceback__)
            assert [frame.filename for frame in frames] == [__file__]
            assert frames[-1].line == "function(*arguments)"
            assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_an_error_of_a_call_has_the_context_that_it_would_have_in_python():
    try:
        raise KeyError("first")
    except KeyError as first:
        with pytest.raises(TypeError) as caught:
            helper()
        assert caught.value.__context__ is first


def test_calls_that_do_not_fit_raise_what_python_raises():
    for args, kwargs in [((), {}), ((1, 2, 3), {}), ((1,), {"c": 1}), ((1,), {"a": 1})]:
        with pytest.raises(TypeError) as python:
            helper.py_func(*args, **kwargs)
        with pytest.raises(TypeError) as ours:
            helper(*args, **kwargs)
        assert str(ours.value) == str(python.value)


def test_an_unknown_option_is_refused_at_decoration_with_a_guess():
    with pytest.raises(OptionError, match="boundscheck"):
        cutaway.jit(bounds_check=True)
    with pytest.raises(OptionError, match="'python' or 'numpy'"):
        cutaway.jit(error_model="fast")
    with pytest.raises(OptionError):
        cutaway.jit(fastmath={"quick"})
    with pytest.raises(OptionError, match="did you mean pipeline"):
        cutaway.jit(pipelin=None)


def test_fastmath_takes_flags_in_any_collection():
    for given in ["nnan", ["nnan"], {"nnan"}, ("nnan",), {"nnan": True, "ninf": False}]:
        assert cutaway.jit(fastmath=given)(not_compiled).flags.fastmath == {"nnan"}
    assert cutaway.jit(fastmath="fast")(not_compiled).flags.fastmath == FASTMATH


def test_a_pipeline_is_known_without_loading_the_compiler():
    for wrong in ["ssa", [], 42, cutaway.Pipeline]:
        with pytest.raises(OptionError, match="option pipeline must be a Pipeline, not"):
            cutaway.jit(pipeline=wrong)
    assert cutaway.jit(pipeline=cutaway.pipelines.nopython)(not_compiled)(1) == 1


def test_signatures_come_as_text_types_or_a_list_of_them():
    float64 = cutaway.types.float64
    for given in ["float64(float64)", "float64", (float64,), float64, ["(float64,)", float64]]:
        assert cutaway.jit(given)(not_compiled).signatures == [(float64,)]


def test_a_function_with_double_star_is_refused_at_decoration():
    def takes(a, **named):
        return a

    for decorate in (cutaway.jit, cutaway.jit(boundscheck=False), cutaway.jit("float64")):
        with pytest.raises(UnsupportedError, match="cannot have"):
            decorate(takes)


def test_what_was_not_compiled_cannot_be_inspected():
    compiled = cutaway.jit("float64(float64)")(not_compiled)
    for inspect in (compiled.inspect_llvm, compiled.inspect_asm):
        with pytest.raises(SignatureError, match=r"was not compiled for \(int64\)") as caught:
            inspect("(int64,)")
        assert "compiled: (float64)" in str(caught.value)


def test_a_signature_that_is_none_is_refused():
    with pytest.raises(SignatureError):
        cutaway.jit("float64(spam)")(not_compiled)
    with pytest.raises(SignatureError, match="1 parameter, the signature 2"):
        cutaway.jit("float64(float64, float64)")(not_compiled)
    with pytest.raises(TypingError, match="its signature says"):
        cutaway.jit("none(float64)")(not_compiled)


def test_explicit_signatures_convert_and_compile_nothing_else():
    compiled = cutaway.jit(["float64(float64)", "int64(int64)"])(not_compiled)
    assert len(compiled.signatures) == 2
    assert type(compiled(3)) is int and type(compiled(2.5)) is float
    only_float = cutaway.jit("float64(float64)")(not_compiled)
    assert type(only_float(3)) is float
    with pytest.raises(TypingError, match="no signature of not_compiled accepts"):
        only_float((1, 2))


def test_exceptions_have_a_traceback_with_the_users_function_file_and_line():
    @cutaway.jit
    def reads(a, i):
        b = a[0]
        return b + a[i]

    with pytest.raises(IndexError) as caught:
        reads(np.zeros(3), 7)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.name, last.filename) == ("reads", __file__)
    assert last.line == "return b + a[i]"
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert not any("/cutaway/" in frame.filename for frame in frames)


class NeedsTwo(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


class FailsItself(Exception):
    def __init__(self, a):
        raise KeyError(a)


class Exits(Exception):
    def __init__(self, a):
        raise SystemExit(a)


class NoException(Exception):
    def __new__(cls, a):
        return a


def raises_user_classes(x):
    if x == 0:
        raise NeedsTwo(x)
    if x == 1:
        raise FailsItself(x)
    if x == 2:
        raise Exits(x)
    raise NoException(x)


def test_a_class_that_makes_no_exception_of_its_arguments_fails_as_in_python():
    inner = cutaway.jit(raises_user_classes)
    compiled = cutaway.jit(lambda x: inner(x))
    for x in range(4):
        with pytest.raises(BaseException) as python:  # noqa: B017  what it is, is compared
            raises_user_classes(x)
        with pytest.raises(type(python.value)) as ours:
            compiled(x)
        assert str(ours.value) == str(python.value)
        frames = [
            [(frame.name, frame.line) for frame in traceback.extract_tb(caught.__traceback__)]
            for caught in (python.value, ours.value)
        ]
        assert frames[1][2:] == frames[0][1:]
        assert frames[1][2][0] == "raises_user_classes"


def test_endless_recursion_raises_and_the_process_lives():
    @cutaway.jit
    def down(n):
        if n == -1:
            return 0
        return down(n + 1) + 1

    for _ in range(3):
        with pytest.raises(RecursionError):
            down(0)


def test_absurd_sizes_raise_memory_errors():
    @cutaway.jit
    def large(n, m):
        return np.zeros((n, m))

    for n, m in [(2**40, 2**40), (2**62, 4)]:
        with pytest.raises(ValueError, match="too big"):  # in NumPy's words
            large(n, m)
    with pytest.raises(MemoryError):
        large(2**50, 1)


def test_an_integer_that_needs_more_than_64_bits_is_no_silent_zero():
    with pytest.raises(OverflowError):
        helper(2**70)

    @cutaway.jit
    def constant(x):
        return x + 2**70

    with pytest.raises(CutawayError, match="does not fit in 64 bits"):
        constant(1)


def test_boundscheck_false_turns_the_checks_off():
    def read(a, i):
        return a[i]

    unchecked = cutaway.jit(boundscheck=False)(read)
    assert unchecked(np.arange(5.0), -1) == 4.0
    assert "cutaway_describe" not in unchecked.trace(np.zeros(3), 1).at("llvm").text
    assert "cutaway_describe" in cutaway.jit(read).trace(np.zeros(3), 1).at("llvm").text


def test_the_numpy_error_model_gives_infinities():
    def divide(a, b):
        return a / b

    assert cutaway.jit(error_model="numpy")(divide)(1.0, 0.0) == math.inf
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        cutaway.jit(divide)(1.0, 0.0)


def test_a_range_whose_start_wraps_around_reads_no_other_memory():
    @cutaway.jit
    def wraps(a, first):
        total = 0.0
        for i in range(first + 1, 10):
            total += a[i]
        for i in range(5, first + 2, -1):
            total += a[i]
        return total

    with pytest.raises(IndexError):
        wraps(np.zeros(20), 2**63 - 1)


def test_an_exception_of_one_place_is_a_new_one_each_time():
    @cutaway.jit
    def failing(a):
        raise ValueError("always", 1)

    def raised(function):
        with pytest.raises(ValueError) as caught:
            try:
                raise KeyError("before")
            except KeyError:
                function(1)
        return caught.value

    several = [raised(failing) for _ in range(4)]
    expected = raised(failing.py_func)
    assert len({id(error) for error in several}) == 4
    for error in several:
        assert error.args == expected.args == ("always", 1)
        assert isinstance(error.__context__, KeyError) and error.__cause__ is None
        last = traceback.extract_tb(error.__traceback__)[-1]
        wanted = traceback.extract_tb(expected.__traceback__)[-1]
        assert (last.filename, last.lineno, last.name) == (
            wanted.filename,
            wanted.lineno,
            wanted.name,
        )
    tracebacks = {id(error.__traceback__) for error in several}
    assert len(tracebacks) == 4


@pytest.mark.parametrize("name", ["a\0b", "half a pair \ud800", "", 'quo"ted\\', "two\nlines"])
def test_a_function_whose_file_has_an_impossible_name_is_compiled(name, tmp_path):
    def reciprocal(x):
        return 1 // x

    reciprocal.__code__ = reciprocal.__code__.replace(co_filename=name)
    compiled = cutaway.jit(reciprocal)
    assert compiled(1) == 1
    with pytest.raises(ZeroDivisionError):
        compiled(0)
    compiled.trace(1).save(tmp_path / "f.cutaway")
    cutaway.load(tmp_path / "f.cutaway").report(tmp_path / "f.html")
    assert (tmp_path / "f.html").stat().st_size

    def wrong(x):
        return x.nothing

    wrong.__code__ = wrong.__code__.replace(co_filename=name)
    with pytest.raises(TypingError, match="no attribute 'nothing'"):
        cutaway.jit(wrong)(1)


@pytest.mark.parametrize(
    ("call", "shown", "meant"),
    [
        (lambda a: np.sum(a, axes=0), "axes=int64", "axis"),
        (lambda a: a.sum(axes=0), "axes=int64", "axis"),
        (lambda a: np.zeros(3, dtyp=float), "dtyp=class(float)", "dtype"),
        (lambda a: np.add(a, a, outt=a), "outt=array", "out"),
    ],
)
def test_a_keyword_that_no_overload_has_is_corrected(call, shown, meant):
    with pytest.raises(TypingError, match=f"did you mean {meant}[?]") as caught:
        cutaway.jit(call)(ARRAY)
    assert shown in str(caught.value)
