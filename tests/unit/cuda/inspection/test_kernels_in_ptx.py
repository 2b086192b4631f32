"""Every kernel of the corpus leads from PTX to its source, with lines and without."""

from __future__ import annotations

import re

import pytest

from corpus.kernels.corpus import RIGHT
from corpus.kernels.emitting import launches
from cutaway import cuda
from cutaway.inspection.graphs.kinds import graph_of
from cutaway.inspection.linking.lines import linked_lines
from cutaway.inspection.llvm import ptx_text

pytestmark = pytest.mark.sampled(test=3, others=20, fast=20)

UNKNOWN = 0.1  # of a kernel: moves of LLVM's, into blocks that have nothing else


@pytest.mark.parametrize("row", RIGHT, ids=lambda row: row.name)
def test_a_kernel_leads_to_its_source(row):
    for kernel, types in launches(row).values():
        view = cuda.jit(cc=(8, 0))(kernel.py_func).trace(*types).at("ptx")
        rows = linked_lines(view)
        assert "\n".join(one.text for one in rows) == view.text.removesuffix("\n")
        code = [one for one in _of_kernel(rows) if one.is_instruction]
        assert sum(not one.line for one in code) <= UNKNOWN * len(code)
        with_lines = cuda.jit(cc=(8, 0), lineinfo=True)(kernel.py_func).inspect_ptx(types)
        assert _bare(with_lines) == _bare(view.text)
        drawn = graph_of(view.unit, "cfg")
        labels = set(re.findall(r"^\$L__BB\d+_\d+(?=:)", view.text, re.MULTILINE))
        assert labels <= {node.id.partition(":")[2] for node in drawn.nodes}
        assert not [node.title for node in drawn.nodes if node.has("unreachable")]


def _of_kernel(rows):
    """The rows of the kernel itself, without functions of the library, which have no lines."""
    inside = False
    for row in rows:
        if head := ptx_text.HEAD.match(row.text):
            inside = " .entry " in head[0]
        if inside:
            yield row


def _bare(text):
    return [row for _, row in ptx_text.shown(text)]
