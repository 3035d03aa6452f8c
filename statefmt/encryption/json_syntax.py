"""An encryption configuration in HCL's JSON syntax, as blocks.

Of expressions, only those are read that nearly every such configuration has: a key provider, and a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from statefmt.encryption.values import Block, Unread, Value, parse_reference
from statefmt.errors import ConfigurationError
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.golang.normalize import nfc

# How many labels the blocks have, by the type of the block around them: HCL cannot tell them from objects otherwise.
_TOP: Final = {"key_provider": 2, "method": 2, "state": 0, "plan": 0, "remote_state_data_sources": 0}
_TARGET: Final = {"fallback": 0}
_INSIDE: Final[Mapping[str, Mapping[str, int]]] = {
    "state": _TARGET,
    "plan": _TARGET,
    "fallback": _TARGET,
    "default": _TARGET,
    "remote_state_data_source": _TARGET,
    "remote_state_data_sources": {"default": 0, "remote_state_data_source": 1},
}
_EXPRESSION: Final = re.compile(r"\$\{\s*([^{}]*?)\s*\}")
_VARIABLE: Final = re.compile(r"var\.([A-Za-z_][A-Za-z0-9_-]*)")
_TEMPLATE: Final = re.compile(r"\$\$\{|%%\{|\$\{|%\{")
_NOT_READ: Final = Unread("of expressions, only ${key_provider.TYPE.NAME} and ${var.NAME} are read here")
# A comment in HCL's JSON.
_COMMENT: Final = "//"


def parse_json(text: bytes, variables: Mapping[str, str]) -> tuple[Block, ...]:
    """The blocks inside an `encryption` block in JSON syntax. `variables` are the values of `var.NAME`.

    Raises ConfigurationError where it is no JSON, or blocks are not what they must be.
    """
    try:
        document = loads_exact(text)
    except ValueError as error:
        raise ConfigurationError(f"the encryption configuration is not JSON: {_position(error)}") from None
    try:
        return tuple(_blocks(document, _TOP, "the encryption configuration", variables))
    except RecursionError:
        raise ConfigurationError("the encryption configuration is nested too deeply") from None


def _position(error: ValueError) -> str:
    # What json says is about the place, and never quotes the text.
    return str(error).removeprefix("invalid JSON: ")


def _blocks(value: JSONValue, known: Mapping[str, int], where: str, variables: Mapping[str, str]) -> Iterator[Block]:
    for name, member in _members(value, where):
        if name not in known:
            raise ConfigurationError(f"{name}: no such block is known in {where}")
        for labels, body in _labelled(member, known[name], name):
            yield _block(name, labels, body, variables)


def _labelled(value: JSONValue, depth: int, where: str) -> Iterator[tuple[tuple[str, ...], Members]]:
    """The bodies of blocks with their labels, from objects in objects; a list is several of the kind."""
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, Members):
            raise ConfigurationError(f"{where}: an object is needed here")
        if depth == 0:
            yield (), one
        else:
            for label, inner in _members(one, where):
                for labels, body in _labelled(inner, depth - 1, f"{where}.{label}"):
                    yield (label, *labels), body


def _block(name: str, labels: tuple[str, ...], body: Members, variables: Mapping[str, str]) -> Block:
    where = ".".join((name, *labels))
    known = _INSIDE.get(name, {})
    attributes: dict[str, Value] = {}
    blocks: list[Block] = []
    for inner, value in _members(body, where):
        if inner in known:
            blocks.extend(
                _block(inner, labels_, body_, variables) for labels_, body_ in _labelled(value, known[inner], inner)
            )
        elif inner in attributes:
            raise ConfigurationError(f"{where}, {inner}: it is given twice")
        else:
            attributes[inner] = _evaluated(value, variables)
    return Block(name, labels, attributes, tuple(blocks))


def _members(value: JSONValue, where: str) -> list[tuple[str, JSONValue]]:
    if not isinstance(value, Members):
        raise ConfigurationError(f"{where}: an object is needed here")
    return [(nfc(name), member) for name, member in value if name != _COMMENT]


def _evaluated(value: JSONValue, variables: Mapping[str, str]) -> Value:
    if isinstance(value, NumberText):
        return _number(value)
    if isinstance(value, str):
        return _template(value, variables)
    if isinstance(value, list):
        return [_evaluated(item, variables) for item in value]
    if isinstance(value, Members):
        return {nfc(name): _evaluated(item, variables) for name, item in value}
    return value


def _number(text: str) -> Value:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Unread("the number is beyond all bounds")


def _template(text: str, variables: Mapping[str, str]) -> Value:
    whole = _EXPRESSION.fullmatch(text)
    if whole is not None:
        return _expression(whole[1], variables)
    if any(found[0] in ("${", "%{") for found in _TEMPLATE.finditer(text)):
        return _NOT_READ
    return nfc(text.replace("$${", "${").replace("%%{", "%{"))


def _expression(text: str, variables: Mapping[str, str]) -> Value:
    reference = parse_reference(text)
    if reference is not None and reference.root == "key_provider":
        return reference
    variable = _VARIABLE.fullmatch(text)
    if variable is None:
        return _NOT_READ
    if variable[1] not in variables:
        return Unread(f"the variable {variable[1]} has no value; TF_VAR_{variable[1]} gives it one")
    try:
        variables[variable[1]].encode("utf-8")
    except UnicodeEncodeError:
        # Not the reason, which has a part of the text in it.
        return Unread(f"the value of TF_VAR_{variable[1]} is not UTF-8")
    return nfc(variables[variable[1]])
