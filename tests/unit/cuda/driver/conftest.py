"""A fake driver, compiled once a run, and given to each test anew."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sysconfig
from pathlib import Path

import pytest

from cutaway import config
from cutaway.cuda.driver import devices

SOURCE = Path(__file__).with_name("fake_cuda.c")
MEMORY, HOST, REGISTERED, MODULE, STREAM, EVENT = range(1, 7)


class Fake:
    """What tests ask of the fake driver."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.library = ctypes.CDLL(self.path)
        for name in ("fake_fault", "fake_last_name", "fake_trail"):
            getattr(self.library, name).restype = ctypes.c_char_p
        for name in ("fake_faults", "fake_launches", "fake_calls"):
            getattr(self.library, name).restype = ctypes.c_long
        for name in ("fake_last_stream", "fake_global"):
            getattr(self.library, name).restype = ctypes.c_ulonglong
        self._kept = None

    def __getattr__(self, name):
        return getattr(self.library, f"fake_{name}")

    def fail(self, function, at=1, result=2):
        """Let the call of a function that comes as number `at` fail."""
        self.library.fake_fail(function.encode(), at, result)

    def fail_no_more(self):
        self.library.fake_fail(b"", 0, 0)

    @property
    def name(self):
        """The kernel that was launched last."""
        return self.library.fake_last_name().decode()

    @property
    def shape(self):
        """Grid, block, bytes of shared memory and device of the last launch."""
        numbers = (ctypes.c_uint * 8)()
        self.library.fake_last_shape(numbers)
        return tuple(numbers[:3]), tuple(numbers[3:6]), numbers[6], numbers[7]

    @property
    def parameters(self):
        """The bytes of each parameter of the last launch."""
        found = []
        for k in range(self.library.fake_last_count()):
            room = (ctypes.c_ubyte * 4096)()
            size = self.library.fake_last_parameter(k, room)
            found.append(bytes(room[:size]))
        return found

    @property
    def trail(self):
        """The functions that were called since `keep_trail(1)`."""
        return self.library.fake_trail().decode().split()

    def play(self, kernel):
        """Let `kernel(name, addresses of parameters)` run in each launch."""
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int
        )
        played = kind(lambda name, at, count: kernel(name.decode(), at[:count]) or 0)
        self._kept = played
        self.library.fake_play(played)


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("fake") / "libfake_cuda.so"
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(path), str(SOURCE), "-lpthread"]
    subprocess.run(command, check=True)
    return Fake(path)


@pytest.fixture
def fake(library):
    """The fake driver, fresh; after the test nothing is left of it, and nothing went wrong."""
    library.reset()
    with config.using(CUDA_DRIVER=library.path, CUDA_SIMULATOR=False):
        devices.forget()
        yield library
        library.fail_no_more()
        gc.collect()
        devices.forget()
    assert library.fault().decode() == ""
    assert library.live(0) == 0
    assert library.contexts() == 0


@pytest.fixture
def without_ptxas(monkeypatch):
    """Kernels go to the driver as PTX, in which the fake one reads the parameters."""
    monkeypatch.setattr("cutaway.cuda.code.ptxas_for", lambda cc: None)
