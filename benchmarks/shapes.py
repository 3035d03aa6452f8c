"""The states to measure with: the same in every run, and shaped like those of real configurations.

A shape is a short function that yields resources (or outputs) without end, in the order of a state file, and a row in
`SHAPES` that says in which format (`formats.py`) they are written.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from benchmarks.diverse import resources as _diverse
from benchmarks.formats import Resource, Resources, compact, format_3, indented, sorted_by_jq, with_outputs
from benchmarks.outputs import outputs

# Each object has this value once: put another one in its place to change objects.
MACHINE: Final = "t3.micro"
_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_REGIONS: Final = ("ap-south-1", "eu-central-1", "eu-west-1", "us-east-1")
# In the order of a state file.
_TYPES: Final = ("data.aws_ami", "aws_eip", "aws_instance", "aws_lb_target_group", "aws_route53_record", "aws_subnet")


def singles() -> Resources:
    """Resources with one instance of 1 to 3 kB, as in most states: 50,000 in 100 MB."""
    for number in count():
        module, place = divmod(number, 36)
        path = f"module.service_{module:05}" if module else ""
        needed = [f"{path}.data.aws_ami.part_00".removeprefix(".")] if place >= 6 else []
        yield _resource(path, _TYPES[place // 6], f"part_{place:02}", [_instance(number, number % 6, needed)])


def instances() -> Resources:
    """Resources with up to 24 instances of 2 to 5 kB, some of them deposed, in the instances of one module."""
    for number in count():
        path = f'module.cell["{number:06}"]'
        database = "module.cell.aws_db_instance.main"
        secret = _instance(29 * number, 4, attributes={"password": "not-so-secret"})
        yield _resource(path, "aws_db_instance", "main", [secret])
        machines = [_instance(29 * number + key, 2 + key % 10, [database], key=key) for key in range(24)]
        if number % 40 == 39:
            machines.append(_instance(number, 2, [database], key=23, deposed=f"{number:08x}"))
        yield _resource(path, "aws_instance", "web", machines)
        buckets = [_instance(29 * number + 24 + at, 6, key=key) for at, key in enumerate(_REGIONS)]
        yield _resource(path, "aws_s3_bucket", "store", buckets)


def modules() -> Resources:
    """Modules six deep, each with a key, and four resources in each of the innermost ones."""
    for number in count():
        rest, place = divmod(number, 4)
        rest, node = divmod(rest, 3)
        rest, pool = divmod(rest, 2)
        rest, cluster = divmod(rest, 3)
        team, region = divmod(rest, len(_REGIONS))
        path = (
            f'module.team["team-{team:05}"].module.stage["production"].module.region["{_REGIONS[region]}"]'
            f'.module.cluster[{cluster}].module.pool["pool-{pool}"].module.node[{node}]'
        )
        role = "module.team.module.stage.module.region.module.cluster.module.pool.module.node.data.aws_ami.part"
        yield _resource(path, _TYPES[place], "part", [_instance(number, number % 6, [role] if place > 1 else [])])


def dependencies() -> Resources:
    """Each resource depends on the 72 before it: 14,000 resources in 100 MB, of which dependencies take over half."""
    for number in count():
        before = [
            f"module.layer_{n // 50:04}.aws_instance.part_{n % 50:02}" for n in range(max(0, number - 72), number)
        ]
        instance = _instance(number, 3 + number % 6, before)
        yield _resource(f"module.layer_{number // 50:04}", "aws_instance", f"part_{number % 50:02}", [instance])


def provider_keys() -> Resources:
    """Each instance has a provider instance of its own, one of 1,000, as OpenTofu 1.9 and later write it."""
    for number in count():
        tenants = [f"tenant-{tenant:03}" for tenant in range(number * 20 % 1000, number * 20 % 1000 + 20)]
        bound = [
            _instance(20 * number + at, at % 6, key=tenant, provider=f'{_PROVIDER}.by_tenant["{tenant}"]')
            for at, tenant in enumerate(tenants)
        ]
        yield _resource("", "aws_s3_bucket", f"store_{number:06}", bound, provider="")


def large_attributes() -> Resources:
    """Single values of about 200 kB: by turns a manifest, of which much is escaped, and base64."""
    for number in count():
        lines = (f'  - name: "node-{number}-{line}" # <Zürich> & elsewhere' for line in range(4_000))
        text = "\n".join(lines) if number % 2 else base64.b64encode(Random(number).randbytes(150_000)).decode()
        instance = _instance(number, 0, attributes={"user_data": text})
        yield _resource("", "aws_instance", f"part_{number:06}", [instance])


def diverse() -> Resources:
    """No two are alike: 8,150 resources with 27,400 objects in 100 MB."""
    return _diverse(MACHINE)


def _resource(
    module: str, type_: str, name: str, instances: list[dict[str, Any]], *, provider: str = _PROVIDER
) -> Resource:
    mode = "data" if type_.startswith("data.") else "managed"
    head = {"module": module, "mode": mode, "type": type_.removeprefix("data."), "name": name, "provider": provider}
    return {**{name: value for name, value in head.items() if value}, "instances": instances}


def _instance(
    number: int,
    disks: int,
    dependencies: Sequence[str] = (),
    *,
    key: int | str | None = None,
    deposed: str = "",
    provider: str = "",
    attributes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """An object with an id made of `number`, whose size grows with `disks`; a password is sensitive."""
    attributes = {**_attributes(f"{number * 0x9E3779B97F4A7C15 % 2**68:017x}", disks), **(attributes or {})}
    return {
        **({} if key is None else {"index_key": key}),
        **({"deposed": deposed} if deposed else {}),
        **({"provider": provider} if provider else {}),
        "schema_version": 1,
        "attributes": dict(sorted(attributes.items())),
        "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]] if "password" in attributes else [],
        "private": "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ==",
        **({"dependencies": dependencies} if dependencies else {}),
    }


def _attributes(id_: str, disks: int) -> dict[str, Any]:
    return {
        "arn": f"arn:aws:ec2:eu-central-1:123456789012:resource/{id_}",
        "availability_zone": "eu-central-1a",
        "cpu_count": 2,
        "ebs_block_device": [
            {
                "delete_on_termination": True,
                "device_name": f"/dev/sd{disk}",
                "encrypted": True,
                "snapshot_id": "",
                "tags": {},
                "throughput": 0,
                "volume_id": f"vol-{disk}{id_}",
                "volume_size": 100,
            }
            for disk in range(disks)
        ],
        "enabled": True,
        "id": f"i-{id_}",
        "instance_type": MACHINE,
        "iops": None,
        "private_ip": "10.0.17.4",
        "tags": {"Environment": "production", "Name": f"node-{id_}", "Team <ops>": "a & b"},
    }


def _many_outputs(endless: Iterator[tuple[str, object]], size: int) -> Iterator[bytes]:
    """Outputs to the size, and 24 resources."""
    return with_outputs(endless, list(islice(singles(), 24)), size)


class Shape(NamedTuple):
    """What a state is made of, and in which format and layout it is written."""

    parts: Callable[[], Iterator[Any]]
    written: Callable[[Iterator[Any], int], Iterator[bytes]]

    @property
    def canonical(self) -> bool:
        """Whether OpenTofu writes the very same bytes."""
        return self.written in (indented, compact, _many_outputs)

    def pieces(self, size: int) -> Iterator[bytes]:
        """The text of a state of at least `size` bytes."""
        return self.written(self.parts(), size)

    def write(self, path: Path, size: int) -> None:
        """Write a state of at least `size` bytes, without ever holding the whole of it."""
        with path.open("wb", buffering=1 << 20) as file:
            file.writelines(self.pieces(size))


SHAPES: Final = {
    "singles": Shape(singles, indented),
    "instances": Shape(instances, indented),
    "modules": Shape(modules, indented),
    "dependencies": Shape(dependencies, indented),
    "provider-keys": Shape(provider_keys, indented),
    "large-attributes": Shape(large_attributes, indented),
    "diverse": Shape(diverse, indented),
    "outputs": Shape(outputs, _many_outputs),
    "compact": Shape(singles, compact),
    "not-canonical": Shape(singles, sorted_by_jq),
    "format-3": Shape(singles, format_3),
}
