"""Finds credentials with the AWS SDK, in a session with the environment of a run instead of the process."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import botocore.session
from botocore.config import Config
from botocore.configprovider import (
    BOTOCORE_DEFAUT_SESSION_VARIABLES,
    ConfigChainFactory,
    ConfiguredEndpointProvider,
    ConfigValueStore,
)
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
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConfigNotFound,
    ConfigParseError,
    EndpointConnectionError,
    HTTPClientError,
    InfiniteLoopConfigError,
    InvalidConfigError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    UnknownCredentialError,
)
from botocore.parsers import ResponseParserError
from botocore.utils import InstanceMetadataFetcher

from statefmt.model.errors import StoreError
from statefmt.store.files import read_bounded
from statefmt.store.remote.client import Connection, Patience
from statefmt.store.remote.hosts import proxy_for, require_external
from statefmt.store.s3._service import AwsKeys, short, way_out
from statefmt.store.s3._settings import (
    Given,
    approach_service,
    aws_files,
    check_files,
    custom_endpoint,
    refuse_endpoint_of_folder,
)
from statefmt.text import pattern
from statefmt.version import __version__

# Endpoints come from the environment of the run, see above. The types of botocore lack this argument.
_WITHOUT_CONFIGURED_ENDPOINTS: Final[Mapping[str, Any]] = MappingProxyType({"ignore_configured_endpoint_urls": True})


class EnvironmentSession(botocore.session.Session):
    """A session that reads variables from a given environment, and sends requests according to the settings.

    All clients, including the session's own clients for credentials, use the endpoints, proxies and certificates of the
    settings.
    """

    def __init__(self, given: Given, connection: Connection) -> None:
        self._given = given
        self._connection = connection
        super().__init__()
        self.user_agent_name = "statetool"
        self.user_agent_version = __version__
        environment = connection.environment
        chains = ConfigChainFactory(session=self, environ=dict(environment))
        store = ConfigValueStore(
            {
                name: chains.create_config_chain(
                    instance_name=name,
                    env_var_names=variables,
                    config_property_names=properties,
                    default=default,
                    conversion_func=convert,
                )
                for name, (properties, variables, default, convert) in BOTOCORE_DEFAUT_SESSION_VARIABLES.items()
            }
        )
        self.register_component("config_store", store)

    def prepare(self) -> None:
        """Use the profile and the files of the settings. Raises StoreError."""
        if profile := self._given.text("profile"):
            self.set_config_variable("profile", profile)
        files = aws_files(self._given, self._connection.environment)
        check_files(files)
        self.set_config_variable("config_file", files.config)
        self.set_config_variable("credentials_file", files.credentials)
        if files.named_by is not None:
            # Files that only the folder names must not choose where credentials go.
            self.set_config_variable("ignore_configured_endpoint_urls", True)

    def use(self, credentials: Any) -> None:
        """Use these credentials for all new clients."""
        self.register_component("credential_provider", _Ready(credentials))

    def create_client(self, service_name: str, *arguments: Any, **named: Any) -> Any:
        """Create a client of a service."""
        given, environment = self._given, self._connection.environment
        endpoint = custom_endpoint(given, service_name, environment)
        region = named.get("region_name") or given.text("region")
        if service_name == "sts" and given.text("sts_region"):
            region = given.text("sts_region")
        url = named.get("endpoint_url") or (endpoint.url if endpoint else self.configured_url(service_name))
        named |= {"region_name": region, "endpoint_url": url, "verify": self.verify}
        config = self._config_for(url or f"https://{service_name}.{region}.amazonaws.com")
        named["config"] = config.merge(named["config"]) if named.get("config") else config
        client = super().create_client(service_name, *arguments, **named)
        argument = endpoint.argument if endpoint else ""
        url = client.meta.endpoint_url
        is_direct = proxy_for(url, environment) is None
        approach_service(self._connection, given, url, argument, resolves=is_direct)
        return client

    @property
    def _most_attempts(self) -> int:
        retries = self._given.number("max_retries")
        return 1 + (5 if retries is None else retries)

    @property
    def verify(self) -> bool | str:
        """Whether certificates are verified, or the file of the trusted authorities."""
        if not self._connection.options.verify or self._given.truth("insecure"):
            return False
        return self._given.text("custom_ca_bundle") or system_certificates(self._connection.environment) or True

    def configured_url(self, service_name: str) -> str | None:
        """Return the endpoint in the user's own configuration files."""
        if self.get_config_variable("ignore_configured_endpoint_urls"):
            return None
        url = ConfiguredEndpointProvider(
            full_config=self.full_config,
            scoped_config=self.get_scoped_config(),
            client_name=service_name,
            environ=dict(self._connection.environment),
        ).provide()
        return None if url is None else str(url)

    def _config_for(self, url: str) -> Config:
        given = self._given
        proxy = proxy_for(url, self._connection.environment)
        patience = Patience.of(self._connection.environment)
        return Config(
            connect_timeout=patience.connect,
            read_timeout=patience.answer,
            retries={"total_max_attempts": self._most_attempts, "mode": "standard"},
            # {} and not None, which would make botocore read the variables of the process.
            proxies={} if proxy is None else dict.fromkeys(("http", "https"), proxy),
            # None: the variables and files of the user apply.
            use_dualstack_endpoint=given.truth("use_dualstack_endpoint") or None,
            use_fips_endpoint=given.truth("use_fips_endpoint") or None,
            **_WITHOUT_CONFIGURED_ENDPOINTS,
        )


