"""A session of the SDK of AWS that knows the environment of a run, not that of the process."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
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

from statefmt.store.remote.connection import Connection
from statefmt.store.remote.patience import Patience
from statefmt.store.remote.proxies import proxy_for
from statefmt.store.s3._approach import approach_service
from statefmt.store.s3._endpoints import custom_endpoint
from statefmt.store.s3._files import aws_files, check_files
from statefmt.store.s3._settings import Given
from statefmt.version import __version__

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
        if profile := self._given.text("profile"):
            self.set_config_variable("profile", profile)
        files = aws_files(self._given, self._connection.environment)
        check_files(files)
        self.set_config_variable("config_file", files.config)
        self.set_config_variable("credentials_file", files.credentials)
        if files.named_by is not None:
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
        """Whether certificates are checked, or the file with those of the authorities."""
        if not self._connection.options.verify or self._given.truth("insecure"):
            return False
        return self._given.text("custom_ca_bundle") or system_certificates(self._connection.environment) or True

    def configured_url(self, service_name: str) -> str | None:
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

    def _config_for(self, url: str) -> Config:
        given = self._given
        proxy = proxy_for(url, self._connection.environment)
        patience = Patience.of(self._connection.environment)
        return Config(
            connect_timeout=patience.connect,
            read_timeout=patience.answer,
            retries={"total_max_attempts": self._most_attempts, "mode": "standard"},
            # {} and not None, with which botocore would look at the variables of the process.
            proxies={} if proxy is None else dict.fromkeys(("http", "https"), proxy),
            # None: the variables and files of the user apply.
            use_dualstack_endpoint=given.truth("use_dualstack_endpoint") or None,
            use_fips_endpoint=given.truth("use_fips_endpoint") or None,
            **_WITHOUT_CONFIGURED_ENDPOINTS,
        )


@dataclass(frozen=True, slots=True)
class _Ready:
    """Credentials that were found, as a session asks for them."""

    credentials: Any

    def load_credentials(self) -> Any:
        """Return the credentials."""
        return self.credentials


def system_certificates(environment: Mapping[str, str]) -> str:
    """Return the file with the certificates of the system, which has those of a company too; "" if there is none."""
    named = environment.get("SSL_CERT_FILE", "")
    found = named or ssl.get_default_verify_paths().cafile or ""
    return found if found and Path(found).is_file() else ""
