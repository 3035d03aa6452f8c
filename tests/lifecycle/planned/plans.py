"""The plans that record.py made, and how they are checked before an apply."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from statefmt.analysis.plans.bindings import plan_variables
from statefmt.configuration import Configuration, LoadOptions, load
from statefmt.formats.reading import read
from statefmt.lifecycle.read_plan import read_plan
from statefmt.lifecycle.schema import read_provider_schemas
from statefmt.lint.plan_subject import PlanSubject
from statefmt.model.findings import Finding

_ARCHIVE: Final = Path(__file__).with_name("clean.tar.xz")


@cache
def clean_plans() -> Mapping[str, Mapping[str, bytes]]:
    """Return the files of each recorded plan: `{"000": {"main.tf": …, "plan.json": …}}`."""
    plans: dict[str, dict[str, bytes]] = {}
    with tarfile.open(fileobj=io.BytesIO(_ARCHIVE.read_bytes())) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            plan, name = member.name.split("/", 1)
            plans.setdefault(plan, {})[name] = file.read()
    return plans


def written(folder: Path, files: Mapping[str, bytes]) -> Configuration:
    """Write the files of a plan to a folder, and return its configuration, with the variables of the plan."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return load(folder, LoadOptions(variables=plan_variables(read_plan(files["plan.json"]), "plan.json")))


def planned_findings(
    plan: bytes, configuration: Configuration, schemas: bytes | None = None, state: bytes | None = None
) -> tuple[Finding, ...]:
    """Return the findings about the planned values of a plan."""
    snapshot = None if state is None else read(state).snapshot
    provided = None if schemas is None else read_provider_schemas(schemas)
    return PlanSubject(read_plan(plan), snapshot, configuration=configuration, schemas=provided).planned
