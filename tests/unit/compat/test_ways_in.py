"""The three ways in: a command, a call, and a wheel for an environment."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

import cutaway
from compat.conftest import SOURCE, environment
from cutaway.compat.installing import real_numba
from cutaway.compat.version import VERSION

pytestmark = pytest.mark.sampled(fast=0)

LAYER = ("-m", "cutaway.as_numba", "--beside")  # an environment of developers has the real one
PROGRAM = """
    import sys, importlib.metadata
    import numba
    from numba.core import types, errors
    import cutaway

    @numba.njit(types.int64(types.int64))
    def twice(x):
        return 2 * x

    assert numba.njit is cutaway.njit
    print(twice(21), importlib.metadata.version("numba"), sys.argv[1:], __name__)
"""
SAID = "42 0.68.1 ['a', '--b'] __main__\n"
REAL = {"real/numba/__init__.py": "__version__ = '0.60'\n"}


def test_a_program_runs_with_its_arguments(run):
    done = run(*LAYER, "program.py", "a", "--b", files={"program.py": PROGRAM})
    assert (done.stdout, done.returncode) == (SAID, 0), done.stderr


def test_a_module_and_code_run_with_their_arguments(run):
    files = {"mine/__main__.py": PROGRAM, "mine/__init__.py": ""}
    done = run(*LAYER, "-m", "mine", "a", "--b", files=files)
    assert done.stdout == SAID, done.stderr
    code = "import numba, sys; print(numba.__version__, sys.argv, __name__)"
    done = run(*LAYER, "-c", code, "a")
    assert done.stdout == "0.68.1 ['-c', 'a'] __main__\n", done.stderr


def test_a_program_imports_what_lies_beside_it(run):
    files = {"deep/program.py": "import beside\nprint(beside.x)", "deep/beside.py": "x = 7"}
    assert run(*LAYER, "deep/program.py", files=files).stdout == "7\n"


@pytest.mark.parametrize("words", [(), ("-h",), ("-m",), ("-c",)])
def test_bad_usage_is_said(run, words):
    done = run("-m", "cutaway.as_numba", *words)
    assert done.returncode == 2 and "python -m cutaway.as_numba" in done.stderr


def test_a_program_that_is_not_there_is_said(run):
    done = run(*LAYER, "nowhere.py")
    assert done.returncode == 1 and "there is no file nowhere.py" in done.stderr


def test_a_program_ends_as_it_ends(run):
    assert run(*LAYER, "-c", "raise SystemExit(5)").returncode == 5
    done = run(*LAYER, "p.py", files={"p.py": "1 / 0"})
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr


def test_processes_that_a_program_starts_have_the_layer_too(run):
    program = """
        import multiprocessing, subprocess, sys

        def child(queue):
            import numba, cutaway
            queue.put((numba.njit is cutaway.njit, numba.njit(lambda x: x + 1)(4)))

        if __name__ == "__main__":
            code = "import numba, cutaway; print(numba.njit is cutaway.njit)"
            words = [sys.executable, "-c", code]
            print(subprocess.run(words, capture_output=True, text=True).stdout.strip())
            for way in ("spawn", "fork"):
                context = multiprocessing.get_context(way)
                queue = context.Queue()
                process = context.Process(target=child, args=(queue,))
                process.start()
                print(queue.get(timeout=100))
                process.join()
    """
    done = run(*LAYER, "program.py", files={"program.py": program})
    assert done.stdout.splitlines() == ["True", "(True, 5)", "(True, 5)"], done.stderr


def test_a_program_installs_the_layer_itself(run):
    program = """
        import cutaway.compat
        layer = cutaway.compat.install(beside=True)
        import numba
        from numba import typed
        assert numba is layer is cutaway.compat.install() and cutaway.compat.is_installed()
        assert numba.njit is cutaway.njit and numba.typed is typed
        import importlib.metadata
        print(importlib.metadata.version("numba"))
    """
    done = run("program.py", files={"program.py": program})
    assert done.stdout == f"{VERSION}\n", done.stderr


def test_a_conftest_installs_the_layer_for_tests(run):
    files = {
        "conftest.py": "import cutaway.compat\ncutaway.compat.install(beside=True)\n",
        "test_mine.py": """
            import numba, cutaway
            def test_it():
                assert numba.njit is cutaway.njit
        """,
    }
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", files=files)
    assert "1 passed" in done.stdout, done.stdout


def test_nothing_is_loaded_before_it_is_used(run):
    code = (
        "import sys, cutaway.compat; cutaway.compat.install(beside=True); import numba.core.types;"
        "numba.njit; print([m for m in ('llvmlite', 'cutaway.compiling.compiler') if m"
        " in sys.modules])"
    )
    assert run("-c", code, compiler=False).stdout == "[]\n"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("from numba.core.types import Arrray", "numba.core.types has no 'Arrray' in Cutaway"),
        ("from numba.core import nothing", "numba.core has no 'nothing' in Cutaway"),
        ("import numba.core.bytefloww", "did you mean byteflow?"),
        ("import numba.nothing.at_all", "numba has no 'nothing'"),
    ],
)
def test_an_import_of_what_is_not_there_says_what_is(run, statement, said):
    done = run(*LAYER, "-c", statement)
    assert "ImportError" in done.stderr or "ModuleNotFoundError" in done.stderr
    assert said in done.stderr


# --- beside the real one ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("-m", "cutaway.as_numba", "-c", "pass"),
        ("-c", "import cutaway.compat; cutaway.compat.install()"),
    ],
)
def test_the_real_numba_is_not_shadowed(run, tmp_path, words):
    done = run(*words, files=REAL, places=(tmp_path / "real",))
    assert done.returncode == 1 and "the real Numba is installed" in done.stderr
    assert "--beside" in done.stderr


def test_the_layer_stands_beside_the_real_numba_where_that_is_asked_for(run, tmp_path):
    code = (
        "import subprocess, sys, numba; print(numba.__version__, flush=True);"
        "subprocess.run([sys.executable, '-c', 'import numba; print(numba.__version__)'])"
    )
    done = run(*LAYER, "-c", code, files=REAL, places=(tmp_path / "real",))
    assert done.stdout.split() == [VERSION, VERSION], done.stderr


def test_numba_that_is_imported_already_stays(run, tmp_path):
    code = "import numba, cutaway.compat; cutaway.compat.install(beside=True)"
    done = run("-c", code, files=REAL, places=(tmp_path / "real",))
    assert done.returncode == 1 and "imported already" in done.stderr


def test_the_real_numba_says_that_both_are_installed(run, tmp_path):
    code = "import numba; from cutaway.compat.beside import warn; warn()"
    done = run("-c", code, files=REAL, places=(tmp_path / "real",))
    assert "uninstall one of the two" in done.stderr
    assert run(*LAYER, "-c", code).stderr == ""


# --- entry points -------------------------------------------------------------------------------


def test_packages_that_extend_numba_are_called_at_the_first_compilation(run, tmp_path):
    files = {
        "site/far.py": """
            import far_away
            def init():
                from numba.extending import overload
                @overload(far_away.third)
                def third(x):
                    return lambda x: x / 3
        """,
        "site/far_away.py": "def third(x):\n    raise AssertionError\n",
        "site/far-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: far\nVersion: 1\n",
        "site/far-1.dist-info/entry_points.txt": "[numba_extensions]\ninit = far:init\n",
        "program.py": """
            import far_away, numba, sys
            f = numba.njit(lambda x: far_away.third(x))
            assert "far" not in sys.modules
            print(f(6.0), "far" in sys.modules)
        """,
    }
    done = run(*LAYER, "program.py", files=files, places=(tmp_path / "site",))
    assert done.stdout == "2.0 True\n", done.stderr
    code = "import cutaway, sys; cutaway.njit(lambda x: x)(1); print('far' in sys.modules)"
    assert run("-c", code, places=(tmp_path / "site",)).stdout == "False\n"


# --- the wheel ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    tool = SOURCE.parent / "tools" / "compat_wheel.py"
    subprocess.run(
        [sys.executable, str(tool), str(folder)], env=environment(), check=True, capture_output=True
    )
    (made,) = folder.iterdir()
    return made


def test_the_wheel_has_a_module_and_a_distribution(wheel):
    assert wheel.name == f"cutaway_as_numba-{cutaway.__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert "cutaway_as_numba/numba.py" in names and "cutaway_as_numba.pth" in names
    assert not any(name.startswith("numba/") for name in names)  # the real one's files
    metadata = next(name for name in names if name.endswith("+cutaway.dist-info/METADATA"))
    assert f"Name: numba\nVersion: {VERSION}\n" in zipfile.ZipFile(wheel).read(metadata).decode()


def _pip(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--python", str(python), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=200)


@pytest.mark.skipif(bool(real_numba()), reason="the environment below would have the real one, too")
def test_an_environment_with_the_wheel_is_content(wheel, tmp_path):
    """Pip installs it, finds that packages which require numba have it, and removes it again."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    python = tmp_path / "env" / "bin" / "python"
    done = _pip(python, "install", "--no-deps", "--no-index", str(wheel))
    assert done.returncode == 0, done.stderr
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    _distribution(site, "client", "1.0", "numba>=0.60,<0.69")
    _distribution(site, "cutaway", cutaway.__version__)
    checked = _pip(python, "check")
    assert checked.returncode == 0, checked.stdout
    names = {row["name"] for row in json.loads(_pip(python, "list", "--format=json").stdout)}
    assert {"numba", "cutaway-as-numba"} <= names
    _path_to_ours(site)
    code = "import numba, cutaway; from importlib.metadata import version; print(version('numba'))"
    run = subprocess.run(
        [python, "-c", code + "; print(numba.njit is cutaway.njit)"], capture_output=True, text=True
    )
    assert run.stdout.split() == [VERSION, "True"], run.stderr
    assert _pip(python, "uninstall", "-y", "cutaway-as-numba").returncode == 0
    assert not list(site.glob("*numba*"))


