"""Fixtures of the schema tests: one validator for each schema, and JSON read as strictly as OpenTofu does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from jsonschema import Draft202012Validator

from statefmt import schema_problems

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def schemas() -> dict[str, dict[str, Any]]:
    return {name: json.loads(schema_problems.schema_text(name)) for name in schema_problems.schema_names()}


@pytest.fixture(scope="session")
def validators(schemas: dict[str, dict[str, Any]]) -> dict[str, Draft202012Validator]:
    return {name: Draft202012Validator(schema) for name, schema in schemas.items()}


@pytest.fixture(scope="session")
def v4(validators: dict[str, Draft202012Validator]) -> Callable[..., bool]:
    """Whether a document of format 4 with the given members is valid."""
    return lambda **members: validators["state-v4"].is_valid({"version": 4} | members)


@pytest.fixture(scope="session")
def legacy(validators: dict[str, Draft202012Validator]) -> Callable[[dict[str, Any]], str]:
    """The formats 1 to 3 that a document with the given members is valid in, as a text such as "23"."""
    return lambda members: "".join(
        str(number) for number in (1, 2, 3) if validators[f"state-v{number}"].is_valid({"version": number} | members)
    )


@pytest.fixture(scope="session")
def read_json() -> Callable[[bytes], Any]:
    return _read_json


def _read_json(data: bytes) -> Any:
    """Read JSON; ValueError for what Python's reader lets pass and OpenTofu refuses."""
    # Bytes that are not UTF-8 are replaced, not refused, by Go's reader of JSON.
    return json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
