"""Run the four examples in Python and compiled, follow one function level by level, and write its
page.

python examples/demo.py
"""

from __future__ import annotations

from pathlib import Path

import heat
import kmeans
import mandelbrot
import nbody
from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table

LANGUAGE = {"source": "python", "llvm": "llvm", "llvm_opt": "llvm", "asm": "gas"}
WHAT = {
    "source": "the Python source",
    "bytecode": "stage 1: CPython's bytecode",
    "cfg": "stage 1: its blocks, dominators and loops",
    "ir": "stage 2: registers instead of a stack",
    "ssa": "stages 2 and 3: one definition per variable, constants folded",
    "typed": "stages 4 and 5: every variable has a type",
    "arrayexpr": "stage 5: operations on arrays are loops; `del` ends a variable's life",
    "llvm": "stage 6: lowered",
    "llvm_opt": "stage 6: optimized by LLVM",
    "asm": "stage 7: machine code",
}
LINES = 34  # of each level that are shown
OUTPUT = Path(__file__).with_name("output")


def main() -> None:
    """The demonstration."""
    console = Console(width=110)
    compare(console)
    follow(console)


def compare(console: Console) -> None:
    """Run every example both ways."""
    table = Table(title="Python and compiled", caption="seconds; the first call compiles")
    for heading in ("program", "", "Python", "first call", "compiled", "speed-up", "difference"):
        table.add_column(heading, justify="left" if heading in ("program", "") else "right")
    notes = []
    for module in (nbody, kmeans, heat, mandelbrot):
        example = module.EXAMPLE
        result = example.measure()
        table.add_row(
            example.name,
            example.what,
            f"{result.python:.3f}",
            f"{result.first:.3f}",
            f"{result.compiled:.5f}",
            f"{result.python / result.compiled:.0f} x",
            f"{result.difference:.1e}" if result.difference else "none",
        )
        notes.append(f"{example.name}: {example.note()}")
    console.print(table)
    for note in notes:
        console.print(f"  {note}")


def follow(console: Console) -> None:
    """Show one function at every level, and run it at each."""
    arguments = (-0.5, 0.5, 50)
    compilation = mandelbrot.escape.trace(*arguments)
    console.print(Rule("One function, level by level"))
    for name in compilation.levels:
        level = compilation.at(name)
        lines = level.text.splitlines()
        text = "\n".join(lines[:LINES])
        if len(lines) > LINES:
            text += f"\n... {len(lines) - LINES} more lines"
        result = level.run(*arguments)
        body = Syntax(text, LANGUAGE.get(name, "text"), theme="ansi_dark", word_wrap=False)
        console.print(Panel(body, title=f"{name}: {WHAT[name]}", subtitle=f"run here: {result}"))
    console.print(compilation.timings)
    console.print(Rule("Why these types, and is the code correct?"))
    console.print(compilation.why("zr"))
    console.print(compilation.remarks)
    verdict = str(compilation.witness(*arguments)).splitlines()[-1]
    console.print(f"after every pass: {verdict}")
    console.print(Rule("Explore it yourself"))
    OUTPUT.mkdir(exist_ok=True)
    page = mandelbrot.escape.trace(*arguments, level="rewrite").report(OUTPUT / "escape.html")
    call = '"{}"'.format(", ".join(map(str, arguments)))
    page = page.relative_to(Path.cwd()) if page.is_relative_to(Path.cwd()) else page
    print(f"the whole compilation as a page:         {page}")
    print("the same in the terminal:                ", end="")
    print(f".venv/bin/cutaway view examples/mandelbrot.py:escape --args {call}")
    print("all inspection tools, and lessons:       docs/inspection.md, notebooks/")


if __name__ == "__main__":
    main()
