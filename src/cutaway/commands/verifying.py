"""`cutaway verify` and `cutaway bisect`: a function run at every level and compared with Python."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.commands.subjects import add_command, add_function, show, traced, values_of

Commands = Any  # argparse does not name the class that add_subparsers returns
_USER_ERROR = 1


def add_verify(commands: Commands) -> None:
    """Add `cutaway verify`."""
    command = add_command(
        commands, "verify", "run a function after every pass and compare it with Python"
    )
    add_function(command)
    command.add_argument("--repeat", type=int, default=1, help="the number of calls in a row")
    command.set_defaults(command=_verify)


def add_bisect(commands: Commands) -> None:
    """Add `cutaway bisect`."""
    command = add_command(
        commands, "bisect", "find the first pass, rewrite and value that differ from Python"
    )
    add_function(command)
    command.add_argument(
        "--reproducer", metavar="FILE", help="write a script that reproduces the difference"
    )
    command.set_defaults(command=_bisect)


def _verify(options: argparse.Namespace) -> int:
    compilation, values = traced(options), _call_values(options)
    witness = compilation.witness(*values, repeat=max(options.repeat, 1))
    show(witness)
    return 0 if witness.ok else _USER_ERROR


def _bisect(options: argparse.Namespace) -> int:
    compilation, values = traced(options), _call_values(options)
    bisection = compilation.bisect(*values)
    show(bisection)
    if options.reproducer and not bisection.ok:
        bisection.reproducer(options.reproducer)
    return 0 if bisection.ok else _USER_ERROR


def _call_values(options: argparse.Namespace) -> tuple[Any, ...]:
    """Return the values of the call; none if only types are passed."""
    return () if options.types else values_of(options.args)
