"""Samples of the corpora turn with the day of the last commit, and can be taken again."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date

import pytest

import corpora


@pytest.fixture
def at_turn(monkeypatch):
    """Say which turn it is, for the time of a test."""

    def say(turn: int | None) -> None:
        corpora.turn.cache_clear()
        if turn is None:
            monkeypatch.delenv(corpora.TURN, raising=False)
        else:
            monkeypatch.setenv(corpora.TURN, str(turn))

    monkeypatch.delenv(corpora.WHOLE, raising=False)
    for name in corpora.CORPORA:
        monkeypatch.delenv(f"CUTAWAY_TEST_{name}", raising=False)
    yield say
    corpora.turn.cache_clear()


@pytest.mark.parametrize("name", corpora.CORPORA)
def test_no_two_turns_take_the_same(name, at_turn):
    taken = []
    for turn in (7, 8, 9):
        at_turn(turn)
        taken += corpora.seeds(name)
        assert len(corpora.seeds(name)) == corpora.count(name)
        taken.append(corpora.seed(name))
    assert len(set(taken)) == len(taken)
    at_turn(7)
    assert list(corpora.seeds(name)) == taken[: corpora.count(name)]


def test_a_list_is_gone_through_in_as_many_turns(at_turn):
    items = list("abcdefghijk")
    seen = []
    for turn in range(100, 104):
        at_turn(turn)
        seen += corpora.sample(4, items)
    assert sorted(seen) == items
    assert corpora.sample(4, items[:2]) in ([], ["a"], ["b"])


def test_all_of_a_corpus_can_be_asked_for(at_turn, monkeypatch):
    at_turn(7)
    monkeypatch.setenv("CUTAWAY_TEST_ARRAYS", "3")
    assert corpora.count("ARRAYS") == 3
    monkeypatch.delenv("CUTAWAY_TEST_ARRAYS")
    monkeypatch.setenv(corpora.WHOLE, "1")
    assert corpora.sample(4, "abcdefgh") == list("abcdefgh")
    for name, corpus in corpora.CORPORA.items():
        assert corpora.count(name) == corpus.whole > max(corpus.here, corpus.elsewhere)
    assert corpora.header() == "corpora: all of each"


def test_the_turn_is_the_day_of_the_last_commit(at_turn, monkeypatch, tmp_path):
    at_turn(None)
    git = ("git", "-C", str(tmp_path))
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2021-03-04T12:00:00+0000")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@b")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "a")):
        if subprocess.run([*git, *words], check=False).returncode:
            pytest.skip("there is no git")
    monkeypatch.setattr(corpora, "ROOT", tmp_path)
    assert corpora.turn() == date(2021, 3, 4).toordinal()
    assert "turn 737853 (2021-03-04); CUTAWAY_TEST_TURN=737853 takes the same" in corpora.header()
    at_turn(None)
    monkeypatch.setattr(corpora, "ROOT", tmp_path / "nothing")
    assert corpora.turn() >= date.today().toordinal() - 1


def test_the_header_of_a_run_tells_it(tmp_path):
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
        + ["-o", "addopts=", "-v", "tests/test_corpora.py"],
        cwd=corpora.ROOT,
        env={**os.environ, corpora.TURN: "4711"},
        capture_output=True,
        text=True,
    ).stdout
    assert "corpora: the samples of turn 4711 (0013-11-24); CUTAWAY_TEST_TURN=4711" in told


def test_what_the_tables_name_is_there(request):
    conftest = request.config.pluginmanager.get_plugin(str(corpora.ROOT / "tests/conftest.py"))
    tests = {path.stem for path in (corpora.ROOT / "tests").rglob("test_*.py")}
    assert not (conftest.SAMPLED.keys() | conftest.ELSEWHERE.keys() | conftest.LOOK_AT_CODE) - tests
    for corpus in corpora.CORPORA.values():
        for path in corpus.tests:
            assert (corpora.ROOT / path).is_file(), path


def test_a_corpus_that_is_not_there_is_an_error(capsys):
    assert corpora.main(["nonsense"]) == 1
    assert "no corpus nonsense: there are PROGRAMS" in capsys.readouterr().err
