"""Bugs that were found once: states that crashed, leaked or changed."""

from __future__ import annotations

import json
from typing import Any

import pytest

import statefmt


def _state(**members: Any) -> bytes:
    return json.dumps({"version": 4, "serial": 1, "lineage": "x", **members}).encode()


def _instance(**members: Any) -> dict[str, Any]:
    provider = 'provider["registry.opentofu.org/hashicorp/aws"]'
    return {"mode": "managed", "type": "aws_vpc", "name": "a", "provider": provider, "instances": [members]}


def test_an_instance_key_beyond_any_float_is_refused() -> None:
    (finding,) = statefmt.inspect(_state(resources=[_instance(index_key=10**400)])).findings
    assert (finding.summary, finding.pointer) == ("Invalid state file format", "/resources/0/instances/0/index_key")


@pytest.mark.parametrize("value", [{"type": "s3cret", "value": 1}, {"type": ["s3cret"], "value": 1}])
def test_an_output_value_is_never_quoted(value: object) -> None:
    data = _state(outputs={"o": {"type": "dynamic", "value": value}})
    findings = statefmt.inspect(data).findings
    assert [finding.code for finding in findings] == ["OUT002"]
    assert "s3cret" not in str(findings)


def test_checking_an_edited_snapshot_looks_at_the_edit() -> None:
    from msgspec.structs import replace

    snapshot = statefmt.read(_state(resources=[_instance(status="tainted")])).snapshot
    assert "INS005" in {finding.code for finding in statefmt.check(snapshot)}
    assert "INS005" not in {finding.code for finding in statefmt.check(replace(snapshot, resources=()))}


@pytest.mark.parametrize(
    ("label", "value", "said"),
    [
        ("string", "a", False),
        ("string", 1, False),
        ("string", None, False),
        ("list", ["a"], False),
        ("list", [], False),
        ("map", {"a": "b"}, False),
        ("map", {}, False),
        ("map", ["a"], True),
        ("list", "a", True),
        ("string", {"a": "b"}, True),
        ("set", ["a"], True),
    ],
)
def test_an_old_type_that_its_value_contradicts_is_reported(label: str, value: object, said: bool) -> None:
    output = {"sensitive": False, "type": label, "value": value}
    modules = [{"path": ["root"], "outputs": {"o": output}, "resources": {}}]
    data = json.dumps({"version": 3, "serial": 1, "terraform_version": "0.11.14", "modules": modules}).encode()
    assert ["output.o" in finding.address for finding in statefmt.read(data).findings] == [True] * said


def test_a_missing_release_is_reported() -> None:
    findings = statefmt.read(b'{"version": 3, "serial": 1, "modules": []}').findings
    assert [finding.pointer for finding in findings] == ["/terraform_version"]
    assert "0.0.0" in findings[0].detail


@pytest.mark.parametrize(("version", "said"), [(0, False), (1, True)])
def test_identity_version_0_without_an_identity_is_what_terraform_writes(version: int, said: bool) -> None:
    data = _state(resources=[_instance(identity_schema_version=version)])
    assert [finding.code for finding in statefmt.read(data).findings] == ["STA011"] * said


def test_a_schema_version_beyond_any_float_is_refused() -> None:
    """As Go refuses it: cannot unmarshal number 1e400 into Go value of type float64."""
    primary = {"id": "i", "attributes": {"id": "i"}, "meta": {"schema_version": 0}, "tainted": False}
    modules = [{"path": ["root"], "outputs": {}, "resources": {"aws_vpc.a": {"type": "aws_vpc", "primary": primary}}}]
    data = _state(terraform_version="0.11.14", modules=modules).replace(b'"version": 4', b'"version": 3')
    assert statefmt.inspect(data).snapshot is not None
    (finding,) = statefmt.inspect(data.replace(b'"schema_version": 0', b'"schema_version": 1e400')).findings
    assert "cannot unmarshal number 1e400 into Go value of type float64" in finding.detail


def test_a_key_provider_whose_name_is_not_utf8() -> None:
    """Each wrong byte is shown as U+FFFD, which is what Go makes of it."""
    envelope = b'{"encryption_version":"v0","meta":{"key_provider.\xff":"x"},"encrypted_data":"x"}'
    (finding,) = statefmt.inspect(envelope).findings
    assert "key providers: key_provider.\ufffd" in finding.detail
