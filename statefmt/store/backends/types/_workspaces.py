"""What the backend `remote` and the `cloud` block share: an organization's workspaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import BackendArgument, SettingValues, text_arguments, text_of


def remote_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    """Return `remote://HOST/ORGANIZATION/WORKSPACE`, with the whole name that the workspace has there."""
    name = text_of(values, "workspaces.name") or text_of(values, "workspaces.prefix") + workspace
    return f"remote://{text_of(values, 'hostname')}/{text_of(values, 'organization')}/{name}"


# The arguments that `cloud` has, too.
SHARED: Final = (
    BackendArgument("hostname", ("TF_CLOUD_HOSTNAME",), "app.terraform.io"),
    BackendArgument("organization", ("TF_CLOUD_ORGANIZATION",)),
    *text_arguments("token", secret=True),
)
