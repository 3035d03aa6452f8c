"""Parses module addresses. Source: OpenTofu `internal/addrs/module_instance.go`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from statefmt.model.addrs._module import Module, ModuleInstance, ModuleStep
from statefmt.model.addrs.instance_key import NO_KEY, NOT_A_WHOLE_NUMBER, InstanceKey, IntKey, StringKey
from statefmt.model.addrs.traversal import Attr, Index, Steps, parse_traversal
from statefmt.model.errors import AddressError, AddressProblem
from statefmt.text.pattern import pattern

# Cache size for steps, most of which are in many addresses.
_KEPT_STEPS: Final = 4096
# A step in the form that programs write, of ASCII characters and without escapes.
_STEP: Final = pattern(r'module\.[A-Za-z_][A-Za-z0-9_-]*+(?:\[(?:0|[1-9][0-9]{0,17}|"[ !#&-\[\]-~]*+")\])?+')


def parse_module_instance(text: str) -> ModuleInstance:
    """Parse a module instance from `module.a["x"].module.b[0]`. Like OpenTofu, refuses the empty string.

    Raises AddressError. Source: ParseModuleInstanceStr.
    """
    usual = _STEP.findall(text)
    if usual and ".".join(usual) == text:
        return ModuleInstance(tuple(map(_step, usual)))
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module_instance(steps, problems)
    if rest:
        if len(rest) == len(steps):
            detail = 'A module instance address must begin with "module.".'
        else:
            detail = "The module instance address is followed by additional invalid content."
        problems.append(AddressProblem(rest[0].column, "Invalid module instance address", detail))
    if problems:
        raise AddressError(text, problems)
    return module


@lru_cache(maxsize=_KEPT_STEPS)
def _step(text: str) -> ModuleStep:
    """Parse a step that `_STEP` matches."""
    name, _, key = text.removeprefix("module.").removesuffix("]").partition("[")
    if not key:
        return ModuleStep(name)
    return ModuleStep(name, StringKey(key[1:-1]) if key.startswith('"') else IntKey(int(key)))


def parse_module(text: str) -> Module:
    """Parse a static module path from `module.a.module.b`. Raises AddressError. Source: ParseModuleStr."""
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module(steps, problems)
    if rest and not problems:
        problems.append(
            AddressProblem(
                rest[0].column,
                "Module address expected",
                "It's not allowed to reference anything other than module here.",
            )
        )
    if problems:
        raise AddressError(text, problems)
    return module


def split_module_instance(steps: Steps, problems: list[AddressProblem]) -> tuple[ModuleInstance, Steps]:
    """Split `steps` into the module instance at their start, possibly the root, and the remaining steps.

    Appends errors to `problems`, and then returns what OpenTofu has parsed so far, which determines the errors that
    follow. Source: parseModuleInstancePrefix.
    """
    found: list[ModuleStep] = []
    pos = 0
    while pos < len(steps):
        name = _called_name(steps, pos, problems)
        if name is None or problems:
            break
        pos += 2
        key: InstanceKey = NO_KEY
        if pos < len(steps) and isinstance(index := steps[pos], Index):
            pos += 1
            if index.key is None:
                problems.append(
                    AddressProblem(index.column, _OPERATOR_SUMMARY, f"Invalid module index: {NOT_A_WHOLE_NUMBER}.")
                )
            else:
                key = index.key
        found.append(ModuleStep(name, key))
    return ModuleInstance(tuple(found)), steps[pos:]


def split_module(steps: Steps, problems: list[AddressProblem]) -> tuple[Module, Steps]:
    """Like split_module_instance(), for a path without keys. Source: parseModulePrefix."""
    names: list[str] = []
    pos = 0
    while pos < len(steps):
        name = _called_name(steps, pos, problems)
        if name is None or problems:
            break
        pos += 2
        if pos < len(steps) and isinstance(index := steps[pos], Index):
            problems.append(
                AddressProblem(
                    index.column,
                    "Module instance address with keys is not allowed",
                    'Module address cannot be a module instance (e.g. "module.a[0]"), it must be a module instead '
                    '(e.g. "module.a").',
                )
            )
            break
        names.append(name)
    return Module(tuple(names)), steps[pos:]


_OPERATOR_SUMMARY = "Invalid address operator"


def _called_name(steps: Steps, pos: int, problems: list[AddressProblem]) -> str | None:
    """Return the name of the module call at `pos`, or None if there is none. Source: getModuleName."""
    keyword = steps[pos]
    if isinstance(keyword, Index):
        problems.append(
            AddressProblem(
                keyword.column, _OPERATOR_SUMMARY, "Module address prefix must be followed by dot and then a name."
            )
        )
        return None
    if keyword.name != "module":
        return None
    name = steps[pos + 1] if pos + 1 < len(steps) else None
    if isinstance(name, Attr):
        return name.name
    problems.append(
        AddressProblem(
            (name or keyword).column, _OPERATOR_SUMMARY, 'Prefix "module." must be followed by a module name.'
        )
    )
    return None
