"""Every construct works or is refused clearly, and docs/battery.md says which."""

from __future__ import annotations

import os

import pytest

from corpus.battery.constructs import CONSTRUCTS
from corpus.battery.run import DOCUMENT, document, results, wrong
from cutaway.ledger import ENTRIES

pytestmark = [pytest.mark.sampled(others=3, fast=0), pytest.mark.usefixtures("one_processor")]


def test_nothing_is_wrong():
    assert not wrong(), "\n".join(wrong())


def test_constructs_have_names_and_titles_of_their_own():
    for section in {c.section for c in CONSTRUCTS}:
        titles = [c.title for c in CONSTRUCTS if c.section == section]
        assert len(set(titles)) == len(titles) and all(titles), section
        assert not any("\n" in title for title in titles), section
    assert len({c.name for c in CONSTRUCTS}) == len(CONSTRUCTS)


def test_no_section_is_split():
    order = list(dict.fromkeys(c.section for c in CONSTRUCTS))
    assert [c.section for c in CONSTRUCTS] == sorted(
        (c.section for c in CONSTRUCTS), key=order.index
    )


def test_every_refusal_has_a_message():
    explained = ("clear error", "planned", "permitted")
    assert all(bool(r.message) == (r.kind in explained) for r in results())


def test_permitted_differences_are_in_the_ledger_and_are_there():
    for result in results():
        if result.construct.ledger:
            assert result.kind == "permitted", (result.construct.name, result.kind)
            assert result.construct.ledger in ENTRIES


def test_document_is_up_to_date():
    if os.environ.get("CUTAWAY_BLESS"):
        DOCUMENT.parent.mkdir(exist_ok=True)
        DOCUMENT.write_text(document())
    if not DOCUMENT.exists():
        pytest.skip("docs/battery.md is not written")
    assert DOCUMENT.read_text() == document(), "CUTAWAY_BLESS=1 writes it anew"
