"""`cutaway view`: browse a compilation in the terminal."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.commands.subjects import add_command, add_subject, recorded
from cutaway.inspection.showing.terminal import viewer

Commands = Any  # argparse does not name the class that add_subparsers returns


def add_view(commands: Commands) -> None:
    """Add `cutaway view`."""
    command = add_command(commands, "view", "browse a compilation in the terminal")
    add_subject(command)
    command.set_defaults(command=view)


def view(options: argparse.Namespace) -> int:
    """Browse a compilation in the terminal."""
    record = recorded(options)
    viewer.view(record)  # loads rich
    return 0
