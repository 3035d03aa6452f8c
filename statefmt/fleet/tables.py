"""Defines the tables of an index: a Struct for the rows of each, with the type and the meaning of every column."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Struct

from statefmt.model.errors import StatetoolError

_JSON: Final = {"sql": "JSON"}
_STATE: TypeAlias = Annotated[str, Meta(description="The state: `states.state_id`.")]
_OBJECT: TypeAlias = Annotated[str, Meta(description="The address of the instance.")]
_DEPOSED: TypeAlias = Annotated[str, Meta(description="The deposed key; empty for the current object.")]
_Run: TypeAlias = Annotated[int, Meta(description="The run: `runs.run_id`.")]
_Change: TypeAlias = Annotated[int, Meta(description="How many such rows came; negative for those that went.")]
_Count: TypeAlias = Annotated[int, Meta(description="How many there are.")]


class FleetStateRow(Struct, frozen=True, kw_only=True):
    """One state. An unreadable state has the reason in `error`."""

    state_id: Annotated[str, Meta(description="A hash of `uri`, the same in every index.")]
    uri: Annotated[str, Meta(description="Where the state is: an absolute path, git:REVISION:PATH or a URL.")]
    source: Annotated[str, Meta(description="The source that it was found through.")]
    workspace: Annotated[str | None, Meta(description="The workspace, if its place says so.")] = None
    version: Annotated[str | None, Meta(description="What tells one content from the next without reading it.")] = None
    size: Annotated[int | None, Meta(description="Bytes, as stored.")] = None
    sha256: Annotated[str | None, Meta(description="SHA-256 of the stored bytes, in hexadecimal.")] = None
    format_version: Annotated[int | None, Meta(description="The version of the state format, 1 to 4.")] = None
    engine: Annotated[str | None, Meta(description="opentofu or terraform, by the registry of its providers.")] = None
    terraform_version: Annotated[str | None, Meta(description="The release that wrote it.")] = None
    serial: Annotated[int | None, Meta(description="The serial.", extra_json_schema={"sql": "UBIGINT"})] = None
    lineage: Annotated[str | None, Meta(description="The lineage.")] = None
    encrypted: Annotated[bool, Meta(description="Whether it is stored encrypted.")] = False
    n_resources: Annotated[int, Meta(description="The number of its resources.")] = 0
    n_objects: Annotated[int, Meta(description="The number of its objects, deposed ones included.")] = 0
    short_addresses: Annotated[
        bool, Meta(description="Whether it names providers by their type only, as before Terraform 0.13.")
    ] = False
    error: Annotated[str | None, Meta(description="Why it could not be read.")] = None
    made_by: Annotated[str, Meta(description="What the rows depend on beside the state: the rules.")] = ""
    run_id: Annotated[int, Meta(description="The run that last read it.")] = 0


class ResourceRow(Struct, frozen=True, gc=False, array_like=True):
    """One resource of a state."""

    state_id: _STATE
    address: Annotated[str, Meta(description="The address of the resource.")]
    module: Annotated[str, Meta(description="The module instance; empty for the root module.")]
    mode: Annotated[str, Meta(description="managed or data.")]
    type: Annotated[str, Meta(description="The resource type.")]
    name: Annotated[str, Meta(description="The resource name.")]
    provider_source: Annotated[str | None, Meta(description="The source address of its provider.")]
    provider_module: Annotated[str | None, Meta(description="The module of its provider configuration.")]
    provider_alias: Annotated[str | None, Meta(description="The alias of it; empty for the default one.")]


class ObjectRow(Struct, frozen=True, gc=False, array_like=True):
    """One object of a resource instance: the current one, or a deposed one."""

    state_id: _STATE
    address: _OBJECT
    resource: Annotated[str, Meta(description="The address of its resource.")]
    key: Annotated[str | None, Meta(description="The instance key as in addresses, without brackets.")]
    deposed: _DEPOSED
    status: Annotated[str, Meta(description="ready or tainted.")]
    provider_instance: Annotated[str | None, Meta(description="The provider instance that it is bound to.")]
    schema_version: Annotated[int, Meta(description="The schema version.", extra_json_schema={"sql": "UBIGINT"})]
    remote_id: Annotated[str | None, Meta(description="The attribute `id`.")]
    arn: Annotated[str | None, Meta(description="The attribute `arn`.")]
    region: Annotated[str | None, Meta(description="The attribute `region`, else that of the ARN.")]
    account: Annotated[str | None, Meta(description="The attribute `account_id`, else that of the ARN.")]
    identity: Annotated[str | None, Meta(description="The identity, without sensitive parts.", extra_json_schema=_JSON)]
    attr_bytes: Annotated[int, Meta(description="The bytes of its attributes in the file.")]
    attr_hash: Annotated[str | None, Meta(description="A keyed hash of its attributes without sensitive parts.")]
    attributes: Annotated[
        str | None, Meta(description="The attributes without sensitive parts, if wanted.", extra_json_schema=_JSON)
    ] = None


class DependencyRow(Struct, frozen=True, gc=False, array_like=True):
    """One dependency of an object."""

    state_id: _STATE
    address: _OBJECT
    deposed: _DEPOSED
    depends_on: Annotated[str, Meta(description="The address that it depends on, as the state has it.")]


class OutputRow(Struct, frozen=True):
    """One output of a state."""

    state_id: _STATE
    name: Annotated[str, Meta(description="The name of the output.")]
    type: Annotated[str, Meta(description="Its type.", extra_json_schema=_JSON)]
    sensitive: Annotated[bool, Meta(description="Whether it is sensitive.")]
    value_hash: Annotated[str | None, Meta(description="A keyed hash of the value; none of a sensitive one.")]
    value: Annotated[
        str | None, Meta(description="The value, if wanted and not sensitive.", extra_json_schema=_JSON)
    ] = None


class RemoteRefRow(Struct, frozen=True):
    """One `terraform_remote_state` data source."""

    state_id: _STATE
    address: _OBJECT
    backend: Annotated[str | None, Meta(description="The type of the backend that it reads.")]
    workspace: Annotated[str | None, Meta(description="The workspace that it reads.")]
    config: Annotated[
        str | None, Meta(description="Its backend arguments; all but locations are hidden.", extra_json_schema=_JSON)
    ]
    target_uri: Annotated[str | None, Meta(description="Where the state that it reads is, if its arguments say so.")]
    target_state_id: Annotated[str | None, Meta(description="The `state_id` of that state, in the index or not.")]
    outputs_hash: Annotated[str | None, Meta(description="A keyed hash of the outputs, without sensitive parts.")]


class FindingRow(Struct, frozen=True):
    """One finding of the rules, regardless of settings and baselines."""

    state_id: _STATE
    number: Annotated[int, Meta(description="Its place among the findings of the state, from 0, as `check` has them.")]
    code: Annotated[str, Meta(description="The code of the rule.")]
    severity: Annotated[str, Meta(description="error, warning or info.")]
    address: Annotated[str, Meta(description="What it is about; empty for the whole state.")]
    pointer: Annotated[str, Meta(description="A JSON pointer into the file.")]
    summary: Annotated[str, Meta(description="What is wrong.")]
    detail: Annotated[str, Meta(description="More about it; may be empty.")]
    fix: Annotated[
        str | None,
        Meta(
            description="What to do: an array of sentences, and of objects with a `command` and its `arguments`.",
            extra_json_schema=_JSON,
        ),
    ]
    snippet: Annotated[str, Meta(description="The configuration to paste; may be empty.")]
    line: Annotated[int | None, Meta(description="The line in the file, from 1.")]
    col: Annotated[int | None, Meta(description="The column in this line, in characters, from 1.")]


class RunRow(Struct, frozen=True):
    """One run of `fleet index`."""

    run_id: Annotated[int, Meta(description="The number of the run, from 1.")]
    started: Annotated[str, Meta(description="When it began, in UTC.", extra_json_schema={"sql": "TIMESTAMP"})]
    finished: Annotated[
        str | None,
        Meta(description="When it ended, in UTC; none if it did not.", extra_json_schema={"sql": "TIMESTAMP"}),
    ]
    made_by: Annotated[str, Meta(description="The release of statetool, and the rules.")]
    checks: Annotated[bool, Meta(description="Whether the rules were run.")]
    n_states: _Count
    n_read: Annotated[int, Meta(description="The number of states that were read again.")]
    n_failed: Annotated[int, Meta(description="The number of states with an error.")]
    n_removed: Annotated[int, Meta(description="The number of states that are no longer in their source.")]


class HistoryRow(Struct, frozen=True):
    """One state of the index at the end of a run, also if it was not in the sources of the run."""

    run_id: _Run
    state_id: _STATE
    uri: Annotated[str, Meta(description="Where the state is.")]
    error: Annotated[str | None, Meta(description="Why it could not be read.")]
    format_version: Annotated[int | None, Meta(description="The version of the state format.")]
    terraform_version: Annotated[str | None, Meta(description="The release that wrote it.")]
    lineage: Annotated[str | None, Meta(description="The lineage.")]
    serial: Annotated[int | None, Meta(description="The serial.", extra_json_schema={"sql": "UBIGINT"})]
    encrypted: Annotated[bool, Meta(description="Whether it is stored encrypted.")]
    size: Annotated[int | None, Meta(description="Bytes, as stored.")]
    n_resources: Annotated[int, Meta(description="The number of its resources.")]
    n_objects: Annotated[int, Meta(description="The number of its objects.")]
    errors: Annotated[int, Meta(description="The number of findings of severity error.")]
    warnings: Annotated[int, Meta(description="The number of findings of severity warning.")]
    infos: Annotated[int, Meta(description="The number of findings of severity info.")]


class ObjectChangeRow(Struct, frozen=True):
    """Objects that a run found new, changed or gone in a state of an earlier run; a changed object has two rows.

    The total change of some runs is the sum of `change`, grouped by all other columns except `run_id`.
    """

    run_id: _Run
    state_id: _STATE
    address: _OBJECT
    deposed: _DEPOSED
    status: Annotated[str, Meta(description="ready or tainted.")]
    provider_instance: Annotated[str | None, Meta(description="The provider instance that it is bound to.")]
    schema_version: Annotated[int, Meta(description="The schema version.", extra_json_schema={"sql": "UBIGINT"})]
    remote_id: Annotated[str | None, Meta(description="The attribute `id`.")]
    attr_hash: Annotated[str | None, Meta(description="A keyed hash of its attributes without sensitive parts.")]
    change: _Change


class OutputChangeRow(Struct, frozen=True):
    """Outputs that a run found new, changed or gone, in the same way."""

    run_id: _Run
    state_id: _STATE
    name: Annotated[str, Meta(description="The name of the output.")]
    sensitive: Annotated[bool, Meta(description="Whether it is sensitive.")]
    value_hash: Annotated[str | None, Meta(description="A keyed hash of the value; none of a sensitive one.")]
    change: _Change


class FindingChangeRow(Struct, frozen=True):
    """Findings that a run found new or gone, in the same way."""

    run_id: _Run
    state_id: _STATE
    code: Annotated[str, Meta(description="The code of the rule.")]
    severity: Annotated[str, Meta(description="error, warning or info.")]
    address: Annotated[str, Meta(description="What it is about; empty for the whole state.")]
    summary: Annotated[str, Meta(description="What is wrong.")]
    change: _Change


# The tables with rows of one state, which are replaced together, and the tables about runs.
STATE_TABLES: Final[Mapping[str, type[Struct]]] = MappingProxyType({
    "states": FleetStateRow,
    "resources": ResourceRow,
    "objects": ObjectRow,
    "dependencies": DependencyRow,
    "outputs": OutputRow,
    "remote_refs": RemoteRefRow,
    "findings": FindingRow,
})  # fmt: skip
RUN_TABLES: Final[Mapping[str, type[Struct]]] = MappingProxyType({
    "runs": RunRow,
    "history": HistoryRow,
    "object_changes": ObjectChangeRow,
    "output_changes": OutputChangeRow,
    "finding_changes": FindingChangeRow,
})  # fmt: skip


class Column(NamedTuple):
    """A column: its name, its SQL type, and its meaning."""

    name: str
    type: str
    description: str


def columns(row: type[Struct]) -> tuple[Column, ...]:
    """Return the columns of a table by the Struct of its rows."""
    return tuple(_column(field.name, field.type) for field in msgspec.structs.fields(row))


def _column(name: str, annotation: Any) -> Column:
    meta = next(item for item in annotation.__metadata__ if isinstance(item, Meta))
    sql = (meta.extra_json_schema or {}).get("sql")
    base = str(annotation.__origin__)
    plain = "BOOLEAN" if "bool" in base else "BIGINT" if "int" in base else "VARCHAR"
    return Column(name, sql or plain, meta.description or "")


class FleetError(StatetoolError):
    """An index cannot be made or queried; the message names the file or the query, and the reason."""

    code = "fleet"
