"""A configuration and a state of it, for tests of the targets of edits."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.cli.states import resource, state

GOOGLE: Final = 'provider["registry.opentofu.org/hashicorp/google"]'
_BUILTIN: Final = 'provider["terraform.io/builtin/terraform"]'
_MAIN: Final = """\
terraform {
  required_providers {
    google = { source = "hashicorp/google" }
    spare  = { source = "acme/spare" }
  }
}
variable "regions" { default = ["us-east1", "eu-west1", "asia"] }
variable "unset" {}
provider "google" {
  alias    = "geo"
  for_each = toset(var.regions)
}
provider "google" {
  alias    = "late"
  for_each = toset(var.unset)
}
provider "google" {
  alias = "plain"
}
module "cluster" {
  source    = "./cluster"
  for_each  = toset(var.regions)
  providers = { google = google.geo[each.key] }
}
resource "terraform_data" "web" { count = 3 }
resource "terraform_data" "net" {}
resource "terraform_data" "late" { for_each = toset(var.unset) }
moved {
  from = terraform_data.former
  to   = terraform_data.net
}
"""
_CLUSTER: Final = """\
terraform {
  required_providers { google = { source = "hashicorp/google" } }
}
resource "google_compute_network" "net" {}
resource "google_compute_subnetwork" "sub" { count = 2 }
"""


def write_targets(folder: Path) -> None:
    """Write the configuration and `terraform.tfstate`, which has no instance for `asia`."""
    (folder / "main.tf").write_text(_MAIN, encoding="utf-8")
    (folder / "cluster").mkdir()
    (folder / "cluster" / "main.tf").write_text(_CLUSTER, encoding="utf-8")
    resources = []
    for region in ("us-east1", "eu-west1"):
        provider = {"provider": f'{GOOGLE}.geo["{region}"]'}
        module = f'module.cluster["{region}"]'
        resources += [
            {**resource("google_compute_network", "net", provider, module=module), "provider": None},
            {
                **resource(
                    "google_compute_subnetwork",
                    "sub",
                    {"index_key": 0, **provider, "dependencies": ["module.cluster.google_compute_network.net"]},
                    {"index_key": 1, **provider},
                    module=module,
                ),
                "provider": None,
            },
        ]
    resources += [
        {**resource("terraform_data", "old", {}), "provider": _BUILTIN},
        {
            **resource(
                "terraform_data",
                "web",
                *({"index_key": number, "dependencies": ["terraform_data.old"]} for number in range(3)),
            ),
            "provider": _BUILTIN,
        },
    ]
    (folder / "terraform.tfstate").write_bytes(state(*resources))
