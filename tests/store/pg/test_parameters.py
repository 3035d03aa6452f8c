"""What is connected to, and with whose password."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import SettingSource
from tests.servers.pg import PASSWORD, USER, PgServer
from tests.store.pg.conftest import client_of
from tests.tables import each_row

_NOBODY: Final = {"HOME": "/nowhere"}


def _environment(pg: PgServer, database: str, **others: str) -> dict[str, str]:
    return {
        **_NOBODY,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(pg.port),
        "PGUSER": USER,
        "PGPASSWORD": PASSWORD,
        "PGDATABASE": database,
        "PGSSLMODE": "disable",
        **others,
    }


def _without(environment: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in names}


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@pytest.mark.parametrize("conn_str", [None, ""])
def test_variables_alone(conn_str: str | None, pg: PgServer, database: str) -> None:
    client = client_of(conn_str, environment=_environment(pg, database))
    client.write(b"{}", None, None)
    client.close()
    with pg.connect(database) as rows:
        assert rows.execute("SELECT data FROM terraform_remote_state.states").fetchall() == [("{}",)]


def test_variables_fill_gaps(pg: PgServer, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those of the run count, not those of the process."""
    for name in ("PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSSLMODE", "PGOPTIONS"):
        monkeypatch.setenv(name, "7")
    environment = _without(_environment(pg, database, PGPORT="1", PGUSER="nobody"), "PGHOST")
    conn_str = f"host=127.0.0.1 port={pg.port} user={USER}"
    client = client_of(conn_str, environment=environment, source=SettingSource.OPTION)
    assert client.read() is None
    client.close()


def test_keywords(pg: PgServer, database: str) -> None:
    conn_str = (
        f"host = 127.0.0.1 port={pg.port} user={USER} password={_quoted(PASSWORD)} dbname={_quoted(database)} "
        "sslmode=disable application_name=theirs"
    )
    client = client_of(conn_str)
    assert client.read() is None
    client.close()


@pytest.mark.parametrize("named", [True, False])
def test_password_file(named: bool, pg: PgServer, database: str, tmp_path: Path) -> None:
    """In the home of the run, or where its variable says."""
    path = tmp_path / ("named" if named else ".pgpass")
    path.write_text(f"127.0.0.1:{pg.port}:*:{USER}:{PASSWORD}\n")
    path.chmod(0o600)
    environment = {"PGPASSFILE": str(path), "HOME": "/nowhere"} if named else {"HOME": str(tmp_path)}
    client = client_of(pg.url(database, password=""), environment=environment)
    assert client.read() is None
    client.close()


def test_tls_is_required(pg: PgServer, database: str) -> None:
    """As by Terraform and OpenTofu; libpq alone would go on without TLS, and send the password."""
    with pytest.raises(StoreError, match="server does not support SSL, but SSL was required"):
        client_of(pg.url(database).removesuffix("?sslmode=disable")).read()


def test_the_host_is_localhost() -> None:
    """libpq alone would use a socket."""
    client = client_of("dbname=x")
    assert (client._link.parameters["host"], client._link.parameters["port"]) == ("localhost", "5432")


@each_row(
    ("conn_str", "environment", "message"),
    [
        ("service=prod", {}, "main.tf:3: conn_str: the connection parameter service is not supported"),
        ("", {"PGSERVICE": "prod"}, "PGSERVICE: the connection parameter service is not supported"),
        ("postgres://h/d?sslkeylogfile=/etc/x", {}, "the connection parameter sslkeylogfile is not supported"),
        ("host=h oauth_issuer=https://x", {}, "the connection parameter oauth_issuer is not supported"),
        ("postgres://h/d?binary_parameters=yes", {}, "the parameter binary_parameters is not supported"),
        ("host=h search_path=x", {}, "the parameter search_path is not supported"),
        ("postgres://u:hunter2@h:hunter2/d", {}, None),
        ("postgres://u:hunter2%zz@h/d", {}, "main.tf:3: conn_str: it is not a valid connection string"),
        ("user=u password=a hunter2=b", {}, "main.tf:3: conn_str: it is not a valid connection string"),
        ("password='hunter2", {}, "main.tf:3: conn_str: it is not a valid connection string"),
        ("host=h password=hunter2 sslmode=hunter2", {}, None),
        ("host=h password=hunter2 connect_timeout=hunter2", {}, None),
        ("host=hunter2\N{CYRILLIC SMALL LETTER A}:x password=hunter2", {}, None),
        ("host=h\nx password=hunter2", {}, None),
        ("host=h password=hunter2\0", {}, None),
    ],
)
def test_invalid(conn_str: str, environment: dict[str, str], message: str | None) -> None:
    with pytest.raises(StoreError, match=message) as error:
        client_of(conn_str, environment={**_NOBODY, **environment}).read()
    assert message is None or "hunter2" not in str(error.value)


def test_a_check_of_certificates_is_not_weakened() -> None:
    with pytest.raises(StoreError, match="sslmode is verify-full, which verify=False does not change") as error:
        client_of("host=h sslmode=verify-full", options=BackendOptions(verify=False))
    assert "--no-verify" in error.value.on_command_line
    client_of("host=h sslmode=verify-full")
    client_of("host=h", options=BackendOptions(verify=False))
    assert client_of("host=h sslrootcert=system")._link.parameters["sslmode"] == "verify-full"


