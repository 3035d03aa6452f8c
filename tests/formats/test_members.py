"""A JSON pointer leads to a member of the format."""

from __future__ import annotations

from statefmt.formats.versions.structure import anchor, member_at
from tests.tables import each_row

CASES = {
    "": "",
    "/serial": "serial",
    "/resources": "resources",
    "/resources/3": "resources",
    "/resources/3/type": "resources type",
    "/resources/3/instances/0/provider": "resources instances provider",
    # What belongs to providers has no members of the format, whatever it is called.
    "/resources/0/instances/0/attributes/provider": "resources instances attributes",
    "/resources/0/instances/0/identity/serial": "resources instances identity",
    "/resources/0/instances/0/attributes_flat/tags.%": "resources instances attributes_flat",
    "/resources/0/instances/0/sensitive_attributes/0": "resources instances sensitive_attributes",
    "/resources/0/instances/0/dependencies/2": "resources instances dependencies",
    # Names in maps are left out, even those that are names of members or numbers.
    "/outputs/value/value": "outputs value",
    "/outputs/0/type/1": "outputs type",
    "/outputs/a~1b~0c/sensitive": "outputs sensitive",
    "/check_results/0/objects/1/status": "check_results objects status",
    # Members of older formats.
    "/backend/config/bucket": "backend config",
    "/remote/type": "remote type",
    "/modules/0/resources/aws_vpc.main/primary/meta/schema_version": "modules resources primary meta",
    "/modules/1/resources/aws_vpc.main.0/deposed/2/id": "modules resources deposed id",
    "/modules/0/resources/aws_vpc.main/tainted/0/id": "modules resources tainted id",
    "/modules/0/resources/aws_vpc.main/primary/tainted": "modules resources primary tainted",
    "/modules/0/outputs/a/value/0": "modules outputs value",
    "/modules/0/path/1": "modules path",
    # Unknown members.
    "/future": "",
    "/unknown": "",
    "/resources/0/future/name": "resources",
    "/resources/0/instances/0/unknown": "resources instances",
}


@each_row(("pointer", "member"), CASES.items(), ids=[pointer or "whole file" for pointer in CASES])
def test_member_at(pointer: str, member: str) -> None:
    assert " ".join(member_at(pointer)) == member


def test_anchor() -> None:
    assert anchor(("resources", "instances", "schema_version")) == "member-resources-instances-schema_version"
    assert anchor(()) == ""
