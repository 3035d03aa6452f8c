"""`upgrade` and `downgrade`, in memory and of a state at a place: results, notes and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

import statefmt
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import AWS, SAMPLES, resource, state

_V3: Final = (SAMPLES / "v3-legacy.tfstate").read_bytes()
_SHORT: Final = state(resource("aws_vpc", "main", provider="provider.aws"))
_KEYED: Final = state(
    {
        "mode": "managed",
        "type": "a",
        "name": "b",
        "instances": [{"index_key": "k", "provider": f'{AWS}.x["eu"]', "attributes": {}}],
    }
)
_INFORMING: Final = state(resource("a", "b", {"identity": {"id": "1"}, "identity_schema_version": 0}), future=1)


def _document(data: bytes) -> Any:
    return json.loads(data)


def test_an_upgrade_in_memory() -> None:
    made = statefmt.upgrade(_V3, registry="opentofu")
    assert (made.version, made.written, made.backup) == (3, False, None)
    assert _document(made.data)["version"] == 4
    assert made.snapshot == statefmt.read(made.data).snapshot
    assert {note.code for note in made.notes} >= {"STA010"}
    assert all(change.new.startswith("registry.opentofu.org/hashicorp/") for change in made.sources)
    assert made.snapshot.serial == statefmt.read(_V3).snapshot.serial + 1
    assert made.snapshot.lineage == statefmt.read(_V3).snapshot.lineage


def test_sources() -> None:
    made = statefmt.upgrade(_SHORT, sources={"aws": "acme/aws"}, registry="terraform")
    assert made.sources == (statefmt.SourceChange("registry.opentofu.org/-/aws", "registry.terraform.io/acme/aws", 1),)
    foo = state(resource("foo_x", "main", provider="provider.foo"))
    assert statefmt.upgrade(foo, registry="opentofu").unresolved == (("foo", 1),)


def test_inferred_sources_say_where_they_were_found(tmp_path: Path) -> None:
    lock_file = 'provider "registry.terraform.io/hashicorp/aws" {\n  version = "1.0.0"\n}\n'
    (tmp_path / ".terraform.lock.hcl").write_text(lock_file)
    (change,) = statefmt.upgrade(_SHORT, config=tmp_path).sources
    assert (change.new, change.addresses) == ("registry.terraform.io/hashicorp/aws", 1)
    assert str(tmp_path / ".terraform.lock.hcl") in change.origin
    with pytest.raises(statefmt.StoreError, match="not a directory"):
        statefmt.upgrade(_SHORT, config=tmp_path / "absent")
    # The file beside a state counts for the state, not for its bytes.
    path = tmp_path / "x.tfstate"
    path.write_bytes(_SHORT)
    assert statefmt.open(path).upgrade().sources == (change,)


def test_an_unknown_source() -> None:
    with pytest.raises(statefmt.ProviderSourceError) as caught:
        statefmt.upgrade(_SHORT)
    error = caught.value
    assert (error.total, error.short, error.unknown) == (1, {"aws": 1}, ("aws",))
    assert (error.ambiguous, error.host, error.code) == ({}, "", "provider-source")
    assert "sources={'aws': 'NAMESPACE/aws'}" in str(error)
    assert "--" not in str(error)


def test_an_ambiguous_source() -> None:
    hosts = ("x.example.com", "y.example.com")
    others = [resource("aws_vpc", host[0], provider=f'provider["{host}/acme/aws"]') for host in hosts]
    both = state(resource("aws_vpc", "main", provider="provider.aws"), *others)
    with pytest.raises(statefmt.ProviderSourceError) as caught:
        statefmt.upgrade(both)
    assert caught.value.ambiguous == {"aws": ["x.example.com/acme/aws", "y.example.com/acme/aws"]}
    assert "the source of aws is ambiguous: x.example.com/acme/aws or y.example.com/acme/aws" in str(caught.value)


@pytest.mark.parametrize("source", ["aws", "-/aws", "https://acme/aws"])
def test_an_invalid_source(source: str) -> None:
    with pytest.raises(statefmt.ProviderSourceError, match=r"^sources=: aws="):
        statefmt.upgrade(_SHORT, sources={"aws": source})


def test_a_snapshot() -> None:
    """One that was read keeps its bytes; in another, a provider without a source may be in either form."""
    read = statefmt.read(_SHORT).snapshot
    assert statefmt.upgrade(read, registry="opentofu").data == statefmt.upgrade(_SHORT, registry="opentofu").data
    of_bytes = statefmt.upgrade(_V3, registry="opentofu")
    assert statefmt.upgrade(statefmt.read(_V3).snapshot, registry="opentofu").data == of_bytes.data
    for snapshot in (read, replace(read, source=None), statefmt.read(_V3).snapshot):
        with pytest.raises(statefmt.ProviderSourceError):
            statefmt.upgrade(snapshot)
    assert statefmt.upgrade(replace(read, source=None), registry="keep").data


def test_layouts_and_unknown_members() -> None:
    assert statefmt.upgrade(_INFORMING, layout="compact").data.count(b"\n") == 1
    assert b'"future"' in statefmt.upgrade(_INFORMING).data
    assert b'"future"' not in statefmt.upgrade(_INFORMING, drop_unknown=True).data
    assert statefmt.upgrade(_INFORMING, layout="keep").data.count(b"\n") == 1
    with pytest.raises(ValueError, match="wide"):
        statefmt.upgrade(_INFORMING, layout="wide")  # type: ignore[arg-type] # refused all the same


def test_what_is_not_a_state() -> None:
    with pytest.raises(statefmt.NotAStateError):
        statefmt.upgrade(b"")
    with pytest.raises(statefmt.EncryptedStateError):
        statefmt.upgrade(b'{"meta":{},"encrypted_data":"eA==","encryption_version":"v0"}')


def test_a_downgrade_refuses_to_lose_an_object() -> None:
    with pytest.raises(statefmt.DowngradeError) as caught:
        statefmt.downgrade(_KEYED, "1.8", drop_lossy=True)
    error = caught.value
    assert (error.code, error.address, str(error.release)) == ("downgrade", 'a.b["k"]', "opentofu-1.8")
    assert [(loss.address, loss.field, loss.loses_object) for loss in error.losses] == [('a.b["k"]', "provider", True)]
    assert str(error) == 'OpenTofu 1.8 would lose parts of this state: a.b["k"]'
    assert statefmt.downgrade(_KEYED, "opentofu-1.9").dropped == ()


def test_a_downgrade_drops_what_it_is_told_to() -> None:
    with pytest.raises(statefmt.DowngradeError, match=r"drop_lossy=True drops .*; drop_unknown=True drops"):
        statefmt.downgrade(_INFORMING, "1.9")
    made = statefmt.downgrade(_INFORMING, "1.9", drop_lossy=True, drop_unknown=True)
    assert [loss.field for loss in made.dropped] == ["identity", "identity_schema_version"]
    assert (made.snapshot.serial, b'"future"' in made.data) == (8, False)
    with pytest.raises(statefmt.ReleaseError, match="opentofu-1"):
        statefmt.downgrade(_INFORMING, "opentofu-99")


def test_a_state_at_a_place(tmp_path: Path) -> None:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(_V3)
    opened = statefmt.open(path)
    tried = opened.upgrade(registry="opentofu", dry_run=True)
    assert (path.read_bytes(), tried.written, opened.version) == (_V3, False, 3)
    with pytest.raises(statefmt.StoreError, match=r"call State\.upgrade\(\) first"), opened.edit() as edit:
        edit.set_serial(1000)
    made = opened.upgrade(registry="opentofu", message="to OpenTofu")
    assert made.written
    assert (path.read_bytes(), opened.version, opened.snapshot) == (made.data, 4, made.snapshot)
    assert made.backup is not None
    assert Path(made.backup).read_bytes() == _V3
    assert [entry.command for entry in opened.history()] == ["to OpenTofu"]
    again = opened.upgrade(registry="opentofu")
    assert (again.written, again.backup, again.data) == (False, None, made.data)
    opened.undo()
    assert (opened.version, opened.serial) == (3, made.snapshot.serial + 1)
    assert replace(opened.snapshot, serial=0) == replace(statefmt.read(_V3).snapshot, serial=0)


def test_a_refusal_leaves_the_state(tmp_path: Path) -> None:
    path = tmp_path / "terraform.tfstate"
    refused: list[tuple[bytes, Callable[[statefmt.State], object]]] = [
        (_SHORT, lambda one: one.upgrade()),
        (_KEYED, lambda one: one.downgrade("terraform-1.5")),
        (_KEYED, lambda one: one.downgrade("terraform-99")),
    ]
    for data, migrate in refused:
        path.write_bytes(data)
        opened = statefmt.open(path)
        with pytest.raises(statefmt.StatetoolError) as caught:
            migrate(opened)
        assert caught.value.location == str(path)
        assert (path.read_bytes(), [one.name for one in tmp_path.iterdir() if one.is_file()]) == (data, [path.name])
        assert opened.serial == 7


def test_an_encrypted_state_stays_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(encrypted(_SHORT, "old"))
    opened = statefmt.open(path, encryption=configuration("old"))
    made = opened.upgrade(registry="opentofu")
    assert made.data == statefmt.upgrade(_SHORT, registry="opentofu").data
    assert b"aws_vpc" not in path.read_bytes()
    assert (opened.is_encrypted, opened.serial, opened.snapshot) == (True, 8, made.snapshot)