def _pgpass(folder: Path, line: str) -> dict[str, str]:
    path = folder / "passwords"
    path.write_text(f"{line}\n")
    path.chmod(0o600)
    return {"PGPASSFILE": str(path)}


def test_a_folder_gets_no_password_of_the_user(pg: PgServer, database: str, tmp_path: Path) -> None:
    """The host of the block may be anybody's; the question is asked before anything is sent."""
    url = pg.url(database, password="")
    for environment, what in (
        ({"PGPASSWORD": PASSWORD}, "PGPASSWORD"),
        (_pgpass(tmp_path, f"*:*:*:*:{PASSWORD}"), f"the password in {tmp_path / 'passwords'}"),
    ):
        client = client_of(url, environment={**_NOBODY, **environment})
        with pytest.raises(StoreError) as error:
            client.read()
        expected = f"{what} would be sent to 127.0.0.1:{pg.port}, which only main.tf:3 names; nothing was sent"
        assert str(error.value).startswith(expected)
        for options in (
            BackendOptions(allowed_hosts=("127.0.0.1",)),
            BackendOptions(agree=lambda question: question.startswith(f"Send {what} to 127.0.0.1:")),  # noqa: B023
        ):
            allowed = client_of(url, environment={**_NOBODY, **environment}, options=options)
            assert allowed.read() is None
            allowed.close()


def test_a_user_names_the_host(pg: PgServer, database: str, tmp_path: Path) -> None:
    url = pg.url(database, password="")
    password = {**_NOBODY, "PGPASSWORD": PASSWORD}
    for client in (
        client_of(url, environment=password, source=SettingSource.OPTION),
        client_of(None, environment={**password, "PG_CONN_STR": url}),
        client_of(url, environment={**password, "PGHOST": "127.0.0.1"}),
        client_of(url, environment={**_NOBODY, **_pgpass(tmp_path, f"127.0.0.1:*:*:*:{PASSWORD}")}),
    ):
        assert client.read() is None
        client.close()


@pytest.mark.parametrize("names", ["host=good hostaddr=127.0.0.1", "host=127.0.0.1 passfile={passfile}"])
def test_a_folder_does_not_misuse_a_password_file(names: str, pg: PgServer, database: str, tmp_path: Path) -> None:
    found = _pgpass(tmp_path, f"good:*:*:*:{PASSWORD}")
    conn_str = f"{names.format(passfile=found['PGPASSFILE'])} port={pg.port} user={USER} sslmode=disable"
    with pytest.raises(StoreError, match=r"would be sent to 127\.0\.0\.1"):
        client_of(conn_str, environment={**_NOBODY, **found}).read()


@pytest.mark.parametrize(
    ("conn_str", "environment", "where"),
    [
        ("host=/nowhere/evil", {"PGPASSWORD": PASSWORD}, "the socket in /nowhere/evil"),
        ("host=@evil", {"PGPASSWORD": PASSWORD}, "the socket in @evil"),
        ("port=1", {"PGPASSWORD": PASSWORD}, "localhost:1"),
    ],
)
def test_a_server_of_another_user_of_the_machine_gets_no_password(
    conn_str: str, environment: dict[str, str], where: str
) -> None:
    with pytest.raises(StoreError, match=f"^PGPASSWORD would be sent to {where}, which only main.tf:3 names"):
        client_of(conn_str, environment={**_NOBODY, **environment}).read()


def test_a_socket_gets_no_password_of_a_file_for_localhost(tmp_path: Path) -> None:
    found = _pgpass(tmp_path, f"localhost:*:*:*:{PASSWORD}")
    with pytest.raises(StoreError, match="would be sent to the socket in /nowhere/evil"):
        client_of("host=/nowhere/evil", environment={**_NOBODY, **found}).read()


@pytest.mark.parametrize("is_named_by_folder", [True, False])
def test_a_server_of_the_folder_gets_no_certificate(is_named_by_folder: bool, tmp_path: Path) -> None:
    certificate = tmp_path / "client.crt"
    certificate.write_text("a certificate")
    conn_str = f"postgres://u:p@127.0.0.1:1/db{f'?sslcert={certificate}' if is_named_by_folder else ''}"
    environment = _NOBODY if is_named_by_folder else {**_NOBODY, "PGSSLCERT": str(certificate)}
    with pytest.raises(StoreError, match=f"^the client certificate in {certificate} would be sent to 127"):
        client_of(conn_str, environment=environment).read()


@pytest.mark.parametrize("name", ["passfile", "sslcert", "sslkey", "sslrootcert", "sslcrl"])
def test_a_device_is_not_read(name: str) -> None:
    """It has no end."""
    with pytest.raises(StoreError):
        client_of(f"host=127.0.0.1 port=1 {name}=/dev/zero", environment=_NOBODY).read()


def test_the_host_is_named(pg: PgServer, database: str) -> None:
    notes: list[str] = []
    client = client_of(pg.url(database), note=notes.append)
    client.read()
    client.read()
    client.close()
    assert notes == [f"connecting to 127.0.0.1:{pg.port} …"]
