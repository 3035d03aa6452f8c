"""What no block makes of an edit is said, and what a release does not read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from statefmt.analysis.diff import diff
from statefmt.render.diff.blocks import EditBlocks, edit_blocks
from tests.analysis.diff.build import snapshot

Given = str | tuple[str, Mapping[str, Any]]
TERRAFORM = 'provider["registry.terraform.io/hashicorp/aws"]'
BUILTIN = 'provider["terraform.io/builtin/terraform"]'


def _blocks(old: Sequence[Given], new: Sequence[Given], **members: object) -> EditBlocks:
    before, after = snapshot(*old, **members), snapshot(*new, **members)
    return edit_blocks(diff(before, after), after, show_sensitive=False)


LEFT: dict[str, tuple[Given, Given, list[str]]] = {
    "a taint": ("a.x = 1", ("a.x = 1", {"status": "tainted"}), ["no block taints; plan with -replace=ADDRESS instead"]),
    "a taint removed": (("a.x = 1", {"status": "tainted"}), "a.x = 1", ["no block removes a taint"]),
    "values": ("a.x = 1", ("a.x = 1", {"attributes": {"y": 2}}), ["no block sets attributes"]),
    "a provider": (
        "a.x = 1", ("a.x = 1", {"provider": TERRAFORM}),
        ["no block changes the provider; change it in the configuration, and plan"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_what_no_block_makes(name: str) -> None:
    old, new, reasons = LEFT[name]
    found = _blocks([old], [new])
    assert (found.blocks, [text.splitlines()[0] for text in found.left]) == (
        (),
        [f"# Not as blocks: {reason}" for reason in reasons],
    )
    assert all(text.splitlines()[1].startswith("#   a.x") for text in found.left)


def test_a_taint_is_lost_on_the_way_to_another_state() -> None:
    found = _blocks([], [("a.x = 1", {"status": "tainted"})])
    assert found.blocks == ('import {\n  to = a.x\n  id = "1"\n}\n',)
    assert found.left == ("# Not as blocks: an import does not bring a taint or deposed objects along\n#   a.x\n",)


def test_a_list_ends() -> None:
    old = [f"a.x[{number}] = {number}" for number in range(30)]
    found = _blocks(old, [(text, {"status": "tainted"}) for text in old])
    assert len(found.left[0].splitlines()) == 1 + 20 + 1
    assert found.left[0].splitlines()[-1] == "#   and 10 more"


# The release and the provider of the state; whether `removed` has a lifecycle; the start of a warning.
RELEASES: Sequence[tuple[str, str | None, bool, str]] = [
    ("1.9.4", None, False, ""),
    ("1.10.0", None, True, ""),
    ("1.9.4", TERRAFORM, True, ""),
    ("1.9.4", BUILTIN, True, "OpenTofu 1.7 to 1.9 reads removed blocks without lifecycle"),
    ("1.12.0", BUILTIN, True, ""),
    ("1.6.6", None, True, "removed blocks need release 1.7 or later, but 1.6.6 wrote the state"),
    ("", None, True, ""),
]


@pytest.mark.parametrize(("release", "provider", "lifecycle", "warning"), RELEASES)
def test_releases(release: str, provider: str | None, lifecycle: bool, warning: str) -> None:
    given: Given = "a.x = 1" if provider is None else ("a.x = 1", {"provider": provider})
    found = _blocks([given], [], terraform_version=release)
    assert ("lifecycle" in found.text) == lifecycle
    assert [text[: len(warning)] for text in found.warnings] == ([warning] if warning else [])


def test_old_releases_have_no_moved_and_import_blocks() -> None:
    found = _blocks(["a.x = 1"], ["a.y = 1", "a.z = 3"], terraform_version="1.0.11")
    assert [text.partition(" ")[0] for text in found.warnings] == ["moved", "import"]
