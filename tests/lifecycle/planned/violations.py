"""Plans that break the contract: a valid plan of many kinds of values, and its mutations with where they are found.

A mutation changes one planned value of one object. Expected places follow from OpenTofu's document "Resource Instance
Change Lifecycle": attributes without a nested type are compared as a whole, elements of sets have no place.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

Path = tuple[str | int, ...]
PROVIDER: Final = "registry.opentofu.org/acme/shop"


def _attribute(of: object, *flags: str) -> dict[str, object]:
    return {"type": of, **dict.fromkeys(flags or ("optional",), True)}


def _nested(mode: str, attributes: Mapping[str, object]) -> dict[str, object]:
    return {"nested_type": {"nesting_mode": mode, "attributes": attributes}, "optional": True}


def _block(
    mode: str, attributes: Mapping[str, object], blocks: Mapping[str, object] | None = None
) -> dict[str, object]:
    return {"nesting_mode": mode, "block": {"attributes": attributes, "block_types": blocks or {}}}


_TEXT: Final = _attribute("string")
_COMPUTED: Final = _attribute("string", "computed")
_EITHER: Final = _attribute("string", "optional", "computed")
_REQUIRED: Final = _attribute("string", "required")
_BLOCK: Final = {
    "attributes": {
        "id": _COMPUTED,
        "name": _REQUIRED,
        "size": _attribute("number"),
        "active": _attribute("bool"),
        "zone": _EITHER,
        "region": _EITHER,
        "comment": _TEXT,
        "hidden": _attribute("string", "optional", "sensitive"),
        "labels": _attribute(["map", "string"]),
        "ports": _attribute(["list", "number"]),
        "names": _attribute(["set", "string"]),
        "anything": _attribute("dynamic"),
        "pair": _attribute(["object", {"a": "string", "b": "number"}]),
        "owner": _nested("single", {"first": _TEXT, "nick": _TEXT, "mail": _EITHER}),
        "steps": _nested("list", {"run": _REQUIRED, "code": _EITHER, "note": _TEXT}),
        "peers": _nested("map", {"host": _REQUIRED, "address": _COMPUTED, "note": _TEXT}),
        "rules": _nested("set", {"port": _attribute("number", "required"), "note": _TEXT, "rule_id": _COMPUTED}),
    },
    "block_types": {
        "disk": _block(
            "list",
            {"size": _attribute("number", "required"), "kind": _EITHER, "label": _TEXT},
            {"tag": _block("list", {"key": _REQUIRED, "note": _TEXT})},
        ),
        "filter": _block("set", {"key": _REQUIRED, "value": _TEXT, "ref": _COMPUTED}),
        "route": _block("map", {"to": _REQUIRED, "note": _TEXT}),
        "limits": _block("single", {"cpu": _attribute("number"), "memory": _attribute("number")}),
        "meta": _block("group", {"note": _TEXT, "more": _TEXT}),
    },
}
SCHEMAS: Final = json.dumps({
    "format_version": "1.0",
    "provider_schemas": {PROVIDER: {"resource_schemas": {"shop_item": {"version": 0, "block": _BLOCK}}}},
}).encode()  # fmt: skip

_BODY: Final = """
  name     = "${var.prefix}-item"
  size     = var.size + 1
  active   = true
  zone     = "eu"
  hidden   = var.token
  labels   = merge(var.labels, { own = "x" })
  ports    = [for port in var.ports : port * 10]
  names    = toset(["a", "b", var.prefix])
  anything = { text = "1", list = [1, true, null], deep = { prefix = var.prefix } }
  pair     = { a = "left", b = "2" }
  owner    = { first = "Ada" }
  steps    = [{ run = "make" }, { run = "test", code = "7" }]
  peers    = { one = { host = "h1" }, two = { host = "h2" } }
  rules    = [{ port = 80 }, { port = 443, note = "tls" }]
  dynamic "disk" {
    for_each = var.ports
    content {
      size = disk.value
      tag {
        key = "k${disk.key}"
      }
    }
  }
  disk {
    size = 9
    kind = "ssd"
  }
  filter {
    key   = "f1"
    value = "v1"
  }
  filter {
    key = "f2"
  }
  route "home" {
    to = "h"
  }
  route "work" {
    to = "w"
  }
  limits {
    cpu = 2
  }
  meta {
    note = "n"
  }
