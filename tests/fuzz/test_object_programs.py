"""A sample of the fuzzers of object mode; `make fuzz WHICH=objects` runs many."""

from __future__ import annotations

import pytest

import corpora
from fuzz import objects, other_objects
from fuzz.batches import FINDING, REFUSED, SAME, Verdict, run

CHECKS = {
    "OBJECTS": ("objects", objects.check),
    "OBJECT_LEVELS": ("object-levels", objects.check_levels),
    "OBJECT_OTHERS": ("object-others", other_objects.check),
}


@pytest.mark.parametrize("corpus", CHECKS)
def test_made_up_programs_do_in_object_mode_what_they_do_in_python(corpus: str):
    what, check = CHECKS[corpus]
    report = run(check, corpora.seeds(corpus))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz {what} 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
    assert report.counts[REFUSED] <= 0.1 * sum(report.counts.values()), str(report)


# --- what the checks see --------------------------------------------------------------------------

BEGIN = """\
LEFT, LIVE, GLOBAL = [250], {}, 3
class C0:
    def __init__(self, a):
        self.a = a
@jit
def program(p, q, *rest, k=4):
"""


def judged(body: str, monkeypatch: pytest.MonkeyPatch, jit: objects.Jit | None = None) -> Verdict:
    """What is said of a program whose compiled functions are replaced by others."""
    if jit is not None:
        monkeypatch.setattr(objects, "compiled", jit)
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return objects.compare(BEGIN + lines, "<judged>")


def test_what_is_the_same_is_not_found(monkeypatch):
    assert judged("print(p)\nreturn [q]", monkeypatch).kind == SAME


def test_a_result_an_output_and_a_line_that_differ_are_found(monkeypatch):
    def other(function):
        return lambda *args: print("more") or function(*args)

    def equal(function):
        return lambda *args: 1 if function(*args) is True else True

    def later(function):
        def raises(*args):
            raise KeyError(1)

        return raises

    for body, jit in (("return q", other), ("return True", equal), ("raise KeyError(1)", later)):
        verdict = judged(body, monkeypatch, jit)
        assert verdict.kind == FINDING and verdict.words, body


def test_references_and_memory_that_are_left_are_found(monkeypatch):
    kept: list[object] = []

    def keeps(function):
        return lambda *args: kept.append(args[0]) or function(*args)

    verdict = judged("return 1", monkeypatch, keeps)
    assert verdict.kind == FINDING and "[1, 0]" in verdict.words

    def grows(function):
        return lambda *args: kept.append(bytearray(1000)) or function(*args)

    verdict = judged("return 1", monkeypatch, grows)
    assert verdict.kind == FINDING and "blocks of memory" in verdict.words


def test_a_seed_gives_always_the_same_program():
    assert objects.written(7) == objects.written(7)
    assert objects.written(7) != objects.written(8)


def test_most_programs_get_far():
    """Made-up programs that raise at once would prove little."""
    ends = []
    for seed in range(20):
        module = objects.Module(objects.written(seed), f"<objects {seed}>", objects.plain)
        ends += [found[0] for found in module.outcomes(module.names["program"])[::2]]
    assert ends.count("returned") > 0.5 * len(ends)
