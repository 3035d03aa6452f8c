"""Prints resource instances, attributes and outputs as text and as JSON, and names values hidden without a mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Raw

from statefmt.golang import JSONValue, Members, quote
from statefmt.model.addrs import AbsResourceInstance, ConfigResource, IntKey, ModuleInstance, ResourceMode, StringKey
from statefmt.model.addrs.checkable import CheckableKind, parse_checkable
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import (
    CheckObject,
    CheckResult,
    InstanceState,
    ObjectStatus,
    OutputValue,
    ResourceInstanceObject,
    Snapshot,
    instances,
)
from statefmt.redaction.attribute_values import look_up, look_up_flat
from statefmt.redaction.object_value import (
    attributes_value,
    hides_output,
    identity_value,
    output_steps,
    output_value,
    private_value,
    unmarked_secrets,
)
from statefmt.redaction.partial import HIDDEN, Hidden, Partial, decoded, parse_path, path_text, sensitive_shape
from statefmt.render.json_output import exact_document, fragment, raw_fragment
from statefmt.render.terminal import Terminal, counted
from statefmt.render.values import (
    TOO_DEEP,
    block_text,
    name_text,
    output_type_json,
    output_type_text,
    partial_text,
    raw_value,
    value_text,
)
from statefmt.text import printable

if TYPE_CHECKING:
    # Text output needs no encoder.
    import orjson


_FLAT: Final = "in the flat form from before Terraform 0.12"
_FLAT_HIDDEN: Final = "which has no marks: what may be sensitive is hidden"
_LABEL_WIDTH: Final = 16


def instance_texts(instance: InstanceState, terminal: Terminal, *, show_sensitive: bool, expand: bool) -> Iterator[str]:
    """Yield a block for each object of an instance, the current one first, without a final newline."""
    for obj in instance.current_first:
        yield _object_text(instance, obj, terminal, show_sensitive, expand)


def _object_text(
    instance: InstanceState, obj: ResourceInstanceObject, terminal: Terminal, show_sensitive: bool, expand: bool
) -> str:
    resource = instance.resource.addr.resource
    lines = [terminal.paint(f"# {_head(instance, obj)}", "bold")]
    for label, text in _facts(instance, obj, show_sensitive, expand):
        first, *more = text.split("\n")
        lines.append(terminal.paint(f"#   {label:<{_LABEL_WIDTH}}  {first}", "dim"))
        lines += [terminal.paint(f"#   {'':<{_LABEL_WIDTH}}  {line}", "dim") for line in more]
    attributes = attributes_value(obj, resource.type, show_sensitive=show_sensitive)
    kind = "data" if resource.mode is ResourceMode.DATA else "resource"
    body = _block_text(attributes, expand)
    return "\n".join([*lines, f"{kind} {quote(resource.type)} {quote(resource.name)} {body}"])


def _head(instance: InstanceState, obj: ResourceInstanceObject) -> str:
    marks = [f"deposed object {printable(obj.deposed)}"] if obj.deposed else []
    marks += ["tainted"] if obj.status is ObjectStatus.TAINTED else []
    return f"{printable(str(instance.addr))}:" + (f" ({', '.join(marks)})" if marks else "")


def _facts(
    instance: InstanceState, obj: ResourceInstanceObject, show_sensitive: bool, expand: bool
) -> Iterator[tuple[str, str]]:
    """Yield the members of an object other than its attributes: a label and its text of one or more lines."""
    provider = instance.provider(obj)
    if provider is not None:
        yield "provider", printable(str(provider))
    yield "schema version", str(obj.schema_version)
    if obj.dependencies or obj.depends_on:
        yield "depends on", "\n".join(printable(str(addr)) for addr in (*obj.dependencies, *obj.depends_on))
    if obj.create_before_destroy:
        yield "lifecycle", "create before destroy"
    if obj.skip_destroy:
        yield "lifecycle", "skip destroy"
    identity = identity_value(obj, instance.resource.addr.resource.type, show_sensitive=show_sensitive)
    if identity is not None:
        yield "identity", partial_text(identity, expand=expand)
        if obj.identity_schema_version is not None:
            yield "identity version", str(obj.identity_schema_version)
    private = private_value(obj, show_sensitive=show_sensitive)
    if private is not None:
        yield "private", private
    if obj.attributes is None:
        yield "attributes", _FLAT if show_sensitive else f"{_FLAT},\n{_FLAT_HIDDEN}"
    elif not show_sensitive:
        lines = "\n".join(unmarked_lines(obj, instance.resource.addr.resource.type))
        if lines:
            yield "hidden", lines


def _block_text(attributes: Partial, expand: bool) -> str:
    try:
        value = decoded(attributes)
        return block_text(value, expand=expand) if isinstance(value, Members) else value_text(value, expand=expand)
    except (ValueError, RecursionError):
        return f"{{\n    # {TOO_DEEP}\n}}"


_MOST = 8


def unmarked_lines(obj: ResourceInstanceObject, type_name: str) -> Iterator[str]:
    """Yield a line for each value of an object that is hidden without a mark, then advice on showing them."""
    from statefmt.redaction.secrets.search import without_secret_names

    found = unmarked_secrets(obj, type_name)
    if not found:
        return
    kinds = {path_text(without_secret_names(secret.steps)) or "a value": secret.kind for secret in found}
    for path, kind in list(kinds.items())[:_MOST]:
        yield f"{printable(path)} looks like {kind}"
    if len(kinds) > _MOST:
        yield f"{len(kinds) - _MOST:,} more values look like secrets"
    yield "not marked as sensitive in the state; --show-sensitive shows what is hidden"


def unmarked_note(instances: Iterable[InstanceState], outputs: Iterable[OutputValue] = ()) -> str:
    """Return a sentence with the number of values that are hidden without a mark; "" if there are none."""
    count = sum(
        len(unmarked_secrets(obj, instance.resource.addr.resource.type))
        for instance in instances
        for obj in instance.objects
        if obj.attributes is not None
    )
    count += sum(len(output_steps(output)) for output in outputs if not output.sensitive)
    if not count:
        return ""
    what, verb = (counted(count, "value"), "looks like a secret" if count == 1 else "look like secrets")
    are = "is hidden, although it is" if count == 1 else "are hidden, although they are"
    return f"{what} that {verb} {are} not marked as sensitive; use --show-sensitive to show what is hidden"


_MOST_NAMED: Final = 3


def attribute_output(
    found: Sequence[InstanceState], path: str, *, raw: bool, as_json: bool, show_sensitive: bool, expand: bool
) -> bytes:
    """Render the value at a path like HCL, as JSON (schema: `show-attr-output.schema.json`), or unchanged (`raw`).

    Raises SelectionError unless there is exactly one instance, or if the value is missing or hidden.
    """
    instance = _only(found)
    value = _attribute_value(instance, path, show_sensitive)
    if isinstance(value, Hidden):
        raise SelectionError(f"{path} of {instance.addr} is sensitive; use --show-sensitive to show it")
    if raw:
        return raw_value(value, path)
    try:
        if as_json:
            return exact_document(address=str(instance.addr), attribute=path, value=fragment(value))
        return f"{value_text(value, expand=expand)}\n".encode()
    except (ValueError, RecursionError) as error:
        raise SelectionError(f"{path} of {instance.addr} is nested too deeply to be shown") from error


def _only(found: Sequence[InstanceState]) -> InstanceState:
    if len(found) == 1:
        return found[0]
    if not found:
        raise SelectionError("--attr takes one instance, and none was selected")
    named = "".join(f"\n  {instance.addr}" for instance in found[:_MOST_NAMED])
    more = f"\n  … and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    raise SelectionError(f"--attr takes one instance, and {len(found)} were selected:{named}{more}")


def _shown_object(instance: InstanceState) -> ResourceInstanceObject:
    obj = instance.current
    if obj is None and len(instance.deposed) == 1:
        obj = instance.deposed[0]
    if obj is None:
        raise SelectionError(f"{instance.addr} has no current object, but several deposed ones")
    return obj


def _attribute_value(instance: InstanceState, path: str, show_sensitive: bool) -> JSONValue:
    obj = _shown_object(instance)
    attributes = attributes_value(obj, instance.resource.addr.resource.type, show_sensitive=show_sensitive)
    try:
        value = decoded(attributes)
    except ValueError as error:
        raise SelectionError(f"the attributes of {instance.addr} are nested too deeply to be looked into") from error
    if obj.attributes is None and isinstance(value, Members):
        return look_up_flat(value, path)
    return look_up(value, parse_path(path))


def typed_outputs_text(outputs: Sequence[OutputValue], terminal: Terminal, *, show_sensitive: bool) -> str:
    """Render each output as an assignment under a comment with its type, without a final newline."""
    return "\n\n".join(_typed(output, terminal, show_sensitive) for output in outputs)


def outputs_text(outputs: Sequence[OutputValue], terminal: Terminal, *, show_sensitive: bool, expand: bool) -> str:
    """Render the outputs by name, as `tofu show` prints them after the resources, without a final newline."""
    lines = [terminal.paint("Outputs:", "bold"), ""]
    for output in sorted(outputs, key=lambda output: output.name):
        value = _output_value(output, show_sensitive, expand=expand)
        lines += [*_deprecation(output, terminal), f"{name_text(output.name)} = {value}"]
    return "\n".join(lines)


def raw_output(output: OutputValue, *, show_sensitive: bool) -> bytes:
    """Render a string, number or bool unchanged. Raises SelectionError for other values and sensitive ones."""
    if hides_output(output) and not show_sensitive:
        why = "is sensitive" if output.sensitive else "looks like a secret, and is not marked as sensitive"
        raise SelectionError(f"the output {output.name!r} {why}; use --show-sensitive to show it")
    try:
        value = decoded(Raw(output.value))
    except ValueError as error:
        raise SelectionError(f"the output {output.name!r} is nested too deeply to be shown") from error
    return raw_value(value, f"the output {output.name!r}")


def _typed(output: OutputValue, terminal: Terminal, show_sensitive: bool) -> str:
    hidden = output.sensitive and not show_sensitive
    notes = [printable(output_type_text(output, hidden=hidden)), *(["sensitive"] if output.sensitive else [])]
    if not output.sensitive and not show_sensitive and hides_output(output):
        notes.append("not marked as sensitive: what looks like a secret is hidden")
    name = terminal.paint(name_text(output.name), "bold")
    lines = [terminal.paint(f"# {', '.join(notes)}", "dim"), *_deprecation(output, terminal)]
    return "\n".join([*lines, f"{name} = {_output_value(output, show_sensitive)}"])


def _deprecation(output: OutputValue, terminal: Terminal) -> list[str]:
    return [terminal.paint(f"# deprecated: {printable(output.deprecated)}", "yellow")] if output.deprecated else []


def _output_value(output: OutputValue, show_sensitive: bool, *, expand: bool = False) -> str:
    return partial_text(output_value(output, show_sensitive=show_sensitive), expand=expand)


def state_text(snapshot: Snapshot) -> Iterator[str]:
    """Yield the text in pieces, with sensitive values hidden; members that change with every write come first."""
    yield f"serial = {snapshot.serial}\nlineage = {quote(snapshot.lineage)}\n"
    yield f"terraform_version = {quote(snapshot.terraform_version)}\n"
    terminal = Terminal()
    for instance in instances(snapshot):
        for text in instance_texts(instance, terminal, show_sensitive=False, expand=True):
            yield f"\n{text}\n"
    if snapshot.outputs:
        yield f"\n{outputs_text(snapshot.outputs, terminal, show_sensitive=False, expand=True)}\n"


# Renders resource instances and outputs as JSON: OpenTofu's values representation, with additions.
# Source: OpenTofu `internal/command/jsonstate/state.go`; `provider_instance` is from the RFC "Dynamic Provider
# Instances and Instance Assignment" (2024-10-21).

_ROOT: Final = ModuleInstance()


def state_json(snapshot: Snapshot, instances: Sequence[InstanceState], *, show_sensitive: bool) -> bytes:
    """Render a whole state; `instances` are all of its instances, in list order (schema: `show-output.schema.json`)."""
    if not snapshot.outputs and not instances:
        return exact_document()
    outputs = {
        output.name: _output(output, show_sensitive)
        for output in sorted(snapshot.outputs, key=lambda output: output.name)
    }
    values = {**({"outputs": outputs} if outputs else {}), "root_module": _modules(instances, show_sensitive)}
    results = checks(snapshot.check_results)
    return exact_document(**_release(snapshot), values=values, **({"checks": results} if results else {}))


def instances_json(snapshot: Snapshot, instances: Sequence[InstanceState], *, show_sensitive: bool) -> bytes:
    """Render some instances in the same shape: no outputs, no check results, and only the modules on their paths."""
    return exact_document(**_release(snapshot), values={"root_module": _modules(instances, show_sensitive)})


def _release(snapshot: Snapshot) -> JsonObject:
    return {"terraform_version": snapshot.terraform_version} if snapshot.terraform_version else {}


def _output(output: OutputValue, show_sensitive: bool) -> JsonObject:
    hidden = output.sensitive and not show_sensitive
    node: JsonObject = {"sensitive": output.sensitive}
    if output.deprecated:
        node["deprecated"] = output.deprecated
    node["value"] = fragment(output_value(output, show_sensitive=show_sensitive))
    type_json = output_type_json(output, hidden=hidden)
    if type_json is not None:
        node["type"] = raw_fragment(type_json)
    return node


def _modules(instances: Sequence[InstanceState], show_sensitive: bool) -> JsonObject:
    """Return the tree of modules from the root, each with its resources, then its children by address."""
    resources: dict[ModuleInstance, list[JsonObject]] = {}
    for instance in instances:
        found = resources.setdefault(instance.resource.addr.module, [])
        # The current object has no deposed key, and comes first.
        objects = sorted(instance.objects, key=lambda obj: obj.deposed)
        found += [_resource(instance, obj, show_sensitive) for obj in objects]
    children: dict[ModuleInstance, set[ModuleInstance]] = {}
    for module in resources:
        for depth in range(len(module.steps)):
            parent = ModuleInstance(module.steps[:depth])
            children.setdefault(parent, set()).add(ModuleInstance(module.steps[: depth + 1]))
    return _module(_ROOT, resources, children)


def _module(
    module: ModuleInstance,
    resources: dict[ModuleInstance, list[JsonObject]],
    children: dict[ModuleInstance, set[ModuleInstance]],
) -> JsonObject:
    node: JsonObject = {}
    if module in resources:
        node["resources"] = resources[module]
    if not module.is_root:
        node["address"] = str(module)
    if module in children:
        node["child_modules"] = [_module(child, resources, children) for child in sorted(children[module], key=str)]
    return node


def _resource(instance: InstanceState, obj: ResourceInstanceObject, show_sensitive: bool) -> JsonObject:
    resource = instance.resource.addr.resource
    provider = instance.provider(obj)
    node: JsonObject = {
        "address": str(instance.addr),
        "mode": resource.mode.value,
        "type": resource.type,
        "name": resource.name,
    }
    if isinstance(obj.key, (IntKey, StringKey)):
        node["index"] = obj.key.value
    if provider is not None:
        node["provider_name"] = str(provider.config.provider)
        node["provider_instance"] = str(provider)
    node["schema_version"] = obj.schema_version
    node |= _values(obj, resource.type, show_sensitive)
    if obj.dependencies:
        node["depends_on"] = [str(addr) for addr in obj.dependencies]
    if obj.status is ObjectStatus.TAINTED:
        node["tainted"] = True
    if obj.deposed:
        node["deposed_key"] = obj.deposed
    identity = identity_value(obj, resource.type, show_sensitive=show_sensitive)
    if identity is not None:
        node["identity"] = _fragment(identity)
        if obj.identity_schema_version is not None:
            node["identity_schema_version"] = obj.identity_schema_version
    private = private_value(obj, show_sensitive=show_sensitive)
    if private is not None:
        node["private"] = str(private)
    return node


def _values(obj: ResourceInstanceObject, type_name: str, show_sensitive: bool) -> JsonObject:
    marked = attributes_value(obj, type_name, show_sensitive=False)
    shown = attributes_value(obj, type_name, show_sensitive=True) if show_sensitive else marked
    return {"values": _fragment(shown), "sensitive_values": _shape(marked)}


def _shape(value: Partial) -> orjson.Fragment:
    import orjson

    try:
        return raw_fragment(orjson.dumps(sensitive_shape(value)))
    except orjson.JSONEncodeError:
        # Nested deeper than orjson supports: the values are complete without these marks.
        return raw_fragment(b"{}")


def _fragment(value: Partial) -> orjson.Fragment:
    try:
        return fragment(value)
    except ValueError:
        # Only a decoded value can be nested too deeply here; it is hidden as a whole.
        return fragment(HIDDEN)


# Renders check results as in OpenTofu's `show -json`.
# Source: OpenTofu `internal/command/jsonchecks`.

_KINDS: Final = {
    CheckableKind.RESOURCE: "resource",
    CheckableKind.OUTPUT: "output_value",
    CheckableKind.CHECK: "check",
    CheckableKind.VARIABLE: "var",
}

JsonObject = dict[str, object]


def checks(results: Sequence[CheckResult]) -> list[JsonObject]:
    """Return the member `checks`: results of the kinds that OpenTofu knows, sorted by address."""
    return [_result(result) for result in sorted(results, key=lambda result: result.config_addr) if result.known_kind]


def _result(result: CheckResult) -> JsonObject:
    kind = CheckableKind(result.object_kind)
    objects = [_check_object(obj, kind) for obj in sorted(result.objects, key=lambda obj: obj.object_addr)]
    node: JsonObject = {"address": _static_address(kind, result.config_addr), "status": result.status}
    return {**node, "instances": objects} if objects else node


def _check_object(obj: CheckObject, kind: CheckableKind) -> JsonObject:
    problems = [{"message": message} for message in sorted(obj.failure_messages)]
    node: JsonObject = {"address": _dynamic_address(kind, obj.object_addr), "status": obj.status}
    return {**node, "problems": problems} if problems else node


def _static_address(kind: CheckableKind, text: str) -> JsonObject:
    addr = parse_checkable(kind, text).config()
    node: JsonObject = {"kind": _KINDS[kind]}
    if isinstance(addr, ConfigResource):
        node |= {"mode": addr.resource.mode.value, "type": addr.resource.type, "name": addr.resource.name}
    else:
        node["name"] = addr.name
    if addr.module:
        node["module"] = str(addr.module)
    return {**node, "to_display": text}


def _dynamic_address(kind: CheckableKind, text: str) -> JsonObject:
    addr = parse_checkable(kind, text)
    node: JsonObject = {"module": str(addr.module)} if addr.module else {}
    if isinstance(addr, AbsResourceInstance) and isinstance(addr.resource.key, (IntKey, StringKey)):
        node["instance_key"] = addr.resource.key.value
    return {**node, "to_display": text}


def outputs_json(outputs: Sequence[OutputValue], *, show_sensitive: bool) -> bytes:
    """Render the outputs; numbers in values keep their text (schema: `outputs-output.schema.json`)."""
    return exact_document(outputs=[_listed_output(output, show_sensitive) for output in outputs])


def _listed_output(output: OutputValue, show_sensitive: bool) -> dict[str, object]:
    hidden = output.sensitive and not show_sensitive
    type_json = output_type_json(output, hidden=hidden)
    return {
        "name": output.name,
        "type": None if type_json is None else raw_fragment(type_json),
        "type_text": output_type_text(output, hidden=hidden),
        "sensitive": output.sensitive,
        "deprecated": output.deprecated or None,
        "value": fragment(output_value(output, show_sensitive=show_sensitive)),
        "hidden": not show_sensitive and hides_output(output),
    }