"""
_PROVIDERS: Final = 'terraform {\n  required_providers {\n    shop = { source = "acme/shop" }\n  }\n}\n'
_VARIABLES: Final = """
variable "prefix" { type = string }
variable "size" { type = number }
variable "labels" { type = map(string) }
variable "ports" { type = list(number) }
variable "token" {
  type      = string
  sensitive = true
}
"""
_GIVEN: Final = {"prefix": "p", "size": 4, "labels": {"team": "t"}, "ports": [1, 2], "token": "s3cr3t-value"}


def _resource(name: str, repetition: str = "") -> str:
    return f'resource "shop_item" "{name}" {{{repetition}{_BODY}}}\n'


_PASSED: Final = "\n".join(f"  {name} = var.{name}" for name in _GIVEN)
FILES: Final[Mapping[str, bytes]] = {
    "main.tf": "\n".join([
        _PROVIDERS, _VARIABLES, _resource("new"), _resource("changed"), _resource("same"), _resource("replaced"),
        _resource("many", "\n  count = 2"),
        f'module "part" {{\n  source = "./part"\n  for_each = toset(["x"])\n{_PASSED}\n}}\n',
    ]).encode(),
    "part/main.tf": "\n".join([_PROVIDERS, _VARIABLES, _resource("inner", "\n  for_each = { k = 1 }")]).encode(),
    ".terraform/modules/modules.json": json.dumps(
        {"Modules": [{"Key": "", "Source": "", "Dir": "."}, {"Key": "part", "Source": "./part", "Dir": "part"}]}
    ).encode(),
    "schemas.json": SCHEMAS,
}  # fmt: skip

# What the configuration sets. Unknown values are absent here, and in _UNKNOWN.
_PLANNED: Final[dict[str, Any]] = {
    "name": "p-item", "size": 5, "active": True, "zone": "eu", "comment": None, "hidden": "s3cr3t-value",
    "labels": {"own": "x", "team": "t"}, "ports": [10, 20], "names": ["a", "b", "p"],
    "anything": {"deep": {"prefix": "p"}, "list": [1, True, None], "text": "1"}, "pair": {"a": "left", "b": 2},
    "owner": {"first": "Ada", "nick": None},
    "steps": [{"note": None, "run": "make"}, {"code": "7", "note": None, "run": "test"}],
    "peers": {"one": {"host": "h1", "note": None}, "two": {"host": "h2", "note": None}},
    "rules": [{"note": None, "port": 80}, {"note": "tls", "port": 443}],
    "disk": [
        {"label": None, "size": 1, "tag": [{"key": "k0", "note": None}]},
        {"label": None, "size": 2, "tag": [{"key": "k1", "note": None}]},
        {"kind": "ssd", "label": None, "size": 9, "tag": []},
    ],
    "filter": [{"key": "f1", "value": "v1"}, {"key": "f2", "value": None}],
    "route": {"home": {"note": None, "to": "h"}, "work": {"note": None, "to": "w"}},
    "limits": {"cpu": 2, "memory": None}, "meta": {"more": None, "note": "n"},
}  # fmt: skip
_UNKNOWN: Final[dict[str, Any]] = {
    "id": True, "region": True, "labels": {}, "ports": [False, False], "names": [False, False, False],
    "anything": {"deep": {}, "list": [False, False, False]}, "pair": {}, "owner": {"mail": True},
    "steps": [{"code": True}, {}], "peers": {"one": {"address": True}, "two": {"address": True}},
    "rules": [{"rule_id": True}, {"rule_id": True}],
    "disk": [{"kind": True, "tag": [{}]}, {"kind": True, "tag": [{}]}, {"tag": []}],
    "filter": [{"ref": True}, {"ref": True}], "route": {"home": {}, "work": {}}, "limits": {}, "meta": {},
}  # fmt: skip


def _known(value: Any, unknown: Any) -> Any:
    """Return a value with `was` for each unknown part: the object after an apply."""
    if unknown is True:
        return "was"
    if isinstance(unknown, dict):
        return {**value, **{name: _known(value.get(name), part) for name, part in unknown.items()}}
    if isinstance(unknown, list) and isinstance(value, list):
        return [_known(each, part) for each, part in zip(value, unknown, strict=True)]
    return value


_APPLIED: Final[dict[str, Any]] = _known(_PLANNED, _UNKNOWN)
# The objects of the plan: address, actions, the values before, whether the planned values are all known.
OBJECTS: Final[Mapping[str, tuple[list[str], bool, bool]]] = {
    "shop_item.new": (["create"], False, False),
    "shop_item.changed": (["update"], True, True),
    "shop_item.same": (["no-op"], True, True),
    "shop_item.replaced": (["delete", "create"], True, False),
    "shop_item.many[1]": (["create"], False, False),
    'module.part["x"].shop_item.inner["k"]': (["create"], False, False),
}


def valid_plan() -> dict[str, Any]:
    """Return a plan that the contract allows."""
    changes: list[dict[str, Any]] = []
    for address, (actions, has_prior, is_known) in OBJECTS.items():
        before = copy.deepcopy(_APPLIED) if has_prior else None
        if actions == ["update"] and before is not None:
            # All that the configuration sets was different, so no value is the prior one by accident.
            before.update(name="old", size=1, active=None, zone="old", hidden="old", labels={"old": "x"}, ports=[7])
            before.update(names=["old"], anything="old", pair={"a": "old", "b": 0}, owner=None, steps=[], peers={})
            before.update(rules=[], disk=[], filter=[], route={}, limits=None, meta={"more": None, "note": "old"})
        changes.append({
            "address": address, "mode": "managed", "type": "shop_item", "name": address.split(".")[-1].split("[")[0],
            "provider_name": PROVIDER,
            "change": {
                "actions": actions, "before": before,
                "after": copy.deepcopy(_APPLIED if is_known else _PLANNED),
                "after_unknown": {} if is_known else copy.deepcopy(_UNKNOWN),
                "before_sensitive": {}, "after_sensitive": {"hidden": True},
            },
        })  # fmt: skip
    variables = {name: {"value": value} for name, value in _GIVEN.items()}
    return {
        "format_version": "1.2", "terraform_version": "1.11.4", "variables": variables, "resource_changes": changes
    }  # fmt: skip


class Violation(NamedTuple):
    """One change of a planned value, which is found at `place`: another `value` at `path`, `unknown`, or `removed`."""

    kind: str
    path: Path
    place: Path
    value: Any = None
    unknown: bool = False
    removed: bool = False

    def __str__(self) -> str:
        return f"{self.kind}: {'.'.join(map(str, self.path))}"

    def apply(self, change: dict[str, Any]) -> None:
        """Change the planned value in one change of a plan."""
        *way, last = self.path
        value, mask = change["after"], change["after_unknown"]
        for at, step in enumerate(way):
            value = value[step]
            mask = _below(mask, step, [] if isinstance(value, list) else {})
            assert isinstance(value, list | dict), self.path[: at + 1]
        if self.removed:
            del value[last]
            if isinstance(mask, dict):
                mask.pop(last, None)
            elif mask:
                del mask[last]
            return
        _put(value, last, None if self.unknown else self.value)
        if self.unknown and isinstance(value, dict):
            del value[last]
        if self.unknown or _below(mask, last, False) is not False:
            _put(mask, last, self.unknown)


def _below(mask: Any, step: str | int, default: Any) -> Any:
    """Return the mask of a part, which is added if it is missing."""
    if isinstance(mask, dict):
        return mask.setdefault(step, default)
    _put(mask, step, mask[step] if isinstance(step, int) and step < len(mask) and mask[step] is not False else default)
    return mask[step]


def _put(container: Any, step: Any, value: Any) -> None:
    if isinstance(container, list):
        container.extend(False for _ in range(step + 1 - len(container)))
    container[step] = value


_LEAVES: Final[tuple[tuple[Path, int, Any], ...]] = (
    # Path, number of steps that a finding names, another value.
    (("name",), 1, "p-other"), (("size",), 1, 6), (("active",), 1, False), (("zone",), 1, "us"),
    (("hidden",), 1, "leak"),
    (("labels", "team"), 1, "u"), (("ports", 1), 1, 21), (("names", 1), 1, "c"), (("anything", "text"), 1, 1),
    (("anything", "list", 1), 1, "true"), (("anything", "deep", "prefix"), 1, "q"), (("pair", "b"), 1, 3),
    (("owner", "first"), 2, "Bob"), (("steps", 0, "run"), 3, "break"), (("steps", 1, "code"), 3, "8"),
    (("peers", "two", "host"), 3, "h3"), (("rules", 0, "port"), 1, 81), (("rules", 1, "note"), 1, "plain"),
    (("disk", 0, "size"), 3, 5), (("disk", 2, "kind"), 3, "hdd"), (("disk", 1, "tag", 0, "key"), 5, "k9"),
    (("filter", 0, "value"), 1, "v2"), (("filter", 1, "key"), 1, "f3"), (("route", "home", "to"), 3, "x"),
    (("limits", "cpu"), 2, 3), (("meta", "note"), 2, "m"),
)  # fmt: skip
# Not set by the configuration, and not computed.
_UNSET: Final[tuple[tuple[Path, int, Any], ...]] = (
    (("comment",), 1, "new"), (("owner", "nick"), 2, "n"), (("steps", 1, "note"), 3, "n"),
    (("peers", "one", "note"), 3, "n"),
    (("rules", 0, "note"), 1, "n"), (("disk", 2, "label"), 3, "l"), (("disk", 0, "tag", 0, "note"), 5, "n"),
    (("filter", 1, "value"), 1, "v"), (("route", "work", "note"), 3, "n"),
    (("limits", "memory"), 2, 1), (("meta", "more"), 2, "n"),
)  # fmt: skip
_WHOLE: Final = ("labels", "ports", "names", "anything", "pair", "owner", "steps", "peers", "rules", "limits")
_GROWING: Final[Mapping[str, Any]] = {
    "ports": 30, "names": "d", "steps": {"run": "more", "code": "1", "note": None},
    "rules": {"port": 1, "note": None, "rule_id": "r"}, "disk": {"size": 3, "kind": "k", "label": None, "tag": []},
    "filter": {"key": "f9", "value": None, "ref": "r"},
}  # fmt: skip
# A key of the collection, and an element for another key.
_KEYED: Final[Mapping[str, tuple[str, Any]]] = {
    "labels": ("team", "v"), "peers": ("two", {"host": "h", "address": "a", "note": None}),
    "route": ("work", {"to": "t", "note": None}),
}  # fmt: skip


def violations() -> Iterator[Violation]:
    """Yield all changes of one object."""
    for path, depth, other in _LEAVES:
        yield Violation("configured value changed", path, path[:depth], other)
        yield Violation("configured value null", path, path[:depth])
        yield Violation("configured value unknown", path, path[:depth], unknown=True)
    for path, depth, other in _UNSET:
        yield Violation("value not configured, but planned", path, path[:depth], other)
        yield Violation("value not configured, but unknown", path, path[:depth], unknown=True)
    for name in _WHOLE:
        yield Violation("configured value null", (name,), (name,))
        yield Violation("configured value unknown", (name,), (name,), unknown=True)
    for name in ("disk", "filter", "route"):
        yield Violation("blocks null", (name,), (name,))
        yield Violation("blocks unknown", (name,), (name,), unknown=True)
    for name, element in _GROWING.items():
        yield Violation("element added", (name, len(_PLANNED[name])), (name,), element)
        yield Violation("element removed", (name, len(_PLANNED[name]) - 1), (name,), removed=True)
    for name, (key, element) in _KEYED.items():
        yield Violation("key added", (name, "zzz"), (name,), element)
        yield Violation("key removed", (name, key), (name,), removed=True)


def allowed() -> Iterator[Violation]:
    """Yield changes that the contract allows: a provider may plan any value that it computes."""
    for path in (("id",), ("region",), ("owner", "mail"), ("steps", 0, "code"), ("peers", "one", "address"),
                 ("rules", 0, "rule_id"), ("disk", 0, "kind"), ("filter", 1, "ref")):  # fmt: skip
        yield Violation("computed value", path, (), "another")
        yield Violation("computed value unknown", path, (), unknown=True)
        yield Violation("computed value null", path, ())
