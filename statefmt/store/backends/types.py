"""The table of backends of OpenTofu and Terraform: their arguments, and the location of a workspace's state.

Source: OpenTofu `internal/backend/remote-state/*/backend.go`, `internal/backend/{local,remote}`, `internal/cloud`;
Terraform `internal/backend/remote-state/oci`, which OpenTofu does not have.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Final

from statefmt.store.backends.description import (
    DEFAULT_WORKSPACE,
    WORKSPACES_FOLDER,
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValue,
    SettingValues,
    text_of,
    without_credentials,
)
from statefmt.text import pattern

# The backends that statetool reads and writes itself, besides `local`.
SUPPORTED: Final = frozenset({"http", "pg", "s3"})


def backend_type(name: str) -> BackendType | None:
    """Return a type of backend by its name, None if it is unknown."""
    return BACKENDS.get(name)


def state_file(values: SettingValues, workspace: str) -> PurePath:
    """Return the file of a workspace's state in `local`, relative to the folder unless a setting is absolute."""
    if workspace == DEFAULT_WORKSPACE:
        return PurePath(text_of(values, "path"))
    return PurePath(text_of(values, "workspace_dir"), workspace, "terraform.tfstate")


def object_key(values: SettingValues, workspace: str) -> str:
    """Return the key of the object with a workspace's state in `s3` and `oci`."""
    key = text_of(values, "key")
    if workspace == DEFAULT_WORKSPACE:
        return key
    # Like Go's path.Join, which also removes empty parts and dots.
    joined = "/".join(filter(None, (text_of(values, "workspace_key_prefix"), workspace, key)))
    return posixpath.normpath(joined).replace("//", "/")


# ---- locations


def _azurerm_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    blob = text_of(values, "key") + ("" if workspace == DEFAULT_WORKSPACE else f"env:{workspace}")
    return f"azurerm://{text_of(values, 'storage_account_name')}/{text_of(values, 'container_name')}/{blob}"


def _remote_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    """Return `remote://HOST/ORGANIZATION/WORKSPACE`, with the workspace's full name on the host."""
    name = text_of(values, "workspaces.name") or text_of(values, "workspaces.prefix") + workspace
    return f"remote://{text_of(values, 'hostname')}/{text_of(values, 'organization')}/{name}"


def _consul_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    address = text_of(values, "address").partition("://")
    server = without_credentials(f"consul://{address[2] or address[0]}").rstrip("/")
    return f"{server}/{text_of(values, 'path')}" + ("" if workspace == DEFAULT_WORKSPACE else f"-env:{workspace}")


def _cos_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return f"cos://{_object_path(values, workspace)}"


def _oss_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return f"oss://{_object_path(values, workspace)}"


def _object_path(values: SettingValues, workspace: str) -> str:
    """Return `BUCKET/PREFIX/WORKSPACE/KEY`, without empty parts."""
    named = "" if workspace == DEFAULT_WORKSPACE else workspace
    parts = (text_of(values, "bucket"), text_of(values, "prefix").strip("/"), named, text_of(values, "key"))
    return "/".join(part for part in parts if part)


def _gcs_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    parts = (text_of(values, "bucket"), text_of(values, "prefix").strip("/"), f"{workspace}.tfstate")
    return "gs://" + "/".join(part for part in parts if part)


def _http_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return without_credentials(text_of(values, "address"))


def _inmem_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return f"inmem://{workspace}"


def _kubernetes_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return f"kubernetes://{text_of(values, 'namespace')}/tfstate-{workspace}-{text_of(values, 'secret_suffix')}"


def _oci_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return f"oci://{text_of(values, 'namespace')}/{text_of(values, 'bucket')}/{object_key(values, workspace)}"


def _local_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return str(state_file(values, workspace))


def _s3_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    """Return `s3://BUCKET/KEY`, with the region if there is one; escaped where a URL needs it."""
    from urllib.parse import quote

    # Characters that are common in keys and allowed in the path of a URL stay unescaped.
    key = quote(object_key(values, workspace), safe="/:=@!$&'()*+,;")
    region = text_of(values, "region")
    return f"s3://{text_of(values, 'bucket')}/{key}" + (f"?region={quote(region)}" if region else "")


