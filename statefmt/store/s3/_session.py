"""A session of botocore that knows the environment of a run, not that of the process."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import botocore.session
from botocore.config import Config
from botocore.configprovider import (
    BOTOCORE_DEFAUT_SESSION_VARIABLES,
    ConfigChainFactory,
    ConfiguredEndpointProvider,
    ConfigValueStore,
)

from statefmt.model.errors import StoreError
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.trust import approach, is_of_folder
from statefmt.store.s3._credentials import describe_credentials
from statefmt.store.s3._endpoints import Endpoint, custom_endpoint
from statefmt.store.s3._proxies import proxies_for
from statefmt.store.s3._settings import Given
from statefmt.version import __version__

# In seconds.
_CONNECT: Final = 10
_READ: Final = 60
# They are found above, in the environment of the run. The types of botocore do not have this argument.
_WITHOUT_CONFIGURED_ENDPOINTS: Final[Mapping[str, Any]] = MappingProxyType({"ignore_configured_endpoint_urls": True})


class EnvironmentSession(botocore.session.Session):
    """A session that reads variables from the environment that it is given, and sends requests as the settings say.

    All clients have the endpoints, proxies and certificates of the settings; so have those that the session makes
    itself to get credentials.
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
        given, environment = self._given, self._connection.environment
        home = environment.get("HOME") or str(Path.home())
        if profile := given.text("profile"):
            self.set_config_variable("profile", profile)
        config = _one_file(given, "shared_config_files") or environment.get("AWS_CONFIG_FILE")
        credentials = _one_file(given, "shared_credentials_files") or given.text("shared_credentials_file")
        credentials = credentials or environment.get("AWS_SHARED_CREDENTIALS_FILE", "")
        self.set_config_variable("config_file", _in_home(config or "~/.aws/config", home))
        self.set_config_variable("credentials_file", _in_home(credentials or "~/.aws/credentials", home))
        files = ("shared_config_files", "shared_credentials_files", "shared_credentials_file")
        if any(is_of_folder(given.by_name.get(name)) for name in files):
            # Files that only the folder names must not say where credentials go.
            self.set_config_variable("ignore_configured_endpoint_urls", True)

    def use(self, credentials: Any) -> None:
        """Use these credentials for all clients that are made from now on."""
        self.register_component("credential_provider", _Ready(credentials))

    def create_client(self, service_name: str, *arguments: Any, **named: Any) -> Any:
        """Create a client of a service."""
        given, environment = self._given, self._connection.environment
        endpoint = custom_endpoint(given, service_name, environment)
        region = named.get("region_name") or given.text("region")
        if service_name == "sts" and given.text("sts_region"):
            region = given.text("sts_region")
        url = named.get("endpoint_url") or (endpoint.url if endpoint else self._configured_url(service_name))
        named |= {"region_name": region, "endpoint_url": url, "verify": self.verify}
        config = self._config_for(service_name, url or f"https://{service_name}.{region}.amazonaws.com")
        named["config"] = config.merge(named["config"]) if named.get("config") else config
        client = super().create_client(service_name, *arguments, **named)
        self._approach(client.meta.endpoint_url, endpoint)
        return client

    @property
    def verify(self) -> bool | str:
        """Whether certificates are checked, or the file with those of the authorities."""
        if not self._connection.options.verify or self._given.truth("insecure"):
            return False
        return self._given.text("custom_ca_bundle") or system_certificates(self._connection.environment) or True

    def _approach(self, url: str, endpoint: Endpoint | None) -> None:
        """Name the host before the first request. Raises StoreError if it must not have the user's credentials."""
        setting = self._given.by_name.get(endpoint.argument) if endpoint else None
        named_by = setting.place if setting is not None and is_of_folder(setting) else ""
        approach(
            self._connection,
            urlsplit(url).netloc.rpartition("@")[2],
            named_by=named_by,
            credentials=describe_credentials(self._given),
        )

    def _configured_url(self, service_name: str) -> str | None:
        """Return the endpoint that the user's own configuration files set."""
        if self.get_config_variable("ignore_configured_endpoint_urls"):
            return None
        url = ConfiguredEndpointProvider(
            full_config=self.full_config,
            scoped_config=self.get_scoped_config(),
            client_name=service_name,
            environ=dict(self._connection.environment),
        ).provide()
        return None if url is None else str(url)

    def _config_for(self, service_name: str, url: str) -> Config:
        given = self._given
        host = url.partition("://")[2].partition("/")[0]
        checksums: Literal["when_required", "when_supported"] = "when_supported"
        if given.truth("skip_s3_checksum"):
            checksums = "when_required"
        path_style = given.truth("use_path_style") or given.truth("force_path_style")
        return Config(
            connect_timeout=_CONNECT,
            read_timeout=_READ,
            # Requests are repeated in _requests.py, which knows what may be.
            retries={"total_max_attempts": 1 if service_name in ("s3", "dynamodb") else 3, "mode": "standard"},
            # {} and not None, with which botocore would look at the variables of the process.
            proxies=proxies_for(given, host, self._connection.environment),
            # None: the variables and files of the user apply.
            use_dualstack_endpoint=given.truth("use_dualstack_endpoint") or None,
            use_fips_endpoint=given.truth("use_fips_endpoint") or None,
            request_checksum_calculation=checksums,
            response_checksum_validation=checksums,
            s3={"addressing_style": "path" if path_style else "virtual"},
            **_WITHOUT_CONFIGURED_ENDPOINTS,
        )


@dataclass(frozen=True, slots=True)
class _Ready:
    """Credentials that were found, as a session asks for them."""

    credentials: Any

    def load_credentials(self) -> Any:
        """Return the credentials."""
        return self.credentials


def _one_file(given: Given, name: str) -> str:
    files = given.texts(name)
    if len(files) > 1:
        raise StoreError(f"{given.where(name)}: several files in {name} are not supported: name one")
    return files[0] if files else ""


def _in_home(name: str, home: str) -> str:
    """Return a path with the home directory of the environment in the place of `~`."""
    return f"{home}{name[1:]}" if name == "~" or name.startswith("~/") else name


def system_certificates(environment: Mapping[str, str]) -> str:
    """Return the file with the certificates of the system, which has those of a company too; "" if there is none."""
    named = environment.get("SSL_CERT_FILE", "")
    found = named or ssl.get_default_verify_paths().cafile or ""
    return found if found and Path(found).is_file() else ""
