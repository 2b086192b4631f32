"""A comparison is told in the words that the user wrote, and they mean what it computes."""

from __future__ import annotations

import pytest

import cutaway

pytestmark = pytest.mark.sampled(test=2, others=12, fast=12)

LIMIT = 20

# A statement, and what is said of its comparisons: `w` is None, `v` is 3.
SAID = [
    ("if w is not None: r += 1", {"w is not None": False}),
    ("if w is None: r += 1", {"w is None": True}),
    ("if not w is None: r += 1", {"w is None": True}),
    ("if not w is not None: r += 1", {"w is not None": False}),
    ("r += 1 if w is not None else 2", {"w is not None": False}),
    ("while w is not None and r > 3: r -= 1", {"w is not None": False}),
    ("if r < 2 or w is not None: r += 1", {"w is not None": False}),
    ("assert w is None", {"w is None": True}),
    ("r += w is not None", {"w is not None": False}),
    ("r += not w is None", {"not w is None": False}),
    ("r += not (w is None)", {"not (w is None)": False}),
    ("r += not ((w is None))", {"not ((w is None))": False}),
    ("if v is not None: r += 1", {"v is not None": True}),
    ("if not v is None: r += 1", {"v is None": False}),
    ("if 0 < LIMIT < 10: r += 1", {"0 < LIMIT": True, "LIMIT < 10": False}),
    ("if not 0 < LIMIT < 10: r += 1", {"0 < LIMIT": True, "LIMIT < 10": False}),
    ("if 0 < LIMIT is not None: r += 1", {"0 < LIMIT": True, "LIMIT is not None": True}),
    ("if (LIMIT <  # a note\n        10 < 30): r += 1", {"LIMIT < 10": False}),
    ("s = 'ä'; r += 0 < LIMIT < 10", {"0 < LIMIT": True, "LIMIT < 10": False}),
    ("match w:\n        case None: r += 1", {"case None": True}),
    ("match LIMIT:\n        case 3 | 20: r += 1", {"case 3": False, "case 20": True}),
]


def sentences(statement: str, tmp_path) -> list[str]:
    """What the rewrites of a compilation say of a function with this statement."""
    path = tmp_path / "written.py"
    path.write_text(f"def written(r, w, v):\n    {statement}\n    return r\n")
    space = {"LIMIT": LIMIT}
    exec(compile(path.read_text(), str(path), "exec"), space)
    c = cutaway.trace(space["written"], 1, None, 3, level="rewrite")
    notes = [r.note for p in c.record.passes for r in p.rewrites]
    return notes + [f"{d.subject} {d.reason}" for d in c.record.decisions]


@pytest.mark.parametrize(("statement", "said"), SAID, ids=[row[0] for row in SAID])
def test_what_is_said_of_a_comparison_is_true_of_its_text(statement, said, tmp_path):
    notes = sentences(statement, tmp_path)
    for text, truth in said.items():
        assert f"`{text}` is {truth}" in notes
        assert f"`{text}` is {not truth}" not in notes
    always = [note for note in notes if "always" in note]
    wrong = [f"`{text}` it is always {str(not truth).lower()}" for text, truth in said.items()]
    wrong += [f"`{text}` is always {str(not truth).lower()}" for text, truth in said.items()]
    assert not [note for note in always if note.startswith(tuple(wrong))]


def test_without_its_source_a_comparison_is_compiled_all_the_same():
    text = "def f(w):\n    if w is not None:\n        return 0 < w < 10\n    return False\n"
    space: dict = {}
    exec(compile(text, "<nowhere>", "exec"), space)
    compiled = cutaway.jit(space["f"])
    assert [compiled(5), compiled(12), compiled(None)] == [True, False, False]
