"""Secrets are in no format of `statetool diff` unless they are asked for."""

from __future__ import annotations

import base64
import json
from pathlib import Path

from tests.cli.conftest import Statetool
from tests.cli.diffing import compare
from tests.cli.states import resource, state
from tests.tables import each_row


def _attr(name: str) -> dict[str, str]:
    return {"type": "get_attr", "value": name}


def _index(key: str | int) -> dict[str, object]:
    return {"type": "index", "value": {"value": key, "type": "number" if isinstance(key, int) else "string"}}


def _flat(kind: str, name: str, attributes: dict[str, str]) -> dict[str, object]:
    return resource(kind, name) | {"instances": [{"schema_version": 0, "attributes_flat": attributes}]}


def _secret(*names: str) -> bytes:
    """A state with a secret, different for each name, everywhere that secrets are.

    What is sensitive with the first name is so with the second if that is `both`.
    """
    one, two = names
    secret = f"S3-{one}"
    marked = two == "both" or one == "first"
    outer = {"type": ["object", {secret: "string"}], "value": {secret: secret}}
    attributes = {
        "id": "i-1",
        "password": secret,
        "nested": {secret: secret},
        "set": [secret],
        "map": {"k": secret, "open": one},
        "deep": [{"b": {"c": [{"p": secret, "open": one}]}}],
        "blocks": [{"name": secret, "p": secret}],
        "json": json.dumps({"p": secret}),
        "text": f"open\n{secret}",
        "any": outer,
    }
    marks = [
        [_attr("password")], [_attr("nested")], [_attr("set"), _index(secret)], [_attr("map"), _index("k")],
        [_attr("deep"), _index(0), _attr("b"), _attr("c"), _index(0), _attr("p")],
        [_attr("blocks"), _index(secret), _attr("p")], [_attr("json")], [_attr("text")], [_attr("any")],
    ]  # fmt: skip
    instance = {
        "attributes": attributes,
        "sensitive_attributes": marks,
        "private": base64.b64encode(secret.encode()).decode(),
        "identity": {"password": secret},
        "identity_schema_version": 0,
        "novel": secret,
    }
    deposed = {"attributes": {"p": secret}, "sensitive_attributes": [[_attr("p")]], "deposed": "0f1e2d3c"}
    hidden_id = {"attributes": {"id": secret}, "sensitive_attributes": [[_attr("id")]]}
    return state(
        resource("a", "b", instance, deposed),
        _flat("a", "flat", {"id": "i-2", "db.0.password": secret, "n": one}),
        resource("a", "whole", {"attributes": {"id": secret, secret: 1}, "sensitive_attributes": [[]]}),
        resource("a", "id", hidden_id),
        resource("c", one, hidden_id),
        _flat("c", f"flat_{one}", {"id": secret, "password": secret}),
        resource("c", f"whole_{one}", {"attributes": {"id": secret}, "sensitive_attributes": [[]]}),
        outputs={
            "o": {"value": secret, "type": "string", "sensitive": marked},
            "object": {**outer, "sensitive": marked},
            f"new_{one}": {**outer, "sensitive": True},
        },
        novel=secret,
    )


FORMATS = [[], ["--full"], ["--exact"], ["--stat"], ["--name-only"], ["--moved-blocks"], ["--format", "json"],
           ["--format", "markdown"]]  # fmt: skip


@each_row("other", ["both", "one"])
@each_row("options", FORMATS, ids=" ".join)
def test_no_secret_in_any_format(options: list[str], other: str, statetool: Statetool) -> None:
    for sides in ((("first", other), ("second", other)), (("second", other), ("first", other))):
        result = compare(statetool, _secret(*sides[0]), _secret(*sides[1]), *options)
        assert result.status == 1
        assert "S3" not in result.text + result.err
        assert "UzMt" not in result.text + result.err


def test_what_is_open_beside_a_secret_is_told(statetool: Statetool) -> None:
    text = compare(statetool, _secret("first", "both"), _secret("second", "both")).text
    for line in ('~ map.open: "first" → "second"', '~ deep[0].b.c[0].open: "first" → "second"', "~ map.k: (sens"):
        assert line in text


def test_git_sees_no_secret(statetool: Statetool) -> None:
    compare(statetool, _secret("first", "both"), _secret("second", "both"))
    for arguments in (("diff", "a", "old", "1", "2", "new", "3", "4"), ("textconv", "old")):
        result = statetool("git-driver", *arguments)
        assert (result.status, result.err) == (0, "")
        assert "a.b" in result.text
        assert "S3" not in result.text
        assert "UzMt" not in result.text


def test_secrets_that_were_asked_for(statetool: Statetool) -> None:
    old, new = _secret("first", "both"), _secret("second", "both")
    text = compare(statetool, old, new, "--show-sensitive").text
    for line in (
        '~ password: "S3-first" → "S3-second"', '~ o: "S3-first" → "S3-second"', '+ c.second (id "S3-second")',
        '~ deep[0].b.c[0].p: "S3-first" → "S3-second"',
        "~ type: object({S3-first=string}) → object({S3-second=string})",
    ):  # fmt: skip
        assert line in text
    assert 'id = "S3-second"' in compare(statetool, old, new, "--show-sensitive", "--moved-blocks").text


def test_blocks_with_secrets_that_changed_their_order(statetool: Statetool, folder: Path) -> None:
    def users(*names: str) -> bytes:
        attributes = {"id": "i-1", "users": [{"name": name, "password": f"S3-{name}"} for name in names]}
        marks = [[_attr("users"), _index(place), _attr("password")] for place in range(len(names))]
        obj = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": marks}
        return state(resource("aws_vpc", "a") | {"instances": [obj]})

    for options in ((), ("--format", "json"), ("--format", "markdown")):
        shown = compare(statetool, users("ann", "bob"), users("eve", "bob", "ann"), *options).out.decode()
        assert "S3-" not in shown
        assert "order" in shown and "eve" in shown
        assert "bob" not in shown
