"""Parses resource addresses.

Sources: OpenTofu `internal/addrs/parse_target.go`, and `resource.go` for ParseConfigResource.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from statefmt.model.addrs._module import Module
from statefmt.model.addrs._module_parsing import split_module, split_module_instance
from statefmt.model.addrs._resource import (
    AbsResource,
    AbsResourceInstance,
    ConfigResource,
    Resource,
    ResourceInstance,
    ResourceMode,
)
from statefmt.model.addrs.instance_key import NO_KEY, NOT_A_WHOLE_NUMBER, InstanceKey
from statefmt.model.addrs.traversal import Attr, Index, Step, Steps, parse_traversal
from statefmt.model.errors import AddressError, AddressProblem
from statefmt.text.pattern import pattern

_SUMMARY: Final = "Invalid address"
_MODES: Final = {"data": ResourceMode.DATA, "ephemeral": ResourceMode.EPHEMERAL}
_TYPE_REQUIRED: Final = {
    ResourceMode.MANAGED: "A resource type name is required.",
    ResourceMode.DATA: "A data source name is required.",
    ResourceMode.EPHEMERAL: "An ephemeral resource name is required.",
}


# A resource block in the form that programs write, of ASCII characters; its type is not a keyword.
_USUAL: Final = pattern(
    r"((?:module\.[A-Za-z_][A-Za-z0-9_-]*+\.)*+)(data\.|ephemeral\.)?+"
    r"(?!module\.)([A-Za-z_][A-Za-z0-9_-]*+)\.([A-Za-z_][A-Za-z0-9_-]*+)"
)
# Cache size for module paths of all files of a run.
_KEPT: Final = 4096


def usual_config_resource(text: str) -> ConfigResource | None:
    """Parse a resource block in its canonical form; return None if that needs the full grammar."""
    usual = _USUAL.fullmatch(text)
    if usual is None:
        return None
    path, mode, type_, name = usual.groups()
    resource = Resource(_MODES[mode[:-1]] if mode else ResourceMode.MANAGED, type_, name)
    return ConfigResource(_module_before(path), resource)


@lru_cache(maxsize=_KEPT)
def _module_before(path: str) -> Module:
    """Return the module that a path with a dot at its end names: every second word."""
    return Module(tuple(path.split(".")[1::2]))


def parse_abs_resource_instance(text: str) -> AbsResourceInstance:
    """Parse a resource instance from `module.a["x"].aws_instance.web[0]`; without a key, its key is NO_KEY.

    Raises AddressError. Source: ParseAbsResourceInstanceStr.
    """
    return _target(
        text,
        "A resource instance address is required here. The module path must be followed by a resource instance "
        "specification.",
    )


def parse_abs_resource(text: str) -> AbsResource:
    """Parse a resource from `module.a["x"].aws_instance.web`. Refuses an instance key.

    Raises AddressError. Source: ParseAbsResourceStr.
    """
    target = _target(
        text, "A resource address is required here. The module path must be followed by a resource specification."
    )
    if target.key != NO_KEY:
        raise _refusal(
            text,
            parse_traversal(text)[-1].column,
            "A resource address is required. This instance key identifies a specific resource instance, which is "
            "not expected here.",
        )
    return target.containing_resource()


def parse_config_resource(text: str) -> ConfigResource:
    """Parse a resource block from `module.a.aws_instance.web`. Refuses all keys.

    Raises AddressError. Source: ParseConfigResource.
    """
    usual = usual_config_resource(text)
    if usual is not None:
        return usual
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module(steps, problems)
    if problems:
        raise AddressError(text, problems)
    if not rest:
        raise AddressError(
            text,
            [
                AddressProblem(
                    1,
                    "Module address is not allowed",
                    "Expected reference to either resource or data block. Provided reference appears to be a module.",
                )
            ],
        )
    resource, rest = _split_resource(text, rest)
    if len(rest) == 1:
        raise AddressError(
            text,
            [
                AddressProblem(
                    rest[0].column,
                    "Resource instance address with keys is not allowed",
                    'Resource address cannot be a resource instance (e.g. "null_resource.a[0]"), it must be a '
                    'resource instead (e.g. "null_resource.a").',
                )
            ],
        )
    _no_more(text, rest)
    return ConfigResource(module, resource)


def resource_instance_of(text: str, steps: Steps) -> ResourceInstance:
    """Return the resource instance that `steps` name: at least one step, all after the module path of `text`.

    Raises AddressError. Source: parseResourceInstanceUnderModule.
    """
    resource, rest = _split_resource(text, steps)
    if len(rest) > 1:
        _no_more(text, rest)
    return ResourceInstance(resource, _key(text, rest[0]) if rest else NO_KEY)


def _target(text: str, required: str) -> AbsResourceInstance:
    """Parse a resource instance; refuse a module instance with the detail `required`. Source: ParseTarget."""
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module_instance(steps, problems)
    if problems:
        raise AddressError(text, problems)
    if not rest:
        raise _refusal(text, steps[0].column, required)
    return AbsResourceInstance(module, resource_instance_of(text, rest))


def _split_resource(text: str, steps: Steps) -> tuple[Resource, Steps]:
    """Split `steps` into a resource and the remaining steps. Source: parseResourceTypeAndName."""
    mode = ResourceMode.MANAGED
    first = steps[0]
    if isinstance(first, Attr) and first.name in _MODES:
        mode = _MODES[first.name]
        steps = steps[1:]
    if len(steps) < 2:
        raise _refusal(
            text, (steps[0] if steps else first).column, "Resource specification must include a resource type and name."
        )
    type_step, name_step = steps[0], steps[1]
    if isinstance(type_step, Index):
        raise _refusal(text, type_step.column, _TYPE_REQUIRED[mode])
    if isinstance(name_step, Index):
        raise _refusal(text, name_step.column, "A resource name is required.")
    return Resource(mode, type_step.name, name_step.name), steps[2:]


def _key(text: str, step: Step) -> InstanceKey:
    if isinstance(step, Attr):
        raise _refusal(text, step.column, "Resource instance key must be given in square brackets.")
    if step.key is None:
        raise _refusal(text, step.column, f"Invalid resource instance key: {NOT_A_WHOLE_NUMBER}.")
    return step.key


def _no_more(text: str, rest: Steps) -> None:
    if rest:
        raise _refusal(text, rest[1].column, "Unexpected extra operators after address.")


def _refusal(text: str, column: int, detail: str) -> AddressError:
    return AddressError(text, [AddressProblem(column, _SUMMARY, detail)])
