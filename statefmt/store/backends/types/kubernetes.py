"""The backend `kubernetes`. Source: OpenTofu `internal/backend/remote-state/kubernetes/backend.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import (
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValues,
    block_argument,
    structured_arguments,
    text_arguments,
    text_of,
)


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    """Return `kubernetes://NAMESPACE/SECRET`."""
    return f"kubernetes://{text_of(values, 'namespace')}/tfstate-{workspace}-{text_of(values, 'secret_suffix')}"


BACKEND: Final = BackendType(
    "kubernetes",
    (
        *text_arguments("secret_suffix"),
        BackendArgument("namespace", ("KUBE_NAMESPACE",), "default"),
        *structured_arguments("labels"),
        BackendArgument("in_cluster_config", ("KUBE_IN_CLUSTER_CONFIG",), False, kind=ArgumentKind.TRUTH),
        BackendArgument("load_config_file", ("KUBE_LOAD_CONFIG_FILE",), True, kind=ArgumentKind.TRUTH),
        BackendArgument("config_path", ("KUBE_CONFIG_PATH",)),
        BackendArgument("config_paths", ("KUBE_CONFIG_PATHS",), kind=ArgumentKind.STRUCTURE),
        BackendArgument("config_context", ("KUBE_CTX",)),
        BackendArgument("config_context_auth_info", ("KUBE_CTX_AUTH_INFO",)),
        BackendArgument("config_context_cluster", ("KUBE_CTX_CLUSTER",)),
        BackendArgument("host", ("KUBE_HOST",)),
        BackendArgument("username", ("KUBE_USER",)),
        BackendArgument("password", ("KUBE_PASSWORD",), secret=True),
        BackendArgument("token", ("KUBE_TOKEN",), secret=True),
        BackendArgument("insecure", ("KUBE_INSECURE",), False, kind=ArgumentKind.TRUTH),
        BackendArgument("client_certificate", ("KUBE_CLIENT_CERT_DATA",)),
        BackendArgument("client_key", ("KUBE_CLIENT_KEY_DATA",), secret=True),
        BackendArgument("cluster_ca_certificate", ("KUBE_CLUSTER_CA_CERT_DATA",)),
        BackendArgument("proxy_url", ("KUBE_PROXY_URL",)),
        block_argument(
            "exec",
            *text_arguments("api_version", "command"),
            # Programs take tokens as arguments, too.
            *structured_arguments("env", "args", secret=True),
        ),
    ),
    _place,
    required=("secret_suffix",),
)
