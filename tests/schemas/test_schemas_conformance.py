"""The schemas take what OpenTofu takes and refuse what it refuses, apart from what is listed here."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

DATA = Path(__file__).resolve().parents[1] / "conformance" / "read.jsonl.xz"

# Accepted by OpenTofu, refused by the schemas.
STRICTER = {
    "envelope/103-case-insensitive": "Go matches the names of members without regard to case; a schema cannot",
    "outputs/161-case-insensitive-members": "the same, inside an output",
}

# What OpenTofu reports and no schema can express: these may validate.
ADDRESS = "the syntax of addresses is not a matter of JSON"
LEGACY_SOURCE = "Terraform's form of a provider that is known only by its type, which OpenTofu refuses"
COMPARES = "compares members of different objects"
INEXPRESSIBLE = {
    "Attribute name required": ADDRESS,
    "Duplicate resource instance in state": COMPARES,
    "Index value required": ADDRESS,
    "Invalid address operator": ADDRESS,
    "Invalid address": ADDRESS,
    "Invalid character": ADDRESS,
    "Invalid checkable address": ADDRESS,
    "Invalid module instance address": ADDRESS,
    "Invalid provider namespace": LEGACY_SOURCE,
    "Invalid string literal": ADDRESS,
    "Provider instance field conflict in state": COMPARES,
    "Variable name required": ADDRESS,
    "invalid checkable config address": ADDRESS,
}

# What a schema can express in part: of these, the cases listed validate, and no others do.
LITERAL = "1.0 and 1e3 are integers to a schema, and not to OpenTofu"
DEEP_VALUE = "the value is held against its type in the outermost layer only"
LEGACY_PROVIDER = "the syntax of legacy provider addresses is not a matter of JSON"
CHECKABLE = "a crash of OpenTofu; whether an address fits the kind beside it is not a matter of JSON"
PARTLY = {
    "Invalid state file format": {
        "envelope/037-serial-1_0": LITERAL,
        "envelope/039-serial-1e3": LITERAL,
        "instances/090-schema-version-1_0": LITERAL,
        "instances/091-schema-version-1e2": LITERAL,
        "v3-upgrade/195-serial-float": LITERAL,
    },
    "Unsupported state file format": {"envelope/017-version-4e0": LITERAL},
    "Invalid output value saved in state": {
        "outputs/094-object-extra-attr": DEEP_VALUE,
        "outputs/106-tuple-long": DEEP_VALUE,
        "random/446-m46-retype": DEEP_VALUE,
        "random/525-m125-duplicate": DEEP_VALUE,
    },
    "State format upgrade failed": {
        "v1-upgrade/016-provider-interpolated": LEGACY_PROVIDER,
        "v3-upgrade/063-provider-provider_aws___var_region_": LEGACY_PROVIDER,
        "v3-upgrade/064-provider-aws___var_region_": LEGACY_PROVIDER,
        "v3-upgrade/065-provider-module_network_provider_aws___var_region_": LEGACY_PROVIDER,
        "v3-upgrade/066-provider-provider_aws___lookup_var_m___x___": LEGACY_PROVIDER,
        "v3-upgrade/068-provider-provider_aws_a_b": LEGACY_PROVIDER,
        "v3-upgrade/069-provider-module_network_0__provider_aws": LEGACY_PROVIDER,
        "v3-upgrade/074-provider-aws_1": LEGACY_PROVIDER,
        "v3-upgrade/079-provider-aws_": LEGACY_PROVIDER,
        "v3-upgrade/081-provider-aws_west": LEGACY_PROVIDER,
        "v3-upgrade/082-provider-myprovider_x": LEGACY_PROVIDER,
        "v3-upgrade/083-provider-provider__registry_opentofu_org_hashicorp_aws__": LEGACY_PROVIDER,
        "v3-upgrade/086-provider-provider_aws_0_": LEGACY_PROVIDER,
        "v3-upgrade/089-provider-__aws_": LEGACY_PROVIDER,
    },
    "panic": {
        "check-results/032-config-wrong-kind-output": CHECKABLE,
        "check-results/033-config-wrong-kind-var": CHECKABLE,
        "check-results/034-config-wrong-kind-check": CHECKABLE,
        "outputs/098-object-optional-unknown": "a crash of OpenTofu; " + COMPARES,
        "outputs/105-tuple-short": "a crash of OpenTofu; " + DEEP_VALUE,
    },
}

# What satisfies the envelope's schema.
ENVELOPES = {
    "envelope/148-encrypted-compact",
    "envelope/149-encrypted-no-serial",
    "envelope/152-encrypted-with-version-4",
    "envelope/157-encrypted-null-meta",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One conformance case and how the schemas took it."""

    id: str
    outcome: str
    summaries: frozenset[str]
    is_json: bool
    is_valid: bool
    is_envelope: bool


@pytest.fixture(scope="module")
def cases(validators: dict[str, Draft202012Validator], read_json: Callable[[bytes], Any]) -> dict[str, Case]:
    with lzma.open(DATA, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {record["id"]: _case(record, validators, read_json) for record in records}


def test_accepted_inputs_validate(cases: dict[str, Case]) -> None:
    refused = {case.id for case in cases.values() if case.outcome == "ok" and not case.is_valid}
    assert refused == set(STRICTER)


def test_refused_inputs_do_not_validate(cases: dict[str, Case]) -> None:
    accepted = {
        case.id: sorted(case.summaries)
        for case in cases.values()
        if case.outcome != "ok" and case.is_valid and not _is_inexpressible(case)
    }
    assert accepted == {}


def test_text_that_is_not_json_is_reported_as_such(cases: dict[str, Case]) -> None:
    summaries = {summary for case in cases.values() if not case.is_json for summary in case.summaries}
    assert summaries == {"Unsupported state file format", "no state"}


def test_lists_name_only_what_happens(cases: dict[str, Case]) -> None:
    """An entry that no case needs any more must go."""
    summaries = {summary for case in cases.values() if case.is_valid for summary in case.summaries}
    assert set(INEXPRESSIBLE) <= summaries
    for summary, ids in PARTLY.items():
        assert {case.id for case in cases.values() if case.is_valid and summary in case.summaries} == set(ids)


def test_envelopes(cases: dict[str, Case]) -> None:
    assert {case.id for case in cases.values() if case.is_envelope} == ENVELOPES


def _is_inexpressible(case: Case) -> bool:
    return all(summary in INEXPRESSIBLE or case.id in PARTLY.get(summary, ()) for summary in case.summaries)


def _case(
    record: dict[str, Any], validators: dict[str, Draft202012Validator], read_json: Callable[[bytes], Any]
) -> Case:
    data = base64.b64decode(record["input_b64"]) if "input_b64" in record else record["input"].encode()
    try:
        document = read_json(data)
        is_json = True
    except ValueError:
        document, is_json = None, False
    return Case(
        id=record["id"],
        outcome=record["outcome"],
        summaries=frozenset(
            _summary(finding["summary"]) for finding in record["diagnostics"] if finding["severity"] != "warning"
        ),
        is_json=is_json,
        # A document has one version at most, so the four schemas together are as strict as its own.
        is_valid=is_json and any(validators[f"state-v{n}"].is_valid(document) for n in (4, 3, 2, 1)),
        is_envelope=is_json and validators["encrypted-state"].is_valid(document),
    )


def _summary(text: str) -> str:
    """Cut the address off a summary that OpenTofu builds around one."""
    prefix = "invalid checkable config address"
    return prefix if text.startswith(prefix) else text
