"""No output holds a value: real states with secrets in every place that may hold one, through every format."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.formats.raw_json.positions import finding_positions
from statefmt.lint.check import check
from statefmt.lint.checked import CheckedState
from statefmt.model.findings import Severity
from statefmt.render.check import check_text
from statefmt.render.check_reports import check_github, check_json, check_junit, check_sarif
from statefmt.render.terminal import Terminal
from tests.formats.recorded import CASES, input_of

SAMPLES: Final = Path(__file__).parents[2] / "samples"
# Nothing else in any output looks like it, whatever is put around or cut off.
SECRET: Final = "hunter2"
SHAPES: Final = (
    "{}",
    "AKIA{}ABCDEFGHI",
    "ghp_{}abcdefghijklmnopqrstuvwxyz012345",
    "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n",
    "postgres://admin:{}@db.example.com/app",
)
# Members that hold values.
VALUES: Final = {"attributes", "attributes_flat", "identity", "private", "value"}
STATES: Final = {
    **{path.relative_to(SAMPLES).as_posix(): path.read_bytes() for path in sorted(SAMPLES.rglob("*.tfstate"))},
    **{case["id"]: input_of(case) for case in CASES},
}

FORMATS: dict[str, Callable[[list[CheckedState]], str]] = {
    "text": lambda states: "\n".join(check_text(states, Terminal(80))),
    "coloured text": lambda states: "\n".join(check_text(states, Terminal(120, colour=True))),
    "json": lambda states: b"".join(check_json(states)).decode(),
    "sarif": lambda states: b"".join(check_sarif(states)).decode(),
    "junit": lambda states: b"".join(check_junit(states, fail_on=Severity.INFO)).decode(),
    "github": lambda states: "\n".join(check_github(states)),
}


class Planter:
    """Puts a secret in place of every string that is a value, each in another shape; or of every value as a whole."""

    def __init__(self, *, whole: bool = False) -> None:
        self.planted = 0
        self.whole = whole

    def state(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self.member(name, part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.state(part) for part in value]
        return value

    def member(self, name: str, value: Any) -> Any:
        # The paths in there have steps with a member "value", which is the key of a map.
        if name == "sensitive_attributes":
            return value
        if name not in VALUES:
            return self.state(value)
        return self.values(SECRET if self.whole else value, output=name == "value")

    def values(self, value: Any, *, output: bool = False) -> Any:
        if isinstance(value, dict):
            # In an output of any type, "type" describes the type of what stands beside it, and may be told.
            kept = {"type"} if output else set()
            return {name: part if name in kept else self.values(part, output=output) for name, part in value.items()}
        if isinstance(value, list):
            return [self.values(part, output=output) for part in value]
        if isinstance(value, str):
            self.planted += 1
            return SHAPES[self.planted % len(SHAPES)].format(SECRET)
        return value


def states_with_secrets() -> Iterator[CheckedState]:
    for planter, (name, data) in product((Planter(), Planter(whole=True)), STATES.items()):
        try:
            planted = json.dumps(planter.state(json.loads(data)), ensure_ascii=False).encode("utf-8", "replace")
        except (ValueError, RecursionError):
            continue
        if SECRET.encode() in planted:
            # As it is, and cut off in the middle of a secret.
            for variant in (planted, planted[: planted.rindex(SECRET.encode()) + 3]):
                findings = tuple(check(variant))
                yield CheckedState(name, findings, finding_positions(variant, findings))


@pytest.fixture(scope="module")
def states() -> list[CheckedState]:
    found = list(states_with_secrets())
    assert len(found) > 1000
    codes = {finding.code for state in found for finding in state.findings}
    assert len(codes) > 30
    return found


@pytest.mark.parametrize("name", FORMATS)
def test_no_output_has_a_secret(name: str, states: list[CheckedState]) -> None:
    output = FORMATS[name](states)
    encoded = base64.b64encode(SECRET.encode()).decode().rstrip("=")
    for secret in (SECRET, SECRET[::-1], encoded, "RSA PRIVATE KEY-----\n"):
        for match in re.finditer(re.escape(secret), output):
            pytest.fail(f"{output[max(0, match.start() - 300) : match.end() + 100]!r}")
