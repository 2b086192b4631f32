"""How many lines of Python each folder of the package may have: it grows by a named reason alone.

A change that makes a folder smaller lowers its number.  One that needs more lines than it can take
away elsewhere in the folder has a row in `GROWN`: the lines, and what users have of them.
"""

from __future__ import annotations

from collections import Counter

from house.source import PATHS, ROOT

LINES: dict[str, int] = {
    ".": 2788,
    "caching": 2630,
    "commands": 493,
    "compat": 1462,
    "compiling": 1632,
    "cuda": 11595,
    "dispatch": 2318,
    "dispatch_c": 479,
    "drawing": 2309,
    "driver_c": 1,
    "extending": 6007,
    "foundation": 1983,
    "frontend": 3653,
    "gpu": 276,
    "inspection": 25038,
    "ir": 8853,
    "library": 39452,
    "lowering": 12474,
    "runtime": 411,
    "stages": 14845,
    "stencils": 460,
    "targets": 4000,
    "types": 208,
    "typing": 14973,
    "ufuncs": 1581,
}

# Folder, lines and reason: what was added that could not take the place of something else.
GROWN: list[tuple[str, int, str]] = [
    ("foundation", 113, "modules run at their first use: a program runs what it needs"),
    ("stages", 32, "what few programs need is imported by the name of its module"),
    ("ir", 3, "what few programs need is imported by the name of its module"),
    ("library", 26, "it says which modules run, and in which order"),
    ("library", 22, "`a.flat` is its own iterator, as in NumPy; unaligned matrices are multiplied"),
    ("typing", 2, "`a.flat` is its own iterator, as in NumPy"),
    ("ir", 62, "the table of reductions, which the library, passes and lowerings read"),
    ("lowering", 49, "sums of lines in NumPy's order, which the library had as bodies"),
    ("ir", 5, "`with` reads its methods in the order of each Python"),
    ("ir", 5, "what a loop raises has no context from the generator that was fused into it"),
    ("stages", 1, "what a loop raises has no context from the generator that was fused into it"),
    ("foundation", 133, "modules are read by a short path, and executed when a program needs them"),
    ("library", 80, "areas of operators are loaded by the types of their operands"),
    ("stages", 73, "passes run for the functions that have something for them"),
    ("frontend", 24, "what rewrites instructions is loaded for functions that have them"),
    ("targets", 2, "what is loaded at its first use"),
    (".", 28, "differences of containers, in the ledger"),
    ("compiling", 13, "calls that fill containers"),
    ("dispatch", 38, "arguments that are empty containers"),
    ("inspection", 14, "fingerprints of containers in explanations of calls"),
    ("dispatch_c", 20, "the rules of containers in Python"),
    ("library", 1976, "lists, dicts and sets: methods and operators, NumPy's functions of lists"),
    ("lowering", 401, "lists, dicts and sets in machine code"),
    ("stages", 91, "containers that iterations of a parallel loop share"),
    ("dispatch_c", 2, "frozensets, as sets that are keys"),
    ("inspection", 2, "frozensets, as sets that are keys"),
    ("library", 195, "frozensets, and `hash`"),
    ("lowering", 29, "containers as arguments of exceptions"),
    ("library", 170, "tuples of run-time length; starred targets of any iterable"),
    ("inspection", 2, "deques in explanations of calls, and as copies"),
    ("library", 320, "deques: their methods and operators"),
    ("typing", 40, "deques, and calls of classes that make empty containers"),
    ("library", 30, "set algebra of the keys and the items of a dict"),
    ("library", 80, "texts of values that change later are made of copies"),
    ("lowering", 12, "texts of values that change later are made of copies"),
    ("typing", 26, "texts of values that change later are made of copies"),
    ("lowering", 60, "tuples of run-time length, which conversions make"),
    ("typing", 95, "tuples of run-time length, and their unions"),
    ("stages", 41, "constant frozensets become sets where they are more than read"),
    ("typing", 75, "frozensets, as sets that are keys"),
    ("typing", 1409, "types of containers, which their uses determine, and their errors"),
    ("foundation", 12, "the call that an inserted body replaces, as a location"),
    ("typing", 90, "explanations of the contents of containers, by the lines that determine them"),
    (".", 560, "`cutaway.typed`: native containers with the protocol of the built-in ones"),
    ("library", 165, "native containers in compiled code: their classes, and empty ones"),
    ("lowering", 30, "native containers as constants; a list with exported memory does not grow"),
    ("runtime", 21, "native containers as constants"),
    ("caching", 3, "what names a native container is not cached"),
    ("dispatch_c", 12, "the rules of native containers in Python"),
    ("inspection", 3, "native containers in explanations of calls"),
    ("typing", 110, "native containers: types that cross without a copy; types as constants"),
    ("types", 2, "the types of native containers"),
    ("lowering", 6, "functions that are linked, and starred targets of any length"),
    ("typing", 273, "items of containers that are lent, and arguments that are not changed"),
    ("lowering", 185, "look-ups in dicts that are inlined, or done once for a pair"),
    ("stages", 142, "effects on arguments, and names of one container"),
    ("library", 69, "`get` of a dict in place, lists of numbers sorted as arrays are"),
    ("targets", 7, "functions of the runtime that are inlined"),
    ("compiling", 4, "effects on arguments in descriptors"),
    ("dispatch", 1, "effects on arguments in explanations"),
    ("inspection", 8, "effects on arguments in explanations"),
    ("library", 1010, "heapq, bisect, itertools, hash, getters of operator, loops over texts"),
    ("extending", 56, "generator functions that stand for functions of Python"),
    ("typing", 245, "calls that fill lists, strict zips, and loops that take all values"),
    ("stages", 41, "generators of the library in loops, and which of its displays make lists"),
]

SLACK = 150  # lines by which a number may be too high before it has to be lowered


def lines_by_folder() -> dict[str, int]:
    lines: Counter[str] = Counter()
    for path in PATHS.values():
        parts = path.relative_to(ROOT).parts
        folder = parts[0] if len(parts) > 1 else "."
        lines[folder] += len(path.read_text(encoding="utf-8").splitlines())
    return dict(lines)


def permitted() -> Counter[str]:
    most = Counter(LINES)
    for folder, count, _ in GROWN:
        most[folder] += count
    return most


def test_no_folder_grows_without_a_reason():
    most = permitted()
    too_many = {
        folder: f"{count} lines, and {most[folder]} are permitted"
        for folder, count in lines_by_folder().items()
        if count > most[folder]
    }
    assert too_many == {}


def test_what_a_folder_has_lost_it_does_not_get_back():
    now, most = lines_by_folder(), permitted()
    too_high = {
        folder: f"lower its number: it has {now.get(folder, 0)} lines, and {count} are permitted"
        for folder, count in most.items()
        if count > now.get(folder, 0) + SLACK
    }
    assert too_high == {}


def test_each_reason_is_a_sentence():
    assert all(len(reason) > 20 and count > 0 for _, count, reason in GROWN)
