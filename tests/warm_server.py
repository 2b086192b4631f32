"""The warm process: it imports, then forks for each request that comes with files, and tells when
the forked process has ended.  Nothing is compiled in it and no thread runs in it."""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib
import io
import linecache
import os
import pickle
import runpy
import select
import signal
import socket
import struct
import sys
import time
from importlib.machinery import BuiltinImporter, SourceFileLoader
from typing import Any

USUAL = """
    json pickle subprocess tempfile textwrap numpy.random cutaway.api cutaway.caching.calls
""".split()
COMPILER = """
    cutaway.dispatch.resolution cutaway.extending.entry_points cutaway.caching.saving
    cutaway.stages.arrays.decisions cutaway.stages.arrays.fusing cutaway.stages.arrays.fetching
    cutaway.stages.arrays.making cutaway.stages.arrays.masking cutaway.stages.arrays.updating
    cutaway.typing.ufuncs cutaway.typing.analysis.memory cutaway.inspection.llvm.child
""".split()


# --- messages -------------------------------------------------------------------------------------

_SIZE = struct.Struct("I")


def send(connection: socket.socket, data: bytes) -> None:
    """Send bytes, with their number in front."""
    connection.sendall(_SIZE.pack(len(data)) + data)


def receive(connection: socket.socket) -> bytes:
    """The bytes of one message."""
    return _exactly(connection, _SIZE.unpack(_exactly(connection, _SIZE.size))[0])


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError("the other process has ended")
        data += more
    return data


# --- the warm process -----------------------------------------------------------------------------


def serve(channel: int, compiler: bool) -> None:
    """Fork for each request; in the forked process, run its program."""
    del sys.path[1]  # the folder of this module
    for name in USUAL + COMPILER * compiler:
        importlib.import_module(name)
    _run_ours(compiler)
    gc.collect()
    gc.freeze()
    request = _Server(socket.socket(fileno=channel)).wait()
    if request is not None:
        _run(request)


WITHOUT_COMPILER = {"api", "config", "errors", "foundation", "runtime", "dispatch_c"}
CACHED = {f"cutaway.caching.{name}" for name in "calls carried files identity records".split()}


def _run_ours(compiler: bool) -> None:
    """Run the modules that compile, but for what shows, what is for GPUs, and the library, which
    registers its functions in an order of its own; or those alone that find code in a cache."""
    loading = importlib.import_module("cutaway.foundation.loading")
    for name in sorted(sys.modules):
        room = name.split(".")[1] if name.startswith("cutaway.") else ""
        if compiler and room not in ("", "inspection", "cuda", "library"):
            loading.run(sys.modules[name])
        elif room in WITHOUT_COMPILER or name in CACHED:
            loading.run(sys.modules[name])


