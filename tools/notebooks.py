"""Make the notebooks from their sources: run them, and keep what they show.

    python tools/notebooks.py            all of notebooks/*.md
    python tools/notebooks.py 03         those whose name begins so

The sources are Markdown that jupytext reads; each gives an .ipynb beside it, with outputs, so
that it reads well where it is only viewed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import jupytext
import nbclient
import nbformat

PROCESSOR = "x86-64-v2"  # the outputs are the same whatever machine makes them
FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
SECONDS = 300  # for one cell


def made(source: Path) -> nbformat.NotebookNode:
    """The notebook of a source, run."""
    notebook = unrun(source)
    os.environ.setdefault("CUTAWAY_CPU", PROCESSOR)
    nbclient.NotebookClient(
        notebook, timeout=SECONDS, resources={"metadata": {"path": FOLDER}}
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            _without_addresses(output)
    notebook.metadata.pop("language_info", None)
    return notebook


def unrun(source: Path) -> nbformat.NotebookNode:
    """The notebook of a source, not run; cells are numbered, so that nothing in it is random."""
    notebook = jupytext.read(source)
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    )
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    return notebook


def differences(stored: nbformat.NotebookNode, ran: nbformat.NotebookNode) -> Iterator[str]:
    """Yield the code cells whose text is not the stored one, but for times.

    Cells with the tag "measured" depend on the machine, and may show anything.
    """
    for old, new in zip(stored.cells, ran.cells, strict=True):
        if "measured" not in new.metadata.get("tags", ()) and _shown(old) != _shown(new):
            yield f"{new.source}\n--- stored:\n{_shown(old)}\n--- now:\n{_shown(new)}\n"


def _shown(cell: nbformat.NotebookNode) -> str:
    """The text of a cell's outputs, without times; a stream may come in any number of pieces."""
    texts = (
        output.get("text") or output.get("data", {}).get("text/plain", "") + "\n"
        for output in cell.get("outputs", ())
    )
    lines = _TIME.sub("", "".join(texts)).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())


# Times, and what a hint says of them where they differ, which another run need not say.
_TIME = re.compile(
    r" *\b\d+(\.\d+)?(e-?\d+)? ?(ns|µs|us|ms|s)\b"
    r"|; it (took|was) [\d.]+ times as (long|fast) with these arguments"
)


def _without_addresses(output: nbformat.NotebookNode) -> None:
    data = output.get("data", {})
    if "text/plain" in data:
        data["text/plain"] = re.sub(r" at 0x[0-9a-f]+", "", data["text/plain"])


def main(words: list[str]) -> int:
    """Make those that were asked for."""
    sources = sorted(p for p in FOLDER.glob("[0-9]*.md") if p.name.startswith(tuple(words or [""])))
    if not sources:
        print(f"no notebook begins with {' or '.join(words)}", file=sys.stderr)
        return 1
    for source in sources:
        nbformat.write(made(source), source.with_suffix(".ipynb"))
        print(f"{source.stem}: {source.with_suffix('.ipynb').stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
