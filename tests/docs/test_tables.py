"""The tables that lead to commands name them all, and name none that does not exist."""

from __future__ import annotations

import re

from docs.site import ROOT
from statefmt.cli.main import COMMANDS


def test_every_command_has_a_task() -> None:
    """Names count in code: at the start, as in `mv` and `check --config DIR`."""
    page = (ROOT / "docs" / "which-command.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z-]+)[^`]*`", page))
    assert set(COMMANDS) - named == set()


def test_every_link_to_a_command_names_it() -> None:
    page = (ROOT / "docs" / "which-command.md").read_text(encoding="utf-8")
    links = re.findall(r"\[`([a-z-]+)[^`]*`\]\(commands/([a-z-]+)\.md\)", page)
    assert len(links) >= 30
    assert [pair for pair in links if pair[0] != pair[1]] == []
