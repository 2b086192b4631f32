"""Integer feasibility of equations and inequalities, by elimination of variables.

A form is a sum of variables with factors, and of a constant: `{"i": 2, "": -1}` is 2 * i - 1.  A
variable need not be a single one: a product is one of its own.  No is certain, yes is not: the
elimination is that of rational numbers, but for remainders, and it is given up where it grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

Form = Mapping[str, int]
CONSTANT = ""
_MOST = 200  # inequalities


def plus(one: Form, other: Form, times: int = 1) -> dict[str, int]:
    """Return the sum of a form and a multiple of another one."""
    result = dict(one)
    for name, factor in other.items():
        result[name] = result.get(name, 0) + factor * times
    return {name: factor for name, factor in result.items() if factor}


def is_possible(equal: Iterable[Form], positive: Iterable[Form]) -> bool:
    """True if there may be integers for which the forms of `equal` are 0, and those of `positive` 0
    or more."""
    zeros, rest = [dict(form) for form in equal], [dict(form) for form in positive]
    while zeros:
        form = zeros.pop()
        step = gcd(*(factor for name, factor in form.items() if name))
        offset = form.get(CONSTANT, 0)
        if step == 0 or offset % step:
            if offset:
                return False
            continue
        form = {name: factor // step for name, factor in form.items()}
        unit = next((name for name, factor in form.items() if name and abs(factor) == 1), None)
        if unit is None:
            rest += [form, plus({}, form, -1)]
            continue
        zeros = [_without(one, unit, form) for one in zeros]
        rest = [_without(one, unit, form) for one in rest]
    return _is_possible(rest)


def _without(form: dict[str, int], name: str, zero: dict[str, int]) -> dict[str, int]:
    """Return a form with a variable substituted by an equation."""
    return plus(form, zero, -form.get(name, 0) * zero[name])


def _is_possible(forms: list[dict[str, int]]) -> bool:
    while True:
        known = _tight(forms)
        if known is None:
            return False
        names = {name for form in known for name in form if name}
        if not names or len(known) > _MOST:
            return True
        name = min(names, key=lambda one: (_growth(known, one), one))
        above = [form for form in known if form.get(name, 0) > 0]
        below = [form for form in known if form.get(name, 0) < 0]
        forms = [form for form in known if name not in form]
        forms += [plus(plus({}, a, -b[name]), b, a[name]) for a in above for b in below]


def _growth(forms: list[dict[str, int]], name: str) -> int:
    above = sum(form.get(name, 0) > 0 for form in forms)
    below = sum(form.get(name, 0) < 0 for form in forms)
    return above * below - above - below


def _tight(forms: list[dict[str, int]]) -> list[dict[str, int]] | None:
    """Return the inequalities without common factors, each once; None if one cannot hold."""
    found: dict[tuple[tuple[str, int], ...], int] = {}
    for form in forms:
        rows = sorted((name, factor) for name, factor in form.items() if name)
        offset = form.get(CONSTANT, 0)
        if not rows:
            if offset < 0:
                return None
            continue
        step = gcd(*(factor for _, factor in rows))
        key = tuple((name, factor // step) for name, factor in rows)
        found[key] = min(found.get(key, offset // step), offset // step)
    return [{**dict(key), CONSTANT: offset} for key, offset in found.items()]
