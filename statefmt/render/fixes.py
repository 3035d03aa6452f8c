"""Renders the fix of a finding as text, with commands in backticks and quoted for a shell."""

from __future__ import annotations

from statefmt.model.findings import Command, Fix
from statefmt.text import shell_line


def fix_text(fix: Fix) -> str:
    """Render the advice without the snippet; an empty string if there is none."""
    return "".join([f"`{_line(part)}`" if isinstance(part, Command) else part for part in fix.advice])


def _line(command: Command) -> str:
    return shell_line(("statetool", command.name, *command.arguments))