class _Server:
    """The loop over requests, and the processes that have not ended yet."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel, self.told = channel, 0.0
        self.events = select.epoll()
        self.events.register(channel, select.EPOLLIN)
        self.running: dict[int, tuple[int, int, socket.socket]] = {}  # by both of its files

    def wait(self) -> dict[str, Any] | None:
        """None once nobody asks any more; in a forked process, what it is to do."""
        while True:
            for file, _ in self.events.poll():
                if file in self.running:
                    self._look_at(file)
                    continue
                if file != self.channel.fileno():
                    continue  # of a process that this round has found to be over
                word, files, _, _ = socket.recv_fds(self.channel, 1, 4)
                if not word:
                    return self._end()
                if request := self._forked(*files):
                    return request

    def _forked(self, talk: int, *files: int) -> dict[str, Any] | None:
        """In the forked process, what it is to do; None in this one."""
        connection, pid = socket.socket(fileno=talk), os.fork()
        if pid == 0:
            return self._leave(connection, files)
        for file in files:
            os.close(file)
        process = os.pidfd_open(pid)
        self.events.register(process, select.EPOLLIN)
        self.events.register(connection, 0)  # nothing but that the other side is gone
        self.running[process] = self.running[talk] = pid, process, connection
        send(connection, pickle.dumps(pid))
        return None

    def _leave(self, connection: socket.socket, files: tuple[int, ...]) -> dict[str, Any]:
        """Take these three files, and close all others, among them those of libraries."""
        self.events.close()
        self.channel.detach()
        for _, _, other in self.running.values():
            other.detach()
        for number, file in enumerate(files):
            os.dup2(file, number)
        with connection:
            os.closerange(3, connection.fileno())
            os.closerange(connection.fileno() + 1, 1 + max(map(int, os.listdir("/proc/self/fd"))))
            return pickle.loads(receive(connection))

    def _look_at(self, file: int) -> None:
        """Tell how a process has ended, or end one that nobody waits for."""
        pid, process, connection = self.running[file]
        if file != process:
            self.events.unregister(file)
            os.kill(pid, signal.SIGKILL)
            return
        _, status, usage = os.wait4(pid, 0)
        for file in (process, connection.fileno()):
            del self.running[file]
            with contextlib.suppress(FileNotFoundError):  # where it was no more waited for
                self.events.unregister(file)
        now, before, self.told = time.process_time(), self.told, time.process_time()
        with contextlib.suppress(OSError), connection:
            send(connection, pickle.dumps((status, usage.ru_utime + usage.ru_stime + now - before)))
        os.close(process)

    def _end(self) -> None:
        for pid in {pid for pid, *_ in self.running.values()}:
            os.kill(pid, signal.SIGKILL)


# --- a forked process -----------------------------------------------------------------------------


def _run(request: dict[str, Any]) -> None:
    """Do what Python does when it starts with a program, and when that raises."""
    words = request["args"]
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.orig_argv[:] = words
    _open_streams()
    sys.modules["numpy.random"].seed()  # Python's own generator sees to itself
    names = vars(sys.modules["__main__"])
    names.clear()
    names |= {"__name__": "__main__", "__doc__": None, "__package__": None, "__spec__": None}
    names |= {"__builtins__": builtins, "__loader__": BuiltinImporter}
    if sys.version_info < (3, 14):
        names["__annotations__"] = {}
    is_safe = words[1] == "-P"
    try:
        _run_words(*words[1 + is_safe :], names=names, is_safe=is_safe)
    except SystemExit:
        raise
    except BaseException as error:
        _tell(error)


def _run_words(first: str, *more: str, names: dict[str, Any], is_safe: bool) -> None:
    if first == "-c":
        _set_path(is_safe, "", ["-c", *more[1:]])
        code = compile(more[0], "<string>", "exec", dont_inherit=True)
        if hasattr(linecache, "_register_code"):  # lines of the text are shown since 3.13
            name = code if hasattr(linecache, "_interactive_cache") else "<string>"
            linecache._register_code(name, more[0], "<string>")
        exec(code, names)
    elif first == "-m":
        _set_path(is_safe, os.getcwd(), ["-m", *more[1:]])
        runpy._run_module_as_main(more[0])
    else:
        _set_path(is_safe, os.path.dirname(os.path.realpath(first)), [first, *more])
        names["__file__"] = first
        if sys.version_info < (3, 15):
            names["__cached__"] = None
        names["__loader__"] = SourceFileLoader("__main__", first)
        with open(first, "rb") as file:
            source = file.read()
        exec(compile(source, first, "exec", dont_inherit=True), names)


def _set_path(is_safe: bool, first: str, arguments: list[str]) -> None:
    """Have these arguments, and look for modules there first, then in `PYTHONPATH`."""
    sys.argv[:] = arguments
    asked = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    places = dict.fromkeys([*map(os.path.abspath, asked), *sys.path[1:]])
    sys.path[:] = [*places] if is_safe else [first, *places]
    sys.path_importer_cache.clear()


def _open_streams() -> None:
    """Open the three files as Python does; those before were of other files."""
    unbuffered: bool = sys.stdout.write_through  # by `PYTHONUNBUFFERED`
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        mode = "w" if number else "r"
        size = 0 if unbuffered and number else -1
        file: Any = open(number, mode + "b", size, closefd=False)
        getattr(file, "raw", file).name = f"<{name}>"
        stream: Any = io.TextIOWrapper(
            file,
            encoding=before.encoding,
            errors=before.errors,
            newline="\n",
            line_buffering=not unbuffered and (name == "stderr" or os.isatty(number)),
            write_through=unbuffered and number > 0,
        )
        stream.mode = mode
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _tell(error: BaseException) -> None:
    """Show an exception that nobody has caught, without what is of this module, and end."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, traceback
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)
    if isinstance(error, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    sys.exit(1)
