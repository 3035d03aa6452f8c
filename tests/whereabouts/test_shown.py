"""What is shown of URLs and connection strings: never a password."""

from __future__ import annotations

from statefmt.store.backends.description import without_credentials
from statefmt.store.backends.types import BACKENDS
from tests.tables import each_row


@each_row(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a@b:c", "a@b:c"),
        ("https://host/path", "https://host/path"),
        ("https://user:secret@host:8080/path", "https://…@host:8080/path"),
        ("https://secret@host/", "https://…@host/"),
        ("https://host/p?token=secret&b=secret#secret", "https://host/p?token=…&b=…#…"),
        ("https://host/p?secret", "https://host/p?…"),
        ("https://[::1]:80/p", "https://[::1]:80/p"),
        # With characters that a URL must escape, anything may be a part of the password.
        ("https://user:sec/ret@host/", "https://…"),
        ("https://user:sec/ret", "https://…"),
        ("https://user:sec@ret@host/", "https://…"),
        ("https://user:sec?ret@host/", "https://…"),
        ("https://user:sec#ret@host/", "https://…"),
    ],
)
def test_url(text: str, shown: str) -> None:
    assert without_credentials(text) == shown


@each_row(
    ("text", "shown"),
    [
        ("", "pg:///"),
        ("postgres://user:secret@db.example:5433/states?sslmode=disable", "pg://db.example:5433/states"),
        ("postgresql://db.example/", "pg://db.example/"),
        ("postgres:///states?host=/run/pg&password=secret", "pg://%2Frun%2Fpg/states"),
        ("host=db port=5433 dbname=states user=u password=secret", "pg://db:5433/states"),
        ("password='a secret' host=db", "pg://db/"),
        ("password=secret\\ secret host=db", "pg://db/"),
        ("host = db  dbname = 's\\'t'", "pg://db/s%27t"),
        ("postgres://user:sec/ret@db/states", "pg:///"),
        ("postgres://user:secret", "pg:///"),
        ("postgres://user:sec?ret@db/states", "pg:///"),
        ("password=sec'ret host=db", "pg:///"),
        ("secret", "pg:///"),
    ],
)
def test_connection_string(text: str, shown: str) -> None:
    values = {"conn_str": text, "schema_name": "s", "table_name": "states"}
    assert BACKENDS["pg"].place(values, "default", {}) == f"{shown}?schema=s&workspace=default"


def test_connection_from_the_environment() -> None:
    environment = {"PGHOST": "h", "PGPORT": "1", "PGDATABASE": "d", "PGPASSWORD": "secret"}
    values = {"conn_str": "dbname=own", "schema_name": "s", "table_name": "t"}
    assert BACKENDS["pg"].place(values, "dev", environment) == "pg://h:1/own?schema=s&table=t&workspace=dev"
