"""Every recorded address is accepted or refused, printed and taken apart as OpenTofu does it."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from statefmt.golang import quote
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    IntKey,
    ModuleInstance,
    StringKey,
)
from statefmt.model.addrs.checkable import CheckableKind, parse_checkable
from statefmt.model.addrs.parsing import (
    parse_abs_provider_instance,
    parse_abs_resource,
    parse_abs_resource_instance,
    parse_config_provider_config,
    parse_legacy_provider_config,
    parse_module_instance,
)
from statefmt.model.addrs.provider import Provider, parse_provider_source
from statefmt.model.errors import AddressError
from tests.tables import each_row

_DATA: Final = Path(__file__).parents[2] / "conformance" / "addresses.jsonl.xz"
_CASES: Final[list[dict[str, Any]]] = [json.loads(line) for line in lzma.decompress(_DATA.read_bytes()).splitlines()]

# Cases that differ from OpenTofu on purpose, each with the reason. One that agrees after all fails.
_DEVIATIONS: Final[dict[str, str]] = {}

_PARSERS: Final[dict[str, Callable[[str], object]]] = {
    "module-instance": parse_module_instance,
    "abs-resource": parse_abs_resource,
    "abs-resource-instance": parse_abs_resource_instance,
    "abs-provider-config": parse_config_provider_config,
    "abs-provider-instance": parse_abs_provider_instance,
    "legacy-provider-config": parse_legacy_provider_config,
    "provider-source": parse_provider_source,
    "checkable-resource": lambda text: parse_checkable(CheckableKind.RESOURCE, text),
    "checkable-output": lambda text: parse_checkable(CheckableKind.OUTPUT, text),
    "checkable-check": lambda text: parse_checkable(CheckableKind.CHECK, text),
    "checkable-var": lambda text: parse_checkable(CheckableKind.VARIABLE, text),
}


def _config_extra(config: ConfigProviderConfig) -> dict[str, object]:
    return {"alias": config.alias, "module": str(config.module), "provider": str(config.provider)}


def _extra(address: Any) -> dict[str, object]:
    """What the recording took from an address, as far as it took anything from that type."""
    match address:
        case ModuleInstance():
            return {"module": str(address.module())}
        case AbsResourceInstance():
            resource = address.resource.resource
            match address.key:
                case IntKey(value):
                    key = str(value)
                case StringKey(text):
                    key = quote(text)
                case _:
                    key = "<nil>"
            return {
                "config": str(address.config()),
                "key": key,
                "mode": f"{resource.mode.value.capitalize()}ResourceMode",
                "module": str(address.module),
                "name": resource.name,
                "type": resource.type,
            }
        case AbsProviderInstance(config, instance_key):
            return {**_config_extra(config), "key": str(instance_key)}
        case ConfigProviderConfig():
            return _config_extra(address)
        case Provider():
            return {
                "builtin": address.is_builtin,
                "display": address.display,
                "hostname": address.hostname,
                "legacy": address.is_legacy,
                "namespace": address.namespace,
                "type": address.type,
            }
        case AbsResource() | _:
            return {"config": str(address.config())}


def _expected(case: dict[str, Any]) -> tuple[object, ...]:
    if case["ok"]:
        return case["string"], case["extra"]
    if any(found["severity"] == "panic" for found in case["diagnostics"]):
        return ("refused",)  # OpenTofu crashed; any plain refusal is right
    return "refused", [(found["severity"], found["summary"], found["detail"]) for found in case["diagnostics"]]


def _actual(case: dict[str, Any]) -> tuple[object, ...]:
    try:
        address = _PARSERS[case["kind"]](case["input"])
    except AddressError as error:
        assert all(1 <= problem.column <= len(case["input"]) + 1 for problem in error.problems)
        problems = [("error", problem.summary, problem.detail) for problem in error.problems]
        return ("refused", problems)[: len(_expected(case))]
    extra = _extra(address)
    if case["kind"] == "checkable-resource":  # the recording took less from these
        extra = {"config": extra["config"]}
    return str(address), extra


@each_row("case", _CASES, ids=[case["id"] for case in _CASES])
def test_agrees_with_opentofu(case: dict[str, Any]) -> None:
    agrees = _actual(case) == _expected(case)
    if case["id"] in _DEVIATIONS:
        assert not agrees, "listed as a deviation, but it agrees"
    else:
        assert _actual(case) == _expected(case)


def test_the_data_is_all_there() -> None:
    assert len(_CASES) == 779
    assert {case["kind"] for case in _CASES} == set(_PARSERS)


def test_deviations_are_known_cases_of_tier_2() -> None:
    tiers = {case["id"]: case["tier"] for case in _CASES}
    assert {tiers[identity] for identity in _DEVIATIONS} <= {2}