_URL: Final = pattern(r"postgres(?:ql)?://(?:[^/?#]*@)?([^@/?#]*)(?:/([^@/?#]*))?(?:\?([^#]*))?", re.DOTALL)
_WORD: Final = pattern(r"\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?:\s+|$)", re.DOTALL)
# Host names, addresses, folders of sockets, and lists of them with ports.
_HOST: Final = pattern(r"[\w.,:%/\[\]-]*")
_PORT: Final = pattern(r"[0-9,]*")


def _pg_place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    """Return `pg://HOST:PORT/DATABASE?…`, without parts that are neither in the string nor in the environment."""
    from urllib.parse import quote, urlencode

    host, port, database = _server(text_of(values, "conn_str"))
    host = host or environment.get("PGHOST", "")
    port = port or environment.get("PGPORT", "")
    database = database or environment.get("PGDATABASE", "")
    query = {"schema": text_of(values, "schema_name")}
    if (table := text_of(values, "table_name")) != "states":
        query["table"] = table
    query["workspace"] = workspace
    server = quote(host, safe=",:[]%") + (f":{port}" if port and ":" not in host.rpartition("]")[2] else "")
    return f"pg://{server}/{quote(database, safe='')}?{urlencode(query)}"


def _server(text: str) -> tuple[str, str, str]:
    """Return the host, port and database of a connection string; all "" for an unknown format.

    In an unknown format, any part may belong to the password.
    """
    parts: dict[str, str] = {}
    if "://" in text:
        found = _URL.fullmatch(text)
        if found is None:
            return "", "", ""
        from urllib.parse import parse_qsl, unquote

        parts = dict(parse_qsl(found[3] or ""))
        host, port, database = parts.get("host") or unquote(found[1]), parts.get("port", ""), unquote(found[2] or "")
        database = parts.get("dbname") or database
        # A `/` in a password ends the apparent host: `user:pass`.
        if any(re.fullmatch("[0-9]*", one.rpartition("]")[2].partition(":")[2]) is None for one in host.split(",")):
            return "", "", ""
    else:
        at = 0
        while at < len(text):
            word = _WORD.match(text, at)
            if word is None:
                return "", "", ""
            parts[word[1]] = re.sub(r"\\(.)", r"\1", word[3] if word[2] is None else word[2])
            at = word.end()
        host, port, database = parts.get("host", ""), parts.get("port", ""), parts.get("dbname", "")
    if "@" in database or _HOST.fullmatch(host) is None or _PORT.fullmatch(port) is None:
        return "", "", ""
    return host, port, database


# ---- locks


def _http_locks(values: SettingValues, location: str) -> Iterator[str]:
    if address := text_of(values, "lock_address"):
        yield f"{text_of(values, 'lock_method')} {without_credentials(address)}"


def _s3_locks(values: SettingValues, location: str) -> Iterator[str]:
    state = location.partition("?")[0]
    if values.get("use_lockfile"):
        yield f"lock file {state}.tflock"
    if table := text_of(values, "dynamodb_table"):
        yield f"DynamoDB item {state.removeprefix('s3://')} in the table {table}"


# ---- arguments


def _text(name: str, *environment: str, default: SettingValue = None) -> BackendArgument:
    return BackendArgument(name, environment, default)


def _texts(*names: str) -> tuple[BackendArgument, ...]:
    return tuple(BackendArgument(name) for name in names)


def _secret(name: str, *environment: str) -> BackendArgument:
    return BackendArgument(name, environment, secret=True)


def _truth(name: str, *environment: str, default: bool = False) -> BackendArgument:
    return BackendArgument(name, environment, default, kind=ArgumentKind.TRUTH)


def _truths(*names: str) -> tuple[BackendArgument, ...]:
    return tuple(_truth(name) for name in names)


def _number(name: str, *environment: str, default: int | None = None) -> BackendArgument:
    return BackendArgument(name, environment, default, kind=ArgumentKind.NUMBER)


def _structured(*names: str, secret: bool = False) -> tuple[BackendArgument, ...]:
    return tuple(BackendArgument(name, secret=secret, kind=ArgumentKind.STRUCTURE) for name in names)


def _block(name: str, *parts: BackendArgument) -> BackendArgument:
    return BackendArgument(name, kind=ArgumentKind.STRUCTURE, parts=parts)


def _oci(name: str, default: SettingValue = None, secret: bool = False) -> BackendArgument:
    # Terraform reads variables with the argument's own name, in lower case.
    return BackendArgument(name, (f"OCI_{name}", name), default, secret)


