"""`statetool rule`: lists the rules, or explains one."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Argument, BadParameter

from statefmt.cli.command import declared
from statefmt.cli.options.shared import FormatOption, OutputFormat
from statefmt.cli.outcome import FINE
from statefmt.cli.streams import result_terminal
from statefmt.render.check import rule_page, rules_json, rules_table
from statefmt.rules import all_pages


@declared(
    paged=True,
    decrypts=False,
    connects=False,
    examples=(
        ("List all rules.", "statetool rule"),
        ("Explain one rule, and how to fix what it reports.", "statetool rule PRV003"),
        ("List the rules about providers.", "statetool rule PRV"),
    ),
)
def rule_command(
    code: Annotated[
        str | None, Argument(metavar="[CODE]", help="The code or name of a rule, or a prefix of codes.")
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """List the rules of `check` and `verify`, or explain one."""
    pages = list(all_pages().values())
    if code is not None:
        pages = [page for page in pages if page.rule.name == code or page.rule.code.startswith(code.upper())]
        if not pages:
            raise BadParameter(f"unknown rule {code!r}; `statetool rule` lists all rules", param_hint="CODE")
    terminal = result_terminal()
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(rules_json(pages))
    elif code is not None and len(pages) == 1:
        print(rule_page(pages[0], terminal))
    else:
        print(rules_table(pages, terminal))
    return FINE
