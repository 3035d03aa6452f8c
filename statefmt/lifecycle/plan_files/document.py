"""Turns a plan file into the JSON document that `show -json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from statefmt.configuration import Configuration, VariableOption
from statefmt.lifecycle.plan import PlanError
from statefmt.lifecycle.plan_files._changes import ChangeWriter, relevant_attributes
from statefmt.lifecycle.plan_files._messages import parse_message, unknown_fields
from statefmt.lifecycle.plan_files._schemas import PlanSchemas
from statefmt.lifecycle.plan_files._states import Checked, CheckedObject, check_results, prior_state
from statefmt.lifecycle.plan_files.archive import PlanArchive
from statefmt.lifecycle.plan_files.configuration import configuration_document, defaults, load_configuration
from statefmt.lifecycle.schema import ProviderSchemas

_VERSION: Final = 3
_THE_FILE: Final = "the plan file"
_STATUSES: Final = {0: "unknown", 1: "pass", 2: "fail", 3: "error"}
_KINDS: Final = {1: "resource", 2: "output", 3: "check", 4: "var"}


def plan_document(archive: PlanArchive, given: ProviderSchemas | None = None) -> bytes:
    """Return the JSON document of a plan file, with values typed by the stored, the `given` or the built-in schemas.

    Each change has the member `provider_config` besides, which only the plan file names. Without a schema, values are
    as they are in the file: numbers that are no float64 are strings. Raises PlanError.
    """
    plan = _plan(archive)
    schemas = PlanSchemas(archive.schemas, given)
    changes = ChangeWriter(plan, schemas)
    variables = changes.variables()
    configuration = _configuration(archive, plan, variables)
    document = configuration_document(configuration)
    by_default = {name: {"value": value} for name, value in defaults(configuration.root.declarations).items()}
    # What nobody declares may be a secret.
    declared = document["root_module"].setdefault("variables", {})
    declared |= {name: {"sensitive": True} for name in variables if name not in declared}
    try:
        return _encode(
            {
                "format_version": "1.2",
                "terraform_version": plan.terraform_version,
                "variables": {**by_default, **variables},
                "planned_values": changes.planned_values(),
                "resource_drift": changes.resource_drift(),
                "resource_changes": changes.resource_changes(),
                "deferred_changes": changes.deferred_changes(),
                "deferred_action_invocations": changes.deferred_action_invocations(),
                "output_changes": changes.output_changes(),
                "action_invocations": changes.action_invocations(),
                "prior_state": prior_state(archive.state("prior"), schemas),
                "configuration": document,
                "relevant_attributes": relevant_attributes(plan),
                "checks": check_results(map(_checked, plan.check_results)),
                "timestamp": plan.timestamp,
                # OpenTofu has neither.
                **({} if archive.is_opentofu else {"applyable": plan.applyable, "complete": plan.complete}),
                "errored": plan.errored,
                # plan-show lists members that it does not know.
                **{f"field {number} of the plan file": True for number in unknown_fields(plan)},
            }
        )
    except RecursionError:
        raise PlanError("the plan file is nested too deeply") from None


def _plan(archive: PlanArchive) -> Any:
    plan = parse_message("Plan", archive.plan)
    if plan.version != _VERSION:
        raise PlanError(
            f"the plan file has format version {plan.version}{_release(plan)}; only version {_VERSION} can be read: "
            "print it as JSON with the release that wrote it (show -json PLANFILE)"
        )
    return plan


def _configuration(archive: PlanArchive, plan: Any, variables: Mapping[str, Any]) -> Configuration:
    values = {name: member["value"] for name, member in variables.items()}
    given = (VariableOption(file=_THE_FILE, document=msgspec.json.encode(values)),) if values else ()
    return load_configuration(archive, given, plan.backend.workspace, _THE_FILE)


def _release(plan: Any) -> str:
    return f", written by release {plan.terraform_version}" if plan.terraform_version else ""


def _checked(message: Any) -> Checked:
    return Checked(
        _KINDS.get(message.kind, str(message.kind)),
        message.config_addr,
        _STATUSES.get(message.status, "unknown"),
        tuple(
            CheckedObject(each.object_addr, _STATUSES.get(each.status, "unknown"), tuple(each.failure_messages))
            for each in message.objects
        ),
    )


def _encode(document: dict[str, Any]) -> bytes:
    """Encode a document without members that are empty."""
    return msgspec.json.encode({name: value for name, value in document.items() if value not in ([], {}, None, "")})
