"""Counts in flat attributes of format 2: those of lists stay, those of maps are marked, those of nothing go.

Source: OpenTofu `internal/states/statefile/version2_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

import json

import pytest

import statefmt
from tests.tables import each_row


def _upgraded(names: list[str]) -> list[str]:
    primary = {"id": "x", "attributes": {"id": "x"} | dict.fromkeys(names, "1")}
    state = {"version": 2, "modules": [{"path": ["root"], "resources": {"aws_eip.a": {"primary": primary}}}]}
    (resource,) = statefmt.read(json.dumps(state).encode()).snapshot.resources
    return sorted(set(resource.objects[0].attributes_flat or {}) - {"id"})


@each_row(
    ("names", "upgraded"),
    [
        pytest.param(["a.#", "a.0", "a.1"], ["a.#", "a.0", "a.1"], id="a list"),
        pytest.param(["a.#", "a.-7"], ["a.#", "a.-7"], id="a set with a negative hash"),
        pytest.param(["a.#", "a.x"], ["a.%", "a.x"], id="a map"),
        pytest.param(["a.#", "a.0", "a.x"], ["a.%", "a.0", "a.x"], id="a number among other names"),
        pytest.param(["a.#"], [], id="nothing"),
        pytest.param(["a.#", "ab.0"], ["ab.0"], id="another name that starts alike"),
        pytest.param(["a.#", "a.0.b.#", "a.0.b.x"], ["a.#", "a.0.b.%", "a.0.b.x"], id="a map in a list"),
        pytest.param(["a.#", "a.x.y.#"], ["a.%"], id="nothing in a map"),
        pytest.param(["a.#", "a.0.b.#", "a.0.c.d", "a.x"], ["a.%", "a.0.c.d", "a.x"], id="after an inner one"),
        pytest.param(["a.#", "a..x"], ["a.%", "a..x"], id="a name that starts with a dot"),
        pytest.param(["a.#", "a. x"], ["a. x", "a.%"], id="a name before its count in order"),
        pytest.param(["a.#", "a."], ["a.", "a.%"], id="an empty name"),
        pytest.param(["a.#", "a.99999999999999999999"], ["a.%", "a.99999999999999999999"], id="beyond 64 bits"),
    ],
)
def test_counts(names: list[str], upgraded: list[str]) -> None:
    assert _upgraded(names) == upgraded
