"""Explains why an address, a selector or a provider is invalid, and recognises what shells and habits do to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from statefmt.analysis.selection.pattern_scanner import pattern_steps
from statefmt.model.addrs import StringKey, parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError, InvalidAddressError
from statefmt.model.wording import MessagePart, Wording
from statefmt.text.pattern import pattern
from statefmt.text.wildcards import has_wildcards

# Brackets with a quoted string, or with anything else.
_BRACKETS: Final = pattern(r'\["(?:[^"\\]|\\.)*+"\]|\[([^\[\]]++)\]', re.DOTALL)
_NUMBER: Final = pattern(r"-?[0-9*?]+")
_CURLY: Final = str.maketrans("“”„‟″«»‘’‚‛′", '"""""""' + "'''''")  # noqa: RUF001 - typographic quotes are the point
_DATA_FIRST: Final = pattern(r'data\.((?:module\.[^.\[]+(?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?\.)+)(.*)', re.DOTALL)

_FROM_STANDARD_INPUT: Final = Wording(
    "use --state - to read the state from standard input", "statefmt.read() reads a state from bytes"
)
_DATA_SOURCES: Final = Wording("--mode data", 'mode="data"')


class _Slip(NamedTuple):
    """The reason why a string is invalid, in parts, and what was probably meant ("" if unclear)."""

    reason: tuple[MessagePart, ...]
    meant: str = ""


def invalid_address(
    text: str, error: AddressError, exists: Callable[[str], bool] = lambda _: False, *, selects: bool = True
) -> InvalidAddressError:
    """Return the error for an address or selector that cannot be parsed.

    `exists` tells whether the state has an address. `selects` is False if the address may be new.
    """
    slip = _quotes(text, _is_selector) or _file(text) or _incomplete(text, exists, selects=selects)
    return _error("address", text, error, slip or _misplaced(text, exists))


def invalid_provider(
    text: str, error: AddressError, is_valid: Callable[[str], bool], what: str = "provider", form: str = ""
) -> InvalidAddressError:
    """Return the error for a provider, a configuration or an instance that cannot be parsed; `form` says how to."""
    return _error(what, text, error, _quotes(text, is_valid), form)


def _error(what: str, text: str, error: AddressError, slip: _Slip | None, form: str = "") -> InvalidAddressError:
    if slip is not None:
        return InvalidAddressError(what, text, *slip.reason, meant=slip.meant)
    detail = error.detail.removesuffix(".")
    if detail[1:2].islower():
        detail = detail[0].lower() + detail[1:]
    return InvalidAddressError(what, text, f"{detail} (column {error.column}){form}")


def _quotes(text: str, is_valid: Callable[[str], bool]) -> _Slip | None:
    """Recognise keys without quotes, or not in double quotes, if the string is valid with them."""
    straight = text.translate(_CURLY)
    reasons: list[str] = []

    def quoted(match: re.Match[str]) -> str:
        inside = match[1]
        if inside is None or _NUMBER.fullmatch(inside):
            return match[0]
        bare = inside.strip("\\\"'")
        reasons.append(_reason(inside, bare))
        return str(StringKey(bare))

    meant = _BRACKETS.sub(quoted, straight)
    if meant == text or not is_valid(meant):
        return None
    return _Slip((reasons[0] if straight == text else "it has typographic quotes",), meant)


def _reason(inside: str, bare: str) -> str:
    """Return why the inside of brackets is no key; `bare` is the same without any quotes."""
    if inside == bare:
        return "the shell removed the quotes"
    if "\\" in inside:
        return "it has backslashes before the quotes"
    return "keys are in double quotes" if "'" in inside else "a quote is missing"


def _file(text: str) -> _Slip | None:
    """Recognise what names a state."""
    if text == "-":
        return _Slip((_FROM_STANDARD_INPUT,))
    if ('"' not in text and "/" in text) or text.endswith(".tfstate"):
        option = Wording(f"use --state {text}", f"use statefmt.open({text!r})")
        return _Slip(("it looks like a file; ", option, " to name the state"))
    return None


def _incomplete(text: str, exists: Callable[[str], bool], *, selects: bool) -> _Slip | None:
    """Recognise addresses that lack a part."""
    if not text:
        return _Slip(("it is empty",))
    if text.endswith(".") and _is_address(text[:-1]):
        return _Slip(("it ends with a dot",), text[:-1])
    first = text.partition(".")[0]
    if first not in ("module", "data") and exists(f"module.{first}"):
        return _Slip(('the address of a module begins with "module."',), f"module.{text}")
    type_ = text.rpartition(".")[2]
    if type_ == "data":
        return _Slip(("a data source has a type and a name; for all data sources, use ", _DATA_SOURCES))
    if type_ == "module" or "[" in type_ or not _is_resource(f"{text}.x"):
        return None
    option = Wording(f"--type {type_}", f"type={type_!r}")
    every = ("; for all resources of this type, use ", option, f" or '{text}.*'") if selects else ()
    return _Slip(("a resource has a type and a name", *every))


def _misplaced(text: str, exists: Callable[[str], bool]) -> _Slip | None:
    """Recognise addresses with too many parts, or in the wrong order."""
    if text.startswith("resource.") and _is_resource(bare := text.removeprefix("resource.")):
        return _Slip(('addresses do not begin with "resource."',), bare)
    path = _DATA_FIRST.fullmatch(text)
    if path and _is_resource(meant := f"{path[1]}data.{path[2]}"):
        return _Slip(('"data." comes after the modules',), meant)
    before, _, name = text.rpartition(".")
    if _is_resource(before) and exists(before):
        option = Wording(f"`show --attr {name}` prints one", "Instance.attributes has them")
        return _Slip(("an address has no attributes (", option, ")"), before)
    return None


def _is_selector(text: str) -> bool:
    if not has_wildcards(text):
        return _is_address(text)
    try:
        return bool(pattern_steps(text))
    except AddressError:
        return False


def _is_address(text: str) -> bool:
    try:
        return bool(parse_module_instance(text))
    except AddressError:
        return _is_resource(text)


def _is_resource(text: str) -> bool:
    try:
        return bool(parse_abs_resource_instance(text))
    except AddressError:
        return False