def _aws_endpoint(name: str, *older: str) -> BackendArgument:
    return _text(name, f"AWS_ENDPOINT_URL_{name.upper()}", *older, "AWS_ENDPOINT_URL")


# Shared by `remote` and `cloud`.
_ORGANIZATION: Final = (
    _text("hostname", "TF_CLOUD_HOSTNAME", default="app.terraform.io"),
    _text("organization", "TF_CLOUD_ORGANIZATION"),
    _secret("token"),
)

# ---- the table

_TYPES: Final = (
    BackendType(
        "azurerm",
        (
            *_texts("storage_account_name", "container_name", "key", "resource_group_name"),
            _secret("access_key", "ARM_ACCESS_KEY"),
            _secret("sas_token", "ARM_SAS_TOKEN"),
            _truth("snapshot", "ARM_SNAPSHOT"),
            _text("environment", "ARM_ENVIRONMENT"),
            _text("metadata_host", "ARM_METADATA_HOST"),
            _text("endpoint"),
            _truth("lookup_blob_endpoint"),
            _text("subscription_id", "ARM_SUBSCRIPTION_ID"),
            _text("tenant_id", "ARM_TENANT_ID"),
            _text("client_id", "ARM_CLIENT_ID"),
            _text("client_id_file_path", "ARM_CLIENT_ID_FILE_PATH"),
            _secret("client_secret", "ARM_CLIENT_SECRET"),
            _text("client_secret_file_path", "ARM_CLIENT_SECRET_FILE_PATH"),
            _secret("client_certificate", "ARM_CLIENT_CERTIFICATE"),
            _secret("client_certificate_password", "ARM_CLIENT_CERTIFICATE_PASSWORD"),
            _text("client_certificate_path", "ARM_CLIENT_CERTIFICATE_PATH"),
            _truth("use_azuread_auth", "ARM_USE_AZUREAD"),
            _truth("use_cli", "ARM_USE_CLI", default=True),
            _truth("use_msi", "ARM_USE_MSI"),
            _text("msi_endpoint", "ARM_MSI_ENDPOINT"),
            _truth("use_aks_workload_identity", "ARM_USE_AKS_WORKLOAD_IDENTITY"),
            _truth("use_oidc", "ARM_USE_OIDC"),
            _secret("oidc_token", "ARM_OIDC_TOKEN"),
            _text("oidc_token_file_path", "ARM_OIDC_TOKEN_FILE_PATH", "AZURE_FEDERATED_TOKEN_FILE"),
            _text("oidc_request_url", "ARM_OIDC_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_URL", "SYSTEM_OIDCREQUESTURI"),
            _secret(
                "oidc_request_token", "ARM_OIDC_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SYSTEM_ACCESSTOKEN"
            ),
            # Terraform's name, then OpenTofu's.
            _text("ado_pipeline_service_connection_id", "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID"),
            _text("ado_service_connection_id", "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID"),
            _number("timeout_seconds", "ARM_TIMEOUT_SECONDS", default=300),
            _secret("customer_provided_key", "ARM_CUSTOMER_PROVIDED_KEY"),
            # OpenTofu's variable has this spelling.
            _text("encryption_scope", "ARM_ENCYRPTION_SCOPE"),
        ),
        _azurerm_place,
        required=("storage_account_name", "container_name", "key"),
    ),
    BackendType(
        "cloud",
        (
            *_ORGANIZATION,
            _block("workspaces", _text("name"), _text("project", "TF_CLOUD_PROJECT"), *_structured("tags")),
        ),
        _remote_place,
        required=("organization",),
    ),
    BackendType(
        "consul",
        (
            _text("path"),
            _secret("access_token", "CONSUL_HTTP_TOKEN"),
            _text("address", "CONSUL_HTTP_ADDR", default="127.0.0.1:8500"),
            *_texts("scheme", "datacenter"),
            _secret("http_auth", "CONSUL_HTTP_AUTH"),
            _truth("gzip"),
            _truth("lock", default=True),
            _text("ca_file", "CONSUL_CACERT"),
            _text("cert_file", "CONSUL_CLIENT_CERT"),
            _text("key_file", "CONSUL_CLIENT_KEY"),
        ),
        _consul_place,
        required=("path",),
    ),
    BackendType(
        "cos",
        (
            *_texts("bucket", "prefix"),
            _text("key", default="terraform.tfstate"),
            _text("region", "TENCENTCLOUD_REGION"),
            _secret("secret_id", "TENCENTCLOUD_SECRET_ID"),
            _secret("secret_key", "TENCENTCLOUD_SECRET_KEY"),
            _secret("security_token", "TENCENTCLOUD_SECURITY_TOKEN"),
            _truth("encrypt", default=True),
            _text("acl", default="private"),
            _truth("accelerate"),
            _text("domain", "TENCENTCLOUD_DOMAIN"),
            _text("endpoint", "TENCENTCLOUD_ENDPOINT"),
            _block(
                "assume_role",
                _text("role_arn", "TENCENTCLOUD_ASSUME_ROLE_ARN"),
                _text("session_name", "TENCENTCLOUD_ASSUME_ROLE_SESSION_NAME"),
                _text("session_duration", "TENCENTCLOUD_ASSUME_ROLE_SESSION_DURATION"),
                _text("policy"),
                _text("external_id", "TENCENTCLOUD_ASSUME_ROLE_EXTERNAL_ID"),
            ),
            _text("shared_credentials_dir", "TENCENTCLOUD_SHARED_CREDENTIALS_DIR"),
            _text("profile", "TENCENTCLOUD_PROFILE"),
            _text("cam_role_name", "TENCENTCLOUD_CAM_ROLE_NAME"),
        ),
        _cos_place,
        required=("bucket",),
    ),
    BackendType(
        "gcs",
        (
            *_texts("bucket", "prefix"),
            _secret("credentials", "GOOGLE_BACKEND_CREDENTIALS", "GOOGLE_CREDENTIALS"),
            _secret("access_token", "GOOGLE_OAUTH_ACCESS_TOKEN"),
            _text(
                "impersonate_service_account",
                "GOOGLE_BACKEND_IMPERSONATE_SERVICE_ACCOUNT",
                "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT",
            ),
            *_structured("impersonate_service_account_delegates"),
            _secret("encryption_key", "GOOGLE_ENCRYPTION_KEY"),
            _text("kms_encryption_key", "GOOGLE_KMS_ENCRYPTION_KEY"),
            _text(
                "storage_custom_endpoint", "GOOGLE_BACKEND_STORAGE_CUSTOM_ENDPOINT", "GOOGLE_STORAGE_CUSTOM_ENDPOINT"
            ),
            _text("universe_domain", "GOOGLE_BACKEND_UNIVERSE_DOMAIN"),
        ),
        _gcs_place,
        required=("bucket",),
    ),
    BackendType(
        "http",
        (
            _text("address", "TF_HTTP_ADDRESS"),
            _text("update_method", "TF_HTTP_UPDATE_METHOD", default="POST"),
            _text("lock_address", "TF_HTTP_LOCK_ADDRESS"),
            _text("lock_method", "TF_HTTP_LOCK_METHOD", default="LOCK"),
            _text("unlock_address", "TF_HTTP_UNLOCK_ADDRESS"),
            _text("unlock_method", "TF_HTTP_UNLOCK_METHOD", default="UNLOCK"),
            _text("username", "TF_HTTP_USERNAME"),
            _secret("password", "TF_HTTP_PASSWORD"),
            _truth("skip_cert_verification"),
            _number("retry_max", "TF_HTTP_RETRY_MAX", default=2),
            _number("retry_wait_min", "TF_HTTP_RETRY_WAIT_MIN", default=1),
            _number("retry_wait_max", "TF_HTTP_RETRY_WAIT_MAX", default=30),
            _text("client_ca_certificate_pem", "TF_HTTP_CLIENT_CA_CERTIFICATE_PEM"),
            _text("client_certificate_pem", "TF_HTTP_CLIENT_CERTIFICATE_PEM"),
            _secret("client_private_key_pem", "TF_HTTP_CLIENT_PRIVATE_KEY_PEM"),
            *_structured("headers", secret=True),
        ),
        _http_place,
        required=("address",),
        named_workspaces=False,
        # The location omits the query of the address.
        apart=("address",),
        locks=_http_locks,
        lock_arguments="lock_address and unlock_address",
    ),
    # The state lives as long as its process.
    BackendType("inmem", _texts("lock_id"), _inmem_place),
    BackendType(
        "kubernetes",
        (
            _text("secret_suffix"),
            _text("namespace", "KUBE_NAMESPACE", default="default"),
            *_structured("labels"),
            _truth("in_cluster_config", "KUBE_IN_CLUSTER_CONFIG"),
            _truth("load_config_file", "KUBE_LOAD_CONFIG_FILE", default=True),
            _text("config_path", "KUBE_CONFIG_PATH"),
            BackendArgument("config_paths", ("KUBE_CONFIG_PATHS",), kind=ArgumentKind.STRUCTURE),
            _text("config_context", "KUBE_CTX"),
            _text("config_context_auth_info", "KUBE_CTX_AUTH_INFO"),
            _text("config_context_cluster", "KUBE_CTX_CLUSTER"),
            _text("host", "KUBE_HOST"),
            _text("username", "KUBE_USER"),
            _secret("password", "KUBE_PASSWORD"),
            _secret("token", "KUBE_TOKEN"),
            _truth("insecure", "KUBE_INSECURE"),
            _text("client_certificate", "KUBE_CLIENT_CERT_DATA"),
            _secret("client_key", "KUBE_CLIENT_KEY_DATA"),
            _text("cluster_ca_certificate", "KUBE_CLUSTER_CA_CERT_DATA"),
            _text("proxy_url", "KUBE_PROXY_URL"),
            # Programs take tokens as arguments, too.
            _block("exec", *_texts("api_version", "command"), *_structured("env", "args", secret=True)),
        ),
        _kubernetes_place,
        required=("secret_suffix",),
    ),
    BackendType(
        "local",
        (_text("path", default="terraform.tfstate"), _text("workspace_dir", default=WORKSPACES_FOLDER)),
        _local_place,
        required=("path", "workspace_dir"),
        locks=lambda _values, _location: ("lock of the open file",),
    ),
    BackendType(
        "oci",
        (
            *_texts("bucket", "namespace"),
            _oci("key", default="terraform.tfstate"),
            _oci("workspace_key_prefix", default="tf-state-env"),
            *map(_oci, ("region", "auth", "config_file_profile", "tenancy_ocid", "user_ocid", "fingerprint")),
            _oci("private_key", secret=True),
            _oci("private_key_path"),
            _oci("private_key_password", secret=True),
            _oci("kms_key_id"),
            _oci("sse_customer_key", secret=True),
            _oci("sse_customer_key_sha256"),
            _oci("sse_customer_algorithm", default="AES256"),
        ),
        _oci_place,
        required=("bucket", "namespace"),
    ),
    BackendType(
        "oss",
        (
            _text("bucket"),
            _text("prefix", default="env:"),
            _text("key", default="terraform.tfstate"),
            _text("region", "ALICLOUD_REGION", "ALICLOUD_DEFAULT_REGION"),
            _text("endpoint", "ALICLOUD_OSS_ENDPOINT", "OSS_ENDPOINT"),
            _text("sts_endpoint", "ALICLOUD_STS_ENDPOINT"),
            _text("tablestore_endpoint", "ALICLOUD_TABLESTORE_ENDPOINT"),
            *_texts("tablestore_instance_name", "tablestore_table", "acl"),
            _truth("encrypt"),
            _secret("access_key", "ALICLOUD_ACCESS_KEY", "ALICLOUD_ACCESS_KEY_ID"),
            _secret("secret_key", "ALICLOUD_SECRET_KEY", "ALICLOUD_ACCESS_KEY_SECRET"),
            _secret("security_token", "ALICLOUD_SECURITY_TOKEN"),
            _text("ecs_role_name", "ALICLOUD_ECS_ROLE_NAME"),
            _text("shared_credentials_file", "ALICLOUD_SHARED_CREDENTIALS_FILE"),
            _text("profile", "ALICLOUD_PROFILE"),
            _block(
                "assume_role",
                _text("role_arn", "ALICLOUD_ASSUME_ROLE_ARN"),
                _text("session_name", "ALICLOUD_ASSUME_ROLE_SESSION_NAME"),
                _text("policy"),
                _number("session_expiration", "ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION"),
            ),
            *_texts("assume_role_role_arn", "assume_role_session_name", "assume_role_policy"),
            _number("assume_role_session_expiration"),
        ),
        _oss_place,
        required=("bucket",),
    ),
    BackendType(
        "pg",
        (
            _secret("conn_str", "PG_CONN_STR"),
            _text("schema_name", "PG_SCHEMA_NAME", default="terraform_remote_state"),
            _text("table_name", "PG_TABLE_NAME", default="states"),
            _text("index_name", "PG_INDEX_NAME", default="states_by_name"),
            _truth("skip_schema_creation", "PG_SKIP_SCHEMA_CREATION"),
            _truth("skip_table_creation", "PG_SKIP_TABLE_CREATION"),
            _truth("skip_index_creation", "PG_SKIP_INDEX_CREATION"),
        ),
        _pg_place,
        locks=lambda _values, _location: ("advisory lock of the row, for as long as the connection is open",),
        lock_ends_with_session=True,
    ),
    BackendType(
        "remote",
        (*_ORGANIZATION, _block("workspaces", *_texts("name", "prefix"))),
        _remote_place,
        required=("organization",),
        only_default="workspaces.name",
    ),
    BackendType(
        "s3",
        (
            *_texts("bucket", "key"),
            _text("region", "AWS_REGION", "AWS_DEFAULT_REGION"),
            _text("workspace_key_prefix", default="env:"),
            _truth("encrypt"),
            _text("kms_key_id"),
            _secret("sse_customer_key", "AWS_SSE_CUSTOMER_KEY"),
            _text("acl"),
            _truth("use_lockfile"),
            _text("dynamodb_table"),
            _block(
                "endpoints",
                _aws_endpoint("s3", "AWS_S3_ENDPOINT"),
                _aws_endpoint("dynamodb", "AWS_DYNAMODB_ENDPOINT"),
                _aws_endpoint("sts", "AWS_STS_ENDPOINT"),
                _aws_endpoint("iam", "AWS_IAM_ENDPOINT"),
                _aws_endpoint("sso"),
            ),
            *_texts("endpoint", "dynamodb_endpoint", "sts_endpoint", "iam_endpoint", "sts_region"),
            *_truths("use_path_style", "force_path_style", "use_dualstack_endpoint", "use_fips_endpoint"),
            _truth("skip_s3_checksum"),
            _number("max_retries", default=5),
            _text("retry_mode", "AWS_RETRY_MODE"),
            *_texts("http_proxy", "https_proxy", "no_proxy"),
            _text("custom_ca_bundle", "AWS_CA_BUNDLE"),
            _truth("insecure"),
            _text("profile", "AWS_PROFILE"),
            _text("shared_credentials_file"),
            *_structured("shared_config_files", "shared_credentials_files"),
            _secret("access_key", "AWS_ACCESS_KEY_ID"),
            _secret("secret_key", "AWS_SECRET_ACCESS_KEY"),
            _secret("token", "AWS_SESSION_TOKEN"),
            _block(
                "assume_role",
                *_texts("role_arn", "duration", "external_id", "policy", "session_name", "source_identity"),
                *_structured("policy_arns", "tags", "transitive_tag_keys"),
            ),
            _block(
                "assume_role_with_web_identity",
                _text("role_arn", "AWS_ROLE_ARN"),
                _secret("web_identity_token", "AWS_WEB_IDENTITY_TOKEN"),
                _text("web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE"),
                _text("session_name", "AWS_ROLE_SESSION_NAME"),
                *_texts("policy", "duration"),
                *_structured("policy_arns"),
            ),
            # The older form of assume_role, which OpenTofu still reads.
            *_texts("role_arn", "session_name", "external_id", "assume_role_policy"),
            _number("assume_role_duration_seconds"),
            *_structured("assume_role_policy_arns", "assume_role_tags", "assume_role_transitive_tag_keys"),
            *_structured("allowed_account_ids", "forbidden_account_ids", "state_tags", "lock_tags"),
            *_truths("skip_credentials_validation", "skip_metadata_api_check", "skip_region_validation"),
            _truth("skip_requesting_account_id"),
            _text("ec2_metadata_service_endpoint", "AWS_EC2_METADATA_SERVICE_ENDPOINT"),
            _text("ec2_metadata_service_endpoint_mode", "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"),
        ),
        _s3_place,
        required=("bucket", "key"),
        apart=("endpoints.s3", "endpoint"),
        locks=_s3_locks,
        lock_arguments="use_lockfile=true or dynamodb_table",
    ),
)

# `remote` and `cloud` differ in the block that selects workspaces.
BACKENDS: Final = {backend.name: backend for backend in _TYPES}
