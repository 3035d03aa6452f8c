"""Renders resource instances as text, for `show`: like `tofu state show`, with more of what the state contains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from statefmt.golang import Members, quote
from statefmt.model.addrs import ResourceMode
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceInstanceObject
from statefmt.redaction.object_value import attributes_value, identity_value, private_value
from statefmt.redaction.partial import Partial, decoded
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal
from statefmt.render.unmarked import unmarked_lines
from statefmt.render.values.hcl import TOO_DEEP, block_text, partial_text, value_text

_FLAT: Final = "in the flat form from before Terraform 0.12"
_FLAT_HIDDEN: Final = "which has no marks: what may be sensitive is hidden"
_LABEL_WIDTH: Final = 16


def instance_texts(instance: InstanceState, terminal: Terminal, *, show_sensitive: bool, expand: bool) -> Iterator[str]:
    """Yield a block for each object of an instance, the current one first, without a newline at the end."""
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
    """Yield what a state has of an object besides its attributes: a label and its text of one or more lines."""
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
