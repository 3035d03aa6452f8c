"""What is shown of settings where nobody has thought of secrets: in logs, debuggers and reports of errors."""

from __future__ import annotations

from statefmt.store._http import http_settings
from statefmt.store.backends import RemoteName
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import GivenSetting, SettingSource
from statefmt.store.opening import RemoteStore, open_client
from statefmt.store.remote.client import Connection
from tests.store.http.conftest import place


def test_representations_have_no_secrets() -> None:
    settings = {
        "address": "http://h/state?token=hunter2",
        "username": "ann",
        "password": "hunter2",
        "headers": {"A": "hunter2"},
        "client_private_key_pem": "hunter2",
        "client_certificate_pem": "public",
    }
    where = place(settings)
    connection = Connection({"TF_HTTP_PASSWORD": "hunter2"}, print, BackendOptions(settings=("password=hunter2",)))
    shown = [
        where,
        where.settings,
        RemoteName(where),
        RemoteName(where).place,
        connection,
        connection.options,
        GivenSetting("password", "hunter2", SettingSource.OPTION, "--backend-config"),
        RemoteStore(where, connection, open_client),
        http_settings(where),
        open_client(where, connection),
    ]
    text = "\n".join(map(repr, shown))
    assert "ann" in text
    assert "password=…" in text
    assert "hunter2" not in text
