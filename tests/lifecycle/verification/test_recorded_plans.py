"""Recorded plans verify clean. Each mutation of a recorded state is found, with its code and place and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any, Final

from statefmt.formats.reading import read
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lifecycle.schema import read_provider_schemas
from statefmt.lifecycle.verification import Verification, verify
from statefmt.model.addrs import ResourceMode
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.findings import Finding
from tests.lifecycle.plans import recorded_plans
from tests.lifecycle.verification.mutations import MUTATIONS, Case, Found
from tests.tables import each_row

_APPLIED: Final = sorted(
    name for name, files in recorded_plans().items() if {"plan.json", "after.tfstate"} <= files.keys()
)


def _verified(plan: bytes, before: bytes | None, after: bytes) -> Verification:
    return verify(read_plan(plan), None if before is None else read(before).snapshot, read(after).snapshot)


def _found(findings: tuple[Finding, ...]) -> list[Found]:
    return [Found(finding.code, finding.address, finding.pointer) for finding in findings]


def _case(files: Mapping[str, bytes], seed: str) -> Case:
    before = files.get("before.tfstate")
    return Case(
        json.loads(files["plan.json"]),
        None if before is None else json.loads(before),
        json.loads(files["after.tfstate"]),
        random.Random(seed),
    )


def _written(document: Any) -> bytes:
    return json.dumps(document, indent=2).encode()


@each_row("name", _APPLIED)
def test_clean(name: str) -> None:
    files = recorded_plans()[name]
    found = _verified(files["plan.json"], files.get("before.tfstate"), files["after.tfstate"])
    assert (found.after, found.before, found.not_made) == ((), (), 0)


@each_row("name", _APPLIED)
def test_clean_with_schemas(name: str) -> None:
    files = recorded_plans()[name]
    before = None if "before.tfstate" not in files else read(files["before.tfstate"]).snapshot
    after = read(files["after.tfstate"]).snapshot
    schemas = read_provider_schemas(files["schemas.json"])
    listed = b"terraform_data" in files["schemas.json"]
    provider = parse_provider_source("terraform.io/builtin/terraform")
    assert (schemas.schema(provider, ResourceMode.MANAGED, "terraform_data") is not None) is listed
    found = verify(read_plan(files["plan.json"]), before, after, schemas=schemas)
    assert (found.after, found.before) == ((), ())


@each_row("mutation", MUTATIONS, sample=16)
def test_mutations(mutation: str) -> None:
    applied = 0
    for name in _APPLIED:
        files = recorded_plans()[name]
        for seed in range(3):
            case = _case(files, f"{name}/{mutation}/{seed}")
            expected = MUTATIONS[mutation](case)
            if not expected:
                continue
            applied += 1
            before = None if case.before is None else _written(case.before)
            found = _verified(files["plan.json"], before, _written(case.after))
            context = f"{name}, seed {seed}: {found}"
            is_before = {finding.code for finding in expected} == {"LIF016"}
            assert _found(found.before if is_before else found.after) == expected, context
            assert _found(found.after if is_before else found.before) == [], context
    assert applied


def test_there_are_enough_kinds() -> None:
    assert len(MUTATIONS) >= 40
