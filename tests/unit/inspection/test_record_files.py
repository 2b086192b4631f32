"""Records survive being written and read; what is no record says so."""

from __future__ import annotations

import gzip
import json
import random
from importlib import resources

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import compilation_of, everything

import cutaway
from cutaway.errors import RecordError
from cutaway.inspection.record import encoding, model

pytestmark = [pytest.mark.sampled(others=4, fast=0), pytest.mark.usefixtures("one_processor")]

SCHEMA = json.loads(
    resources.files("cutaway.inspection.record").joinpath("schema.json").read_text()
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

texts = st.text(max_size=6)
whole = st.integers(0, 1 << 40)
spans = st.tuples(whole, whole, whole, whole)
seconds = st.floats(0, 1e6)
names = st.tuples() | st.tuples(texts) | st.tuples(texts, texts)
lines = st.builds(model.Line, texts, spans, texts, texts, names, names, texts, st.booleans())


def few(strategy):
    """Tuples of up to three."""
    return st.lists(strategy, max_size=3).map(tuple)


decisions = st.builds(model.Decision, texts, texts, texts, texts, spans, texts)
rewrites = st.builds(model.Rewrite, texts, texts, spans, texts, st.integers(-1, 1), st.booleans())
states = st.builds(
    model.State, texts, texts, few(lines), texts, st.booleans(),
    st.dictionaries(texts, st.just(0), max_size=2),
)  # fmt: skip
entries = st.builds(
    model.PassEntry, texts, texts, texts, st.integers(0, 1), st.integers(0, 1), st.booleans(),
    st.booleans(), seconds, seconds, whole, st.integers(-1, 9), st.integers(-1, 9), few(texts),
    few(rewrites), few(decisions), st.just(()),
)  # fmt: skip
changes = st.builds(model.TypeChange, texts, texts, texts, texts, few(st.tuples(texts, texts)))
seen = st.builds(model.Seen, texts, texts, spans, whole, few(texts), texts, texts, texts, whole)
graphs = st.fixed_dictionaries(
    {"kind": texts, "nodes": st.lists(st.fixed_dictionaries({"id": texts})), "edges": st.just([])}
)
functions = st.builds(
    model.FunctionRecord, texts, texts, st.just(-1),
    few(st.builds(model.Argument, texts, texts, texts)), texts, texts, few(texts),
    st.builds(model.Source, texts, whole, few(texts)),
    st.lists(states, min_size=2, max_size=4).map(tuple), few(entries),
    st.none() | st.builds(model.Failure, texts, texts, spans, texts, few(texts)),
    few(st.builds(model.TypeStep, whole, texts, spans, few(changes))),
    st.dictionaries(texts, texts, max_size=2), st.just({}), st.none(), st.none(),
    st.builds(model.Values, few(seen), texts, texts),
    few(st.builds(model.LlvmStep, texts, texts, st.integers(0, 1), texts)), few(decisions),
    st.lists(graphs, min_size=1, max_size=2).map(tuple),
    few(st.builds(model.Cost, whole, whole, whole, whole, texts)),
)  # fmt: skip
records = st.builds(
    model.RecordData,
    st.dictionaries(texts, texts, max_size=2),
    st.lists(functions, min_size=1, max_size=2).map(tuple),
    few(st.builds(model.Timed, texts, texts, whole, texts, seconds, seconds)),
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(records)
def test_a_record_survives_being_written_and_read(data) -> None:
    found = encoding.to_json(data)
    VALIDATOR.validate(json.loads(json.dumps(found)))
    assert encoding.from_bytes(encoding.to_bytes(data)) == data


@pytest.mark.parametrize("name", ["add", "total", "twice", "wrong", "never"])
def test_records_of_functions_are_as_the_schema_says_and_are_read_back(name) -> None:
    data = compilation_of(name).record.data
    VALIDATOR.validate(json.loads(json.dumps(encoding.to_json(data))))
    assert encoding.from_bytes(encoding.to_bytes(data)) == data


def test_a_record_with_a_part_of_every_kind_is_as_the_schema_says() -> None:
    data = everything().data
    VALIDATOR.validate(json.loads(json.dumps(encoding.to_json(data))))
    assert encoding.from_bytes(encoding.to_bytes(data)) == data


def test_the_schema_knows_each_name_of_the_model() -> None:
    text = json.dumps(SCHEMA)
    for cls in vars(model).values():
        if getattr(cls, "__module__", "") == model.__name__ and isinstance(cls, type):
            for field in encoding.fields(cls):
                if cls is not model.Line and (cls, field.name) != (model.State, "lines"):
                    assert f'"{field.name}": ' in text, (cls, field.name)


def test_a_record_is_written_to_a_file_and_loaded(tmp_path) -> None:
    path = tmp_path / "add.cutaway"
    compilation_of("add").save(path)
    assert cutaway.load(path).data == compilation_of("add").record.data
    assert cutaway.load(str(path)).name == "add"


def as_json(change) -> bytes:
    """The content of a file whose JSON was changed."""
    found = encoding.to_json(everything().data)
    change(found)
    return gzip.compress(json.dumps(found).encode())


def test_names_that_are_not_known_are_passed_over() -> None:
    def newer(found) -> None:
        found["more"] = 1
        found["functions"][0]["more"] = {"a": 1}
        found["functions"][0]["passes"][0]["more"] = [1]

    assert encoding.from_bytes(as_json(newer)) == everything().data


def test_names_that_may_be_left_out_have_a_value_of_their_own() -> None:
    def older(found) -> None:
        del found["functions"][0]["llvm"][0]["summary"]
        del found["functions"][0]["cost"]

    found = encoding.from_bytes(as_json(older)).functions[0]
    assert (found.llvm[0].summary, found.cost) == ("", ())


def test_a_newer_version_names_the_cutaway_that_wrote_it() -> None:
    def newer(found) -> None:
        found["version"] = 2
        found["made_with"] = {"cutaway": "9.9"}

    with pytest.raises(RecordError, match="version 2") as caught:
        encoding.from_bytes(as_json(newer))
    assert "update Cutaway, or load it with Cutaway 9.9" in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.pop("version"),
        lambda f: f.update(version="1"),
        lambda f: f.update(schema="other"),
        lambda f: f.pop("strings"),
        lambda f: f.update(functions=[]),
        lambda f: f.update(functions=None),
        lambda f: f["functions"][0].pop("name"),
        lambda f: f["functions"][0].update(name=3),
        lambda f: f["functions"][0].update(states=[]),
        lambda f: f["functions"][0]["passes"][0].update(after=99),
        lambda f: f["functions"][0]["passes"][0].update(before=-1),
        lambda f: f["functions"][0]["passes"][0].update(nested=[0]),
        lambda f: f["functions"][0]["llvm"][0].update(state=99),
        lambda f: f["functions"][0]["states"][0].update(edits=[[5, 5, []]]),
        lambda f: f["functions"][0]["states"][0].update(edits=[[0, 0, [-1]]]),
        lambda f: f["functions"][0]["states"][1].update(graphs={"cfg": 7}),
        lambda f: f["functions"][0].update(explanations={"s": {}}),
        lambda f: f["functions"][0].update(calls={"sites": [{}]}),
        lambda f: f["functions"][0].update(graphs=[{"nodes": [{}], "edges": []}]),
        lambda f: f["lines"].__setitem__(0, [0]),
        lambda f: f["lines"].__setitem__(0, [-1, 0, 0, 0, 0, 0, 0, [], [], 0]),
        lambda f: f["times"].append({"name": 1}),
        lambda f: f["functions"][0]["values"].update(seen=[{"op": "1"}]),
    ],
)
def test_a_record_that_does_not_hold_together_is_refused(change) -> None:
    with pytest.raises(RecordError) as caught:
        encoding.from_bytes(as_json(change))
    assert caught.value.hint


