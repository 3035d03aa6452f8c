"""Reads a plan in JSON, and identifies files that are given as plans by mistake."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from statefmt.context import RunContext
from statefmt.formats.raw_json import equals, json_problem, token
from statefmt.formats.versions import collector_paused
from statefmt.lifecycle.plan import (
    ABSENT,
    ZIP,
    Action,
    ActionInvocation,
    Change,
    DeferredActionInvocation,
    DeferredChange,
    Importing,
    NotAPlanError,
    PlanError,
    PlannedChange,
    RawPath,
    RelevantAttribute,
    ShownPlan,
    StateValues,
)
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    IntKey,
    ModuleInstance,
    Resource,
    ResourceInstance,
    ResourceMode,
    StringKey,
)
from statefmt.model.addrs.parsing import (
    parse_abs_provider_instance,
    parse_abs_resource_instance,
    parse_config_provider_config,
    parse_module_instance,
)
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.errors import AddressError, StoreError
from statefmt.sealed import opened_plan
from statefmt.store.protocol import ReadOnlyStore, Stored
from statefmt.store.reading import PLAN, STANDARD_INPUT, display_name, read_bytes
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.lifecycle.schema import ProviderSchemas
    from statefmt.model.snapshot import Snapshot

_ACTIONS: Final = {action.value: action for action in Action}
_NULL: Final = b"null"
# The first byte of an object, and of a mask: an object, true or false.
_OBJECT: Final = b"{"
_MASK: Final = b"{tf"
# Precedes the path in a msgspec message: `Expected `str`, got `int` - at `$.resource_changes[0].type``.
_AT: Final = " - at `$"


def read_plan(data: bytes, schemas: ProviderSchemas | None = None) -> ShownPlan:
    """Read a plan file, or a plan as `show -json` prints it. Ignores unknown members.

    Values of a plan file are typed by the schemas that it contains, or else by `schemas`. Raises NotAPlanError (a
    state, the output of another command) or PlanError (another format version, a member of the wrong type, an invalid
    address, an unknown action), with the JSON pointer of the part.
    """
    if not data.startswith(ZIP):
        return _read_document(data)
    # Imported late: most plans are JSON.
    from statefmt.lifecycle.plan_files.archive import open_archive
    from statefmt.lifecycle.plan_files.document import plan_document

    return replace(_read_document(plan_document(open_archive(data), schemas)), file=data)


def _read_document(data: bytes) -> ShownPlan:
    with collector_paused():
        try:
            document = msgspec.json.decode(data, type=PlanJSON)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            _check_is_plan(data)
            raise _invalid(data, str(error)) from None
        except RecursionError:
            raise too_deep() from None
        if not document.is_plan:
            _check_is_plan(data)
        return _plan(data, document)


def _plan(data: bytes, document: PlanJSON) -> ShownPlan:
    reader = _AddressReader()
    prior = document.prior_state
    return ShownPlan(
        source=data,
        format_version=document.format_version,
        terraform_version=document.terraform_version or "",
        timestamp=document.timestamp or "",
        resource_changes=_resource_changes(reader, document.resource_changes or (), "/resource_changes"),
        resource_drift=_resource_changes(reader, document.resource_drift or (), "/resource_drift"),
        deferred_changes=tuple([
            _deferred_change(deferred, f"/deferred_changes/{number}/resource_change")
            for number, deferred in enumerate(document.deferred_changes or ())
        ]),
        action_invocations=document.action_invocations or (),
        deferred_action_invocations=document.deferred_action_invocations or (),
        output_changes={
            name: _change(change, f"/output_changes/{token(name)}")
            for name, change in (document.output_changes or {}).items()
        },
        variables={name: variable.value for name, variable in (document.variables or {}).items()},
        prior_state=None if prior is None else prior.values,
        planned_values=document.planned_values,
        configuration=_value(document.configuration),
        checks=_value(document.checks),
        relevant_attributes=document.relevant_attributes or (),
        errored=document.errored,
        applyable=document.applyable,
        complete=document.complete,
    )  # fmt: skip


def _resource_changes(
    reader: _AddressReader, changes: Iterable[_ResourceChangeJSON], pointer: str
) -> tuple[PlannedChange, ...]:
    return tuple(
        [_resource_change(reader, change, number, f"{pointer}/{number}") for number, change in enumerate(changes)]
    )


def _resource_change(reader: _AddressReader, change: _ResourceChangeJSON, number: int, pointer: str) -> PlannedChange:
    try:
        address = reader.read(change)
    except AddressError as error:
        raise PlanError(f"invalid address {change.address!r}: {error.detail}", f"{pointer}/address") from None
    return PlannedChange(
        address=address,
        change=_object_change(change.change, f"{pointer}/change"),
        previous_address=_previous(change.previous_address, pointer) if change.previous_address else None,
        deposed=change.deposed or "",
        provider_name=change.provider_name or "",
        provider_config=_provider_config(change, pointer),
        reason=change.action_reason or "",
        number=number,
    )


def _deferred_change(deferred: _DeferredChangeJSON, pointer: str) -> DeferredChange:
    change = deferred.resource_change
    return DeferredChange(
        reason=deferred.reason or "",
        address=change.address,
        change=_object_change(change.change, f"{pointer}/change"),
        deposed=change.deposed or "",
    )


def _provider_config(change: _ResourceChangeJSON, pointer: str) -> ConfigProviderConfig | AbsProviderInstance | None:
    """Return the provider instance that `plan-show` wrote, or else the provider configuration in a plan file."""
    name = "provider_instance" if change.provider_instance else "provider_config"
    text = change.provider_instance or change.provider_config
    if not text:
        return None
    try:
        return _parsed_provider(text, is_instance=bool(change.provider_instance))
    except AddressError as error:
        raise PlanError(f"invalid provider {text!r}: {error.detail}", f"{pointer}/{name}") from None


# Plans have few providers, and many changes.
@lru_cache(maxsize=256)
def _parsed_provider(text: str, *, is_instance: bool) -> ConfigProviderConfig | AbsProviderInstance:
    return parse_abs_provider_instance(text) if is_instance else parse_config_provider_config(text)


def _previous(text: str, pointer: str) -> AbsResourceInstance:
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        raise PlanError(f"invalid address {text!r}: {error.detail}", f"{pointer}/previous_address") from None


def _change(change: _ChangeJSON, pointer: str) -> Change:
    action = _ACTIONS.get(change.actions)
    if action is None:
        raise PlanError(
            f"unknown actions {list(change.actions)}; a newer statetool may know them", f"{pointer}/actions"
        )
    return Change(
        action=action,
        before=_value(change.before),
        after=_value(change.after),
        after_unknown=_value(change.after_unknown),
        before_sensitive=_value(change.before_sensitive),
        after_sensitive=_value(change.after_sensitive),
        replace_paths=change.replace_paths or (),
        importing=change.importing,
        generated_config=change.generated_config or "",
        before_identity=_value(change.before_identity),
        after_identity=_value(change.after_identity),
    )


def _object_change(found: _ChangeJSON, pointer: str) -> Change:
    """Raise PlanError unless the values of an object are objects, and its masks objects or bools."""
    change = _change(found, pointer)
    for name, raw, allowed in (
        ("before", change.before, _OBJECT),
        ("after", change.after, _OBJECT),
        ("after_unknown", change.after_unknown, _MASK),
        ("before_sensitive", change.before_sensitive, _MASK),
        ("after_sensitive", change.after_sensitive, _MASK),
    ):
        if raw is not None and memoryview(raw)[0] not in allowed:
            raise PlanError("not a valid plan: expected an object", f"{pointer}/{name}")
    return change


def _value(raw: Raw | UnsetType) -> Raw | None:
    return None if raw is UNSET or equals(raw, _NULL) else raw


def _invalid(data: bytes, message: str) -> PlanError:
    """Return the error for a plan that does not decode, at the first of the places that its schema does not allow."""
    # Imported late: only plans that do not decode need it.
    from statefmt.schema_problems import decoded, schema_problems

    try:
        found = schema_problems("plan", decoded(data))
    except (ValueError, RecursionError):
        found = []
    if not found:
        return PlanError(f"not a valid plan: {message.partition(_AT)[0]}")
    more = f"; {len(found) - 1} more problem{'s' if len(found) > 2 else ''}" if len(found) > 1 else ""
    return PlanError(f"not a valid plan: {found[0].message}{more}", found[0].pointer)


def is_plan_file(path: str) -> bool:
    """Return whether a path is that of a plan file that is not encrypted."""
    try:
        # Another kind of file may never end.
        with open(path, "rb") if os.path.isfile(path) else io.BytesIO() as file:  # noqa: PTH113, PTH123
            return file.read(len(ZIP)) == ZIP
    except OSError:
        return False


def open_plan(name: str, context: RunContext, schemas: ProviderSchemas | None = None) -> ShownPlan:
    """Read a plan from a file, or from standard input for `-`: a plan file, also an encrypted one, or its JSON form.

    Values of a plan file are typed by the schemas that it contains, or else by `schemas`. Raises StoreError, with the
    name of the file, if it cannot be read or is not a plan, and EncryptionError if it cannot be decrypted.
    """
    data = _read(name, context)
    try:
        return read_plan(data, schemas)
    except PlanError as error:
        raise StoreError(f"{display_name(name)}: {error}") from error


def state_in_plan(plan: ShownPlan, part: Literal["prior", "previous"] = "previous") -> Snapshot | None:
    """Return a state in a plan file: `previous`, with the moves of the plan, or `prior`, refreshed besides.

    None for a plan in JSON. Raises PlanError without such a state, and StateError.
    """
    if not plan.file:
        return None
    from statefmt.formats.reading import read
    from statefmt.lifecycle.plan_files.archive import open_archive

    return read(open_archive(plan.file).state(part), as_terraform=True).snapshot


_PARTS: Final = ("prior", "previous")


def plan_state(name: str, context: RunContext) -> ReadOnlyStore:
    """Return the store of a state in a plan file, `plan:prior:PATH` or `plan:previous:PATH`. Raises StoreError."""
    part, _, path = name.removeprefix(PLAN).partition(":")
    if part not in _PARTS or not path:
        raise StoreError(f"{name}: write a state in a plan file as plan:prior:PATH or plan:previous:PATH")

    def read() -> Stored:
        from statefmt.lifecycle.plan_files.archive import open_archive

        data = _read(path, context)
        try:
            if not data.startswith(ZIP):
                raise NotAPlanError("this is not a plan file, so it contains no states")
            return Stored(open_archive(data).state(part), None)
        except PlanError as error:
            raise StoreError(f"{display_name(path)}: {error}") from error

    return ReadOnlyStore(
        name,
        read,
        f"{name}: a state in a plan file cannot be edited; write the result to a file",
        f"{name}: a state in a plan file has no history of edits",
    )


def _read(name: str, context: RunContext) -> bytes:
    context.phase("reading")
    data = context.read_input(None) if name == STANDARD_INPUT else read_bytes(name)
    return opened_plan(context, name, data)


_BOM: Final = b"\xef\xbb\xbf"
_FORMAT: Final = pattern(r"(\d+)\.(\d+)(?:\.\d+)?")
# The only major version of the format; minor versions add members.
_MAJOR: Final = 1
_NAME_IT: Final = "name the plan file, which plan -out=PLANFILE writes"
_LOG: Final = f"this is the log of plan -json or apply -json, which lists no values; {_NAME_IT}"
# Every plan in JSON has at least one of these members; OpenTofu and Terraform always write the first.
_PLAN_MEMBERS: Final = ("planned_values", "resource_changes", "output_changes", "configuration")


def _check_is_plan(data: bytes) -> None:
    """Raise NotAPlanError or PlanError unless `data` is a JSON object with the members of a plan in format 1.x."""
    if not data.strip():
        raise NotAPlanError("the file is empty")
    if data.startswith(_BOM):
        raise PlanError(
            "the file starts with a byte order mark, which JSON does not allow; save it as UTF-8 without one"
        )
    members = _members(data)
    if not any(name in members for name in _PLAN_MEMBERS):
        raise NotAPlanError(_instead(members))
    version = _text(members.get("format_version"))
    match = _FORMAT.fullmatch(version)
    if not match:
        raise PlanError("the plan has no valid format_version; a plan in JSON has one such as 1.2", "/format_version")
    if int(match[1]) < _MAJOR:
        raise PlanError(
            f"the plan has format version {version}, which only early releases write; "
            "make a plan with Terraform 1.0 or newer, or with OpenTofu", "/format_version"
        )  # fmt: skip
    if int(match[1]) > _MAJOR:
        raise PlanError(
            f"the plan has format version {version}; versions {_MAJOR}.x can be read. A newer statetool may read it",
            "/format_version",
        )


def _members(data: bytes) -> dict[str, Raw]:
    try:
        return msgspec.json.decode(data, type=dict[str, Raw])
    except msgspec.ValidationError:
        raise NotAPlanError("the file contains JSON, but not an object; a plan is an object") from None
    except RecursionError:
        raise too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        try:
            # The machine-readable log has a message in each line.
            if "@level" in msgspec.json.decode(data.split(b"\n", 1)[0], type=dict[str, Raw]):
                raise NotAPlanError(_LOG) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        raise NotAPlanError(f"the file is not JSON: {json_problem(data, error)}") from None


def _instead(members: dict[str, Raw]) -> str:
    """Return the kind of an object that lacks all members of a plan."""
    if "encrypted_data" in members or "encryption_version" in members:
        return "the file is encrypted; if it is a plan file, name the configuration that encrypts it"
    if "lineage" in members or {"serial", "version"} <= members.keys():
        return f"this is a state, not a plan; {_NAME_IT}"
    if "provider_schemas" in members:
        return "this is the output of providers schema -json, not a plan"
    if "@level" in members:
        return _LOG
    if "values" in members or members.keys() == {"format_version"}:
        return f"this is the output of show -json for a state, not for a plan; {_NAME_IT}"
    names = ", ".join(_PLAN_MEMBERS)
    return f"the file has none of the members of a plan in JSON ({names}); {_NAME_IT}"


def _text(raw: Raw | None) -> str:
    try:
        return "" if raw is None else msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        return ""


def too_deep() -> PlanError:
    """Return the error for a file that nests deeper than Python's recursion limit, about a thousand levels."""
    return PlanError("the file is nested too deeply to be a plan")


