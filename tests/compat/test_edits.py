"""After an edit by the real program a state that statetool wrote says what it said before, apart from the edit."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.compat.content import Content, content, gained, lost
from tests.compat.program import Program
from tests.compat.states import Document, documents, sweep, text_of

# A resource without anything that depends on it: `state mv` clears the dependencies on what it moves.
_PLANTED = {
    "mode": "managed",
    "type": "terraform_data",
    "name": "planted",
    "provider": 'provider["terraform.io/builtin/terraform"]',
    "instances": [{"schema_version": 0, "attributes": {"id": "1"}, "sensitive_attributes": []}],
}
_MOVED = {**_PLANTED, "name": "moved"}

Upgrade = Callable[[Document], bytes]


@pytest.fixture
def upgraded(statetool: Statetool, folder: Path) -> Upgrade:
    """What statetool writes for a state."""

    def written(document: Document) -> bytes:
        (folder / "given.tfstate").write_bytes(text_of(document))
        result = statetool("upgrade", "--registry", "keep", "given.tfstate")
        assert result.status == 0, result.err
        return result.out

    return written


def _with(document: Document, *resources: Document) -> Document:
    return {**document, "serial": 7, "resources": [*document["resources"], *resources]}


def _differences(before: Content, after: Content) -> set[tuple[str, str]]:
    return lost(before, after) | gained(before, after)


def test_mv_and_rm(real: Program, folder: Path, upgraded: Upgrade) -> None:
    state = folder / "terraform.tfstate"

    def holds(document: Document) -> None:
        state.write_bytes(upgraded(_with(document, _PLANTED)))
        assert real.run(folder, "state", "mv", "terraform_data.planted", "terraform_data.moved").status == 0
        moved = {**_with(document, _MOVED), "serial": 8}
        assert _differences(content(upgraded(moved)), content(state.read_bytes())) == set()
        assert real.run(folder, "state", "rm", "terraform_data.moved").status == 0
        removed = {**_with(document), "serial": 9}
        assert _differences(content(upgraded(removed)), content(state.read_bytes())) == set()
        for backup in folder.glob("*.backup"):
            backup.unlink()

    sweep(real, documents(portable=True), holds)


def test_layout(real: Program, folder: Path, upgraded: Upgrade) -> None:
    """The same bytes from both, but for what the program writes about identities."""
    if real.engine != "terraform":
        pytest.skip("OpenTofu's layout is compared with recorded states, for each of its releases")

    def holds(document: Document) -> None:
        # The order of check results is left to chance.
        document = {**document, "check_results": None, "terraform_version": real.version}
        (folder / "terraform.tfstate").write_bytes(text_of(document))
        # The command adds a newline of its own.
        pulled = real.run(folder, "state", "pull").out.removesuffix("\n")
        # Terraform 1.12 and later write this for every object.
        pulled = re.sub(r',\n +"identity_schema_version": 0\b', "", pulled)
        assert pulled.encode() == upgraded(document)

    sweep(real, documents(portable=True), holds)
