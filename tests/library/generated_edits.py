"""Edits in two spellings: as the arguments of a command, and as the call of a method."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import statefmt
from statefmt.model.snapshot import InstanceState, instances
from tests.analysis.diff.realistic import realistic
from tests.cli.states import SAMPLES

_SAMPLES: Final = (
    "v4-regions", "v4-provider-for-each", "v4-resource-level", "v4-deposed", "v4-sensitive", "v4-compact",
    "v4-hand-edited", "v4-newer-release", "v4-exotic-numbers", "v4-identity",
)  # fmt: skip
_FILTERS: Final[dict[str, tuple[str, ...]]] = {
    "type": ("aws_*", "aws_vpc", "aws_instance", "none"),
    "mode": ("managed", "data"),
    "provider": ("aws", "hashicorp/aws", 'aws.by_region["eu"]', "aws.by_region"),
    "where": ("id!=none", "name=one"),
}
_VALUES: Final[tuple[tuple[object, str], ...]] = (
    (None, "null"), (True, "true"), (7, "7"), (10**30, "1" + 30 * "0"), (0.5, "0.5"), (Decimal("1.50"), "1.50"),
    ("prod", '"prod"'), (["a", 1], '["a",1]'), ({"env": "x"}, '{"env":"x"}'),
)  # fmt: skip


class GeneratedEdit(NamedTuple):
    """A command without --state, and the same edit of a transaction. `files` are those that the command reads."""

    command: list[str]
    method: Callable[[statefmt.Transaction], None]
    files: dict[str, str]


def generated_state(chance: random.Random) -> bytes:
    """A state: a sample, or one as real configurations leave them."""
    if chance.random() < 0.5:
        return (SAMPLES / f"{chance.choice(_SAMPLES)}.tfstate").read_bytes()
    return statefmt.write(realistic(chance.randrange(10_000)), canonical=False)


def generated_edit(chance: random.Random, state: bytes) -> GeneratedEdit:
    """An edit of a state. Most apply to it, and some must be refused."""
    found = instances(statefmt.read(state).snapshot)
    kind, make = chance.choice(tuple(_KINDS.items()))
    command, method, *files = make(chance, found)
    return GeneratedEdit([kind, *command], method, files[0] if files else {})


def _selector(chance: random.Random, found: list[InstanceState]) -> str:
    one = chance.choice(found)
    addr = one.resource.addr
    module = str(addr.module) or "module.none"
    pattern = chance.choice(["**", f"*.{addr.resource.name}", "module.*", "module.**", "aws_*.*", "module.*.*.*[*]"])
    return chance.choice([str(one.addr), str(one.addr), str(addr), str(addr), module, pattern, "aws_vpc.absent"])


def _selection(chance: random.Random, found: list[InstanceState]) -> tuple[list[str], list[str], dict[str, Any]]:
    """Arguments, and the same as selectors and filters."""
    selectors = [_selector(chance, found) for _ in range(chance.choice([1, 1, 1, 1, 2, 0]))]
    filters: dict[str, Any] = {}
    options: list[str] = []
    for name, values in _FILTERS.items():
        if chance.random() < 0.06:
            filters[name] = chance.choice(values)
            options += [f"--{name}", filters[name]]
    if chance.random() < 0.06:
        filters["exclude"] = _selector(chance, found)
        options += ["--exclude", filters["exclude"]]
    for flag in ("tainted", "deposed"):
        if chance.random() < 0.05:
            filters[flag] = True
            options.append(f"--{flag}")
    return [*selectors, *options], selectors, filters


def _flag(chance: random.Random, name: str, arguments: list[str], often: float = 0.5) -> dict[str, bool]:
    """Sometimes adds an option; returns it as a keyword argument."""
    given = chance.random() < often
    arguments += [f"--{name.replace('_', '-')}"] * given
    return {name: given}


_Case = tuple[Any, ...]


def _mv(chance: random.Random, found: list[InstanceState]) -> _Case:
    source = _selector(chance, found)
    one = chance.choice(found)
    resource = one.resource.addr.resource
    destination = chance.choice([
        f"{resource.type}.fresh", f"module.fresh.{resource}", str(one.resource.addr), 'module.fresh["a"]', "module.x",
        f'{one.resource.addr}["new"]', "module.fresh[$1]", "module.fresh.$1.$2", "module.n$1.aws_vpc.$2",
    ])  # fmt: skip
    if chance.random() < 0.5:
        source, destination = str(one.resource.addr), f"module.fresh.{resource}"
    command = [source, destination]
    return command, partial(_call, "move", (source, destination), _flag(chance, "rebind", command, 0.2))


def _rm(chance: random.Random, found: list[InstanceState]) -> _Case:
    command, selectors, filters = _selection(chance, found)
    return command, partial(_call, "remove", selectors, _flag(chance, "keep_dangling", command) | filters)


def _marking(method: str, chance: random.Random, found: list[InstanceState]) -> _Case:
    command, selectors, filters = _selection(chance, found)
    if method == "untaint" and chance.random() < 0.5:
        command, selectors, filters = ["--tainted"], [], {"tainted": True}
    return command, partial(_call, method, selectors, filters)


def _rekey(chance: random.Random, found: list[InstanceState]) -> _Case:
    command, selectors, filters = _selection(chance, found)
    if chance.random() < 0.3:
        path = chance.choice(["id", "name", "tags.env", "size"])
        command += ["--by", path]
        return command, partial(
            _call, "rekey", selectors, {"by": path} | _flag(chance, "count", command, 0.2) | filters
        )
    old: list[object] = [getattr(chance.choice(found).key, "value", None) for _ in range(chance.choice([1, 1, 2]))]
    if chance.random() < 0.6:
        one = chance.choice(found)
        old, selectors, filters = [getattr(one.key, "value", None)], [str(one.resource.addr)], {}
        command = [*selectors]
    new = chance.sample([0, 5, "new", "a,b=c", "ü", None], len(old))
    keys = dict(zip(old, new, strict=True))
    command += ["--map", ",".join(f"{_key(one)}={_key(other)}" for one, other in keys.items())]
    return command, partial(_call, "rekey", selectors, {"keys": keys} | filters)


def _key(key: object) -> str:
    return "" if key is None else str(key) if isinstance(key, int) else json.dumps(key, ensure_ascii=False)


def _rebind(chance: random.Random, found: list[InstanceState]) -> _Case:
    selector = _selector(chance, found)
    given: dict[str, Any] = {}
    command = [selector]
    if chance.random() < 0.3:
        given["keys"] = {chance.choice(["eu", "us", "eu-west-1"]): chance.choice(["us", "ap", None])}
        command += ["--map", ",".join(f"{_key(one)}={_key(other)}" for one, other in given["keys"].items())]
        target = None
    else:
        target = chance.choice([
            'aws.by_region["us"]', 'aws.by_region["eu-west-1"]', "aws.west", "aws",
            'provider["registry.opentofu.org/hashicorp/aws"].by_region["us"]', 'provider["acme/x"]',
        ])  # fmt: skip
        config = chance.choice(found).resource.provider_config
        if config is not None and chance.random() < 0.6:
            target = str(config) + ('["us"]' if config.alias else "")
        command.append(target)
    for name in ("whole_resource", "new_provider"):
        given |= _flag(chance, name, command)
    return command, partial(_call, "rebind", (selector, target), given)


def _replace_provider(chance: random.Random, found: list[InstanceState]) -> _Case:
    old = chance.choice(["hashicorp/aws", "hashicorp/aws", 'provider["hashicorp/aws"]', "acme/absent"])
    new = chance.choice(["acme/aws", "registry.terraform.io/hashicorp/aws", 'provider["hashicorp/aws"].west'])
    given: dict[str, Any] = {}
    options: list[str] = []
    if chance.random() < 0.3:
        given["type"] = chance.choice(_FILTERS["type"])
        options = ["--type", given["type"]]
    command = [old, new, *options]
    for name in ("whole_resource", "new_provider"):
        given |= _flag(chance, name, command, 0.7)
    return command, partial(_call, "replace_provider", (old, new), given)


def _forget_deposed(chance: random.Random, found: list[InstanceState]) -> _Case:
    command, selectors, filters = _selection(chance, found)
    if chance.random() < 0.5:
        command, selectors, filters = ["--deposed"], [], {"deposed": True}
    deposed = [obj.deposed for one in found for obj in one.deposed]
    if chance.random() < 0.5:
        filters["key"] = chance.choice([*deposed, "00000000"])
        command += ["--key", filters["key"]]
    return command, partial(_call, "forget_deposed", selectors, filters)


def _path(chance: random.Random, found: list[InstanceState]) -> tuple[str, str]:
    """An instance or what contains it, and a path into its attributes."""
    one = chance.choice(found)
    current = one.current_first[0].attributes
    attributes = json.loads(bytes(current)) if current is not None else {}
    name = chance.choice([*(attributes if isinstance(attributes, dict) else ()), "absent"])
    value = attributes.get(name)
    if isinstance(value, dict) and value and chance.random() < 0.7:
        name = f"{name}.{chance.choice(list(value))}"
    elif isinstance(value, list) and value and chance.random() < 0.7:
        name = f"{name}[{chance.randrange(len(value))}]"
    return chance.choice([str(one.addr), str(one.addr), str(one.resource.addr)]), name


def _set(chance: random.Random, found: list[InstanceState]) -> _Case:
    selector, path = _path(chance, found)
    value, text = chance.choice(_VALUES)
    # A file, as for secrets: the library may set these.
    command = [selector, "--from-file", f"{path}=value.json"]
    given = _flag(chance, "force_type", command, 0.8)
    return command, partial(_call, "set", (selector, {path: value}), given), {"value.json": text}


def _unset(chance: random.Random, found: list[InstanceState]) -> _Case:
    selector, path = _path(chance, found)
    return [selector, path], partial(_call, "unset", (selector, path), {})


def _set_serial(chance: random.Random, found: list[InstanceState]) -> _Case:
    serial = chance.choice([0, 7, 58, 1000, 2**64 - 1, 2**64])
    return [str(serial)], partial(_call, "set_serial", (serial,), {})


def _call(name: str, arguments: Any, given: dict[str, Any], edit: statefmt.Transaction) -> None:
    getattr(edit, name)(*arguments, **given)


# Each command of surgery but new-lineage, whose result is random, and undo, which is no edit of a transaction.
_KINDS: Final[dict[str, Callable[[random.Random, list[InstanceState]], _Case]]] = {
    "mv": _mv,
    "rm": _rm,
    "rekey": _rekey,
    "rebind": _rebind,
    "replace-provider": _replace_provider,
    "taint": partial(_marking, "taint"),
    "untaint": partial(_marking, "untaint"),
    "forget-deposed": _forget_deposed,
    "set": _set,
    "unset": _unset,
    "set-serial": _set_serial,
}
COMMANDS: Final = frozenset(_KINDS)


def write_files(edit: GeneratedEdit, folder: Path) -> None:
    """Write the files that the command reads."""
    for name, content in edit.files.items():
        (folder / name).write_text(content)