class _ChangeJSON(Struct, gc=False):
    """The member `change` of a resource change, and an entry of `output_changes`."""

    actions: tuple[str, ...]
    before: Raw | UnsetType = UNSET
    after: Raw | UnsetType = UNSET
    after_unknown: Raw | UnsetType = UNSET
    before_sensitive: Raw | UnsetType = UNSET
    after_sensitive: Raw | UnsetType = UNSET
    replace_paths: tuple[RawPath, ...] | None = None
    importing: Importing | None = None
    generated_config: str | None = None
    before_identity: Raw | UnsetType = UNSET
    after_identity: Raw | UnsetType = UNSET


class _ResourceChangeJSON(Struct, gc=False):
    """An entry of `resource_changes` or `resource_drift`."""

    address: str
    change: _ChangeJSON
    previous_address: str | None = None
    module_address: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    index: int | str | None = None
    provider_name: str | None = None
    provider_config: str | None = None
    provider_instance: str | None = None
    deposed: str | None = None
    action_reason: str | None = None


class _DeferredChangeJSON(Struct, gc=False):
    """An entry of `deferred_changes`."""

    resource_change: _ResourceChangeJSON
    reason: str | None = None


class _VariableJSON(Struct, gc=False):
    """An entry of `variables`."""

    value: Raw = ABSENT


