"""Functions of numbers and arrays with `try` in all forms: machine code does what Python does."""

from __future__ import annotations

import cutaway
from corpus.control.cases import Cases

CASES = Cases()


class Own(ValueError):
    """An exception of the user's."""


@cutaway.jit
def halved(x):
    if x < 0:
        raise Own("less than zero", x)
    if x % 2:
        raise ValueError(x)
    return x // 2


@CASES.case((7, 2), (7, 0))
def quotient(a, b):
    try:
        return a // b
    except ZeroDivisionError:
        return -1


@CASES.case((4,), (5,), (-2,))
def by_class_and_by_order(x):
    try:
        return halved(x)
    except Own:
        return -1
    except ValueError:
        return -2


@CASES.case((4,), (5,), (-2,))
def by_a_tuple_of_classes(x):
    try:
        return halved(x)
    except (KeyError, Own):
        return -1


@CASES.case((4, 0), (4, 1), (4, 5))
def bare(x, y):
    values = (1, 2)
    try:
        x = halved(x) // y
        return x + values[y]
    except:  # noqa: E722
        return -1


@CASES.case(("fine", 4), ("fine", 5), ("fine", -2))
def text_of_the_exception(text, x):
    try:
        halved(x)
    except ValueError as e:
        text = str(e)
    return text


@CASES.case((5,), (-2,))
def written_exception(x):
    try:
        halved(x)
    except ValueError as e:
        return len(str(e)), isinstance(e, Own), isinstance(e, (KeyError, ValueError))
    return 0, False, False


@CASES.case((4,), (5,), (-2,))
def raised_again(x):
    try:
        return halved(x)
    except Own:
        raise
    except ValueError:
        return -1


@CASES.case((4,), (5,), (-2,))
def another_raised(x):
    try:
        return halved(x)
    except ValueError as e:
        raise KeyError(f"no half: {e}")  # noqa: B904


@CASES.case((4,), (5,), (-2,))
def else_is_not_guarded(x):
    try:
        y = halved(x)
    except Own:
        y = 7
    else:
        y += halved(y)
    return y


@CASES.case((4, 1), (5, 1), (4, 0), (5, 0))
def finally_on_every_way(x, y):
    steps = 0
    try:
        steps += 1
        x = halved(x)
        steps += 10
    except ValueError:
        steps += 100
        x = 1 // y
    finally:
        steps += 1000
    return steps, x


@CASES.case((4, 0), (5, 0), (5, 1))
def finally_that_returns(x, y):
    try:
        return halved(x)
    finally:
        if y:
            return -1  # noqa: B012


@CASES.case((6,), (20,))
def left_by_break_and_continue(n):
    s = 0
    for i in range(n):
        try:
            if i == 15:
                break
            s += halved(i)
        except ValueError:
            if i == 11:
                break
            continue
        finally:
            s += 100
    else:
        s += 100_000
    return s


@CASES.case((0,), (1,), (2,), (3,))
def nested_three_deep(x):
    try:
        try:
            try:
                if x == 0:
                    raise KeyError(x)
                if x == 1:
                    raise Own(x)
                return 10 // (x - 2)
            except KeyError:
                return 1 // x
            finally:
                x += 10
        except Own as e:
            raise RuntimeError(str(e))  # noqa: B904
    except ZeroDivisionError:
        return x


@CASES.case((0, 0), (0, 1), (1, 0))
def exceptions_in_a_handler(x, y):
    try:
        return 1 // x
    except ZeroDivisionError:
        try:
            return 1 // y
        except ZeroDivisionError:
            raise ValueError("both", x, y)  # noqa: B904


@CASES.case((0,), (1,))
def a_name_that_is_gone_after_the_handler(x):
    e = 5
    try:
        x = 1 // x
    except ZeroDivisionError as e:
        x = len(str(e))
    return x + e


@CASES.case((0,), (1,))
def what_was_assigned_before_it_raised(x):
    y = z = 1
    try:
        y = 2
        z = 1 // x
        y = 3
    except ZeroDivisionError:
        pass
    return y, z


