"""The backend `azurerm`. Source: OpenTofu `internal/backend/remote-state/azure/backend.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import (
    DEFAULT_WORKSPACE,
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValue,
    SettingValues,
    text_arguments,
    text_of,
    truth_arguments,
)


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    blob = text_of(values, "key") + ("" if workspace == DEFAULT_WORKSPACE else f"env:{workspace}")
    return f"azurerm://{text_of(values, 'storage_account_name')}/{text_of(values, 'container_name')}/{blob}"


def _own(
    name: str, *variables: str, default: SettingValue = None, secret: bool = False, truth: bool = False
) -> BackendArgument:
    kind = ArgumentKind.TRUTH if truth else ArgumentKind.TEXT
    return BackendArgument(name, variables or (f"ARM_{name.upper()}",), default, secret, kind)


BACKEND: Final = BackendType(
    "azurerm",
    (
        *text_arguments("storage_account_name", "container_name", "key", "resource_group_name"),
        _own("access_key", secret=True),
        _own("sas_token", secret=True),
        _own("snapshot", default=False, truth=True),
        _own("environment"),
        _own("metadata_host"),
        *text_arguments("endpoint"),
        *truth_arguments("lookup_blob_endpoint"),
        _own("subscription_id"),
        _own("tenant_id"),
        _own("client_id"),
        _own("client_id_file_path"),
        _own("client_secret", secret=True),
        _own("client_secret_file_path"),
        _own("client_certificate", secret=True),
        _own("client_certificate_password", secret=True),
        _own("client_certificate_path"),
        _own("use_azuread_auth", "ARM_USE_AZUREAD", default=False, truth=True),
        _own("use_cli", default=True, truth=True),
        _own("use_msi", default=False, truth=True),
        _own("msi_endpoint"),
        _own("use_aks_workload_identity", default=False, truth=True),
        _own("use_oidc", default=False, truth=True),
        _own("oidc_token", secret=True),
        _own("oidc_token_file_path", "ARM_OIDC_TOKEN_FILE_PATH", "AZURE_FEDERATED_TOKEN_FILE"),
        _own("oidc_request_url", "ARM_OIDC_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_URL", "SYSTEM_OIDCREQUESTURI"),
        _own(
            "oidc_request_token",
            "ARM_OIDC_REQUEST_TOKEN",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
            "SYSTEM_ACCESSTOKEN",
            secret=True,
        ),
        # Terraform's name of it, then OpenTofu's.
        _own("ado_pipeline_service_connection_id", "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID"),
        _own("ado_service_connection_id", "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID"),
        BackendArgument("timeout_seconds", ("ARM_TIMEOUT_SECONDS",), 300, kind=ArgumentKind.NUMBER),
        _own("customer_provided_key", secret=True),
        # OpenTofu's variable has this spelling.
        _own("encryption_scope", "ARM_ENCYRPTION_SCOPE"),
    ),
    _place,
    required=("storage_account_name", "container_name", "key"),
)
