"""The generated page of the tables of an index, and of the saved queries."""

from __future__ import annotations

import inspect
from typing import Final

from msgspec import Struct

from statefmt.fleet import saved_queries
from statefmt.fleet.tables import RUN_TABLES, STATE_TABLES, columns

_ABOUT: Final = """\
# The tables of an index

[`statetool fleet index`](../commands/README.md#fleet-index) writes a DuckDB file with these tables;
[`statetool fleet query`](../commands/README.md#fleet-query) runs SQL over them. The guide is
[A fleet of states](../guides/fleet.md).

- Sensitive values are in no table. What is sensitive, or repeats what is, reads `(sensitive value)`.
- Hashes are keyed with a random key of the index: equal hashes in one index are of equal values, those of two indexes
  say nothing. They are never made of sensitive values.
- `state_id` joins all tables. `objects.resource` is `resources.address` of the same state.
- A column that can be null is empty where a state does not say so.
"""
_STATES: Final = "The rows of a state are replaced together, when it has changed."
_RUNS: Final = "These tables grow with each run."


def page() -> str:
    """Return the page, without the note that it is generated."""
    parts = [_ABOUT, f"\n## What the states say\n\n{_STATES}\n"]
    parts += [_table(name, row) for name, row in STATE_TABLES.items()]
    parts += [f"\n## What the runs did\n\n{_RUNS}\n"]
    parts += [_table(name, row) for name, row in RUN_TABLES.items()]
    parts += ["\n## Saved queries\n\n`statetool fleet query --saved NAME` runs one; `--queries DIR` adds your own.\n\n"]
    parts += ["| name | what it shows |\n| --- | --- |\n"]
    parts += [f"| `{one.name}` | {_cell(one.title)} {_cell(one.explanation)} |\n" for one in saved_queries().values()]
    return "".join(parts)


def _table(name: str, row: type[Struct]) -> str:
    about = inspect.cleandoc(row.__doc__ or "")
    lines = [f"| `{one.name}` | {one.type} | {_cell(one.description)} |\n" for one in columns(row)]
    return f"\n### {name}\n\n{about}\n\n| column | type | what it says |\n| --- | --- | --- |\n{''.join(lines)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
