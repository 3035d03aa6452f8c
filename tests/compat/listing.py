"""The addresses in a state, as `statetool list` and `state list` of a real program print them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program
from tests.compat.states import Document

Lines = Callable[[bytes], list[str] | None]


@pytest.fixture
def own(statetool: Statetool, folder: Path) -> Lines:
    """The lines of `statetool list`, or nothing where it cannot read the state."""

    def lines(data: bytes) -> list[str] | None:
        (folder / "own.tfstate").write_bytes(data)
        result = statetool("list", "--state", "own.tfstate")
        return result.text.splitlines() if result.status == 0 else None

    return lines


@pytest.fixture
def theirs(real: Program, folder: Path) -> Lines:
    """The lines of `state list` of the real program, or nothing where it cannot read the state."""

    def lines(data: bytes) -> list[str] | None:
        (folder / "theirs.tfstate").write_bytes(data)
        result = real.run(folder, "state", "list", "-state=theirs.tfstate")
        return result.out.splitlines() if result.status == 0 else None

    return lines


@pytest.fixture
def readable(real: Program) -> Callable[[bytes], bytes]:
    """What the program sees of a state: older ones, without a word, only the resources with a provider of their own."""
    return without_provider_instances if real.engine == "terraform" or real.minor < (1, 9) else lambda data: data


def without_provider_instances(data: bytes) -> bytes:
    """What decides on the lines of a state of format 4 whose program knows no provider instances.

    Gone are resources whose provider is not at their own level, or is of the legacy namespace `-` under another host
    than Terraform's.
    """
    document = json.loads(data)
    kept = [
        {**_only(block, _HEAD), "instances": [_only(instance, _IDENTITY) for instance in block.get("instances", ())]}
        for block in document["resources"]
        if _is_readable(block.get("provider"))
    ]
    return json.dumps({"version": 4, "lineage": "", "resources": kept}).encode()


def _is_readable(provider: str | None) -> bool:
    return provider is not None and ("/-/" not in provider or '"registry.terraform.io/-/' in provider)


def _only(members: Document, names: tuple[str, ...]) -> Document:
    return {name: members[name] for name in names if name in members}


_HEAD: Final = ("module", "mode", "type", "name", "provider")
_IDENTITY: Final = ("index_key", "deposed", "provider")
