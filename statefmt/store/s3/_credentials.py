"""Finds credentials as OpenTofu and Terraform do, in the environment of a run.

Source: `github.com/hashicorp/aws-sdk-go-base` (GetAwsConfig), and the default chain of the AWS SDK.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
from statefmt.store.remote.trust import is_of_folder, require_external
from statefmt.store.s3._durations import seconds_of
from statefmt.store.s3._settings import Given

if TYPE_CHECKING:
    from statefmt.store.s3._session import EnvironmentSession

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
# In seconds.
_METADATA_TIMEOUT: Final = 1
_METADATA_ATTEMPTS: Final = 3


def credentials_of(session: EnvironmentSession, given: Given, connection: Connection) -> Any:
    """Return the credentials for the state, which refresh themselves. Raises StoreError and errors of botocore."""
    base = _base(session, given, connection)
    role = given.text(f"{_ROLE}.role_arn", "role_arn")
    if not role:
        return base
    names = (
        {name: f"{_ROLE}.{name}" for name in _ROLE_ARGUMENTS} if given.text(f"{_ROLE}.role_arn") else _ROLE_ARGUMENTS
    )
    fetcher = AssumeRoleCredentialFetcher(
        client_creator=_creator(session),
        source_credentials=base,
        role_arn=role,
        extra_args=_role_arguments(given, names),
        mfa_prompter=_no_prompt,
        cache={},
    )
    return DeferredRefreshableCredentials(fetcher.fetch_credentials, "assume-role")


def describe_credentials(given: Given) -> str:
    """Return which of the user's credentials are used, as a question names them; "" if the folder has its own."""
    own = [given.by_name.get(name) for name in ("access_key", "secret_key")]
    names = []
    if not all(setting is not None and setting.source != "environment" for setting in own):
        names.append("your AWS credentials")
    customer_key = given.by_name.get("sse_customer_key")
    if customer_key is not None and customer_key.source == "environment":
        names.append("AWS_SSE_CUSTOMER_KEY")
    return " and ".join(names)


def _base(session: EnvironmentSession, given: Given, connection: Connection) -> Any:
    """Return the credentials before a role is assumed."""
    written = {name for name in ("access_key", "secret_key", "token") if _is_written(given, name)}
    if written:
        if not {"access_key", "secret_key"} <= written:
            raise StoreError(f"{given.where(min(written))}: access_key and secret_key must be set both")
        return Credentials(
            given.text("access_key"), given.text("secret_key"), given.text("token") if "token" in written else None
        )
    if any(
        _is_written(given, f"{_WEB}.{name}") for name in ("role_arn", "web_identity_token", "web_identity_token_file")
    ):
        return _web_identity(session, given)
    if not _is_written(given, "profile"):
        if given.text("access_key") and given.text("secret_key"):
            return Credentials(given.text("access_key"), given.text("secret_key"), given.text("token") or None)
        if given.text(f"{_WEB}.web_identity_token_file") and given.text(f"{_WEB}.role_arn"):
            return _web_identity(session, given)
    _check_programs(session, given, connection)
    found = _chain(session, given, connection.environment).load_credentials()
    if found is None:
        raise NoCredentialsError
    return found


def _is_written(given: Given, name: str) -> bool:
    setting = given.by_name.get(name)
    return setting is not None and setting.source != "environment" and setting.value not in (None, "")


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
    )
    return DeferredRefreshableCredentials(fetcher.fetch_credentials, _WEB)


def _token(given: Given) -> str:
    token = given.text(f"{_WEB}.web_identity_token")
    if token:
        return token
    name = given.text(f"{_WEB}.web_identity_token_file")
    if not name:
        raise StoreError(f"the backend 's3': {_WEB} needs a web_identity_token or a web_identity_token_file")
    try:
        return Path(name).read_text()
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


def _check_programs(session: EnvironmentSession, given: Given, connection: Connection) -> None:
    """Make sure that no program runs that only a file named by the folder names. Raises StoreError."""
    files = [
        given.by_name.get(name)
        for name in ("shared_config_files", "shared_credentials_files", "shared_credentials_file")
    ]
    named = next((setting for setting in files if is_of_folder(setting)), None)
    if named is None:
        return
    profiles = session.full_config.get("profiles", {})
    name, seen = given.text("profile") or "default", set[str]()
    while name not in seen:
        seen.add(name)
        profile = profiles.get(name, {})
        if program := profile.get("credential_process"):
            require_external(
                connection, str(program).split()[0], f"the profile {name!r} of {named.name} in {named.place}"
            )
        name = profile.get("source_profile", name)
