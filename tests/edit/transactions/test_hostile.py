"""Journals that somebody else has changed, and operations files that are links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statefmt.cli.main import main
from statefmt.model.errors import StoreError
from tests.edit.transactions.three_states import CIRCLE, Scene, scene


def half_done(made: Scene) -> Path:
    """Stop a change after its first write, since the answer to the second one is lost; return its journal."""
    (made.far / "write.before.lost").write_text("1 2 3")
    with pytest.raises(StoreError, match=f"`statetool apply --resume {made.file}` finishes the change"):
        made.apply()
    (made.far / "write.before.lost").unlink()
    [journal] = made.folder.glob("home/statetool/applies/*/journal.json")
    return journal


@pytest.mark.parametrize("back", [False, True])
def test_a_crash_with_a_link_to_an_operations_file(back: bool, tmp_path: Path) -> None:
    """The states are where the link is, so the ways out name the link."""
    made = scene(tmp_path / "s", CIRCLE)
    (made.folder / "shared").mkdir()
    made.file.rename(made.folder / "shared/x.stateops.hcl")
    made.file.symlink_to("shared/x.stateops.hcl")
    half_done(made)
    made.end(back=back)
    assert made.leftovers == set()


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"format_version": "2.0", "states": []}, "the journal has format '2.0', from a newer statetool"),
        ({"writes": [{"state": "other", "result": ""}]}, r"the journal is damaged \(.* Compare the states with"),
        ({"writes": {}}, "the journal is damaged"),
    ],
)
@pytest.mark.parametrize("back", [False, True])
def test_a_journal_that_cannot_be_read(members: dict[str, object], message: str, back: bool, tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CIRCLE)
    journal = half_done(made)
    journal.write_text(json.dumps(json.loads(journal.read_bytes()) | members))
    before = made.contents
    with pytest.raises(StoreError, match=message):
        made.end(back=back)
    assert made.contents == before


@pytest.mark.parametrize("marker", [b"", b"{", b"{}", b"[1]", b"\xff", b'{"format_version": "1.0", "lock": {}}'])
def test_a_damaged_marker_refuses_every_edit(marker: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The state may be half changed, whatever the marker says."""
    made = scene(tmp_path / "s", CIRCLE)
    half_done(made)
    held = made.folder / ".net.tfstate.statetool.hold"
    held.write_bytes(marker)
    before = made.contents
    for command in (["rm", "-y", "terraform_data.own"], ["fmt", "--style", "compact"], ["undo", "-y"]):
        assert main([*command, "--state", str(made.folder / "net.tfstate")]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"a change of several states is unfinished, and its marker {held} is damaged; nothing was written" in said
    assert made.contents == before
    # It does not keep the change from being ended.
    made.end(back=True)
    assert made.leftovers == set()