@dataclass(frozen=True, slots=True)
class _Ready:
    """Credentials in the form that a session needs."""

    credentials: Any

    def load_credentials(self) -> Any:
        return self.credentials


def system_certificates(environment: Mapping[str, str]) -> str:
    """Return the certificate file of the system, which may include a company's certificates; "" if there is none."""
    named = environment.get("SSL_CERT_FILE", "")
    found = named or ssl.get_default_verify_paths().cafile or ""
    return found if found and Path(found).is_file() else ""


_ROLE: Final = "assume_role"
_WEB_IDENTITY: Final = "assume_role_with_web_identity"
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

# Credentials are renewed these seconds before they expire. The SDK uses 15 minutes, which exceeds short sessions.
_RENEWED: Final = 60


class _Assumed(DeferredRefreshableCredentials):
    _advisory_refresh_timeout = 2 * _RENEWED
    _mandatory_refresh_timeout = _RENEWED


def found_keys(
    given: Given, connection: Connection, base: AwsKeys | None, web_identity: bool, subject: str
) -> Callable[[], AwsKeys]:
    """Return a function that supplies and renews credentials for the state; the first are fetched before it returns.

    `base` are known credentials; the default is the web identity, or the first credentials of the chain. If the
    settings have a role, it is assumed with them. Checks the account. Raises StoreError, without secrets.
    """
    session = EnvironmentSession(given, connection)
    try:
        session.prepare()
        credentials = _credentials(session, given, connection, base, web_identity=web_identity)
        # Roles are assumed, and tokens refreshed, before the first request, so that errors name the cause.
        credentials.get_frozen_credentials()
        session.use(credentials)
        check_account(session, given)
    except SDK_ERRORS as error:
        # Without the cause: its text may contain the output of a program.
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
        client_creator=session.create_client,
        source_credentials=source,
        role_arn=role,
        extra_args=_role_arguments(given, names),
        mfa_prompter=_no_prompt,
        cache={},
        expiry_window_seconds=_RENEWED,
    )
    return _Assumed(fetcher.fetch_credentials, "assume-role")


def _web_identity(session: EnvironmentSession, given: Given) -> Any:
    role = given.text(f"{_WEB_IDENTITY}.role_arn")
    if not role:
        raise StoreError(f"the backend 's3': {_WEB_IDENTITY} needs a role_arn, or AWS_ROLE_ARN")
    names = {name: f"{_WEB_IDENTITY}.{name}" for name in ("session_name", "policy", "policy_arns", "duration")}
    fetcher = AssumeRoleWithWebIdentityCredentialFetcher(
        client_creator=session.create_client,
        web_identity_token_loader=lambda: _token(given),
        role_arn=role,
        extra_args=_role_arguments(given, names),
        cache={},
        expiry_window_seconds=_RENEWED,
    )
    return _Assumed(fetcher.fetch_credentials, _WEB_IDENTITY)


def _token(given: Given) -> str:
    token = given.text(f"{_WEB_IDENTITY}.web_identity_token")
    if token:
        return token
    name = given.text(f"{_WEB_IDENTITY}.web_identity_token_file")
    if not name:
        raise StoreError(f"the backend 's3': {_WEB_IDENTITY} needs a web_identity_token or a web_identity_token_file")
    try:
        return read_bounded(name, _LARGEST_TOKEN, pipes=True).decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise StoreError(f"{given.where(f'{_WEB_IDENTITY}.web_identity_token_file')}: {name}: {reason}") from None