NOT_RECORDS = {
    "nothing": b"",
    "text": b"text",
    "nothing in gzip": gzip.compress(b""),
    "a list": gzip.compress(b"[1, 2]"),
    "no names": gzip.compress(b"{}"),
    "no text": gzip.compress(b"\xff\xfe"),
    "deep lists": gzip.compress(b"[" * 100_000),
    "a long number": gzip.compress(b"9" * 10_000),
    "damaged gzip": b"\x1f\x8b" + b"\0" * 50,
}


@pytest.mark.parametrize("content", NOT_RECORDS.values(), ids=NOT_RECORDS)
def test_what_is_no_record_says_so(content, tmp_path) -> None:
    path = tmp_path / "f.cutaway"
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        cutaway.load(path)
    assert caught.value.hint


def test_a_file_that_is_cut_off_says_so() -> None:
    content = encoding.to_bytes(everything().data)
    for end in range(1, len(content), 97):
        with pytest.raises(RecordError):
            encoding.from_bytes(content[:end])
    with pytest.raises(RecordError, match="truncated"):
        encoding.from_bytes(content[:-20])


def test_a_file_with_wrong_bytes_is_refused_or_is_a_record() -> None:
    text = gzip.decompress(encoding.to_bytes(everything().data))
    chance = random.Random(7)
    for _ in range(300):
        changed = bytearray(text)
        for _ in range(3):
            changed[chance.randrange(len(changed))] = chance.choice(b'0189[]{}",:x')
        try:
            str(encoding.from_bytes(gzip.compress(bytes(changed), 1)))
        except RecordError as error:
            assert str(error)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(monkeypatch) -> None:
    monkeypatch.setattr(encoding, "LARGEST", 1 << 20)
    with pytest.raises(RecordError, match="more than 1 MiB"):
        encoding.from_bytes(gzip.compress(b" " * (1 << 24)))


def test_a_file_that_is_not_there_or_cannot_be_written_says_so(tmp_path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        cutaway.load(tmp_path / "none.cutaway")
    with pytest.raises(RecordError, match="cannot be read"):
        cutaway.load("\0")
    with pytest.raises(RecordError, match="cannot be written"):
        everything().save(tmp_path / "no" / "folder.cutaway")


def test_a_reader_of_lines_alone_goes_on_reading_them_where_some_are_guesses():
    content = encoding.to_json(compilation_of("total").record.data)
    assert content["guesses"]
    assert {len(row) for row in content["lines"]} == {10}
    del content["guesses"]
    assert not any(
        line.near for s in encoding.from_json(content).functions[0].states for line in s.lines
    )
