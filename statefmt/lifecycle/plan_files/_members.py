"""Builds the members that the JSON forms of plans and states share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Raw

from statefmt.lifecycle.plan_files._shown_values import ShownValue
from statefmt.model.addrs import InstanceKey, IntKey, ModuleInstance, StringKey

_NULL: Final = Raw(b"null")


def given(**members: str) -> dict[str, str]:
    """Return the members that are not empty."""
    return {name: text for name, text in members.items() if text}


def json_member(value: ShownValue) -> Raw:
    return _NULL if value.json is None else Raw(value.json)


def index_member(key: InstanceKey) -> dict[str, Any]:
    return {"index": key.value} if isinstance(key, (IntKey, StringKey)) else {}


def module_tree(modules: Mapping[ModuleInstance, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the root module with the modules below it; `modules` has every one, callers before their callees."""
    tree = {module: _module(module, resources) for module, resources in modules.items()}
    for module, written in tree.items():
        if module.steps:
            tree[ModuleInstance(module.steps[:-1])].setdefault("child_modules", []).append(written)
    for written in tree.values():
        if "child_modules" in written:
            written["child_modules"].sort(key=_module_address)
    return tree[ModuleInstance()]


def _module_address(written: Mapping[str, Any]) -> str:
    return str(written["address"])


def _module(module: ModuleInstance, resources: list[dict[str, Any]]) -> dict[str, Any]:
    return {**({"resources": resources} if resources else {}), **given(address=str(module))}
