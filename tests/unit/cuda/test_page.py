"""docs/cuda.md: its code runs, and its table has the words that there are (`make bless`)."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Any

from cutaway import cuda
from cutaway.cuda.kernels import jit
from cutaway.cuda.options import kernel_options
from cutaway.gpu import bfloat16, words

PAGE = Path(__file__).parents[3] / "docs" / "cuda.md"
BEGIN, END = "<!-- words: begin -->\n", "<!-- words: end -->"
PLACES = {
    "threadIdx": "The place of the thread in its block: `x`, `y` and `z`, each an int32.",
    "blockIdx": "The place of the block in the grid.",
    "blockDim": "The threads of a block, along each dimension.",
    "gridDim": "The blocks of the grid, along each dimension.",
    "laneid": "The number of the thread in its warp, from 0 to 31.",
    "warpsize": "32, the threads of a warp.",
}


NUMBERS = {
    "bfloat16": "The type of elements that hold a bfloat16: uint16.",
    "float32_to_bf16": inspect.getdoc(bfloat16.float32_to_bf16),
    "bf16_to_float32": inspect.getdoc(bfloat16.bf16_to_float32),
}


def described(name: str, word: object) -> str:
    """What a word is; of an array's also in which memory."""
    owner, _, of = name.partition(".")
    memory = f"{inspect.getdoc(getattr(words, owner))} " if of.startswith("array") else ""
    return f"{memory}{inspect.getdoc(word)}"


def table() -> str:
    """The words, each with what it is."""
    told = {name: described(name, word) for name, word in words.WORDS.items()}
    known = {**PLACES, **told, **NUMBERS}
    rows = [
        f"| `cuda.{name}` | {text.replace('|', chr(92) + '|')} |" for name, text in known.items()
    ]
    return "\n".join(["| word | |", "|---|---|", *rows, ""])


def test_the_page_has_the_words_of_kernels():
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = f"{before}{BEGIN}{table()}{END}{after}"
    if os.environ.get("CUTAWAY_BLESS"):
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made, "run: make bless"


def test_every_word_is_one_of_the_table():
    roots = {name.partition(".")[0] for name in (*PLACES, *NUMBERS, *words.WORDS)}
    assert roots == {*words.__all__, "bfloat16", "float32_to_bf16", "bf16_to_float32"}


def test_the_code_of_the_page_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = tmp_path / "page.py"
    path.write_text("\n".join(blocks), encoding="utf-8")
    space: dict[str, Any] = {"__name__": "page"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)  # noqa: S102
    assert ".entry saxpy(" in space["t"].at("ptx").text


def test_the_page_tells_of_every_option():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ", text, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"\w+", row)}
    given, _ = kernel_options({})
    options = {*type(given).__annotations__, "fma", "fastmath", "cache", "boundscheck"}
    assert options <= told
    assert all(f"`{name}`" in inspect.getdoc(jit) for name in options)


def test_names_that_the_page_tells_of_are_there():
    text = PAGE.read_text(encoding="utf-8").partition("## For users of Numba")[0]
    for name in set(re.findall(r"\bcuda\.([a-zA-Z]\w*)", text)):
        assert hasattr(cuda, name), name
