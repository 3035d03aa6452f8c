"""The backend `s3`. Source: OpenTofu `internal/backend/remote-state/s3/backend.go`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from statefmt.store.backends.description import (
    DEFAULT_WORKSPACE,
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValues,
    block_argument,
    structured_arguments,
    text_arguments,
    text_of,
    truth_arguments,
)

# What keys often have, and a URL may have in its path.
_PLAIN: Final = "/:=@!$&'()*+,;"


def object_key(values: SettingValues, workspace: str) -> str:
    """Return the key of the object that has a workspace's state."""
    key = text_of(values, "key")
    if workspace == DEFAULT_WORKSPACE:
        return key
    # Like Go's path.Join, which also removes empty parts and dots.
    joined = "/".join(filter(None, (text_of(values, "workspace_key_prefix"), workspace, key)))
    return posixpath.normpath(joined).replace("//", "/")


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    """Return `s3://BUCKET/KEY`, with the region if there is one; escaped where a URL needs it."""
    from urllib.parse import quote

    key = quote(object_key(values, workspace), safe=_PLAIN)
    region = text_of(values, "region")
    return f"s3://{text_of(values, 'bucket')}/{key}" + (f"?region={quote(region)}" if region else "")


def _locks(values: SettingValues, location: str) -> Iterator[str]:
    state = location.partition("?")[0]
    if values.get("use_lockfile"):
        yield f"lock file {state}.tflock"
    if table := text_of(values, "dynamodb_table"):
        yield f"DynamoDB item {state.removeprefix('s3://')} in the table {table}"


def _endpoint(name: str, *older: str) -> BackendArgument:
    return BackendArgument(name, (f"AWS_ENDPOINT_URL_{name.upper()}", *older, "AWS_ENDPOINT_URL"))


BACKEND: Final = BackendType(
    "s3",
    (
        *text_arguments("bucket", "key"),
        BackendArgument("region", ("AWS_REGION", "AWS_DEFAULT_REGION")),
        BackendArgument("workspace_key_prefix", default="env:"),
        *truth_arguments("encrypt"),
        *text_arguments("kms_key_id"),
        BackendArgument("sse_customer_key", ("AWS_SSE_CUSTOMER_KEY",), secret=True),
        *text_arguments("acl"),
        *truth_arguments("use_lockfile"),
        *text_arguments("dynamodb_table"),
        block_argument(
            "endpoints",
            _endpoint("s3", "AWS_S3_ENDPOINT"),
            _endpoint("dynamodb", "AWS_DYNAMODB_ENDPOINT"),
            _endpoint("sts", "AWS_STS_ENDPOINT"),
            _endpoint("iam", "AWS_IAM_ENDPOINT"),
            _endpoint("sso"),
        ),
        *text_arguments("endpoint", "dynamodb_endpoint", "sts_endpoint", "iam_endpoint", "sts_region"),
        *truth_arguments("use_path_style", "force_path_style", "use_dualstack_endpoint", "use_fips_endpoint"),
        *truth_arguments("skip_s3_checksum"),
        BackendArgument("max_retries", default=5, kind=ArgumentKind.NUMBER),
        BackendArgument("retry_mode", ("AWS_RETRY_MODE",)),
        *text_arguments("http_proxy", "https_proxy", "no_proxy"),
        BackendArgument("custom_ca_bundle", ("AWS_CA_BUNDLE",)),
        *truth_arguments("insecure"),
        BackendArgument("profile", ("AWS_PROFILE",)),
        *text_arguments("shared_credentials_file"),
        *structured_arguments("shared_config_files", "shared_credentials_files"),
        BackendArgument("access_key", ("AWS_ACCESS_KEY_ID",), secret=True),
        BackendArgument("secret_key", ("AWS_SECRET_ACCESS_KEY",), secret=True),
        BackendArgument("token", ("AWS_SESSION_TOKEN",), secret=True),
        block_argument(
            "assume_role",
            *text_arguments("role_arn", "duration", "external_id", "policy", "session_name", "source_identity"),
            *structured_arguments("policy_arns", "tags", "transitive_tag_keys"),
        ),
        block_argument(
            "assume_role_with_web_identity",
            BackendArgument("role_arn", ("AWS_ROLE_ARN",)),
            BackendArgument("web_identity_token", ("AWS_WEB_IDENTITY_TOKEN",), secret=True),
            BackendArgument("web_identity_token_file", ("AWS_WEB_IDENTITY_TOKEN_FILE",)),
            BackendArgument("session_name", ("AWS_ROLE_SESSION_NAME",)),
            *text_arguments("policy", "duration"),
            *structured_arguments("policy_arns"),
        ),
        # The older form of assume_role, which OpenTofu still reads.
        *text_arguments("role_arn", "session_name", "external_id", "assume_role_policy"),
        BackendArgument("assume_role_duration_seconds", kind=ArgumentKind.NUMBER),
        *structured_arguments("assume_role_policy_arns", "assume_role_tags", "assume_role_transitive_tag_keys"),
        *structured_arguments("allowed_account_ids", "forbidden_account_ids", "state_tags", "lock_tags"),
        *truth_arguments("skip_credentials_validation", "skip_metadata_api_check", "skip_region_validation"),
        *truth_arguments("skip_requesting_account_id"),
        BackendArgument("ec2_metadata_service_endpoint", ("AWS_EC2_METADATA_SERVICE_ENDPOINT",)),
        BackendArgument("ec2_metadata_service_endpoint_mode", ("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",)),
    ),
    _place,
    required=("bucket", "key"),
    apart=("endpoints.s3", "endpoint"),
    locks=_locks,
    lock_arguments="use_lockfile=true or dynamodb_table",
)
