"""Reads address patterns: splits them into steps, matches module paths, and explains invalid ones.

A step is a name and a key with wildcards; `**` stands for any number of modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple, NoReturn, TypeAlias

from statefmt.golang import nfc
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, ModuleInstance, ModuleStep, StringKey
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance
from statefmt.model.addrs.traversal import quoted_literal
from statefmt.model.errors import AddressError, AddressProblem, InvalidAddressError, MessagePart, Wording
from statefmt.text import TextTest, has_wildcards, pattern, quoted_wildcard_test, wildcard_test

_StepTest: TypeAlias = Callable[[ModuleStep], bool]
# One test for each step; None stands for any number of steps, and never follows another None.
_PathPattern: TypeAlias = tuple[_StepTest | None, ...]


def split_path(text: str, steps: Sequence[PatternStep]) -> tuple[_PathPattern, Sequence[PatternStep]]:
    """Split a pattern into its initial modules and the remaining steps. Raises AddressError."""
    path: list[_StepTest | None] = []
    pos = 0
    while pos < len(steps):
        step = steps[pos]
        if step.name == ANY_DEPTH:
            if step.key:
                refuse(text, step.key_column, "** cannot have a key.")
            if path[-1:] != [None]:
                path.append(None)
            pos += 1
        elif step.name == "module":
            if step.key or pos + 1 == len(steps):
                column = step.key_column
                refuse(text, column, 'Prefix "module." must be followed by a module name.')
            path.append(_module_test(text, steps[pos + 1]))
            pos += 2
        else:
            break
    return tuple(path), steps[pos:]


def _module_test(text: str, step: PatternStep) -> _StepTest:
    fits_name, fits_key = name_test(text, step), key_test(text, step)
    return lambda module: fits_name(module.name) and fits_key(module.key)


def path_fits(pattern: _PathPattern, steps: Iterable[ModuleStep]) -> bool:
    """Return whether a pattern matches a whole path."""
    # All possible positions in the pattern after each step: without backtracking, the time is bounded for every
    # pattern.
    places = _with_skipped(pattern, {0})
    for step in steps:
        after = set()
        for place in places:
            if place < len(pattern):
                test = pattern[place]
                if test is None:
                    after.add(place)
                elif test(step):
                    after.add(place + 1)
        places = _with_skipped(pattern, after)
    return len(pattern) in places


def _with_skipped(pattern: _PathPattern, places: set[int]) -> set[int]:
    """Return the positions, and those after a `**`, which may match nothing; two `**` are never adjacent."""
    return places | {place + 1 for place in places if place < len(pattern) and pattern[place] is None}


ANY_DEPTH: Final = "**"
KeyTest: TypeAlias = Callable[[InstanceKey], bool]

_SUMMARY: Final = "Invalid pattern"
_NAME: Final = pattern(r"(?:[A-Za-z0-9_*?-]|[^\x00-\x7f])+")
_KEY: Final = pattern(r'\[(?:"((?:[^"\\]|\\.)*+)"|(-?[0-9*?]+))\]', re.DOTALL)
_TEMPLATE: Final = pattern(r"(?<!\$)\$\{|(?<!%)%\{")


class PatternStep(NamedTuple):
    """One step: a name, and its key with the brackets ("" for none). Columns count from 1."""

    name: str
    key: str
    column: int
    key_column: int


def pattern_steps(text: str) -> list[PatternStep]:
    """Split a pattern into its steps, at least one. Raises AddressError with the column of the error."""
    steps: list[PatternStep] = []
    pos = 0
    while True:
        name = _NAME.match(text, pos)
        if name is None:
            refuse(text, pos + 1, "Expected a name: letters, digits, _ and -, or wildcards.")
        key_column = name.end() + 1
        key = _KEY.match(text, name.end()) if text.startswith("[", name.end()) else None
        if key is None and text.startswith("[", name.end()):
            refuse(
                text, key_column, 'Expected [NUMBER], ["STRING"] or [*]; in a shell, put the address in single quotes.'
            )
        steps.append(PatternStep(name[0], key[0] if key else "", pos + 1, key_column))
        pos = key.end() if key else name.end()
        if pos == len(text):
            return steps
        if text[pos] != ".":
            refuse(text, pos + 1, "Expected a dot or the end of the pattern.")
        pos += 1


def name_test(text: str, step: PatternStep) -> TextTest:
    """Return the test of a name. Raises AddressError for `**`, which stands for whole steps."""
    if ANY_DEPTH in step.name:
        refuse(text, step.column, "** must stand alone between dots, for modules at any depth; * matches any name.")
    return wildcard_test(step.name)


def key_test(text: str, step: PatternStep) -> KeyTest:
    """Return the test of an instance key; without brackets, it accepts any key and none. Raises AddressError."""
    match = _KEY.fullmatch(step.key)
    if match is None:
        return lambda key: True
    quoted, number = match.groups()
    if quoted is None:
        if number == "*":
            return lambda key: key is not NO_KEY
        fits_number = wildcard_test(number)
        return lambda key: isinstance(key, IntKey) and fits_number(str(key.value))
    fits = _quoted_test(text, step)
    return lambda key: isinstance(key, StringKey) and fits(key.value)


def _quoted_test(text: str, step: PatternStep) -> TextTest:
    """Return the test of a quoted key with HCL escapes. Raises AddressError."""
    problems: list[AddressProblem] = []
    first = step.key_column + 2
    inside = step.key[2:-2]

    def resolve(part: str, place: int) -> str:
        return nfc(quoted_literal(part, first + place, problems))

    if template := _TEMPLATE.search(inside):
        refuse(text, first + template.start(), "Write a literal ${ or %{ as $${ or %%{, as in any address.")
    fits = quoted_wildcard_test(inside, resolve)
    if problems:
        raise AddressError(text, problems)
    return lambda value: fits(nfc(value))


def refuse(text: str, column: int, detail: str) -> NoReturn:
    """Raise AddressError for an error at a column."""
    raise AddressError(text, [AddressProblem(column, _SUMMARY, detail)])


class NamedModules(NamedTuple):
    """The module instances that a selector names. `by_pattern` is False if the selector is an address."""

    modules: tuple[ModuleInstance, ...]
    by_pattern: bool


class Modules:
    """The module instances to select from."""

    def __init__(self, known: Iterable[ModuleInstance]) -> None:
        self._known = tuple(known)

    def named(self, selector: str) -> NamedModules | None:
        """Return the modules that a selector names; None unless it is an address or a pattern of modules.

        An address without a final key names all instances of the module. A pattern that ends in `**` names everything
        below a module, but not the module.
        """
        canonical = _canonical(selector)
        found = self._by_text.get(selector) or self._by_text.get(canonical or "")
        if found is not None:
            return NamedModules(tuple(found), False)
        if not has_wildcards(selector):
            return None if canonical is None else NamedModules((), False)
        try:
            path, rest = split_path(selector, pattern_steps(selector))
        except AddressError:
            return None
        if rest or path[-1] is None:
            return None
        return NamedModules(tuple(module for module in self._known if path_fits(path, module.steps)), True)

    @cached_property
    def _by_text(self) -> dict[str, list[ModuleInstance]]:
        """The modules by address, and by address without the last key: a table, since there may be many selectors."""
        found: dict[str, list[ModuleInstance]] = {}
        for module in self._known:
            for text in {str(module), str(module_call(module))}:
                found.setdefault(text, []).append(module)
        return found


def module_call(module: ModuleInstance) -> ModuleInstance:
    """Return the address of all instances of a module in its parent: its address without the last key."""
    return ModuleInstance((*module.steps[:-1], ModuleStep(module.steps[-1].name)))


def modules_of(modules: Iterable[ModuleInstance]) -> tuple[ModuleInstance, ...]:
    """Return the modules and all modules that contain them, each once, without the root."""
    return tuple(dict.fromkeys(outer for module in dict.fromkeys(modules) for outer in module.on_the_way))


def _canonical(selector: str) -> str | None:
    try:
        return str(parse_module_instance(selector))
    except AddressError:
        return None


# Brackets with a quoted string, or with any other text.
_BRACKETS: Final = pattern(r'\["(?:[^"\\]|\\.)*+"\]|\[([^\[\]]++)\]', re.DOTALL)
_NUMBER: Final = pattern(r"-?[0-9*?]+")
_CURLY: Final = str.maketrans("“”„‟″«»‘’‚‛′", '"""""""' + "'''''")  # noqa: RUF001 - typographic quotes are the point
_DATA_FIRST: Final = pattern(r'data\.((?:module\.[^.\[]+(?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?\.)+)(.*)', re.DOTALL)

_FROM_STANDARD_INPUT: Final = Wording(
    "use --state - to read the state from standard input", "statefmt.read() reads a state from bytes"
)
_DATA_SOURCES: Final = Wording("--mode data", 'mode="data"')


class _Slip(NamedTuple):
    """The reason why a string is invalid, in parts, and the probable intended string ("" if unclear)."""

    reason: tuple[MessagePart, ...]
    meant: str = ""


def invalid_address(
    text: str, error: AddressError, exists: Callable[[str], bool] = lambda _: False, *, selects: bool = True
) -> InvalidAddressError:
    """Return the error for an address or selector that cannot be parsed.

    `exists` returns whether the state has an address. `selects` is False if the address may be new.
    """
    slip = _quotes(text, _is_selector) or _file(text) or _incomplete(text, exists, selects=selects)
    return _error("address", text, error, slip or _misplaced(text, exists))


def invalid_provider(
    text: str, error: AddressError, is_valid: Callable[[str], bool], what: str = "provider", form: str = ""
) -> InvalidAddressError:
    """Return the error for a provider, configuration or instance that cannot be parsed; `form` gives the syntax."""
    return _error(what, text, error, _quotes(text, is_valid), form)


def _error(what: str, text: str, error: AddressError, slip: _Slip | None, form: str = "") -> InvalidAddressError:
    if slip is not None:
        return InvalidAddressError(what, text, *slip.reason, meant=slip.meant)
    detail = error.detail.removesuffix(".")
    if detail[1:2].islower():
        detail = detail[0].lower() + detail[1:]
    return InvalidAddressError(what, text, f"{detail} (column {error.column}){form}")


def _quotes(text: str, is_valid: Callable[[str], bool]) -> _Slip | None:
    """Recognise keys without quotes, or without double quotes, if the string is valid with them."""
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
    """Return why the text in brackets is not a key; `bare` is the text without quotes."""
    if inside == bare:
        return "the shell removed the quotes"
    if "\\" in inside:
        return "it has backslashes before the quotes"
    return "keys are in double quotes" if "'" in inside else "a quote is missing"


def _file(text: str) -> _Slip | None:
    """Recognise the name of a state."""
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
