"""What a GPU cannot do, and words used wrongly: each message is in `refused.txt`.

`make bless` writes the messages anew; then the diff is read.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import corpora
from cutaway import cuda
from cutaway.errors import CutawayError, InternalError
from golden import tool

pytestmark = pytest.mark.sampled(others=4, fast=15)

CASES = tool.load(str(Path(__file__).parent / "refused"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_it_is_refused_with_its_line_and_a_reason(case):
    with pytest.raises(CutawayError) as raised:
        cuda.compile_ptx(case.function(), case.types, cc=(8, 0))
    assert not isinstance(raised.value, InternalError)
    text = f"{type(raised.value).__name__}: {raised.value}"
    if sys.version_info[:2] != corpora.FIRST:  # whose carets are at other places
        assert text.splitlines()[0] in case.expected
        return
    tool.check(case, lambda _: re.sub(r'File "[^"]*", l', "L", text))
