"""The tables that lead to commands name them all, and name none that does not exist."""

from __future__ import annotations

import re

import pytest

from docs.site import ROOT
from statefmt.cli.names import COMMANDS
from statefmt.cli.program import command_arguments, command_named


def test_every_command_has_a_task() -> None:
    """Names count in code: at the start, as in `mv` and `check --config DIR`."""
    page = (ROOT / "docs" / "which-command.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:fleet )?[a-z-]+)[^`]*`", page))
    assert set(COMMANDS) - named == set(), "add them to docs/which-command.md"


def test_every_link_to_a_command_names_it() -> None:
    page = (ROOT / "docs" / "which-command.md").read_text(encoding="utf-8")
    links = re.findall(r"\[`((?:fleet )?[a-z-]+)[^`]*`\]\(commands/README\.md#([a-z-]+)\)", page)
    assert len(links) >= 30
    assert [pair for pair in links if pair[0].replace(" ", "-") != pair[1]] == []


@pytest.mark.parametrize("page", ["which-command.md", "coming-from.md"])
def test_options_exist(page: str) -> None:
    """Of commands written as code, with or without the program's name."""
    seen = 0
    for code in re.findall(r"`([^`\n]+)`", (ROOT / "docs" / page).read_text(encoding="utf-8")):
        name, *words = command_arguments(code.removeprefix("statetool ").split())
        if name not in COMMANDS:
            continue
        known = {option for one in command_named(name).params for option in (*one.opts, *one.secondary_opts)}
        options = {word for word in words if word.startswith("-") and word != "-"}
        assert options - known == set(), code
        seen += len(options)
    assert seen >= 8
