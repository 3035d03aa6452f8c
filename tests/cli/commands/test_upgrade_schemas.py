"""`upgrade --schemas`: flat attributes are decoded, and what is left is said without values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Statetool

_SCHEMAS = {
    "format_version": "1.0",
    "provider_schemas": {
        "registry.terraform.io/hashicorp/aws": {
            "resource_schemas": {
                "aws_vpc": {
                    "version": 1,
                    "block": {"attributes": {"id": {"type": "string"}, "size": {"type": "number", "sensitive": True}}},
                }
            }
        }
    },
}


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "schemas.json").write_text(json.dumps(_SCHEMAS))
    (folder / "old.tfstate").write_text(
        json.dumps(
            {
                "version": 3,
                "serial": 7,
                "lineage": "x",
                "modules": [
                    {
                        "path": ["root"],
                        "resources": {
                            "aws_vpc.good": _resource({"id": "a", "size": "5"}, 1),
                            "aws_vpc.bad": _resource({"id": "b", "size": "hunter2"}, 1),
                            "aws_vpc.gone": _resource({"id": "c", "gone": "hunter2"}, 1),
                            "aws_vpc.older": _resource({"id": "d"}, 0),
                        },
                    }
                ],
            }
        )
    )


def test_decodes_and_says_what_is_left(statetool: Statetool) -> None:
    result = statetool("upgrade", "--registry", "opentofu", "--schemas", "schemas.json", "old.tfstate")
    assert result.status == 0
    found = {each["name"]: each["instances"][0] for each in json.loads(result.out)["resources"]}
    assert found["good"]["attributes"] == {"id": "a", "size": 5}
    assert "attributes_flat" not in found["good"]
    assert found["bad"]["attributes_flat"] == {"id": "b", "size": "hunter2"}
    assert found["gone"]["attributes_flat"] == {"id": "c", "gone": "hunter2"}
    assert found["older"]["attributes_flat"] == {"id": "d"}
    for line in (
        "decoded by their schemas: attributes of 1 object: aws_vpc.good.",
        "attributes left in the flat form: size does not decode: expected number: 1 object: aws_vpc.bad.",
        "attributes left in the flat form: the schema does not have gone: 1 object: aws_vpc.gone.",
        "schema version 0 is older than version 1 of the provider, which upgrades it in the next plan: 1 object",
        "Add --drop-unknown to drop",
        "`statetool check --select INS007 STATE` on the new state lists all that are left.",
    ):
        assert line in result.err
    assert "hunter2" not in result.err


def test_the_serial_rises_once(statetool: Statetool) -> None:
    assert statetool("upgrade", "-i", "--registry", "terraform", "old.tfstate").status == 0
    state = Path("old.tfstate")
    assert json.loads(state.read_bytes())["serial"] == 8
    result = statetool("upgrade", "-i", "--schemas", "schemas.json", "old.tfstate")
    assert "attributes of 1 object: aws_vpc.good; serial 8 → 9." in result.err
    assert json.loads(state.read_bytes())["serial"] == 9
    content = state.read_bytes()
    result = statetool("upgrade", "-i", "--schemas", "schemas.json", "old.tfstate")
    assert "nothing to change" in result.err
    assert state.read_bytes() == content


def test_drop_unknown_drops_what_the_schema_lacks(statetool: Statetool) -> None:
    result = statetool(
        "upgrade", "--registry", "opentofu", "--schemas", "schemas.json", "--drop-unknown", "old.tfstate"
    )
    found = {each["name"]: each["instances"][0] for each in json.loads(result.out)["resources"]}
    assert found["gone"]["attributes"] == {"id": "c", "size": None}
    assert "dropped, since the schema does not have it: gone: 1 object: aws_vpc.gone." in result.err


def test_says_if_there_is_nothing_to_decode(statetool: Statetool, folder: Path) -> None:
    (folder / "empty.tfstate").write_text('{"version": 4, "serial": 1, "lineage": "x", "outputs": {}, "resources": []}')
    result = statetool("upgrade", "--schemas", "schemas.json", "empty.tfstate")
    assert "no attributes in the flat form of older formats" in result.err


@pytest.mark.parametrize(("file", "message"), [
    ("missing", "missing: No such file or directory"),
    ("old.tfstate", "old.tfstate: a state instead of the output of tofu providers schema -json"),
])  # fmt: skip
def test_other_files_are_refused(file: str, message: str, statetool: Statetool) -> None:
    result = statetool("upgrade", "--registry", "opentofu", "--schemas", file, "old.tfstate")
    assert (result.status, result.out) == (2, b"")
    assert message in result.err


def _resource(attributes: dict[str, str], version: int) -> dict[str, Any]:
    primary = {"id": attributes["id"], "attributes": attributes, "meta": {"schema_version": str(version)}}
    return {"type": "aws_vpc", "primary": primary, "provider": "provider.aws"}
