"""Every sample has its line in samples/README.md; good ones validate, broken ones as far as a schema can tell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from statefmt import Severity, inspect, write
from statefmt.testing.strategies import states

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GOOD = sorted(path.name for path in SAMPLES.glob("*.tfstate"))

# How a schema takes each broken sample, or why it cannot tell.
FAILS, NOT_JSON = "fails", "not JSON"
BROKEN = {
    "backend-configuration.tfstate": "in shape it is a state of format 3 without resources",
    "both-levels.tfstate": "read by OpenTofu, with a warning",
    "current-and-deposed-keys.tfstate": "compares two members of an array",
    "duplicate-instance.tfstate": "compares two members of an array",
    "missing-provider.tfstate": FAILS,
    "mixed-configurations.tfstate": "compares two members of an array",
    "split-resource.tfstate": "compares two members of an array",
    "truncated.tfstate": NOT_JSON,
}


def test_every_sample_has_its_line() -> None:
    lines = re.findall(r"^\| `([^`]+\.tfstate)` \|", (SAMPLES / "README.md").read_text("utf-8"), re.MULTILINE)
    files = [path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.tfstate")]
    assert sorted(lines) == sorted(files)


def test_every_broken_sample_is_judged() -> None:
    assert sorted(BROKEN) == sorted(path.name for path in (SAMPLES / "broken").iterdir())


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str, validators: dict[str, Draft202012Validator], read_json: Callable[[bytes], Any]) -> None:
    state = read_json((SAMPLES / name).read_bytes())
    assert list(_validator(validators, state).iter_errors(state)) == []


@pytest.mark.parametrize(("name", "outcome"), BROKEN.items())
def test_broken(
    name: str, outcome: str, validators: dict[str, Draft202012Validator], read_json: Callable[[bytes], Any]
) -> None:
    data = (SAMPLES / "broken" / name).read_bytes()
    if outcome == NOT_JSON:
        with pytest.raises(ValueError, match=r"^Unterminated string"):
            read_json(data)
        return
    state = read_json(data)
    assert _validator(validators, state).is_valid(state) == (outcome != FAILS)


@given(states(odd=True))
def test_the_canonical_form_is_valid(validators: dict[str, Draft202012Validator], data: bytes) -> None:
    """Also of states that the schema does not allow, such as those with names of members in capitals."""
    snapshot = inspect(data).snapshot
    if snapshot is not None:
        assert list(validators["state-v4"].iter_errors(json.loads(write(snapshot)))) == []


@given(states(odd=True))
def test_generated_states(validators: dict[str, Draft202012Validator], data: bytes) -> None:
    """Whatever can be read is valid."""
    problems = list(validators["state-v4"].iter_errors(json.loads(data.decode("utf-8", "replace"))))
    assert not problems or any(found.severity is Severity.ERROR for found in inspect(data).findings)


def _validator(validators: dict[str, Draft202012Validator], state: Any) -> Draft202012Validator:
    return validators["encrypted-state" if "encryption_version" in state else f"state-v{state['version']}"]
