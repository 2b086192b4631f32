"""The table of constructs: plain Python functions with arguments, one idea each.

The docstring of a function is the title of its construct.  A function marked `helper` is called
by constructs; whoever compiles a construct compiles the helpers too.
"""

# Some constructs are what a linter warns of: names bound and not used, lambdas bound to names,
# comparisons with None, loops and conditions that could be shorter, and so on.
# ruff: noqa: B004, B007, B010, B011, B015, B018, C4, E711, E731, F841, UP018, UP031, UP032, UP034

from __future__ import annotations

import cmath
import inspect
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import numpy as np

PLANNED = "planned for later"
SCALE = 3
TABLE = np.array([10, 20, 30])
PAIR = (1, 2.5)
CALLS = 0


@dataclass(frozen=True)
class Construct:
    """One function and the arguments it is called with."""

    section: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    ledger: str = ""  # the ledger's entry that permits a difference from Python

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def title(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")


CONSTRUCTS: list[Construct] = []
HELPERS: dict[str, Any] = {}


def construct(section: str, *arguments: Any, ledger: str = "") -> Callable[[Any], Any]:
    """Add a function to the table, with the arguments of its call."""

    def register(function: Any) -> Any:
        CONSTRUCTS.append(Construct(section, function, arguments, ledger))
        return function

    return register


def helper(function: Any) -> Any:
    """Mark a function that constructs call, or are given as an argument."""
    HELPERS[function.__name__] = function
    return function


class Point(NamedTuple):
    x: int
    y: float


class TooLarge(Exception):
    """An exception of the user's own."""


class Counter:
    """A class with one method."""

    def __init__(self, start: int) -> None:
        self.value = start

    def next(self) -> int:
        self.value += 1
        return self.value


def vector(n: int = 6) -> np.ndarray:
    return np.arange(n, dtype=np.float64) * 1.5 - 2


def matrix(rows: int = 3, columns: int = 4) -> np.ndarray:
    return np.arange(rows * columns, dtype=np.float64).reshape(rows, columns) % 7


def cube() -> np.ndarray:
    return np.arange(24).reshape(2, 3, 4)


# --- statements -------------------------------------------------------------------------------

STATEMENTS = "statements"


@construct(STATEMENTS)
def no_statement():
    """`pass`"""
    pass


@construct(STATEMENTS)
def returns_without_a_value():
    """`return` without a value"""
    return


@construct(STATEMENTS, 3)
def assignment(a):
    """assignment to a name"""
    b = a
    return b


@construct(STATEMENTS, 3)
def chained_assignment(a):
    """chained assignment"""
    b = c = a + 1
    return b, c


@construct(STATEMENTS, 3)
def annotated_assignment(a):
    """annotated assignment"""
    b: int = a
    return b


@construct(STATEMENTS, 3)
def bare_annotation(a):
    """annotation without a value"""
    b: float
    b = a + 0.5
    return b


@construct(STATEMENTS, 17)
def augmented_arithmetic(a):
    """augmented assignment, arithmetic"""
    a += 3
    a -= 1
    a *= 5
    a //= 2
    a %= 19
    a **= 2
    return a


@construct(STATEMENTS, 3)
def augmented_division(a):
    """augmented assignment, true division"""
    b = a * 1.0
    b /= 4
    return b


@construct(STATEMENTS, 13)
def augmented_bits(a):
    """augmented assignment, bits"""
    a <<= 3
    a >>= 1
    a |= 3
    a &= 30
    a ^= 5
    return a


@construct(STATEMENTS, vector())
def augmented_item(a):
    """augmented assignment to an item"""
    a[1] += 2.5
    return a[1]


@construct(STATEMENTS, matrix())
def augmented_view(a):
    """augmented assignment to a slice"""
    a[1] *= 2
    return a


@construct(STATEMENTS, 3)
def if_else(a):
    """`if` and `else`"""
    if a > 2:
        return 1
    else:
        return 2


@construct(STATEMENTS, 3)
def if_elif(a):
    """`if`, `elif`, `else`"""
    if a < 0:
        b = -1
    elif a == 0:
        b = 0
    else:
        b = 1
    return b


@construct(STATEMENTS, 3)
def nested_if(a):
    """nested `if`"""
    if a > 0:
        if a > 2:
            return 2
        return 1
    return 0


@construct(STATEMENTS, vector())
def if_without_else_after_return(a):
    """a value on one path, None on the other"""
    if len(a) > 3:
        return a[3]


@construct(STATEMENTS, 3)
def deleted_name(a):
    """`del` of a name"""
    b = a + 1
    del a
    return b


@construct(STATEMENTS, 3)
def used_after_deletion(a):
    """a name used after `del`"""
    b = a
    del b
    return b  # noqa: F821


@construct(STATEMENTS, 0)
def used_before_assignment(n):
    """a name that no path has bound"""
    for i in range(n):
        last = i
    return last


@construct(STATEMENTS, 3)
def expression_statement(a):
    """an expression as a statement"""
    a + 1
    return a


@construct(STATEMENTS, 3)
def one_variable_two_types(a):
    """a variable that is an int and then a float"""
    a = a + 1
    a = a * 0.5
    return a


@construct(STATEMENTS, 3)
def variable_of_two_kinds(a):
    """a variable that is an int and then a tuple"""
    a = (a, a + 1)
    return a[1]


@construct(STATEMENTS, True)
def constant_condition(a):
    """`if` on a constant"""
    if __debug__:
        return 1
    return 2


@construct(STATEMENTS, 1)
def unreachable_code(a):
    """code after `return`"""
    return a
    return a + "x"


# --- expressions ------------------------------------------------------------------------------

EXPRESSIONS = "expressions"


@construct(EXPRESSIONS, 7, -2)
def sum_difference_product(a, b):
    """`+`, `-`, `*` of ints"""
    return a + b, a - b, a * b


@construct(EXPRESSIONS, 7.5, -2)
def float_arithmetic(a, b):
    """`+`, `-`, `*` of float and int"""
    return a + b, a - b, a * b


@construct(EXPRESSIONS, 7, -2)
def true_division(a, b):
    """true division"""
    return a / b


@construct(EXPRESSIONS, 7, -2)
def floor_division_and_modulo(a, b):
    """floor division and modulo of ints"""
    return a // b, a % b


@construct(EXPRESSIONS, -7.5, 2.0)
def floor_division_of_floats(a, b):
    """floor division and modulo of floats"""
    return a // b, a % b


@construct(EXPRESSIONS, 3, 4)
def integer_power(a, b):
    """power of ints"""
    return a**b


@construct(EXPRESSIONS, 3, -1, ledger="int-power")
def integer_to_a_negative_power(a, b):
    """power of ints, the exponent negative"""
    return a**b


@construct(EXPRESSIONS, -8.0, 0.5, ledger="real-power")
def root_by_power(a, b):
    """power of floats that is complex"""
    return a**b


@construct(EXPRESSIONS, 2**40, ledger="int64-wrap")
def integer_overflow(a):
    """a product beyond 64 bits"""
    return a * a


@construct(EXPRESSIONS, vector(), 0, ledger="numpy-scalars")
def item_divided_by_zero(a, b):
    """an item of an array divided by zero"""
    return a[0] / b


@construct(EXPRESSIONS, 2.5, -1.5)
def float_power(a, b):
    """power of floats"""
    return a**b


@construct(EXPRESSIONS, 5)
def constant_power(a):
    """power by a constant"""
    return a**2, a**-1


@construct(EXPRESSIONS, 13)
def unary_operators(a):
    """unary `-`, `+`, `~`, `not`"""
    return -a, +a, ~a, not a


@construct(EXPRESSIONS, 13, 6)
def bit_operators(a, b):
    """`&`, `|`, `^`"""
    return a & b, a | b, a ^ b


@construct(EXPRESSIONS, -13, 2)
def shifts(a, n):
    """shifts"""
    return a << n, a >> n


@construct(EXPRESSIONS, True, False)
def bit_operators_of_bools(a, b):
    """`&`, `|`, `^` of bools stay bools"""
    return a & b, a | b, a ^ b


@construct(EXPRESSIONS, 3, 3.0)
def comparisons(a, b):
    """comparisons of int and float"""
    return a == b, a != b, a < b, a <= b, a > b, a >= b


@construct(EXPRESSIONS, 3, 5)
def chained_comparison(a, b):
    """chained comparison"""
    return 1 < a < b <= 5


@construct(EXPRESSIONS, 0, 5)
def and_or_give_operands(a, b):
    """`and` and `or` give an operand"""
    return a and b, a or b


@construct(EXPRESSIONS, 0, 0.5)
def and_or_of_comparisons(a, b):
    """`and` and `or` of comparisons"""
    return a > 0 and b > 0, a > 0 or b > 0


@construct(EXPRESSIONS, vector(), 9)
def short_circuit(a, i):
    """short circuit guards the second operand"""
    return i < len(a) and a[i] > 0


@construct(EXPRESSIONS, 3)
def conditional_expression(a):
    """conditional expression"""
    return 10 if a > 2 else 20


@construct(EXPRESSIONS, 3, ledger="one-type")
def conditional_expression_of_two_types(a):
    """conditional expression of int and float"""
    return a if a > 2 else 0.5


@construct(EXPRESSIONS, None)
def identity_with_none(a):
    """`is None` and `is not None`"""
    return a is None, a is not None


@construct(EXPRESSIONS, None)
def equality_with_none(a):
    """`== None`"""
    return a == None


@construct(EXPRESSIONS, 2)
def member_of_a_tuple(a):
    """`in` a constant tuple"""
    return a in (1, 2, 3), a not in (1, 2, 3)


@construct(EXPRESSIONS, 4)
def member_of_a_range(a):
    """`in` a range"""
    return a in range(0, 10, 2)


@construct(EXPRESSIONS, vector())
def member_of_an_array(a):
    """`in` an array"""
    return 1.0 in a


@construct(EXPRESSIONS, 3)
def assignment_expression(a):
    """assignment expression"""
    return (b := a + 1) * b


@construct(EXPRESSIONS, 3)
def assignment_expression_in_a_condition(a):
    """assignment expression in a condition"""
    if (b := a * 2) > 5:
        return b
    return 0


@construct(EXPRESSIONS, 1 + 2j, 0.5j)
def complex_arithmetic(a, b):
    """complex arithmetic"""
    return a + b, a - b, a * b, a / b


@construct(EXPRESSIONS, 1 + 2j)
def complex_power(a):
    """complex power"""
    return a**2


@construct(EXPRESSIONS)
def number_literals():
    """literals: hexadecimal, octal, binary, underscores, exponent, imaginary"""
    return 0xFF, 0o17, 0b101, 1_000, 1.5e-3, 2j


@construct(EXPRESSIONS)
def folded_constants():
    """an expression of constants"""
    return (2 + 3) * 4 - 1 / 2


@construct(EXPRESSIONS, 2.0)
def global_value(a):
    """a global number"""
    return a * SCALE


@construct(EXPRESSIONS, 1)
def global_array(i):
    """a global array"""
    return TABLE[i]


@construct(EXPRESSIONS)
def global_tuple():
    """a global tuple"""
    return PAIR[0], PAIR[1]


@construct(EXPRESSIONS, 3, np.array([4, 5]))
def matrix_operator(a, b):
    """`@` of a number"""
    return a @ b


@construct(EXPRESSIONS, 3)
def number_plus_none(a):
    """a number plus None"""
    return a + None


@construct(EXPRESSIONS, 1 + 2j, 1j)
def order_of_complex_numbers(a, b):
    """`<` of complex numbers"""
    return a < b


# --- unpacking --------------------------------------------------------------------------------

UNPACKING = "unpacking"


@construct(UNPACKING, (1, 2.5))
def unpack_a_tuple(t):
    """a tuple to names"""
    a, b = t
    return b, a


@construct(UNPACKING, 1, 2.5)
def swap(a, b):
    """swap"""
    a, b = b, a
    return a, b


@construct(UNPACKING, (1, (2.5, True)))
def unpack_nested(t):
    """a nested tuple"""
    a, (b, c) = t
    return a, b, c


@construct(UNPACKING, (1, 2, 3, 4))
def unpack_starred(t):
    """a starred name in the middle"""
    a, *b, c = t
    return a, c, len(b)


@construct(UNPACKING, (1, 2), (3, 4.5))
def unpack_into_a_tuple(s, t):
    """tuples spliced into a tuple"""
    return (*s, 0, *t)


@construct(UNPACKING, vector(2))
def unpack_an_array(a):
    """an array"""
    x, y = a
    return x, y


@construct(UNPACKING, matrix())
def unpack_a_shape(a):
    """a shape"""
    n, m = a.shape
    return n * 10 + m


@construct(UNPACKING)
def unpack_a_range():
    """a range"""
    a, b, c = range(3)
    return a, b, c


@construct(UNPACKING, vector())
def unpack_into_items(a):
    """into items of an array"""
    a[0], a[1] = a[1], a[0]
    return a


@construct(UNPACKING, (1, 2, 3))
def unpack_too_many(t):
    """too many values"""
    a, b = t
    return a


@construct(UNPACKING, (1,))
def unpack_too_few(t):
    """too few values"""
    a, b = t
    return a


@construct(UNPACKING, ((1, 2), (3, 4)))
def unpack_in_a_loop(pairs):
    """in the head of a loop"""
    total = 0
    for a, b in pairs:
        total += a * b
    return total


# --- loops ------------------------------------------------------------------------------------

LOOPS = "loops"


@construct(LOOPS, 5)
def loop_over_range(n):
    """`for` over `range(n)`"""
    total = 0
    for i in range(n):
        total += i
    return total


@construct(LOOPS, 2, 17, 3)
def loop_over_range_with_step(start, stop, step):
    """`for` over `range(start, stop, step)`"""
    total = 0
    for i in range(start, stop, step):
        total = total * 2 + i
    return total


@construct(LOOPS, 5)
def loop_downward(n):
    """`for` downward"""
    total = 0
    for i in range(n, -1, -1):
        total = total * 2 + i
    return total


@construct(LOOPS, 2, 2, 0)
def loop_with_step_zero(start, stop, step):
    """`range` with step zero"""
    for i in range(start, stop, step):
        pass


@construct(LOOPS, 100)
def while_loop(n):
    """`while`"""
    steps = 0
    while n > 1:
        n //= 2
        steps += 1
    return steps


@construct(LOOPS, 7)
def while_true(n):
    """`while True` with `break`"""
    while True:
        n += 3
        if n % 5 == 0:
            break
    return n


@construct(LOOPS, 7)
def loop_with_continue(n):
    """`continue`"""
    total = 0
    for i in range(n):
        if i % 2:
            continue
        total += i
    return total


@construct(LOOPS, 7)
def for_else(n):
    """`for` with `else`, left by `break`"""
    for i in range(n):
        if i == 4:
            found = i
            break
    else:
        found = -1
    return found


@construct(LOOPS, 3)
def while_else(n):
    """`while` with `else`, run to its end"""
    while n > 0:
        n -= 1
    else:
        n = 100
    return n


@construct(LOOPS, 4)
def nested_loops(n):
    """nested loops"""
    total = 0
    for i in range(n):
        for j in range(i):
            total += i * j
    return total


@construct(LOOPS, 4)
def variable_after_the_loop(n):
    """the loop variable after the loop"""
    for i in range(n):
        pass
    return i


@construct(LOOPS, 4)
def variable_changed_in_the_loop(n):
    """the loop variable changed in the loop"""
    total = 0
    for i in range(n):
        i *= 10
        total += i
    return total


@construct(LOOPS, (1, 2, 3))
def loop_over_a_tuple(t):
    """`for` over a tuple of one type"""
    total = 0
    for x in t:
        total += x
    return total


@construct(LOOPS, (1, 2.5, True))
def loop_over_a_mixed_tuple(t):
    """`for` over a tuple of several number types"""
    total = 0.0
    for x in t:
        total += x
    return total


@construct(LOOPS)
def loop_over_constants():
    """`for` over a tuple of constants"""
    total = 0
    for x in (3, 5, 7):
        total += x
    return total


@construct(LOOPS)
def loop_over_nothing():
    """`for` over an empty tuple"""
    total = 1
    for x in ():
        total += x
    return total


@construct(LOOPS, 5)
def return_from_a_loop(n):
    """`return` from within nested loops"""
    for i in range(n):
        for j in range(n):
            if i * j == 6:
                return i, j
    return -1, -1


@construct(LOOPS, 3)
def accumulator_changes_type(n):
    """an accumulator that starts as an int and becomes a float"""
    total = 0
    for i in range(n):
        total += 0.5
    return total


# --- match ------------------------------------------------------------------------------------

MATCH = "match"


@construct(MATCH, 2)
def match_literals(a):
    """literals and `_`"""
    match a:
        case 1:
            return 10
        case 2:
            return 20
        case _:
            return 30


@construct(MATCH, 3)
def match_alternatives(a):
    """alternatives"""
    match a:
        case 1 | 2:
            return 10
        case 3 | 4:
            return 20
    return 30


@construct(MATCH, -5)
def match_with_guard(a):
    """a capture with a guard"""
    match a:
        case b if b < 0:
            return -b
        case b:
            return b


@construct(MATCH, 5)
def match_named_alternative(a):
    """`as`"""
    match a:
        case 4 | 5 as b:
            return b * 2
        case _:
            return 0


@construct(MATCH, None)
def match_none(a):
    """None and True"""
    match a:
        case None:
            return 1
        case True:
            return 2
        case _:
            return 3


@construct(MATCH, 1.5)
def match_float_and_negative(a):
    """float and negative literals"""
    match a:
        case -1:
            return 1
        case 1.5:
            return 2
        case _:
            return 3


@construct(MATCH, 7.0)
def match_value_of_a_module(a):
    """a dotted name"""
    match a:
        case math.pi:
            return 1
        case _:
            return 2


@construct(MATCH, (1, 2))
def match_sequence(t):
    """a sequence"""
    match t:
        case (1, b):
            return b
        case _:
            return 0


@construct(MATCH, (1, 2, 3))
def match_starred_sequence(t):
    """a sequence with a star"""
    match t:
        case (a, *rest):
            return a
        case _:
            return 0


@construct(MATCH, 5)
def match_class(a):
    """a class"""
    match a:
        case int():
            return 1
        case float():
            return 2
    return 3


# --- functions and calls ----------------------------------------------------------------------

CALLING = "functions and calls"


@helper
def scaled(x, k=2, offset=0.5):
    return x * k + offset


@helper
def only_by_keyword(x, *, k=2):
    return x * k


@helper
def only_by_position(x, y=1, /):
    return x - y


@helper
def count_of_arguments(*args):
    return len(args)


@helper
def sum_of_arguments(first, *args):
    total = first
    for x in args:
        total += x
    return total


@helper
def takes_keywords(**kwargs):
    return len(kwargs)


@helper
def optional(x, y=None):
    if y is None:
        return x
    return x + y


@helper
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@helper
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


@helper
def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@helper
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@helper
def square(x):
    return x * x


@helper
def applied(function, x):
    return function(x)


@helper
def filled(a, x):
    for i in range(len(a)):
        a[i] = x


@helper
def checked(x):
    if x > 2:
        raise KeyError("inside", 3)
    return x


@helper
def two_results(x):
    return x, x * 0.5


@construct(CALLING, 3)
def call(x):
    """a call by position"""
    return scaled(x, 3, 1.5)


@construct(CALLING, 3)
def call_with_defaults(x):
    """defaults"""
    return scaled(x)


@construct(CALLING, 3)
def call_with_keywords(x):
    """keywords in another order"""
    return scaled(offset=1, x=x)


@construct(CALLING, 3)
def call_with_keyword_only(x):
    """a keyword-only parameter"""
    return only_by_keyword(x, k=5)


@construct(CALLING, 3)
def call_with_keyword_only_default(x):
    """a keyword-only parameter left out"""
    return only_by_keyword(x)


@construct(CALLING, 3)
def call_with_position_only(x):
    """positional-only parameters"""
    return only_by_position(x), only_by_position(x, 2)


@construct(CALLING, 3)
def own_default(x, y=4):
    """a default of the compiled function"""
    return x + y


@construct(CALLING, 3)
def own_keyword_only(x, *, y=4):
    """a keyword-only parameter of the compiled function"""
    return x + y


@construct(CALLING, 3)
def own_default_none(x, y=None):
    """a default None"""
    return x if y is None else x + y


@construct(CALLING, 3, 4)
def own_star_arguments(x, *rest):
    """`*args` of the compiled function"""
    return x + len(rest)


@construct(CALLING, 3)
def own_keyword_arguments(x, **options):
    """`**kwargs` of the compiled function"""
    return x + len(options)


@construct(CALLING, 3, 4.5)
def call_of_star_function(x, y):
    """a callee with `*args`"""
    return count_of_arguments(x, y, 1)


@construct(CALLING, 3)
def call_of_star_function_loop(x):
    """a callee that loops over its `*args`"""
    return sum_of_arguments(x, 1, 2)


@construct(CALLING, (3, 4, 0.5))
def call_with_star(t):
    """a tuple spread over parameters"""
    return scaled(*t)


@construct(CALLING, 3)
def call_with_double_star(x):
    """a dict spread over keywords"""
    return scaled(x, **{"k": 5})


@construct(CALLING, 3)
def call_of_keywords_function(x):
    """a callee with `**kwargs`"""
    return takes_keywords(a=x, b=1)


@construct(CALLING, 3)
def optional_parameter(x):
    """a callee whose parameter is None or a number"""
    return optional(x), optional(x, 1.5)


@construct(CALLING, 3)
def call_of_several_types(x):
    """one callee for several types"""
    return square(x), square(0.5), square(1j)


@construct(CALLING, 3)
def several_results(x):
    """several results"""
    a, b = two_results(x)
    return a + b


@construct(CALLING, vector())
def callee_changes_an_array(a):
    """a callee that changes an array"""
    filled(a, 2.5)
    return a


@construct(CALLING, 5)
def exception_from_a_callee(x):
    """an exception of a callee"""
    return checked(x)


@construct(CALLING, 10)
def self_recursion(n):
    """recursion"""
    return factorial(n)


@construct(CALLING, 7)
def mutual_recursion(n):
    """mutual recursion"""
    return is_even(n)


@construct(CALLING, 2, 3)
def nested_recursion(m, n):
    """recursion in an argument of itself"""
    return ackermann(m, n)


@construct(CALLING, 5)
def recursion_of_an_inner_function(n):
    """recursion of an inner function"""

    def down(k):
        return 0 if k == 0 else k + down(k - 1)

    return down(n)


@construct(CALLING, 3)
def lambda_called(x):
    """a lambda called"""
    double = lambda y: y * 2
    return double(x)


@construct(CALLING, 3)
def lambda_called_at_once(x):
    """a lambda called at once"""
    return (lambda y: y + 1)(x)


@construct(CALLING, 3)
def inner_function(x):
    """an inner function"""

    def double(y):
        return y * 2

    return double(x) + double(0.5)


@construct(CALLING, 3)
def inner_function_with_default(x):
    """an inner function with a default"""

    def shifted(y, by=x):
        return y + by

    return shifted(1), shifted(1, 2)


@construct(CALLING, 3, 4)
def closure(x, k):
    """an inner function that reads a variable around it"""

    def times(y):
        return y * k

    return times(x)


@construct(CALLING, 3)
def closure_of_changed_variable(x):
    """a variable changed after the inner function was made"""

    def plus(y):
        return y + x

    x = 100
    return plus(1)


@construct(CALLING, 3)
def closure_changes_a_variable(x):
    """`nonlocal`"""

    def step():
        nonlocal x
        x += 1

    step()
    step()
    return x


@construct(CALLING, 3)
def inner_function_in_inner_function(x):
    """an inner function of an inner function"""

    def outer(y):
        def inner(z):
            return z + x

        return inner(y) * 2

    return outer(1)


@construct(CALLING, 3)
def inner_function_in_a_loop(n):
    """an inner function called in a loop"""

    def weight(i):
        return i * i

    total = 0
    for i in range(n):
        total += weight(i)
    return total


@construct(CALLING, 3)
def function_as_argument(x):
    """a compiled function passed on"""
    return applied(square, x)


@construct(CALLING, 3)
def inner_function_as_argument(x):
    """an inner function passed on"""

    def plus_one(y):
        return y + 1

    return applied(plus_one, x)


@construct(CALLING, 3)
def lambda_as_argument(x):
    """a lambda passed on"""
    return applied(lambda y: y * 3, x)


@construct(CALLING, 3)
def builtin_as_argument(x):
    """a builtin passed on"""
    return applied(abs, -x)


@construct(CALLING, square, 3)
def argument_is_a_function(function, x):
    """a compiled function as an argument from Python"""
    return function(x)


@construct(CALLING, 3)
def function_in_a_variable(x):
    """a function bound to a name"""
    f = square
    return f(x)


@construct(CALLING, 3)
def chosen_function(x):
    """one of two functions chosen at run time"""
    f = square if x > 2 else factorial
    return f(x)


@construct(CALLING, 3)
def function_in_a_tuple(x):
    """functions in a tuple"""
    functions = (square, factorial)
    return functions[0](x) + functions[1](x)


@construct(CALLING, 3)
def returned_inner_function(x):
    """an inner function returned by an inner function"""

    def adder(k):
        return lambda y: y + k

    return adder(2)(x)


@construct(CALLING, 3)
def missing_argument(x):
    """a call with an argument missing"""
    return scaled()


@construct(CALLING, 3)
def unknown_keyword(x):
    """a call with an unknown keyword"""
    return scaled(x, size=3)


@construct(CALLING, 3)
def unknown_name(x):
    """a name that does not exist"""
    return no_such_function(x)  # noqa: F821


# --- types ------------------------------------------------------------------------------------

TYPES = "types"


@construct(TYPES, True)
def bool_argument(a):
    """bool in and out"""
    return a, not a


@construct(TYPES, True)
def bool_arithmetic(a):
    """arithmetic of bools"""
    return a + a, a * 3, -a, a / 2


@construct(TYPES, np.bool_(True))
def numpy_bool(a):
    """`np.bool_`"""
    return a, not a


@construct(TYPES, np.int8(100))
def int8_argument(a):
    """`np.int8`"""
    return a - 1


@construct(TYPES, np.int16(100))
def int16_argument(a):
    """`np.int16`"""
    return a - 1


@construct(TYPES, np.int32(100))
def int32_argument(a):
    """`np.int32`"""
    return a - 1


@construct(TYPES, np.int64(100))
def int64_argument(a):
    """`np.int64`"""
    return a - 1


@construct(TYPES, np.uint8(100))
def uint8_argument(a):
    """`np.uint8`"""
    return a - 1


@construct(TYPES, np.uint16(100))
def uint16_argument(a):
    """`np.uint16`"""
    return a - 1


@construct(TYPES, np.uint32(100))
def uint32_argument(a):
    """`np.uint32`"""
    return a - 1


@construct(TYPES, np.uint64(2**63 + 5))
def uint64_argument(a):
    """`np.uint64`"""
    return a // np.uint64(3)


@construct(TYPES, np.float32(0.1))
def float32_argument(a):
    """`np.float32`"""
    return a * a


@construct(TYPES, np.float64(0.1))
def float64_argument(a):
    """`np.float64`"""
    return a * a


@construct(TYPES, np.float16(0.5))
def float16_argument(a):
    """`np.float16`"""
    return a * a


@construct(TYPES, np.complex64(0.5 + 1j))
def complex64_argument(a):
    """`np.complex64`"""
    return a * a


@construct(TYPES, 0.5 + 1j)
def complex_argument(a):
    """complex in and out"""
    return a, a.real, a.imag, a.conjugate()


@construct(TYPES, 300)
def constructed_small_integer(a):
    """`np.int8(...)` of a constant, `np.int32(...)` of a variable"""
    return np.int8(100), np.int32(a)


@construct(TYPES, 5)
def constructed_unsigned(a):
    """`np.uint8(...)`, `np.uint64(...)`"""
    return np.uint8(a), np.uint64(a)


@construct(TYPES, 0.1)
def constructed_float32(a):
    """`np.float32(...)`"""
    return np.float32(a)


@construct(TYPES, 3)
def constructed_complex(a):
    """`complex(a, b)` and `np.complex128(...)`"""
    return complex(a, 0.5), np.complex128(a)


@construct(TYPES, None)
def none_argument(a):
    """None in and out"""
    return a


@construct(TYPES, 3)
def number_or_none(a):
    """a variable that is a number or None"""
    b = None
    if a > 2:
        b = a
    return b


@construct(TYPES, 3)
def number_or_none_used(a):
    """a variable that is None until a loop sets it"""
    best = None
    for i in range(a):
        if best is None or i > best:
            best = i
    return best


@construct(TYPES, (1, 2))
def tuple_argument(t):
    """a tuple in and out"""
    return t


@construct(TYPES, (1, (2.5, (True, 1j))))
def nested_tuple_argument(t):
    """a nested tuple in and out"""
    return t[1][1], t


@construct(TYPES, ())
def empty_tuple_argument(t):
    """the empty tuple"""
    return t, len(t)


@construct(TYPES, (1, 2.5, True))
def tuple_items(t):
    """items of a mixed tuple"""
    return t[0], t[-1], len(t)


@construct(TYPES, (1, 2, 3), 1)
def tuple_item_by_variable(t, i):
    """an item of a tuple by a variable"""
    return t[i]


@construct(TYPES, (1, 2.5, True), 1)
def mixed_tuple_item_by_variable(t, i):
    """an item of a mixed tuple by a variable"""
    return t[i]


@construct(TYPES, (1, 2, 3, 4))
def tuple_slices(t):
    """slices of a tuple"""
    return t[1:], t[::2], t[::-1]


@construct(TYPES, (1, 2), (3.5,))
def tuple_concatenation(s, t):
    """`+` of tuples"""
    return s + t


@construct(TYPES, (1, 2))
def tuple_repetition(t):
    """`*` of a tuple and a constant"""
    return t * 2


@construct(TYPES, (1, 2), (1, 3))
def tuple_comparison(s, t):
    """comparisons of tuples"""
    return s == t, s != t, s < t, s >= t


@construct(TYPES, (vector(3), 2))
def array_in_a_tuple(t):
    """an array in a tuple"""
    t[0][0] = t[1]
    return t


@construct(TYPES, Point(1, 2.5))
def named_tuple_argument(p):
    """a named tuple as an argument"""
    return p.x + p.y


@construct(TYPES, 1)
def named_tuple_constructed(a):
    """a named tuple made and returned"""
    return Point(a, 2.5)


@construct(TYPES, range(2, 10, 3))
def range_argument(r):
    """a range as an argument"""
    total = 0
    for i in r:
        total += i
    return total, len(r)


@construct(TYPES, 5)
def range_returned(n):
    """a range returned"""
    return range(n)


@construct(TYPES, range(2, 10, 3))
def range_attributes(r):
    """`start`, `stop`, `step` and items of a range"""
    return r.start, r.stop, r.step, r[1]


@construct(TYPES, vector())
def slice_object(a):
    """`slice(...)` as an index"""
    s = slice(1, 4)
    return a[s]


@construct(TYPES, slice(1, 4), vector())
def slice_argument(s, a):
    """a slice as an argument"""
    return a[s]


@construct(TYPES)
def string_returned():
    """a string returned"""
    return "text"


@construct(TYPES, 3)
def string_chosen(a):
    """one of two strings returned"""
    return "large" if a > 2 else "small"


@construct(TYPES)
def strings_compared():
    """string constants compared"""
    return "a" == "a", "a" == "b", "a" != "b"


@construct(TYPES, "text")
def string_argument(s):
    """a string as an argument, compared"""
    return s == "text"


@construct(TYPES)
def bytes_compared():
    """bytes constants compared"""
    return b"a" == b"a", b"a" != b"b"


@construct(TYPES)
def bytes_returned():
    """bytes returned"""
    return b"ab"


@construct(TYPES)
def ellipsis_returned():
    """`...` returned"""
    return ...


@construct(TYPES, 2**70, ledger="int64-wrap")
def large_integer_argument(a):
    """an int beyond 64 bits as an argument"""
    return a


@construct(TYPES)
def large_integer_constant():
    """an int beyond 64 bits as a constant"""
    return 2**70


@construct(TYPES, [1, 2])
def list_argument(a):
    """a list as an argument"""
    return len(a)


@construct(TYPES, {"a": 1})
def dict_argument(a):
    """a dict as an argument"""
    return len(a)


@construct(TYPES, Counter(3))
def object_argument(a):
    """an object of a class as an argument"""
    return a.value


@construct(TYPES, np.array(["a", "b"]))
def string_array_argument(a):
    """an array of strings as an argument"""
    return len(a)


@construct(TYPES, np.array([1, 2], dtype=object))
def object_array_argument(a):
    """an array of objects as an argument"""
    return len(a)


@construct(TYPES, np.arange(3, dtype=">i4"))
def swapped_array_argument(a):
    """an array in the other byte order as an argument"""
    return len(a)


# --- builtins ---------------------------------------------------------------------------------

BUILTINS = "builtins"


@construct(BUILTINS, -3)
def abs_of_numbers(a):
    """`abs`"""
    return abs(a), abs(-2.5), abs(3 + 4j), abs(True)


@construct(BUILTINS, 0)
def bool_of_numbers(a):
    """`bool`"""
    return bool(a), bool(0.5), bool(0j), bool()


@construct(BUILTINS, -2.7)
def int_of_a_float(a):
    """`int`"""
    return int(a), int(True), int()


@construct(BUILTINS, 3)
def float_of_an_int(a):
    """`float`"""
    return float(a), float(True), float()


@construct(BUILTINS, 3)
def complex_of_numbers(a):
    """`complex`"""
    return complex(a), complex(a, -1), complex(1j)


@construct(BUILTINS, 7, -2)
def divmod_of_ints(a, b):
    """`divmod`"""
    return divmod(a, b), divmod(7.5, 2.0)


@construct(BUILTINS, 2, 10)
def pow_of_two(a, b):
    """`pow` with two arguments"""
    return pow(a, b), pow(2.0, 0.5)


@construct(BUILTINS, 3, 200, 13)
def pow_of_three(a, b, c):
    """`pow` with three arguments"""
    return pow(a, b, c)


@construct(BUILTINS, 2.5)
def round_of_a_float(a):
    """`round`"""
    return round(a), round(3.5), round(7)


@construct(BUILTINS, 2.675)
def round_to_digits(a):
    """`round` to digits"""
    return round(a, 2), round(1234, -2)


@construct(BUILTINS, 3, 1)
def min_max_of_numbers(a, b):
    """`min` and `max` of numbers"""
    return min(a, b), max(a, b, 2), min(2.5, 1.5)


@construct(BUILTINS, 3, 1.5, ledger="one-type")
def min_max_of_int_and_float(a, b):
    """`min` and `max` of int and float"""
    return min(a, b), max(a, b)


@construct(BUILTINS, (3, 1, 2))
def min_max_of_a_tuple(t):
    """`min` and `max` of a tuple"""
    return min(t), max(t)


@construct(BUILTINS, vector())
def min_max_of_an_array(a):
    """`min` and `max` of an array"""
    return min(a), max(a)


@construct(BUILTINS)
def min_of_a_range():
    """`min` and `max` of a range"""
    return min(range(3, 6)), max(range(3, 6))


@construct(BUILTINS, 3, -5)
def min_with_a_key(a, b):
    """`min` with `key`"""
    return min(a, b, key=abs)


@construct(BUILTINS, (1, 2, 3))
def sum_of_a_tuple(t):
    """`sum` of a tuple"""
    return sum(t), sum(t, 10)


@construct(BUILTINS, 5)
def sum_of_a_range(n):
    """`sum` of a range"""
    return sum(range(n))


@construct(BUILTINS, np.arange(5))
def sum_of_an_array(a):
    """`sum` of an array"""
    return sum(a)


@construct(BUILTINS, (1, 2.5), matrix())
def len_of_things(t, a):
    """`len`"""
    return len(t), len(a), len(range(1, 10, 4)), len("abc")


@construct(BUILTINS, 4)
def enumerate_a_range(n):
    """`enumerate`"""
    total = 0
    for i, x in enumerate(range(10, 10 + n)):
        total += i * x
    return total


@construct(BUILTINS, vector())
def enumerate_from(a):
    """`enumerate` of an array from a start"""
    total = 0.0
    for i, x in enumerate(a, 1):
        total += i * x
    return total


@construct(BUILTINS, vector(), np.arange(4))
def zip_of_arrays(a, b):
    """`zip` of two arrays"""
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


@construct(BUILTINS, (1, 2), (0.5, 1.5))
def zip_of_tuples(s, t):
    """`zip` of two tuples"""
    total = 0.0
    for x, y in zip(s, t):
        total += x * y
    return total


@construct(BUILTINS, 4)
def reversed_range(n):
    """`reversed` of a range"""
    total = 0
    for i in reversed(range(n)):
        total = total * 2 + i
    return total


@construct(BUILTINS, vector())
def reversed_array(a):
    """`reversed` of an array"""
    total = 0.0
    for x in reversed(a):
        total = total * 0.5 + x
    return total


@construct(BUILTINS, 3)
def isinstance_of_a_number(a):
    """`isinstance`"""
    return isinstance(a, int), isinstance(a, float), isinstance(a, (int, float))


@construct(BUILTINS, 3)
def print_numbers(a):
    """`print` of numbers"""
    print(a, 2.5, True, 1j, None)


@construct(BUILTINS, 3)
def print_text(a):
    """`print` of text and a number"""
    print("a is", a)


@construct(BUILTINS)
def print_nothing():
    """`print` of nothing"""
    print()


@construct(BUILTINS, 3)
def print_with_options(a):
    """`print` with `sep` and `end`"""
    print(a, a + 1, sep=", ", end=".\n")


@construct(BUILTINS, (1, 2.5))
def print_a_tuple(t):
    """`print` of a tuple"""
    print(t)


@construct(BUILTINS, np.arange(3))
def print_an_array(a):
    """`print` of an array"""
    print(a)


@construct(BUILTINS, 3)
def type_of_a_number(a):
    """`type` called as a conversion"""
    return type(a)(2.7)


@construct(BUILTINS, (0, 1, 2))
def any_all_of_a_tuple(t):
    """`any` and `all` of a tuple"""
    return any(t), all(t)


@construct(BUILTINS, np.array([True, False]))
def any_all_of_an_array(a):
    """`any` and `all` of an array"""
    return any(a), all(a)


@construct(BUILTINS)
def infinity():
    """`float("inf")`"""
    return float("inf"), float("-inf"), float("nan")


@construct(BUILTINS, 3)
def tuple_of_a_tuple(a):
    """`tuple` of a tuple"""
    return tuple((a, 1))


@construct(BUILTINS, 3)
def slice_indices(n):
    """`slice.indices`"""
    return slice(1, 10, 2).indices(n)


@construct(BUILTINS, (1, 2, 3))
def iter_and_next(t):
    """`iter` and `next`"""
    it = iter(t)
    return next(it) + next(it)


@construct(BUILTINS, square)
def callable_of_a_function(f):
    """`callable`"""
    return callable(f)


@construct(BUILTINS, 65)
def chr_and_ord(a):
    """`ord` of a constant"""
    return ord("A") + a


@construct(BUILTINS, 65)
def bin_and_hex(a):
    """`bin` and `hex`"""
    return bin(a), hex(a)


@construct(BUILTINS, 2.5)
def methods_of_floats(a):
    """methods of a float"""
    return a.is_integer(), a.conjugate()


@construct(BUILTINS, 13)
def methods_of_ints(a):
    """methods of an int"""
    return a.bit_length(), a.bit_count(), a.conjugate()


@construct(BUILTINS, 13)
def attributes_of_ints(a):
    """attributes of an int"""
    return a.real, a.imag, a.numerator, a.denominator


# --- math -------------------------------------------------------------------------------------

MATH = "math"


@construct(MATH, 0.5)
def trigonometry(x):
    """`sin`, `cos`, `tan`"""
    return math.sin(x), math.cos(x), math.tan(x)


@construct(MATH, 0.5)
def inverse_trigonometry(x):
    """`asin`, `acos`, `atan`, `atan2`"""
    return math.asin(x), math.acos(x), math.atan(x), math.atan2(x, -2.0)


@construct(MATH, 0.5)
def hyperbolic(x):
    """`sinh`, `cosh`, `tanh`"""
    return math.sinh(x), math.cosh(x), math.tanh(x)


@construct(MATH, 0.5)
def inverse_hyperbolic(x):
    """`asinh`, `acosh`, `atanh`"""
    return math.asinh(x), math.acosh(x + 1), math.atanh(x)


@construct(MATH, 2)
def roots(x):
    """`sqrt`, `cbrt`, `hypot`"""
    return math.sqrt(x), math.cbrt(x), math.hypot(x, 3.0)


@construct(MATH, 5)
def integer_root(n):
    """`isqrt`"""
    return math.isqrt(n)


@construct(MATH, 2.5)
def exponentials(x):
    """`exp`, `exp2`, `expm1`, `pow`"""
    return math.exp(x), math.exp2(x), math.expm1(x), math.pow(x, 3)


@construct(MATH, 2.5)
def logarithms(x):
    """`log`, `log2`, `log10`, `log1p`"""
    return math.log(x), math.log2(x), math.log10(x), math.log1p(x)


@construct(MATH, 8)
def logarithm_to_a_base(x):
    """`log` to a base"""
    return math.log(x, 3)


@construct(MATH, -2.5)
def to_integers(x):
    """`floor`, `ceil`, `trunc`"""
    return math.floor(x), math.ceil(x), math.trunc(x)


@construct(MATH, -2.5)
def signs(x):
    """`fabs`, `copysign`"""
    return math.fabs(x), math.copysign(3.0, x)


@construct(MATH, 7.5)
def remainders(x):
    """`fmod`, `remainder`"""
    return math.fmod(x, 2.0), math.remainder(x, 2.0)


@construct(MATH, 2.5)
def parts_of_a_float(x):
    """`modf`, `frexp`, `ldexp`"""
    return math.modf(x), math.frexp(x), math.ldexp(x, 3)


@construct(MATH, 12)
def common_divisors(n):
    """`gcd`, `lcm`"""
    return math.gcd(n, 18), math.lcm(n, 18)


@construct(MATH, 5)
def counting(n):
    """`factorial`, `comb`, `perm`"""
    return math.factorial(n), math.comb(n, 2), math.perm(n, 2)


@construct(MATH, 0.5)
def error_functions(x):
    """`erf`, `erfc`"""
    return math.erf(x), math.erfc(x)


@construct(MATH, 4.5)
def gamma_functions(x):
    """`gamma`, `lgamma`"""
    return math.gamma(x), math.lgamma(x)


@construct(MATH, 90.0)
def angles(x):
    """`radians`, `degrees`"""
    return math.radians(x), math.degrees(x)


@construct(MATH, math.inf)
def kinds_of_floats(x):
    """`isnan`, `isinf`, `isfinite`"""
    return math.isnan(x), math.isinf(x), math.isfinite(x)


@construct(MATH, 1.0)
def closeness(x):
    """`isclose`"""
    return math.isclose(x, x + 1e-12), math.isclose(x, 1.1, abs_tol=0.2)


@construct(MATH, 1.0)
def neighbors(x):
    """`nextafter`, `ulp`"""
    return math.nextafter(x, 2.0), math.ulp(x)


@construct(MATH)
def constants_of_math():
    """`pi`, `e`, `tau`, `inf`, `nan`"""
    return math.pi, math.e, math.tau, math.inf, math.nan


@construct(MATH, (1, 2, 3))
def product_of_a_tuple(t):
    """`prod`"""
    return math.prod(t)


@construct(MATH, (0.1, 0.2, 0.3))
def accurate_sum(t):
    """`fsum`"""
    return math.fsum(t)


@construct(MATH, (0.0, 3.0), (4.0, 0.0))
def distance(p, q):
    """`dist`"""
    return math.dist(p, q)


@construct(MATH, -1.0)
def root_of_a_negative(x):
    """a domain error"""
    return math.sqrt(x)


@construct(MATH, 1000.0)
def overflow_of_exp(x):
    """a range error"""
    return math.exp(x)


# --- cmath ------------------------------------------------------------------------------------

CMATH = "cmath"


@construct(CMATH, 1 + 2j)
def complex_root(z):
    """`sqrt`"""
    return cmath.sqrt(z), cmath.sqrt(-1)


@construct(CMATH, 1 + 2j)
def complex_exponential(z):
    """`exp`, `log`, `log10`"""
    return cmath.exp(z), cmath.log(z), cmath.log10(z)


@construct(CMATH, 1 + 2j)
def complex_trigonometry(z):
    """`sin`, `cos`, `tan`"""
    return cmath.sin(z), cmath.cos(z), cmath.tan(z)


@construct(CMATH, 1 + 2j)
def complex_inverse_trigonometry(z):
    """`asin`, `acos`, `atan`"""
    return cmath.asin(z), cmath.acos(z), cmath.atan(z)


@construct(CMATH, 1 + 2j)
def complex_hyperbolic(z):
    """`sinh`, `cosh`, `tanh`"""
    return cmath.sinh(z), cmath.cosh(z), cmath.tanh(z)


@construct(CMATH, 1 + 2j)
def polar_form(z):
    """`phase`, `polar`, `rect`"""
    return cmath.phase(z), cmath.polar(z), cmath.rect(2.0, 0.5)


@construct(CMATH, complex(1, math.inf))
def kinds_of_complex_numbers(z):
    """`isnan`, `isinf`, `isfinite`"""
    return cmath.isnan(z), cmath.isinf(z), cmath.isfinite(z)


@construct(CMATH)
def constants_of_cmath():
    """`pi`, `infj`"""
    return cmath.pi, cmath.infj


# --- operator ---------------------------------------------------------------------------------

OPERATOR = "operator"


@construct(OPERATOR, 7, 2)
def operator_arithmetic(a, b):
    """`add`, `sub`, `mul`"""
    return operator.add(a, b), operator.sub(a, b), operator.mul(a, b)


@construct(OPERATOR, 7, 2)
def operator_division(a, b):
    """`truediv`, `floordiv`, `mod`, `pow`"""
    return (
        operator.truediv(a, b),
        operator.floordiv(a, b),
        operator.mod(a, b),
        operator.pow(a, b),
    )


@construct(OPERATOR, 7, 2)
def operator_comparisons(a, b):
    """`lt`, `le`, `eq`, `ne`, `gt`, `ge`"""
    return operator.lt(a, b), operator.eq(a, b), operator.ne(a, b), operator.ge(a, b)


@construct(OPERATOR, 7, 2)
def operator_bits(a, b):
    """`and_`, `or_`, `xor`, `lshift`, `rshift`"""
    return operator.and_(a, b), operator.or_(a, b), operator.xor(a, b), operator.lshift(a, b)


@construct(OPERATOR, 7)
def operator_unary(a):
    """`neg`, `pos`, `invert`, `not_`, `truth`"""
    return operator.neg(a), operator.pos(a), operator.invert(a), operator.not_(a)


@construct(OPERATOR, vector())
def operator_items(a):
    """`getitem`, `setitem`"""
    operator.setitem(a, 0, 9.5)
    return operator.getitem(a, 0), operator.getitem(a, 1)


@construct(OPERATOR, 7)
def operator_in_place(a):
    """`iadd`, `imul`"""
    return operator.iadd(a, 2), operator.imul(a, 3)


@construct(OPERATOR, None)
def operator_identity(a):
    """`is_`, `is_not`"""
    return operator.is_(a, None), operator.is_not(a, None)


@construct(OPERATOR, 7)
def operator_as_argument(a):
    """an operator passed on"""
    return applied(operator.neg, a)


# --- array creation ---------------------------------------------------------------------------

CREATION = "array creation"


@construct(CREATION, 3)
def create_zeros(n):
    """`np.zeros(n)`"""
    return np.zeros(n)


@construct(CREATION, 3)
def create_ones(n):
    """`np.ones` of a shape and a dtype"""
    return np.ones((n, 2), dtype=np.int32)


@construct(CREATION, 3)
def create_empty(n):
    """`np.empty`, then filled"""
    a = np.empty((2, n), np.float32)
    a[:] = 1.5
    return a


@construct(CREATION, 3)
def create_full(n):
    """`np.full`"""
    return np.full(n, 2.5)


@construct(CREATION, 3)
def create_full_of_a_dtype(n):
    """`np.full` with a dtype"""
    return np.full((n, n), 2, dtype=np.float32)


@construct(CREATION, np.arange(3))
def create_zeros_like(a):
    """`np.zeros_like`"""
    return np.zeros_like(a)


@construct(CREATION, np.arange(3))
def create_ones_like(a):
    """`np.ones_like` with a dtype"""
    return np.ones_like(a, dtype=np.float64)


@construct(CREATION, matrix())
def create_empty_like(a):
    """`np.empty_like`, then filled"""
    b = np.empty_like(a)
    b[:] = a
    return b


@construct(CREATION, matrix())
def create_full_like(a):
    """`np.full_like`"""
    return np.full_like(a, 7)


@construct(CREATION, 5)
def create_arange(n):
    """`np.arange(n)`"""
    return np.arange(n)


@construct(CREATION, 0.5)
def create_arange_of_floats(start):
    """`np.arange(start, stop, step)` of floats"""
    return np.arange(start, 3.0, 0.5)


@construct(CREATION, 5)
def create_linspace(n):
    """`np.linspace`"""
    return np.linspace(0.0, 1.0, n)


@construct(CREATION, 3)
def create_eye(n):
    """`np.eye`"""
    return np.eye(n)


@construct(CREATION, 3)
def create_from_a_tuple(n):
    """`np.array` of a tuple"""
    return np.array((n, 2, 1))


@construct(CREATION, 3)
def create_from_a_list(n):
    """`np.array` of a list"""
    return np.array([n, 2, 1])


@construct(CREATION, 3)
def create_with_a_dtype_name(n):
    """a dtype by its name"""
    return np.zeros(n, "float32")


@construct(CREATION, 3)
def create_with_a_builtin_dtype(n):
    """`int` and `bool` as a dtype"""
    return np.zeros(n, int), np.ones(n, dtype=bool)


@construct(CREATION, vector(3))
def create_with_the_dtype_of_another(a):
    """the dtype of another array"""
    return np.zeros(2, a.dtype)


@construct(CREATION, matrix())
def create_with_the_shape_of_another(a):
    """the shape of another array"""
    return np.zeros(a.shape)


@construct(CREATION, -1)
def create_of_negative_size(n):
    """a negative size"""
    return np.zeros(n)


@construct(CREATION, matrix())
def ascontiguous(a):
    """`np.ascontiguousarray`"""
    return np.ascontiguousarray(a.T)


@construct(CREATION, vector())
def copy_by_function(a):
    """`np.copy`"""
    return np.copy(a)


# --- array indexing ---------------------------------------------------------------------------

INDEXING = "array indexing"


@construct(INDEXING, vector(), 2)
def index_by_a_variable(a, i):
    """an int"""
    return a[i]


@construct(INDEXING, vector(), -2)
def index_negative(a, i):
    """a negative int"""
    return a[i], a[-1]


@construct(INDEXING, matrix(), 1, 2)
def index_of_two(a, i, j):
    """two ints"""
    return a[i, j], a[i][j]


@construct(INDEXING, cube(), 1, 2, 3)
def index_of_three(a, i, j, k):
    """three ints"""
    return a[i, j, k], a[i, j][k]


@construct(INDEXING, matrix(), (1, 2))
def index_by_a_tuple(a, t):
    """a tuple of ints in a variable"""
    return a[t]


@construct(INDEXING, vector(), np.int8(2))
def index_of_a_small_type(a, i):
    """an int of another width"""
    return a[i]


@construct(INDEXING, vector(), np.uint64(2))
def index_unsigned(a, i):
    """an unsigned int"""
    return a[i]


@construct(INDEXING, vector(), True)
def index_by_a_bool(a, i):
    """a bool"""
    return a[i]


@construct(INDEXING, vector(), 1.0)
def index_by_a_float(a, i):
    """a float"""
    return a[i]


@construct(INDEXING, matrix())
def index_a_row(a):
    """a row"""
    return a[1]


@construct(INDEXING, matrix())
def index_a_column(a):
    """a column"""
    return a[:, 1]


@construct(INDEXING, vector(), 1, 4)
def index_by_a_slice(a, i, j):
    """`i:j`"""
    return a[i:j]


@construct(INDEXING, vector())
def index_by_half_a_slice(a):
    """`i:`, `:j` and `:`"""
    return a[2:], a[:2], a[:]


@construct(INDEXING, vector())
def index_by_a_step(a):
    """`::2`"""
    return a[::2]


@construct(INDEXING, vector())
def index_backward(a):
    """`::-1`"""
    return a[::-1]


@construct(INDEXING, vector())
def index_by_negative_bounds(a):
    """`-3:-1`"""
    return a[-3:-1]


@construct(INDEXING, vector())
def index_beyond_the_end(a):
    """a slice beyond the end"""
    return a[4:100], a[100:]


@construct(INDEXING, vector(), 0)
def index_by_step_zero(a, step):
    """a slice with step zero"""
    return a[::step]


@construct(INDEXING, matrix())
def index_a_block(a):
    """a block"""
    return a[1:3, ::2]


@construct(INDEXING, cube())
def index_int_and_slice(a):
    """int and slice mixed"""
    return a[1, :, 2], a[:, 0]


@construct(INDEXING, cube())
def index_by_ellipsis(a):
    """`...`"""
    return a[..., 0], a[1, ...], a[...]


@construct(INDEXING, vector())
def index_by_newaxis(a):
    """`np.newaxis`"""
    return a[:, np.newaxis], a[np.newaxis]


@construct(INDEXING, matrix())
def index_by_none_and_ellipsis(a):
    """None with `...`"""
    return a[..., None], a[0, None, 1:]


@construct(INDEXING, np.array(2.5))
def index_of_no_dimensions(a):
    """an array of no dimensions by `()`"""
    return a[()]


@construct(INDEXING, vector(), 2)
def store_an_item(a, i):
    """store an item"""
    a[i] = 9.5
    a[-1] = i
    return a


@construct(INDEXING, matrix())
def store_in_two_dimensions(a):
    """store an item in two dimensions"""
    a[1, 2] = 9.5
    a[0][1] = 8.5
    return a


@construct(INDEXING, np.zeros(3, np.int32))
def store_a_float_as_an_integer(a):
    """store a float into an array of ints"""
    a[1] = 2.7
    return a


@construct(INDEXING, np.zeros(3, np.bool_))
def store_an_int_as_a_bool(a):
    """store an int into an array of bools"""
    a[1] = 5
    return a


@construct(INDEXING, np.zeros(3, np.complex128))
def store_a_float_as_complex(a):
    """store a float into an array of complex numbers"""
    a[1] = 2.5
    return a


@construct(INDEXING, vector(), 3)
def index_too_many_dimensions(a, i):
    """too many indices"""
    return a[i, i]


# --- array views ------------------------------------------------------------------------------

VIEWS = "array views and assignment"


@construct(VIEWS, vector())
def view_shares_memory(a):
    """a view writes through"""
    b = a[1:4]
    b[0] = 100.0
    return a[1]


@construct(VIEWS, matrix())
def row_view_shares_memory(a):
    """a row writes through"""
    row = a[1]
    row[2] = 100.0
    return a


@construct(VIEWS, vector(10))
def view_of_a_view(a):
    """a view of a view"""
    return a[2:9][::2][1:]


@construct(VIEWS, matrix())
def transposed_view(a):
    """a transposed view writes through"""
    b = a.T
    b[2, 1] = 100.0
    return a[1, 2], b.shape


@construct(VIEWS, matrix())
def assign_a_number(a):
    """a number to a whole array"""
    a[:] = 3
    return a


@construct(VIEWS, matrix())
def assign_a_number_by_ellipsis(a):
    """a number by `...`"""
    a[...] = 3
    return a


@construct(VIEWS, vector())
def assign_a_number_to_a_slice(a):
    """a number to a slice with a step"""
    a[::2] = 0.5
    return a


@construct(VIEWS, matrix(), vector(4))
def assign_a_row_to_all(a, row):
    """a row to every row"""
    a[:] = row
    return a


@construct(VIEWS, matrix(), vector(4))
def assign_a_row(a, row):
    """a row to one row"""
    a[1] = row
    return a


@construct(VIEWS, matrix(), vector(3))
def assign_a_column(a, column):
    """a column to every column"""
    a[:] = column[:, None]
    return a


@construct(VIEWS, matrix())
def assign_to_a_column(a):
    """a number to a column"""
    a[:, 1] = -1.0
    return a


@construct(VIEWS, vector(8))
def assign_overlapping(a):
    """overlapping source and target"""
    a[1:] = a[:-1]
    return a


@construct(VIEWS, vector(), np.arange(6))
def assign_another_dtype(a, b):
    """an array of another dtype"""
    a[:] = b
    return a


@construct(VIEWS, vector())
def assign_a_tuple(a):
    """a tuple to a slice"""
    a[:3] = (1.0, 2.0, 3.0)
    return a


@construct(VIEWS, matrix(), vector(5))
def assign_of_another_shape(a, row):
    """shapes that do not fit"""
    a[:] = row
    return a


@construct(VIEWS, vector(3))
def array_rebound(a):
    """two arrays swapped in a loop"""
    b = np.zeros_like(a)
    for i in range(3):
        a, b = b, a
        a[0] = i
    return a, b


@construct(VIEWS, vector(3))
def argument_returned(a):
    """the argument returned"""
    return a


@construct(VIEWS, vector(3))
def arrays_returned(a):
    """views and new arrays in a tuple"""
    return a[1:], np.ones(2), a


@construct(VIEWS, vector(4), True)
def array_chosen(a, first):
    """one of two arrays"""
    b = a[:2] if first else a[2:]
    return b[0]


@construct(VIEWS, vector(4))
def identity_of_arrays(a):
    """`is` of arrays"""
    b = a
    return b is a


# --- array iteration --------------------------------------------------------------------------

ITERATION = "array iteration"


@construct(ITERATION, vector())
def iterate_by_index(a):
    """by index"""
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total


@construct(ITERATION, vector())
def iterate_over_items(a):
    """over items"""
    total = 0.0
    for x in a:
        total += x
    return total


@construct(ITERATION, vector(9))
def iterate_over_a_strided_view(a):
    """over a view with a step"""
    total = 0.0
    for x in a[::-2]:
        total = total * 0.5 + x
    return total


@construct(ITERATION, matrix())
def iterate_over_rows(a):
    """over rows"""
    total = 0.0
    for row in a:
        total = total * 0.5 + row[1]
    return total


@construct(ITERATION, matrix())
def iterate_over_rows_and_items(a):
    """over rows and their items"""
    total = 0.0
    for row in a:
        for x in row:
            total = total * 0.5 + x
    return total


@construct(ITERATION, matrix())
def iterate_over_columns(a):
    """over columns"""
    total = 0.0
    for column in a.T:
        total = total * 0.5 + column[2]
    return total


@construct(ITERATION, matrix())
def iterate_and_write(a):
    """rows changed while iterating"""
    for row in a:
        row[0] = 7.0
    return a


@construct(ITERATION, matrix())
def iterate_flat(a):
    """over `flat`"""
    total = 0.0
    for x in a.flat:
        total = total * 0.5 + x
    return total


@construct(ITERATION, matrix())
def iterate_ndenumerate(a):
    """`np.ndenumerate`"""
    total = 0.0
    for (i, j), x in np.ndenumerate(a):
        total += i * j * x
    return total


@construct(ITERATION, matrix())
def iterate_ndindex(a):
    """`np.ndindex`"""
    total = 0.0
    for i, j in np.ndindex(a.shape):
        total += a[i, j] * i
    return total


@construct(ITERATION, matrix())
def iterate_nditer(a):
    """`np.nditer`"""
    total = 0.0
    for x in np.nditer(a):
        total += x.item()
    return total


@construct(ITERATION, np.zeros(0))
def iterate_over_nothing(a):
    """over an empty array"""
    total = 1.0
    for x in a:
        total += x
    return total


# --- array attributes and methods -------------------------------------------------------------

ATTRIBUTES = "array attributes and methods"


@construct(ATTRIBUTES, cube())
def attribute_shape(a):
    """`shape`"""
    return a.shape, a.shape[1], len(a.shape)


@construct(ATTRIBUTES, cube())
def attribute_ndim_size(a):
    """`ndim`, `size`"""
    return a.ndim, a.size


@construct(ATTRIBUTES, np.zeros((2, 3), np.float32))
def attribute_sizes_in_bytes(a):
    """`itemsize`, `nbytes`, `strides`"""
    return a.itemsize, a.nbytes, a.strides


@construct(ATTRIBUTES, matrix())
def attribute_transposed(a):
    """`T`"""
    return a.T


@construct(ATTRIBUTES, matrix())
def attribute_dtype_compared(a):
    """`dtype` compared"""
    return a.dtype == np.float64


@construct(ATTRIBUTES, vector())
def attribute_dtype_called(a):
    """`dtype.type` called"""
    return a.dtype.type(3)


@construct(ATTRIBUTES, np.array([1 + 2j, 3j]))
def attribute_real_imag(a):
    """`real` and `imag` of a complex array"""
    return a.real, a.imag


@construct(ATTRIBUTES, vector())
def attribute_real_of_a_real_array(a):
    """`real` of a real array"""
    return a.real


@construct(ATTRIBUTES, matrix())
def attribute_flat_item(a):
    """an item of `flat`"""
    return a.flat[5]


@construct(ATTRIBUTES, matrix())
def attribute_flags(a):
    """`flags.c_contiguous`"""
    return a.flags.c_contiguous


@construct(ATTRIBUTES, vector())
def method_copy(a):
    """`copy`"""
    b = a.copy()
    b[0] = 100.0
    return a[0], b


@construct(ATTRIBUTES, vector())
def method_reshape(a):
    """`reshape`"""
    return a.reshape(2, 3), a.reshape((3, 2))


@construct(ATTRIBUTES, vector())
def method_reshape_unknown(a):
    """`reshape` with -1"""
    return a.reshape(2, -1)


@construct(ATTRIBUTES, matrix())
def method_ravel(a):
    """`ravel`, `flatten`"""
    return a.ravel(), a.flatten()


@construct(ATTRIBUTES, matrix())
def method_fill(a):
    """`fill`"""
    a.fill(2.5)
    return a


@construct(ATTRIBUTES, np.arange(6))
def method_sum(a):
    """`sum`"""
    return a.sum()


@construct(ATTRIBUTES, np.arange(6))
def method_prod(a):
    """`prod`"""
    return a.prod()


@construct(ATTRIBUTES, matrix())
def method_min_max(a):
    """`min`, `max`"""
    return a.min(), a.max()


@construct(ATTRIBUTES, matrix())
def method_argmin(a):
    """`argmin`, `argmax`"""
    return a.argmin(), a.argmax()


@construct(ATTRIBUTES, np.arange(8.0))
def method_mean(a):
    """`mean`"""
    return a.mean()


@construct(ATTRIBUTES, np.arange(8.0))
def method_std(a):
    """`std`, `var`"""
    return a.std(), a.var()


@construct(ATTRIBUTES, np.array([True, False]))
def method_any_all(a):
    """`any`, `all`"""
    return a.any(), a.all()


@construct(ATTRIBUTES, vector())
def method_astype(a):
    """`astype`"""
    return a.astype(np.float32)


@construct(ATTRIBUTES, matrix())
def method_transpose(a):
    """`transpose`"""
    return a.transpose()


@construct(ATTRIBUTES, np.arange(4))
def method_view(a):
    """`view` as another dtype"""
    return a.view(np.float64)


@construct(ATTRIBUTES, np.array([3.0, 1.0, 2.0]))
def method_sort(a):
    """`sort`"""
    a.sort()
    return a


@construct(ATTRIBUTES, np.arange(3))
def method_item(a):
    """`item`"""
    return a.item(1)


@construct(ATTRIBUTES, np.arange(6).reshape(2, 3))
def function_sum_along_axis(a):
    """`np.sum` along an axis"""
    return np.sum(a, axis=0)


@construct(ATTRIBUTES, matrix())
def function_shape(a):
    """`np.shape`, `np.ndim`, `np.size`"""
    return np.shape(a), np.ndim(a), np.size(a)


@construct(ATTRIBUTES, vector())
def missing_attribute(a):
    """an attribute that does not exist"""
    return a.no_such_attribute


@construct(ATTRIBUTES, 0.5)
def numpy_function_of_a_number(x):
    """`np.sqrt`, `np.sin` of a number"""
    return np.sqrt(x), np.sin(x)


@construct(ATTRIBUTES)
def constants_of_numpy():
    """`np.pi`, `np.inf`, `np.nan`"""
    return np.pi, np.inf, np.nan


# --- exceptions -------------------------------------------------------------------------------

EXCEPTIONS = "exceptions"


@construct(EXCEPTIONS, 3)
def raise_a_class(a):
    """`raise` of a class"""
    if a > 2:
        raise ValueError
    return a


@construct(EXCEPTIONS, 3)
def raise_with_text(a):
    """`raise` with a text"""
    if a > 2:
        raise ValueError("too large")
    return a


@construct(EXCEPTIONS, 3)
def raise_with_constants(a):
    """`raise` with several constants"""
    raise KeyError("name", 3, 2.5, None)


@construct(EXCEPTIONS, 3)
def raise_not_reached(a):
    """`raise` on a path not taken"""
    if a > 5:
        raise ValueError("too large")
    return a


@construct(EXCEPTIONS, 3)
def raise_with_a_variable(a):
    """`raise` with a computed argument"""
    raise ValueError(a + 1)


@construct(EXCEPTIONS, 3)
def raise_with_text_and_variable(a):
    """`raise` with a text and a variable"""
    raise ValueError("bad value", a)


@construct(EXCEPTIONS, 3)
def raise_with_f_string(a):
    """`raise` with an f-string"""
    raise ValueError(f"bad value {a}")


@construct(EXCEPTIONS, 3)
def raise_from(a):
    """`raise` ... `from None`"""
    raise ValueError("bad") from None


@construct(EXCEPTIONS, 3)
def raise_user_class(a):
    """`raise` of a class of the user"""
    raise TooLarge("by", 3)


@construct(EXCEPTIONS, 3)
def raise_global_instance(a):
    """`raise` of an exception in a variable"""
    error = ValueError("kept")
    if a > 2:
        raise error
    return a


@construct(EXCEPTIONS, 3)
def raise_stop_iteration(a):
    """`raise StopIteration`"""
    raise StopIteration


@construct(EXCEPTIONS, 3)
def raise_a_number(a):
    """`raise` of what is no exception"""
    raise a


@construct(EXCEPTIONS, 3)
def assert_plain(a):
    """`assert`"""
    assert a < 2
    return a


@construct(EXCEPTIONS, 3)
def assert_holds(a):
    """`assert` that holds"""
    assert a > 2, "never seen"
    return a


@construct(EXCEPTIONS, 3)
def assert_with_text(a):
    """`assert` with a message"""
    assert a < 2, "too large"
    return a


@construct(EXCEPTIONS, 3)
def assert_with_a_variable(a):
    """`assert` with a computed message"""
    assert a < 2, a
    return a


@construct(EXCEPTIONS, 3)
def assert_false(a):
    """`assert False`"""
    assert False, "unreachable"


@construct(EXCEPTIONS, vector(), 6)
def index_error(a, i):
    """IndexError of an array"""
    return a[i]


@construct(EXCEPTIONS, matrix(), -4)
def index_error_of_an_axis(a, i):
    """IndexError of the second axis"""
    return a[0, i - 1]


@construct(EXCEPTIONS, vector(), -7)
def index_error_of_a_store(a, i):
    """IndexError of a store"""
    a[i] = 0.0


@construct(EXCEPTIONS, (1, 2), 5)
def index_error_of_a_tuple(t, i):
    """IndexError of a tuple"""
    return t[i]


@construct(EXCEPTIONS, 3, 0)
def zero_division(a, b):
    """ZeroDivisionError of `/`"""
    return a / b


@construct(EXCEPTIONS, 3, 0)
def zero_floor_division(a, b):
    """ZeroDivisionError of `//`"""
    return a // b


@construct(EXCEPTIONS, 3.5, 0.0)
def zero_modulo(a, b):
    """ZeroDivisionError of `%` of floats"""
    return a % b


@construct(EXCEPTIONS, 1j, 0j)
def zero_complex_division(a, b):
    """ZeroDivisionError of complex numbers"""
    return a / b


@construct(EXCEPTIONS, 0.0)
def zero_to_a_negative_power(a):
    """ZeroDivisionError of a power"""
    return a**-1


@construct(EXCEPTIONS, 3, -1)
def negative_shift(a, n):
    """ValueError of a negative shift"""
    return a << n


@construct(EXCEPTIONS, math.nan)
def integer_of_nan(a):
    """ValueError of `int(nan)`"""
    return int(a)


@construct(EXCEPTIONS, 10.0, 400)
def overflow_of_a_power(a, b):
    """OverflowError of a power"""
    return a**b


@construct(EXCEPTIONS, vector())
def array_changed_before_exception(a):
    """an array changed before an exception"""
    a[0] = 100.0
    raise ValueError("afterward")


@construct(EXCEPTIONS, 10)
def exception_in_a_loop(n):
    """an exception in a loop"""
    total = 0
    for i in range(n):
        total += 10 // (5 - i)
    return total


# --- planned for later ------------------------------------------------------------------------


@construct(PLANNED, 3)
def list_display(a):
    """a list"""
    b = [a, 2, 3]
    return b[0] + len(b)


@construct(PLANNED, 3)
def list_append(n):
    """`append` to a list"""
    b = []
    for i in range(n):
        b.append(i * i)
    return b


@construct(PLANNED, 3)
def list_slices(a):
    """slices of a list"""
    b = [a, 2, 3, 4]
    return b[1:3]


@construct(PLANNED, 3)
def list_of_a_range(n):
    """`list` of a range"""
    return list(range(n))


@construct(PLANNED, 3)
def list_of_lists(n):
    """a list of lists"""
    b = [[1, 2], [3, n]]
    return b[1][1]


@construct(PLANNED, 3)
def list_methods(a):
    """`pop`, `insert`, `extend`, `sort`"""
    b = [a, 1, 2]
    b.extend((5, 4))
    b.insert(0, 9)
    b.sort()
    return b.pop()


@construct(PLANNED, 3)
def dict_display(a):
    """a dict"""
    d = {1: a, 2: 5}
    return d[1] + len(d)


@construct(PLANNED, np.array([1, 2, 1]))
def dict_counting(a):
    """a dict that counts"""
    d = {}
    for x in a:
        d[x] = d.get(x, 0) + 1
    return len(d), d[1]


@construct(PLANNED, 3)
def dict_loop(n):
    """a loop over `items` of a dict"""
    d = {1: 2, 3: n}
    total = 0
    for k, v in d.items():
        total += k * v
    return total


@construct(PLANNED, 3)
def set_display(a):
    """a set"""
    s = {a, 1, 3}
    return len(s), 1 in s


@construct(PLANNED, 3)
def set_operations(a):
    """operations of sets"""
    return len({a, 1} | {2}), len({a, 1} & {1})


@construct(PLANNED, "text")
def string_length(s):
    """`len` of a string"""
    return len(s)


@construct(PLANNED, "text")
def string_items(s):
    """items and slices of a string"""
    return s[0], s[1:3]


@construct(PLANNED, "text")
def string_concatenation(s):
    """`+` of strings"""
    return s + "!"


@construct(PLANNED, "text")
def string_methods(s):
    """`upper`, `find`, `startswith`"""
    return s.upper(), s.find("x"), s.startswith("t")


@construct(PLANNED, "a,b")
def string_split(s):
    """`split` and `join`"""
    return "-".join(s.split(","))


@construct(PLANNED, "text")
def string_loop(s):
    """a loop over a string"""
    n = 0
    for c in s:
        if c == "t":
            n += 1
    return n


@construct(PLANNED, 3)
def string_of_a_number(a):
    """`str` of a number"""
    return str(a)


@construct(PLANNED, "12")
def number_of_a_string(s):
    """`int` of a string"""
    return int(s)


@construct(PLANNED, 3)
def f_string(a):
    """an f-string"""
    return f"a = {a}"


@construct(PLANNED, 3.14159)
def f_string_with_format(a):
    """an f-string with a format"""
    return f"{a:8.3f}"


@construct(PLANNED, 3)
def percent_format(a):
    """`%` of a string"""
    return "a = %d" % a


@construct(PLANNED, 3)
def format_method(a):
    """`format` of a string"""
    return "a = {}".format(a)


@construct(PLANNED, b"ab")
def bytes_items(b):
    """items of bytes"""
    return b[0], len(b)


@construct(PLANNED, 4)
def list_comprehension(n):
    """a list comprehension"""
    return [i * i for i in range(n)]


@construct(PLANNED, 4)
def list_comprehension_with_condition(n):
    """a list comprehension with a condition"""
    return [i for i in range(n) if i % 2]


@construct(PLANNED, 3)
def nested_comprehension(n):
    """a comprehension with two loops"""
    return [i * j for i in range(n) for j in range(i)]


@construct(PLANNED, 3)
def dict_comprehension(n):
    """a dict comprehension"""
    return len({i: i * i for i in range(n)})


@construct(PLANNED, 5)
def set_comprehension(n):
    """a set comprehension"""
    return len({i % 2 for i in range(n)})


@construct(PLANNED, 5)
def generator_expression(n):
    """a generator expression"""
    return sum(i * i for i in range(n))


@construct(PLANNED, 5)
def any_of_a_generator(n):
    """`any` of a generator expression"""
    return any(i == 3 for i in range(n))


@construct(PLANNED, 3)
def generator_function(n):
    """`yield`"""
    for i in range(n):
        yield i * i


@construct(PLANNED, 3)
def generator_with_delegation(n):
    """`yield from`"""
    yield from range(n)


@construct(PLANNED, 3)
def generator_as_inner_function(n):
    """an inner generator function"""

    def squares():
        for i in range(n):
            yield i * i

    total = 0
    for x in squares():
        total += x
    return total


@construct(PLANNED, 0)
def try_except(a):
    """`try` and `except`"""
    try:
        return 1 // a
    except ZeroDivisionError:
        return -1


@construct(PLANNED, 0)
def try_except_as(a):
    """`except` ... `as`"""
    try:
        raise ValueError("text", a)
    except ValueError as error:
        return error.args[0]


@construct(PLANNED, 0)
def try_bare_except(a):
    """`except` without a class"""
    try:
        return 1 // a
    except:  # noqa: E722
        return -1


@construct(PLANNED, 2)
def try_else(a):
    """`try` with `else`"""
    try:
        b = 1 // a
    except ZeroDivisionError:
        return -1
    else:
        return b + 10


@construct(PLANNED, vector())
def try_finally(a):
    """`try` and `finally`"""
    try:
        return a[0]
    finally:
        a[0] = 100.0


@construct(PLANNED, 0)
def raise_again(a):
    """`raise` without an exception"""
    try:
        return 1 // a
    except ZeroDivisionError:
        raise


@construct(PLANNED, 3)
def except_group(a):
    """`except*`"""
    try:
        raise ExceptionGroup("several", (ValueError(a),))
    except* ValueError:
        a = 10
    return a


@construct(PLANNED, 3)
def with_statement(a):
    """`with`"""
    with np.errstate(divide="ignore"):
        return a + 1


@construct(PLANNED, 3)
def class_instance(a):
    """an object of a class made and used"""
    c = Counter(a)
    return c.next() + c.value


@construct(PLANNED, 3)
def class_statement(a):
    """`class` in a function"""

    class Inner:
        value = 3

    return Inner.value + a


@construct(PLANNED, 3)
def global_write(a):
    """a global written"""
    global CALLS
    CALLS = CALLS + a
    return CALLS


@construct(PLANNED, 3)
def async_function(a):
    """`async def` and `await`"""

    async def work(x):
        return x + 1

    async def all_work(x):
        return await work(x) * 2

    try:
        all_work(a).send(None)
    except StopIteration as stop:
        return stop.value


@construct(PLANNED, (3, 1, 2))
def sorted_tuple(t):
    """`sorted`"""
    return sorted(t)


@construct(PLANNED, (3, -1, 2))
def filter_a_tuple(t):
    """`filter`"""
    total = 0
    for x in filter(lambda x: x > 0, t):
        total += x
    return total


@construct(PLANNED, (3, -1, 2))
def map_a_tuple(t):
    """`map`"""
    total = 0
    for x in map(abs, t):
        total += x
    return total


@construct(PLANNED, 1 + 2j)
def getattr_of_a_number(z):
    """`getattr`"""
    return getattr(z, "real"), getattr(z, "missing", 5)  # noqa: B009


@construct(PLANNED, 1 + 2j)
def hasattr_of_a_number(z):
    """`hasattr`"""
    return hasattr(z, "real")


@construct(PLANNED, 3)
def hash_of_a_number(a):
    """`hash`"""
    return hash(a), hash(2.5)


@construct(PLANNED, False)
def input_of_text(ask):
    """`input`"""
    if ask:
        input()
    return 1


@construct(PLANNED, False)
def open_a_file(really):
    """`open`"""
    if really:
        open("name").close()
    return 1


@construct(PLANNED, 2.0)
def import_inside(a):
    """`import` in a function"""
    import math as m

    return m.sqrt(a)


@construct(PLANNED, 2.0)
def import_from_inside(a):
    """`from` ... `import` in a function"""
    from math import sqrt

    return sqrt(a)


@construct(PLANNED, np.datetime64("2024-03-01"), np.datetime64("2024-02-01"))
def datetime_difference(a, b):
    """`np.datetime64`"""
    return (a - b) / np.timedelta64(1, "D")


@construct(PLANNED, date(2024, 3, 1))
def python_date(d):
    """`datetime.date`"""
    return d.year


@construct(PLANNED, np.array([(1, 2.5), (3, 4.5)], dtype=[("n", "i8"), ("x", "f8")]))
def structured_array(a):
    """a structured array"""
    return a[1]["x"], a["n"][0]


@construct(PLANNED, vector(), np.array([3, 1]))
def fancy_index(a, i):
    """an array of ints as an index"""
    return a[i]


@construct(PLANNED, vector(), np.array([3, 1]))
def fancy_store(a, i):
    """a store at an array of ints"""
    a[i] = 100.0
    return a


@construct(PLANNED, vector())
def boolean_mask(a):
    """a mask as an index"""
    return a[a > 0]


@construct(PLANNED, vector())
def boolean_mask_store(a):
    """a store at a mask"""
    a[a < 0] = 0
    return a


@construct(PLANNED, vector(), np.arange(6))
def array_sum(a, b):
    """`+` of arrays"""
    return a + b


@construct(PLANNED, vector())
def array_and_number(a):
    """an expression of an array and numbers"""
    return 2 * a + 1 - a / 4


@construct(PLANNED, vector(4), vector(3))
def array_broadcast(a, b):
    """an expression that broadcasts"""
    return a[None, :] * b[:, None]


@construct(PLANNED, vector())
def array_comparison(a):
    """a comparison of an array"""
    return a > 0


@construct(PLANNED, vector())
def array_negation(a):
    """`-` of an array"""
    return -a


@construct(PLANNED, vector(), vector())
def array_in_place(a, b):
    """`+=` of arrays"""
    a += b
    return a


@construct(PLANNED, vector())
def ufunc_of_an_array(a):
    """`np.sqrt` of an array"""
    return np.sqrt(a[2:])


@construct(PLANNED, np.arange(4), np.arange(4)[::-1].copy())
def ufunc_of_two_arrays(a, b):
    """`np.maximum` of arrays"""
    return np.maximum(a, b)


@construct(PLANNED, vector())
def where(a):
    """`np.where`"""
    return np.where(a > 0, a, 0.0)


@construct(PLANNED, np.arange(3.0), np.arange(3.0))
def dot_product(a, b):
    """`np.dot` of vectors"""
    return np.dot(a, b)


@construct(PLANNED, np.eye(2), np.ones((2, 2)))
def matrix_product(a, b):
    """`@` of matrices"""
    return a @ b


@construct(PLANNED, np.array([[2.0, 0.0], [0.0, 4.0]]))
def linalg_inverse(a):
    """`np.linalg.inv`"""
    return np.linalg.inv(a)


@construct(PLANNED, np.array([[2.0, 0.0], [0.0, 4.0]]), np.ones(2))
def linalg_solve(a, b):
    """`np.linalg.solve`"""
    return np.linalg.solve(a, b)


@construct(PLANNED, 3)
def random_numbers(n):
    """`np.random.seed`, `np.random.random`"""
    np.random.seed(n)
    return np.random.random()


@construct(PLANNED, 3)
def random_generator(n):
    """`np.random.default_rng`"""
    return np.random.default_rng(n).random()


@construct(PLANNED, vector(3), vector(2))
def concatenated(a, b):
    """`np.concatenate`"""
    return np.concatenate((a, b))


@construct(PLANNED, np.array([3.0, 1.0, 2.0]))
def sorted_array(a):
    """`np.sort`"""
    return np.sort(a)


@construct(PLANNED, np.arange(5))
def cumulative_sum(a):
    """`np.cumsum`"""
    return np.cumsum(a)
