"""Members that statetool does not know: told of by their place, kept where they stand, dropped in OpenTofu's form."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

import statefmt
from statefmt.formats import Layout, Style
from statefmt.formats.writing import canonical

_RESOURCE: Final = {"mode": "managed", "type": "a", "name": "b", "provider": 'provider["hashicorp/aws"]'}


@pytest.mark.parametrize(
    ("members", "pointer", "address"),
    [
        pytest.param({"new": 1}, "/new", "", id="at the top"),
        pytest.param({"a/b~c": 1}, "/a~1b~0c", "", id="a name that pointers escape"),
        pytest.param(
            {"outputs": {"o": {"value": 1, "type": "number", "new": 1}}}, "/outputs/o/new", "output.o", id="output"
        ),
        pytest.param(
            {"outputs": {"a/b": {"value": 1, "type": "number", "new": 1}}},
            "/outputs/a~1b/new",
            "output.a/b",
            id="its name",
        ),
        pytest.param({"resources": [{**_RESOURCE, "new": 1}]}, "/resources/0/new", "a.b", id="resource"),
        pytest.param(
            {"resources": [{**_RESOURCE, "mode": "data", "new": 1}]}, "/resources/0/new", "data.a.b", id="data source"
        ),
        pytest.param(
            {"resources": [{**_RESOURCE, "module": "module.m[0]", "new": 1}]},
            "/resources/0/new",
            "module.m[0].a.b",
            id="in a module",
        ),
        pytest.param(
            {"resources": [{**_RESOURCE, "instances": [{}, {"index_key": 0, "new": 1}]}]},
            "/resources/0/instances/1/new",
            "a.b",
            id="object",
        ),
        pytest.param(
            {"check_results": [{"object_kind": "output", "config_addr": "output.o", "new": 1}]},
            "/check_results/0/new",
            "output.o",
            id="check result",
        ),
        pytest.param(
            {
                "check_results": [
                    {
                        "object_kind": "output",
                        "config_addr": "output.o",
                        "objects": [{"object_addr": "output.o", "new": 1}],
                    }
                ]
            },
            "/check_results/0/objects/0/new",
            "output.o",
            id="checked object",
        ),
    ],
)
def test_told_kept_and_dropped(members: dict[str, Any], pointer: str, address: str) -> None:
    result = statefmt.read(json.dumps({"version": 4, **members}).encode())
    (finding,) = [finding for finding in result.findings if finding.code == "STA008"]
    assert (finding.severity.value, finding.pointer, finding.address) == ("info", pointer, address)
    name = json.dumps(pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")).encode()
    assert name + b": 1" in canonical(result.snapshot, keep_unknown=True)
    assert name not in statefmt.write(result.snapshot)


@pytest.mark.parametrize(
    ("members", "kept"),
    [
        pytest.param('"new":1,"version":4', '{"new":1,"version":4,', id="first of all"),
        pytest.param('"version":4,"new":1', '{"version":4,"new":1,', id="after a member"),
        pytest.param('"version":4,"new2":1,"new1":2', '{"version":4,"new2":1,"new1":2,', id="in the order of the file"),
        pytest.param(
            '"version":4,"serial":2,"new":1', ',"serial":2,"new":1,"lineage"', id="wherever that member is written"
        ),
        pytest.param(
            '"version":4,"new": {"a": 1.0, "b":"<\\u003e"}', '"new":{"a":1.0,"b":"\\u003c\\u003e"}', id="its text"
        ),
        pytest.param('"version":4,"new":1,"NEW":2', '"new":1,"NEW":2', id="names that differ in case"),
        pytest.param('"version":4,"new":1,"new":2', '{"version":4,"new":2,', id="the last of two"),
    ],
)
def test_place_and_text(members: str, kept: str) -> None:
    snapshot = statefmt.read(f"{{{members}}}".encode()).snapshot
    assert kept in canonical(snapshot, Style(Layout.COMPACT), keep_unknown=True).decode()


@pytest.mark.parametrize(
    ("kept", "result"),
    [
        pytest.param(
            '{"object_kind":"new","config_addr":"x y","status":"new","objects":[{"object_addr":"?","status":"new"}]}',
            '"check_results":null',
            id="a kind",
        ),
        pytest.param(
            '{"object_kind":"output","config_addr":"output.o","status":"new","objects":null}',
            '"status":"unknown"',
            id="a status",
        ),
    ],
)
def test_checks_of_newer_releases(kept: str, result: str) -> None:
    snapshot = statefmt.read(f'{{"version":4,"check_results":[{kept}]}}'.encode()).snapshot
    assert kept in canonical(snapshot, Style(Layout.COMPACT), keep_unknown=True).decode()
    assert result in canonical(snapshot, Style(Layout.COMPACT)).decode()
