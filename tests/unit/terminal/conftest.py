"""The folder of inspection's tests is where these find `records`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "inspection"))
