"""States to measure with: made the same in every run, canonical, and like those of real configurations.

A state is a root module and as many numbered modules as its size asks for. Each module holds a data source, a role, a
database with a sensitive password, buckets with string keys, and machines with integer keys; they depend on each other,
and one machine in a thousand has left a deposed object behind. An instance takes 2 to 5 kB, as the larger resources of
the AWS provider do.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_REGIONS: Final = ("ap-south-1", "eu-central-1", "eu-west-1", "us-east-1")
_CHUNK: Final = 1 << 20
# Attribute texts that are made once for each size; what tells instances apart is put into the places of the marks.
_SHAPES: Final = 16
_MARK: Final = "\u2603"


class Kind(NamedTuple):
    """What a state is to be like.

    `regions` gives buckets a provider instance each, in the form that OpenTofu 1.9 and later write, and whose resources
    Terraform drops without a word. `indented` is the layout of local files. The first `changed` machines have another
    instance type than with 0. `instance_bytes` are the least and the most that the attributes of an instance take, and
    `machines` how many of them a module has, besides seven other instances.
    """

    regions: bool = True
    indented: bool = True
    changed: int = 0
    instance_bytes: tuple[int, int] = (1_600, 4_600)
    machines: int = 24


def write_state(path: Path, size: int, kind: Kind = Kind()) -> None:
    """Write a state of at least `size` bytes, without ever holding the whole of it."""
    waiting: list[str] = []
    held = 0
    with path.open("w", encoding="utf-8") as file:
        for piece in _pieces(size, kind):
            waiting.append(piece)
            held += len(piece)
            if held > _CHUNK:
                file.write("".join(waiting))
                waiting, held = [], 0
        file.write("".join(waiting))


def state_text(size: int, kind: Kind = Kind(), seed: int = 1) -> bytes:
    """A state of at least `size` bytes; `seed` makes it one of many."""
    return "".join(_pieces(size, kind, seed)).encode()


def _pieces(size: int, kind: Kind, seed: int = 1) -> Iterator[str]:
    """The text of a state, resource by resource."""
    maker = _Maker(kind, seed)
    head = maker.text(maker.head(), 0).removesuffix("}").rstrip("\n")
    yield head + (',\n  "resources": [' if kind.indented else ',"resources":[')
    written, first = len(head), True
    for module in range(1_000_000):
        if written >= size:
            break
        for resource in maker.module(module):
            lead = ("\n    " if kind.indented else "") if first else (",\n    " if kind.indented else ",")
            first = False
            yield lead + resource
            written += len(lead) + len(resource)
    yield '\n  ],\n  "check_results": null\n}\n' if kind.indented else '],"check_results":null}\n'


class _Maker:
    """Makes the resources of one state."""

    def __init__(self, kind: Kind, seed: int) -> None:
        self._kind = kind
        self._random = Random(seed)
        self._shapes: dict[tuple[str, int], list[str]] = {}
        self._seen = 0
        least, most = kind.instance_bytes
        self._sizes = [least + (most - least) * number // (_SHAPES - 1) for number in range(_SHAPES)]

    def text(self, tree: Any, depth: int) -> str:
        """JSON in the layout of the state, `depth` levels deep."""
        if self._kind.indented:
            text = json.dumps(tree, indent=2).replace("\n", "\n" + "  " * depth)
        else:
            text = json.dumps(tree, separators=(",", ":"))
        # As Go does.
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

    def head(self) -> dict[str, Any]:
        return {
            "version": 4,
            "terraform_version": "1.12.0" if self._kind.regions else "1.11.4",
            "serial": self._random.randrange(1, 500),
            "lineage": f"3f1c2a77-6b0e-4f2b-8c55-{self._random.getrandbits(48):012x}",
            "outputs": {
                "address": {"value": "10.0.0.7", "type": "string"},
                "zones": {"value": ["a", "b"], "type": ["list", "string"]},
            },
        }

    def module(self, number: int) -> Iterator[str]:
        """The resources of the root module (0) or of another one, in the order of a file."""
        # Six digits: in a file modules stand in the order of their text.
        module = {"module": f'module.cell["{number:06}"]'} if number else {}
        base = "module.cell." if number else ""
        role, subnet = f"{base}aws_iam_role.service", f"{base}data.aws_subnet.main"
        yield self._resource(module, "data", "aws_subnet", "main", [self._object("aws_subnet", [])])
        yield self._resource(
            module, "managed", "aws_db_instance", "main", [self._object("aws_db_instance", [role], secret=True)]
        )
        yield self._resource(module, "managed", "aws_iam_role", "service", [self._object("aws_iam_role", [])])
        machines = []
        for key in range(self._kind.machines):
            self._seen += 1
            machine = self._object("aws_instance", [role, subnet], key=key, old=self._seen > self._kind.changed)
            machines.append(machine)
            if self._seen % 1_000 == 0:
                deposed = f"{self._random.getrandbits(32):08x}"
                machines.append(self._object("aws_instance", [role, subnet], key=key, deposed=deposed))
        yield self._resource(module, "managed", "aws_instance", "web", machines)
        if self._kind.regions:
            buckets = [
                self._object("aws_s3_bucket", [role], key=key, provider=f"{_PROVIDER}.by_region[{json.dumps(key)}]")
                for key in _REGIONS
            ]
        else:
            buckets = [self._object("aws_s3_bucket", [role], key=key) for key in _REGIONS]
        yield self._resource(module, "managed", "aws_s3_bucket", "store", buckets, bound=not self._kind.regions)

    def _resource(
        self, module: dict[str, str], mode: str, type_: str, name: str, objects: Sequence[str], *, bound: bool = True
    ) -> str:
        head = {**module, "mode": mode, "type": type_, "name": name, **({"provider": _PROVIDER} if bound else {})}
        text = self.text({**head, "instances": [_MARK]}, 2)
        line = "\n        " if self._kind.indented else ""
        return text.replace(json.dumps(_MARK), f",{line}".join(objects))

    def _object(
        self,
        type_: str,
        dependencies: Sequence[str],
        *,
        key: int | str | None = None,
        deposed: str = "",
        provider: str = "",
        secret: bool = False,
        old: bool = True,
    ) -> str:
        number = self._random.randrange(_SHAPES)
        shape = self._shapes.get((type_, number))
        if shape is None:
            shape = self.text(self._attributes(type_, self._sizes[number], secret), 5).split(json.dumps(_MARK)[1:-1])
            self._shapes[type_, number] = shape
        marks = f"{self._random.getrandbits(68 * (len(shape) - 2)):0{17 * (len(shape) - 2)}x}"
        parts = [shape[0], "t3.micro" if old else "m6i.large"]
        for place, part in enumerate(shape[1:-1]):
            parts += [part, marks[17 * place : 17 * place + 17]]
        parts.append(shape[-1])
        paths = [[{"type": "get_attr", "value": "password"}]] if secret else []
        tree = {
            **({} if key is None else {"index_key": key}),
            **({"deposed": deposed} if deposed else {}),
            **({"provider": provider} if provider else {}),
            "schema_version": 1,
            "attributes": _MARK,
            "sensitive_attributes": paths,
            "private": base64.b64encode(b'{"schema_version":"1"}').decode(),
            **({"dependencies": sorted(dependencies)} if dependencies else {}),
        }
        return self.text(tree, 4).replace(json.dumps(_MARK), "".join(parts))

    def _attributes(self, type_: str, size: int, secret: bool) -> dict[str, Any]:
        """Attributes with marks where instances differ: the first is for the kind of machine."""
        attributes: dict[str, Any] = {
            "_kind": _MARK,
            "arn": f"arn:aws:ec2:eu-central-1:123456789012:{type_}/{_MARK}",
            "availability_zone": "eu-central-1a",
            "cpu_count": 2,
            "ebs_block_device": [],
            "enabled": True,
            "id": f"i-{_MARK}",
            "iops": None,
            "private_ip": "10.0.17.4",
            "tags": {"Environment": "production", "Name": f"node-{_MARK}", "Team <ops>": "a & b"},
        }
        if secret:
            attributes["password"] = f"not-so-secret-{_MARK}"
        attributes["user_data"] = _MARK
        room = size - len(self.text(attributes, 5))
        disk = {
            "delete_on_termination": True,
            "device_name": "/dev/sda",
            "encrypted": True,
            "snapshot_id": "",
            "tags": {},
            "throughput": 0,
            "volume_id": f"vol-{_MARK}",
            "volume_size": 100,
        }
        attributes["ebs_block_device"] = [disk] * max(0, room // (len(self.text(disk, 7)) + 12))
        return dict(sorted(attributes.items()))
