"""Made-up functions never run what was compiled for other globals."""

from __future__ import annotations

import pytest

import corpora
from caching.made_up_globals import module
from caching.processes import run

pytestmark = pytest.mark.sampled(fast=0)

FUNCTIONS = 60
PROGRAM = """
import json
import numpy as np
import made_up
def plain(value):
    if isinstance(value, tuple):
        return "(%s)" % ", ".join(map(plain, value))
    if isinstance(value, np.ndarray | np.timedelta64):
        return repr(value)
    return repr(value.item() if isinstance(value, np.generic) else value)
def outcome(function):
    try:
        return plain(function())
    except Exception as error:
        return type(error).__name__
told = []
for k in range(COUNT):
    function = getattr(made_up, f"f{k}")
    found = outcome(function)
    info = function.cache_info()
    told.append([outcome(function.py_func), found, info.hits, *info.reasons])
print(json.dumps({"told": told}))
"""


@pytest.mark.parametrize("seed", corpora.seeds("GLOBALS"))
def test_what_another_process_changes_is_seen(seed, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("COUNT", str(FUNCTIONS)))
    texts = [module(seed, FUNCTIONS, changed) for changed in (False, True)]
    hits = []
    for text in (*texts, texts[1]):
        (tmp_path / "made_up.py").write_text(text)
        told = run(program, tmp_path / "home", PYTHONDONTWRITEBYTECODE="1")["told"]
        lines = [line for line in text.splitlines() if line.startswith("def f")]
        for line, (python, compiled, *_) in zip(lines, told, strict=True):
            assert compiled in (python, "TypingError", "UnsupportedError"), (line, python, compiled)
        hits.append(sum(hit for _, _, hit, *_ in told))
    assert hits[0] == 0 < hits[1] < hits[2], hits
    assert hits[2] > FUNCTIONS / 2
