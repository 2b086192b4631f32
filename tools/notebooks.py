"""Make the notebooks from their sources: run them, and keep what they show.

    python tools/notebooks.py            all of notebooks/*.md
    python tools/notebooks.py 03         those whose name begins so

The sources are Markdown that jupytext reads; each gives an .ipynb beside it, with outputs, so
that it reads well where it is only viewed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import jupytext
import nbclient
import nbformat

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
SECONDS = 300  # for one cell


def made(source: Path) -> nbformat.NotebookNode:
    """The notebook of a source, run."""
    notebook = unrun(source)
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