def _distribution(site: Path, name: str, version: str, needs: str = "") -> None:
    folder = site / f"{name}-{version}.dist-info"
    folder.mkdir()
    told = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    required = f"Requires-Dist: {needs}\n" if needs else ""
    (folder / "METADATA").write_text(told + required)


def _path_to_ours(site: Path) -> None:
    """Have an environment find this package, and what it needs, after its own packages."""
    import numpy

    places = [str(SOURCE), str(Path(numpy.__file__).parents[1])]
    (site / "zz_ours.pth").write_text("\n".join(places) + "\n")


def test_nan_becomes_an_integer_by_an_option_of_the_layer(run):
    program = """
        import numba, numpy as np

        @numba.njit
        def f(a, x):
            a[:] = x
            a[0] = x
            return int(x)

        @numba.njit(float_to_int="raise")
        def g(x):
            return int(x)

        a = np.zeros(2, np.int32)
        print(f(a, np.nan), a)
        g(np.nan)
    """
    least = f"{-(1 << 63)} [{-(1 << 31)} {-(1 << 31)}]\n"
    files = {"program.py": program}
    done = run(*LAYER, "--astype", "program.py", files=files)
    assert done.stdout == least and "cannot convert float NaN" in done.stderr
    assert not run(*LAYER, "program.py", files=files).stdout
    by_call = "import cutaway.compat as c; c.install(beside=True, astype=True)\n"
    call = textwrap.dedent(program)
    assert run("program.py", files={"program.py": by_call + call}).stdout == least
    child = "import subprocess, sys; subprocess.run([sys.executable, 'program.py'])"
    assert run(*LAYER, "--astype", "-c", child, files=files).stdout == least
