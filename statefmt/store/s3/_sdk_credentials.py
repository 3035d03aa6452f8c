"""Finds credentials with the SDK of AWS: roles, web identities, profiles, SSO, containers and instances.

Source: `github.com/hashicorp/aws-sdk-go-base` (GetAwsConfig), and the default chain of the AWS SDK.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from botocore.credentials import (
    AssumeRoleCredentialFetcher,
    AssumeRoleProvider,
    AssumeRoleWithWebIdentityCredentialFetcher,
    CanonicalNameCredentialSourcer,
    ContainerProvider,
    CredentialResolver,
    Credentials,
    DeferredRefreshableCredentials,
    EnvProvider,
    InstanceMetadataProvider,
    ProfileProviderBuilder,
)
from botocore.exceptions import NoCredentialsError
from botocore.utils import InstanceMetadataFetcher

from statefmt.model.errors import StoreError
from statefmt.store.remote.connection import Connection
from statefmt.store.s3._accounts import check_account
from statefmt.store.s3._approach import refuse_endpoint_of_folder
from statefmt.store.s3._durations import seconds_of
from statefmt.store.s3._programs import check_programs
from statefmt.store.s3._sdk_errors import SDK_ERRORS, sdk_problem
from statefmt.store.s3._session import EnvironmentSession
from statefmt.store.s3._settings import Given
from statefmt.store.s3._sigv4 import AwsKeys
from statefmt.store.small_files import read_bounded

_ROLE: Final = "assume_role"
_WEB: Final = "assume_role_with_web_identity"
# The names of the arguments of a role, in the block and in the older form.
_ROLE_ARGUMENTS: Final = {
    "session_name": "session_name",
    "external_id": "external_id",
    "policy": "assume_role_policy",
    "policy_arns": "assume_role_policy_arns",
    "tags": "assume_role_tags",
    "transitive_tag_keys": "assume_role_transitive_tag_keys",
    "duration": "assume_role_duration_seconds",
    "source_identity": "",
}
_NAMES_IN_REQUEST: Final = {
    "session_name": "RoleSessionName",
    "external_id": "ExternalId",
    "source_identity": "SourceIdentity",
}
# In bytes; AWS accepts tokens of 20,000.
_LARGEST_TOKEN: Final = 1 << 16
# In seconds.
_METADATA_TIMEOUT: Final = 1
_METADATA_ATTEMPTS: Final = 3

# In seconds before they expire, credentials are renewed. The SDK takes 15 minutes, for which sessions may be too short.
_RENEWED: Final = 60


class _Assumed(DeferredRefreshableCredentials):
    _advisory_refresh_timeout = 2 * _RENEWED
    _mandatory_refresh_timeout = _RENEWED


def found_keys(
    given: Given, connection: Connection, base: AwsKeys | None, web_identity: bool, subject: str
) -> Callable[[], AwsKeys]:
    """Return what gives the credentials for the state, and renews them; the first are found before this returns.

    `base` are credentials that are known already; else those of the web identity, or the first of the chain. A role
    is assumed with them if the settings have one. Checks the account. Raises StoreError, without secrets.
    """
    session = EnvironmentSession(given, connection)
    try:
        session.prepare()
        credentials = _credentials(session, given, connection, base, web_identity=web_identity)
        # Roles are assumed, and tokens refreshed, before the first request: an error says then what it is about.
        credentials.get_frozen_credentials()
        session.use(credentials)
        check_account(session, given)
    except SDK_ERRORS as error:
        # Without the cause: its text may contain what a program printed.
        raise StoreError(f"{subject}: {sdk_problem(error)}") from None
    return lambda: _renewed(credentials, subject)


def _renewed(credentials: Any, subject: str) -> AwsKeys:
    try:
        frozen = credentials.get_frozen_credentials()
    except SDK_ERRORS as error:
        raise StoreError(f"{subject}: {sdk_problem(error)}") from None
    return AwsKeys(frozen.access_key, frozen.secret_key, frozen.token or "")


def _credentials(
    session: EnvironmentSession, given: Given, connection: Connection, base: AwsKeys | None, *, web_identity: bool
) -> Any:
    if base is not None:
        source: Any = Credentials(base.access_key, base.secret_key, base.token or None)
    elif web_identity:
        source = _web_identity(session, given)
    else:
        check_programs(session, given, connection)
        source = _chain(session, given, connection.environment).load_credentials()
        if source is None:
            raise NoCredentialsError
    role = given.text(f"{_ROLE}.role_arn", "role_arn")
    if not role:
        return source
    names = (
        {name: f"{_ROLE}.{name}" for name in _ROLE_ARGUMENTS} if given.text(f"{_ROLE}.role_arn") else _ROLE_ARGUMENTS
    )
    fetcher = AssumeRoleCredentialFetcher(
        client_creator=_creator(session),
        source_credentials=source,
        role_arn=role,
        extra_args=_role_arguments(given, names),
        mfa_prompter=_no_prompt,
        cache={},
        expiry_window_seconds=_RENEWED,
    )
    return _Assumed(fetcher.fetch_credentials, "assume-role")


def _web_identity(session: EnvironmentSession, given: Given) -> Any:
    role = given.text(f"{_WEB}.role_arn")
    if not role:
        raise StoreError(f"the backend 's3': {_WEB} needs a role_arn, or AWS_ROLE_ARN")
    names = {name: f"{_WEB}.{name}" for name in ("session_name", "policy", "policy_arns", "duration")}
    fetcher = AssumeRoleWithWebIdentityCredentialFetcher(
        client_creator=_creator(session),
        web_identity_token_loader=lambda: _token(given),
        role_arn=role,
        extra_args=_role_arguments(given, names),
        cache={},
        expiry_window_seconds=_RENEWED,
    )
    return _Assumed(fetcher.fetch_credentials, _WEB)


def _token(given: Given) -> str:
    token = given.text(f"{_WEB}.web_identity_token")
    if token:
        return token
    name = given.text(f"{_WEB}.web_identity_token_file")
    if not name:
        raise StoreError(f"the backend 's3': {_WEB} needs a web_identity_token or a web_identity_token_file")
    try:
        return read_bounded(name, _LARGEST_TOKEN, pipes=True).decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise StoreError(f"{given.where(f'{_WEB}.web_identity_token_file')}: {name}: {reason}") from None


def _role_arguments(given: Given, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of AssumeRole; `names` are those of the settings."""
    arguments: dict[str, Any] = {
        request: given.text(names[name])
        for name, request in _NAMES_IN_REQUEST.items()
        if given.text(names.get(name, ""))
    }
    if policy := given.text(names["policy"]).strip():
        arguments["Policy"] = policy
    if arns := given.texts(names["policy_arns"]):
        arguments["PolicyArns"] = [{"arn": arn} for arn in arns]
    if tags := given.mapping(names.get("tags", "")):
        arguments["Tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
    if keys := given.texts(names.get("transitive_tag_keys", "")):
        arguments["TransitiveTagKeys"] = list(keys)
    if duration := given.text(names["duration"]):
        arguments["DurationSeconds"] = seconds_of(duration, given.where(names["duration"]))
    return arguments


def _creator(session: EnvironmentSession) -> Callable[..., Any]:
    return session.create_client


def _no_prompt(text: str) -> str:
    raise StoreError("the profile needs a code of a second factor (mfa_serial): get temporary credentials first")


def _chain(session: EnvironmentSession, given: Given, environment: Mapping[str, str]) -> CredentialResolver:
    """Return the providers of a profile, of a container and of an instance, in their order."""
    profile = given.text("profile") or "default"
    cache: dict[str, Any] = {}
    container = ContainerProvider(environ=dict(environment))
    builder = ProfileProviderBuilder(session, cache=cache, region_name=given.text("region"))
    later: list[Any] = [container]
    if not given.truth("skip_metadata_api_check"):
        later.append(_instance(session, given, environment))
    role = AssumeRoleProvider(
        load_config=lambda: session.full_config,
        client_creator=_creator(session),
        cache=cache,
        profile_name=profile,
        prompter=_no_prompt,
        credential_sourcer=CanonicalNameCredentialSourcer([EnvProvider(environ=dict(environment)), *later]),
        profile_provider_builder=builder,
    )
    # The variables of a web identity are read above, from the environment of the run.
    profiles = builder.providers(profile_name=profile, disable_env_vars=True)
    return CredentialResolver(providers=[role, *profiles, *later])


def _instance(session: EnvironmentSession, given: Given, environment: Mapping[str, str]) -> InstanceMetadataProvider:
    refuse_endpoint_of_folder(given)
    config = {
        "ec2_metadata_service_endpoint": given.text("ec2_metadata_service_endpoint") or None,
        "ec2_metadata_service_endpoint_mode": given.text("ec2_metadata_service_endpoint_mode").lower() or None,
        "ec2_metadata_v1_disabled": session.get_config_variable("ec2_metadata_v1_disabled"),
    }
    fetcher = InstanceMetadataFetcher(
        timeout=_METADATA_TIMEOUT,
        num_attempts=_METADATA_ATTEMPTS,
        env=dict(environment),
        user_agent=session.user_agent(),
        config=config,
    )
    return InstanceMetadataProvider(iam_role_fetcher=fetcher)
