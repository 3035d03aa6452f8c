"""Renders a state as stable text, for `git log -p` to compare line by line."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.golang import quote
from statefmt.model.snapshot import Snapshot, instances
from statefmt.render.outputs.text import outputs_text
from statefmt.render.show.text import instance_texts
from statefmt.render.terminal import Terminal


def state_text(snapshot: Snapshot) -> Iterator[str]:
    """Yield the text in pieces, with sensitive values hidden; what changes with every write comes first."""
    yield f"serial = {snapshot.serial}\nlineage = {quote(snapshot.lineage)}\n"
    yield f"terraform_version = {quote(snapshot.terraform_version)}\n"
    terminal = Terminal()
    for instance in instances(snapshot):
        for text in instance_texts(instance, terminal, show_sensitive=False, expand=True):
            yield f"\n{text}\n"
    if snapshot.outputs:
        yield f"\n{outputs_text(snapshot.outputs, terminal, show_sensitive=False, expand=True)}\n"
