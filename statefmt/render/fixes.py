"""What to do about a finding, as text: each command in backticks and quoted for a shell."""

from __future__ import annotations

from statefmt.model.findings import Command, Fix
from statefmt.text.shell import shell_line


def fix_text(fix: Fix) -> str:
    """The advice without the snippet, "" where there is none."""
    return "".join([f"`{_line(part)}`" if isinstance(part, Command) else part for part in fix.advice])


def _line(command: Command) -> str:
    return shell_line(("statetool", command.name, *command.arguments))
