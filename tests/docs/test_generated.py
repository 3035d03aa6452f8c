"""The generated pages of the repository say what the program says."""

from __future__ import annotations

from docs.generate import DOCS, lists
from statefmt.cli.names import COMMANDS
from statefmt.lint.registry import all_rules


def test_lists_are_up_to_date() -> None:
    written = {name: (DOCS / name).read_text(encoding="utf-8") for name in lists()}
    assert [name for name, text in lists().items() if written[name] != text] == [], "run: make docs"


def test_every_rule_and_command_is_listed() -> None:
    rules, commands = lists().values()
    assert [code for code in all_rules() if f"</a>{code} |" not in rules] == []
    assert [name for name in COMMANDS if f"</a>`{name}` |" not in commands] == []


def test_no_other_generated_page_is_in_the_repository() -> None:
    folders = {name.partition("/")[0] for name in lists()}
    found = {path.relative_to(DOCS).as_posix() for folder in folders for path in (DOCS / folder).glob("*.md")}
    assert found == lists().keys()
