"""Flat attributes: what paths name is hidden, and all that may be a secret without being marked."""

from __future__ import annotations

import json

from statefmt.redaction.object_value import flat_value
from statefmt.redaction.partial import Hidden
from tests.model.cty.sensitive_paths import parse_paths
from tests.tables import each_row


def _path(*steps: object) -> list[object]:
    """Steps: names, or lists with a key and its type."""
    return [
        {"type": "get_attr", "value": step}
        if isinstance(step, str)
        else {"type": "index", "value": dict(zip(("value", "type"), step, strict=True))}  # type: ignore[call-overload]
        for step in steps
    ]


def _shown(flat: dict[str, str], *paths: list[object]) -> list[str]:
    value = flat_value(flat, parse_paths(json.dumps(paths).encode()))
    assert [name for name, _ in value] == list(flat)
    return [name for name, text in value if not isinstance(text, Hidden)]


SOME = {"id": "i", "a.#": "2", "a.0.type": "x", "a.1.type": "y", "a.0.size": "5", "tags.%": "1", "tags.Name": "web"}

# Paths, and which of SOME they hide.
COVERED = [
    ((), []),
    ((_path("id"),), ["id"]),
    ((_path("a", [0, "number"], "type"),), ["a.0.type"]),
    ((_path("a", [0, "number"]),), ["a.0.type", "a.0.size"]),
    ((_path("a"),), ["a.#", "a.0.type", "a.1.type", "a.0.size"]),
    ((_path("tags", ["Name", "string"]),), ["tags.Name"]),
    ((_path("tags"),), ["tags.%", "tags.Name"]),
    # An element of a set goes by a hash: all of the set.
    (
        (_path("a", [{"type": "x"}, ["object", {"type": "string"}]], "type"),),
        ["a.#", "a.0.type", "a.1.type", "a.0.size"],
    ),
    ((_path("a", ["x", "string"]),), ["a.#", "a.0.type", "a.1.type", "a.0.size"]),
    ((_path("a", [7, "number"]),), ["a.#", "a.0.type", "a.1.type", "a.0.size"]),
    # What it marks may go by another name: a path that leads nowhere hides everything.
    ((_path("other"),), list(SOME)),
    ((_path("id"), _path("other", "deep")), list(SOME)),
    ((_path(),), list(SOME)),
    ((_path([{"a": "x"}, ["object", {"a": "string"}]]),), list(SOME)),
]


@each_row(("paths", "hidden"), COVERED)
def test_paths(paths: tuple[list[object], ...], hidden: list[str]) -> None:
    assert _shown(SOME, *paths) == [name for name in SOME if name not in hidden]


HARMLESS = [
    *[("id", "i-0a1b"), ("arn", "arn:aws:x"), ("name", "web"), ("instance_type", "t2.small"), ("vpc_id", "vpc-1")],
    *[
        ("multi_az", "true"),
        ("port", "5432"),
        ("ratio", "0.5"),
        ("comment", ""),
        ("security_group_ids.3814588639", "x"),
    ],
    *[("tags.Name", "web"), ("tags.%", "1"), ("tokens.#", "1"), ("private_ip", "10.0.0.1")],
    *[("ebs_block_device.0.volume_type", "gp2"), ("ebs_block_device.~123.volume_type", "gp2")],
]
DOUBTFUL = [
    *[("password", "p"), ("db.0.master_password", "p"), ("result", "p"), ("content", "p"), ("user_data", "p")],
    *[("tags.token", "p"), ("tags.a.b", "p"), ("secret.0.name", "p"), ("secret_id", "p"), ("a.#", "p"), ("a.%", "-")],
    *[("pin", "1234"), ("serial", "1234567890123456789"), ("list.0", "p"), ("private_key_pem", "p"), ("api_key", "p")],
]


@each_row(("name", "value"), HARMLESS)
def test_harmless(name: str, value: str) -> None:
    assert _shown({name: value}) == [name]


@each_row(("name", "value"), DOUBTFUL)
def test_doubtful(name: str, value: str) -> None:
    assert _shown({name: value}) == []


def test_the_same_text_under_a_harmless_name() -> None:
    assert _shown({"id": "s3cr3t", "name": "web", "result": "s3cr3t"}) == ["name"]
    assert _shown({"id": "5", "password": "5"}) == ["id"]
