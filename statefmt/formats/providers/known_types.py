"""Lists the provider types that are HashiCorp's own, for states before Terraform 0.13, which name no source.

A type is listed if two conditions hold. Terraform's `init` installed it before 0.13: it is in the lists of
providers in Terraform's documentation (`website/docs/providers/index.html.markdown` at v0.13.7), or is a second
provider of one that is (`google-beta`). And HashiCorp publishes it in its namespace: Terraform's documentation links
to it there (v0.13.7 to v1.5.0), or mjuenema/python-terrascript has it among the official ones
(`docs/list_of_providers.rst`, of 2021). Providers that moved from that namespace to their vendors' (alicloud,
ciscoasa, github, oci, opc, oraclepaas) are left out: their source depends on the configuration. Terraform had no such
table; it asked the registry (`internal/getproviders/legacy_lookup.go` at v0.13.0).
"""

from __future__ import annotations

from typing import Final

# `terraform` is the built-in provider.
KNOWN_TYPES: Final = frozenset({
    "archive", "aws", "azuread", "azurerm", "azurestack", "cloudinit", "consul", "dns", "external", "google",
    "google-beta", "helm", "http", "kubernetes", "local", "nomad", "null", "random", "template", "terraform", "tfe",
    "time", "tls", "vault", "vsphere",
})  # fmt: skip
