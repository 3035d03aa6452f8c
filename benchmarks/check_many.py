"""How long `statetool check` takes for 1,000 small states, against a Python process that only parses them.

    python -m benchmarks.check_many [RUNS]

Both are whole processes: start-up, reading the files and all. The states are made here, the same in every run: as
OpenTofu writes them, nearly all of them in good order, and one in twenty with something to report. Each figure is the
median of as many runs (5 unless told otherwise), which take turns, after one that is not counted: time on the clock,
which falls with the number of processors, and then the time of all processors together.

Start-up alone takes longer than orjson takes for all the small states; half of it is Python itself, the library for
command lines, and msgspec. Of what a state costs, a fifth (small states) to a third (larger ones) goes into making a
snapshot of it, a sixth into comparing it with its canonical text, and the rest into the other rules.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tabulate import tabulate

from benchmarks.measure import Process, in_turn

_STATES: Final = 1_000
# Resources in a state, by what the state is to be called.
_SIZES: Final = {"3 kB": 3, "26 kB": 23}
_STATETOOL: Final = (sys.executable, "-c", "from statefmt.cli.start import run; run()", "check", "--no-settings")
_PARSE_ALL: Final = """
import os, sys, orjson
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as file:
        orjson.loads(file.read())
"""
_ORJSON: Final = (sys.executable, "-c", _PARSE_ALL)
_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _resource(number: int, random_: random.Random, dependencies: Sequence[str]) -> dict[str, Any]:
    """A virtual machine, as the AWS provider describes one, shortened."""
    identifier = f"i-{random_.getrandbits(68):017x}"
    zone = random_.choice("abc")
    module = {"module": f"module.{random_.choice(('app', 'batch', 'web'))}"} if number % 3 == 2 else {}
    instance = {
        "schema_version": 1,
        "attributes": {
            "ami": f"ami-{random_.getrandbits(68):017x}",
            "arn": f"arn:aws:ec2:eu-central-1:123456789012:instance/{identifier}",
            "availability_zone": f"eu-central-1{zone}",
            "id": identifier,
            "instance_type": random_.choice(("t3.micro", "m6i.large")),
            "private_ip": f"10.0.{random_.randrange(256)}.{random_.randrange(256)}",
            "root_block_device": [{"encrypted": True, "volume_size": random_.randrange(8, 100)}],
            "subnet_id": f"subnet-{random_.getrandbits(68):017x}",
            "tags": {"Environment": "production", "Name": f"node-{number}"},
        },
        "sensitive_attributes": [],
        "private": "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ==",
        **({"dependencies": list(dependencies)} if dependencies else {}),
    }
    named = {"mode": "managed", "type": "aws_instance", "name": f"node_{number}", "provider": _PROVIDER}
    return {**module, **named, "instances": [instance]}


def _state(resources: int, seed: int) -> bytes:
    random_ = random.Random(seed)
    found = [_resource(number, random_, ["aws_instance.node_0"] if number else []) for number in range(resources)]
    # The order of a file: the root module first, then by address.
    found.sort(key=lambda resource: (resource.get("module", ""), resource["name"]))
    if seed % 20 == 0:
        (instance,) = found[-1]["instances"]
        found[-1]["instances"] = [{"status": "tainted", **instance}]
    document = {
        "version": 4,
        "terraform_version": "1.12.0",
        "serial": random_.randrange(1, 500),
        "lineage": str(random_.getrandbits(128)),
        "outputs": {"address": {"value": f"10.0.0.{seed % 256}", "type": "string"}},
        "resources": found,
        "check_results": None,
    }
    return json.dumps(document, indent=2).encode() + b"\n"


def _processes(folder: Path) -> list[Process]:
    return [Process([*command, str(folder)]) for command in (_STATETOOL, _ORJSON)]


def main(runs: int) -> None:
    """Make the states, run both programs over them, and print a table."""
    rows = []
    # As installed: with the compiled modules that the first run leaves.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as temporary:
        one = Path(temporary, "one")
        one.mkdir()
        (one / "0.tfstate").write_bytes(_state(3, 1))
        start_up, _ = in_turn(_processes(one), runs)
        for name, resources in _SIZES.items():
            folder = Path(temporary, name)
            folder.mkdir()
            for number in range(_STATES):
                (folder / f"{number:04}.tfstate").write_bytes(_state(resources, number))
            size = sum(path.stat().st_size for path in folder.iterdir()) / _STATES
            check, parse = in_turn(_processes(folder), runs)
            pairs = [(check.clock, parse.clock), (check.processor, parse.processor)]
            figures = [
                text for one, other in pairs for text in (f"{one:.3f} s", f"{other:.3f} s", f"{one / other:.1f}")
            ]
            rows.append([f"{size / 1000:.1f} kB", *figures])
    print(f"{_STATES:,} states, medians of {runs} runs, {os.cpu_count()} processors")
    print(f"One state takes check {start_up.clock:.3f} s, of which {start_up.processor:.3f} s on a processor.")
    columns = ["check", "orjson", "ratio"]
    print(tabulate(rows, headers=["a state", *columns, *(f"{name} (proc.)" for name in columns)], stralign="right"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
