"""Makes an old and a new configuration and a state from one plan, which knows where each object belongs.

Regions, accounts, modules and names vary, and so does what there is to see: attributes that show a region or a name,
numbers in names, names that lie about the region, copies that were deleted, and whether the old configuration is known.
"""

from __future__ import annotations

import json
import random
from typing import NamedTuple

_REGIONS = {
    "eu": "eu-west-1",
    "us": "us-east-1",
    "ap": "ap-south-1",
    "sa": "sa-east-1",
    "ca": "ca-central-1",
    "de": "eu-central-1",
}
_ACCOUNTS = {"prod": "111111111111", "dev": "222222222222", "lab": "333333333333"}
_NAMES = ("logs", "data", "jobs", "jobs_dead", "web", "cache", "audit_log", "events", "primary", "web2")
_TYPES = {
    "aws_vpc": "vpc",
    "aws_sqs_queue": "name",
    "aws_s3_bucket": "bucket",
    "aws_kms_key": "",
    "aws_iam_role": "name",
}


class Place(NamedTuple):
    """A region in an account, the alias that the old configuration has for it, and the key that the new one has."""

    alias: str
    key: str
    region: str
    account: str


class Generated(NamedTuple):
    """The files by name, the lines of the state, and where each object belongs."""

    files: dict[str, str]
    state: str
    right: dict[str, str]


def generate(seed: int) -> Generated:
    """Make one migration."""
    chance = random.Random(seed)
    with_accounts = chance.random() < 0.4
    regions = chance.sample(sorted(_REGIONS), chance.randint(2, 4))
    accounts = chance.sample(sorted(_ACCOUNTS), 2) if with_accounts else [""]
    long_keys = chance.random() < 0.4
    places = [
        Place(
            alias=f"{account}_{name}".strip("_") if chance.random() < 0.8 else f"p{number}{name[0]}",
            key=f"{account}/{_REGIONS[name] if long_keys else name}".strip("/"),
            region=_REGIONS[name],
            account=account,
        )
        for number, (account, name) in enumerate((account, name) for account in accounts for name in regions)
    ]
    places = [place._replace(alias=f"{place.alias}_{number}" if place.alias in _seen(places, number) else place.alias)
              for number, place in enumerate(places)]  # fmt: skip
    old, new = _providers(places, with_accounts)
    if chance.random() < 0.5:
        lines, right = _resources(chance, places, old, new)
        files = {"before/main.tf": "\n".join(old), "after/main.tf": "\n".join(new)}
    else:
        lines, right, module = _modules(chance, places, old, new)
        files = {"before/main.tf": "\n".join(old), "after/main.tf": "\n".join(new)}
        files |= {"before/app/main.tf": module, "after/app/main.tf": module}
    return Generated(files, "\n".join(lines), right)


def _seen(places: list[Place], number: int) -> set[str]:
    return {place.alias for place in places[:number]}


def _role(place: Place, name: str) -> str:
    role = f"arn:aws:iam::{_ACCOUNTS[place.account]}:role/{name}"
    return f'  assume_role {{\n    role_arn = "{role}"\n  }}\n'


def _providers(places: list[Place], with_accounts: bool) -> tuple[list[str], list[str]]:
    old = [
        f'provider "aws" {{\n  alias = "{place.alias}"\n  region = "{place.region}"\n'
        f"{_role(place, 'old') if with_accounts else ''}}}"
        for place in places
    ]
    entries = ", ".join(
        f'"{place.key}" = {{ region = "{place.region}", id = "{_ACCOUNTS.get(place.account, "")}" }}'
        for place in places
    )
    role = '  assume_role {\n    role_arn = "arn:aws:iam::${each.value.id}:role/new"\n  }\n' if with_accounts else ""
    new = [
        f"locals {{\n  places = {{ {entries} }}\n}}",
        f'provider "aws" {{\n  alias = "at"\n  for_each = local.places\n  region = each.value.region\n{role}}}',
    ]
    return old, new


