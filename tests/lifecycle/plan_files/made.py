"""Plan files that no released program makes: recorded ones, changed as messages and packed again."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from statefmt.lifecycle.plan_files._messages import parse_message
from tests.lifecycle.plan_files.recorded import recorded_files

UNKNOWN = msgspec.msgpack.Ext(0, b"\0")


def members_of(name: str = "terraform-1.11/create") -> dict[str, bytes]:
    """Return the members of a recorded plan file."""
    with zipfile.ZipFile(io.BytesIO(recorded_files()[name].file)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def packed(members: Mapping[str, bytes]) -> bytes:
    """Return a plan file with some members."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return content.getvalue()


def made(edit: Callable[[Any], None], more: Mapping[str, bytes] | None = None) -> bytes:
    """Return the recorded plan that creates `terraform_data.a`, with its message edited and `more` members."""
    members = members_of()
    message = parse_message("Plan", members["tfplan"])
    edit(message)
    return packed({**members, "tfplan": message.SerializeToString(), **(more or {})})


def aws_change(message: Any, value: Any, address: str = "aws_instance.a") -> Any:
    """Make the only change one of the AWS provider, with a planned value; return it."""
    (change,) = message.resource_changes
    change.addr, change.provider = address, 'provider["registry.terraform.io/hashicorp/aws"]'
    change.change.values[0].msgpack = msgspec.msgpack.encode(value)
    return change
