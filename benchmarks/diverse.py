"""Resources of which no two are alike: exotic keys, many providers, modules in modules, attributes of all kinds."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

_Object: TypeAlias = dict[str, Any]
_Key: TypeAlias = int | str | None

_KEYS: Final = (
    '"quoted" {}', "${{name}}-{}", "%{{if}} {}", "10.0.{}.0/24", "<b> & 'c' {}", "Zürich-{}", "[{}]", "a.b = {{{}}}",
    "arn:aws:iam::123456789012:role/path/to/role-{}", "back\\slash\\{}", "eu-central-1-{}", "line\nbreak\t{}",
    "long-" + "x" * 180 + "-{}", "two words {}", "user.{}@example.com", "zone/{}/", "ωμέγα {}", "東京-{}", "🚀{}",
)  # fmt: skip
_HOSTS: Final = ("registry.opentofu.org", "registry.terraform.io", "providers.example.com")
_SOURCES: Final = (
    "hashicorp/aws", "hashicorp/google", "hashicorp/kubernetes", "hashicorp/null", "hashicorp/random", "hashicorp/tls",
    "cloudflare/cloudflare", "datadog/datadog", "integrations/github",
)  # fmt: skip
_ALIASES: Final = ("", "", "", ".west", ".peer_account", ".b2")
_TYPES: Final = 80
_TEXTS: Final = ("alpha", "<b>bold</b> & more", "Zürich", "naïve “quoted”", "東京タワー", "tab\tand\nline", "🚀", "")
_NESTED: Final = 6
_POLICY: Final = json.dumps({"Statement": [{"Action": ["s3:*", "ec2:Describe*"], "Effect": "Allow"}] * 2}, indent=1)
_MAKERS: Final[tuple[Callable[[Random], object], ...]] = (
    lambda random: random.random() < 0.5,
    lambda _: None,
    lambda random: random.randrange(-9, 1000),
    lambda random: random.randrange(2**53, 2**64),
    lambda random: random.random() * 10.0 ** random.randrange(-12, 24),
    lambda random: f"{random.choice(_TEXTS)} {random.randrange(1000)}",
    lambda random: f"{random.randrange(2**256):064x}",
    lambda random: "\n".join(random.choices(_TEXTS, k=random.randrange(30))),
    lambda random: random.choices(_TEXTS, k=random.randrange(6)),
    lambda random: {_text(random): random.choice(_TEXTS) for _ in range(random.randrange(5))},
    lambda random: [{"from_port": port, "self": None} for port in range(random.randrange(5))],
    lambda random: _nested(_NESTED, random),
    lambda random: _POLICY.replace("s3", _text(random)),
    lambda _: "",
    lambda _: [],
    lambda _: {},
)


class _Module(NamedTuple):
    """The address of a module, and the same without the keys of its calls."""

    address: str
    config: str

    def child(self, name: str, key: _Key) -> _Module:
        step = f"module.{name}"
        return _Module(f"{self.address}.{step}{_bracketed(key)}".lstrip("."), f"{self.config}.{step}".lstrip("."))


def resources(machine: str) -> Iterator[_Object]:
    """Each object has `machine` once."""
    return (resource for number in count() for resource in _area(number, machine))


def _area(number: int, machine: str) -> list[_Object]:
    """40 resources of a module and of those in it, in the order of a state file."""
    random = Random(number)
    modules = [_Module("", "")]
    for depth, name in enumerate([f"area_{number:05}", "part", "cell", "node"] if number else []):
        modules.append(modules[-1].child(name, _key((number + depth) % 3, depth, random)))
    places = [random.choice(modules[1:] or modules) for _ in range(40)]
    made, names = [], list[str]()
    for place, module in enumerate(places):
        head = _head(module, place, random)
        made.append({**head, "instances": _instances(names, machine, random)})
        names.append(_config_address(module, head))
    return sorted(made, key=lambda one: (one.get("module", ""), one["mode"], one["type"], one["name"]))


def _head(module: _Module, place: int, random: Random) -> _Object:
    source = random.choice(_SOURCES)
    provider = f'provider["{random.choice(_HOSTS)}/{source}"]{random.choice(_ALIASES)}'
    # Some modules have provider configurations of their own; these are without the keys of calls.
    owner = f"{module.config}." if module.config and random.random() < 0.2 else ""
    return {
        **({"module": module.address} if module.address else {}),
        "mode": "data" if random.random() < 0.15 else "managed",
        "type": f"{source.split('/')[1]}_thing_{random.randrange(_TYPES):02}",
        "name": f"part_{place:02}",
        "provider": owner + provider,
    }


def _config_address(module: _Module, head: _Object) -> str:
    mode = "data." if head["mode"] == "data" else ""
    return f"{module.config}.{mode}{head['type']}.{head['name']}".lstrip(".")


def _instances(names: list[str], machine: str, random: Random) -> list[_Object]:
    """One instance without a key, or up to 10 with numbers or strings; some with deposed objects."""
    kind = random.choice((0, 0, 1, 2))
    keys = {_key(kind, number, random) for number in range(random.randrange(1, 11) if kind else 1)}
    made = []
    for key in sorted(keys) if kind else keys:  # type: ignore[type-var]
        made.append(_object(key, "", names, machine, random))
        deposed = random.randrange(1, 2**32) if random.random() < 0.02 else 0
        if deposed:
            made.append(_object(key, f"{deposed:08x}", names, machine, random))
    return made


def _object(key: _Key, deposed: str, names: list[str], machine: str, random: Random) -> _Object:
    kind = Random(random.randrange(_TYPES))
    makers = kind.choices(_MAKERS, k=kind.randrange(4, 26))
    made = {f"attribute_{number:02}": make(random) for number, make in enumerate(makers)}
    attributes = {**made, "id": f"i-{random.randrange(2**68):017x}", "instance_type": machine}
    secrets = {random.choice(list(made)) for _ in range(random.choice((0, 0, 0, 1, 3, 6)))}
    dependencies = sorted({random.choice(names) for _ in range(random.randrange(8))}) if names else []
    private = base64.b64encode(random.randbytes(random.choice((0, 0, 0, 0, 100, 150, 200, 250, 3000)))).decode()
    return {
        **({} if key is None else {"index_key": key}),
        **({"status": "tainted"} if random.random() < 0.03 else {}),
        **({"deposed": deposed} if deposed else {}),
        "schema_version": 1,
        "attributes": attributes,
        "sensitive_attributes": [_path(name, made[name]) for name in sorted(secrets)],
        **({"private": private} if private else {}),
        **({"dependencies": dependencies} if dependencies else {}),
        **({"create_before_destroy": True} if random.random() < 0.1 else {}),
        **(
            {"identity": {"arn": f"arn:aws:x:{attributes['id']}"}, "identity_schema_version": 0}
            if random.random() < 0.2
            else {}
        ),
    }


def _path(name: str, value: object) -> list[_Object]:
    """The sensitive path of an attribute, or of its first element."""
    first = next(iter(value), None) if isinstance(value, dict) else 0 if isinstance(value, list) and value else None
    type_ = "string" if isinstance(first, str) else "number"
    return [
        {"type": "get_attr", "value": name},
        *([] if first is None else [{"type": "index", "value": {"value": first, "type": type_}}]),
    ]


def _key(kind: int, number: int, random: Random) -> _Key:
    """No key, a number or a string."""
    return (None, number, random.choice(_KEYS).format(random.randrange(1000)))[kind]


def _bracketed(key: _Key) -> str:
    """A key as in an address."""
    if not isinstance(key, str):
        return "" if key is None else f"[{key}]"
    escaped = re.sub(r'["\\]', r"\\\g<0>", key).replace("\n", "\\n").replace("\t", "\\t")
    return '["' + re.sub(r"[$%](?=\{)", r"\g<0>\g<0>", escaped) + '"]'


def _nested(depth: int, random: Random) -> object:
    return [{"name": random.choice(_TEXTS), "inner": _nested(depth - 1, random)}] if depth else []


def _text(random: Random) -> str:
    return random.choice(_KEYS).format(random.randrange(1000))
