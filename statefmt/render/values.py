"""Prints values and types in configuration syntax."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from statefmt.golang import JSONValue, Members, NumberText, loads_exact, quote
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.cty import (
    CtyTypeError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    parse_type,
)
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import OutputValue
from statefmt.redaction.partial import Hidden, Partial, decoded
from statefmt.text import pattern, printable

# Renders values as `tofu state show` does: like HCL, aligned, with heredocs for strings of several lines.
# A state does not record which attributes are nested blocks: any list of objects among the attributes of a resource
# is shown as blocks. Source: OpenTofu `internal/command/jsonformat/computed/renderers`.

TOO_DEEP: Final = "nested too deeply to be shown; use --format json"
_STEP: Final = "    "
_PLAIN_NAME: Final = pattern(r"[A-Za-z_][A-Za-z0-9_-]*")


def value_text(value: JSONValue, depth: int = 0, *, expand: bool = False) -> str:
    """Render a value as an expression; all lines but the first are indented by at least `depth` steps.

    Numbers keep their text, and strings are escaped for a terminal. With `expand`, a JSON string is shown as its
    decoded value. Raises RecursionError if the value is nested too deeply.
    """
    if isinstance(value, str):
        return str(value) if isinstance(value, (NumberText, Hidden)) else _string_text(value, depth, expand)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    outer, inner = _STEP * depth, _STEP * (depth + 1)
    if isinstance(value, Members):
        if not value:
            return "{}"
        lines = _assignments(dict(value), depth + 1, expand)
        return f"{{\n{lines}\n{outer}}}"
    if not value:
        return "[]"
    items = "".join(f"{inner}{value_text(item, depth + 1, expand=expand)},\n" for item in value)
    return f"[\n{items}{outer}]"


def partial_text(value: Partial, *, expand: bool = False) -> str:
    """Render an undecoded value, or a note if it is nested too deeply."""
    try:
        return value_text(decoded(value), expand=expand)
    except (ValueError, RecursionError):
        return f"({TOO_DEEP})"


def block_text(attributes: Members, depth: int = 0, *, expand: bool = False) -> str:
    """Render a block in braces: attributes that are not null, then nested blocks, both by name."""
    members: dict[str, JSONValue] = {name: value for name, value in dict(attributes).items() if value is not None}
    blocks = {name: found for name, value in members.items() if (found := _blocks(value))}
    parts = []
    if len(blocks) < len(members):
        own = {name: value for name, value in members.items() if name not in blocks}
        parts.append(_assignments(own, depth + 1, expand) + "\n")
    inner = _STEP * (depth + 1)
    for name in sorted(blocks):
        head = f"{inner}{name_text(name)}"
        nested = [f"{head} {block_text(item, depth + 1, expand=expand)}\n" for item in blocks[name]]
        parts.append("".join(nested))
    body = "\n".join(parts)
    return f"{{\n{body}{_STEP * depth}}}" if parts else "{}"


def name_text(name: str) -> str:
    """Return the name of an attribute or a key, quoted unless it is an identifier."""
    return name if _PLAIN_NAME.fullmatch(name) or is_identifier(name) else quote(name)


def _assignments(members: dict[str, JSONValue], depth: int, expand: bool) -> str:
    names = {name: name_text(name) for name in sorted(members)}
    width = max(map(len, names.values()))
    indent = _STEP * depth
    return "\n".join(
        [
            f"{indent}{shown:<{width}} = {value_text(members[name], depth, expand=expand)}"
            for name, shown in names.items()
        ]
    )


def _blocks(value: JSONValue) -> list[Members]:
    """Return the objects of a list that contains only objects; an empty list for any other value."""
    found = [item for item in value if isinstance(item, Members)] if type(value) is list else []
    return found if isinstance(value, list) and len(found) == len(value) else []


def _string_text(text: str, depth: int, expand: bool) -> str:
    if expand and text.startswith(("{", "[")):
        with suppress(ValueError):
            return _encoded(loads_exact(text.encode()), depth)
    return _heredoc(text, depth) if "\n" in text else quote(text)


def _encoded(value: JSONValue, depth: int) -> str:
    shown = value_text(value, depth + 1, expand=True)
    if "\n" not in shown:
        return f"jsonencode({shown})"
    return f"jsonencode(\n{_STEP * (depth + 1)}{shown}\n{_STEP * depth})"


def _heredoc(text: str, depth: int) -> str:
    """Render the lines unchanged, without a final newline."""
    lines = text.removesuffix("\n").split("\n")
    end = "EOT"
    while any(line.strip() == end for line in lines):
        end += "_"
    indent = _STEP * (depth + 1)
    shown = [f"{indent}{_line(line)}" if line else "" for line in lines]
    return "\n".join([f"<<-{end}", *shown, f"{_STEP * depth}{end}"])


def _line(line: str) -> str:
    return line if line.isprintable() else "\t".join(map(printable, line.split("\t")))


def raw_value(value: JSONValue, name: str) -> bytes:
    """Render a string, number or bool as `tofu output -raw` does. Raises SelectionError for anything else.

    Source: OpenTofu `internal/command/views/output.go` (OutputRaw).
    """
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, str):
        return value.encode()
    kind = "null" if value is None else "a list or set" if isinstance(value, list) else "an object or map"
    raise SelectionError(f"{name} is {kind}; --raw supports only strings, numbers and bools")


# Renders types as in configurations: `list(string)`, `object({a=string})`.
# Source: HCL `ext/typeexpr` (TypeString).


def type_text(of: Type, *, names: bool = True) -> str:
    """Render a type as a constraint; `any` if it is unknown.

    Without `names`, attribute names are omitted: they may be sensitive, too. Raises CtyTypeError if the type is nested
    too deeply.
    """
    try:
        return _type_text(of, names)
    except RecursionError:
        raise CtyTypeError("the type is nested too deeply") from None


def _type_text(of: Type, names: bool) -> str:
    match of:
        case PrimitiveType(name):
            return name
        case DynamicType():
            return "any"
        case ListType(element):
            return f"list({_type_text(element, names)})"
        case SetType(element):
            return f"set({_type_text(element, names)})"
        case MapType(element):
            return f"map({_type_text(element, names)})"
        case TupleType(elements):
            return f"tuple([{','.join([_type_text(element, names) for element in elements])}])"
        case ObjectType(attributes, optional):
            if not names:
                return "object({...})"
            members = []
            for name, attribute in attributes.items():
                text = _type_text(attribute, names)
                members.append(f"{name_text(name)}={f'optional({text})' if name in optional else text}")
            return f"object({{{','.join(members)}}})"


# The attribute names of an object are part of its type and of its value.
_OBJECT: Final = b'["object"'


def output_type_text(output: OutputValue, *, hidden: bool) -> str:
    """Return the type as a constraint, without attribute names if the value is hidden."""
    try:
        return type_text(parse_type(output.type), names=not hidden)
    except CtyTypeError:
        return "any"


def output_type_json(output: OutputValue, *, hidden: bool) -> bytes | None:
    """Return the type as in the state; None if the value is hidden and the type has attribute names."""
    return None if hidden and _OBJECT in output.type else output.type