class _PriorStateJSON(Struct, gc=False):
    """The member `prior_state`, which has the form of `show -json` of a state."""

    values: StateValues | None = None


class PlanJSON(Struct, gc=False):
    """A whole plan."""

    format_version: str
    terraform_version: str | None = None
    timestamp: str | None = None
    resource_changes: list[_ResourceChangeJSON] | None = None
    resource_drift: list[_ResourceChangeJSON] | None = None
    deferred_changes: list[_DeferredChangeJSON] | None = None
    action_invocations: tuple[ActionInvocation, ...] | None = None
    deferred_action_invocations: tuple[DeferredActionInvocation, ...] | None = None
    output_changes: dict[str, _ChangeJSON] | None = None
    variables: dict[str, _VariableJSON] | None = None
    prior_state: _PriorStateJSON | None = None
    planned_values: StateValues | None = None
    configuration: Raw | UnsetType = UNSET
    checks: Raw | UnsetType = UNSET
    relevant_attributes: tuple[RelevantAttribute, ...] | None = None
    errored: bool = False
    applyable: bool | None = None
    complete: bool | None = None

    @property
    def is_plan(self) -> bool:
        """Whether this is certainly a plan in a readable format version; if not, _check_is_plan() decides."""
        return self.format_version.startswith("1.") and self.planned_values is not None


