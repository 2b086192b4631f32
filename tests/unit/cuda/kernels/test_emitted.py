"""Every kernel of the corpus as PTX: emitted for three capabilities, assembled, and ten of them
as golden text."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import corpora
from corpus.kernels.corpus import RIGHT
from corpus.kernels.emitting import emitted
from cutaway.targets.ptx import toolkit
from cutaway.targets.ptx.assembling import assemble
from golden.tool import BLESS

pytestmark = pytest.mark.sampled(test=2, others=14, fast=0)

CAPABILITIES = [(7, 0), (8, 0), (9, 0)]
GOLDEN = """
    saxpy grid_stride tiled_product sum_by_tree sum_by_shuffles stencil_1d_with_halo histogram
    transpose_padded table_lookup particles_move
""".split()
HERE = Path(__file__).parent / "golden"


@pytest.mark.parametrize("cc", CAPABILITIES, ids=lambda cc: f"sm_{cc[0]}{cc[1]}")
def test_every_kernel_is_assembled(cc):
    if toolkit.ptxas_for(cc) is None:
        pytest.skip(f"no ptxas has code for {cc}")
    with ThreadPoolExecutor(2) as pool:
        waiting = [(name, pool.submit(assemble, ptx, cc)) for name, ptx in emitted(cc)]
        figures = {name: found.result().figures for name, found in waiting}
    assert len(figures) >= len(RIGHT)
    spilled = [name for name, rows in figures.items() for row in rows if row.spill_stores]
    assert not spilled
    assert {row.shared for row in figures["tiled_product"]} == {2 * 8 * 8 * 8}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_ptx(name):
    if sys.version_info[:2] != corpora.FIRST:
        pytest.skip("compared on one version")
    (found,) = (ptx for _, ptx in emitted((8, 0), [row for row in RIGHT if row.name == name]))
    path = HERE / f"{name}.ptx"
    if BLESS:
        path.write_text(_placeless(found))
    assert _placeless(found) == path.read_text(), f"{name}: if this is right, run: make bless"


def _placeless(ptx):
    """PTX without the numbers of places that raise, which depend on the folder of this file."""
    number = re.compile(r"(\[param0\], )\d+(;(?:(?!callseq).)*call\.uni cutaway_raise,)", re.DOTALL)
    return number.sub(r"\1PLACE\2", ptx)
