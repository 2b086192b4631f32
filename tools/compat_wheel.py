"""Writes the wheel `cutaway-as-numba`: an environment where `import numba` gives Cutaway.

    python tools/compat_wheel.py FOLDER        (`make compat-wheel`)

The wheel has a module `numba` in a folder that a .pth file adds to the end of `sys.path`, so that a
real Numba is never hidden, and the metadata of a distribution `numba`, so that packages which
require it are content. Nothing is downloaded or compiled.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

import cutaway
from cutaway.compat.installing import FOLDER
from cutaway.compat.version import VERSION

NAME = "cutaway_as_numba"
_SOURCE = Path(FOLDER)
_NUMBA = f"numba-{VERSION}+cutaway.dist-info"
_OWN = f"{NAME}-{cutaway.__version__}"

METADATA = f"""\
Metadata-Version: 2.1
Name: cutaway-as-numba
Version: {cutaway.__version__}
Summary: Cutaway in the place of Numba: `import numba` gives Cutaway's layer of names
License: BSD-2-Clause
Requires-Python: >=3.11
Requires-Dist: cutaway=={cutaway.__version__}
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: cutaway
Root-Is-Purelib: true
Tag: py3-none-any
"""
# Where the real Numba is installed, too, it calls this when it first compiles.
ENTRY_POINTS = """\
[numba_extensions]
init = cutaway.compat.beside:warn
"""


def files() -> dict[str, bytes]:
    """What the wheel has, by its names."""
    metadata = _SOURCE / _NUMBA
    told = {f"{_OWN}.data/purelib/{_NUMBA}/{f.name}": f.read_bytes() for f in metadata.iterdir()}
    return {
        f"{NAME}/numba.py": (_SOURCE / "numba.py").read_bytes(),
        f"{NAME}.pth": f"{NAME}\n".encode(),
        **told,
        f"{_OWN}.dist-info/METADATA": METADATA.encode(),
        f"{_OWN}.dist-info/WHEEL": WHEEL.encode(),
        f"{_OWN}.dist-info/entry_points.txt": ENTRY_POINTS.encode(),
    }


def write(folder: Path) -> Path:
    """Write the wheel into a folder, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_OWN}-py3-none-any.whl"
    record = f"{_OWN}.dist-info/RECORD"
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files().items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            rows.append(f"{name},sha256={digest.decode()},{len(content)}")
            archive.writestr(name, content)
        archive.writestr(record, "\n".join([*rows, f"{record},,"]) + "\n")
    return path


if __name__ == "__main__":
    print(write(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")))
