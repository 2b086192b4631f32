"""Programs that run in processes of their own, one after the other or at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import warm

TELL = """
import json, sys
from cutaway.foundation.loading import has_run
def tell(*functions, **more):
    infos = [f.cache_info() for f in functions]
    print(json.dumps({
        "hits": [i.hits for i in infos], "misses": [i.misses for i in infos],
        "files": [list(i.files) for i in infos], "reasons": [list(i.reasons) for i in infos],
        "llvm": "llvmlite" in open("/proc/self/maps").read(),
        "compiler": has_run("cutaway.dispatch.resolution"), **more}))
"""

_RAN: set[tuple[Path, Path, str]] = set()


def start(program: Path, home: Path, **settings: str) -> subprocess.Popen[str]:
    """Start a program with a cache of its own; one that has run before as it is has not loaded the
    compiler."""
    path = os.pathsep.join(os.path.abspath(place) for place in sys.path if place)
    environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(home), **settings}
    ran = program, home, program.read_text()
    is_new = ran not in _RAN
    _RAN.add(ran)
    return warm.popen(
        [sys.executable, str(program)],
        compiler=is_new,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=program.parent,
    )


def run(program: Path, home: Path, **settings: str) -> dict[str, Any]:
    """What a program tells; `warned` is what it writes to the error output."""
    process = start(program, home, **settings)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return {**json.loads(out.splitlines()[-1]), "warned": err}


def write(folder: Path, text: str, name: str = "program.py") -> Path:
    """A program that imports what most need, and `tell`."""
    path = folder / name
    path.write_text("import numpy as np\nfrom cutaway import jit\n" + TELL + text)
    return path
