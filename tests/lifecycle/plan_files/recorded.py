"""The recorded plan files, each beside the JSON that the program printed that made it."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from statefmt.lifecycle.plan_files.archive import open_archive
from tests.lifecycle.plan_files.record import ARCHIVE


class RecordedPlan(NamedTuple):
    """A plan file, and its JSON."""

    file: bytes
    json: bytes

    def unpack(self, folder: Path) -> Path:
        """Write the plan, its configuration and the state before it into a folder; return the plan file."""
        archive = open_archive(self.file)
        for module in archive.modules():
            for name, content in archive.files(module).items():
                place = folder / "config" / module.directory / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
        (folder / "before.tfstate").write_bytes(archive.state("previous"))
        (folder / "plan.json").write_bytes(self.json)
        (folder / "plan.tfplan").write_bytes(self.file)
        return folder / "plan.tfplan"


@cache
def recorded_files() -> Mapping[str, RecordedPlan]:
    """Return the plans by release and case: `terraform-1.11/create`."""
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(fileobj=io.BytesIO(ARCHIVE.read_bytes())) as archive:
        for member in archive:
            name, _, file = member.name.rpartition("/")
            content = archive.extractfile(member)
            assert content is not None
            found.setdefault(name, {})[file] = content.read()
    return {name: RecordedPlan(files["plan.tfplan"], files["plan.json"]) for name, files in found.items()}
