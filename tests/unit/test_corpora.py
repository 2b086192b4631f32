"""A run takes the same samples of the corpora each time, and the shards of a full one take all."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import corpora


@pytest.fixture(autouse=True)
def usual(monkeypatch):
    """No shard, and no numbers of a corpus, in the environment."""
    monkeypatch.delenv(corpora.SHARD, raising=False)
    for name in corpora.CORPORA:
        monkeypatch.delenv(f"CUTAWAY_TEST_{name}", raising=False)


@pytest.mark.parametrize("name", corpora.CORPORA)
def test_the_shards_take_all_of_a_corpus_and_nothing_twice(name, monkeypatch):
    taken, seeds = [], set()
    for number in range(1, 8):
        monkeypatch.setenv(corpora.SHARD, f"{number}/7")
        part = corpora.seeds(name)
        assert len(part) == corpora.count(name)
        taken += part
        seeds.add(corpora.seed(name))
    assert taken == list(range(corpora.CORPORA[name].whole))
    assert len(seeds) == min(7, corpora.CORPORA[name].whole)


def test_a_usual_run_takes_the_first_few():
    for name, corpus in corpora.CORPORA.items():
        few = corpus.here if sys.version_info[:2] == corpora.FIRST else corpus.elsewhere
        assert corpora.seeds(name) == range(few)
        assert corpora.seed(name) == f"{name} 0 0"
        assert corpus.whole > max(corpus.here, corpus.elsewhere)
    assert corpora.sample(4, "abcdefghijk") == list("aei")
    assert corpora.header() == "corpora: the fixed samples; `make full` takes all"


def test_lists_are_taken_whole_by_the_shards(monkeypatch):
    items = list("abcdefghijk")
    few = corpora.spread("ARRAYS", items)
    assert few == items[:: len(items)]
    taken, sampled = [], []
    for number in (1, 2, 3):
        monkeypatch.setenv(corpora.SHARD, f"{number}/3")
        sampled += corpora.sample(4, items)
        taken += corpora.spread("ARRAYS", items)
    assert taken == items and sorted(sampled) == items


def test_each_test_is_in_one_shard(monkeypatch):
    names = [f"tests/unit/test_one.py::test_it[{k}]" for k in range(200)]
    path = corpora.ROOT / "tests/unit/test_one.py"
    taken = []
    for number in (1, 2, 3):
        monkeypatch.setenv(corpora.SHARD, f"{number}/3")
        part = [name for name in names if corpora.is_of_shard(name, path)]
        assert 40 < len(part) < 90
        taken += part
    assert sorted(taken) == sorted(names)
    counted = corpora.CORPORA["ARRAYS"].tests[0]
    assert corpora.is_of_shard("any name", corpora.ROOT / counted)


def test_the_number_of_a_corpus_can_be_given(monkeypatch):
    monkeypatch.setenv("CUTAWAY_TEST_ARRAYS", "3")
    assert corpora.seeds("ARRAYS") == range(3)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/2/3", "-1/3"])
def test_a_shard_that_there_cannot_be_is_an_error(text, monkeypatch):
    monkeypatch.setenv(corpora.SHARD, text)
    with pytest.raises(ValueError, match="is no shard: write 3/20"):
        corpora.shard()


def run(*words: str, **environment: str) -> str:
    """What pytest says of a run in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", "addopts=", *words],
        cwd=corpora.ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def test_the_header_of_a_run_says_how_to_repeat_it():
    said = run("--collect-only", "tests/unit/test_corpora.py", CUTAWAY_TEST_SHARD="3/20")
    assert "corpora: shard 3/20 of all; `make full SHARD=3/20` takes the same again" in said


def test_a_sampled_module_runs_one_in_so_many_and_all_when_it_is_named(request):
    conftest = request.config.pluginmanager.get_plugin(str(corpora.ROOT / "tests/conftest.py"))

    class Item:
        path = corpora.ROOT / "tests/unit/test_one.py"
        nodeid = "one"

        def get_closest_marker(self, name):
            return pytest.mark.sampled(test=3, others=4, fast=0).mark

    sampling = conftest.Sampling()
    rate = 3 if conftest.IS_FIRST else 4
    places = [sampling.place(Item()) for _ in range(12)]
    taken = [place for place in places if sampling.is_taken(Item(), place)]
    assert taken == list(range(0, 12, rate))


def test_what_the_table_names_is_there():
    for corpus in corpora.CORPORA.values():
        for path in corpus.tests:
            assert (corpora.ROOT / path).is_file(), path


def test_a_corpus_that_is_not_there_is_an_error(capsys):
    assert corpora.main(["nonsense"]) == 1
    assert "no corpus nonsense: there are PROGRAMS" in capsys.readouterr().err