_MODES: Final = {"managed": ResourceMode.MANAGED, "data": ResourceMode.DATA}
_ROOT: Final = ModuleInstance()


class _AddressReader:
    """Builds addresses from their parts in the JSON form, ten times as fast as parsing the text.

    The text takes precedence: it is parsed if the parts do not print as the same address.
    """

    def __init__(self) -> None:
        self._modules: dict[str, ModuleInstance | None] = {}
        self._resources: dict[tuple[str, str, str], Resource | None] = {}

    def read(self, change: _ResourceChangeJSON) -> AbsResourceInstance:
        """Return the address. Raises AddressError if the text is invalid."""
        module = self._module(change.module_address) if change.module_address else _ROOT
        resource = self._resource(change.mode or "", change.type or "", change.name or "")
        if module is not None and resource is not None:
            address = AbsResourceInstance(module, ResourceInstance(resource, _key(change.index)))
            if str(address) == change.address:
                return address
        return parse_abs_resource_instance(change.address)

    def _module(self, text: str) -> ModuleInstance | None:
        if text not in self._modules:
            try:
                self._modules[text] = parse_module_instance(text)
            except AddressError:
                self._modules[text] = None
        return self._modules[text]

    def _resource(self, mode: str, type_: str, name: str) -> Resource | None:
        parts = (mode, type_, name)
        if parts not in self._resources:
            valid = mode in _MODES and is_identifier(type_) and is_identifier(name)
            self._resources[parts] = Resource(_MODES[mode], type_, name) if valid else None
        return self._resources[parts]


def _key(index: int | str | None) -> InstanceKey:
    if index is None:
        return NO_KEY
    return IntKey(index) if isinstance(index, int) else StringKey(index)