@CASES.case((2, 0), (2, 1), (0, 0))
def another_one_with_its_cause(x, way):
    try:
        return 10 // x + halved(x - 3)
    except ValueError as e:
        if way:
            raise KeyError("halved", x) from e
        raise LookupError(e) from None
    except ZeroDivisionError as e:
        raise Own from e


@CASES.case((0,), (1,))
def with_no_cause_and_no_handler(x):
    if x:
        raise Own("no cause", x) from None
    return x


@CASES.case((0, 0), (0, 1), (0, 2), (1, 0))
def what_is_caught_is_raised_elsewhere(x, way):
    try:
        return 10 // x
    except ZeroDivisionError as e:
        try:
            return halved(way * 2 - 3)
        except ValueError as inner:
            if way == 0:
                raise e  # noqa: B904
            if way == 1:
                raise e from None
            raise e from inner


@CASES.case((0,), (1,))
def a_cause_that_is_handled_again(x):
    try:
        try:
            return 1 // x
        except ZeroDivisionError as e:
            raise ValueError("again", x) from e
    except ValueError as e:
        return len(str(e))


@CASES.case((-2,), (3,), (4,))
def its_arguments_as_numbers(x):
    try:
        return halved(x) * 1.0
    except Own as e:
        return float(e.args[-1]) + len(e.args)
    except ValueError as e:
        first = e.args[0]
        return int(first) * 100.0


@CASES.case((-2,), (3,))
def an_argument_that_is_no_number(x):
    try:
        return halved(x)
    except ValueError as e:
        return int(e.args[0])


@CASES.case((-2,), (3,))
def an_argument_that_is_not_there(x):
    try:
        return halved(x)
    except ValueError as e:
        return int(e.args[1])


@CASES.case((-2,), (3,))
def its_class(x):
    try:
        return halved(x)
    except ValueError as e:
        if type(e) is Own:
            return len(type(e).__name__)
        return 100 + (type(e) == ValueError) + 10 * (type(e) is not Own)  # noqa: E721


@CASES.case((-2,), (3,))
def what_it_has_is_handed_on(x):
    try:
        return halved(x)
    except ValueError as e:
        arguments = e.args
        raise LookupError(f"{type(e).__name__}: {arguments[0]}", arguments[0], type(e)) from e


@CASES.case((-2,), (3,), (4,))
def it_is_returned(x):
    try:
        halved(x)
    except Own as e:
        return e, e.args, e.args[0], type(e)
    except ValueError as e:
        return e, e.args, None, None
    return None


@CASES.case((0, 1, 0), (0, 3, 4), (0, 0, 0), (1, 0, 0))
def one_in_the_handler_of_the_handler(x, y, z):
    try:
        z = 1 // x
    except Exception as e:
        try:
            y -= 3 // y
            if (z, x)[y]:
                raise e from None
        except ZeroDivisionError:
            y = 5
        except:  # noqa: E722  ends two handlers at once where that is on 3.13
            y = (x, z)[y]
    return y


@CASES.case((5,), (0,))
def around_a_loop(n):
    s = 0
    try:
        for i in range(9):
            s += 60 // (n - i)
    except ZeroDivisionError:
        s += 1000
    return s


@CASES.case((3,), (0,))
def within_a_loop_that_goes_on(n):
    s = 0
    while n > -5:
        n -= 1
        try:
            s += 10 // n
        except ZeroDivisionError:
            s += 1000
    return s


@CASES.case((1,), (12,))
def recursion(n):
    def down(k):
        try:
            return 1 // (k - 7)
        except ZeroDivisionError:
            return k * 100

    s = 0
    for k in range(n):
        s += down(k)
    return s


@CASES.case((1, 2), (2, 1))
def assertions(a, b):
    try:
        assert a < b, "not in order"
    except AssertionError as e:
        return len(str(e))
    return 0
