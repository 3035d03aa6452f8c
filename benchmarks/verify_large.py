"""How long `verify` takes for a plan of 20,000 changes with states of 100 MB, against orjson parsing the same files.

    python -m benchmarks.verify_large [--changes N] [--runs N]

Both are whole processes that run in turn. The states are indented as Go does it; the plan is on one line, as
`show -json` prints it. Two fifths of the objects do not change, two fifths are updated, the rest is created, replaced
or destroyed, with unknown values in between.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import orjson

_PARSE: Final = "import sys, orjson\nfor name in sys.argv[1:]:\n    orjson.loads(open(name, 'rb').read())"
_PROVIDER: Final = "registry.opentofu.org/hashicorp/aws"
_PER_RESOURCE: Final = 50
# So that a state of 20,000 objects takes 100 MB.
_RULES: Final = 12


def _attributes(number: int, rng: random.Random) -> dict[str, Any]:
    return {
        "ami": f"ami-{rng.getrandbits(64):016x}",
        "arn": f"arn:aws:ec2:eu-west-1:123456789012:instance/i-{number:017x}",
        "availability_zone": "eu-west-1a",
        "cpu_core_count": number % 32,
        "ebs_optimized": bool(number % 2),
        "id": f"i-{number:017x}",
        "ingress": [
            {
                "cidr_blocks": [f"10.{number % 256}.{rule}.0/24", "192.168.0.0/16"],
                "description": f"rule {rule} of {number}",
                "from_port": 1000 + rule,
                "ipv6_cidr_blocks": None,
                "protocol": "tcp",
                "to_port": 1000 + rule,
            }
            for rule in range(_RULES)
        ],
        "monitoring": None,
        "price": 0.25 + number,
        "public_ip": f"54.{number % 200}.{number % 256}.1",
        "root_block_device": [{"iops": 3000, "tags": None, "volume_id": f"vol-{number:017x}", "volume_size": 20}],
        "tags": {"Name": f"web-{number}", "Owner": "platform", "Release": f"r-{number % 9}"},
        "user_data": f"{rng.getrandbits(1024):0256x}",
    }


_UNKNOWN: Final = ("arn", "id", "public_ip")


def make(folder: Path, changes: int) -> tuple[Path, Path, Path]:
    """Write a plan and the states before and after it; return their paths."""
    rng = random.Random(21)
    states: dict[str, list[dict[str, Any]]] = {"before": [], "after": []}
    listed: list[dict[str, Any]] = []
    prior: list[dict[str, Any]] = []
    for number in range(changes):
        name, index = f"web_{number // _PER_RESOURCE}", number % _PER_RESOURCE
        common = {"address": f"aws_instance.{name}[{index}]", "mode": "managed", "type": "aws_instance", "name": name}
        common |= {"index": index, "provider_name": _PROVIDER}
        old, kind = _attributes(number, rng), number % 10
        new, planned, unknown = dict(old), dict(old), dict[str, bool]()
        actions = ["no-op"]
        if 4 <= kind < 8:
            actions = ["update"]
            new["tags"] = planned["tags"] = {**old["tags"], "Release": "next"}
            unknown, planned = {"public_ip": True}, _without(planned, ("public_ip",))
            new["public_ip"] = "54.1.1.2"
        elif kind == 8:
            actions = ["create"] if number % 20 == 8 else ["delete", "create"]
            new |= {"id": f"i-{number:016x}f", "arn": f"arn:{number}", "public_ip": "54.1.1.3"}
            unknown, planned = dict.fromkeys(_UNKNOWN, True), _without(planned, _UNKNOWN)
        elif kind == 9:
            actions = ["delete"]
        before = None if actions == ["create"] else old
        after = None if actions == ["delete"] else planned
        change = {"actions": actions, "before": before, "after": after, "after_unknown": unknown}
        listed.append({**common, "change": {**change, "before_sensitive": {}, "after_sensitive": {}}})
        if before is not None:
            prior.append({**common, "schema_version": 1, "values": old, "sensitive_values": {}})
            _add(states["before"], name, index, old)
        if after is not None:
            _add(states["after"], name, index, new)
    plan = {
        "format_version": "1.2",
        "terraform_version": "1.10.0",
        "planned_values": {"root_module": {"resources": [_planned(change) for change in listed]}},
        "resource_changes": listed,
        "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": prior}}},
        "configuration": {"root_module": {}},
        "errored": False,
    }
    paths = folder / "plan.json", folder / "before.tfstate", folder / "after.tfstate"
    paths[0].write_bytes(orjson.dumps(plan))
    for serial, (path, resources) in enumerate(zip(paths[1:], states.values(), strict=True), 1):
        state: dict[str, Any] = {
            "version": 4,
            "terraform_version": "1.10.0",
            "serial": serial,
            "lineage": "l",
            "outputs": {},
        }
        path.write_bytes(
            orjson.dumps({**state, "resources": resources, "check_results": None}, option=orjson.OPT_INDENT_2)
        )
    return paths


def _without(values: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


def _planned(change: dict[str, Any]) -> dict[str, Any]:
    details = change["change"]
    return {**_without(change, ("change",)), "schema_version": 1, "values": details["after"], "sensitive_values": {}}


def _add(resources: list[dict[str, Any]], name: str, index: int, attributes: dict[str, Any]) -> None:
    if not resources or resources[-1]["name"] != name:
        provider = f'provider["{_PROVIDER}"]'
        resources.append(
            {"mode": "managed", "type": "aws_instance", "name": name, "provider": provider, "instances": []}
        )
    obj = {"index_key": index, "schema_version": 1, "attributes": attributes, "sensitive_attributes": []}
    resources[-1]["instances"].append(obj)


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True)
    if done.returncode:
        sys.exit(done.stdout.decode() + done.stderr.decode())
    return time.perf_counter() - start


def main() -> None:
    """Measure, and print the median of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        plan, before, after = make(Path(folder), options.changes)
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.0f} MB" for path in (plan, before, after))
        print(f"{options.changes} changes: {sizes}")
        parse = [sys.executable, "-c", _PARSE, str(plan), str(before), str(after)]
        check = [sys.executable, "-m", "statefmt", "verify", str(plan), "--before", str(before), "--after", str(after)]
        ratios = []
        for _ in range(options.runs):
            yardstick, ours = _seconds(parse), _seconds(check)
            ratios.append(ours / yardstick)
            print(f"orjson {yardstick:.2f} s, verify {ours:.2f} s: {ours / yardstick:.2f}")
        print(f"median of the ratios: {statistics.median(ratios):.2f} (at most 4)")


if __name__ == "__main__":
    main()
