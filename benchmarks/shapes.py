"""The states to measure with: the same in every run, and shaped like those of real configurations.

A shape is a short function that yields resources (or outputs) without end, in the order of a state file, and a row in
`SHAPES` that says in which format they are written. The writers stop at the size that is asked for.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count, groupby, islice
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from benchmarks.diverse import resources as _diverse
from benchmarks.outputs import outputs

Resource: TypeAlias = dict[str, Any]
Resources: TypeAlias = Iterator[Resource]

LINEAGE: Final = "3f1c2a77-6b0e-4f2b-8c55-0e4d6f7a8b9c"
# Each object has this value once: put another one in its place to change objects.
MACHINE: Final = "t3.micro"
_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_REGIONS: Final = ("ap-south-1", "eu-central-1", "eu-west-1", "us-east-1")
# In the order of a state file.
_TYPES: Final = ("data.aws_ami", "aws_eip", "aws_instance", "aws_lb_target_group", "aws_route53_record", "aws_subnet")
_HEAD: Final = {"version": 4, "terraform_version": "1.12.0", "serial": 58, "lineage": LINEAGE}
_OUTPUTS: Final = {
    "address": {"value": "10.0.0.7", "type": "string"},
    "zones": {"value": ["a", "b"], "type": ["list", "string"]},
}


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


def indented(resources: Resources, size: int) -> Iterator[bytes]:
    """Canonical, as OpenTofu 1.12 and Terraform write local files."""
    return _version_4(resources, size, _indented)


def compact(resources: Resources, size: int) -> Iterator[bytes]:
    """Canonical, as OpenTofu 1.8 to 1.11 write, and later releases in remote backends."""
    return _version_4(resources, size, lambda tree: _as_go(orjson.dumps(tree)))


def sorted_by_jq(resources: Resources, size: int) -> Iterator[bytes]:
    """What `jq -S .` makes of a state: members in alphabetical order, and no HTML escapes."""
    sort = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    return _version_4(resources, size, lambda tree: orjson.dumps(tree, option=sort))


def with_outputs(endless: Iterator[tuple[str, object]], size: int) -> Iterator[bytes]:
    """Canonical as with `indented`, with outputs to the size, and 24 resources."""
    resources = list(islice(singles(), 24))
    return _document({**_HEAD, "outputs": endless, "resources": resources, "check_results": None}, size, _indented)


def format_3(resources: Resources, size: int) -> Iterator[bytes]:
    """As Terraform 0.11 wrote: modules without keys, and flat attributes."""
    head = {**_HEAD, "version": 3, "terraform_version": "0.11.14"}
    outputs = {"address": {"sensitive": False, "type": "string", "value": "10.0.0.7"}}
    documents = (
        {
            "path": ["root", *(module.removeprefix("module.").split(".module.") if module else ())],
            "outputs": {} if module else outputs,
            "resources": dict(sorted(entry for resource in members for entry in _entries(resource))),
            "depends_on": [],
        }
        for module, members in groupby(resources, lambda resource: str(resource.get("module", "")))
    )
    indent_4 = re.compile(rb"^ +", re.MULTILINE)
    return _document(
        {**head, "modules": documents}, size, lambda tree: indent_4.sub(lambda found: found[0] * 2, _indented(tree))
    )


def _entries(resource: Resource) -> Iterator[tuple[str, dict[str, Any]]]:
    """The instances of a resource of format 4, without deposed objects, as those of format 3."""
    for instance in resource["instances"]:
        key = f".{instance['index_key']}" if "index_key" in instance else ""
        within = f"{resource.get('module', '')}."
        mode = "data." if resource["mode"] == "data" else ""
        yield (
            f"{mode}{resource['type']}.{resource['name']}{key}",
            {
                "type": resource["type"],
                "depends_on": [name.removeprefix(within) for name in instance.get("dependencies", ())],
                "primary": {
                    "id": instance["attributes"]["id"],
                    "attributes": dict(sorted(_flat("", instance["attributes"]))),
                    "meta": {"schema_version": "1"},
                    "tainted": False,
                },
                "deposed": [],
                "provider": "provider.aws",
            },
        )


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """The entries `tags.%`, `disks.#`, `disks.0.size` and so on that an attribute had."""
    if isinstance(value, dict | list):
        members = list(value.items() if isinstance(value, dict) else enumerate(value))
        # The elements of a list are blocks, which had no entry for their size.
        if name and not name[-1].isdigit():
            yield f"{name}.{'%' if isinstance(value, dict) else '#'}", str(len(members))
        for member, inner in members:
            yield from _flat(f"{name}.{member}".removeprefix("."), inner)
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


def _version_4(resources: Resources, size: int, text: Callable[[object], bytes]) -> Iterator[bytes]:
    return _document({**_HEAD, "outputs": _OUTPUTS, "resources": resources, "check_results": None}, size, text)


def _document(tree: dict[str, Any], size: int, text: Callable[[object], bytes]) -> Iterator[bytes]:
    """A JSON document of at least `size` bytes, piece by piece.

    One of its members is endless: an array, or the outputs with their names.
    """
    name, elements = next((name, value) for name, value in tree.items() if isinstance(value, Iterator))
    mark = "a place for all elements"
    place = {mark: mark} if name == "outputs" else [mark]
    before, *colon, after = text({**tree, name: place}).split(text(mark))
    # The line break and the spaces before each element; nothing in the compact layout.
    lead = before[len(before.rstrip()) :]
    yield before.removesuffix(lead)
    written = len(before)
    for number, element in enumerate(elements):
        parts = element if isinstance(element, tuple) else (element,)
        piece = (b"," if number else b"") + lead + b"".join(colon).join(map(text, parts)).replace(b"\n", lead)
        yield piece
        written += len(piece)
        if written >= size:
            break
    yield after + b"\n"


def _indented(tree: object) -> bytes:
    return _as_go(orjson.dumps(tree, option=orjson.OPT_INDENT_2))


def _as_go(text: bytes) -> bytes:
    """Go escapes three signs for the sake of HTML."""
    return text.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


class Shape(NamedTuple):
    """What a state is made of, and in which format and layout it is written."""

    parts: Callable[[], Iterator[Any]]
    written: Callable[[Iterator[Any], int], Iterator[bytes]]

    @property
    def canonical(self) -> bool:
        """Whether OpenTofu writes the very same bytes."""
        return self.written in (indented, compact, with_outputs)

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
    "outputs": Shape(outputs, with_outputs),
    "compact": Shape(singles, compact),
    "not-canonical": Shape(singles, sorted_by_jq),
    "format-3": Shape(singles, format_3),
}
