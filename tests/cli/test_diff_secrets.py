"""Secrets are in no format of `statetool diff` unless they are asked for."""

from __future__ import annotations

import base64

import pytest

from .conftest import Statetool
from .diffing import compare
from .states import resource, state


def _secret(*names: str) -> bytes:
    """A state with a secret, different for each name, everywhere that secrets are."""
    one, two = names
    index = {"type": "index", "value": {"value": f"S3-{one}", "type": "string"}}
    instance = {
        "attributes": {"id": "i-1", "password": f"S3-{one}", "nested": {"S3-key": f"S3-{one}"}, "set": [f"S3-{one}"]},
        "sensitive_attributes": [[_attr("password")], [_attr("nested")], [_attr("set"), index]],
        "private": base64.b64encode(f"S3-{one}".encode()).decode(),
        "identity": {"password": f"S3-{one}"},
        "identity_schema_version": 0,
        "novel": f"S3-{one}",
    }  # fmt: skip
    return state(
        resource("a", "b", instance),
        resource("c", one, {"attributes": {"id": f"S3-{one}"}, "sensitive_attributes": [[_attr("id")]]}),
        outputs={"o": {"value": f"S3-{one}", "type": "string", "sensitive": two == "both" or one == "first"}},
        novel=f"S3-{one}",
    )


def _attr(name: str) -> dict[str, str]:
    return {"type": "get_attr", "value": name}


FORMATS = [[], ["--full"], ["--exact"], ["--stat"], ["--name-only"], ["--moved-blocks"], ["--format", "json"],
           ["--format", "markdown"]]  # fmt: skip


@pytest.mark.parametrize("other", ["both", "one"])
@pytest.mark.parametrize("options", FORMATS, ids=" ".join)
def test_no_secret_in_any_format(options: list[str], other: str, statetool: Statetool) -> None:
    for sides in ((("first", other), ("second", other)), (("second", other), ("first", other))):
        result = compare(statetool, _secret(*sides[0]), _secret(*sides[1]), *options)
        assert result.status == 1
        assert "S3" not in result.text + result.err
        assert "UzMt" not in result.text + result.err


def test_secrets_that_were_asked_for(statetool: Statetool) -> None:
    old, new = _secret("first", "both"), _secret("second", "both")
    text = compare(statetool, old, new, "--show-sensitive").text
    for line in ('~ password: "S3-first" → "S3-second"', '~ o: "S3-first" → "S3-second"', "+ c.second"):
        assert line in text
