"""Prints rules and their pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import indent

from statefmt.lint.checked import Fixable
from statefmt.lint.registry import Page
from statefmt.model.findings import Severity
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


def rules_table(pages: Sequence[Page], terminal: Terminal) -> str:
    """Return one line for each rule: code, severity, title, and the options of `check` that fix it."""
    lines = []
    for page in pages:
        severity = terminal.paint(f"{page.rule.severity.value:<7}", _COLOURS[page.rule.severity])
        mark = "" if page.rule.mend is None else terminal.paint(f"  ({page.rule.mend.options})", "dim")
        lines.append(f"{terminal.paint(page.rule.code, 'bold')}  {severity}  {page.title}{mark}")
    return "\n".join(lines)


def rule_page(page: Page, terminal: Terminal) -> str:
    """Return a rule's page for the terminal: its Markdown with the headings highlighted."""
    rule = page.rule
    head = f"{rule.code} {rule.name} ({rule.severity.value})"
    parts = [terminal.paint(head, "bold", _COLOURS[rule.severity]), terminal.wrap(page.title, "")]
    # Every second part is a code block and keeps its lines.
    for number, text in enumerate(re.split(r"^```.*$", page.text, flags=re.MULTILINE)):
        if number % 2:
            parts.append(indent(text.strip("\n"), "    "))
        else:
            parts += [_paragraph(block, terminal) for block in re.split(r"\n(?=## )|\n\n", text) if block.strip()]
    return "\n\n".join(parts)


def _paragraph(block: str, terminal: Terminal) -> str:
    """Format a paragraph of Markdown, with its heading if it has one."""
    heading, _, text = block.strip().partition("\n") if block.strip().startswith("## ") else ("", "", block)
    body = "\n".join(terminal.wrap(item, "  ") for item in re.split(r"\n(?=- )", text.strip())) if text.strip() else ""
    if not heading:
        return body
    title = terminal.paint(heading.removeprefix("## "), "bold")
    return f"{title}\n{body}" if body else title


def rules_json(pages: Sequence[Page]) -> bytes:
    """Return rules with their pages (schema: `rule-output.schema.json`)."""
    return document({"rules": [_rule(page) for page in pages]})


def _rule(page: Page) -> dict[str, object]:
    mend = page.rule.mend
    return {
        "code": page.rule.code,
        "name": page.rule.name,
        "severity": page.rule.severity.value,
        "title": page.title,
        "page": page.text,
        "fix": None if mend is None else Fixable.SAFE if mend.is_safe else Fixable.UNSAFE,
    }
