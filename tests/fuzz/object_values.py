"""The expressions of made-up programs with objects: numbers, texts, containers, objects, calls.

Variables are of kinds by their first letter, so that most of what is written makes sense, and that
nothing grows without an end: `n` numbers, `t` texts, `l` lists and tuples, `d` dictionaries, `o`
objects, `g` generators, `f` functions, `v` anything.
"""

from __future__ import annotations

import re
from random import Random

KINDS = {
    "n": ("n0", "n1", "n2"),
    "t": ("t0", "t1"),
    "l": ("l0", "l1"),
    "d": ("d0",),
    "o": ("o0", "o1"),
    "g": ("g0",),
    "f": ("f0",),
    "v": ("v0", "v1"),
}
# What is written where there is no room for more, or at times: variables and constants.
SHORT = {
    "number": ("<n>", "<n>", "<n>", "0", "1", "2", "-1", "2.5", "-0.0", "True", "2**70", "-2**63"),
    "condition": ("<n>", "<v> is None", "not <v>", "<o>", "<l>", "<n> < <n>"),
    "text": ("<t>", "<t>", "''", "'ab'", "'äö€'", "'x' 'y'", "str(1.5)"),
    "items": ("<l>", "<l>", "[]", "(1, 2, 3)", "range(3)"),
    "table": ("<d>",),
    "object": ("<o>",),
    "value": ("<v>", "<n>", "<t>", "<l>", "<o>", "None"),
    "sized": ("<t>", "<l>", "<d>", "<o>"),
    "group": ("{<n>, 1}", "set(<t>)"),
    "generator": ("<g>", "gen0(<n>)", "(<element> for i in <l>)"),
    "element": ("i != <n>", "i", "not i", "[i, <n>]", "say(i)", "(i, <v>)"),
    "call": ("helper0(<v>)", "f0(<n>)"),
}
# Forms of each kind of expression, with the kinds of what is in them: `<n>` is a variable.
FORMS = {
    "value": (
        *("<number>", "<text>", "<items>", "<table>", "<object>", "<call>", "<odd>", "<group>"),
        *("<value>", "<odd>", "<call>"),
    ),
    "number": (
        *("(<number> + <number>)", "(<number> - <number>)", "(<number> * <number> % 1000003)"),
        *("(<number> // <number>)", "(<number> % <number>)", "(<number> / <number>)"),
        *("(<number> ** 2 % 10**25)", "(int(<number>) << 3)", "-<number>", "abs(<number>)"),
        *("(int(<number>) & 255 | 64 ^ <n>)", "(<number> if <condition> else <number>)"),
        *("(<number> and <number> or 3)", "len(<sized>)", "sum(<items>)", "<object>.a"),
        *("divmod(<number>, <number>)[0]", "(<n> := <number>)", "round(<number>, 1)"),
    ),
    "condition": (
        *("<number> < <number>", "<number> == <number> != 3", "0 <= <number> < <number>"),
        *("not <value>", "<value> is None", "<value> in <sized>", "<number> and not <value>"),
        *("isinstance(<value>, (C0, int))", "<number> > 1 or <object> == <value>"),
        *("<text> < <text>", "<value> not in <items>", "<object> < <object>", "<value> == <value>"),
        *("<value> is not <value>", "hasattr(<object>, 'a')"),
    ),
    "text": (
        *("(<text> + <text>)[:40]", "(<text> * 3)[:20]", "<text>.upper()", "<text>.strip('a')"),
        *("<text>.replace('a', 'bb')[:30]", "<text>.partition('b')[0]", "<text>[1:]"),
        *("<text>[<number>]", "<text>.join(map(str, <items>))[:40]", "str(<number>)"),
        *("repr(<items>)[:30]", "'%s|%r' % (<text>, <number>)", "'{}-{!r}'.format(<t>, <value>)"),
        *("f'{<n>}-{<t>!r}'", 'f"{<o>}{<n>:>5}"', "f'{<o>:x}{<number>!s}'", "f'{<t>:<{n0}}'[:30]"),
        *("f'{<v>!a:.4}{{}}'", "f'{<n>=}'"),
    ),
    "items": (
        *("[<value>, <value>]", "(<value>, <value>)", "[<value>, *<items>][:7]", "(<items>)[1:]"),
        *("(*<l>, <value>)[:7]", "(<items>)[::-1][:6]", "sorted(<items>, key=str)"),
        *("list(<object>)[:5]", "list(<d>.items())", "[*zip(<items>, <t>)][:5]"),
        *("[i for i in <items> if <element>][:6]", "tuple(<element> for i in <items>)"),
        *("[(i, j) for i in <items> for j in <l> if i][:6]", "[(lambda: i)() for i in <l>]"),
        *("[[<n> for j in range(2)] for i in range(2)]", "list(<generator>)[:5]"),
        *("[<number>, <number>, *<generator>][:5]", "list(map(<function>, <items>))"),
    ),
    "table": (
        *("{'a': <value>, 'k': <value>}", "{**<d>, 'b': <value>}", "{<number>: <value>, <t>: 1}"),
        *("{i: <n> for i in <items>}", "dict(a=<value>, **<d>)", "dict(zip('abc', <items>))"),
        *("(<table> | {'z': <value>})", "{**<table>, **<d>}"),
    ),
    "sized": ("<text>", "<items>", "<table>", "<object>", "<group>"),
    "group": (
        *("{<number>, <number>, *<t>}", "{<element> for i in <items>}", "(set(<t>) - {'a'})"),
        *("frozenset((<number>, 1))", "(<group> & {1, 2, 'a'})"),
    ),
    "object": (
        *("<class>(<number>)", "<class>(<number>, b=<value>)", "(<object> + <number>)"),
        *("(<number> + <object>)", "<object>.again()", "<class>.made(<number>)"),
        *("(<o> or <object>)", "(<object> if <condition> else <o>)"),
    ),
    "odd": (
        *("None", "<object>.p", "<object>.b", "<object>.missing", "<object>.method(<value>)"),
        *("<object>.above()", "<object>.method.__name__"),
        *("<object>[<number>]", "<object>(<value>)", "<d>['a']", "<table>.get(<text>)"),
        *("<l>[<number>]", "<items>[<n>:2]", "(lambda p, q=<number>: (p, q, <n>))(<value>)"),
        *("getattr(<object>, 'a', 5)", "GLOBAL", "<function>", "<generator>", "<object>.method"),
        *("deep(<n>, <value>)", "deep(20, <value>)", "say(<value>)", "(say(<n>), <value>)[1]"),
        *("<class>.limit", "(<value> or <value>)", "(<value> and <value>)", "type(<value>)"),
    ),
    "generator": ("gen0(<number>)", "(<element> for i in <items>)", "<g>", "iter(<items>)"),
    "element": ("(i, <value>)", "<function>(i)", "(n0 := i)", "<number>", "[j for j in <items>]"),
    "function": ("helper0", "helper1", "made0", "made1", "<f>", "C0", "str", "<o>.method"),
    "class": ("C0", "C1"),
    "error": ("ValueError", "KeyError", "Own", "ZeroDivisionError", "TypeError", "Exception"),
    "resumed": (
        *("next(<g>)", "next(<g>, None)", "<g>.send(<value>)", "<g>.throw(Own('thrown', <n>))"),
        *("<g>.throw(KeyError)", "<g>.close()", "list(<g>)[:6]", "[*<g>][:4]", "next(<generator>)"),
    ),
    "call": ("<function>(<arguments>)", "helper0(<arguments>)", "made0(<arguments>)"),
    "arguments": (
        *("<value>", "<value>, <value>", "<value>, q=<value>", "*<items>", "<value>, **<d>"),
        *("<value>, *<l>, q=<value>", "*(<value>, 2), **{'k': <number>}", "p=<value>, k=<value>"),
        *("*<generator>", "<value>, *<items>, *<l>", "<value>, **<d>, **<table>", ""),
    ),
}
DEPTH = 2
_PLACE = re.compile(r"<([a-z]+)>")


class Values:
    """Writes expressions."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def one(self, *texts: str) -> str:
        """One of some texts, filled in."""
        return self.filled(self.random.choice(texts))

    def chance(self, probability: float) -> bool:
        """Whether something that is so likely is to be."""
        return self.random.random() < probability

    def filled(self, text: str, depth: int = DEPTH) -> str:
        """A text with its places filled in."""
        return _PLACE.sub(lambda place: self._fill(place[1], depth), text)

    def _fill(self, kind: str, depth: int) -> str:
        if kind in KINDS:
            return self.random.choice(KINDS[kind])
        if kind in SHORT and (depth <= 0 or self.chance(0.35)):
            return self.filled(self.random.choice(SHORT[kind]), depth - 1)
        return self.filled(self.random.choice(FORMS[kind]), depth - 1)
