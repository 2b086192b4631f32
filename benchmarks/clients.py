"""Packages that use Numba, unmodified: their own tests under Numba and under Cutaway's layer.

    make clients [WHICH=numbagg,numba-stats]

Fetches the packages from PyPI into an environment of its own, `build/clients`; tests that a wheel
leaves out are taken from the source distribution.  Writes benchmarks/results/clients.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from outside_tests import LAYER, NUMBA, Kept, causes, lost, run_both, table

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build" / "clients"
SOURCES = PLACE / "sources"
PAGE = ROOT / "benchmarks" / "results" / "clients.md"
KEPT = Kept(PAGE.with_suffix(".json"))
PINNED = ("numba==0.68.1", "llvmlite==0.50.0")
COMMON = (*PINNED, "pytest>=8", "hypothesis", "scipy", "pandas", "pytest-timeout")


@dataclass(frozen=True)
class Client:
    """A package: its version, what its tests need, the files of its tests in the source
    distribution, words for pytest and for the layer, CPU seconds that one file may take, and what
    is to be known of what fails."""

    name: str
    version: str
    files: tuple[str, ...]
    needs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    layer: tuple[str, ...] = ()
    limit: float = 300.0
    note: str = ""


CLIENTS = (
    Client(
        *("numbagg", "0.9.6", ("numbagg/test/test_*.py",)),
        needs=("bottleneck", "xarray", "pytest-benchmark", "tabulate"),
        words=("--benchmark-disable",),
        layer=("--astype",),  # it stores NaN in integers
        limit=1200,
    ),
    Client(
        *("stumpy", "1.14.1", ("tests/test_*.py",)),
        needs=("polars", "dask", "distributed"),
        note="Three of its 44 files have run so far.",
    ),
    Client(
        *("numba-stats", "1.14.0", ("tests/test_*.py",)),
        needs=("pytest-benchmark",),
        words=("--benchmark-disable",),
        note="`test_ncx2.test_rvs[1.0-0.5]` draws the numbers that NumPy draws from the same seed,"
        " and NumPy's do not pass it either.",
    ),
    Client("numba_celltree", "0.4.2", ("tests/test_*.py",), ("matplotlib",)),
    Client("nucs", "11.2.0", ("tests/**/test_*.py",)),  # the last distribution with all tests
    Client(
        *("pynndescent", "0.7.0", ("pynndescent/tests/test_*.py",)),
        needs=("scikit-learn",),
        note="A third of its tests have run so far.",
    ),
    Client(
        *("sparse", "0.19.3", ("sparse/numba_backend/tests/test_*.py",)),
        needs=("dask",),
        limit=1800,
    ),
    Client(
        *("awkward", "2.14.0", ("tests/*numba*.py",)),
        note="`test_refcount` and `test_Array` count what Numba keeps of constants that are only"
        " named; `test_numba_ufunc_nep_50` expects a warning of Numba's ufuncs.",
    ),
    Client("quantecon", "0.11.4", ("quantecon/**/tests/test_*.py",), ("sympy",)),
    Client("vector", "1.9.0", ("tests/backends/test_*numba*.py",), ("awkward",)),
    # Its distribution has no tests: its import compiles much.
    Client("umap-learn", "0.5.12", ("umap/umap_.py",), words=("--doctest-modules",)),
)


def main() -> None:
    """Fetch, run and write the page."""
    options = _options()
    chosen = [one for one in CLIENTS if not options.which or one.name in options.which]
    python = prepare(chosen)
    for client in chosen:
        print(f"--- {client.name} {client.version}", flush=True)
        folder = fetched(client)
        files = [
            [*client.words, str(file.relative_to(folder))]
            for pattern in client.files
            for file in sorted(folder.glob(pattern))
        ]
        if options.together:
            files = [[*client.words, *(file[-1] for file in files)]]
        only = (options.under,) if options.under else (NUMBA, LAYER)
        results = PLACE / "results" / client.name
        limit = options.limit or client.limit
        both = run_both(python, files, folder, results, limit, only, client.layer)
        KEPT.add(client.name, both, only)
        PAGE.write_text("\n".join(page()) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--which", type=lambda text: text.split(","), default=[], help="packages")
    parser.add_argument("--under", choices=(NUMBA, LAYER), help="one of the two, not both")
    parser.add_argument(
        "--together", action="store_true", help="all files of a package in one process"
    )
    parser.add_argument("--limit", type=float, help="CPU seconds that a process may take")
    return parser.parse_args()


def prepare(chosen: list[Client]) -> str:
    """An environment with Numba, Cutaway and the packages; its Python."""
    python = PLACE / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PLACE)], check=True)
        _pip(python, *COMMON, "rich", "graphviz")
        _pip(python, "--no-deps", "-e", str(ROOT))
    if not chosen:
        return str(python)
    needed = [n for one in chosen for n in (f"{one.name}=={one.version}", *one.needs)]
    _pip(python, *needed)
    _pip(python, "--no-deps", *PINNED)  # where a package pins another version
    return str(python)


def _pip(python: Path, *words: str) -> None:
    subprocess.run([str(python), "-m", "pip", "install", "-q", *words], check=True)


def fetched(client: Client) -> Path:
    """The folder of a package's source distribution."""
    SOURCES.mkdir(parents=True, exist_ok=True)
    stem = f"{client.name.replace('-', '_')}-{client.version}"
    folder = SOURCES / stem
    if not folder.exists():
        words = ("--no-deps", "--no-binary", ":all:", "-q", f"{client.name}=={client.version}")
        pip = [str(PLACE / "bin" / "python"), "-m", "pip", "download", *words]
        subprocess.run(pip, check=True, cwd=SOURCES)
        with tarfile.open(SOURCES / f"{stem}.tar.gz") as archive:
            archive.extractall(SOURCES, filter="data")
    return folder


_WELL, _EMPTY = "Nothing fails that Numba passes.", "Its distribution has no test that could run."


def page() -> list[str]:
    """The page of results, from all runs that are kept."""
    found = KEPT.outcomes()
    known = {one.name: one for one in CLIENTS}
    rows = [(f"{name} {known[name].version}", *both) for name, both in found.items()]
    lines = [
        "# Packages that use Numba, unmodified",
        "",
        "Written by `make clients`: the packages' own tests, each file in a process (or all, by"
        " `--together`), under Numba 0.68.1 and under Cutaway's layer (`python -m"
        " cutaway.as_numba`). What fails is counted by its cause; those that fail under Numba too"
        " are not. A dash: not run yet, or not measured.",
        "",
        *table(rows, "package"),
    ]
    for name, both in found.items():
        told = causes(lost(*both))
        lines += ["", f"## {name}", "", *(told or [_WELL if both[1].has_run else _EMPTY])]
        lines += ["", known[name].note] if known[name].note else []
    return lines


if __name__ == "__main__":
    main()
