"""Numba's own tests under Cutaway's layer, run where they are installed with Numba.

    make reference-tests [WHICH=test_range,test_tuples]

They are in no way copied: `build/clients` has Numba from PyPI, `reference_plugin.py` has them found
there.  Writes benchmarks/results/reference_tests.md.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from pathlib import Path

from clients import PLACE, prepare
from outside_tests import LAYER, NUMBA, Outcome, causes, lost, run_both, table

HERE = Path(__file__).resolve().parent
PAGE = HERE / "results" / "reference_tests.md"
KEPT = PLACE / "reference_tests.json"
LIMIT = 3600.0

# Files about the language, its types and arrays; those about Numba's own passes are left out.
FILES = """
    test_array_attr test_array_constants test_array_iterators test_array_methods
    test_array_reductions test_auto_constants test_blackscholes test_builtins test_casting
    test_closure test_complex test_comprehension test_conversion test_dataflow test_dispatcher
    test_dyn_array test_enums test_exceptions test_extended_arg test_extending test_fancy_indexing
    test_fastmath test_flow_control test_generators test_globals test_indexing test_inlining
    test_iteration test_mandelbrot test_mathlib test_maxmin test_nan test_nested_calls
    test_npdatetime test_numberctor test_numconv test_operators test_optional test_print test_range
    test_recursion test_slices test_storeslice test_tuples test_typeof test_usecases
""".split()

# Failures that say nothing of programs: the text or the inside of the reference is asserted.
_INSIDE = (
    "it is a part of Numba's own compiler",
    "AssertionError: Regex didn't match",
    "not found in",
)


def main() -> None:
    """Run the files and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--which", type=lambda text: text.split(","), default=FILES, help="files")
    parser.add_argument("--under", choices=(NUMBA, LAYER), default=LAYER, help="or the layer")
    options = parser.parse_args()
    python = prepare([])
    os.environ["PYTHONPATH"] = os.pathsep.join((str(HERE), str(HERE / "reference_children")))
    folder = next((PLACE / "lib").glob("python*/site-packages/numba/tests"))
    for name in options.which:
        words = ("-p", "reference_plugin", "--tb=native", "--assert=plain")
        files = [(*words, str(folder / f"{name}.py"))]
        both = run_both(python, files, PLACE, PLACE / "results" / name, LIMIT, (options.under,))
        new = dict(zip((NUMBA, LAYER), map(vars, both), strict=True))[options.under]
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        kept[name] = kept.get(name, {}) | {options.under: new}
        KEPT.write_text(json.dumps(kept))
        PAGE.write_text("\n".join(page(kept)) + "\n")


def page(kept: dict[str, dict[str, dict[str, object]]]) -> list[str]:
    """The page of results, from all runs that are kept."""
    found = {
        name: tuple(Outcome(**both.get(under, {})) for under in (NUMBA, LAYER))  # type: ignore[arg-type]
        for name, both in kept.items()
    }
    every: Counter[str] = sum((lost(*both) for both in found.values()), Counter())
    inside = Counter({c: n for c, n in every.items() if any(said in c for said in _INSIDE)})
    return [
        "# Numba's own tests, under Cutaway",
        "",
        "Written by `make reference-tests`: files of `numba.tests` of Numba 0.68.1, run where they"
        " are installed. Failures are counted by their causes. Where Numba's columns are 0, the"
        " files did not run under Numba.",
        "",
        *table([(name, *both) for name, both in found.items()], "file"),
        "",
        f"## Numba's own inside or wording is asserted: {inside.total()}",
        "",
        *causes(inside),
        "",
        f"## All else: {(every - inside).total()}",
        "",
        *causes(every - inside, 60),
    ]


if __name__ == "__main__":
    main()
