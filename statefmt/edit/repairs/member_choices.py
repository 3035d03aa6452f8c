"""Models a defect and its choices, and offers choices for top-level members, resources, dependencies and outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from statefmt.edit.repairs._loose_state import LooseState
from statefmt.formats.writing.changes import Changes, JsonPath, MovedText
from statefmt.golang import JSONValue, Members, NumberText, encode_string, loads_exact
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance, parse_module_instance
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.cty import CtyEncodeError, CtyTypeError, CtyValueError
from statefmt.model.cty.values import canonical_output
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.findings import Finding
from statefmt.model.snapshot import HIGHEST_SERIAL, normalise_version
from statefmt.text import pattern


@dataclass(frozen=True, slots=True)
class Choice:
    """A way to repair a defect.

    `name` selects it in a decision. `value` names what the user must add (`ADDRESS`), or is "" if nothing. `text`
    describes the effect. `changes` returns the changes to the file for a value; it raises SurgeryError if the value is
    invalid. A choice that fits one defect `alone` is ignored by decisions for all places.
    """

    name: str
    text: str
    changes: Callable[[str], Changes]
    value: str = ""
    alone: bool = False

    @property
    def label(self) -> str:
        """The name of the choice in decisions: `remove`, `provider=ADDRESS`."""
        return f"{self.name}={self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True)
class Defect:
    """A problem that keeps a state from being read, or that has more than one right answer.

    `path` leads to the part with the problem. The first of `choices` loses least; there are none if no command can
    repair the defect.
    """

    finding: Finding
    path: JsonPath
    choices: tuple[Choice, ...] = ()

    @property
    def place(self) -> str:
        """The address, or the pointer if the defect has no address."""
        return self.finding.address or self.finding.pointer


# Up to here, 64-bit floats represent every integer exactly.
_HIGHEST: Final = 2**53
_DIGITS: Final = pattern(r"[0-9]{1,16}")
# Python's replacement for a byte that is not UTF-8.
_NOT_UTF8: Final = pattern("[\udc80-\udcff]")


def not_utf8_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Decode the bytes with the usual encoding of Windows, or replace them."""
    text = state.data.decode("utf-8", "surrogateescape")
    number = sum(1 for _ in _NOT_UTF8.finditer(text))
    count = f"{number} {'byte' if number == 1 else 'bytes'}"

    def rewritten(character: Callable[[bytes], str]) -> dict[JsonPath, bytes | None]:
        whole = _NOT_UTF8.sub(lambda match: character(match[0].encode("utf-8", "surrogateescape")), text)
        return {(): whole.strip(" \t\r\n").encode()}

    yield Choice("windows-1252", f"read {count} as characters of Windows-1252", lambda _: rewritten(_windows))
    text_of_loss = f"write U+FFFD in place of {count}, as OpenTofu does"
    yield Choice("replace", text_of_loss, lambda _: rewritten(lambda _: "\ufffd"))


def release_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the release that wrote the state."""
    stripped = state.string(path).strip()
    if normalise_version(stripped):
        yield replacement(path, encode_string(stripped), "trim", f"write {stripped}")
    yield string(path, "release", "VERSION", "the release that wrote the state")
    yield removal(path, "remove it: any release may then read the state")


def serial_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Continue from the serial of a good copy."""

    def written(given: str) -> dict[JsonPath, bytes | None]:
        if not _DIGITS.fullmatch(given) or int(given) >= _HIGHEST:
            raise SurgeryError(f"{given!r} is not a serial: write a whole number below {_HIGHEST}")
        return {path: str(int(given)).encode()}

    text = "continue from this one, the highest of a good copy; the repaired state has the next one"
    yield Choice("serial", text, written, "NUMBER")


