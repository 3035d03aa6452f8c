"""Comparing two states by `statetool diff`, and the small states to compare."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Result, Statetool
from tests.cli.states import resource


def compare(statetool: Statetool, old: bytes, new: bytes, *options: str) -> Result:
    """Compare two states, which are written to `old` and `new`."""
    Path("old").write_bytes(old)
    Path("new").write_bytes(new)
    return statetool("diff", "old", "new", *options)


def web(*keys: object, **more: object) -> dict[str, object]:
    return resource("aws_instance", "web", *[{"index_key": key, "attributes": {"id": f"i-{n}"}, **more}
                                             for n, key in enumerate(keys)])  # fmt: skip


def vpc(name: str, **attributes: object) -> dict[str, object]:
    return resource("aws_vpc", name, {"attributes": {"id": "vpc-1", **attributes}})


def within(block: dict[str, object], module: str) -> dict[str, object]:
    return {**block, "module": module}