def _attributes(chance: random.Random, type_: str, place: Place, name: str, number: int) -> dict[str, str]:
    found = {"id": f"id-{number}"}
    account = _ACCOUNTS.get(place.account, "444444444444")
    if type_ == "aws_iam_role":
        return {"id": f"{name}-role", "name": f"{name}-role", "arn": f"arn:aws:iam::{account}:role/{name}-role"}
    if type_ == "aws_s3_bucket":
        bucket = f"acme-{name}-{place.key.replace('/', '-')}"
        return {"id": bucket, "bucket": bucket, "arn": f"arn:aws:s3:::{bucket}"}
    if chance.random() < 0.6:
        found["arn"] = f"arn:aws:x:{place.region}:{account}:{name}-{number}"
    return found


def _arguments(type_: str, name: str, key: str) -> str:
    if type_ == "aws_s3_bucket":
        return f'  bucket = "acme-{name}-${{replace({key}, "/", "-")}}"\n'
    return f'  name = "{name}-role"\n' if type_ == "aws_iam_role" else ""


def _resources(
    chance: random.Random, places: list[Place], old: list[str], new: list[str]
) -> tuple[list[str], dict[str, str]]:
    lines: list[str] = []
    right: dict[str, str] = {}
    number = 0
    for type_ in chance.sample(sorted(_TYPES), chance.randint(1, 3)):
        for name in chance.sample(_NAMES, chance.randint(1, 3)):
            # The names of the copies say where they are, or lie.
            labels = [place.key.replace("/", "_").replace("-", "_") for place in places]
            if chance.random() < 0.15:
                chance.shuffle(labels)
            new.append(
                f'resource "{type_}" "{name}" {{\n  for_each = local.places\n  provider = aws.at[each.key]\n'
                f"{_arguments(type_, name, 'each.key')}}}"
            )
            for place, label in zip(places, labels, strict=True):
                number += 1
                if chance.random() < 0.15:
                    continue
                address = f"{type_}.{name}_{label}"
                old.append(f'resource "{type_}" "{name}_{label}" {{\n  provider = aws.{place.alias}\n}}')
                attributes = _attributes(chance, type_, place, name, number)
                lines.append(f"{address} aws.{place.alias} {json.dumps(attributes)}")
                right[address] = f'{type_}.{name}["{place.key}"]'
    chance.shuffle(lines)
    chance.shuffle(old)
    return lines, right


def _modules(
    chance: random.Random, places: list[Place], old: list[str], new: list[str]
) -> tuple[list[str], dict[str, str], str]:
    lines: list[str] = []
    right: dict[str, str] = {}
    blocks = [
        (type_, name)
        for type_ in chance.sample(sorted(_TYPES), chance.randint(1, 4))
        for name in chance.sample(_NAMES, chance.randint(1, 2))
    ]
    counted = {block for block in blocks if chance.random() < 0.3 and block[0] not in ("aws_s3_bucket", "aws_iam_role")}
    module = 'variable "key" {}\n' + "\n".join(
        f'resource "{type_}" "{name}" {{\n{"  count = 2" if (type_, name) in counted else ""}\n'
        f"{_arguments(type_, name, 'var.key')}}}"
        for type_, name in blocks
    )
    new.append(
        'module "app" {\n  source = "./app"\n  for_each = local.places\n  key = each.key\n'
        "  providers = { aws = aws.at[each.key] }\n}"
    )
    for number, place in enumerate(places):
        label = f"app_{number}" if chance.random() < 0.3 else f"app_{place.alias}"
        old.append(
            f'module "{label}" {{\n  source = "./app"\n  key = "{place.key}"\n'
            f"  providers = {{ aws = aws.{place.alias} }}\n}}"
        )
        for count, (type_, name) in enumerate(blocks):
            for index in ("[0]", "[1]") if (type_, name) in counted else ("",):
                attributes = _attributes(chance, type_, place, name, 100 * number + count)
                address = f"module.{label}.{type_}.{name}{index}"
                lines.append(f"{address} aws.{place.alias} {json.dumps(attributes)}")
                right[address] = f'module.app["{place.key}"].{type_}.{name}{index}'
    chance.shuffle(lines)
    return lines, right, module