def lineage_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Write the lineage of a backup, or a new lineage."""

    def written(given: str) -> dict[JsonPath, bytes | None]:
        if not given:
            raise SurgeryError("a lineage cannot be empty")
        return {path: encode_string(given)}

    yield Choice("lineage", "this one, of a backup or of the remote copy", written, "LINEAGE")
    # From the content, so that the same input gives the same bytes.
    new = str(UUID(bytes=hashlib.sha256(state.data).digest()[:16], version=4))
    yield replacement(path, encode_string(new), "new", f"a new one, {new}: the state is then no version of any other")


def _windows(byte: bytes) -> str:
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")


# The text of a whole number, also as Python and JavaScript write it in a float.
_WHOLE_NUMBER: Final = pattern(r"(\d{1,20})(?:\.0+)?")
_SCALAR: Final = pattern(r"-?[0-9][0-9.eE+-]*|true|false")


def wrong_type_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Convert the value if its text fits the type, write another value, or remove it, which means the default."""
    repeated = state.repeated(path)
    if repeated is not None:
        # The path may lead into a different duplicate than the finding.
        for name, last in (("keep=last", True), ("keep=first", False)):
            text = f"of the members with one name, such as {repeated[-1]}, keep the {name.removeprefix('keep=')}"
            yield fixed(name, text, {repeated[:-1]: state.once_only(repeated[:-1], last=last)})
        return
    text = (state.raw(path) or b"").decode("utf-8", "replace")
    bare = state.string(path) if text.startswith('"') else text
    wanted = finding.detail
    whole = _WHOLE_NUMBER.fullmatch(bare)
    if ("expected int" in wanted or "whole number" in wanted) and whole and int(whole[1]) <= HIGHEST_SERIAL:
        yield replacement(path, whole[1].encode(), "convert", f"write the number {whole[1]}")
    elif "expected bool" in wanted and bare in {"true", "false"}:
        yield replacement(path, bare.encode(), "convert", f"write {bare} without quotes")
    elif "expected str" in wanted and _SCALAR.fullmatch(text):
        yield replacement(path, encode_string(text), "convert", "write the same as a string")
    elif wanted.startswith(f"The member {finding.pointer} is not valid: expected array") and text.startswith("{"):
        yield replacement(path, b"[" + text.encode() + b"]", "wrap", "write it as the only element of an array")
    yield json_value(path)
    yield removal(path, "remove it: everything in it is forgotten")


def private_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Remove private data that no provider can read."""
    yield removal(path, "remove it: the provider loses what it kept there, such as timeouts")
    yield json_value(path)


def module_address_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the module, or forget the resource."""
    yield string(path, "module", "ADDRESS", "the module that has the resource", parse_module_instance)
    yield removal(path[:-1], "forget the resource; the real objects continue to exist", "forget")


def identifier_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Write another type or name, or forget the resource."""
    blocks = state.blocks(path)
    member = path[-1]

    def rename(given: str) -> dict[JsonPath, bytes | None]:
        if not is_identifier(given):
            raise SurgeryError(f"{given!r} is not an identifier")
        address = state.address_with(blocks[0], member, given)
        if state.blocks_at(address):
            raise SurgeryError(f"the state already has a resource {address}")
        return {(*block, member): encode_string(given) for block in blocks}

    yield Choice("rename", f"this {member}", rename, "IDENTIFIER", alone=True)
    forgotten = "forget the resource; the real objects continue to exist"
    yield Choice("forget", forgotten, lambda _: dict.fromkeys(blocks))


def check_result_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Remove a check result, which the next plan writes again."""
    # The whole result, or one of its objects.
    yield removal(path[:-1], "remove the result; the next plan checks again")
    yield string(path, "address", "ADDRESS", "the address of what was checked")


_DEPENDS_ON: Final = "depends_on"


def invalid_dependency_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the resource without an instance key, or drop the dependency."""
    resource = _resource(state.string(path))
    if resource and _DEPENDS_ON not in path:
        yield replacement(path, encode_string(resource), "resource", f"depend on the whole resource, {resource}")
    check = parse_abs_resource_instance if _DEPENDS_ON in path else parse_abs_resource
    yield string(path, "address", "ADDRESS", "depend on this instead", check)
    yield removal(path, "drop the dependency; the next apply writes those of the configuration")


def dangling_dependency_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Drop the entries of the resource's objects, or let them name another resource."""
    mentions = state.once(_mentions, path).get(_target(state.string(path)), [path])
    number = f"{len(mentions)} {'entry' if len(mentions) == 1 else 'entries'}"

    def renamed(given: str) -> dict[JsonPath, bytes | None]:
        try:
            parse_abs_resource(given)
        except AddressError as error:
            raise SurgeryError(f"{given!r} is not valid here: {error}") from error
        return {place: encode_string(given) for place in mentions}

    yield Choice(
        "remove", f"drop {number}; the next apply writes those of the configuration", lambda _: dict.fromkeys(mentions)
    )
    yield Choice("address", f"depend on this instead, in {number}", renamed, "ADDRESS")


def _mentions(state: LooseState, resource: JsonPath) -> Mapping[str, Sequence[JsonPath]]:
    """Return the positions of the dependencies of a resource by their targets, without keys."""
    found: dict[str, list[JsonPath]] = {}
    for one in state.objects(resource):
        for member in ("dependencies", _DEPENDS_ON):
            for place in state.parts((*one.path, member)):
                found.setdefault(_target(state.string(place)), []).append(place)
    return found


def _target(text: str) -> str:
    try:
        return str(parse_abs_resource_instance(text).config())
    except AddressError:
        return text


def _resource(text: str) -> str:
    try:
        return str(parse_abs_resource_instance(text).containing_resource())
    except AddressError:
        return ""


# In characters; a longer type does not help the user.
_LONGEST: Final = 80


