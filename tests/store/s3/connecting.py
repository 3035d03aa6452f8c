"""Clients for tests, from arguments as a configuration has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from statefmt.store.backends.description import SettingValue
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import GivenSetting, SettingSource, StatePlace, effective_settings
from statefmt.store.backends.types import BACKENDS
from statefmt.store.protocol import LockInfo, lock_info
from statefmt.store.remote.client import Connection
from statefmt.store.s3 import S3Client
from statefmt.store.s3._settings import Given
from tests.servers.s3 import S3Server

KEY = "prod/network.tfstate"


@dataclass(slots=True)
class Opened:
    """What a client reported."""

    notes: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def place_of(
    arguments: Mapping[str, SettingValue],
    environment: Mapping[str, str],
    *,
    source: SettingSource = SettingSource.BLOCK,
    workspace: str = "default",
) -> StatePlace:
    """The place that these arguments in a block, and these variables, make."""
    given = [GivenSetting(name, value, source, "main.tf:3") for name, value in arguments.items()]
    settings = effective_settings(BACKENDS["s3"], given, environment)
    values = {setting.name: setting.value for setting in settings}
    return StatePlace("s3", workspace, BACKENDS["s3"].place(values, workspace, environment), settings)


def given_of(arguments: Mapping[str, SettingValue], environment: Mapping[str, str] | None = None) -> Given:
    """The settings of these arguments."""
    whole = {"bucket": "b", "key": KEY, "region": "eu-west-1", **arguments}
    return Given.of(place_of(whole, environment or {}))


def connection_of(
    environment: Mapping[str, str], opened: Opened | None = None, options: BackendOptions | None = None
) -> Connection:
    """A connection in an environment."""
    heard = opened or Opened()
    return Connection(environment, heard.notes.append, options or BackendOptions(debug=heard.requests.append))


def client_of(
    server: S3Server,
    bucket: str,
    *,
    opened: Opened | None = None,
    workspace: str = "default",
    environment: Mapping[str, str] | None = None,
    **arguments: SettingValue,
) -> S3Client:
    """A client for the state KEY in a bucket of a server."""
    variables = {**server.environment, **(environment or {})}
    whole: dict[str, SettingValue] = {"bucket": bucket, "key": KEY, "use_path_style": True, **arguments}
    return S3Client(place_of(whole, variables, workspace=workspace), connection_of(variables, opened))


def new_lock(client: S3Client, who: str = "ann@laptop") -> LockInfo:
    """Lock information of somebody who moves a resource."""
    return lock_info(client.lock_path, "mv", "statetool mv a b", who=who, created=datetime.now(UTC))
