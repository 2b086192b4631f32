"""American spelling everywhere: in code, comments, tests, documentation and messages.

Two spellings of one word hide from a search for either of them, and this package's words are
searched for: names of passes, of settings, of attributes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]
ENDINGS = {".c", ".css", ".h", ".html", ".in", ".js", ".json", ".md", ".py", ".sh", ".toml", ".txt"}
NAMED = {"LICENSE", "Makefile", ".gitignore"}  # text, with no ending that says so

# Words that are British whatever follows: `colour` is in `colours` and in `discolouration`.
STEMS = (
    # -our
    "armour behaviour clamour colour demeanour endeavour favour fervour flavour glamour harbour"
    " honour humour labour neighbour odour parlour rancour rigour rumour saviour savour splendour"
    " succour tumour valour vapour vigour"
    # a consonant doubled before an ending
    " biassed benefitted benefitting cancelled cancelling channelled channelling counselled"
    " counselling dialled dialling equalled equalling focussed focussing fuelled fuelling"
    " funnelled funnelling initialled initialling jewelled labelled labelling levelled levelling"
    " marvelled marvelling modelled modelling panelled panelling quarrelled quarrelling signalled"
    " signalling swivelled targetted targetting totalled totalling towelled travelled travelling"
    " traveller tunnelled tunnelling unravelled unravelling worshipped"
    # -ogue, -yse, -ae-
    " analogue catalogue analyse analysing analyser paralyse catalyse anaesthe archaeo encyclopaed"
    " mediaeval paediatr"
    # words of their own
    " ageing aluminium artefact cheque connexion cosier doughnut grey instalment judgement"
    " kerb manoeuvre misspelt mould moustache plough practise programmes pyjama sceptic skilful"
    " smoulder sulphur tyres wilful woollen"
).split()

# Words that are British as they stand, and begin or end American ones: `licence`, in `license`.
WORDS = set(
    "acknowledgement afterwards amidst amongst backwards burnt calibre centre centred centres"
    " centring cosy defence defences distil distils downwards draught draughts dreamt enrol enrols"
    " enrolment fibre fibres forwards fulfil fulfilment fulfils inwards kilometre kilometres"
    " learnt leapt licence licences litre litres lustre maths metre metres millimetre millimetres"
    " offence offences onwards outwards pretence programme sabre sombre spectre spelt spilt spoilt"
    " storey theatre towards tyre upwards whilst".split()
)

# Of words in -ise only these are American; all others end in -ize here.
RISES = set(
    "advertise advise anise apprise appraise arise braise bruise chaise chastise circumcise"
    " clockwise comprise compromise concise counterclockwise cruise demise despise devise disguise"
    " elementwise enterprise excise exercise expertise franchise guise imprecise improvise incise"
    " leastwise liaise lengthwise likewise madvise merchandise mayonnaise noise otherwise pairwise"
    " paradise piecewise"
    " pointwise poise porpoise praise precise premise promise raise reraise revise rise stepwise"
    " sunrise supervise surprise televise tortoise treatise turquoise unwise wise bitwise".split()
)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
WORD = re.compile(r"[A-Z]?[a-z]+[0-9]*|[A-Z]+(?![a-z])")
ISE = re.compile(r"(\w*is)(?:e|ed|es|er|ers|ing|ingly|ation|ations|able)$")
# Plurals, and other words that only look like forms of a verb in -ise.
LOOK_ALIKES = set(
    "advisable bases basis biser crises disable improvisation kaiser noises oases parentheses this"
    " vonmises wiser misers miser hypotheses theses emphases ellipses syntheses analyses".split()
)

# Names of other people's, as they write them.
PERMITTED = {
    "grey23": "a color of rich's",
    "labelledby": "aria-labelledby, of HTML",
    "unraisable": "sys.unraisablehook, of CPython",
    "vonmises": "a distribution of NumPy's",
    "sise": "a misspelled name in a wrong program",
}


def texts() -> list[Path]:
    """The text files of the project, as git knows them; all below its folder in a copy without
    git's data."""
    listed = subprocess.run(["git", "ls-files"], cwd=PROJECT, capture_output=True, text=True)
    if listed.returncode == 0:
        paths = [PROJECT / line for line in listed.stdout.splitlines()]
    else:
        paths = [p for part in ("src", "tests", "docs", "notebooks", "examples", "benchmarks",
                                "tools") for p in (PROJECT / part).rglob("*")]  # fmt: skip
        paths += PROJECT.glob("*")
    itself = Path(__file__)
    return sorted(
        p for p in paths
        if (p.suffix in ENDINGS or p.name in NAMED) and p != itself and p.is_file()
    )  # fmt: skip


def words(text: str) -> Iterator[str]:
    """The words of a text: names are taken apart at underscores and at capitals."""
    for name in NAME.findall(text):
        yield from words_of_name(name)


@cache
def words_of_name(name: str) -> tuple[str, ...]:
    """The words of one name, in small letters."""
    return tuple(word.lower() for word in WORD.findall(name))


@cache
def is_british(word: str) -> bool:
    """True if a word, in small letters, is spelled in the British way."""
    if word in PERMITTED or word in LOOK_ALIKES:
        return False
    if word in WORDS or any(stem in word for stem in STEMS):
        return True
    verb = ISE.fullmatch(word)
    return bool(verb) and f"{verb[1]}e" not in RISES


def has_british(text: str) -> bool:
    """True if some word of a text is British; each name is looked at once."""
    return any(is_british(word) for name in set(NAME.findall(text)) for word in words_of_name(name))


def misspelled(text: str) -> list[str]:
    """The British words of a text, with the lines that they stand in."""
    return [
        f"{number}: {word}"
        for number, line in enumerate(text.splitlines(), 1)
        for word in words(line)
        if is_british(word)
    ]


@pytest.fixture(scope="module")
def everything() -> dict[Path, str]:
    """All texts, with what they say."""
    return {path: path.read_text(encoding="utf-8") for path in texts()}


def test_the_spelling_is_american(everything):
    british = [
        f"{path.relative_to(PROJECT)}:{word}"
        for path, text in everything.items()
        if has_british(text)
        for word in misspelled(text)
    ]
    assert british == []


@pytest.mark.parametrize(
    "text",
    [
        "the colour of it",
        "def specialise(): ...",
        "class OptimisedFunction: ...",
        "TOKENISER = 1",
        "unrecognised_option",
        "Behaviour",
        "which is labelled",
        "it goes backwards",
        "grey",
        "isVectorised",
    ],
)
def test_a_british_word_is_seen(text):
    assert has_british(text)
    assert len(misspelled(f"\n{text}")) == 1
    assert misspelled(f"\n{text}")[0].startswith("2: ")


@pytest.mark.parametrize(
    "text",
    [
        "it raises a precise, elementwise noise, otherwise a surprise",
        "promised, exercising, comprises, arising, unwise",
        "specialize optimization color labeled canceled gray behavior",
        "this basis is a list of parentheses",
        "installed, called, spelled, controlled; four hours of our tour",
        "isinstance is_it promise_of_IR",
    ],
)
def test_american_words_pass(text):
    assert misspelled(text) == [] and not has_british(text)


def test_each_permitted_name_stands_somewhere(everything):
    names = {name for text in everything.values() for name in NAME.findall(text)}
    assert PERMITTED.keys() - {word for name in names for word in words_of_name(name)} == set()
