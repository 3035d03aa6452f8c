"""How long it takes to read a configuration of 300 modules in 3,000 files, and to expand what they declare.

    python benchmarks/config_large.py [RUNS]

The configuration is made here, the same in every run: 300 directories of ten files, each called once, half of them with
`for_each`, and with resources that are bound to instances of a provider. Reading, working out the instances of every
module call and every resource, and how often files were opened are shown apart; the figures are medians of as many
runs (3 unless told otherwise).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

from tabulate import tabulate

from statefmt.configuration import Expansion, Scope, expand, load, root_scope

_MODULES: Final = 300
_FILES: Final = 10
_ROOT: Final = """
variable "regions" {
  type    = set(string)
  default = ["eu-west-1", "us-east-1", "us-west-2"]
}
provider "aws" {
  alias    = "by_region"
  for_each = var.regions
  region   = each.value
}
"""
_VARIABLES: Final = """
variable "region" {
  type = string
}
variable "subnets" {
  type = map(object({ cidr = string, public = optional(bool, false) }))
  default = {
    a = { cidr = "10.0.0.0/24" }
    b = { cidr = "10.0.1.0/24", public = true }
  }
}
locals {
  public = { for name, subnet in var.subnets : name => subnet if subnet.public }
  names  = [for name in keys(var.subnets) : "${var.region}-${name}"]
}
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.here]
    }
  }
}
"""
_RESOURCES: Final = """
resource "aws_subnet" "one_{n}" {{
  for_each          = var.subnets
  provider          = aws.here
  cidr_block        = each.value.cidr
  availability_zone = "${{var.region}}a"
  tags = {{
    Name = "${{var.region}}-${{each.key}}"
    Team = "networks"
  }}
}}
resource "aws_route" "public_{n}" {{
  for_each    = local.public
  provider    = aws.here
  destination = cidrsubnet(each.value.cidr, 4, {n})
}}
resource "aws_eip" "spare_{n}" {{
  count    = length(local.names)
  provider = aws.here
  domain   = "vpc"
}}
output "subnets_{n}" {{
  value = {{ for name, subnet in aws_subnet.one_{n} : name => subnet.id }}
}}
"""


def _write(root: Path) -> None:
    (root / "main.tf").write_text(_ROOT)
    for number in range(_MODULES):
        repeated = number % 2 == 0
        region = "each.value" if repeated else '"eu-west-1"'
        lines = [
            f'module "m{number:03d}" {{',
            f'  source = "./modules/m{number:03d}"',
            "  for_each = var.regions" if repeated else "",
            f"  region = {region}",
            f"  providers = {{ aws.here = aws.by_region[{region}] }}",
            "}",
        ]
        with (root / "main.tf").open("a") as file:
            file.write("\n".join(lines) + "\n")
        folder = root / "modules" / f"m{number:03d}"
        folder.mkdir(parents=True)
        (folder / "variables.tf").write_text(_VARIABLES)
        for place in range(_FILES - 1):
            (folder / f"resources_{place}.tf").write_text(_RESOURCES.format(n=place))


def _instances(scope: Scope) -> int:
    """How many resource instances there are in a module instance and all that it calls."""
    total = 0
    for resource in scope.module.declarations.resources:
        found = expand(resource.repetition, scope)
        assert isinstance(found, Expansion), found
        total += len(found.instances)
    for name, call in scope.module.declarations.calls.items():
        found = expand(call.repetition, scope)
        assert isinstance(found, Expansion), found
        total += sum(_instances(scope.child(name, instance.each)) for instance in found.instances)
    return total


def main(runs: int) -> None:
    opened: Counter[str] = Counter()

    def notice(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and str(arguments[0]).endswith(".tf"):
            opened[str(arguments[0])] += 1

    with tempfile.TemporaryDirectory() as name:
        _write(Path(name))
        sys.addaudithook(notice)
        reading: list[float] = []
        expanding: list[float] = []
        for _ in range(runs):
            opened.clear()
            start = time.perf_counter()
            configuration = load(Path(name))
            read = time.perf_counter()
            instances = _instances(root_scope(configuration))
            reading.append(read - start)
            expanding.append(time.perf_counter() - read)
            assert not configuration.problems, configuration.problems[:3]
        size = sum(path.stat().st_size for path in Path(name).rglob("*.tf"))
    rows = [
        ["modules", f"{len(configuration.modules):,}"],
        ["files", f"{len(opened):,} of {size / 1e6:.1f} MB"],
        ["opened most often", f"{max(opened.values())} time(s)"],
        ["resource instances", f"{instances:,}"],
        ["reading", f"{statistics.median(reading):.2f} s"],
        ["expanding", f"{statistics.median(expanding):.2f} s"],
    ]
    print(tabulate(rows, tablefmt="plain"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
