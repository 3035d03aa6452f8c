"""`State.edit`: one write for several operations, and nothing written if one of them fails."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest

import statefmt
from statefmt import addrs
from tests.cli.states import SAMPLES, resource, state as state_bytes

_REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(_REGIONS)
    return path


def _files(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir() if one.is_file())


def _one(tmp_path: Path, attributes: dict[str, object], **members: object) -> Path:
    path = tmp_path / "one.tfstate"
    path.write_bytes(state_bytes(resource("a", "b", {"attributes": attributes, **members})))
    return path


def _attributes(path: Path) -> Any:
    return json.loads(path.read_bytes())["resources"][0]["instances"][0]["attributes"]


def test_all_options_as_one_value(path: Path) -> None:
    options = statefmt.operations_files.EditOptions("edit", "a higher serial", dry_run=True)
    with statefmt.open(path).edit(options=options) as edit:
        edit.set_serial(99)
    assert (edit.serial, edit.is_written) == (99, False)
    # One of both would be ignored.
    with (
        pytest.raises(TypeError, match="options= has all options: give no others beside it"),
        statefmt.open(path).edit(dry_run=True, options=options),
    ):
        pass
    assert path.read_bytes() == _REGIONS


def test_several_operations_are_one_write(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit("move the network") as edit:
        edit.move("module.database", "module.db")
        edit.taint("aws_vpc.main")
        assert [str(one) for one in edit.select("aws_vpc.main", tainted=True)] == [
            'aws_vpc.main["eu-west-1"]',
            'aws_vpc.main["us-west-2"]',
        ]
        edit.remove("aws_iam_role.app")
        assert path.read_bytes() == _REGIONS
        assert edit.snapshot.serial == 58
        assert edit.diff == edit.preview()
        assert not edit.diff.envelope
    assert (edit.serial, state.serial) == (59, 59)
    assert [change.name for change in edit.diff.envelope] == ["serial"]
    assert [str(change.addr) for change in edit.diff.removed] == ["aws_iam_role.app"]
    modules = [one["module"] for one in json.loads(_REGIONS)["resources"] if "module" in one]
    assert len(edit.diff.moved) >= len([module for module in modules if module.startswith("module.database")]) > 0
    assert edit.backup is not None
    assert edit.backup.read_bytes() == _REGIONS
    assert _files(path) == [path.name, edit.backup.name]
    assert edit.result.written
    (entry,) = state.history()
    assert (entry.command, entry.before) == ("move the network", hashlib.sha256(_REGIONS).hexdigest())
    assert state.snapshot == statefmt.read(path.read_bytes()).snapshot


def test_an_exception_leaves_everything_as_it_was(path: Path) -> None:
    state = statefmt.open(path)
    with pytest.raises(ZeroDivisionError), state.edit() as edit:
        edit.taint("aws_vpc.main")
        raise ZeroDivisionError
    assert (path.read_bytes(), _files(path), state.serial) == (_REGIONS, [path.name], 58)
    with pytest.raises(statefmt.SurgeryError, match="failed"):
        _ = edit.serial
    with pytest.raises(statefmt.SurgeryError, match="has ended"):
        edit.taint("aws_vpc.main")
    # The lock is free again.
    with state.edit() as edit:
        edit.taint("aws_vpc.main")
    assert edit.serial == 59


def test_a_failed_operation_changes_nothing_and_the_edit_goes_on(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit() as edit:
        edit.taint('aws_vpc.main["eu-west-1"]')
        with pytest.raises(statefmt.SurgeryError) as refused:
            edit.move("aws_vpc.main", "aws_iam_role.x")
        with pytest.raises(statefmt.NoMatchError):
            edit.remove("aws_vpc.none")
        with pytest.raises(statefmt.SurgeryError, match="has not ended"):
            _ = edit.backup
    assert [str(change.addr) for change in edit.diff.instances] == ['aws_vpc.main["eu-west-1"]']
    assert (refused.value.code, refused.value.location) == ("surgery", None)


def test_nothing_to_do_writes_nothing(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit() as edit:
        edit.move("aws_vpc.main", "aws_vpc.net")
        edit.move("aws_vpc.net", "aws_vpc.main")
    assert (path.read_bytes(), edit.serial, edit.backup, bool(edit.diff)) == (_REGIONS, 58, None, False)
    assert not edit.result.written


def test_a_proposal_is_what_the_end_writes(path: Path) -> None:
    before = path.read_bytes()
    state = statefmt.open(path)
    with state.edit() as edit:
        assert not edit.propose().diff
        edit.move("aws_vpc.main", "module.network.aws_vpc.main")
        proposal = edit.propose()
        assert (proposal.serial, proposal.backup, proposal.written) == (59, None, False)
        assert [str(move.new) for move in proposal.diff.moves] == ["module.network.aws_vpc.main"]
        edit.taint("aws_iam_role.app")
        second = edit.propose()
        assert second.diff != proposal.diff
        assert path.read_bytes() == before
    assert (edit.diff, edit.serial, edit.notes) == (second.diff, second.serial, second.notes)
    assert edit.result.written
    with pytest.raises(statefmt.SurgeryError, match="has ended"):
        edit.propose()


def test_a_proposal_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "two.tfstate"
    two = [{"index_key": key, "attributes": {"id": key}} for key in ("x", "y")]
    path.write_bytes(state_bytes(resource("aws_vpc", "main", *two)))
    data = path.read_bytes()
    with statefmt.open(path).edit() as edit:
        edit.set('aws_vpc.main["y"]', {"id": "x"})
        with pytest.raises(statefmt.StateError):
            edit.propose()
        edit.cancel()
    assert (path.read_bytes(), _files(path)) == (data, [path.name])


def test_a_cancelled_edit_writes_nothing(path: Path) -> None:
    before = sorted((one.name, one.read_bytes()) for one in path.parent.iterdir() if one.is_file())
    with statefmt.open(path).edit() as edit:
        edit.move("aws_vpc.main", "module.network.aws_vpc.main")
        edit.cancel()
    assert sorted((one.name, one.read_bytes()) for one in path.parent.iterdir() if one.is_file()) == before
    with pytest.raises(statefmt.SurgeryError, match="was cancelled"):
        _ = edit.serial


def test_what_joins_an_existing_resource_is_named(tmp_path: Path) -> None:
    path = tmp_path / "two.tfstate"
    there, new = ({"index_key": key, "attributes": {"id": key}} for key in ("x", "y"))
    path.write_bytes(state_bytes(resource("aws_vpc", "main", there), resource("aws_vpc", "old", new)))
    with statefmt.open(path).edit(dry_run=True) as edit:
        edit.move("aws_vpc.old", "aws_vpc.main")
        (join,) = edit.propose().joins
    assert "aws_vpc.main" in join
    assert edit.notes[-1] == join


def test_undo(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit("one") as edit:
        edit.taint("aws_vpc.main")
    tainted = path.read_bytes()
    with state.edit("two") as edit:
        edit.remove("aws_vpc.main")
    with pytest.raises(statefmt.StoreError, match="no edit 7"):
        state.undo(7)
    dry = state.undo(1, dry_run=True)
    assert (dry.serial, dry.written, path.read_bytes() == _REGIONS) == (61, False, False)
    result = state.undo()
    assert (result.serial, result.written, state.serial) == (61, True, 61)
    assert path.read_bytes() == tainted.replace(b'"serial": 59', b'"serial": 61')
    state.undo(1, message="all of it")
    assert path.read_bytes() == _REGIONS.replace(b'"serial": 58', b'"serial": 62')
    assert [entry.command for entry in state.history()] == ["one", "two", "undo", "all of it"]


def test_undo_refuses_to_discard_changes(path: Path) -> None:
    state = statefmt.open(path)
    with pytest.raises(statefmt.StoreError, match="nothing to undo"):
        state.undo()
    with state.edit() as edit:
        edit.taint("aws_vpc.main")
    other = path.read_bytes().replace(b'"serial": 59', b'"serial": 65')
    path.write_bytes(other)
    with pytest.raises(statefmt.StoreError, match="discard_changes=True"):
        state.undo()
    assert path.read_bytes() == other
    assert state.undo(discard_changes=True).serial == 66


def test_dry_run(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit(dry_run=True) as edit:
        edit.taint("aws_vpc.main")
    assert (edit.serial, edit.backup, edit.result.written, len(edit.diff.instances)) == (59, None, False, 2)
    assert (path.read_bytes(), _files(path), state.serial) == (_REGIONS, [path.name], 58)


def test_out(path: Path) -> None:
    state, out = statefmt.open(path), path.with_name("out.tfstate")
    with state.edit(out=out) as edit:
        edit.taint("aws_vpc.main")
    assert (path.read_bytes(), state.serial, statefmt.open(out).serial) == (_REGIONS, 58, 59)
    with pytest.raises(statefmt.StoreError, match="already exists"), state.edit(out=out) as edit:
        edit.remove("aws_vpc.main")
    with state.edit(out=out, overwrite=True) as edit:
        edit.remove("aws_vpc.main")
    assert edit.backup is not None
    assert not [one for one in statefmt.open(out).resources if str(one.addr) == "aws_vpc.main"]


def test_backups(path: Path) -> None:
    state, backup = statefmt.open(path), path.with_name("kept")
    with state.edit(backup=backup) as edit:
        edit.taint("aws_vpc.main")
    assert (edit.backup, backup.read_bytes()) == (backup, _REGIONS)
    with state.edit(keep_backup=False) as edit:
        edit.untaint("aws_vpc.main")
    assert (edit.backup, _files(path)) == (None, ["kept", path.name])
    with pytest.raises(statefmt.StoreError, match="cannot be combined"), state.edit(backup=backup, out="x"):
        pass


def test_expectations(path: Path) -> None:
    state = statefmt.open(path)
    entered: list[str] = []
    unmet: list[dict[str, Any]] = [{"expect_serial": 57}, {"expect_hash": "0" * 64}]
    for wrong in unmet:
        with pytest.raises(statefmt.ChangedError, match="nothing was done") as refused, state.edit(**wrong) as edit:
            entered.append("the block")
        assert [refused.value.expected] == [*wrong.values()]
    assert entered == []
    digest = hashlib.sha256(_REGIONS).hexdigest()
    with state.edit(expect_serial=58, expect_hash=digest) as edit:
        edit.taint("aws_vpc.main")
    assert edit.serial == 59


def test_an_edit_that_adds_an_error_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "two.tfstate"
    two = [{"index_key": key, "attributes": {"id": key}} for key in ("x", "y")]
    path.write_bytes(state_bytes(resource("aws_vpc", "main", *two)))
    data, state = path.read_bytes(), statefmt.open(path)
    with pytest.raises(statefmt.StateError) as refused, state.edit() as edit:
        edit.set('aws_vpc.main["y"]', {"id": "x"})
    assert {reason.code for reason in refused.value.reasons} == {"ADR008"}
    assert (refused.value.code, refused.value.location) == ("ADR008", str(path))
    assert (path.read_bytes(), _files(path)) == (data, [path.name])


def test_nothing_reads_the_file_under_the_lock(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit() as edit:
        for use in (state.reload, state.undo, state.edit().__enter__):
            with pytest.raises(statefmt.StoreError, match="an edit is open"):
                use()
        assert state.serial == 58
        edit.taint("aws_vpc.main")
    assert state.serial == 59


def test_another_process_waits_for_the_lock(path: Path) -> None:
    # The lock belongs to this process, so another one must try to take it.
    import subprocess
    import sys

    script = f"import statefmt; statefmt.open({str(path)!r}).edit().__enter__()"
    with statefmt.open(path).edit("hold it") as edit:
        edit.taint("aws_vpc.main")
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "LockedError" in run.stderr
    assert edit.serial == 59


_OPERATIONS: Final[list[tuple[str, Callable[[statefmt.Transaction], None], Callable[[statefmt.Transaction], None]]]] = [
    (
        "move",
        lambda edit: edit.move("aws_vpc.main", "aws_vpc.net"),
        lambda edit: edit.move(addrs.parse_abs_resource("aws_vpc.main"), addrs.parse_abs_resource("aws_vpc.net")),
    ),
    (
        "module",
        lambda edit: edit.move("module.database", "module.db"),
        lambda edit: edit.move(*map(addrs.parse_module_instance, ("module.database", "module.db"))),
    ),
    (
        "remove",
        lambda edit: edit.remove('aws_vpc.main["eu-west-1"]'),
        lambda edit: edit.remove(*edit.select('aws_vpc.main["eu-west-1"]')),
    ),
    (
        "rekey",
        lambda edit: edit.rekey("aws_vpc.main", keys="eu-west-1=0,us-west-2=1"),
        lambda edit: edit.rekey("aws_vpc.main", keys={"eu-west-1": 0, addrs.StringKey("us-west-2"): addrs.IntKey(1)}),
    ),
    (
        "rebind",
        lambda edit: edit.rebind('aws_vpc.main["eu-west-1"]', 'aws.by_region["us-west-2"]'),
        lambda edit: edit.rebind(
            ['aws_vpc.main["eu-west-1"]'],
            addrs.parse_abs_provider_instance('provider["hashicorp/aws"].by_region["us-west-2"]'),
        ),
    ),
    (
        "rebind by map",
        lambda edit: edit.rebind('aws_vpc.main["eu-west-1"]', keys="eu-west-1=us-west-2"),
        lambda edit: edit.rebind('aws_vpc.main["eu-west-1"]', keys={"eu-west-1": "us-west-2"}),
    ),
    (
        "replace_provider",
        lambda edit: edit.replace_provider("hashicorp/aws", "acme/aws", new_provider=True),
        lambda edit: edit.replace_provider(
            addrs.parse_provider_source("hashicorp/aws"), addrs.parse_provider_source("acme/aws"), new_provider=True
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "by_text", "typed"), _OPERATIONS, ids=[name for name, _, _ in _OPERATIONS])
def test_strings_and_typed_addresses(
    path: Path,
    name: str,
    by_text: Callable[[statefmt.Transaction], None],
    typed: Callable[[statefmt.Transaction], None],
) -> None:
    state, results = statefmt.open(path), []
    for number, operation in enumerate((by_text, typed)):
        out = path.with_name(f"{number}.tfstate")
        with state.edit(out=out) as edit:
            operation(edit)
        assert edit.diff
        results.append(out.read_bytes())
    assert results[0] == results[1] != _REGIONS


def test_a_new_provider_must_be_allowed(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit() as edit:
        with pytest.raises(statefmt.SurgeryError, match="pass new_provider=True"):
            edit.rebind("aws_vpc.main", "aws.nowhere")
        edit.rebind("aws_vpc.main", "aws.nowhere", new_provider=True)
    assert {str(one.provider).rpartition(".")[2] for one in state.select("aws_vpc.main")} == {"nowhere"}


def test_set_and_unset(tmp_path: Path) -> None:
    path = _one(
        tmp_path, {"on": False, "size": 1, "tags": {"a": "x", "b": "y"}, "ports": [1], "ratio": 1.5, "none": None}
    )
    state = statefmt.open(path)
    with state.edit() as edit:
        edit.set("a.b", {"on": True, "size": 10**30, "tags.a": "<é>", "ports[0]": 443, "ratio": Decimal("1.50")})
        edit.unset("a.b", "tags.b")
    text = path.read_text()
    assert '"ratio": 1.50' in text
    assert _attributes(path) == {
        "on": True, "size": 10**30, "tags": {"a": "<é>"}, "ports": [443], "ratio": 1.5, "none": None
    }  # fmt: skip
    with state.edit() as edit:
        with pytest.raises(statefmt.SurgeryError, match="force"):
            edit.set("a.b", {"on": "yes"})
        edit.set("a.b", {"on": "yes"}, force_type=True)
        edit.set("a.b", {"tags": {"c": "d"}, "none": [None, True]}, force_type=True)
    assert _attributes(path)["tags"] == {"c": "d"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), object(), {1: 2}, b"1"])
def test_values_that_json_does_not_have(tmp_path: Path, value: object) -> None:
    path = _one(tmp_path, {"on": False})
    with statefmt.open(path).edit() as edit, pytest.raises(statefmt.SurgeryError, match="cannot be written"):
        edit.set("a.b", {"on": value}, force_type=True)


def test_sensitive_attributes_can_be_set(tmp_path: Path) -> None:
    sensitive = [[{"type": "get_attr", "value": "password"}]]
    path = _one(tmp_path, {"password": "old"}, sensitive_attributes=sensitive)
    with statefmt.open(path).edit() as edit:
        edit.set("a.b", {"password": "new"})
    assert _attributes(path) == {"password": "new"}


def test_serial_and_lineage(path: Path) -> None:
    state, lineage = statefmt.open(path), UUID("0d6f8a7e-6b3c-4f62-9b0e-111111111111")
    with state.edit() as edit:
        edit.set_serial(100)
        edit.new_lineage(lineage)
        edit.taint("aws_vpc.main")
    assert (state.serial, state.lineage, edit.serial) == (100, str(lineage), 100)
    with state.edit() as edit:
        edit.new_lineage()
    assert (state.serial, state.lineage != str(lineage)) == (101, True)


def test_forget_deposed(tmp_path: Path) -> None:
    path = tmp_path / "s.tfstate"
    shutil.copy(SAMPLES / "v4-deposed.tfstate", path)
    state = statefmt.open(path)
    with state.edit() as edit:
        edit.forget_deposed(deposed=True)
    assert not [one for one in state.select() if one.deposed]


def test_moves_follow_each_other(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit() as edit:
        edit.move("aws_vpc.main", "aws_vpc.a")
        edit.move("aws_vpc.a", "module.x.aws_vpc.b")
        edit.move('module.x.aws_vpc.b["eu-west-1"]', "aws_vpc.last")
    moved = {str(change.old.addr): str(change.addr) for change in edit.diff.moved if change.old is not None}
    assert moved == {
        'aws_vpc.main["eu-west-1"]': "aws_vpc.last",
        'aws_vpc.main["us-west-2"]': 'module.x.aws_vpc.b["us-west-2"]',
    }


def test_findings_and_notes(path: Path) -> None:
    state = statefmt.open(path)
    with state.edit(dry_run=True) as edit:
        edit.remove("aws_vpc.main", keep_dangling=True)
        assert any("depend on removed resources" in note for note in edit.notes)
    assert {finding.code[:3] for finding in edit.findings} == {"DEP"}
