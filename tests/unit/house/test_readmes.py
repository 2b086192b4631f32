"""Each folder has a short README, and no page for readers names a file that is not there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from house.source import ROOT
from house.test_imports import MAY_IMPORT

PROJECT = ROOT.parents[1]
LONGEST = 15  # lines
LONG = {"dispatch_c"}  # it has guards, type codes and conversions in detail

FOLDERS = sorted({p.parent for ending in ("*.py", "*.c") for p in ROOT.rglob(ending)})
PAGES = [
    PROJECT / "ARCHITECTURE.md",
    PROJECT / "HACKING.md",
    PROJECT / "docs" / "README.md",
    *sorted((PROJECT / "docs" / "dev").glob("*.md")),
    *(folder / "README.md" for folder in FOLDERS),
]
SPEAK_OF_ALL = (PROJECT, PROJECT / "docs" / "dev")  # a bare name may be that of any file
# A file or a folder as pages name it: `ir/nodes.py`, `boxing.c`, `drawing/`.
NAMED = re.compile(r"`((?:[\w.]+/)*[\w.]+\.(?:py|c|h|js|css|html|json|md|txt)|(?:[\w.]+/)+)`")
NAMES = {p.name for part in ("src", "tests") for p in (PROJECT / part).rglob("*") if p.is_file()}


def name_of(path: Path) -> str:
    return str(path.relative_to(PROJECT))


def missing(text: str, folder: Path) -> list[str]:
    """The files that a page names and that are not there: from the page, the package or one of
    its folders, the tests, or the project; a bare name may be that of any file."""
    tests = [PROJECT / "tests", PROJECT / "tests" / "corpus"]
    starts = (folder, ROOT, PROJECT, *tests, ROOT / "inspection", ROOT / "dispatch_c")
    return [
        name
        for name in NAMED.findall(text)
        if not any((start / name).exists() for start in starts)
        and not ("/" not in name and folder in SPEAK_OF_ALL and name in NAMES)
    ]


def links(text: str) -> list[str]:
    """The files that a page links to; code has no links."""
    prose = re.sub(r"```.*?```|`[^`\n]*`|^ {4}.*$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)", prose)


@pytest.mark.parametrize("name", ["README.md", "HACKING.md"])
def test_the_first_pages_are_short(name):
    assert len((PROJECT / name).read_text(encoding="utf-8").splitlines()) <= 120


def test_each_link_of_a_page_for_users_leads_somewhere():
    pages = [PROJECT / "README.md", PROJECT / "CHANGELOG.md", *(PROJECT / "docs").glob("*.md"),
             PROJECT / "benchmarks" / "NOTES.md"]  # fmt: skip
    lost = {
        f"{name_of(page)}: {target}"
        for page in pages
        for target in links(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    }
    assert lost == set()


def test_the_index_has_one_line_for_each_page():
    index = PROJECT / "docs" / "README.md"
    rows = re.findall(r"^\| \[[\w./]+\]\(([^)]+)\) \| \S", index.read_text(encoding="utf-8"), re.M)
    pages = {str(p.relative_to(index.parent)) for p in index.parent.rglob("*.md")} - {"README.md"}
    assert [name for name in rows if rows.count(name) > 1] == []
    assert pages - set(rows) == set()


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_each_folder_has_a_short_readme(folder):
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {folder.relative_to(ROOT) if folder != ROOT else 'cutaway'}\n") or (
        folder.name in LONG
    )
    assert len(text.splitlines()) <= LONGEST or folder.name in LONG


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_files_that_a_page_names_are_there(page):
    text = page.read_text(encoding="utf-8")
    assert missing(text, page.parent) == []
    assert [target for target in links(text) if not (page.parent / target).exists()] == []


def test_each_word_of_the_glossary_has_a_file():
    glossary = (PROJECT / "docs" / "dev" / "glossary.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in glossary.splitlines() if line.startswith("| ")][1:]
    words = [row[0].strip("| ") for row in rows]
    assert len(words) >= 40
    assert words == sorted(words, key=str.lower)
    assert [row[0] for row in rows if not (ROOT / row[2].strip("` |")).is_file()] == []


def test_the_table_of_folders_is_that_of_the_imports():
    text = (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)/`[^|]*\|[^|]*\| ?([^|]*)\|$", text, re.MULTILINE)
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    assert {name for name, _ in rows} == folders - {"types"}
    assert {name: set(allowed.split()) for name, allowed in rows} == {
        name: MAY_IMPORT[name] for name, _ in rows
    }


def test_a_link_is_seen():
    assert links("[a](b.md), [c](d/e.md#f); `x[i](y)`\n```\nz[0](1)\n```\n") == ["b.md", "d/e.md"]


def test_a_file_that_is_not_there_is_seen():
    assert missing("`ir/nodes.py`, `nodes.py` and `ir/knots.py`", ROOT / "ir") == ["ir/knots.py"]
    assert missing("`nodes.py` and `typing/errors/`", ROOT / "typing") == ["nodes.py"]
    assert missing("`nodes.py` and `knots.py`", PROJECT) == ["knots.py"]