def _role_arguments(given: Given, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of AssumeRole; `names` are the names in the settings."""
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


def _no_prompt(text: str) -> str:
    raise StoreError("the profile needs a code of a second factor (mfa_serial): get temporary credentials first")


def _chain(session: EnvironmentSession, given: Given, environment: Mapping[str, str]) -> CredentialResolver:
    """Return the credential providers of a profile, a container and an instance, in this order."""
    profile = given.text("profile") or "default"
    cache: dict[str, Any] = {}
    container = ContainerProvider(environ=dict(environment))
    builder = ProfileProviderBuilder(session, cache=cache, region_name=given.text("region"))
    later: list[Any] = [container]
    if not given.truth("skip_metadata_api_check"):
        later.append(_instance(session, given, environment))
    role = AssumeRoleProvider(
        load_config=lambda: session.full_config,
        client_creator=session.create_client,
        cache=cache,
        profile_name=profile,
        prompter=_no_prompt,
        credential_sourcer=CanonicalNameCredentialSourcer([EnvProvider(environ=dict(environment)), *later]),
        profile_provider_builder=builder,
    )
    # The variables of a web identity were read from the environment of the run.
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


def check_account(session: EnvironmentSession, given: Given) -> None:
    """Compare the account with allowed_account_ids and forbidden_account_ids. Raises StoreError and ClientError."""
    allowed, forbidden = given.texts("allowed_account_ids"), given.texts("forbidden_account_ids")
    if not allowed and not forbidden:
        return
    client = session.create_client("sts")
    account = str(client.get_caller_identity()["Account"])
    client.close()
    if allowed and account not in allowed:
        raise StoreError(f"{given.where('allowed_account_ids')}: the account {account} is not in allowed_account_ids")
    if account in forbidden:
        raise StoreError(f"{given.where('forbidden_account_ids')}: the account {account} is in forbidden_account_ids")


_SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}
# In characters.
_LONGEST: Final = 100
_UNIT: Final = pattern(r"([^0-9.]+)")
_WHOLE: Final = pattern(r"(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+")


def seconds_of(text: str, place: str) -> int:
    """Return a duration in seconds; a number without a unit is in seconds. Raises StoreError."""
    if text.isascii() and text.isdigit() and len(text) <= _LONGEST:
        return int(text)
    if len(text) > _LONGEST or _WHOLE.fullmatch(text) is None:
        raise StoreError(f"{place}: the duration {text!r} is not valid: write it like 1h30m")
    parts = _UNIT.split(text)
    return int(sum(float(number) * _SECONDS[unit] for number, unit in zip(parts[::2], parts[1::2], strict=False)))


def check_programs(session: EnvironmentSession, given: Given, connection: Connection) -> None:
    """Check that no program runs that only a file of the folder names. Raises StoreError."""
    named = aws_files(given, connection.environment).named_by
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


_PARAMETER: Final = pattern(r"\bparameter ([A-Za-z.0-9\[\]]+)")
# The errors of the SDK, and errors that it passes through from missing or unexpected files and programs. RuntimeError:
# credentials that have expired on arrival, and answers that are nested too deeply.
SDK_ERRORS: Final = (
    BotoCoreError, ClientError, ResponseParserError, OSError, ValueError, LookupError, TypeError, AttributeError,
    RuntimeError, ArithmeticError,
)  # fmt: skip


def sdk_problem(error: Exception) -> str:
    """Return the SDK's problem in finding credentials, with advice."""
    match error:
        case ClientError():
            return _refusal(error)
        case NoCredentialsError():
            return (
                "no AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
                "sign in with `aws sso login`"
            )
        case (
            ProfileNotFound()
            | ConfigParseError()
            | ConfigNotFound()
            | InfiniteLoopConfigError()
            | InvalidConfigError()
            | PartialCredentialsError()
            | UnknownCredentialError()
        ):
            # The messages name files, profiles and settings.
            text = short(str(error))
            return text[:1].lower() + text[1:]
        case ParamValidationError():
            # The message contains values, too.
            names = sorted(set(_PARAMETER.findall(str(error))))
            return f"AWS would not accept these parameters of the request for credentials: {', '.join(names)}"
        case SSOError():
            return "the SSO session has expired or is not valid; sign in with `aws sso login`"
        case EndpointConnectionError():
            return "cannot connect to the service that gives AWS credentials"
        case OSError(strerror=str(reason), filename=str(name)):
            return f"{name}: {reason[:1].lower()}{reason[1:]}"
        case HTTPClientError():
            return f"the service that gives AWS credentials did not answer ({type(error).__name__})"
    # The text may contain the output of a program, or a value of a request.
    return f"AWS credentials could not be found ({type(error).__name__})"


def _refusal(error: ClientError) -> str:
    details = error.response.get("Error", {})
    code = str(details.get("Code", ""))
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) or 0)
    said = short(str(details.get("Message", "")))
    call = error.operation_name
    return f"{way_out(code, status, call)}{call} was answered with {short(code)}" + (f" ({said})" if said else "")
