"""An upgrade from formats 1 to 3 says what it drops and what it decides: nothing vanishes unsaid."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from msgspec.structs import replace

import statefmt
from tests.tables import each_row

_CHOSEN: Final = "Choice made while upgrading the state format"
_DROPPED: Final = "Not carried over while upgrading the state format"
_EIP: Final[dict[str, Any]] = {"type": "aws_eip", "primary": {"id": "i"}, "provider": "provider.aws"}
_WEST: Final = {**_EIP, "provider": "provider.aws.west"}


def _v3(**members: Any) -> dict[str, Any]:
    """A state of format 3 with some members of its root module."""
    return {"version": 3, "modules": [{"path": ["root"], **members}]}


def _resource(**members: Any) -> dict[str, Any]:
    return _v3(resources={"aws_eip.a": {**_EIP, **members}})


def _read(document: dict[str, Any]) -> statefmt.ReadResult:
    """Read a state, leaving out the note that it does not tell its release, which none of these does."""
    result = statefmt.read(json.dumps(document).encode())
    findings = tuple(finding for finding in result.findings if finding.pointer != "/terraform_version")
    assert len(findings) == len(result.findings) - 1
    return replace(result, findings=findings)


@each_row(
    ("document", "pointer", "address", "words"),
    [
        pytest.param(_resource() | {"remote": {"type": "s3"}}, "/remote", "", '"remote"', id="remote"),
        pytest.param(
            _resource() | {"state_store": {"type": "a"}}, "/state_store", "", '"state_store"', id="a state store"
        ),
        pytest.param(
            _resource() | {"backend": {"type": "s3", "config": {"bucket": "b"}}},
            "/backend",
            "",
            '"backend"',
            id="backend",
        ),
        pytest.param(
            _v3(depends_on=["module.x"]), "/modules/0/depends_on", "", "module.x", id="dependencies of a module"
        ),
        pytest.param(
            _resource(depends_on=["aws_vpc.v", "aws_vpc.w"]),
            "/modules/0/resources/aws_eip.a/depends_on",
            "aws_eip.a",
            "aws_vpc.v, aws_vpc.w",
            id="dependencies of a resource",
        ),
        pytest.param(
            _resource(depends_on=list("abcdefg")),
            "/modules/0/resources/aws_eip.a/depends_on",
            "aws_eip.a",
            "a, b, c, d, e and 2 more",
            id="many dependencies",
        ),
        pytest.param(
            {"version": 3, "modules": [{"path": ["root", "net"], "outputs": {"o": {"value": "x"}}}]},
            "/modules/0/outputs",
            "module.net",
            "its outputs (o)",
            id="outputs of a child module",
        ),
        pytest.param(
            _resource(type="aws_vpc"),
            "/modules/0/resources/aws_eip.a/type",
            "aws_eip.a",
            "'aws_vpc'",
            id="another type",
        ),
        pytest.param(
            _resource(primary={"id": "x", "attributes": {"id": "y"}}),
            "/modules/0/resources/aws_eip.a/primary/id",
            "aws_eip.a",
            'its id, which differs from its attribute "id"',
            id="another id",
        ),
        pytest.param(_v3() | {"new": 1}, "/new", "", '"new"', id="unknown at the top"),
        pytest.param(_v3(new=1), "/modules/0/new", "", '"new"', id="unknown in a module"),
        pytest.param(
            _resource(new=1), "/modules/0/resources/aws_eip.a/new", "aws_eip.a", '"new"', id="unknown in a resource"
        ),
        pytest.param(
            _resource(primary={"id": "x", "new": 1}),
            "/modules/0/resources/aws_eip.a/primary/new",
            "aws_eip.a",
            '"new"',
            id="unknown in an object",
        ),
        pytest.param(
            _resource(deposed=[{"id": "x", "new": 1}]),
            "/modules/0/resources/aws_eip.a/deposed/0/new",
            "aws_eip.a",
            '"new"',
            id="unknown in a deposed object",
        ),
        pytest.param(
            _v3(outputs={"a/b": {"value": "x", "new": 1}}),
            "/modules/0/outputs/a~1b/new",
            "output.a/b",
            '"new"',
            id="in an output",
        ),
        pytest.param(
            {
                "version": 2,
                "modules": [
                    {"path": ["root"], "resources": {"aws_eip.a": {"primary": {"id": "x", "attributes": {"t.#": "0"}}}}}
                ],
            },
            "/modules/0/resources/aws_eip.a/primary/attributes/t.#",
            "aws_eip.a",
            "'t'",
            id="v2: the count of an empty collection",
        ),
        pytest.param(
            {
                "version": 1,
                "modules": [{"resources": {"aws_eip.a": {"primary": {"id": "x"}, "tainted": [{"id": "t"}]}}}],
            },
            "/modules/0/resources/aws_eip.a/tainted",
            "aws_eip.a",
            "1 object(s) listed as tainted",
            id="v1: tainted objects",
        ),
        pytest.param(
            {"version": 1, "modules": [{"resources": {"aws_eip.a": {"primary": {"id": "x", "new": 1}}}}]},
            "/modules/0/resources/aws_eip.a/primary/new",
            "aws_eip.a",
            '"new"',
            id="v1: unknown in an object",
        ),
        pytest.param({"version": 1, "new": 1}, "/new", "", '"new"', id="v1: unknown at the top"),
    ],
)
def test_dropped(document: dict[str, Any], pointer: str, address: str, words: str) -> None:
    findings = [finding for finding in _read(document).findings if finding.summary == _DROPPED]
    told = {finding.pointer: finding for finding in findings}
    assert pointer in told
    assert len(findings) == len(told)
    assert (told[pointer].code, told[pointer].severity.value) == ("STA010", "info")
    assert told[pointer].address == address
    assert words in told[pointer].detail


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"version": 3}, id="nothing"),
        pytest.param(_v3(outputs={}, resources={}, depends_on=[]), id="empty members"),
        pytest.param(_resource(depends_on=[], deposed=[]), id="a resource"),
        pytest.param(
            _resource(primary={"id": "x", "attributes": {"id": "x"}, "meta": {}, "tainted": False}), id="an object"
        ),
        pytest.param(
            _v3(outputs={"o": {"type": "string", "value": "x", "sensitive": True}}), id="an output of the root module"
        ),
        pytest.param(_v3(resources={"aws_eip.a.0": _EIP, "aws_eip.a.1": _EIP}), id="instances that agree"),
        pytest.param({"version": 1, "modules": [{"path": ["root"], "outputs": {"o": "x"}}]}, id="v1"),
    ],
)
def test_nothing_to_tell(document: dict[str, Any]) -> None:
    assert _read(document).findings == ()


@pytest.mark.parametrize(
    ("resources", "chosen", "others"),
    [
        pytest.param({"aws_eip.a.0": _EIP, "aws_eip.a.1": _WEST}, "", ["aws_eip.a[1]"], id="of two"),
        pytest.param(
            {"aws_eip.a.1": _EIP, "aws_eip.a.0": _WEST}, "west", ["aws_eip.a[1]"], id="the lowest, not the first"
        ),
        pytest.param({"aws_eip.a.10": _EIP, "aws_eip.a.9": _WEST}, "west", ["aws_eip.a[10]"], id="lowest as a number"),
        pytest.param({"aws_eip.a.0": _EIP, "aws_eip.a": _WEST}, "west", ["aws_eip.a[0]"], id="no key is lowest"),
        pytest.param(
            {"aws_eip.a.0": _EIP, "aws_eip.a.1": _WEST, "aws_eip.a.2": _EIP, "aws_eip.a.3": _WEST},
            "",
            ["aws_eip.a[1]", "aws_eip.a[3]"],
            id="each that differs",
        ),
        pytest.param(
            {"aws_eip.a.0": _EIP, "aws_eip.a.1": {**_EIP, "provider": "no provider!"}},
            "",
            ["aws_eip.a[1]"],
            id="an unreadable one",
        ),
    ],
)
def test_the_lowest_key_gives_the_provider(resources: dict[str, Any], chosen: str, others: list[str]) -> None:
    result = _read(_v3(resources=resources))
    (resource,) = result.snapshot.resources
    assert resource.provider_config is not None
    assert (resource.provider_config.provider.type, resource.provider_config.alias) == ("aws", chosen)
    assert [(finding.summary, finding.address) for finding in result.findings] == [(_CHOSEN, other) for other in others]


def test_deposed_objects_get_keys() -> None:
    result = _read(_resource(deposed=[{"id": "x"}, {"id": "y"}]))
    assert [obj.deposed for obj in result.snapshot.resources[0].objects] == ["", "00000001", "00000002"]
    assert [(finding.summary, finding.detail[-9:-1]) for finding in result.findings] == [
        (_CHOSEN, "00000001"),
        (_CHOSEN, "00000002"),
    ]


@each_row(
    ("document", "pointer", "words"),
    [
        pytest.param({"version": 3, "serial": -1}, "/serial", "less than zero", id="a negative serial"),
        pytest.param({"version": 3, "modules": [None]}, "/modules/0", "null", id="a null module"),
        pytest.param({"version": 3, "modules": [{"path": []}]}, "/modules/0/path", '"root"', id="an empty path"),
        pytest.param(
            {"version": 3, "modules": [{"path": ["x"]}]}, "/modules/0/path", '"root"', id="a path without root"
        ),
        pytest.param(
            {"version": 3, "modules": [{"path": ["root", "a.b"]}]}, "/modules/0/path", "'a.b'", id="a name that is none"
        ),
        pytest.param(_v3(resources={"bad": _EIP}), "/modules/0/resources/bad", "bad", id="an address that is none"),
        pytest.param(_v3(resources={"a/b": _EIP}), "/modules/0/resources/a~1b", "a/b", id="and with a slash"),
        pytest.param(
            _v3(resources={"aws_eip.a": None}), "/modules/0/resources/aws_eip.a", "null", id="a null resource"
        ),
        pytest.param(
            _resource(deposed=[None]), "/modules/0/resources/aws_eip.a/deposed/0", "null", id="a null deposed object"
        ),
        pytest.param(
            _resource(provider="aws.${var.x}"),
            "/modules/0/resources/aws_eip.a/provider",
            "template interpolation",
            id="an alias with interpolation",
        ),
        pytest.param(_v3(outputs={"o": None}), "/modules/0/outputs/o", "null", id="a null output"),
        pytest.param({"version": 2, "modules": [None]}, "/modules/0", "version 2 to 3", id="v2: a null module"),
        pytest.param({"version": 1, "modules": [None]}, "/modules/0", "version 1 to 2", id="v1: a null module"),
        pytest.param(
            {"version": 1, "modules": [{"resources": {"aws_eip.a": {"deposed": [None]}}}]},
            "/modules/0/resources/aws_eip.a/deposed/0",
            "null",
            id="v1: a null deposed object",
        ),
    ],
)
def test_failed(document: dict[str, Any], pointer: str, words: str) -> None:
    with pytest.raises(statefmt.StateError) as refused:
        _read(document)
    (reason,) = refused.value.reasons
    assert (reason.code, reason.summary, reason.pointer) == ("STA005", "State format upgrade failed", pointer)
    assert words in reason.detail


@each_row(
    ("document", "is_configuration"),
    [
        pytest.param({"version": 3, "backend": {"type": "s3"}}, True, id="a backend alone"),
        pytest.param(_v3(outputs={}, resources={}) | {"backend": {"type": "s3"}}, True, id="what init leaves"),
        pytest.param(_resource() | {"backend": {"type": "s3"}}, False, id="a backend and a resource"),
        pytest.param(
            _v3(outputs={"o": {"value": ""}}) | {"backend": {"type": "s3"}}, False, id="a backend and an output"
        ),
        pytest.param({"version": 3}, False, id="nothing at all"),
        pytest.param({"version": 3, "remote": {"type": "s3"}}, True, id="a remote state alone"),
        pytest.param({"version": 1, "remote": {"type": "http"}}, True, id="v1: a remote state alone"),
        pytest.param(_resource() | {"remote": {"type": "s3"}}, False, id="a remote state with a resource"),
        pytest.param({"version": 3, "state_store": {"type": "a"}}, True, id="a state store"),
        pytest.param({"version": 3, "terraform_version": "1.15.0", "state_store": {}}, True, id="any state store"),
        pytest.param({"version": 3, "state_store": None}, False, id="no state store"),
        pytest.param(_resource() | {"state_store": {"type": "a"}}, False, id="a state store and a resource"),
    ],
)
def test_backend_configuration(document: dict[str, Any], is_configuration: bool) -> None:
    codes = [finding.code for finding in statefmt.read(json.dumps(document).encode()).findings]
    assert ("STA012" in codes) is is_configuration
    # Nothing is upgraded, so there are no choices.
    assert not is_configuration or codes == ["STA012"]