def output_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Take the type that the value implies, write another value or type, or remove the output."""
    whole = path[:-1]
    value = state.raw((*whole, "value"))
    implied = _implied(None if value is None else loads_exact(value, replace_invalid=True))
    if not state.names(whole):
        # It is null.
        yield removal(whole, "remove the output; the next apply writes it again")
        return
    if value is not None and _fits(value, implied):
        shown = f": {implied.decode()}" if len(implied) <= _LONGEST else ""
        yield Choice("implied", f"the type that the value has{shown}", lambda _: {(*whole, "type"): implied})
    yield json_value((*whole, "value"), "this JSON value")
    kind = json_value((*whole, "type"))
    yield Choice("type", "this type, as JSON", kind.changes, "JSON")
    yield removal(whole, "remove the output; the next apply writes it again")


def _implied(value: JSONValue) -> bytes:
    """Return the type of a JSON value, as cty implies it: arrays are tuples, objects are objects."""
    if isinstance(value, bool):
        return b'"bool"'
    if isinstance(value, NumberText):
        return b'"number"'
    if isinstance(value, str):
        return b'"string"'
    if isinstance(value, list):
        return b'["tuple",[' + b",".join(map(_implied, value)) + b"]]"
    if isinstance(value, Members):
        members = [encode_string(name) + b":" + _implied(part) for name, part in dict(value).items()]
        return b'["object",{' + b",".join(members) + b"}]"
    return b'"dynamic"'


def _fits(value: bytes, kind: bytes) -> bool:
    try:
        canonical_output(value, kind)
    except (CtyTypeError, CtyEncodeError, CtyValueError):
        return False
    return True


_FORGET: Final = "forget the resource; the real object continues to exist"
# /modules/0/resources/aws_instance.web
_RESOURCE_STEPS: Final = 4


def not_upgradable_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Repair an obstacle to the upgrade: a provider reference, a resource name, a module path, or the serial."""
    if path[-1] == "provider":
        yield string(path, "provider", "REFERENCE", "this provider, as provider.TYPE or provider.TYPE.ALIAS")
        yield removal(path, "the default provider of the type")
    elif path[-1] == "path":
        yield json_value(path, 'this path, as ["root", "MODULE"]')
        yield removal(path[:-1], "forget the module and all of its resources", "forget")
    elif len(path) == _RESOURCE_STEPS and path[0] == "modules" and path[2] == "resources":
        if state.raw(path) != b"null":
            yield renaming(state, path)
        yield removal(path, _FORGET, "forget")
    elif len(path) > _RESOURCE_STEPS and path[2] == "resources":
        yield removal(path, "remove it")
    elif len(path) == _RESOURCE_STEPS and path[2] == "outputs":
        yield removal(path, "remove the output; the next apply writes it again")
    elif path[0] == "modules":
        yield removal(path, "remove it", "forget")
    elif path == ("serial",):
        yield json_value(path, "this serial")
        yield removal(path, "start again at 0")


def renaming(state: LooseState, path: JsonPath) -> Choice:
    """Give an entry of `resources` another name."""
    text = "this address: TYPE.NAME or TYPE.NAME.INDEX"
    return Choice("rename", text, lambda given: _renamed(state, path, given), "ADDRESS")


def _renamed(state: LooseState, path: JsonPath, given: str) -> dict[JsonPath, bytes | None]:
    renamed = (*path[:-1], given)
    if state.raw(renamed) is not None:
        raise SurgeryError(f"the module already has a resource {given}")
    return {path: None, renamed: MovedText(state.raw(path) or b"null", path)}


def fixed(name: str, text: str, changes: Changes) -> Choice:
    """Make changes that need no value."""
    return Choice(name, text, lambda _: changes)


def removal(path: JsonPath, text: str, name: str = "remove") -> Choice:
    """Remove the part."""
    return fixed(name, text, {path: None})


def replacement(path: JsonPath, content: bytes, name: str, text: str) -> Choice:
    """Write a known value."""
    return fixed(name, text, {path: content})


def json_value(path: JsonPath, text: str = "write this JSON value instead") -> Choice:
    """Write a JSON value from the user."""
    return Choice("value", text, lambda given: {path: _json(given)}, "JSON")


def string(path: JsonPath, name: str, value: str, text: str, check: Callable[[str], object] = str) -> Choice:
    """Write a string from the user; `check` raises ValueError if it is invalid."""

    def changes(given: str) -> dict[JsonPath, bytes | None]:
        try:
            check(given)
        except ValueError as error:
            raise SurgeryError(f"{given!r} is not valid here: {error}") from error
        return {path: encode_string(given)}

    return Choice(name, text, changes, value)


def _json(given: str) -> bytes:
    content = given.encode()
    try:
        loads_exact(content)
    except ValueError as error:
        raise SurgeryError(f"{given!r} is not JSON: {error}") from error
    return content
